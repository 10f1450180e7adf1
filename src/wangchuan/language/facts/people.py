"""Whom a clause is about, if not its speaker: 我妈, "my sister Anna", the cat, or a mere "she".

What somebody says of a relative is no fact about himself.  The clause is handed on with a stand-in
for the other one, to be read like a kept fact, in the third person.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wangchuan.language.facts import shapes_en, shapes_zh
from wangchuan.language.text import HAN
from wangchuan.language.words import SURNAMES
from wangchuan.patterns import regex

STAND_IN = {"zh": "甲", "en": "Zz"}
_HAN = regex(f"[{HAN}]")


class Other(NamedTuple):
    """Somebody in a speaker's life, as the speaker calls him (女儿, "sister Anna")."""

    who: str
    animal: bool = False

    @property
    def tongue(self) -> str:
        """Return the language he is spoken of in."""
        return "zh" if _HAN.search(self.who) else "en"


_MINE = regex(
    rf"(?:我|咱)(?:们)?(?:家里?的?|的)?(?:那|这)?[个位只条]?(?P<zh>{shapes_zh.KIN}|{shapes_zh.PETS})"
    rf"(?P<rest_zh>[^们].{{0,200}})\Z"
    rf"|(?:my|our) (?P<en>(?:[\w-]+ ){{0,2}}?(?:{shapes_en.KIN}|{shapes_en.PETS})s?"
    r"(?:,? (?-i:[A-Z])[\w-]+,?)?)(?P<rest_en>(?:'s?)? .{0,200}|'s\b.{0,200})\Z",
    re.IGNORECASE,
)
_FURTHER = regex(
    rf"(?:家的?|的)(?:{shapes_zh.KIN}|{shapes_zh.PETS})"
    rf"|'s (?:[\w-]+ ){{0,2}}?(?:{shapes_en.KIN}|{shapes_en.PETS})\b",
    re.IGNORECASE,
)
_THEY = regex(
    r"(?:他|她|它)(?:们)?(?P<zh>.{1,200})\Z|(?:and |but )?(?:(?:he|she|they|it)(?P<en>(?:'s"
    r"|'re)? .{1,200})|(?:his|her|their|its)(?P<whose> .{1,200}))\Z",
    re.IGNORECASE,
)
_ANIMAL = regex(
    rf".{{0,24}}(?:{shapes_zh.PETS})\Z|(?:.{{0,40}} )?(?:{shapes_en.PETS})(?: .{{0,40}})?\Z", re.I
)
_PERSON = regex(
    rf"(?:{shapes_zh.KIN}|(?:.{{0,40}} )?(?:{shapes_en.KIN})(?: .{{0,40}})?)", re.IGNORECASE
)


def other(called: str) -> Other | None:
    """Return who is meant by what somebody has; None for a mere thing."""
    called = called * 2 if len(called) == 1 and called in "爸妈哥姐弟妹" else called
    if _PERSON.match(called):
        return Other(called)
    return Other(called, animal=True) if _ANIMAL.match(called) else None


def about_another(clause: str, last: Other | None) -> Iterator[tuple[Other, str]]:
    """Yield the readings of a clause that is about another one, with a stand-in for his name.

    `last` is whom "she" means.  A Chinese name after a relation has no end of its own: the longest
    is tried first.
    """
    if found := _MINE.match(clause):
        who, rest = found["zh"] or found["en"], found["rest_zh"] or found["rest_en"]
        if further := _FURTHER.match(rest):  # 老板的儿子, "my kid's teacher"
            who, rest = who + further[0], rest[further.end() :]
        if kin := other(who.replace(",", "")):
            for name in _names(rest) if found["zh"] and not kin.animal else ("",):
                yield kin._replace(who=kin.who + name), STAND_IN[kin.tongue] + rest[len(name) :]
    elif last and (they := _THEY.match(clause)):
        rest = they["zh"] or they["en"] or f"'s{they['whose']}"
        yield last, STAND_IN[last.tongue] + rest


def _names(rest: str) -> Iterator[str]:
    """Yield what may be a name at the start of a text, and at last none."""
    if rest[0] in SURNAMES:
        yield from (rest[:3], rest[:2])
    elif rest[0] in "小老大阿":
        yield rest[:2]
    yield ""
