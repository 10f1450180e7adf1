"""What becomes of a fact by what its owner says next: aligned with it, not read by phrases.

A message is about a fact if it says a word of it, or has no subject of its own and a value of a
kind that stands there.  If it also says that something is otherwise (a slip, a change, a "no
longer", a "these days"), the value goes where one of its kind stands: a day for a day, a number
for a number, a name for a name, somebody for somebody.  Where no value fits, the fact is told
anew in the message's own words: what its owner disputes must not stand alone.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wangchuan.language.facts import shapes_en, shapes_zh
from wangchuan.language.facts.corrections import Clause, is_like, put, read_clauses, tells_change
from wangchuan.language.facts.figures import figures, fits, refigured
from wangchuan.language.facts.sense_en import in_third, polished
from wangchuan.language.facts.telling import telling
from wangchuan.language.terms import terms
from wangchuan.language.text import HAN, words
from wangchuan.language.words import ENGLISH_WORDS
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_LONGEST = {"zh": 40, "en": 110}  # characters of a message that puts something right
_KIN = regex(
    rf"{shapes_zh.KIN}|{shapes_zh.PETS}|\b(?:{shapes_en.KIN}|{shapes_en.PETS})(?=s?\b)",
    re.IGNORECASE,
)
_REQUEST = regex(
    r"[?？]\W*\Z|吗|什么|怎么|[给帮]我|一遍|看看|再说|话题|[你您]"
    r"|\b(?:you|your|please|let's|topic|put it|make it|write|translate|what|how|why)\b",
    re.IGNORECASE,
)
_OTHERWISE = regex(
    r"不.{1,8}了|没.{0,6}了|那是(?:以前|去年|前年|之前|上)|以前|放到|[改换]|涨|降|加上|现在|如今|从.{1,6}起|这个?(?:学期|月|周|季度)|不异|没那么|才是"
    r"|\b(?:any ?more|no longer|now|these days|nowadays|used to|instead|not|n't|gone off|gave up|given up|stopped|sold|left"
    r"|starting|from now on|counting|in fact|switched|scratch|going to be|delayed|slipped|do (?=eat|drink|have|like)|before the)\b|n't\b",
    re.IGNORECASE,
)
_PRONOUN = regex(r"[他她它]|\b(?:he|she|it|they|them|him|her)(?:'s|'re)?\b", re.IGNORECASE)
_IDLE = frozenset({"user", "主人", "现在", "以前", "最近", "月", "年", "天", "now", "day", "month"})


class Aligned(NamedTuple):
    """A fact as it is now, and whether only a value of it was changed."""

    text: str
    value: str = ""


def aligned(fact: str, message: str, at: float | None) -> Aligned | None:
    """Return what a fact becomes by a message; None if that is not about it, or changes nothing."""
    zh = bool(_HAN.search(message))
    if (zh and not _HAN.search(fact)) or len(message) > _LONGEST["zh" if zh else "en"]:
        return None
    if _REQUEST.search(message) or not _of_same(fact, message):
        return None
    read = read_clauses(message)
    left = [one for one in read if one.text]
    owned = any(one.owned for one in read)
    sure = owned or tells_change(message) or bool(_OTHERWISE.search(message))
    shared = _shared(fact, message)
    for text, value in _valued(fact, left, shared, at) if sure or _PRONOUN.search(message) else ():
        return Aligned(text, value)
    if not left or not sure:
        return None
    joking = _JOKING.search(message)
    same = shared or (not joking and _goes_on(fact, left[0].text, owned))
    tied = joking and any(telling([one.text for one in left], frozenset(), at))
    return Aligned(_own_words(fact, left)) if same or tied else None


_JOKING = regex(r"逗你|骗你|开.?玩笑|\b(?:kidding|joking|messing)\b", re.IGNORECASE)


def _goes_on(fact: str, clause: str, owned: bool) -> bool:
    """Tell whether a clause goes on about the subject of a fact, by a pronoun or without one."""
    they = _PRONOUN.match(clause)
    return bool(they and _KIN.search(fact)) or (owned and bool(re.match(r"我|i\b", clause, re.I)))


def _of_same(fact: str, message: str) -> bool:
    """Tell whether nobody of the speaker's is spoken of whom a fact does not name."""
    return all(one.casefold() in fact.casefold() for one in _MINE.findall(message)) or bool(
        _KIN.search(fact) or re.search("改成我|instead", message)
    )


_MINE = regex(
    rf"(?<=我)的?(?:{shapes_zh.KIN}|{shapes_zh.PETS})|(?<=\bmy )(?:{shapes_en.KIN}|{shapes_en.PETS})\b",
    re.IGNORECASE,
)


def _shared(fact: str, message: str) -> set[str]:
    """Return the words that a message has in common with a fact."""
    acts = {word.text for word in words(message) if word.tag == "verb"}
    common = set(terms(fact)) & set(terms(message)) - _IDLE
    return {term for term in common if (len(term) > 1 or term in acts) and not term.isdigit()}


def _valued(
    fact: str, clauses: list[Clause], shared: set[str], at: float | None
) -> Iterator[tuple[str, str]]:
    """Yield a fact with a value of the message in the place of one of its kind."""
    whole = " ".join(one.text for one in clauses)
    for clause in reversed(clauses):
        bare = shared or _is_bare(clause.text)
        for one in figures(clause.text):
            value = clause.text[one.start : one.end]
            same = [there for there in figures(fact) if fits(one, there)]
            if one.kind != "one" and same and (bare or one.kind == "day"):
                yield from ((text, value) for text in refigured(fact, value, at))
        for value in _names(clause.text) if bare else ():
            for old in _names(fact):
                again = old.casefold() in whole.casefold()
                if value.casefold() not in fact.casefold() and not again and _like(fact, old, value):
                    yield put(fact, old, value), value


def _like(fact: str, old: str, value: str) -> bool:
    return is_like(old, value) or len(_names(fact)) == 1


_NAME = regex(r"(?<![.!?] )(?<!\A)\b(?!I\b)[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*){0,2}|[A-Z][\w.+#-]{2,}\Z")


def _names(text: str) -> list[str]:
    """Return the names in a text: capitalised, or known to the dictionary for one; and kin."""
    if not _HAN.search(text):
        return [*(name[0] for name in _NAME.finditer(text)), *_somebody(text)]
    named = [word.text for word in words(text) if word.tag in ("name", "id")]
    return [*(name for name in named if len(name) > 1), *_somebody(text)]


def _somebody(text: str) -> list[str]:
    """Return who of the speaker's is named for a value."""
    zh = re.findall(rf"(?<=[是成])(?:我|主人)的?(?:{shapes_zh.KIN})", text)
    en = re.findall(rf"\b(?:my|their) (?:{shapes_en.KIN})\b", text, re.IGNORECASE)
    return [*(one.replace("我", "主人的") for one in zh), *(polished(one) for one in en)]


_BARE = regex(
    r"(?:现在|目前|已经|上个?[周月]|年后|去年|最近|刚|都|就|也|又|才|是|其实|应该|从.{1,6}起|,|，|\s)*(?:[改换搬迁调挪延推涨降转放加到成叫是在学用喝吃做开]|\d|[一二两三四五六七八九十]|[他她它这那])"
    r"|(?:we|i|they|it|he|she|that|these|this|starting|now|actually|in|the|a|an|make|not|but|\d)\b|\W*\w+\W*\Z",
    re.IGNORECASE,
)


def _is_bare(clause: str) -> bool:
    """Tell whether a clause has no subject of its own."""
    return bool(_BARE.match(clause)) and not re.match(r"[我]", clause)


_SUBJECT_ZH = regex(rf"主人(?:的(?:{shapes_zh.KIN}|{shapes_zh.PETS}|{shapes_zh.OURS}))?")
_SUBJECT_EN = regex(
    rf"The user(?:'s (?:[\w-]+ ){{0,2}}?(?:{shapes_en.KIN}|{shapes_en.PETS}|{shapes_en.OURS})s?)?|The [\w-]+(?: [\w-]+)?(?= (?:is|are|has|was)\b)"
)


def _own_words(fact: str, clauses: list[Clause]) -> str:
    """Return what a message says, of the subject that a fact has."""
    zh = bool(_HAN.search(fact))
    found = (_SUBJECT_ZH if zh else _SUBJECT_EN).match(fact)
    subject = found[0] if found else ""
    text = ("，" if zh else ", ").join(one.text for one in clauses).strip(" ，,。.")
    if zh:
        text = re.sub("[他她它]们?", subject or "主人", text, count=1)
        text = re.sub("我们?", "主人", text)
        return text if subject in text or "主人" in text[:6] else (subject or "主人") + text
    if subject and (they := re.match(r"(?:he|she|it|they)\b(?:'(?P<s>s|re))?", text, re.I)):
        return subject + (" is" if they["s"] else "") + polished(text[they.end() :])
    acts = not re.search(r"\b(?:i|we|my|our)\b", text[:12], re.I) and (
        ENGLISH_WORDS.get(text.split()[0].lower()) == "verb" and text[0].islower()
    )
    told = in_third(f"I {text}" if acts else text)
    told = told.replace("{whose}", "the user's").replace("{who}", "the user")
    return told[:1].upper() + told[1:]
