"""Reading text without a model: its language, its sentences, its words and what they name.

Text is read in two layers.  Marks (sentence ends, clause marks, brackets) are found by
regular expressions, one pass each; words are found by their script: a run of Chinese
characters goes to a dictionary segmenter, everything else is cut by one pattern that keeps
addresses, numbers and identifiers whole.  Each word gets one of a few tags and, from the
tag, a weight between 0 and 1 that tells how much would be lost without it.  The rest of the
package asks only for weights, so the tables in `words` are where its taste lives.

Nothing here writes: every string returned is a piece of the text that came in.
"""

import math
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from wangchuan.language.amounts import Span, with_amounts
from wangchuan.language.words import (
    CHINESE_TAGS,
    CHINESE_WORDS,
    ENGLISH_ENDINGS,
    ENGLISH_WORDS,
    MISREAD,
    NOMINAL_VERBS,
    NUMERALS,
    PLANNED,
    POINTING,
    SURNAMES,
    TITLES,
    UNITS,
    WEIGHTS,
)
from wangchuan.language.words import HAN as HAN
from wangchuan.language.words import Word as Word
from wangchuan.patterns import regex

if TYPE_CHECKING:
    from nupunkt import PunktSentenceTokenizer
    from rjieba import Jieba

CJK = HAN + r"\u3040-\u30ff\u31f0-\u31ff"
_EMOJI = r"\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
# Marks that belong to the letter before them, and the scripts written with many of these.
_MARKS = r"\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0eff"

_URL = rf"(?:https?|ftp|file)://[^\s<>\"'`“”，。！？；、（）《》「」{CJK}]*[\w/#=&%+~-]"
_EMAIL = r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
_QUANTITY = rf"(?:\d+(?:[.,:/]\d+)*(?:{'|'.join(UNITS)}))+"
_LETTERS = rf"(?:[^\W{CJK}]|[{_MARKS}])+"
_TITLED = r"(?:Dr|Mr|Mrs|Ms|Prof|St)\.\s?[^\W\d_]+"
_PLAIN = rf"{_LETTERS}(?:(?:[-'’&/]|\.(?=[a-z0-9])|(?<=\d)[,:](?=\d)){_LETTERS})*(?:\+\+|\#)?"
_TOKEN = regex(
    rf"(?P<han>[{HAN}]+)|(?P<link>{_URL})|(?P<id>{_EMAIL})|(?P<name>{_TITLED})|(?P<num>{_QUANTITY})|(?P<plain>{_PLAIN})"
    rf"|(?P<noun>[{CJK}]+)|(?P<mark>[{_EMOJI}][{_EMOJI}\u200d\ufe0f]*)"
)


@cache
def _jieba() -> "Jieba":
    """Load the Chinese dictionary once; it is only ever read, so threads may share it."""
    import rjieba

    return rjieba.Jieba()


@cache
def _punkt() -> "PunktSentenceTokenizer":
    """Load the English sentence model once; its memos are filled alike by every thread."""
    import nupunkt

    return nupunkt.load("default")


@lru_cache(maxsize=16384)
def rarity(word: str) -> float:
    """Return how much rarer a Chinese word is than a middling one, in powers of ten.

    Of a word that the dictionary does not know that cannot be told: 0.0.
    """
    if not _jieba().has_word(word):
        return 0.0
    return math.log10(MIDDLING / max(1, _jieba().suggest_freq(word)))


MIDDLING = 1000  # times that a middling word stands in what the dictionary was counted in


def chinese_words(run: str) -> list[str]:
    """Return the words of a run of Chinese characters that the dictionary knows; no guesses."""
    return list(_jieba().cut(run, False))


# Language ----------------------------------------------------------------------------------

_SPOKEN = regex(rf"(?P<cjk>[{CJK}]+)|{_URL}|{_EMAIL}|{_PLAIN}")


def language(text: str) -> Literal["zh", "en"]:
    """Return "zh" if Chinese carries the text, else "en"; a text without words is "en".

    One Chinese character weighs as much as one word of another script, because Chinese
    speech is full of foreign terms ("我们用 JWT 做 login") and foreign speech has few
    Chinese ones.
    """
    runs: list[str] = _SPOKEN.findall(text)  # of other scripts, "" for each word
    chinese = len("".join(runs))
    return "zh" if chinese and chinese >= runs.count("") else "en"


# Segments ----------------------------------------------------------------------------------

FRAGMENT = 5  # characters; a shorter piece says too little to stand alone
WINDOW = 2000  # characters given to the sentence model at once, whose worst case is quadratic

CONTROL = regex(r"[\x00-\x08\x0e-\x1b\x7f]+")
_BLOCK = regex(r"(?m)^[ \t]*```[\s\S]*?^[ \t]*```[^\n]*$|[^\n\r\x0b\x0c\x85\u2028\u2029]+")
_ATOM = rf"{_URL}|{_EMAIL}|`[^`\n]{{1,200}}`|《[^《》\n]{{1,40}}》"
_END = rf"(?:[。！？…；]|(?<!\d)[!?.](?=[{CJK}])|(?<=[{CJK}])[!?.](?=\s|$))+[”’」』）】》〉〕)\]]*"
_ATOMS = regex(_ATOM)
_ENDS = regex(rf"{_ATOM}|(?P<end>{_END})")
_SPOKEN_CHARACTER = regex(r"[^\W_]")
_STOPPED = regex(r"[.!?][\"'”’)\]]*\s+\S")
_CUTS = (
    regex(r"\n"),
    regex(rf"[。！？；…]|[.!?;](?=\s)|[，：]|(?<=[{CJK}])[,:]|[,:](?=\s)|、"),
    regex(r"\s+"),
)


def segments(text: str, limit: int = 200) -> list[str]:
    """Cut a text into sentences of at most `limit` characters, in order.

    A longer sentence is cut at clause marks, else between words, else between characters;
    a fragment of fewer than five characters joins its neighbour where the two fit.  Control
    characters are dropped, whitespace around a piece is trimmed, all else is kept.  Raises
    ValueError if the limit is under one character.
    """
    if limit < 1:
        raise ValueError(f"a piece needs at least one character, not {limit}")
    return list((_recent if len(text) <= WINDOW else _segments)(text, limit))


def _segments(text: str, limit: int) -> tuple[str, ...]:
    text = CONTROL.sub("", text)
    pieces = (piece for span in _sentences(text) for piece in _cut(text, span, limit))
    return tuple(text[start:end] for start, end in _rejoined(text, pieces, limit))


_recent = lru_cache(maxsize=1024)(_segments)  # what is digested is summarised soon


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return the span without the whitespace at its ends; an empty one if it has no more."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, max(start, end - len(piece) + len(piece.rstrip()))


def _sentences(text: str) -> Iterator[Span]:
    """Yield the sentences of every line; a fenced block of code counts as one sentence."""
    for block in _BLOCK.finditer(text):
        fenced = "\n" in block[0]
        for start, end in [block.span()] if fenced else _line_sentences(text, *block.span()):
            start, end = _trimmed(text, start, end)
            if start < end:
                yield start, end


def _line_sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of a line: cut at Chinese marks first, then by the English model."""
    for found in _ENDS.finditer(text, start, end):
        if found["end"] and found.end() > start:
            stop = found.end()
            quoted = text[stop : stop + 1] == '"' and text.count('"', start, stop) % 2
            stop += 1 if quoted else 0
            yield from _english_sentences(text, start, stop)
            start = stop
    if start < end:
        yield from _english_sentences(text, start, end)


def _english_sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of a stretch, asking the model about one window at a time."""
    if not _STOPPED.search(text, start, end):
        yield start, end
        return
    while start < end:
        window = text[start : min(end, start + WINDOW)]
        stops = _stops(window)
        if start + len(window) < end:
            # The last sentence may go on in the next window, unless it fills this one.
            stops = stops[:-1] or stops
        yield from ((start + left, start + right) for left, right in pairwise([0, *stops]))
        start += stops[-1]


def _stops(window: str) -> list[int]:
    """Return where the sentences of a window end, never inside an address or code."""
    stops: list[int] = [end for _, end in _punkt().span_tokenize(window)][:-1]
    for atom in _ATOMS.finditer(window) if stops else ():
        stops = [stop for stop in stops if not atom.start() < stop < atom.end()]
    return [*stops, len(window)]


def _cut(text: str, span: Span, limit: int) -> Iterator[Span]:
    """Yield a sentence in pieces of at most `limit` characters."""
    start, end = span
    while end - start > limit:
        cut = start + _cutting_point(text[start : start + limit + 1], limit)
        yield _trimmed(text, start, cut)
        while text[cut].isspace():  # ends, because a sentence does not end with a space
            cut += 1
        start = cut
    if start < end:
        yield start, end


def _cutting_point(window: str, limit: int) -> int:
    """Return the best place to cut a window, at `limit` or before it, but not far before."""
    least = limit // 4
    for mark in _CUTS:
        cuts = [found.end() for found in mark.finditer(window, least) if found.end() <= limit]
        if cuts:
            return cuts[-1]
    starts = [w.start for w in _scan(window) if least < w.start <= limit and w.tag != "part"]
    return starts[-1] if starts else whole_characters(window, limit)


def whole_characters(text: str, length: int) -> int:
    """Return the largest count up to `length` that splits no visible character of the text.

    Visible characters may be written as several: letters with combining marks, joined
    emoji, flags, surrogate pairs.  One longer than 32 is split after all, and at least one
    character is always granted.
    """
    if length >= len(text):
        return len(text)
    for cut in range(length, max(0, length - 32), -1):
        if not _clings(text[cut - 1], text[cut]):
            return cut
    return max(1, length)


def _clings(left: str, right: str) -> bool:
    """Tell whether two neighbouring characters make up one visible character."""
    if left < "\u0300" and right < "\u0300":
        return False
    return (
        unicodedata.category(right)[0] == "M"
        or "\u200d" in (left, right)
        or "\U0001f3fb" <= right <= "\U0001f3ff"
        or ("\U0001f1e6" <= left <= "\U0001f1ff" and "\U0001f1e6" <= right <= "\U0001f1ff")
        or ("\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff")
    )


def _rejoined(text: str, pieces: Iterable[Span], limit: int) -> list[Span]:
    """Join each fragment to the piece after it, and a last one to the piece before it."""
    joined: list[Span] = []
    for start, end in pieces:
        if joined and _is_fragment(text, joined[-1]) and end - joined[-1][0] <= limit:
            start, _ = joined.pop()
        joined.append((start, end))
    if len(joined) > 1 and _is_fragment(text, joined[-1]) and end - joined[-2][0] <= limit:
        _, end = joined.pop()
        joined[-1] = (joined[-1][0], end)
    return joined


def _is_fragment(text: str, span: Span) -> bool:
    """Tell whether a piece is too short to stand alone, or has no word in it at all."""
    start, end = span
    return end - start < FRAGMENT or not _SPOKEN_CHARACTER.search(text, start, end)


# Words -------------------------------------------------------------------------------------

_SHAPES = (
    ("num", regex(r"\A[\d.,:/%-]+(?:st|nd|rd|th|[KMGTkmg]B?|ms|km|kg|ml|cm|mm)?$")),
    ("id", regex(r"\A(?:.*[\d_@/#+]|.+[a-z][A-Z]|[A-Z][A-Z.&-]+$)")),
)
_CAPITAL = regex(r" (?!I\b)[^\W\d_a-z]")  # "I" is no part of a name
_FULL_STOP = regex(r"[.!?…:\n\"“]")
_CONTENT = frozenset({"verb", "adj", "noun", "generic", "light"})
_SMALL = frozenset({"ask", "key", "adv", "modal", "aux", "pron", "filler"})
_VERB_AHEAD = frozenset({"subj", "modal", "aux"})
_NOUN_AHEAD = frozenset({"det", "adj", "func"})
_VERBS_TOO = frozenset({"to", "and", "or"})  # a verb may follow these as well
_OBJECT_AHEAD = regex(r" (?:the|an?|my|your|his|her|our|their|it|them|us|me) ")
_CLOSED = frozenset({"p", "q", "r", "d"})
_EATEN = "喝吃买看写用做"  # verbs the dictionary holds for the first part of a name (喝咖啡)
_EATING = (
    "说会要去来加做写看买在和是有把被让给"  # and those it holds for the last part of one (张伟会)
)
_HELD_NOT = regex("[不没未无]|.[不没].")
_NUMBERING = "第初几数上好成半每头近"  # what may open a number
_HOLDS_NOT = regex("[不没未无]")
_FAMILIAR = frozenset("小老阿")  # before a surname
_SURNAMED = frozenset({"name", "noun", "unit", "adj", "verb"})
_POINTED_AT = frozenset({"noun", "time", "name", "id", "det"})
_HELD_IN = frozenset({"verb", "adj", "adv", "idiom"})
_WEEKDAYS = "一二三四五六日天"
_PLANS = frozenset({"verb", "key", "modal", "func"})  # what follows a plan to do something


def words(text: str) -> list[Word]:
    """Return the words of a text in order, with spans, tags and weights; never raises.

    Punctuation and whitespace are not words, emoji are.  The tags and their weights are
    listed in `wangchuan.language.words`.
    """
    return list(_remembered(text) if len(text) <= WINDOW else _scan(text))


@lru_cache(maxsize=2048)
def _remembered(text: str) -> tuple[Word, ...]:
    """Keep the words of recent short texts, which are asked for several times in a row."""
    return tuple(_scan(text))


def _scan(text: str) -> list[Word]:
    """Read the words of a text from left to right, each tagged in the light of the last."""
    found: list[Word] = []
    for token in _TOKEN.finditer(text):
        kind, start, end = token.lastgroup or "noun", token.start(), token.end()
        if kind == "han":
            found += _chinese(token[0], start)
        elif kind == "plain":
            last = found[-1] if found else None
            tag = _english_tag(text, token[0], start, last)
            found.append(Word(token[0], start, end, tag, WEIGHTS[tag]))
        else:
            found.append(Word(token[0], start, end, kind, WEIGHTS[kind]))
    return with_amounts(text, found)


def _chinese(run: str, start: int) -> list[Word]:
    """Return the words of a run of Chinese characters; an activity by a noun is a noun."""
    found: list[Word] = []
    for pair in _jieba().tag(run):
        for text, tag, weight in _chinese_tag(*pair):
            end = start + len(text)
            found.append(Word(text, start, end, tag, weight))
            start = end
    found = _planned(_going_on(_failing(_asked(_pointed(_dated(_titled(found)))))))
    return _nominal(found) if any(word.text in NOMINAL_VERBS for word in found) else found


def _titled(found: list[Word]) -> list[Word]:
    """Make one name of a surname and what people put before or behind it (小刘, 张总)."""
    for n in range(len(found) - 1, 0, -1):
        last, first = found[n], found[n - 1]
        titled = last.text in TITLES and first.text in SURNAMES and first.tag in _SURNAMED
        titled = titled or (_is_given_name(last) and _is_surname(found, n - 1))
        called = first.text in _FAMILIAR and last.text in SURNAMES and last.tag in ("name", "adj")
        if titled or called:
            spelled = first.text + last.text
            found[n - 1 : n + 1] = [Word(spelled, first.start, last.end, "name", WEIGHTS["name"])]
    return found


def _is_surname(found: list[Word], n: int) -> bool:
    """Tell whether a word the dictionary holds for a measure word counts nothing here (张雅静)."""
    counts = n > 0 and found[n - 1].tag in ("num", "pron", "det", "adv")
    return found[n].tag == "unit" and found[n].text in SURNAMES and not counts


def _is_given_name(word: Word) -> bool:
    """Tell whether a word is one the dictionary, or its guess, holds for a name."""
    naming = word.tag in ("name", "noun") and len(word.text) == 2
    return naming and [flag[:2] for _, flag in _jieba().tag(word.text)] in (["nr"], ["nz"])


def _pointed(found: list[Word]) -> list[Word]:
    """Let "this" and its measure word lean on what they point at (这款药, 这个周末)."""
    for n in range(len(found) - 2, -1, -1):
        word, after = found[n], found[n + 1]
        measures = n > 0 and found[n - 1].text in POINTING and word.text in UNITS
        if (measures or word.text in POINTING) and after.tag in _POINTED_AT:
            found[n] = word._replace(tag="det", weight=WEIGHTS["det"])
    return found


def _dated(found: list[Word]) -> list[Word]:
    """Make one time of a week and the day of it (下个星期天)."""
    for n in range(len(found) - 1, 0, -1):
        day, week = found[n], found[n - 1]
        if len(day.text) == 1 and day.text in _WEEKDAYS and week.text.endswith(("星期", "礼拜")):
            spelled = week.text + day.text
            found[n - 1 : n + 1] = [Word(spelled, week.start, day.end, "time", WEIGHTS["time"])]
    return found


def _asked(found: list[Word]) -> list[Word]:
    """Make one word of a verb that is asked by its own denial, which denies nothing (要不要)."""
    for n in range(len(found) - 1, 0, -1):
        asked, parts = found[n - 1].text, [word.text for word in found[n : n + 2]]
        for taken in (1, 2):
            if "".join(parts[:taken]) in ("不" + asked, "没" + asked):
                last = found[n - 1 + taken].end
                text = asked + "".join(parts[:taken])
                word = Word(text, found[n - 1].start, last, "ask", WEIGHTS["ask"])
                found[n - 1 : n + taken] = [word]
                break
    return found


def _failing(found: list[Word]) -> list[Word]:
    """Make one word of a verb and how it does not come off (学不会): torn, it would come off."""
    for n in range(len(found) - 1, 0, -1):
        word, verb = found[n], found[n - 1]
        ahead = found[n + 1].tag if n + 1 < len(found) else ""
        fails = word.text[0] == "不" and len(word.text) == 2 and word.tag in ("neg", "negated")
        if fails and verb.tag == "verb" and ahead not in _PLANS | {"light", "adj", "adv"}:
            spelled = verb.text + word.text
            joined = Word(spelled, verb.start, word.end, "negated", WEIGHTS["negated"])
            found[n - 1 : n + 1] = [joined]
    return found


def _going_on(found: list[Word]) -> list[Word]:
    """Tell 在 before what somebody is doing from 在 before where it is."""
    for n, (word, after) in enumerate(pairwise(found)):
        if word.text == "在" and after.tag in ("verb", "light", "key"):
            found[n] = word._replace(tag="adv", weight=WEIGHTS["adv"])
    return found


def _planned(found: list[Word]) -> list[Word]:
    """Tell a plan that somebody has from what he plans to do."""
    for n, word in enumerate(found):
        behind = n > 0 and (found[n - 1].text == "的" or found[n - 1].tag == "noun")
        ahead = found[n + 1].tag if n + 1 < len(found) else ""
        if word.text in PLANNED and behind and ahead not in _PLANS:
            found[n] = word._replace(tag="noun", weight=WEIGHTS["noun"])
    return found


def _nominal(found: list[Word]) -> list[Word]:
    """Tag as nouns the verbs that name an activity and stand by a noun."""
    tags = ["", *(word.tag for word in found), ""]
    for n, word in enumerate(found):
        beside_noun = "noun" in (tags[n], tags[n + 2])
        if word.tag == "verb" and word.text in NOMINAL_VERBS and beside_noun:
            tags[n + 1] = "noun"
            found[n] = word._replace(tag="noun", weight=WEIGHTS["noun"])
    return found


@lru_cache(maxsize=16384)
def _chinese_tag(word: str, flag: str) -> tuple[tuple[str, str, float], ...]:
    """Tag a Chinese word; a closed-class word the dictionary lacks was a bad guess: recut it."""
    if flag in _CLOSED and len(word) > 1 and not _jieba().has_word(word):
        parts = _jieba().tag(word, False)
        if len(parts) > 1:
            return tuple(item for part in parts for item in _chinese_tag(*part))
    if flag == "nr" and len(word) == 3 and word[0] in _EATEN:
        return _chinese_tag(word[0], "v") + _chinese_tag(word[1:], "n")
    if flag == "nr" and len(word) == 3 and word[0] not in SURNAMES and word[1] in _FAMILIAR:
        return _chinese_tag(word[0], "v") + _chinese_tag(word[1:], "nr")  # 欠小王
    if len(word) > 1 and word[-1] in "到至" and word[0] in NUMERALS:  # 七到十个
        return _chinese_tag(word[:-1], "m") + _chinese_tag(word[-1], "p")
    if word in MISREAD:
        return _chinese_tag(word[0], "n") + _chinese_tag(word[1], "v")
    if word[0] == "被" and len(word) == 2:  # what is done to somebody is no name of a thing
        return _chinese_tag("被", "p") + _chinese_tag(word[1], "v")
    if len(word) > 1 and word[-1] in _EATING and (flag[:2] == "nr" or not _jieba().has_word(word)):
        return _chinese_tag(word[:-1], flag) + _chinese_tag(word[-1], "v")
    if len(word) == 2 and word[0] in "我你他她它" and flag[:1] in "nv":  # 我会
        return _chinese_tag(word[0], "r") + _chinese_tag(word[1], "v")
    if flag == "t" and word[0] in _FAMILIAR and word[1:] in SURNAMES:
        flag = "nr"  # 老周
    tag = CHINESE_WORDS.get(word) or _chinese_default(word, flag)
    return ((word, tag, WEIGHTS[tag]),)


def _chinese_default(word: str, flag: str) -> str:
    """Read the dictionary's flag, where names need a surname and numbers more than "one"."""
    tag = CHINESE_TAGS.get(flag) or CHINESE_TAGS.get(flag[:1], "noun")
    if word[0] == "每" and word[1:2] in tuple("天日晚周月年"):
        return "time"
    if flag == "l" and len(word) < 4 and not _HOLDS_NOT.search(word):
        return "noun"  # too short for a saying: 登记本
    if flag == "l" and len(word) == 4 and _is_noun(word[:2]) and _is_noun(word[2:]):
        return "noun"  # two things in one word: 生日礼物
    if flag == "nr" and word[0] not in SURNAMES:
        return "noun"
    if tag == "num" and word[0] == "一" and word[1:2] not in tuple(NUMERALS):
        return "unit"
    if tag == "num" and word[-1] in NUMERALS and word[0] not in NUMERALS + _NUMBERING:
        return "name"  # 浙二
    if word[1:2] in ("不", "没") and word[2:3] == word[0]:
        return "ask"  # 是不是 denies nothing
    return "negated" if tag in _HELD_IN and _HELD_NOT.match(word) else tag


def _is_noun(word: str) -> bool:
    """Tell whether the dictionary holds a word for the name of a thing."""
    return [flag[0] for _, flag in _jieba().tag(word)] == ["n"]


def _english_tag(text: str, word: str, start: int, last: Word | None) -> str:
    """Tag a word of any other script by lexicon, shape, capitals, the word before, ending."""
    opening = last is None or bool(_FULL_STOP.search(text, last.end, start))
    listed = _listed(word.lower().replace("’", "'"))
    if word == "May" and not opening:
        return "name"
    capital = word[0].isupper() and (not opening or _capital_ahead(text, start + len(word)))
    if listed in _CONTENT or listed is None:
        shape = next((tag for tag, pattern in _SHAPES if pattern.match(word)), None)
        if shape or (capital and (listed in (None, "adj") or not opening)):
            return shape or "name"
    tag = listed or next((tag for end, tag in ENGLISH_ENDINGS if word.endswith(end)), "noun")
    if last is None or opening:
        return tag
    if tag == "noun" and last.text.lower() == "to" and _OBJECT_AHEAD.match(text, start + len(word)):
        return "verb"  # to post the letter
    return _in_context(word, tag, last)


def _listed(lower: str) -> str | None:
    """Return the tag of a common word, also of a small one with a verb behind it (what's)."""
    tag, (bare, mark, _) = ENGLISH_WORDS.get(lower), lower.partition("'")
    small = ENGLISH_WORDS.get(bare) if mark and not tag else None
    return small if small in _SMALL else tag


def _in_context(word: str, tag: str, last: Word) -> str:
    """Read a verb after "the" as a noun, an activity after "I am" as a verb, a "well" as it is."""
    if word == "well":  # no padding: it was not said first
        return "noun" if last.tag in ("det", "adj") else "adv"
    if tag == "verb" and last.tag in _NOUN_AHEAD and last.text.lower() not in _VERBS_TOO:
        bent = word.endswith("ed") or (last.tag == "func" and word.endswith("ing"))
        return "verb" if bent else "noun"
    if tag == "noun" and last.tag in _VERB_AHEAD and (last.tag != "aux" or word.endswith("ing")):
        return "verb"
    return tag


def _capital_ahead(text: str, end: int) -> bool:
    """Tell whether the next word is capitalised too, as in a name that opens a sentence."""
    return bool(_CAPITAL.match(text, end))
