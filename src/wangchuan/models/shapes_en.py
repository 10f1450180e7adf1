"""How people state things about themselves in English.

The shapes are written once for "I" and for a name: the placeholders {S}, {am}, {have}, {dont}, {s}
and {my} bend with the person.  Apostrophes are often left out in chat ("im", "dont"), capitals too.
"""

import re
from collections.abc import Mapping

from wangchuan.models.shapes import Shape, compiled, listed
from wangchuan.models.words import ENGLISH_WORDS

_PETS = """
    dog puppy cat kitten hamster rabbit bunny parrot parakeet budgie bird goldfish fish turtle tortoise snake lizard gecko
    horse pony ferret guinea_pig goat axolotl iguana retriever labrador poodle beagle corgi husky greyhound
    bulldog terrier shepherd dachshund chihuahua spaniel collie pitbull pug doodle tabby
"""
_THINGS = """
    car truck van bike bicycle motorcycle motorbike scooter boat sailboat kayak tesla house apartment flat condo cabin farm
    garden guitar piano violin ukulele drum cello camera telescope laptop computer pc console drone tattoo
    brother sister son daughter kid child children twin husband wife girlfriend boyfriend fiance fiancé partner stepson
    stepdaughter grandson granddaughter grandkid grandchild grandchildren
"""
_HOMES = "house|apartment|flat|place|home|condo|dorm|studio"
PETS, OWNED = listed(_PETS), listed(_PETS + _THINGS)
_TRADES = listed(
    """
    teacher nurse doctor physician surgeon dentist vet veterinarian paramedic pharmacist midwife therapist psychologist
    psychiatrist counselor counsellor engineer developer programmer coder designer illustrator artist painter sculptor
    musician singer composer actor actress dancer director producer writer author novelist poet journalist reporter editor
    translator interpreter librarian lawyer attorney judge paralegal accountant auditor banker analyst economist consultant
    manager supervisor administrator secretary receptionist assistant recruiter salesperson salesman marketer realtor broker
    chef cook baker waiter waitress bartender barista butcher farmer gardener carpenter plumber electrician mechanic welder
    builder architect contractor driver trucker pilot sailor soldier marine officer firefighter policeman cop detective guard
    scientist biologist chemist physicist mathematician statistician geologist researcher professor lecturer tutor coach
    trainer photographer videographer filmmaker animator streamer youtuber blogger freelancer entrepreneur founder ceo cto
    student undergrad postdoc intern apprentice janitor cleaner cashier clerk hairdresser barber tailor florist jeweler
    potter stay-at-home_mom stay-at-home_dad homemaker housewife pastor priest rabbi monk astronaut technician operator
    social_worker flight_attendant data_scientist product_manager civil_servant personal_trainer
    """
)
_STATES = listed(
    """
    nervous anxious stressed stressed_out worried tense scared relaxed calm tired exhausted sleepy worn_out burned_out
    burnt_out overwhelmed sad depressed down lonely upset heartbroken angry furious frustrated annoyed happy
    bored sick ill unwell hungover homesick miserable overworked sleep-deprived drained under_the_weather relieved
    """
)
_SHOPS = "business|company|shop|store|cafe|café|restaurant|bakery|studio|startup|farm|bar|gallery|salon|agency|clinic|bookstore|bookshop|practice"
_EVENTS = (
    "interview|appointment|exam|test|final|flight|surgery|operation|presentation|wedding|race|marathon|concert|recital|"
    "deadline|game|match|tournament|date|meeting|checkup|audition|defense"
)
_MONTHS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_DATE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})\b\.?|(?:{_MONTHS})\b\.?(?: the)? \d{{1,2}}(?:st|nd|rd|th)?"
    r"|\d{1,2}/\d{1,2})(?:,? \d{4})?|\d{4}-\d{2}-\d{2}"
)
_SOON = (
    r"(?:tomorrow(?: (?:morning|afternoon|evening|night))?|tonight|later today|this (?:weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|next (?:week|month|year|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    rf"|(?:on|in) (?:{_MONTHS})\b(?: \d{{1,2}}(?:st|nd|rd|th)?)?|in (?:a|two|three|\d+) (?:days?|weeks?|hours?|months?))"
)
_WHEN = (
    r"(?:today|now|right now|lately|recently|these days|this (?:morning|afternoon|evening|week|month)"
    rf"|{_SOON})"
)
FUTURE = re.compile(r"\b(?:tomorrow|tonight|next|in (?:a|two|three|\d+))\b", re.IGNORECASE)
_PADDING = listed(
    """
    really actually just also still now currently absolutely totally definitely genuinely truly honestly personally especially
    particularly recently finally even always kinda sorta kind_of sort_of very_much so only already simply both usually
    typically generally literally officially lately sincerely originally basically mostly
    """
)
LEAD = re.compile(
    rf"(?:(?P<when>{_WHEN})|{_PADDING}|well|so+|oh|ok|okay|yeah|yep|yes|no|nope|nah|hi(?: there)?|hey(?: there)?|hello(?: there)?"
    r"|btw|by the way|fyi|tbh|ngl|to be honest|to be fair|for the record|honestly|in general|nowadays|sorry|sure|like|um+|uh+"
    r"|as i said|like i said|i told you|i already told you|i said|i mean|you know|and|but|also|plus|because|since|anyway|anyways|wait"
    r"|please|last \w+|correction|in fact|the truth is|truth is|fun fact|ah+|haha+|lol|wow|great|thanks|thank you|nice|cool|luckily|sadly"
    r"|unfortunately|my bad|as you know|good morning|good evening|\W)*(?<!\w)",
    re.IGNORECASE,
)
TAIL = (
    r"(?: (?:lol|haha+|tbh|though|too|as well|a lot|so much|very much|at all|anymore|any more|now|these days|lately|right now"
    r"|at the moment|btw|by the way|actually|honestly|for now|again|already|obviously|of course|you know|instead|nowadays"
    r"|currently|still|please|now and then|from time to time|sometimes|every day|more than anything|the most|like crazy|to death|to bits|last (?:\w+)"
    r"|(?:a|two|three|few|couple of|\d+|a few)(?: \w+)? (?:days?|weeks?|months?|years?) ago|yesterday|today|this (?:week|month|year|morning)))*[\s.!…]*"
)
_ANY = r"[^,!?;\n]{1,70}?"
_NAME = r"[^\W\d_][\w'-]*(?: (?-i:[A-Z])[\w'-]*){0,2}"
_COUNT = r"(?:an?|one|two|three|four|five|six|\d{1,2}|several|a few|a couple of|some|my own|a pair of|twin)"

_PARTS = {
    "adv": rf"(?:(?:{_PADDING}),? ){{0,4}}",
    "any": _ANY,
    "tail": TAIL,
    "name": _NAME,
    "pets": PETS,
    "owned": OWNED,
    "homes": _HOMES,
    "date": _DATE,
    "trades": _TRADES,
    "states": _STATES,
    "shops": _SHOPS,
    "events": _EVENTS,
    "when": _WHEN,
    "soon": _SOON,
    "count": _COUNT,
    "plain": r"(?!(?:about|of|for|in|on|to|with|my|your|his|her|the|from|that|who)\b)[\w'-]+",
    "then": r"(?: (?:last|yesterday|today|this|to|and|in|at|as|when|because|after|on|for|a few|two|so)\b.{0,40})?",
    "months": _MONTHS,
}

SHAPES = (
    Shape("name", r"{my} (?:full |real |first |actual )?name(?: is|'?s)(?: actually)? (?P<value>{name})(?: .{0,30})?", "{whose} name is {value}"),
    Shape("nickname", r"{S} go{es} by (?P<value>{name}){tail}", "{who} goes by {value}"),
    Shape("nickname", r"{my} nickname(?: is|'?s) (?P<value>{name}){tail}", "{who} goes by {value}"),
    Shape("birthday", r"{my} (?:birthday|bday|b-day|birth date|date of birth)(?: is|'?s)(?: on| in| actually)* (?P<value>{date}|(?:in )?(?:{months}))(?: .{0,30})?", "{whose} birthday is {value}"),
    Shape("birthday", r"{S} {was}born (?:on )?(?P<value>{date})(?: .{0,40})?", "{who} was born on {value}"),
    Shape("birthday", r"{S} {was}born in (?P<value>(?:(?:{months})(?: of)?,? )?(?:19|20)\d\d)(?: .{0,40})?", "{who} was born in {value}"),
    Shape("age", r"{S}{am} {adv}(?P<value>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -]\w+)?|eighteen|nineteen|sixteen|seventeen)(?: (?:years? old|yrs? old|y/?o|years of age)(?: .{0,40})?){tail}", "{who} is {value} years old"),
    Shape("age", r"{S}{am} {adv}(?P<value>[1-9]\d|thirty|forty|fifty|sixty){tail}", "{who} is {value} years old"),
    Shape("age", r"{S}(?: have|'ve|ve| has)? {adv}turned (?P<value>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty)(?:-\w+)?|eighteen|nineteen){tail}", "{who} is {value} years old"),
    Shape("home", r"{we} {adv}(?:live{s}|reside{s}) (?:(?:alone|here|downtown|happily|now|just|right|close|over|together) )?(?P<at>in|near|outside|outside of|at|on) (?P<value>{any}){tail}", "{who} lives {at} {value}"),
    Shape("home", r"{we}(?:{am}| have been|'ve been| has been) {adv}(?:living|based|located|residing) (?P<at>in|near|outside|at|on) (?P<value>{any}){tail}", "{who} lives {at} {value}"),
    Shape("home", r"{we}(?: have|'ve|ve| has)? {adv}(?:moved|relocated)(?: back| out| house)? (?:to|into) (?P<value>{any}){tail}", "{who} lives in {value}"),
    Shape("home", r"{we}(?: have|'ve|ve| has)? {adv}(?:moved|relocated) from {any} to (?P<value>{any}){tail}", "{who} lives in {value}"),
    Shape("home", r"{my} (?:{homes})(?: is|'?s) {adv}(?P<at>in|near|at|on) (?P<value>{any}){tail}", "{who} lives {at} {value}"),
    Shape("origin", r"{S}{am} {adv}from (?P<value>{any}){tail}", "{who} is from {value}"),
    Shape("origin", r"{S} {adv}(?:come{s}|hail{s}) {adv}from (?P<value>{any}){tail}", "{who} comes from {value}"),
    Shape("origin", r"{S} (?:{was}born and raised|grew up) (?P<at>in|on|near) (?P<value>{any}){tail}", "{who} grew up {at} {value}"),
    Shape("employer", r"{S} {adv}(?:work{s}|{was}working) {adv}(?:\w+-time )?(?P<at>at|for) (?P<value>{any}){tail}", "{who} works {at} {value}"),
    Shape("employer", r"{S}{am} {adv}(?:working|employed|interning) (?P<at>at|for|by) (?P<value>{any}){tail}", "{who} works {at} {value}"),
    Shape("employer", r"{S}(?: have|'ve|ve| has)?(?: been)? {adv}(?:started(?: working)?|got|landed|took|accepted|begun?|working) (?:(?:a|my|the|his|her|their) (?:new |great )?(?:job|position|role) )?(?P<at>at|with|for) (?P<value>{any}){tail}", "{who} works at {value}"),
    Shape("employer", r"{S} {adv}joined (?P<value>(?-i:[A-Z]){any}){tail}", "{who} works at {value}"),
    Shape("employer", r"{S} {adv}(?P<value>quit|left|lost) (?:my|his|her|their) job{then}{tail}", "{who} {value} their job", "none"),
    Shape("employer", r"{S}{am} {adv}(?P<value>retired|unemployed|between jobs){tail}", "{who} is {value}", "none"),
    Shape("employer", r"{S} {adv}(?:got|was|have been|'ve been) (?P<value>laid off|fired)(?: .{0,40})?", "{who} was {value}", "none"),
    Shape("occupation", r"{S} {adv}(?:work{s}|{was}working)(?: full-time| part-time)? as (?P<value>(?:an? |the )?{any}){tail}", "{who} works as {value}"),
    Shape("occupation", r"{S} {adv}work{s} in (?P<value>(?:marketing|finance|sales|it|tech|hr|retail|construction|healthcare|education|hospitality|advertising|banking|publishing|logistics|real estate|insurance|research|biotech|fintech|software|film|fashion)(?: .{0,30}?)?){tail}", "{who} works in {value}"),
    Shape("occupation", r"{S}{am} {adv}(?P<value>an? (?:[\w-]+ ){0,4}(?:{trades})(?:(?: at| for| in| on| from| by) .{1,40})?){tail}", "{who} is {value}"),
    Shape("occupation", r"{my} (?:job|profession|occupation|day job)(?: is|'?s) (?:to be )?(?P<value>(?:an? )?(?:[\w-]+ ){0,4}(?:{trades})(?:(?: at| for| in) .{1,40})?){tail}", "{whose} job is {value}"),
    Shape("occupation", r"{S} {adv}teach{es} (?P<value>(?!me\b){any}){tail}", "{who} teaches {value}"),
    Shape("occupation", r"{S} {adv}(?P<verb>run|own|manage){s} (?P<value>(?:an?|my own) (?:[\w-]+ ){0,3}(?:{shops})(?: .{1,30})?){tail}", "{who} {verb}s {value}"),
    Shape("major", r"{S}{am} {adv}(?:studying|majoring in|doing a (?:degree|phd|master's) in) (?!for\b|hard\b)(?P<value>{any}){tail}", "{who} studies {value}"),
    Shape("major", r"{S} {adv}(?:stud(?:y|ies)|major{s} in) (?!for\b|hard\b)(?P<value>{any}){tail}", "{who} studies {value}"),
    Shape("school", r"{S} {adv}(?:go{es} to|attend{s}) (?P<value>(?:[\w.'-]+ ){0,4}(?:university|college|high school|law school|med(?:ical)? school|grad(?:uate)? school|academy)(?: .{0,30}?)?){tail}", "{who} attends {value}"),
    Shape("grade", r"{S}{am} (?:in|at) (?P<value>(?:my|his|her|their) (?:first|second|third|fourth|final|last|senior|junior|sophomore|freshman) year(?: (?:of|at) .{1,40}?)?|(?:law|med|medical|grad|graduate|high|middle|nursing) school|college|university){tail}", "{who} is in {value}"),
    Shape("diet", r"{S}{am} {adv}(?:an? )?(?P<value>vegetarian|vegan|pescatarian|gluten[- ]free|teetotal(?:er)?|celiac|coeliac){tail}", "{who} is {value}"),
    Shape("health", r"{S}{am} {adv}(?:deathly |severely |very |mildly |highly )?allergic to (?P<thing>{any}){tail}", "{who} is allergic to {thing}", "allergic"),
    Shape("health", r"{S}(?: have|'ve got|'ve| got| has) (?P<noun>(?:an? )?(?P<thing>(?:type (?:1|2|one|two) )?diabetes|asthma|migraines?|insomnia|adhd|dyslexia|eczema|arthritis|epilepsy|celiac disease|high blood pressure|(?:[\w-]+ )?(?:allergy|allergies)))(?: to .{1,20})?{tail}", "{who} has {noun}", "has"),
    Shape("health", r"{S}{am} {adv}(?P<thing>lactose[- ]intolerant|diabetic|colou?r[- ]?blind|dyslexic|near-?sighted|left-handed|pregnant|deaf|asthmatic){tail}", "{who} is {thing}", "has"),
    Shape("favourite", r"{my} (?:all-time |absolute |personal )*(?:favou?rite|fave|fav) (?P<thing>[\w -]{1,30}?)(?P<be> is|'s| are|'s got to be| has to be| has always been)(?: definitely| probably| still| actually)* (?P<value>{any}){tail}", "{whose} favourite {thing} {is} {value}"),
    Shape("taste", r"{S} {adv}(?:{dont}|never) {adv}(?P<verb>like|love|enjoy|eat|drink|watch|care for){s}? (?P<thing>{any}){tail}", "{who} does not {verb} {thing}", "dislikes"),
    Shape("taste", r"{S} {adv}(?P<verb>hate|dislike|despise|detest|loathe){s} (?P<thing>{any}){tail}", "{who} {verb}s {thing}", "dislikes"),
    Shape("taste", r"{S} {adv}(?:can'?t stand|cannot stand|can'?t bear|couldn'?t stand) (?P<thing>{any}){tail}", "{who} can't stand {thing}", "dislikes"),
    Shape("taste", r"{S}{am} {adv}not (?:really |exactly )?(?:a (?:big |huge )?fan of|into|fond of|keen on) (?P<thing>{any}){tail}", "{who} is not fond of {thing}", "dislikes"),
    Shape("taste", r"{S}{am} {adv}(?:really )?(?:scared|afraid|terrified) of (?P<thing>{any}){tail}", "{who} is afraid of {thing}", "dislikes"),
    Shape("taste", r"{S} {adv}(?P<verb>love|like|enjoy|adore){s} (?P<thing>{any}){tail}", "{who} {verb}s {thing}", "likes"),
    Shape("taste", r"{S}(?: have|'ve|ve| has) always (?P<verb>love|like|enjoy|adore)d (?P<thing>{any}){tail}", "{who} {verb}s {thing}", "likes"),
    Shape("taste", r"{S} {adv}(?P<verb>prefer){s} (?P<thing>[^,!?;\n]{1,40}?)(?P<rest> (?:over|to|rather than) .{1,40}?)?{tail}", "{who} prefers {thing}{rest}", "likes"),
    Shape("taste", r"{S}{am} {adv}an? (?:really |super )?(?:big |huge |massive |total |lifelong |diehard |major )?(?:fan of|lover of) (?P<thing>{any}){tail}", "{who} is a fan of {thing}", "likes"),
    Shape("taste", r"{S}{am} {adv}an? (?:big |huge |massive |total |lifelong |diehard |major )?(?P<thing>[\w -]{2,30}?) (?:fan|lover|enthusiast|addict|nerd|buff){tail}", "{who} is a {thing} fan", "likes"),
    Shape("taste", r"{S}(?:{am}|'ve been| have been| has been) {adv}(?:into|obsessed with|addicted to|hooked on|passionate about|crazy about|fond of|keen on) (?P<thing>{any}){tail}", "{who} is into {thing}", "likes"),
    Shape("taste", r"{my} (?:main |biggest )?(?:hobby|passion|hobbies)(?: is|'?s| are) (?P<thing>{any}){tail}", "{who} likes {thing}", "likes"),
    Shape("possession", r"{we}(?:{have}|{have} got| got| {adv}own{s}| {adv}bought| {adv}adopted| {adv}rescued| {adv}got)(?: now| just| also| actually)?(?: myself)? (?P<noun>{count} (?:{plain} ){0,4}?(?P<thing>{owned})(?:e?s)?(?: (?:named|called) {name}(?: and {name})?)?)(?: (?:at home|now|and|with|who|that|from|since|in(?! this))\b.{0,60})?{tail}", "{who} has {noun}", "has"),
    Shape("possession", r"{we} {adv}own{s} (?P<noun>{count} (?P<thing>[\w' -]{2,40}?)){tail}", "{who} owns {noun}", "has"),
    Shape("possession", r"{S} {adv}drive{s} (?P<noun>an? (?=.*(?-i:[A-Z\d])|.*\b(?:car|truck|van|suv|minivan|pickup|sedan|bus|taxi|jeep|motorcycle|lorry)\b)(?P<thing>[\w'. -]{2,30}?))(?: (?:that|which|to|for|and|from)\b.{0,60})?{tail}", "{who} drives {noun}", "has"),
    Shape("possession", r"{my} (?P<thing>car|truck|bike|motorcycle|laptop|phone|guitar|camera)(?: is|'?s) (?P<noun>an? (?=.*(?-i:[A-Z\d])){any}){tail}", "{whose} {thing} is {noun}", "has"),
    Shape("called", r"{my} (?:[\w-]+ ){0,2}(?P<thing>{pets})(?:'s name is| is called| is named|'s called|'s named|s name is) (?P<value>{name})(?: .{0,30})?", "{whose} {thing} is called {value}"),
    Shape("possession", r"{S} {adv}(?P<value>sold|crashed|totaled|lost|gave away|got rid of|wrecked) (?:my|his|her|their) (?:{plain} ){0,2}?(?P<thing>{owned}){then}{tail}", "{who} {value} their {thing}", "ended"),
    Shape("possession", r"{my} (?:{plain} ){0,2}?(?P<thing>{pets})(?: \w+)? (?P<value>died|passed away|ran away|is dead|is gone|has passed)(?: .{0,40})?", "{whose} {thing} {value}", "ended"),
    Shape("possession", r"{my} (?:{plain} ){0,2}?(?P<thing>{owned}) (?P<value>was stolen|got stolen|has been stolen)(?: .{0,40})?", "{whose} {thing} {value}", "ended"),
    Shape("possession", r"{S} (?:no longer have|no longer has|no longer own) (?:an?|the|my|any) (?P<thing>{owned})s?(?: any ?more)?{tail}", "{who} no longer has a {thing}", "ended"),
    Shape("state", r"{S}(?:{am}| {adv}feel{s}|{am} {adv}feeling|'ve been feeling| have been feeling|'ve been| have been) {adv}(?:so |really |very |pretty |super |a bit |a little |kind of |quite |extremely |too )*(?P<thing>{states})(?: (?P<when>{when}))?(?: (?:about|because|after|from|and)\b(?!.*\byou\b).{0,60})?{tail}", "{who} is {thing}{at_when}", "is"),
    Shape("plan", r"{S}(?:{have}|{have} got| got) (?P<thing>(?:an?|my|the) (?:[\w'-]+ ){0,3}?(?:{events})(?: (?:with|at|for) [\w' ]{1,30}?)?) (?P<when>{soon})(?: .{0,40})?", "{who} has {thing} {when}", "will"),
    Shape("plan", r"{S}{am} {adv}(?P<thing>(?:flying|going|travell?ing|moving|starting|getting married|visiting|meeting|leaving|having|running|taking|heading|driving|hosting|seeing)\b[^,!?;\n]{0,50}?) (?P<when>{soon})(?: .{0,40})?", "{who} is {thing} {when}", "will"),
)  # fmt: skip
_WHO = r"(?P<who>the user|[^\s,]{1,24}(?: (?-i:[A-Z])[^\s,]{0,24}){0,2})"
SPOKEN = compiled(
    SHAPES,
    {"S": "i", "we": "(?:i|we)", "am": "(?: am|'?m| are|'re)", "have": "(?: have|'?ve)", "dont": "(?:don'?t|do not|didn'?t)", "was": "was ",
     "s": "", "es": "", "my": "my", **_PARTS},
)  # fmt: skip
STORED = compiled(
    SHAPES,
    {"S": _WHO, "we": _WHO, "am": "(?: is|'s)", "have": "(?: has| have)", "dont": "(?:doesn'?t|does not|don't)", "was": "(?:was |is )",
     "s": "s?", "es": "(?:es)?", "my": f"{_WHO}'s?", **_PARTS},
)  # fmt: skip
GREETED = re.compile(r"\s*(?:hi|hello|hey|good (?:morning|evening|afternoon))\b", re.IGNORECASE)
I_AM_NAME = re.compile(r"I(?: am|'?m) (?P<value>(?-i:[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?))(?: (?:and|from|by)\b.*|[\s.!])*\Z", re.IGNORECASE)
CALL_ME = re.compile(
    r"(?:you can |everyone |people |(?:most )?folks |friends |my friends )?(?:just |all )?(?:call|calls) me (?P<value>(?-i:[A-Z])[\w'-]{1,20}(?: (?-i:[A-Z])[\w'-]+)?)(?: .{0,30})?\Z",
    re.IGNORECASE,
)
PROMISE = re.compile(
    r"i (?:promise|swear|vow)(?: you)?,?(?: that)? (?P<what>(?:i'?ll|i will|i won'?t|i will not|to(?! god)|not to|never to) .+)\Z",
    re.IGNORECASE,
)
OFFER = re.compile(
    r"i(?:'ll| will) (?:be sure to |make sure to |definitely |certainly |gladly )?(?P<what>(?:remind|wake|ping|notify) you .+)\Z",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"(?P<before>(?:i|my .{1,30}))(?P<verb>(?: am|'?m)? not|(?: is|'s)(?: not|n't)| isn'?t| do(?:n'?t| not)) (?P<rest>.{1,60})\Z",
    re.IGNORECASE,
)

_POINTING = re.compile(
    r"\b(?:it|this|that|these|those|you|your|yours|u|ur|him|her|hers|them|his|he|she|they|their|theirs|our|ours|here|there|same|one|ones|mine|we|us|who|what"
    r"|how|when|where|why|everything|anything|nothing|something|someone|anyone|everyone|people who|way|idea|sound of)\b",
    re.IGNORECASE,
)
_DEFINITE = re.compile(
    r"^the (?!(?:ocean|sea|beach|mountains?|outdoors?|rain|snow|cold|heat|sun|countryside|city|night|theat(?:re|er)|gym|dark|water"
    r"|forest|winter|summer|fall|autumn|spring|internet|violin|piano|guitar|stars|moon|desert|taste|smell|holidays)\b|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_SAYING = re.compile(
    r"^(?:to (?:say|admit|break|bother|ask|interrupt|be\b|see|hear|think|know|disappoint|complain|brag)|hearing|seeing|being able|knowing"
    r"|to\b$|not|up|me|myself|before|after|alone|enough|well|and|or|out|late|at|in|on|with|just|so|a lot$|much$|very|every (?:minute|second|bit)|both|all|each|some$|any$|most of|my (?:chances|odds))\b",
    re.IGNORECASE,
)
_ADJECTIVES = "|".join(word for word, tag in ENGLISH_WORDS.items() if tag == "adj")
# "a safe" is left of "a safe, welcoming place"; "a huge fan" is a fan of nothing.
_CUT_SHORT = re.compile(rf"\b(?:an?|the|my|some|so|very) (?:{_ADJECTIVES})$|^(?:big|huge|massive|total|great|major|real|such)$", re.IGNORECASE)
# One lives where a name is, or in one of these.
_PLACE = re.compile(
    r"(?-i:[A-Z])|\b(?:town|city|village|countryside|suburbs?|apartment|house|flat|dorms?|cabin|farm|studio|island|mountains"
    r"|coast|downtown|trailer|basement|neighbou?rhood|ranch|campus|boat|street|avenue|beach|hospital|school|university"
    r"|company|firm|startup|bakery|caf[eé]|restaurant|shop|store|bank|clinic|library|museum|hotel|factory|lab|agency|bar"
    r"|office|studio|nonprofit|charity|newspaper|bookstore|warehouse|airport|gym|salon|zoo|farm|kindergarten|daycare|pharmacy)\b",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(
    r"^(?:the (?:edge|moment|past|present|now|future|same|clouds?|middle)|a (?:world|dream|bubble|simulation|long line|new desk)"
    r"|my\b|our\b|mars\b|the moon|atlantis|hr\b|it\b|qa\b|pr\b|sales|accounting|marketing|finance|legal|support|the (?:it|hr))",
    re.IGNORECASE,
)
_NO_ALLERGY = re.compile(
    r"^(?:nonsense|stupidity|mondays?|work|bullshit|bs|drama|people|exercise|fun|mornings?|responsibility|commitment|boredom)\b",
    re.IGNORECASE,
)
_NOT_NAMES = frozenset(
    """
    back later tomorrow maybe not so very really just hard spelled pronounced on in at a an the from going sorry happy sad glad here
    there done fine good great okay ok ready sure afraid new old late tired sick also still now currently busy interested looking
    trying based still catholic christian muslim jewish hindu buddhist american british chinese french german spanish italian indian
    canadian australian mexican japanese korean irish scottish dutch russian gay straight bi trans taken too long short everywhere when
    bond batman superman god santa nobody legion inigo
    """.split()
)  # fmt: skip


def fits(shape: Shape, found: Mapping[str, str], spoken: bool) -> bool:
    """Tell whether what a shape caught can be meant as its slot says."""
    caught = [found.get(name) or "" for name in ("value", "thing", "noun")]
    if spoken and any(_POINTING.search(text) for text in caught if text):
        return False
    if spoken and shape.slot != "plan" and FUTURE.search(found.get("when") or ""):
        return False
    check = _CHECKS.get(shape.slot)
    return check is None or check(found)


def _is_name(found: Mapping[str, str]) -> bool:
    first = found["value"].split()[0].lower()
    return first not in _NOT_NAMES and ENGLISH_WORDS.get(first) in (None, "noun", "name", "verb", "time")


def _is_place(found: Mapping[str, str]) -> bool:
    """Tell whether a value sounds like a place; who writes no capitals may name one word."""
    value = found["value"]
    one_word = found.get("lower") and " " not in value and value not in ENGLISH_WORDS
    return not _NO_PLACE.match(value) and bool(_PLACE.search(value) or one_word)


def _is_employer(found: Mapping[str, str]) -> bool:
    return "at" not in found or _is_place(found)


def _is_allergy(found: Mapping[str, str]) -> bool:
    return not _NO_ALLERGY.match(found["thing"])


def _is_liked(found: Mapping[str, str]) -> bool:
    thing = found["thing"]
    return not (_DEFINITE.match(thing) or _SAYING.match(thing) or _CUT_SHORT.search(thing))


def _is_age(found: Mapping[str, str]) -> bool:
    value = found["value"]
    return not value.isdigit() or 3 <= int(value) <= 120


def _is_job(found: Mapping[str, str]) -> bool:
    return not re.match(r"(?:(?:a|an|the) )?(?:team|whole|unit|group|result|usual|well)\b|.* at home\b", found["value"])


_CHECKS = {
    "name": _is_name,
    "nickname": _is_name,
    "called": _is_name,
    "home": _is_place,
    "employer": _is_employer,
    "health": _is_allergy,
    "origin": _is_place,
    "taste": _is_liked,
    "age": _is_age,
    "occupation": _is_job,
}

_WHOLE = frozenset({"fish and chips", "rock and roll", "mac and cheese", "salt and pepper", "drum and bass", "arts and crafts"})
_AND = re.compile(r" and | & | or (?=\w)")
_DOING = re.compile(r"^(?:(?:to )?(?:eat|drink|watch|play|read|go|listen(?:ing)? to|cook|do)(?:ing)?|the|an?|some|my|their) ")
_LIST_WORDS = 3
# A list in a list, a thing done with somebody, or one act after another.
_ONE_WHOLE = re.compile(r"^to |\b(?:with|my|between|like|such as|including|from|sometimes|then)\b", re.IGNORECASE)


def things(text: str) -> list[str]:
    """Return the things a list names, or the whole if its parts do not stand alone."""
    parts = [part.strip() for part in _AND.split(text)]
    short = all(0 < len(part.split()) <= _LIST_WORDS for part in parts)
    whole = text.lower() in _WHOLE or _ONE_WHOLE.search(text) or _shares_head(parts)
    return parts if short and not whole else [text]


def _shares_head(parts: list[str]) -> bool:
    """Tell whether the last part completes the others ("sunny and warm weather")."""
    first, *_, last = [*parts, ""] if len(parts) == 1 else parts
    bare_first = " " not in first and (first[:1].isupper() or ENGLISH_WORDS.get(first.lower()) == "adj")
    return bare_first and " " in last


def bare(text: str) -> str:
    """Return a thing without article, verb and plural, to be compared."""
    text = _DOING.sub("", _DOING.sub("", text.casefold())).strip(" .!")
    return text[:-1] if len(text) > 3 and text.endswith("s") and not text.endswith("ss") else text


_SWAPS = (
    (r"\bi'?m\b|\bi am\b", "they are"),
    (r"\bmy\b", "their"),
    (r"\bmyself\b", "themselves"),
    (r"\bme\b", "them"),
    (r"\bi\b", "they"),
    (r"\byours?\b", "{you}'s"),
    (r"\byou\b", "{you}"),
)


def swapped(text: str, you: str) -> str:
    """Return what a speaker said in the third person, with the other one named."""
    for pattern, to in _SWAPS:
        text = re.sub(pattern, to.replace("{you}", you.replace("\\", "")), text, flags=re.IGNORECASE)
    return text


def promised(what: str) -> str:
    """Turn "I'll go", "I won't go" and "to go" into "to go" and "not to go"."""
    what = re.sub(r"^i(?:'?ll| will not| will| won'?t) ", lambda found: "not to " if "n" in found[0].lower() else "to ", what, flags=re.IGNORECASE)
    return what.rstrip(" .!")


def polished(text: str) -> str:
    """Return a written fact with "my" and "me" in the third person."""
    for first, third in ((r"\bmy\b", "their"), (r"\bmyself\b", "themselves"), (r"\bme\b", "them")):
        text = re.sub(first, third, text, flags=re.IGNORECASE)
    return text
