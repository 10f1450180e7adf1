"""How people state things about themselves in English.

The shapes are written once for "I" and for a name: the placeholders {S}, {am}, {have}, {dont}, {s}
and {my} bend with the person.  Apostrophes are often left out in chat ("im", "dont"), capitals too.
"""

import re
from functools import cache

from wangchuan.language.dates.coming import ISO
from wangchuan.language.facts.shapes import Reading, Shape, compiled, listed
from wangchuan.patterns import regex

_PETS = """
    dog puppy cat kitten hamster rabbit bunny parrot parakeet budgie bird goldfish fish turtle
    tortoise snake lizard gecko horse pony ferret guinea_pig goat axolotl iguana retriever
    labrador poodle beagle corgi husky greyhound bulldog terrier shepherd dachshund chihuahua
    spaniel collie pitbull pug doodle tabby
"""
_THINGS = """
    car truck van bike bicycle motorcycle motorbike scooter boat sailboat kayak tesla house
    apartment flat condo cabin farm garden guitar piano violin ukulele drum cello camera
    telescope laptop computer pc console drone tattoo
"""
_KIN = """
    brother sister son daughter kid child children twin husband wife girlfriend boyfriend gf bf
    fiance fiancé partner stepson stepdaughter grandson granddaughter grandkid grandchild
    grandchildren mom mum mother dad father parents grandma grandpa grandmother grandfather
    mother-in-law father-in-law uncle aunt cousin niece nephew ex friend roommate flatmate
    neighbor neighbour classmate colleague coworker co-worker boss manager supervisor advisor
    adviser mentor tutor teacher coach doctor landlord client customer supplier vendor cofounder
    co-founder teammate lead product_manager project_manager team_lead
"""
OURS = (
    "database|db|back ?end|front ?end|stack|framework|api|server|deadline|launch|release|date"
    "|project|app|product|company|team|startup|repo|repository|branch|codename|budget|port|domain|website"
    "|cache|meeting|demo|e-?mail|number|address|docs|documentation|contract|contact|payment|login|office"
    "|headquarters|version|environment|platform|system|kick-?off|sprint|account|invoice|quote|shop"
    "|group|department|code|codebase|price|fee|goal|files?|data|colou?r|criterion|budget|rent|flight|topic"
)
# How a thing is set up: a participle and where, with what, by when.
_SET = (
    r"(?:is|are) (?:on|at)(?= (?:the )?\d| (?-i:[A-Z]))"
    r"|(?:is|are)(?: now| currently| all)? (?:called|named|codenamed|written|built|deployed|hosted"
    r"|based|set|due|kept|stored|located|scheduled|planned|made|done|paid|moved|saved|served|run)"
    r"(?: (?:in|on|at|with|for|to|from|by|until|as))?|runs? on|lives? (?:in|on)|goe?s? to|uses"
    r"|costs?|ends (?:on|in)|starts (?:on|in|at)|expires (?:on|in|at)|runs out (?:on|in|at)|takes"
)
_HOMES = "house|apartment|flat|place|home|condo|dorm|studio"
PETS, KIN, OWNED = listed(_PETS), listed(_KIN), listed(_PETS + _THINGS + _KIN)
_TRADES = listed(
    """
    teacher nurse doctor physician surgeon dentist vet veterinarian paramedic pharmacist midwife
    therapist psychologist psychiatrist counselor counsellor engineer developer programmer coder
    designer illustrator artist painter sculptor musician singer composer actor actress dancer
    director producer writer author novelist poet journalist reporter editor translator
    interpreter librarian lawyer attorney judge paralegal accountant auditor banker analyst
    economist consultant manager supervisor administrator secretary receptionist assistant
    recruiter salesperson salesman marketer realtor broker chef cook baker waiter waitress
    bartender barista butcher farmer gardener carpenter plumber electrician mechanic welder
    builder architect contractor driver trucker pilot sailor soldier marine officer firefighter
    policeman cop detective guard scientist biologist chemist physicist mathematician
    statistician geologist researcher professor lecturer tutor coach trainer photographer
    videographer filmmaker animator streamer youtuber blogger freelancer entrepreneur founder
    ceo cto student undergrad postdoc intern apprentice janitor cleaner cashier clerk
    hairdresser barber tailor florist jeweler potter stay-at-home_mom stay-at-home_dad homemaker
    housewife pastor priest rabbi monk astronaut technician operator social_worker
    flight_attendant data_scientist product_manager civil_servant personal_trainer
    """
)
STATES = listed(
    """
    nervous anxious stressed stressed_out worried tense scared relaxed calm tired exhausted
    sleepy worn_out burned_out burnt_out overwhelmed sad depressed down lonely upset heartbroken
    angry furious frustrated annoyed happy bored sick ill unwell hungover homesick miserable
    overworked sleep-deprived drained under_the_weather relieved in_hospital in_the_hospital
    """
)
_SHOPS = (
    "business|company|shop|store|cafe|café|restaurant|bakery|studio|startup|farm|bar|gallery"
    "|salon|agency|clinic|bookstore|bookshop|practice"
)
_EVENTS = (
    "interview|appointment|exam|test|final|flight|surgery|operation|presentation|wedding|race"
    "|marathon|concert|recital|deadline|game|match|tournament|date|meeting|checkup|audition|defense"
)
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DATE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})\b\.?|(?:{_MONTHS})\b\.?"
    rf"(?: the)? \d{{1,2}}(?:st|nd|rd|th)?"
    r"|\d{1,2}/\d{1,2})(?:,? \d{4})?|\d{4}-\d{2}-\d{2}"
)
_SOON = (
    r"(?:tomorrow(?: (?:morning|afternoon|evening|night))?|tonight|later today|this (?:weekend"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|next (?:week|month|year|weekend|(?:mon|tues"
    r"|wednes|thurs|fri|satur|sun)day)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    rf"|(?:on|in) (?:{_MONTHS})\b(?: \d{{1,2}}(?:st|nd|rd|th)?)?|in (?:a|two|three|\d+) (?:days?"
    rf"|weeks?|hours?|months?)|(?:on|in) {ISO})"
)
_NOW = (
    "(?:today|right now|now|lately|recently|these days"
    "|this (?:morning|afternoon|evening|week|month))"
)
_WHEN = f"(?:{_NOW}|{_SOON})"
FUTURE = regex(r"\b(?:tomorrow|tonight|next|in (?:a|two|three|\d+))\b", re.IGNORECASE)
_PADDING = listed(
    """
    really actually just also still now currently absolutely totally definitely genuinely truly
    honestly personally especially particularly recently finally even kinda sorta kind_of sort_of
    very_much so only already simply both usually typically generally literally officially lately
    sincerely originally basically mostly
    """
)
LEAD = regex(
    rf"(?:(?:(?P<when>{_WHEN})|{_PADDING}|well|so+|oh|ok|okay|yeah|yep|yes|no|nope|nah"
    r"|hi(?: there)?"
    rf"|hey(?: there)?|hello(?: there)?"
    r"|btw|by the way|fyi|tbh|ngl|to be honest|to be fair|for the record|honestly|in general"
    r"|nowadays|sorry|sure|like|um+|uh+|as i said|like i said|i told you|i already told you|i said"
    r"|i mean|you know|and|but|also|plus|because|since|anyway|anyways|wait|please|last \w+"
    r"|correction|in fact|the truth is|truth is|fun fact|ah+|haha+|lol|wow|great|thanks|thank you"
    r"|nice|cool|luckily|sadly|unfortunately|my bad|as you know|good morning|good evening)\b|\W)*",
    re.IGNORECASE,
)
SUBJECT = regex(
    rf"(?P<who>(?:i|we)(?: am|'?m| are|'re|(?:'?ve| have)(?: been)?)?(?= ))"
    rf"(?P<adv>(?: (?:{_PADDING})\b,?){{0,4}})",
    re.IGNORECASE,
)
TAIL = regex(
    r"(?: (?:lol|haha+|tbh|though|too|as well|a lot|so much|very much|at all|anymore|any more"
    r"|at the moment|btw|by the way|actually|honestly|for now|again|already|obviously|of course"
    r"|after all|you know|instead|nowadays|over here|currently|still|please|now and then"
    r"|from time to time"
    r"|sometimes|every day|more than anything|the most|like crazy|to death|to bits|last \w+"
    r"|(?:a|two|three|few|couple of|\d+|a few)(?: \w+)? (?:days?|weeks?|months?|years?) ago"
    rf"|yesterday|this year|(?P<when>{_NOW}))){{1,6}}[\s.!…]*\Z|(?<![\s.!…])[\s.!…]+\Z",
    re.IGNORECASE,
)
_ANY = r"(?:[^,!?;\n]|,(?=\d{3})){1,70}?"
_NAME = r"[^\W\d_][\w'-]*(?: (?-i:[A-Z])[\w'-]*){0,2}"
_COUNT = (
    r"(?:an?|one|two|three|four|five|six|\d{1,2}|several|a few|a couple of|some|my own|a pair of"
    r"|twin)"
)

_PARTS = {
    "any": _ANY,
    "name": _NAME,
    "pets": PETS,
    "owned": OWNED,
    "kin": KIN,
    "proper": r"(?-i:(?:(?:Dr|Mr|Mrs|Ms|Prof)\. )?[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)",
    "ours": OURS,
    "set": _SET,
    "homes": _HOMES,
    "date": _DATE,
    "trades": _TRADES,
    "states": STATES,
    "shops": _SHOPS,
    "events": _EVENTS,
    "soon": _SOON,
    "when": _WHEN,
    "count": _COUNT,
    "plain": r"(?!(?:about|of|for|in|on|to|with|my|your|his|her|the|from|that|who)\b)[\w'-]+",
    "then": r"(?: (?:last|yesterday|today|this|to|and|in|at|as|when|because|after|on|for|a few"
    r"|two|so)\b.{0,40})?",
    "since": r"(?: (?:back )?in (?:(?:{months})\b(?:,? (?:19|20)\d\d)?|(?:19|20)\d\d))?",
    "months": _MONTHS,
}

SHAPES = (
    Shape("kin", "{value} is {whose} {thing}",
          r"(?P<value>{proper})(?: is|'s) {our} (?P<thing>(?:[\w-]+ ){0,2}?(?:{kin}|{trades}))"
          r"{tail}"),
    Shape("kin", "{value} is {whose} {thing}",
          r"{our} (?P<thing>(?:[\w-]+ ){0,2}?(?:client|customer|supplier|vendor))(?: is|'s) "
          r"(?P<value>{any}){tail}"),
    Shape("standing", "{who} asks: {thing}", r"{S} asks: (?P<thing>.{1,120})", "wish"),
    Shape("called", "{whose} {thing} is called {value}",
          r"{our} (?:[\w-]+ ){0,2}?(?P<thing>{pets}|{kin})(?:'s name is| is called| is named|'s "
          r"called|'s named|s name is| is(?= (?-i:[A-Z]))) (?P<value>{name})(?: .{0,30})?"),
    Shape("name", "{whose} name is {value}",
          r"{my} (?:full |real |first |actual )?name(?: is|'?s)(?: actually)? (?P<value>{name})(?: "
          r".{0,30})?"),
    Shape("name", "{whose} name is {value}",
          r"{S}(?: have|'ve|ve| has)? {adv}(?:legally )?changed (?:my|his|her|their) (?:first )"
          r"?name to (?P<value>{name}){since}{tail}"),
    Shape("nickname", "{who} goes by {value}", r"{S} go{es} by (?P<value>{name}){tail}"),
    Shape("nickname", "{who} goes by {value}", r"{my} nickname(?: is|'?s) (?P<value>{name}){tail}"),
    Shape("birthday", "{whose} birthday is {value}",
          r"{my} (?:birthday|bday|b-day|birth date|date of birth)(?: is|'?s)(?: on| in| actually)* "
          r"(?P<value>{date}|(?:in )?(?:{months}))(?: .{0,30})?"),
    Shape("birthday", "{who} was born on {value}",
          r"{S} {was}born (?:on )?(?P<value>{date})(?: .{0,40})?"),
    Shape("birthday", "{who} was born in {value}",
          r"{S} {was}born in (?P<value>(?:(?:{months})(?: of)?,? )?(?:19|20)\d\d)(?: .{0,40})?"),
    Shape("age", "{who} is {value} years old",
          r"{S}{am} {adv}(?P<value>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty"
          r"|ninety)(?:[ -]\w+)?|eighteen|nineteen|sixteen|seventeen|one|two|three|four|five|six"
          r"|seven|eight|nine|ten|eleven|twelve)(?: (?:years? old|yrs? old|y/?o|years of age)(?: "
          r".{0,40})?){tail}"),
    Shape("age", "{who} is {value} years old",
          r"{S}{am} {adv}(?P<value>[1-9]\d|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty"
          r"|ninety)(?:-\w+)?){tail}"),
    Shape("age", "{who} is {value} years old",
          r"{S}(?: have|'ve|ve| has)? {adv}turned (?P<value>\d{1,3}|(?:twenty|thirty|forty|fifty"
          r"|sixty|seventy|eighty)(?:-\w+)?|eighteen|nineteen){tail}"),
    Shape("home", "{who} lives {at} {value}",
          r"{we}(?:(?: have|'ve| has) {adv}lived| {adv}(?:live{s}|reside{s})) (?:(?:alone|here|out"
          r"|downtown|happily|now|just|right|close|over|together) )?(?P<at>in|near|outside|outside "
          r"of|at|on) (?P<value>{any})(?: with (?:my|our) {any})?{tail}"),
    Shape("home", "{who} lives {at} {value}",
          r"{we}(?:{am}| have been|'ve been| has been) {adv}(?:living|based|located|residing) "
          r"(?P<at>in|near|outside|at|on) (?P<value>{any}){tail}"),
    Shape("home", "{who} lives in {value}",
          r"{we}(?: have|'ve|ve| has)? {adv}(?:moved|relocated)(?: back| out| house)? (?:to|into) "
          r"(?P<value>{any}){since}{tail}"),
    Shape("home", "{who} lives in {value}",
          r"{we}(?: have|'ve|ve| has)? {adv}(?:moved|relocated) from {any} to (?P<value>{any})"
          r"{since}{tail}"),
    Shape("home", "{who} lives {at} {value}",
          r"{my} (?:{homes})(?: is|'?s) {adv}(?P<at>in|near|at|on) (?P<value>{any}){tail}"),
    Shape("origin", "{who} is from {value}", r"{S}{am} {adv}from (?P<value>{any}){tail}"),
    Shape("origin", "{who} comes from {value}",
          r"{S} {adv}(?:come{s}|hail{s}) {adv}from (?P<value>{any}){tail}"),
    Shape("origin", "{who} grew up {at} {value}",
          r"{S} (?:{was}born and raised|grew up) (?P<at>in|on|near) (?P<value>{any}){tail}"),
    Shape("employer", "{who} works {at} {value}",
          r"{S} {adv}(?:work{s}|{was}working) {adv}(?:\w+-time )?(?P<at>at|for) (?P<value>{any})"
          r"{tail}"),
    Shape("employer", "{who} works {at} {value}",
          r"{S}{am} {adv}(?:working|employed|interning) (?P<at>at|for|by) (?P<value>{any}){tail}"),
    Shape("employer", "{who} works at {value}",
          r"{S}(?: have|'ve|ve| has)?(?: been)? {adv}(?:started(?: working)?|got|landed|took"
          r"|accepted|begun?|working) (?:(?:a|my|the|his|her|their) (?:new |great )?(?:job|position"
          r"|role) )?(?P<at>at|with|for) (?P<value>{any}){tail}"),
    Shape("employer", "{who} {value} {noun}",
          r"{S}(?: have|'ve)? {adv}(?P<value>quit|left|resigned from) (?P<noun>(?-i:[A-Z]){any})"
          r"{tail}", "none"),
    Shape("employer", "{who} {value} their job",
          r"{S} {adv}(?P<value>quit|left|lost) (?:my|his|her|their) job{then}{tail}", "none"),
    Shape("employer", "{who} is {value}",
          r"{S}{am} {adv}(?P<value>retired|unemployed|between jobs){tail}", "none"),
    Shape("employer", "{who} was {value}",
          r"{S} {adv}(?:got|was|have been|'ve been) (?P<value>laid off|fired)(?: .{0,40})?",
          "none"),
    Shape("occupation", "{who} works as {value}",
          r"{S} {adv}(?:work{s}|{was}working)(?: full-time| part-time)? as (?P<value>(?:an? |the )"
          r"?{any}){tail}"),
    Shape("occupation", "{who} is {value}",
          r"{S}{am} {adv}(?P<value>an? (?:[\w-]+ ){0,4}(?:{trades})(?:(?: at| for| in| on| from| "
          r"by) .{1,40})?){tail}"),
    Shape("occupation", "{whose} job is {value}",
          r"{my} (?:job|profession|occupation|day job)(?: is|'?s) (?:to be )?(?P<value>(?:an? )?"
          r"(?:[\w-]+ ){0,4}(?:{trades})(?:(?: at| for| in) .{1,40})?){tail}"),
    Shape("occupation", "{who} {verb}s {value}",
          r"{S} {adv}(?P<verb>run|own|manage){s} (?P<value>(?:an?|my own) (?:[\w-]+ ){0,3}"
          r"(?:{shops})(?: .{1,30})?){tail}"),
    Shape("major", "{who} studies {value}",
          r"{S}{am} {adv}(?:studying|majoring in|doing a (?:degree|phd|master's) in) (?!for\b"
          r"|hard\b)(?P<value>{any}){tail}"),
    Shape("major", "{who} studies {value}",
          r"{S} {adv}(?:stud(?:y|ies)|major{s} in) (?!for\b|hard\b)(?P<value>{any}){tail}"),
    Shape("school", "{who} attends {value}",
          r"{S} {adv}(?:go{es} to|attend{s}) (?P<value>(?:[\w.'-]+ ){0,4}(?:university|college"
          r"|high school|law school|med(?:ical)? school|grad(?:uate)? school|academy)(?: .{0,30}?)"
          r"?){tail}"),
    Shape("grade", "{who} is in {value}",
          r"{S}{am} (?:in|at) (?P<value>(?:my|his|her|their) (?:first|second|third|fourth|final"
          r"|last|senior|junior|sophomore|freshman) year(?: (?:of|at) .{1,40}?)?|\w+ grade|(?:law"
          r"|med|medical|grad|graduate|high|middle|nursing) school|college|university){tail}"),
    Shape("diet", "{who} is {value}",
          r"{S}{am} {adv}(?:an? )?(?P<value>vegetarian|vegan|pescatarian|gluten[- ]free|teetotal"
          r"(?:er)?|celiac|coeliac){tail}"),
    Shape("health", "{who} is allergic to {thing}",
          r"{S}{am} {adv}(?:deathly |severely |very |mildly |highly )?allergic to (?P<thing>{any})"
          r"{tail}", "allergic"),
    Shape("health", "{who} is {thing}",
          r"{S}{am} {adv}(?P<thing>lactose[- ]intolerant|diabetic|colou?r[- ]?blind|dyslexic"
          r"|near-?sighted|left-handed|pregnant|deaf|asthmatic){tail}", "has"),
    Shape("favourite", "{whose} favourite {thing} {is} {value}",
          r"{my} (?:all-time |absolute |personal )*(?:favou?rite|fave|fav) (?P<thing>[\w -]{1,30}?)"
          r"(?P<be> is|'s| are|'s got to be| has to be| has always been)(?: definitely| probably| "
          r"still| actually)* (?P<value>{any}){tail}"),
    Shape("taste", "{who} does not {verb} {thing}",
          r"{S} {adv}(?:{dont}|never) (?:really |even |particularly |actually )?(?P<verb>like|love"
          r"|enjoy|eat|drink|watch|care for){s}? (?P<thing>{any}){tail}", "dislikes"),
    Shape("taste", "{who} {verb}s {thing}",
          r"{S} {adv}(?P<verb>hate|dislike|despise|detest|loathe){s} (?P<thing>{any}){tail}",
          "dislikes"),
    Shape("taste", "{who} can't {verb} {thing}",
          r"{S} {adv}(?:can'?t|cannot|couldn'?t) (?:really )?(?P<verb>stand|bear|handle|eat) "
          r"(?P<thing>{any}){tail}", "dislikes"),
    Shape("taste", "{who} stopped {verb} {thing}",
          r"{S}(?: have|'ve| has)? {adv}(?:stopped|quit|gave up|given up) (?P<verb>eating|drinking"
          r"|watching|playing|smoking) (?P<thing>{any}){tail}", "dislikes"),
    Shape("taste", "{who} {verb} {thing}",
          r"{S}(?: have|'ve| has)? {adv}(?P<verb>quit|stopped|gave up) (?P<thing>smoking|drinking"
          r"|vaping|gambling|sugar|alcohol|meat|coffee|gluten|dairy){tail}", "dislikes"),
    Shape("taste", "{who} is not fond of {thing}",
          r"{S}{am} {adv}not (?:really |exactly )?(?:a (?:big |huge )?fan of|into|fond of|keen on) "
          r"(?P<thing>{any}){tail}", "dislikes"),
    Shape("taste", "{who} is afraid of {thing}",
          r"{S}{am} {adv}(?:really )?(?:scared|afraid|terrified) of (?P<thing>{any}){tail}",
          "dislikes"),
    Shape("taste", "{who} {verb}s {thing}",
          r"{S} {adv}(?P<verb>love|like|enjoy|adore){s} (?P<thing>{any}){tail}", "likes"),
    Shape("taste", "{who} {verb}s {thing}",
          r"{S}(?: have|'ve|ve| has)? always (?P<verb>love|like|enjoy|adore)d (?P<thing>{any})"
          r"{tail}", "likes"),
    Shape("taste", "{who} prefers {thing}{rest}",
          r"{S} {adv}(?P<verb>prefer){s} (?P<thing>[^,!?;\n]{1,40}?)(?P<rest> (?:over|to|rather "
          r"than) .{1,40}?)?{tail}", "likes"),
    Shape("taste", "{who} is a fan of {thing}",
          r"{S}{am} {adv}(?:an? )?(?:really |super )?(?:big |huge |massive |total |lifelong "
          r"|diehard |major )?(?:fan of|lover of) (?P<thing>{any}){tail}", "likes"),
    Shape("taste", "{who} is into {thing}",
          r"{S}(?:{am}|'ve been| have been| has been) {adv}(?:into|obsessed with|addicted to"
          r"|hooked on|passionate about|crazy about|fond of|keen on) (?P<thing>{any}){tail}",
          "likes"),
    Shape("taste", "{who} likes {thing}",
          r"{my} (?:main |biggest )?(?:hobby|passion|hobbies)(?: is|'?s| are) (?P<thing>{any})"
          r"{tail}", "likes"),
    Shape("possession", "{who} has {noun}",
          r"{we}(?:{have}|{have} got| got| {adv}own{s}| {adv}bought| {adv}adopted| {adv}rescued| "
          r"{adv}got)(?: now| just| also| actually)?(?: myself)? (?P<noun>{count} (?:{plain} )"
          r"{0,4}?(?P<thing>{owned})(?:e?s)?(?: (?:named|called) {name}(?: and {name})?)?)(?: "
          r"(?:at home|now|and|with|who|that|from|since|in(?! this))\b.{0,60})?{tail}", "has"),
    Shape("possession", "{who} drives {noun}",
          r"{S} {adv}drive{s} (?P<noun>an? (?=.*(?-i:[A-Z\d])|.*\b(?:car|truck|van|suv|minivan"
          r"|pickup|sedan|bus|taxi|jeep|motorcycle|lorry)\b)(?P<thing>[\w'. -]{2,30}?))(?: (?:that"
          r"|which|to|for|and|from)\b.{0,60})?{tail}", "has"),
    Shape("possession", "{who} {value} their {thing}",
          r"{S} {adv}(?P<value>sold|crashed|totaled|lost|gave away|got rid of|wrecked) (?:my|his"
          r"|her|their) (?:{plain} ){0,2}?(?P<thing>{owned}){then}{tail}", "ended"),
    Shape("possession", "{whose} {thing} {value}",
          r"{our} (?:{plain} ){0,2}?(?P<thing>{pets})(?: \w+)? (?P<value>died|passed away|ran away"
          r"|is dead|is gone|has passed)(?: .{0,40})?", "ended"),
    Shape("state", "{who} is {thing}{at_when}",
          r"{S}(?:{am}| {adv}feel{s}|{am} {adv}feeling|'ve been feeling| have been feeling|'ve been"
          r"| have been) {adv}(?:so |really |very |pretty |super |a bit |a little |kind of |quite "
          r"|extremely |too )*(?P<thing>{states})(?: (?P<when>{when}))?(?: (?:about|because|after"
          r"|from|and)\b(?!.*\byou\b).{0,60})?{tail}", "is"),
    Shape("plan", "{who} has {thing} {when}",
          r"{S}(?:{have}|{have} got| got) (?P<thing>(?:(?:an?|my|the) )?(?:[\w'-]+ ){0,3}?"
          r"(?:{events})(?: (?:with|at|for) [\w' ]{1,30}?)?) (?P<when>{soon})(?: .{0,40})?",
          "will"),
    Shape("plan", "{who} is {thing} {when}",
          r"{we}{am} {adv}(?P<thing>(?:launching|releasing|shipping|flying|going|travell?ing|moving"
          r"|starting|getting married|visiting|meeting|leaving|having|running|taking|heading"
          r"|driving|hosting|seeing)\b[^,!?;\n]{0,50}?) (?P<when>{soon})(?: .{0,40})?", "will"),
    Shape("role", "{value} {verb} {thing}",
          r"(?P<value>{proper}) (?P<verb>is (?:responsible for|in charge of)|handles|leads"
          r"|maintains|runs|owns|manages|writes|does|heads|looks after|takes care of) "
          r"(?P<thing>{any}){tail}"),
    Shape("role", "{value} is responsible for {thing}",
          r"(?P<thing>[\w -]{2,24}?) is (?:handled|led|run|owned|managed|maintained|done|written) "
          r"by (?P<value>{proper}){tail}"),
    Shape("ours", "{whose} {thing} {verb} {value}",
          r"{our} (?P<thing>(?:[\w-]+ ){0,2}?[\w-]+?)(?: (?:for|of|at|with) (?:the|our|my|this) "
          r"[\w ]{1,20}?)? (?P<verb>{set}|sells|makes|builds|has|(?:is|are)(?: (?:on|in|at|by))?) "
          r"(?P<value>{any}){tail}"),
    Shape("ours", "The {thing} {verb} {value}",
          r"the (?P<thing>(?:[\w-]+ ){0,2}?(?:{ours})s?)(?: (?:for|of|at|with|on) (?:the|our|my"
          r"|this|their) [\w ]{1,20}?)? (?P<verb>{set}|sells|makes|builds|has|(?:is|are)(?: (?:on"
          r"|in|at|by))?) (?P<value>{any}){tail}"),
    Shape("ours", "{thing} {verb} {value}",
          r"(?P<thing>(?P<any>(?:(?:the|all) )?(?:[\w-]+ ){0,1}?[\w-]+?)) (?P<verb>{set}) "
          r"(?P<value>{any}){tail}"),
    Shape("plan", "{who} {thing} {when}",
          rf"{{S}} (?P<thing>[^,!?;\n]{{2,80}}?) (?P<when>(?:on|in) {ISO}){{tail}}", "will"),
)  # fmt: skip
_WHO = (
    rf"(?P<who>(?:the user|[^\s,]{{1,24}})'s (?:[\w-]+ ){{0,2}}?(?:{KIN}"
    rf"|{PETS})(?: (?-i:[A-Z])[\w-]+)?"
    r"|the user|[^\s,]{1,24}(?: (?-i:[A-Z])[^\s,]{0,24}){0,2})"
)
# Said only in the first person; "I'm Tom" is a name only after a greeting.
_CALLED = (
    Shape("nickname", "{who} goes by {value}",
          r"(?:you can |everyone |people |(?:most )?folks |friends |my friends )?(?:just |all )"
          r"?calls? me (?P<value>(?-i:[A-Z])[\w'-]{1,20}(?: (?-i:[A-Z])[\w'-]+)?)(?: .{0,30})?"),
    Shape("name", "{whose} name is {value}",
          r"I(?: am|'?m) (?P<met>(?P<value>(?-i:[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?)))(?: (?:and"
          r"|from|by)\b.*|[\s.!])?"),
)  # fmt: skip
OPENS = regex(
    rf"i|we|my|our|you can|every|people|most|folks|friends|just|all|call|there are|it was|the team"
    rf"|the (?:[\w-]{{1,20}} ){{0,2}}(?:{OURS})|(?:[\w-]{{1,20}} ){{1,3}}?(?:{_SET}) "
    r"|(?-i:[A-Z])[\w'. -]{1,30} (?:is|handles|leads|maintains|runs|owns|manages|writes|does|heads"
    r"|looks|takes)\b",
    re.IGNORECASE,
)
_FIRST = {
    "S": "i",
    "we": "(?:i|we)",
    "am": "(?: am|'?m| are|'re)",
    "have": "(?: have|'?ve)",
    "dont": "(?:don'?t|do not|didn'?t)",
    "was": "was ",
    "s": "",
    "es": "",
    "adv": "",
    "tail": "",
    "my": "my",
    "our": "(?:my|our)",
}
_THIRD = {
    "S": _WHO,
    "we": _WHO,
    "am": "(?: is|'s| are)",
    "have": "(?: has| have)",
    "dont": "(?:doesn'?t|does not|don't)",
    "was": "(?:was |is )",
    "s": "s?",
    "es": "(?:es)?",
    "adv": "(?:(?:currently|now|really|also|still|recently|just) )?",
    "tail": "(?: now| anymore)?",
    "my": f"{_WHO}'s?",
    "our": f"{_WHO}'s?",
}


@cache
def spoken() -> Reading:
    """Compile the shapes for the first person, at first use."""
    return compiled((*SHAPES, *_CALLED), _FIRST | _PARTS)


@cache
def stored() -> Reading:
    """Compile the shapes for a name, at first use."""
    return compiled(SHAPES, _THIRD | _PARTS)


# What chat leaves out at the start of a remark.
DROPPED = (
    (
        regex(
            rf"(?!(?:the|our|my|his|her|their|your|its|this|that|all)\b)(?:[\w-]{{1,20}} )?"
            rf"(?:{OURS}) (?:is|are)\b",
            re.IGNORECASE,
        ),
        "the ",
    ),
    (regex(r"name(?:'s| is) ", re.IGNORECASE), "my "),
    (regex(r"(?:big|huge|massive|not a (?:big |huge )?) ?fan of ", re.IGNORECASE), "I'm "),
    (regex(r"born and raised in ", re.IGNORECASE), "I was "),
    (regex(r"been working (?:at|for) ", re.IGNORECASE), "I've "),
    (
        regex(r"(?:just )?(?:got|bought|adopted) (?:an?|two|three|myself) ", re.IGNORECASE),
        "I ",
    ),
)
GREETED = regex(r"\A\s*(?:hi|hello|hey|good (?:morning|evening|afternoon))\b", re.IGNORECASE)
PROMISE = regex(
    r"i (?:promise|swear|vow)(?: you)?,?(?: that)? (?P<what>(?:i'?ll|i will|i won'?t|i will not|to"
    r"(?! god)|not to|never to) .+)\Z",
    re.IGNORECASE,
)
OFFER = regex(
    r"i(?:'ll| will) (?:be sure to |make sure to |definitely |certainly |gladly )?(?P<what>"
    r"(?:remind|wake|ping|notify) you .+)\Z",
    re.IGNORECASE,
)
DENIED = regex(
    r"(?P<before>(?:i|my .{1,30}))(?P<verb>(?: am|'?m)? not|(?: am|'?m)? no longer|(?: is"
    r"|'s)(?: not|n't)| isn'?t| do(?:n'?t| not)) (?P<rest>.{1,60})\Z",
    re.IGNORECASE,
)
