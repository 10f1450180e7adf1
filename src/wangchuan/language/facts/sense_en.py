"""Whether what an English shape caught can be meant, and how it is compared and retold."""

import re

from wangchuan.language.facts.shapes import Caught, Tongue, gathered
from wangchuan.language.facts.shapes_en import (
    FUTURE,
    KIN,
    LEAD,
    OFFER,
    OPENS,
    OURS,
    PETS,
    PROMISE,
    SUBJECT,
    TAIL,
    spoken,
    stored,
)
from wangchuan.language.numerals import values
from wangchuan.language.words import ENGLISH_WORDS
from wangchuan.patterns import regex

_POINTING = regex(
    r"\b(?:it|this|that|these|those|you|your|yours|u|ur|him|her|hers|them|his|he|she|they|their"
    r"|theirs|our|ours|here|there|same|one|ones|mine|we|us|who|what|how|when|where|why|everything"
    r"|anything|nothing|something|someone|anyone|everyone|people who|way|idea|sound of)\b",
    re.IGNORECASE,
)
_DEFINITE = regex(
    r"^the (?!(?:ocean|sea|beach|mountains?|outdoors?|rain|snow|cold|heat|sun|countryside|city"
    r"|night|theat(?:re|er)|gym|dark|water|forest|winter|summer|fall|autumn|spring|internet|violin"
    r"|piano|guitar|stars|moon|desert|taste|smell|holidays)\b|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_SAYING = regex(
    r"^(?:to (?:say|admit|break|bother|ask|interrupt|be\b|see|hear|think|know|disappoint|complain"
    r"|brag)|hearing|seeing|being able|knowing|to\b$|not|up|me|myself|before|after|alone|enough"
    r"|well|and|or|out|late|at|in|on|with|just|so|a lot$|much$|very|every (?:minute|second|bit)"
    r"|both|all|each|some$|any$|most of|my (?:chances|odds))\b",
    re.IGNORECASE,
)
_ADJECTIVES = "|".join(word for word, tag in ENGLISH_WORDS.items() if tag == "adj")
# "a safe" is left of "a safe, welcoming place"; "a huge fan" is a fan of nothing.
_CUT_SHORT = regex(
    rf"\b(?:an?|the|my|some|so|very) (?:{_ADJECTIVES})$|^(?:big"
    rf"|huge|massive|total|great|major|real|such)$",
    re.IGNORECASE,
)
# One lives where a name is, or in one of these.
_PLACE = regex(
    r"(?-i:[A-Z])|\b(?:town|city|village|countryside|suburbs?|apartment|house|flat|dorms?|cabin"
    r"|farm|studio|island|mountains|coast|downtown|trailer|basement|neighbou?rhood|ranch|campus"
    r"|boat|street|avenue|beach|hospital|school|university|company|firm|startup|bakery|caf[eé]"
    r"|restaurant|shop|store|bank|clinic|library|museum|hotel|factory|lab|agency|bar|office|studio"
    r"|nonprofit|charity|newspaper|bookstore|warehouse|airport|gym|salon|zoo|farm|kindergarten"
    r"|daycare|pharmacy)\b",
    re.IGNORECASE,
)
_NO_PLACE = regex(
    r"^(?:the (?:edge|moment|past|present|now|future|same|clouds?|middle)|a (?:world|dream|bubble"
    r"|simulation|long line|new desk)|my\b|our\b|mars\b|the moon|atlantis|hr\b|it\b|qa\b|pr\b|sales"
    r"|accounting|marketing|finance|legal|support|the (?:it|hr))",
    re.IGNORECASE,
)
_LEFT = regex(r"\b(?:(?:came|come|moved|went|gone) back|returned)\b", re.IGNORECASE)
_NO_ALLERGY = regex(
    r"^(?:nonsense|stupidity|mondays?|work|bullshit|bs|drama|people|exercise|fun|mornings?"
    r"|responsibility|commitment|boredom)\b",
    re.IGNORECASE,
)
_NOT_NAMES = gathered(
    """
    back later tomorrow maybe not so very really just hard spelled pronounced on in at a an the
    from going sorry happy sad glad here there done fine good great okay ok ready sure afraid
    new old late tired sick also still now currently busy interested looking trying based still
    catholic christian muslim jewish hindu buddhist american british chinese french german
    spanish italian indian canadian australian mexican japanese korean irish scottish dutch
    russian gay straight bi trans taken too long short everywhere when bond batman superman god
    santa nobody legion inigo
    """
)


_NAMING = (None, "noun", "name", "verb", "time")


def _is_name(found: Caught) -> bool:
    """Tell whether a value can name somebody, and after a mere "I'm" whether they just met."""
    first = found["value"].split()[0].lower()
    strange = first not in _NOT_NAMES and ENGLISH_WORDS.get(first) in _NAMING
    return strange and (not found.get("met") or bool(found["greeted"]))


def _is_place(found: Caught) -> bool:
    """Tell whether a value sounds like a place; who writes no capitals may name one word."""
    value = found["value"]
    one_word = found.get("lower") and " " not in value and value not in ENGLISH_WORDS
    nowhere = _NO_PLACE.match(value) or _LEFT.search(value)
    return not nowhere and bool(_PLACE.search(value) or one_word)


def _is_employer(found: Caught) -> bool:
    return "at" not in found or _is_place(found)


def _is_allergy(found: Caught) -> bool:
    return not _NO_ALLERGY.match(found["thing"])


def _is_liked(found: Caught) -> bool:
    thing = found["thing"]
    return not (_DEFINITE.match(thing) or _SAYING.match(thing) or _CUT_SHORT.search(thing))


def _is_age(found: Caught) -> bool:
    value = found["value"]
    return not value.isdigit() or (0 if found.get("other") else 5) <= int(value) <= 120


def _is_job(found: Caught) -> bool:
    return not re.match(
        r"(?:(?:a|an|the) )?(?:team|whole|unit|group|result|usual|well)\b|.* at home\b",
        found["value"],
    )


def _is_plan(found: Caught) -> bool:
    thing = found["thing"].lower()
    return " " in thing or not thing.endswith("ing") or thing in _ENOUGH


_ENOUGH = ("leaving", "moving", "launching", "releasing", "shipping")


_NO_THING = regex(
    rf"\b(?:{KIN}|{PETS})s?\Z|\b(?:point|question|guess|problem|idea|feeling|fault"
    r"|turn|pleasure|mind|heart|head|day|week|life|understanding|impression|hope|dream|thing"
    r"|birthday|name"
    r"|age|favou?rite|it|that|this|he|she|they|what|who|there|which|everything|nobody|everybody"
    r"|people|hours?|i|we|you|not)\b",
    re.IGNORECASE,
)
_VAGUE = regex(
    r"(?:not|going|so|too|very|really|all|still|just|fine|ok|good|bad|great|an? (?:hour|minute))\b",
    re.IGNORECASE,
)


def _is_definite(found: Caught) -> bool:
    """Tell whether a value says which one: a name, a number, a day, a word of no dictionary."""
    value, verb = found["value"].casefold(), found.get("verb", "")
    if _NO_THING.search(found["thing"]) or _VAGUE.match(value):
        return False
    if verb not in ("is", "are", "has", ""):
        return True
    strange = (
        " " not in value
        and value not in ENGLISH_WORDS
        and re.search(rf"(?:{OURS})$", found["thing"])
    )
    return bool(re.search(r"[A-Z\d@]", found["value"]) or values(value) or strange)


_CHECKS = {
    "ours": _is_definite,
    "role": lambda found: found["value"].split()[0].lower() not in ENGLISH_WORDS,
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
    "plan": _is_plan,
}

_WHOLE = regex(
    r"(?:fish and chips|rock and roll|mac and cheese|salt and pepper|drum and bass"
    r"|arts and crafts)$",
    re.IGNORECASE,
)
_AND = regex(r" and | & | or (?=\w)")
_DOING = regex(
    r"^(?:(?:to )?(?:eat|drink|watch|play|read|go|listen(?:ing)? to|cook|do)"
    r"(?:ing)?|the|an?|some|my|their) "
)
_LIST_WORDS = 3
# A list in a list, a thing done with somebody, or one act after another.
_ONE_WHOLE = regex(
    r"^to |\b(?:with|my|between|like|such as|including|from|sometimes|then)\b",
    re.IGNORECASE,
)


def things(text: str) -> list[str]:
    """Return the things a list names, or the whole if its parts do not stand alone."""
    parts = [part.strip() for part in _AND.split(text)]
    short = all(0 < len(part.split()) <= _LIST_WORDS for part in parts)
    whole = _WHOLE.match(text) or _ONE_WHOLE.search(text) or _shares_head(parts)
    return parts if short and not whole else [text]


def _shares_head(parts: list[str]) -> bool:
    """Tell whether the last part completes the first ("sunny and warm weather")."""
    lone = " " not in parts[0] and not parts[0].endswith(("s", "ing"))
    return lone and " " in parts[-1]


_PLURAL = regex(r"(?<=\w\w[^suiw])s\Z")  # not in "chess", "nervous", "tennis", "news"


def bare(text: str) -> str:
    """Return a thing without article, verb and plural, to be compared."""
    text = _DOING.sub("", _DOING.sub("", text.casefold())).strip(" .!")
    return _PLURAL.sub("", text)


_FIRST = (
    (regex(r"\b(?:i'?m|i am|we're)\b", re.I), "they are"),
    (regex(r"\bi was\b", re.I), "they were"),
    (regex(r"\b(?:my|our)\b", re.I), "their"),
    (regex(r"\b(?:my|our)self|\b(?:my|our)selves\b", re.I), "themselves"),
    (regex(r"\b(?:me|us)\b"), "them"),
    (regex(r"\b(?:I|we)\b"), "they"),
)
_YOURS, _YOU = regex(r"\byours?\b", re.I), regex(r"\byou\b", re.I)


_BE = regex(r"(?:'?m|'re|am|are)\b\s?", re.IGNORECASE)
_HAVE = regex(r"(?:'ve|have)\b\s?", re.IGNORECASE)
PASTS = gathered(
    """
    was were had did went got made met took began left lost found won quit bought sold wrote gave
    came ran saw spent built sent paid put set let broke grew fought kept taught fell caught chose
    drove ate became began brought cut drew drank flew forgot froze held hurt knew laid led lent lit
    meant rode rose said sang sat shot slept spoke stood swam thought threw told woke wore
    """
)
_AS_IT_IS = PASTS | gathered(
    """
    can could will would shall should must may might cannot can't won't couldn't didn't wasn't
    """
)
_ADVERBS = regex(
    r"(?:(?:[a-z]{1,16}ly(?<!\bfly)(?<!rely)(?<!pply)|always|never|often|just|also|still|even"
    r"|quite|sometimes|both|all|now|then)\s){1,4}",
    re.IGNORECASE,
)
_SPEAKER = regex(
    r"\A(?P<pair>(?:my|our) (?:[\w'-]+ ){1,3}and I)\b|\b(?:(?P<i>I|we)(?=\b)|(?P<my>my|our)"
    r"|(?:me|us))\b",
    re.IGNORECASE,
)


def in_third(text: str) -> str:
    """Return a sentence with {who} or {whose} for its speaker, and "they" where he comes again."""
    found = _SPEAKER.search(text)
    if found is None:
        return text[:1].upper() + text[1:]
    head, rest = text[: found.start()], text[found.end() :]
    if found["pair"]:
        who = "{whose}" + found["pair"][found["pair"].index(" ") : -1] + "{who}"
    elif found["my"]:
        who = "{whose}"
    else:
        who = "{who}"
        rest = " " + third(rest.lstrip()) if found["i"] else rest
    says = head + who + polished(rest)
    return says[:1].upper() + says[1:]


def inflected(verb: str) -> str:
    """Return a verb in the third person; a past or modal one as it is."""
    low = verb.lower()
    if low == "have":
        return "has"
    if low in _AS_IT_IS or low.endswith("ed") or "'" in low:
        return "doesn't" if low == "don't" else verb
    if low in ("do", "go") or low.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    return verb[:-1] + "ies" if low.endswith("y") and low[-2:-1] not in "aeiou" else verb + "s"


def third(rest: str) -> str:
    """Return what follows "I" as it follows a name."""
    if (adverbs := _ADVERBS.match(rest)) and adverbs.end() < len(rest):
        return adverbs[0] + third(rest[adverbs.end() :])
    if found := _BE.match(rest):
        return "is " + rest[found.end() :]
    if found := _HAVE.match(rest):
        return "has " + rest[found.end() :]
    if rest.startswith(("'ll", "'d")):
        return (
            ("will" if rest[1] == "l" else "would")
            + rest.partition(" ")[1]
            + rest.partition(" ")[2]
        )
    rest = _STRESSED.sub("", rest)
    verb, space, tail = rest.partition(" ")
    return (
        inflected(verb)
        + space
        + (_ALSO.sub(_inflect, tail, count=1) if verb != inflected(verb) else tail)
    )


_STRESSED = regex(r"\Ado (?=(?:eat|want|like|have|need|love|know|use|drink)\b)", re.IGNORECASE)
_ALSO = regex(r"\A((?:(?!to\b)[\w'-]+ ){0,6}and )(\w+)(?= \w)")


def _inflect(found: re.Match[str]) -> str:
    """Put the second of two verbs into the third person, too."""
    acts = ENGLISH_WORDS.get(found[2]) == "verb" and not found[2].endswith(("ed", "ing", "s"))
    return found[1] + (inflected(found[2]) if acts and found[2] not in PASTS else found[2])


def polished(text: str) -> str:
    """Return a text in which the speaker is spoken of in the third person."""
    for first, third in _FIRST:
        text = first.sub(third, text)
    return text


def swapped(text: str, you: str) -> str:
    """Return what a speaker said in the third person, with the other one named."""
    text = _YOURS.sub(lambda _: f"{you}'s", polished(text))
    return _YOU.sub(lambda _: you, text)


def inside(name: str) -> str:
    """Return a name as it stands inside a sentence."""
    return name[:1].lower() + name[1:] if name.startswith("The ") else name


_WILL = regex(r"i(?:'?ll| will)(?P<not> not)? |i won'?t ", re.I)
_INFINITIVE = regex("(?:not |never )?to ", re.I)


def promised(what: str) -> str:
    """Turn "I'll go", "I won't go" and "go" into "to go" and "not to go"."""
    found = _WILL.match(what)
    if found:
        refused = found["not"] or "won" in found[0].lower()
        what = ("not to " if refused else "to ") + what[found.end() :]
    return ("" if _INFINITIVE.match(what) else "to ") + what.rstrip(" .!")


ENGLISH = Tongue(
    spoken=spoken,
    stored=stored,
    lead=LEAD,
    subject=SUBJECT,
    tail=TAIL,
    opens=OPENS,
    promise=PROMISE,
    offer=OFFER,
    pointing=_POINTING,
    future=FUTURE,
    checks=_CHECKS,
    things=things,
    bare=bare,
    polished=polished,
)
