"""What a clause claims about its speaker, and what a kept fact claims about its subject.

A claim has a slot: the question it answers.  "I live in Oslo" and "The user lives in Oslo" answer
the same question, so one table of shapes per language is compiled twice, once for the first
person and once for a name, and nothing but the text of a fact is needed to know its slot.  Two
claims with the same subject, slot and key are about the same thing; whether their values may
stand side by side (two cats), or the later one replaces the earlier (two homes), is the policy of
the slot.

The shapes live in `shapes_zh` and `shapes_en`; each has to match a whole clause, so what they do
not understand they do not match.  `sense_zh` and `sense_en` throw out what is not meant.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple

from wangchuan.language.dates.coming import day_of
from wangchuan.language.facts.people import STAND_IN, Other
from wangchuan.language.facts.sense_en import ENGLISH, inflected
from wangchuan.language.facts.sense_zh import CHINESE
from wangchuan.language.facts.shapes import Caught, Reading, Shape, Tongue
from wangchuan.language.text import HAN, words
from wangchuan.patterns import regex
from wangchuan.types import value

_LONGEST = 200  # characters of a clause or a fact; a longer one is not read


class Policy(NamedTuple):
    """What topic a slot's facts have, and when a later value replaces an earlier one.

    "always": there is one at a time; "corrected": there may be several, so only if the speaker
    says that he corrects something; "never": each is true at its time.
    """

    topic: str
    replaced: Literal["always", "corrected", "never"]


POLICIES: dict[str, Policy] = {
    "name": Policy("personal", "always"),
    "surname": Policy("personal", "always"),
    "nickname": Policy("personal", "corrected"),
    "birthday": Policy("personal", "always"),
    "age": Policy("personal", "always"),
    "home": Policy("personal", "always"),
    "origin": Policy("personal", "corrected"),
    "employer": Policy("personal", "always"),
    "occupation": Policy("personal", "corrected"),
    "school": Policy("personal", "always"),
    "major": Policy("personal", "always"),
    "grade": Policy("personal", "always"),
    "diet": Policy("personal", "always"),
    "health": Policy("personal", "corrected"),
    "possession": Policy("personal", "corrected"),  # but a loss or another count always does
    "called": Policy("personal", "corrected"),
    "taste": Policy("preference", "always"),
    "favourite": Policy("preference", "always"),
    "plan": Policy("memory", "never"),
    "state": Policy("memory", "never"),  # a mood passes; the next one does not make it false
    "wanted": Policy("other", "never"),  # what the speaker asked to have remembered
    "told": Policy("personal", "never"),  # what a plain sentence says of its speaker
    "matter": Policy("other", "never"),  # and of anything else
    "kin": Policy("personal", "corrected"),  # who somebody is to the speaker
    "ours": Policy("other", "always"),  # what holds of a project, a team, a firm
    "role": Policy("other", "corrected"),  # who does what there
    "standing": Policy("promise", "never"),  # how the agent is to behave from now on
}
_AGE = regex(r"\d|岁|years? old|\bborn\b|[一二三四五六七八九十]岁", re.IGNORECASE)
_OF_ANIMALS = frozenset({"age", "birthday", "taste", "health"})
_OF_OTHERS = _OF_ANIMALS | {
    "name", "surname", "home", "origin", "employer", "occupation", "school", "major", "grade",
    "diet", "favourite", "state",
}  # fmt: skip


@value
class Claim:
    """What somebody says of a subject: which question it answers, and how.

    `who` is "" for the speaker.  `key` tells apart the things of one slot (which pet, which
    taste); `value` answers the slot, normalised to be compared; `noun` is a possession as it was
    named; `about` is what the fact is about, as it was said, and `raw` what of it answers the
    slot; `says` is the fact with {who}, {whose} and {when} left open.
    """

    who: str
    slot: str
    key: str
    value: str
    noun: str
    about: str
    says: str
    when: str = ""
    raw: str = ""

    def text(self, who: str, whose: str) -> str:
        """Write the fact about a named subject."""
        says = self.says.replace("{at_when}", self.when and f" {self.when}")
        return says.replace("{when}", self.when).replace("{who}", who).replace("{whose}", whose)


def spoken(clause: str, greeted: bool = False, at: float | None = None) -> list[Claim]:
    """Return what a clause says of its speaker; a greeting before it lets "I'm Tom" be a name.

    With `at`, when it was said, plans and states carry the date that their words mean.
    """
    if len(clause) > _LONGEST:
        return []
    tongue = CHINESE if _HAN.search(clause) else ENGLISH
    return [_dated(claim, tongue, at) for claim in _spoken(clause, greeted)]


@lru_cache(maxsize=1024)
def _spoken(clause: str, greeted: bool) -> tuple[Claim, ...]:
    tongue = CHINESE if _HAN.search(clause) else ENGLISH
    lead = tongue.lead.match(clause)
    start = led(tongue, clause)
    if not tongue.opens.match(clause, start):
        return ()
    times = [lead["when"] if lead else None]
    text, adverbs = _unpadded(tongue, clause[start:], times)
    around = {"when": next(filter(None, times), ""), "adv": adverbs}
    around |= {"greeted": "yes" * greeted, "lower": "yes" * (text[:1] == "i")}
    return tuple(_read(tongue, tongue.spoken(), text, around))


def led(tongue: Tongue, clause: str) -> int:
    """Return where a clause begins after its opening words, which end where a word does."""
    lead = tongue.lead.match(clause)
    end = lead.end() if lead else 0
    if tongue is ENGLISH or not end:
        return end
    return max((word.start for word in words(clause) if word.start <= end), default=0)


def is_refused(clause: str) -> bool:
    """Tell whether a clause sounds like a claim of its speaker, which cannot be meant."""
    tongue = CHINESE if _HAN.search(clause) else ENGLISH
    text, _ = _unpadded(tongue, clause[led(tongue, clause) :], [])
    brief = len(text) <= _BRIEF if tongue is CHINESE else len(text.split()) <= _BRIEF // 2
    return (
        brief
        and not _spoken(clause, False)
        and any(
            shape.slot in _CHECKED and pattern.match(text) for shape, pattern in tongue.spoken()
        )
    )


_BRIEF = 8  # characters, or half as many words: what is longer says more than the shape
_CHECKED = frozenset({"age", "name", "home", "employer", "taste", "health", "origin"})


def told(clause: str, other: Other, bare: bool = False, at: float | None = None) -> list[Claim]:
    """Return what a clause with a stand-in says of another one; a `bare` one had no subject."""
    tongue, name = (CHINESE, "我") if other.tongue == "zh" else (ENGLISH, STAND_IN["en"])
    if len(clause) > _LONGEST or (bare and other.animal and not _AGE.search(clause)):
        return []
    text, _ = _unpadded(tongue, name + clause[len(STAND_IN[other.tongue]) :], [])
    text = STAND_IN[other.tongue] + text[len(name) :]
    slots = _OF_ANIMALS if other.animal else _OF_OTHERS
    found = _read(tongue, tongue.stored(), text, {**_NOWHERE, "other": "yes"})
    mine = [c for c in found if c.slot in slots and c.who == STAND_IN[other.tongue].lower()]
    dated = (_dated(claim, tongue, at) for claim in mine)
    return [replace(c, who=other.who.casefold(), says=_of(other, c.says)) for c in dated]


def _of(other: Other, says: str) -> str:
    """Put somebody of the speaker's for the speaker into a fact."""
    if other.tongue == "zh":
        return says.replace("{who}", f"{{who}}的{other.who}")
    says = says.replace("{whose}", f"{{whose}} {other.who}'s")
    return says.replace("{who}", f"{{whose}} {other.who}")


def _dated(claim: Claim, tongue: Tongue, at: float | None) -> Claim:
    """Give a plan the date it has, and a state the day it was told."""
    if at is None or claim.slot not in ("plan", "state"):
        return claim
    day = day_of(claim.when, at) or (day_of("today", at) if claim.slot == "state" else "")
    on = "" if tongue is CHINESE else "on " if day.count("-") > 1 else "in "
    return replace(claim, when=on + day) if day else claim


def _unpadded(tongue: Tongue, text: str, times: list[str | None]) -> tuple[str, str]:
    """Return a clause without its padding, and the adverbs among it; add its times to `times`."""
    tail = tongue.tail.search(text)
    if tail:
        times.append(tail.groupdict().get("when"))
        text = text[: tail.start()]
    subject = tongue.subject.match(text)
    if not subject:
        return text, ""
    times.append(subject.groupdict().get("when"))
    return subject["who"] + text[subject.end() :], subject["adv"]


@lru_cache(maxsize=1024)
def stored(text: str) -> tuple[Claim, ...]:
    """Return what a kept fact says of its subject; nothing if it tells of the past."""
    text = text.strip(" \t\n.。!！").replace("’", "'")
    if len(text) > _LONGEST or _BYGONE.search(text):
        return ()
    tongues = (CHINESE, ENGLISH) if _HAN.search(text) else (ENGLISH,)
    readings = ((tongue, reading) for tongue in tongues for reading in _readings(tongue, text))
    found = (_read(tongue, reading, text, _NOWHERE) for tongue, reading in readings)
    first, *more = _CLAUSE.split(text, maxsplit=1)
    return tuple(next(filter(None, found), ())) or (stored(first) if more else ())


_CLAUSE = regex("，|, ")


def _readings(tongue: Tongue, text: str) -> Iterator[Reading]:
    """Yield how a kept fact is read: about a thing first, unless it begins with somebody."""
    if not _USERS_FACT.match(text):
        things = (
            one
            for one in tongue.stored()
            if one[0].slot == "ours" and "any" not in one[1].groupindex
        )
        yield tuple(one for one in things if "{who" not in one[0].says)
    yield tongue.stored()


def slot_of(text: str) -> tuple[str, str, str] | None:
    """Return the subject, slot and key of a kept fact, or None if it answers no known question.

    Facts with equal slots are about the same thing: "主人住在北京" and "The user lives in Oslo"
    both give ("", "home", "").  The user is "", any other subject its name in lower case.
    """
    found = stored(text)
    return (found[0].who, found[0].slot, found[0].key) if found else None


_NOWHERE: Caught = {"when": "", "adv": "今年已经", "greeted": "yes", "lower": "yes"}
_HAN = regex(f"[{HAN}]")
_BYGONE = regex(
    r"以前|从前|曾经|小时候|[前年月天周]前|过去|当年|[住养爱做]过|\b(?:used to|once|formerly|ago"
    r"|was (?!born)|were|had)\b",
    re.IGNORECASE,
)


def _read(tongue: Tongue, reading: Reading, text: str, around: Caught) -> list[Claim]:
    """Return the claims of the first shape that matches and makes sense."""
    for shape, pattern in reading:
        match = pattern.match(text)
        if match is None:
            continue
        caught = {name: value.strip() for name, value in match.groupdict("").items()}
        caught = {**around, **caught, "when": caught.get("when") or around["when"]}
        if _makes_sense(tongue, shape, caught, around is not _NOWHERE):
            return list(_claims(tongue, shape, caught))
    return []


def _makes_sense(tongue: Tongue, shape: Shape, caught: Caught, first_hand: bool) -> bool:
    """Tell whether what a shape caught can be meant; a kept fact need not be doubted as much."""
    if first_hand:
        values = (caught.get(name, "") for name in ("value", "thing", "place", "noun"))
        if any(tongue.pointing.search(value) for value in values):
            return False
        if shape.slot != "plan" and tongue.future.search(caught["when"]):
            return False
    check = tongue.checks.get(shape.slot)
    return check is None or check(caught)


def _claims(tongue: Tongue, shape: Shape, caught: Caught) -> Iterator[Claim]:
    """Yield one claim for each thing that a shape caught."""
    thing = caught.get("thing", "")
    several = shape.slot == "taste" and not caught.get("rest")
    for one in tongue.things(thing) if several else [thing]:
        parts = {**caught, **_OPEN, **_spaced(caught), "thing": one}
        yield Claim(
            who=_subject(caught.get("who", "")),
            slot=shape.slot,
            key=tongue.bare(one),
            value=shape.mark or tongue.bare(tongue.polished(caught.get("value", ""))),
            noun=caught.get("noun", ""),
            about=" ".join(filter(None, (one, caught.get("value"), caught.get("noun")))),
            says=tongue.polished(shape.says.format_map(parts)),
            when=caught["when"].lower() if shape.slot == "state" else caught["when"],
            raw=caught.get("value") or caught.get("noun") or one,
        )


_OPEN = {"who": "{who}", "whose": "{whose}", "when": "{when}", "at_when": "{at_when}"}


def _spaced(caught: Caught) -> dict[str, str]:
    """Return the parts of an English fact that may be empty, each with the space before it."""
    rest = caught.get("rest", "")
    be = "are" if caught.get("be", "").startswith("are") else "is"
    return {"rest": rest and f" {rest}", "is": be, "verbs": inflected(caught.get("verb", ""))}


_USERS_FACT = regex("主人|用户|the user", re.IGNORECASE)
_USERS = frozenset({"主人", "用户", "the user", "user"})


def _subject(who: str) -> str:
    """Return a subject to be compared; all names of the user are one, and left out before his."""
    who = _USERS_OWN.sub("", who.strip().casefold())
    return "" if who in _USERS else who


_USERS_OWN = regex("(?:主人|用户)的|(?:the )?user's ")
