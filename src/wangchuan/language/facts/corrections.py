"""What a message calls wrong of what its speaker said before (不是13号，是14号; "Pete, not Peter").

A message is read clause by clause.  Clauses that only turn back ("sorry", 打错字了, "my mistake")
say that something is wrong, and are left out of the others.  A denial names the wrong value and,
beside it, the right one, which takes its place in a fact, in the form that the wrong one had.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from wangchuan.language.facts import shapes_zh
from wangchuan.language.facts.figures import figures, kind, refigured
from wangchuan.language.labels import holds
from wangchuan.language.terms import terms
from wangchuan.language.text import HAN, WINDOW, words
from wangchuan.language.words import ENGLISH_WORDS
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_LONGEST = 24  # characters of a value
SPELT = 0.5  # of its letters, a name that is spelt otherwise keeps
_CLAUSES = regex(
    r"(?:，|(?<!\d),|,(?!\d)|[。!！?？;；：\n…~—]|:(?!\d)|(?<!Mr|Ms"
    r"|Dr)(?<!Mrs)\.(?!\d)){1,4}\s{0,4}"
    r"|\s{1,4}-{1,2}\s{1,4}|\s(?=but it'?s )"
)
# Words that own a slip of the tongue, and words that may only turn back.
_OWNED = (
    r"(?:我|是|刚才|刚刚|上面|前面){0,3}[^，。我你他她]{0,4}?"
    r"(?:[说讲打写记搞弄念看想输算听][错混岔反漏快]|[口手笔]误|手[滑抖]|更正|纠正"
    r"|改(?=一?下))(?:一?下|字|了|啦){0,3}"
    r"|字错了|输入法的锅|(?:我们?)?改主意了?|我?开玩笑的?|骗你的|应该说|严格[来地]?说"
    r"|correction|typo|scratch that|(?:just )?kidding|gotcha|(?:that|it)'?s? (?:was )?wrong"
    r"|(?:it'?s )?my (?:bad|mistake)|slip of the \w+|fat fingers"
    r"|let me (?:correct (?:that|it)|rephrase)|to be precise|strictly speaking"
    r"|(?:i|we) (?:got|had|said|wrote|typed|mixed|swapped) (?:that|it|this|them|the \w+)"
    r"(?: (?:wrong(?:ly)?|up|backwards?))?|(?:i )?mis(?:spoke|typed|remembered|wrote|said)"
    r"(?: (?:it|that))?|(?:we )?changed (?:my|our) minds?|i meant(?! to\b)|i was wrong"
    r"|make (?:that|it)|auto-?correct|on second thoughts?|(?:spell?ed )?with an? \w{1,2}\b"
)
_WRONG = "也?不对(?:不对){0,3}|错了(?:错了){0,3}|wrong"
_TURNING = (
    r"不{1,5}(?=\Z|我)|等等|等一?下|抱歉|对不起|不好意思|其实|准确[地来]?说|我是说|我的意思是"
    r"|应该(?=是|叫|在)|哈{1,9}(?!哈)|no{1,5}(?=\W*\Z|,|\s(?:it|the|i|he|she|we|my|wait|sorry"
    r"|not|that|no|they|actually|\d))|nope|oh|ah|argh|well|er{1,4}|um{1,4}|wait"
    r"|hold on|hang on|sorry|apologies|o{1,4}ps|whoops|actually|rather|i mean"
    r"|(?:it )?should be|ha(?:ha){1,4}|lol"
)
_OH = "[啊哦噢呃唉哎呀嗯]{0,6}"
_MARK = regex(
    rf"(?:(?=[啊哦噢呃唉哎呀嗯]){_OH}\Z|{_OH}(?:(?P<owned>{_OWNED}|{_WRONG})|{_TURNING}))"
    rf"(?:(?<=说)|(?<=其实)|(?<=[{HAN}])(?=\Z|[\s是叫在姓我他她它应不哈]|[^{HAN}])"
    rf"|(?<=\w)(?![\w']))"
    r"[\s，,]{0,4}",
    re.IGNORECASE,
)
_SLIPPED = regex(rf"{_OH}(?:{_OWNED})", re.IGNORECASE)
_BEHIND = regex(
    r"[\s,]{0,3}\b(?:with (?:an?|two|double) \w{1,2}(?:'?s)?|to be precise|my (?:bad|mistake)|typo"
    r"|i mean|(?P<turns>actually|sorry))\Z|才对\Z|[打写][错反]了?\Z",
    re.IGNORECASE,
)
_DENIED = regex(
    r"(?:.{0,12}?)不(?:[是叫姓在]"
    r"|[学做用喝吃](?=.{1,16}了))(?P<zh>(?!的)[^，。是]{1,16}?)(?:了)?(?:(?:而是|，?是)(?P<so>.+))?"
    r"|(?:.{0,30}?)(?:\bnot|isn'?t|aren'?t|wasn'?t|n't)(?: (?:in|on|at|a|an|the))? (?P<en>.{1,30}?)"
    r"(?: any ?more)?(?: but (?P<but>.+))?|(?:i|we) (?:said|wrote|dropped|quit) (?P<said>.{1,30})"
    rf"|(?P<his>[^，。是]{{1,12}})是我(?:{shapes_zh.KIN}).{{0,12}}"
    rf"|(?P<hers>.{{1,24}}) (?:is|was) my .{{1,20}}",
    re.IGNORECASE,
)
_NO_VALUE = regex(
    r"[我你他她它这那吗呢吧着不没谢了]|过(?!敏)|因为|n't\b|\b(?:i|you|he|she|it|we|they|this|that|not"
    r"|who|because|and|so)\b",
    re.IGNORECASE,
)
_HEAD = regex(
    r"[^A-Za-z]{0,12}?(?:而是|[是叫姓在])(?:现在|已经|才|就|只有?){0,2}|(?:现在|已经|才|就"
    r"|只有?){1,2}"
    r"|.{0,24}?\b(?:is|are|was|it'?s|he'?s|she'?s|i'm|we're|they're|that's|mean|in|at|on|to|do"
    r"|does|for)"
    r" (?:(?:an?|the|only|really|but|rather) )?|(?:(?:an?|the|only|really|but|rather) )",
    re.IGNORECASE,
)
_TAIL = regex(
    r"(?:了|啦|才对|吧|的|呢|哈{1,9}| (?:now|instead|already|rather|these days|actually)){1,3}\Z",
    re.I,
)


class Denial(NamedTuple):
    """What is right, and what is called wrong."""

    right: str
    wrong: str


def length(text: str) -> int:
    """Return how long a text is in Chinese characters; a letter is half of one."""
    return len(text) if _HAN.search(text) else len(text) // 2


def owns_slip(message: str) -> bool:
    """Tell whether a message says that something its speaker said was wrong."""
    return any(owned for _, owned, _ in read_clauses(message))


def disowns(message: str) -> bool:
    """Tell whether a message takes back what its speaker said, and says nothing else."""
    clauses = (clause.strip() for clause in _CLAUSES.split(message))
    slipped = owns_slip(message) and any(map(_SLIPPED.match, clauses))
    return slipped and not any(terms(one.text) for one in read_clauses(message))


class Clause(NamedTuple):
    """A clause without its marks: whether those own a slip, and whether there are any."""

    text: str
    owned: bool
    marked: bool


def read_clauses(message: str) -> Sequence[Clause]:
    """Return the clauses of a message, each without its marks."""
    return (_recent if len(message) <= WINDOW else _unmarked)(message)


def _unmarked(message: str) -> tuple[Clause, ...]:
    found = []
    for clause in filter(str.strip, _CLAUSES.split(message)):
        rest, owned, marked = clause.strip(" *“”\"'「」"), False, False
        while rest and (mark := _MARK.match(rest)) and mark.end():
            rest, marked, owned = rest[mark.end() :], True, owned or bool(mark["owned"])
        if tail := _BEHIND.search(rest):
            rest, marked, owned = rest[: tail.start()], True, owned or not tail["turns"]
        found.append(Clause(rest.strip(), owned, marked))
    return tuple(found)


_recent = lru_cache(1 << 8)(_unmarked)  # several questions are asked of one message


def denials(clauses: Sequence[str]) -> Iterator[Denial]:
    """Yield what clauses deny, with what they say instead: beside it, behind or before it."""
    for place, clause in enumerate(clauses[:3]):
        found = _DENIED.fullmatch(clause)
        names = ("zh", "en", "said", "his", "hers")
        wrong = next((found[one].strip() for one in names if found[one]), "") if found else ""
        wrong = wrong.removesuffix("的")
        here = found and (found["so"] or found["but"])
        acts = all(w.tag == "verb" and not w.text.endswith("ing") for w in words(wrong))
        if not wrong or (wrong.islower() and acts):
            continue  # an act is no value
        beside = [*clauses[place + 1 : place + 2], *clauses[:place][-1:]]
        text = here or next((one for one in beside if wrong not in one), "")
        yield Denial(value_in(text), wrong)


def value_in(text: str) -> str:
    """Return what a clause ends in, without the words that lead to it; "" if that is no value."""
    text = _TAIL.sub("", text)
    days = [one for one in figures(text) if one.kind != "one"]
    if days:
        return text[days[-1].start : days[-1].end]
    lead = _HEAD.match(text)
    value = text[lead.end() if lead else 0 :].strip(" “”\"'「」")
    return "" if len(value) > _LONGEST or _NO_VALUE.search(value) else value


# Where a value goes ------------------------------------------------------------------------

_ARTICLE = regex("(?:an?|the) ", re.IGNORECASE)
_NAME = regex(r"(?<!\w)[A-Z][\w.+#]{1,30}\Z")
_LAST_NAME = regex(r"(?<![A-Za-z])[A-Z][\w.+#]{1,30}(?: [A-Z][\w.+#]{1,30}){0,2}\Z")


def restated(text: str, found: Denial, at: float | None) -> Iterator[str]:
    """Yield a text with what is right in the place of what was wrong, if it has that."""
    right, wrong = found
    if not right or bool(kind(wrong)) != bool(kind(right)):
        return
    if holds(text, wrong) or (_HAN.search(wrong) and wrong in text):
        yield put(text, wrong, _alike(text, wrong, right))
    elif kind(right):  # a fact holds the date that is meant
        yield from refigured(text, right, at)


def is_like(raw: str, right: str) -> bool:
    """Tell whether two names are of one kind and differ: one head noun, a spelling, capitals."""
    here, there = (_ARTICLE.sub("", value.casefold()) for value in (raw, right))
    if here == there or kind(raw) or kind(right):
        return False
    if _NAME.search(raw) and _NAME.fullmatch(right) and there not in ENGLISH_WORDS:
        return True
    if " " in here and " " in there:
        return here.split()[-1] == there.split()[-1] or here.split()[0] == there.split()[0]
    if _HAN.search(there) and here[-1:] == there[-1]:  # 法语 and 德语, 阿里云 and 腾讯云
        return 1 < len(there) <= 2 + len(here)
    return min(len(here), len(there)) > 1 and SequenceMatcher(None, here, there).ratio() >= SPELT


def _alike(text: str, raw: str, right: str) -> str:
    """Return a name in the form of the one that it stands for in a text."""
    before, _, behind = text.partition(raw)
    right = next((right[:-n] for n in (2, 1) if behind[:n] == right[-n:] != raw[-n:]), right)
    right = right[1:] if len(right) > 1 and before[-1:] == right[0] != raw[:1] else right
    named, other = _LAST_NAME.search(raw), _LAST_NAME.fullmatch(right)
    if named and named.start() and other:  # of "use React" only the name
        return raw[: named.start()] + right
    article, own = _ARTICLE.match(raw), _ARTICLE.match(right)
    right = right[own.end() :] if own and not article else right
    name = raw[article.end() :] if article else raw
    if name[:1].isupper() and right.islower() and not own:
        return raw
    if not article or own:
        return right
    lead = article[0] if article[0].lower() == "the " else "an " if right[0] in "aeiou" else "a "
    return lead + right


def put(text: str, wrong: str, right: str) -> str:
    """Put one word for another, in any case."""
    return re.sub(re.escape(wrong), lambda _: right, text, count=1, flags=re.IGNORECASE)
