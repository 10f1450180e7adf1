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
from wangchuan.language.facts.claims import stored
from wangchuan.language.facts.corrections import (
    Clause,
    is_like,
    put,
    read_clauses,
    slipped,
    tells_change,
    values_in,
)
from wangchuan.language.facts.figures import Figure, figures, fits, refigured
from wangchuan.language.facts.sense_en import in_third, polished
from wangchuan.language.facts.telling import telling
from wangchuan.language.facts.utterances import asserted
from wangchuan.language.labels import holds
from wangchuan.language.numerals import MONTH_NAMES
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
    r"\A(?:请|以后)?(?:别|不要)|\A(?:please )?(?:don't|do not|never|always|stop)\b|"
    r"[?？]\W*\Z|吗|什么|怎么|[给帮]我|一遍|看看|再说|话题|[你您]"
    r"|\b(?:you|your|please|let's|topic|put it|make it|write|translate|what|how|why)\b",
    re.IGNORECASE,
)
_OTHERWISE = regex(  # something is not, or no longer, as it was
    r"不.{1,8}了|没.{0,6}了|那是|以前|放到|[改换搬]|涨|降|加上|现在|如今|实际|已经|从.{1,6}起"
    r"|这个?(?:学期|月|周|季度)|才是"
    r"|\b(?:any ?more|no longer|now|these days|nowadays|used to|instead|not|gone off|gave up"
    r"|given up"
    r"|starting|as of|from now on|counting|in fact|scratch|going to be|delayed|slipped|mine)\b"
    r"|n't\b",
    re.IGNORECASE,
)
_BACK = regex(  # what was just said is meant
    r"那是|的事了|\A以前(?:是|，|\Z)|不是完全|没那么|\A(?:used to|that was"
    r"|(?:well, )?not (?:quite|exactly|really))\b|any ?more\b"
    r"|\A(?:well|but|actually),? i do \w+|\A(?:haha |oh |wait,? ){0,3}(?:no|nope|不|才不是)[,， ]",
    re.IGNORECASE,
)
_PRONOUN = regex(r"[他她它]|\b(?:he|she|it|they|them|him|her)(?:'s|'re)?\b", re.IGNORECASE)
_BARE_VALUE = regex(r"(?:应该|it'?s |an? )?[是叫]?(?P<value>\w{1,8})", re.IGNORECASE)
_JOKING = regex(
    r"(?:逗你|骗你|开.?玩笑)[的玩呢啦]{0,2}|\b(?:just )?(?:kidding|joking|messing)\b", re.IGNORECASE
)
_LIGHT = frozenset("是有在去来说要会能") | {"is", "are", "have", "do", "get"}
_IDLE = frozenset({"user", "主人", "现在", "以前", "最近", "月", "年", "天", "now", "day", "month"})


class Aligned(NamedTuple):
    """A fact as it is now, and the value that was put into it, "" if it was told anew."""

    text: str
    value: str = ""


def aligned(fact: str, message: str, at: float | None) -> Aligned | None:
    """Return what a fact becomes by a message; None if that is not about it, or changes nothing."""
    zh = bool(_HAN.search(message))
    if zh != bool(_HAN.search(fact)) or len(message) > _LONGEST["zh" if zh else "en"]:
        return None
    joking = _JOKING.search(message)
    if not joking and not any(any(clauses) for clauses in asserted(message)):
        return None  # quoted, supposed, played
    if _REQUEST.search(_JOKING.sub("", message)) or not (joking or of_same(fact, message)):
        return None
    read = read_clauses(message)
    left = [one for one in read if one.text and not _JOKING.fullmatch(one.text)]
    owned = any(one.owned for one in read)
    sure = (
        bool(joking)
        or owned
        or tells_change(message)
        or bool(_OTHERWISE.search(message) or _BACK.search(message))
    )
    shared = _shared(fact, message)
    for text, value in _valued(fact, left, shared, sure, at):
        return Aligned(text, value)
    if len(left) == 1 and slipped(message) and (bare := _BARE_VALUE.fullmatch(left[0].text)):
        last = words(fact)[-1]
        parts = words(bare["value"])
        named = len(parts) == 1 or all(word.tag in _NAMING for word in parts)
        if named and last.tag in _NAMING and last.text not in message:
            return Aligned(put(fact, last.text, bare["value"]), bare["value"])
    text = _own_words(fact, left) if left else ""
    if not text or not (sure or (any(o.marked for o in read) and _answers_same(fact, text))):
        return None
    if joking:
        tied = any(True for _ in telling([one.text for one in left], frozenset(), at))
        return Aligned(text) if tied and len(left) < 3 and _TIED.search(text) else None
    own = _is_bare(left[0].text, "") or re.match(r"我|i\b", left[0].text, re.I)
    back = own and bool(_BACK.search(message)) and not (_NO.match(message) and stored(fact))
    return (
        Aligned(text) if shared or back or _goes_on(fact, left[0].text, slipped(message)) else None
    )


_NO = regex(r"(?:haha |oh |wait,? ){0,3}(?:no|nope|不|才不是)[,， ]", re.IGNORECASE)
_TIED = regex(rf"\d|[一二两三四五六七八九十]|{_KIN.pattern}", re.IGNORECASE)


def _answers_same(fact: str, text: str) -> bool:
    """Tell whether two texts answer the same question."""
    here, there = stored(fact), stored(text)
    return bool(here and there) and (here[0].who, here[0].slot) == (there[0].who, there[0].slot)


def _goes_on(fact: str, clause: str, owned: bool) -> bool:
    """Tell whether a clause goes on about the subject of a fact, by a pronoun or by "I"."""
    if they := _PRONOUN.match(clause):
        return _may_mean(they, fact)
    if owned and re.match(r"我|i\b", clause, re.I):
        return True
    named = any(word.tag in ("name", "time", "num") for word in words(clause))
    return named and _is_bare(clause, "") and bool(re.search("[搬换改迁转调挪].{1,8}了", clause))


_HER = regex(
    r"妈|姐|妹|女|奶|婆|妻|嫂|婶|娘|蜜|媳|太太|外婆|\b(?:mom|mum|mother|sister|daughter|wife"
    r"|aunt|niece|grand(?:ma|mother)|girlfriend)",
    re.I,
)
_HIM = regex(
    r"爸|哥|弟|男|爷|公|丈夫|叔|舅|儿子|先生|\b(?:dad|father|brother|son|husband|uncle|nephew"
    r"|grand(?:pa|father)|boyfriend)",
    re.I,
)


def _may_mean(they: re.Match[str], fact: str) -> bool:
    """Tell whether a pronoun can mean the one that a fact is about."""
    word = they[0].lower()
    other = _HIM if word[0] == "她" or word.startswith(("she", "her")) else _HER
    somebody = re.search(rf"{shapes_zh.KIN}|\b(?:{shapes_en.KIN})\b", fact, re.I)
    if word.startswith(("it", "they", "them", "它")):
        return bool(_KIN.search(fact))
    return bool(somebody) and not other.search(fact)


def of_same(fact: str, message: str) -> bool:
    """Tell whether nobody is spoken of whom a fact does not name."""
    they = re.match(r"\W*(?:[他她]|(?:he|she)\b)", message, re.I)
    if they and not _PEOPLE_NAMED.search(fact):
        return False
    if _BRINGS_UP.search(message) and not re.search(r"[有养]|\bhas\b", fact):
        return False
    named = (
        (one["zh"] or one["en"]).casefold() for one in _PEOPLE.finditer(_AGENT.sub("", message))
    )
    return all(one in fact.casefold() for one in named) or bool(
        _PEOPLE_NAMED.search(fact) or re.search("改成我|instead|加上|是我", message)
    )


_PEOPLE_NAMED = regex(rf"{shapes_zh.KIN}|\b(?:{shapes_en.KIN})(?=s?\b)", re.IGNORECASE)
_BRINGS_UP = regex(
    r"我们?家?[有养买][了着]?[一两]?[个辆只条台部匹]|\b(?:i|we) (?:have|own|got|bought) an? ",
    re.IGNORECASE,
)
_PEOPLE = regex(
    rf"我[^，。]{{0,5}}?(?P<zh>{shapes_zh.KIN}|{shapes_zh.PETS})|\b(?:my|our"
    rf"|have a) (?:[\w-]+ ){{0,1}}?(?P<en>{shapes_en.KIN}|{shapes_en.PETS})(?=s?\b)",
    re.IGNORECASE,
)
_AGENT = regex(  # who may change a thing of the speaker's
    r"(?<!我)(?<!我们)(?:客户|老板|领导|医生|房东|老师|供应商|主管|经理)"
    r"|(?<!my )(?<!our )\b(?:client|boss|doctor|landlord"
    r"|teacher|manager|supplier|vendor|customer|supervisor|school)\b",
    re.IGNORECASE,
)


def said_with(value: str, message: str) -> str:
    """Return the clause of a message that a value stands in."""
    return next((part for part in re.split("[，,。.;；]", message) if value in part), message)


def same_matter(fact: str, text: str) -> bool:
    """Tell whether two texts say the same of one subject, each with another value."""
    here, there = ((_SUBJECT_ZH.match(t) or _SUBJECT_EN.match(t)) for t in (fact, text))
    if not here or not there or here[0] != there[0]:
        return False
    verbs = [{w.text for w in words(t) if w.tag == "verb"} for t in (fact, text)]
    return not verbs[0].isdisjoint(verbs[1])


def _shared(fact: str, message: str) -> set[str]:
    """Return the words that a message has in common with a fact."""
    acts = {word.text for word in words(message) if word.tag in ("verb", "light")} - _LIGHT
    acts |= set(re.findall("不(\\w)了", message))
    common = (set(terms(fact)) & set(terms(message)) - _IDLE) | {act for act in acts if act in fact}
    return {term for term in common if (len(term) > 1 or term in acts) and not term.isdigit()}


def _valued(
    fact: str, clauses: list[Clause], shared: set[str], sure: bool, at: float | None
) -> Iterator[tuple[str, str]]:
    """Yield a fact with a value of the message in the place of one of its kind."""
    whole = " ".join(one.text for one in clauses).casefold()
    if not (shared or _opens(clauses)):
        return
    for clause in reversed(clauses):
        for one in () if _MORE.search(clause.text) else figures(clause.text):
            value = clause.text[one.start : one.end]
            same = [there for there in figures(fact) if fits(one, there)]
            bare = shared or one.kind == "day" or _is_bare(clause.text, value)
            it = (
                _PRONOUN.search(clause.text)
                and _counts(value) in [_counts(fact, t) for t in same]
                and _counts(value) != "-"
            )
            meant = sure or (not one.start and clause is clauses[0]) or it
            if one.kind != "one" and same and bare and meant:
                yield from ((text, value) for text in refigured(fact, value, at))
        for _, value in values_in(clause.text) if sure else ():
            for raw in (claim.raw for claim in stored(fact)):
                if (
                    is_like(raw, value)
                    and len(value) < len(raw) + 3
                    and _is_bare(clause.text, value)
                ):
                    yield put(fact, raw, value), value
        for value in _names(clause.text) if sure else ():
            if value.casefold() in fact.casefold() or not (shared or _is_bare(clause.text, value)):
                continue
            if clause.text.startswith(value) and len(clause.text) > len(value) + 2:
                continue  # it is spoken of
            if _LEFT.search(clause.text.partition(value)[0]):
                continue  # it is the old one
            there = [(old, holds(whole, old)) for old in reversed(_names(fact))]
            for old, gone in sorted(there, key=lambda one: not one[1]):
                if gone and (_HAN.search(fact) or holds(clause.text, old)):
                    break  # told in its own words
                if gone or _like(fact, old, value):
                    yield put(fact, old, value), value


_POINTING = frozenset({"", "是", "叫", "应该是", "it's", "that's", "it is", "is"})
_MORE = regex(r"[又再]|\b(?:another|new one)\b", re.IGNORECASE)


def _opens(clauses: list[Clause]) -> bool:
    """Tell whether a message begins with no subject but the speaker, or who changes things."""
    first = clauses[0].text if clauses else ""
    own = re.match(r"我|i\b|we\b", first, re.I)
    figure = len(clauses) == 1 and bool(figures(first))
    return bool(own or figure or _AGENT.match(first) or _is_bare(first, "")) or _is_bare(
        first, next(iter(_names(first)), "")
    )


_LEFT = regex(r"\b(?:left|quit|from|out of)\s{0,3}\Z|从\Z|离开了?\Z", re.IGNORECASE)


def _counts(text: str, one: Figure | None = None) -> str:
    """Return what a figure counts, as it is written."""
    return re.sub(r"[\d.,]", "", text[one.start : one.end] if one else text) or "-"


def _like(fact: str, old: str, value: str) -> bool:
    """Tell whether a name may stand for another: of one kind, or the only one."""
    return is_like(old, value) or (len(_names(fact)) == 1 and _mine(old) == _mine(value))


def _mine(name: str) -> bool:
    return name.startswith(("主人", "their "))


_NAME = regex(r"(?:(?<=[^.!?] )|\A)(?!I\b)[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*){0,2}")


def _names(text: str) -> list[str]:
    """Return the names in a text: capitalised, or known to the dictionary for one; and kin."""
    days = [(one.start, one.end) for one in figures(text)]
    if _HAN.search(text):
        latin = regex(r"[A-Za-z][\w.+#-]{1,30}").finditer(text)
        found = [(w.text, w.start) for w in words(text) if w.tag in ("name", "id")]
        found = found or [(name[0], name.start()) for name in latin]
    else:
        named = ((name[0], name.start()) for name in _NAME.finditer(text))
        found = [one for one in named if one[1] or one[0].lower() not in ENGLISH_WORDS]
        found = [one for one in found if one[0][:3].lower() not in MONTH_NAMES and one[0] != "The"]
    free = (name for name, at in found if not any(start <= at < end for start, end in days))
    return [*(name for name in free if len(name) > 1), *_somebody(text)]


def _somebody(text: str) -> list[str]:
    """Return who of the speaker's is named for a value."""
    zh = re.findall(rf"(?<=[是成])(?:我|主人)的?(?:{shapes_zh.KIN})", text)
    en = re.findall(rf"\b(?:my|their) (?:{shapes_en.KIN})\b", text, re.IGNORECASE)
    return [*(one.replace("我", "主人的") for one in zh), *(polished(one) for one in en)]


_LEADING = regex(
    r"(?:(?:after|in|on|at|since|from|for|over) [\w' ]{1,25}? )?(?=(?:we|i|it|they|he|she)\b)", re.I
)
_NAMING = frozenset({"noun", "name", "id"})


def _is_bare(clause: str, value: str) -> bool:
    """Tell whether a clause has no subject of its own before a value: no noun, no "I"."""
    lead = _LEADING.match(clause)
    before = clause[lead.end() if lead else 0 :]
    before = _OTHERWISE.sub("", before.partition(value)[0]) if value else before
    if re.match(r"我(?!们)|i\b", before, re.I) and not tells_change(clause):
        return False
    return not any(word.tag in _NAMING for word in words(before)[:2])


_SUBJECT_ZH = regex(rf"主人(?:的(?:{shapes_zh.KIN}|{shapes_zh.PETS}|{shapes_zh.OURS}))?")
_SUBJECT_EN = regex(
    rf"The user(?:'s (?:[\w-]+ ){{0,2}}?(?:{shapes_en.KIN}|{shapes_en.PETS}"
    rf"|{shapes_en.OURS})s?)?|The [\w-]+(?: [\w-]+)?(?= (?:is|are|has|was)\b)"
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
