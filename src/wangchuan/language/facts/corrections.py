"""What a message puts right of what its speaker said before (说错了，是13号; "No wait, Thursday").

A message is read clause by clause.  Clauses that only turn back ("sorry", 打错字了, "my mistake")
say that something is wrong; what is left names what is right, and perhaps what was wrong.  Where a
value goes is decided by its kind: a date for a date, a count of the same things, a name spelt
alike.  Only who owns a slip, or says that something has changed, may put any value for another.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from wangchuan.language.dates.coming import day_of
from wangchuan.language.facts.claims import Claim, stored
from wangchuan.language.facts.sense_en import ENGLISH
from wangchuan.language.facts.sense_zh import CHINESE
from wangchuan.language.numerals import values
from wangchuan.language.terms import terms
from wangchuan.language.text import HAN, words
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_LONGEST = 24  # characters of a value
_LONGEST_MESSAGE = 120  # a longer one goes on about something
_CLAUSES = regex(
    r"(?:，|(?<!\d),|,(?!\d)|[。!！?？;；:：\n…~—]|\.(?!\d)){1,4}\s{0,4}|\s{1,4}-{1,2}\s{1,4}"
)
_ASKS = regex(
    r"[?？]\W*\Z|吗|什么|谁|哪[^怕]|多少|怎么|\b(?:who|what|where|when|how|why|let'?s)\b", re.I
)

# Words that own a slip of the tongue, and words that may only turn back.
_OWNED = (
    r"(?:我|是|刚才|刚刚|上面|前面){0,3}[^，。我你他她]{0,4}?"
    r"(?:[说讲打写记搞弄念看想输][错混岔反漏快]|[口手笔]误|手滑|更正|纠正)(?:一下|字|了|啦){0,3}"
    r"|字错了|输入法的锅|(?:我们?)?改主意了?|我?开玩笑的?|骗你的|应该说"
    r"|correction|typo|scratch that|(?:just )?kidding|gotcha|(?:that|it)'?s? (?:was )?wrong"
    r"|(?:it'?s )?my (?:bad|mistake)|slip of the \w+|let me correct (?:that|it)|to be precise"
    r"|(?:i|we) (?:got|had|said|wrote|typed|mixed) (?:that|it|this|them) (?:wrong(?:ly)?|up"
    r"|backwards?)|(?:i )?mis(?:spoke|typed|read|remembered|wrote|said)(?: (?:it|that))?"
    r"|(?:we )?changed (?:my|our) minds?|i meant(?! to\b)|i was wrong|make (?:that|it)|autocorrect"
    r"|on second thoughts?|(?:spell?ed )?with an? \w\b"
)
_WRONG = "不对(?:不对){0,3}|错了(?:错了){0,3}|wrong"
_TURNING = (
    r"不{1,5}(?=\Z|我)|等等|等一?下|抱歉|对不起|不好意思|其实|准确[地来]?说|我是说|我的意思是|应该(?=是|叫|在)"
    r"|哈{1,9}|no{1,5}|nope|oh|ah|argh|well|er{1,4}|um{1,4}|wait|hold on|hang on|sorry|apologies"
    r"|o{1,4}ps|whoops|actually|rather|i mean|(?:it )?should be|ha(?:ha){1,4}|lol"
)
_OH = "[啊哦噢呃唉哎呀嗯]{0,6}"
_MARK = regex(
    rf"(?:(?=[啊哦噢呃唉哎呀嗯]){_OH}\Z|{_OH}(?:(?P<owned>{_OWNED}|{_WRONG})|{_TURNING}))"
    rf"(?:(?<=说)|(?<=[{HAN}])(?=\Z|[\s是叫在姓我他她它应不]|[^{HAN}])|(?<=\w)(?![\w']))"
    r"[\s，,]{0,4}",
    re.IGNORECASE,
)
_SLIPPED = regex(rf"{_OH}(?:{_OWNED})", re.IGNORECASE)
_BEHIND = regex(
    r"[\s,]{0,3}\b(?:with (?:an?|two|double) \w(?:'?s)?|to be precise|my (?:bad|mistake)|typo)\Z"
    r"|才对\Z",
    re.IGNORECASE,
)
_NO = regex(
    r"[啊哦噢呃唉哎呀]{0,6}(?:不|等)|(?:oh |ah )?(?:no{1,5}|nope|wait|sorry)\b|i mean\b",
    re.IGNORECASE,
)
_WHICH = regex(r"是|叫|it'?s |an? ", re.IGNORECASE)
_SHOULD = regex(r"应该[是叫在]|\bshould be\b", re.IGNORECASE)
_CHANGED = regex(
    r"[改换转调挪迁搬升涨降变延]|推迟|提前|取消|否了|满了|跳槽|\b(?:mov(?:ed|ing)|changed|postponed|pushed"
    r"|rebooked|rescheduled|switch\w*|migrated|renamed|extended|raised|went up|rejected|full|left"
    r"|instead|traded|ago|after all)\b",
    re.IGNORECASE,
)
_CHANGE = regex(
    r"(?P<of>.{0,16}?)(?:[改换转调挪迁搬升涨降变]|推迟|提前|延[期长后]?|改[签期名]){1,2}"
    r"[到成至为叫用走在喝吃]{1,2}了?(?P<to>.+)|.{0,8}?还是(?:用|选|做)(?P<still>.+)"
    r"|(?P<topic>.{0,40}?)\b(?:mov|chang|postpon|push|rebook|reschedul|switch|migrat|renam|extend"
    r"|rais)(?:ed|ing)(?: (?:it|them))?(?: (?:back|up))? (?:to|into) (?P<en>.+)"
    r"|.{0,12}\brenamed (?:it|him|her|them) (?P<name>.+)"
    r"|.{0,12}\bgo(?:ing)? with (?P<with>.+?)(?: after all)?",
    re.IGNORECASE,
)
_NOW = regex(r".{0,8}?(?:现在|目前)(?P<zh>.+)|(?P<en>.{1,60}?) now|now (?P<now>.+)", re.IGNORECASE)
_DENIED = regex(
    r"(?:.{0,12}?)不[是叫姓在](?P<zh>[^，。是]{1,16}?)(?:了)?(?:(?:而是|，?是)(?P<so>.+))?"
    r"|(?:.{0,30}?)(?:\bnot|isn'?t|aren'?t|wasn'?t|n't)(?: (?:in|on|at|a|an|the))? (?P<en>.{1,30}?)"
    r"(?: any ?more)?(?: but (?P<but>.+))?",
    re.IGNORECASE,
)
_CUES = frozenset({
    "是", "叫", "姓", "在", "到", "成", "做", "用", "去", "学", "住", "为", "is", "are", "to",
    "from", "in", "at", "on", "with", "as", "called", "named", "be", "a", "an", "the", "mean",
    "booked", "does", "it's", "he's", "she's", "we're", "i'm", "they're", "that's",
})  # fmt: skip
_FILLED = regex(
    r"\A(?:(?:而|还|其实)?是|叫|现在|才|就|[他她它]|it'?s|it is|but|so|and|really|the|an?\b)\s*",
    re.I,
)
_TRAILING = regex(r"(?:了|啦|才对|吧|的|呢| now| instead| already| rather){1,3}\Z", re.IGNORECASE)
_NO_VALUE = regex(
    r"[我你他她它这那吗呢吧着不没谢]|过(?!敏)|[^\w\s]{2}|因为|n't\b|\b(?:i|you|he|she|it|we|they|this|that|not"
    r"|who|because|and|thanks?|please|yes|so)\b",
    re.IGNORECASE,
)
_NO_MORE = regex(
    r"不(?:再|怎么)?(?P<zh>\w{1,3}?)了"
    r"|\b(?:don'?t|can'?t|no longer) (?P<en>\w+)\b.{0,12}\bany ?more",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Correction:
    """What is right, what is called wrong ("" if nothing), whether it was owned as a slip."""

    right: str
    wrong: str = ""
    sure: bool = False  # a slip is owned, or a change is told
    about: str = ""  # what is spoken of: the value of another thing is none of this one


def owns_slip(message: str) -> bool:
    """Tell whether a message says that something its speaker said was wrong."""
    return any(owned for _, owned in _clauses(message))


def disowns(message: str) -> bool:
    """Tell whether a message takes back what its speaker said, and does not merely say no."""
    clauses = _CLAUSES.split(message)
    return owns_slip(message) and any(map(_SLIPPED.match, (c.strip() for c in clauses)))


def tells_change(message: str) -> bool:
    """Tell whether a message says that something was said wrongly, or is no longer so."""
    return owns_slip(message) or bool(_CHANGED.search(message))


def ends(message: str, text: str) -> bool:
    """Tell whether a message says that what a fact tells is done no more, without naming it."""
    return any((verb["zh"] or verb["en"]) in text for verb in _NO_MORE.finditer(message))


def corrections(message: str) -> tuple[Correction, ...]:
    """Return what a message may put right, the likeliest first."""
    return _corrections(message) if len(message) <= _LONGEST_MESSAGE else ()


@lru_cache(1 << 12)
def _corrections(message: str) -> tuple[Correction, ...]:
    if _ASKS.search(message):
        return ()
    read = _clauses(message)
    left = [text for text, _ in read if text]
    owned, starred = any(own for _, own in read), message.lstrip().startswith("*")
    marked = any(_MARK.match(clause.strip()) for clause in _CLAUSES.split(message))
    turned = marked or owned or starred or bool(_SHOULD.search(message))
    found = [*_denials(left[-2:] if turned else left), *_changes(left)]
    plain = bool(_NO.match(message.strip()))
    found += [
        Correction(value, sure=owned or (plain and _says_which(text, value, about)), about=about)
        for text in (left[:2] if turned else ())
        for about, value in _values(text)
    ]
    return tuple(dict.fromkeys(found))


def sets_right(later: str, earlier: str, at_once: bool) -> bool:
    """Tell whether a message puts right what its speaker said in an earlier one.

    It calls something wrong that was said there, or speaks of the same thing; `at_once`, as the
    very next one, it may also give nothing but another value of a kind that stands there.
    """
    said, there = set(terms(earlier)), earlier.casefold()
    for one in corrections(later):
        beside = terms(one.about) or terms(_DIGITS.sub(" ", one.right))
        fits = kind(one.right) in _kinds(earlier)
        plain = not terms(one.about) and not _I.match(one.about)
        given = plain or kind(one.right) or _MEANT.match(one.about)
        bare = at_once and one.sure and given and not one.wrong  # it would name what was wrong
        if one.wrong and one.wrong.casefold() in there:
            return True
        enough = 1 if at_once else max(SHARED * len(beside), 1 if terms(one.about) else 2)
        shared = sum(term in said for term in beside) >= enough
        if fits and one.right.casefold() not in there and (bare or shared):
            return True
    return False


def _clauses(message: str) -> list[tuple[str, bool]]:
    """Return the clauses of a message without their marks, and whether those own a slip."""
    found = []
    for clause in filter(str.strip, _CLAUSES.split(message)):
        rest = clause.strip(" *“”\"'「」")
        tail = _BEHIND.search(rest)
        rest, owned = rest[: tail.start()] if tail else rest, tail is not None
        while rest and (mark := _MARK.match(rest)) and mark.end():
            rest, owned = rest[mark.end() :], owned or bool(mark["owned"])
        found.append((rest.strip(), owned))
    return found


def _says_which(clause: str, value: str, about: str) -> bool:
    """Tell whether a clause says which it is, by a name, a number or a thing with its article."""
    article = clause[:2].lower() in ("a ", "an")
    return bool(_WHICH.match(clause) or terms(about)) and (article or not value.islower())


def _denials(clauses: list[str]) -> Iterator[Correction]:
    """Yield what is denied at once, with what is said instead: beside it, behind or before it."""
    for place, clause in enumerate(clauses[:2]):
        found = _DENIED.fullmatch(clause)
        wrong = (found["zh"] or found["en"] or "").strip() if found else ""
        here = found and (found["so"] or found["but"])
        beside = clauses[1 - place : 2 - place]  # the other one of the first two
        text = here or next(iter(beside), "")
        if wrong and text and (here or place == 0 or len(clauses) == 2):
            yield from (Correction(value, wrong, sure=True) for _, value in _values(text))


def _changes(clauses: list[str]) -> Iterator[Correction]:
    """Yield what something is said to be by now."""
    told = ""
    for clause in clauses[:3]:
        found, now = _CHANGE.fullmatch(clause), _NOW.fullmatch(clause)
        if found:
            about = told + (found["of"] or found["topic"] or "")
            to = found["to"] or found["still"] or found["en"] or found["with"] or found["name"]
            yield from (Correction(value, sure=True, about=about) for _, value in _values(to))
        elif now or told:
            text = (now["zh"] or now["en"] or now["now"]) if now else clause
            of = "" if _MEANT.match(clause) else told  # it is what was changed
            for about, value in _values(text):
                yield Correction(value, sure=bool(told or terms(about)), about=of + about)
        told += clause if _CHANGED.search(clause) else ""


def _values(text: str) -> Iterator[tuple[str, str]]:
    """Yield what may be a value in a clause, and what is before it; behind the last cue first."""
    text = _TRAILING.sub("", text)
    if figures := _FIGURES.search(text):
        yield text[: figures.start()], figures[0]
    cuts = [w.end for w in words(text) if w.text.lower() in _CUES or w.text[-1] in "是叫在到成为"]
    for cut in (*reversed(cuts), 0):
        value = text[cut:].strip(" “”\"'「」")
        while lead := _FILLED.match(value):
            value = value[lead.end() :]
        if 0 < len(value) <= _LONGEST and not _NO_VALUE.search(value):
            yield text[:cut], value


_NUMERALS = r"[\d零一二两三四五六七八九十百千万]"
_FIGURES = regex(rf"(?<=[^\W\d_])(?<!{_NUMERALS}){_NUMERALS}{{2,8}}[个元块楼层号人天米]?\Z")


# Where a value goes ------------------------------------------------------------------------

_DAYS = regex(
    r"[月号日]\Z|[月号日]|周[一二三四五六日天末]|星期|礼拜|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|day\b|\d(?:st|nd|rd|th)\b|\d{4}-",
    re.IGNORECASE,
)
_HOURS = regex(r"\d点|[一二两三四五六七八九十]点|[ap]m\b|o'clock|half past|:\d\d", re.IGNORECASE)
_NUMBERED = regex(
    rf"\d|{_NUMERALS}{{2}}|{_NUMERALS}(?:[月号日点楼层个位岁块元只条年级班天周米]|\Z)"
)


def kind(value: str) -> str:
    """Return what kind of value this is: a day, an hour, a number of something, "" for a name."""
    if not values(value) or (_HAN.search(value) and not _NUMBERED.search(value)):
        return ""
    return "day" if _DAYS.search(value) else "hour" if _HOURS.search(value) else "number"


def _kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of values that a message holds; it may always hold a name."""
    found = (("day", _DAYS.search(text)), ("hour", _HOURS.search(text)), ("number", values(text)))
    return ("", *(name for name, there in found if there))


def is_like(raw: str, right: str) -> bool:
    """Tell whether two values are of one kind and differ: numbers, one head noun, a spelling."""
    here, there = (_ARTICLE.sub("", value.casefold()) for value in (raw, right))
    if here == there or kind(raw) != kind(right):
        return False
    if kind(right):
        return kind(right) != "number" or _counted(there) in ("", _counted(here))
    if _NAME.search(raw) and _NAME.fullmatch(right):
        return True
    if " " in here and " " in there:
        return here.split()[-1] == there.split()[-1] or here.split()[0] == there.split()[0]
    if _HAN.search(there) and here[-1:] == there[-1]:  # 法语 and 德语, 阿里云 and 腾讯云
        return 1 < len(there) <= 2 + len(here)
    return min(len(here), len(there)) > 1 and SequenceMatcher(None, here, there).ratio() >= SPELT


_ARTICLE = regex("an? |the ")
SHARED = 0.6  # of the words beside a value: two messages with so many speak of the same
SPELT = 0.5  # of its letters, a name that is spelt otherwise keeps
_NAME = regex(r"(?<!\w)[A-Z][\w.+#]{1,30}\Z")


def _counted(value: str) -> str:
    """Return what is counted by a value, "" if nothing is."""
    last = re.split(rf"{_NUMERALS}|\s", value)[-1].strip("了的")
    return "" if values(last) else last


_DAY_ONLY = regex(r"(?:the )?(\d{1,2})(?:st|nd|rd|th|号|日)\Z", re.IGNORECASE)
_DAY = regex(r"(?<!\d)\d{1,2}(?:st|nd|rd|th|号|日)?(?!\d|月)(?=\D*\Z)", re.IGNORECASE)
_AMOUNT = regex(
    r"[\d一二两三四五六七八九十几]{1,3}[只条头匹辆台个位把]"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\b"
)
_LAST_NAME = regex(r"(?<![A-Za-z])[A-Z][\w.+#]{1,30}(?: [A-Z][\w.+#]{1,30}){0,2}\Z")
_VERBAL = regex("[了得把被让请再还也都]|[按点]|一下")
_OPEN = frozenset({"employer", "occupation", "ours", "name", "called", "decision", "favourite"})
_CAREER = frozenset({"employer", "occupation", "major", "school"})
_I = regex(r"我(?!们)|i\b", re.IGNORECASE)
_DIGITS = regex(rf"{_NUMERALS}+")
# Who or what was just spoken of.
_MEANT = regex(r"[他她]|(?P<it>它|(?:it|they)\b)|(?:he|she)\b", re.IGNORECASE)


def corrected(text: str, found: Correction, at: float | None) -> Iterator[str]:
    """Yield a kept fact with what is right in it, if it answers the same question with that."""
    right = found.right
    if not kind(right) and (CHINESE.pointing.search(right) or ENGLISH.pointing.search(right)):
        return
    if _HAN.search(right) if not _HAN.search(text) else right.islower():
        return  # of another language
    about = terms(found.about)
    shared = not about or not set(about).isdisjoint(terms(text))
    meant = _MEANT.match(found.about)
    for claim in stored(text):
        new = _put(text, claim, right, at)
        again = stored(new) if new != text else ()
        same = any((one.who, one.slot) == (claim.who, claim.slot) for one in again)
        like = (
            claim.slot in ("plan", "state") or is_like(claim.raw, right) or _is_count(claim, right)
        )
        his = claim.slot in _CAREER and _I.match(found.about)
        may = (same or claim.slot in _OPEN) and (
            shared or his or (meant and (claim.who or meant["it"]))
        )
        if new != text and (like or (found.sure and may and not _VERBAL.search(right))):
            yield new


def _is_count(claim: Claim, right: str) -> bool:
    return claim.slot == "possession" and bool(_AMOUNT.fullmatch(right))


def _put(text: str, claim: Claim, right: str, at: float | None) -> str:
    """Put a value for that of a claim; the text as it is if they are not of one kind."""
    if claim.slot in ("plan", "state"):
        day = day_of(right, at) if at is not None else ""
        return text.replace(claim.when.split()[-1], day) if day and claim.when else text
    raw = claim.raw
    behind = text.partition(raw)[2]
    right = next((right[:-n] for n in (2, 1) if behind[:n] == right[-n:] != raw[-n:]), right)
    before = text.partition(raw)[0]
    right = right[1:] if len(right) > 1 and before[-1:] == right[0] != raw[:1] else right
    named, other = _LAST_NAME.search(raw), _LAST_NAME.fullmatch(right)
    if _AMOUNT.fullmatch(right) and claim.slot == "possession":
        new = _AMOUNT.sub(lambda _: right, raw, count=1)
    elif named and named.start() and other:  # of "use React" only the name
        new = raw[: named.start()] + right
    elif _DAY_ONLY.match(right):
        new = _DAY.sub(lambda _: right.removeprefix("the "), raw, count=1)
    else:
        new = _alike(raw, right, claim.slot)
    return text.replace(raw, new) if raw else text


def _alike(raw: str, right: str, slot: str) -> str:
    """Return a value in the form of another, or that other one where it cannot be its successor."""
    if slot != "possession" and kind(raw) != kind(right):
        return raw
    article, own = (re.match("an? ", value, re.IGNORECASE) for value in (raw, right))
    right = right[own.end() :] if own and not article else right
    name = raw[article.end() :] if article else raw
    if name[:1].isupper() and right.islower() and not own:
        return raw
    return f"{article[0]}{right}" if article and not own and not values(right) else right
