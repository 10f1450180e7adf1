"""Common words: what people may have said in other words.

Chinese is cut by a dictionary, so that a name nobody ever heard is told from a word. English has no
such thing here, and needs it for one purpose: a word that is common may be asked for where another
was said, one that is not names something of its own. Beside these, all words that have a tag of
their own (`language.words`) are common.
"""

from __future__ import annotations

from functools import lru_cache

from wangchuan.language.terms import stem
from wangchuan.language.words import CHINESE_WORDS, ENGLISH_WORDS

COMMON = """
ability absence academic accent acceptance access accident accommodation account accurate
achievement act action active activity actor actress actual addition address administration
admission adult advance advantage adventure advertisement advice affair age agency agent agreement
aid aim air aircraft airline airport alarm album alcohol alternative amateur ambition ambulance
amount analysis ancestor ancient anger angle animal anniversary announcement annual answer anxiety
apartment apology app appearance appetite apple appliance application appointment appreciation
approach appropriate approval area argument arm army arrangement arrival art article artist
aspect assessment asset assignment assistance assistant association assumption atmosphere attack
attempt attendance attention attitude attraction attribute audience aunt author authority autumn
availability average award awareness baby background backpack bag baggage bakery balance balcony
ball balloon band bank bar base baseball basement basic basis basket basketball bath bathroom
battery battle beach bean bear beard beauty bed bedroom beef beer beginner beginning behaviour
behavior being belief bell belonging belt bench benefit bicycle bike bill biography bird birth
birthday biscuit bit blanket block blog blood board boat body bomb bond bone bonus book booking
boot border boring boss bottle bottom bowl box boy boyfriend brain branch brand bread breakfast
breath breed bride bridge brief brother bucket budget bug building bunch burden bus business
butter button cabin cabinet cable cafe cake calendar call camera camp campaign campus canal cancer
candidate candle candy cap capacity capital captain car card care career carpet carrot case cash
cast castle cat category cause ceiling celebration celebrity cell centre center century ceremony
certain certificate chain chair challenge champion championship chance change channel chapter
character characteristic charge charity chart chat cheap check cheese chef chemical chemistry chest
chicken chief child childhood children chocolate choice church cigarette cinema circle
circumstance citizen city civil claim class classic classroom client climate clinic clock cloth
clothes clothing cloud club clue coach coast coat code coffee coin cold colleague collection
college colour color column combination comedy comfort comment commercial commission commitment
committee common communication community companion company comparison competition complaint
complete complex component computer concept concern concert conclusion condition conference
confidence confident conflict connection conscious consequence consideration construction contact
content contest context contract contribution control convenient conversation cook cookie copy core
corn corner correct cost costume cottage cotton council count country countryside county couple
courage course court cousin cover cow crash crazy cream creation creative creature credit crew
crime crisis critical criticism crowd culture cup curious currency current curtain customer cycle
dad daily damage dance dancer danger dangerous dark data database date daughter day deadline deal
dear death debate debt decade decision deck decoration deep defeat defence defense degree delay
delivery demand department departure dependent deposit depression depth description desert design
designer desire desk dessert destination detail development device diagram dialogue diary diet
difference difficulty dinner direct direction director dirt disability disadvantage disappointment
disaster discipline discount discovery discussion disease dish display distance distress district
division doctor document documentary dog dollar donation door doubt downtown draft drama drawing
dream dress drink driver drop drug duration dust duty ear earth ease east easy economic economy
edge edition editor education effect effective efficient effort egg election electric electricity
electronic element elephant email emergency emotion emotional emphasis employee employer employment
encounter end enemy energy engagement engine engineer engineering enthusiasm entire entrance entry
environment environmental equal equipment error escape essay essential establishment estate estimate
ethnic euro evening event evidence exact exam examination example excellent exception excitement
exercise exhibition existence exit expense expensive experience experiment expert explanation
expression extension extent external extra extreme eye fabric face facility fact factor factory
failure fair faith fall fame family fan fantasy farm farmer fashion fast fat father fault favour
favor favourite favorite fear feature fee feedback feeling fellow female festival fiction field
fight figure file film final finance financial finding fine finger finish fire firm fish fishing
fitness fix flag flat flavour flavor flight floor flow flower focus folk food foot football force
foreign forest form formal format fortune forum foundation frame free freedom frequency fresh
friend friendly friendship front fruit fuel fun function fund funding funny furniture future gain
gallery game gap garage garden gas gate gathering gender gene general generation genre gentle
gentleman genuine gesture gift girl girlfriend glad glass global glove goal gold golf good
government grade gradual graduate graduation grammar grand grandfather grandma grandmother grandpa
grandparent grant grape grass grateful great green grocery ground group growth guarantee guard
guess guest guidance guide guilt guitar guy gym habit hair half hall hand handle happiness happy
harbour harbor hard harm hat head headache health healthy heart heat heating heavy height hell
helpful hero hidden high highlight highway hiking hill hint historical history hit hobby hold hole
holiday home homework honest honour honor hope horror horse hospital host hot hotel hour house
household housing huge human humour humor hundred hunger hurry husband ice idea ideal identity
illness image imagination impact importance important impression improvement incident income
increase independence independent index indication individual industrial industry infection
influence information initial initiative injury inner innovation insect inside insight inspiration
installation instance institution instruction instructor instrument insurance intelligence intense
intention interaction interest interesting internal international internet interview introduction
invention investigation investment invitation involvement island issue item jacket job joint joke
journal journalist journey joy judge judgment juice jump junior jury justice key keyboard kid kind
king kiss kitchen knee knife knowledge label laboratory lack lady lake lamp land landlord landscape
lane language laptop large law lawyer layer lead leader leadership league leather lecture left leg
legal leisure lemon length lesson letter level library licence license lie life lifestyle lift
light limit limitation line link lip list literature litre living load loan local location lock
logic lonely long loss lot loud love low loyal luck lucky luggage lunch machine mad magazine magic
mail main maintenance major majority makeup male mall man management manager manner map march
margin mark market marketing marriage mass massive master match mate material mathematics matter
maximum meal meaning measure meat mechanic media medical medication medicine medium meeting member
membership memory mental mention menu mess message metal method middle midnight mile military milk
mind mine minimum minister minor minority minute mirror miss mission mistake mix mixture mobile
model modern moment money monitor month mood moon moral morning mortgage mother motion motivation
motor mountain mouse mouth movement movie multiple mum muscle museum music musical musician mutual
name narrow nation national native natural nature neat necessary neck need negative neighbour
neighbor neighbourhood neighborhood nephew nerve nervous net network news newspaper nice nickname
niece night noise normal north nose note notebook notice notion novel nowhere number nurse nut
object objective obligation observation obstacle obvious occasion occupation ocean offer office
officer official oil old online opening opera operation opinion opponent opportunity opposite
option orange orchestra order ordinary organ organisation organization origin original outcome
outdoor outfit output outside oven overall owner pace pack package page pain paint painter painting
pair palace panel panic pants paper parent park parking part participant particular partner
partnership party pass passage passenger passion passport password past path patience patient
pattern pause payment peace peak pen penalty pencil pension people pepper percent percentage perfect
performance period permanent permission permit person personal personality perspective pet phase
phone photo photograph photographer photography phrase physical physics piano picture pie piece
pilot pin pitch pizza place plan plane planet plant plastic plate platform play player pleasant
pleasure plenty plot pocket podcast poem poet poetry point police policy political politician
politics pollution pool poor pop popular population position positive possession possibility
possible post pot potato potential pound poverty power powerful practical practice praise precious
preference pregnancy preparation presence present presentation president press pressure previous
price pride primary prime prince princess principle print printer prior priority prison privacy
private prize problem procedure process product production profession professional professor
profile profit program programme progress project promise promotion proof proper property proposal
protection protest proud psychology public publication publisher pumpkin pupil purchase pure purpose
puzzle qualification quality quantity quarter queen question queue quick quiet quote race racing
radio rain range rank rare rate ratio raw reaction reader reading reality reason recent reception
recipe recommendation record recording recovery reduction reference reflection reform refund region
regional register regret regular regulation rejection relation relationship relative release relief
religion religious remarkable remote rent repair repeat replacement reply report reporter
representative reputation request requirement research researcher reservation resident resolution
resort resource respect respond response responsibility responsible rest restaurant result
retirement return revenue review reward rice rich ride right ring rise risk river road rock role
roll romance romantic roof room root rope rose rough round route routine row royal rule run rural
rush sad safe safety sail salad salary sale salt sample sand sandwich satisfaction sauce saving
scale scared scene scenery schedule scheme scholarship school science scientific scientist scope
score screen script sea search season seat second secret secretary section sector secure security
seed selection self senior sense sensitive sentence separate sequence series serious servant server
service session set setting shade shadow shake shame shape share sharp sheep sheet shelf shelter
shift ship shirt shock shoe shop shopping short shot shoulder show shower sibling sick side sight
sign signal signature significance silence silly silver similar simple single sister site situation
size skiing skill skin skirt sky sleep slice slight slow small smart smell smile smoke smooth snack
snow soccer social society sock soft software soil soldier solid solution son song sort soul sound
soup source south space spare speaker special specialist species specific spectacular speech speed
spelling spend spicy spirit spiritual split sport spot spouse spring square stable staff stage
stair stamp stand standard star start state statement station statistic statue status stay steady
steak steam step stick stock stomach stone storage store storm story stranger strategy stream street
strength stress stretch strict string strip strong structure struggle student studio stuff style
subject substance success successful sudden sugar suggestion suit suitable suitcase sum summary
summer sun supervisor supper supply support surface surgery surprise surrounding survey survival
suspect sweater sweet swim swimming switch symbol sympathy symptom system table tablet tale talent
tank tap target task taste tax taxi tea teacher teaching team tear technical technique technology
teenager telephone television temperature temple temporary tennis tension tent term terrible test
text thank theatre theater theme theory therapy thick thin thing thinking thought thousand threat
throat ticket tie tight tip tired title toast today toe toilet tomato tomorrow tone tongue tonight
tool tooth top topic total touch tough tour tourism tourist tournament towel tower town toy track
trade tradition traditional traffic trail train trainer training transfer transition translation
transport transportation trash travel treat treatment tree trend trial trick trip tropical trouble
truck trust truth try tune turn tutor twin twist type typical ugly ultimate umbrella uncle
understanding unfair uniform union unique unit universal university update upper urban use useful
usual vacation valley valuable value van variation variety various vast vegetable vegetarian vehicle
version vet victim victory video view village violence violin virtual virus vision visit visitor
visual vital vocabulary voice volume volunteer vote wage waist wait waiter wake walk wall wallet war
warm warning wash waste watch water wave way weak weakness wealth weapon weather web website wedding
week weekend weekly weight weird welcome west wet wheel whole wide wife wild will win wind window
wine wing winner winter wish witness woman wonder wonderful wood wooden word work worker workout
workplace workshop world worry worth wound writer writing wrong yard year yesterday yoga young youth
zone zoo
"""


@lru_cache(1)
def _stems() -> frozenset[str]:
    return frozenset(map(stem, (*COMMON.split(), *ENGLISH_WORDS))) | CHINESE_WORDS.keys()


def is_common(term: str) -> bool:
    """Tell whether a term is a common Chinese word, or the stem of an English one."""
    return term in _stems()
