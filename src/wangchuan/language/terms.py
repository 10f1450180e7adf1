"""The terms by which a text is found.

What is indexed and what is asked go through the same analysis, so that they meet. Chinese is cut
into words by a dictionary, and into pairs of characters besides: a word the dictionary cuts
otherwise, or does not know, is found by its pairs. Other scripts are cut at anything that is no
letter or digit; English words are folded to their stems. An identifier that is glued to Chinese
text ("订单A1234已发货") is a term of its own. Words that only hold a sentence together are not
terms; neither are, in a question, the words by which people ask a memory ("do you remember",
"我告诉过你").

`VERSION` names the analysis. An index made by another one is made anew.
"""

from __future__ import annotations

import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Any

from wangchuan.language.text import CJK, HAN, WINDOW, chinese_words, words
from wangchuan.language.words import ASKING, CRIES, POLITE, STOP_EN, STOP_ZH
from wangchuan.patterns import regex

VERSION = "3"
TWICE = "²"  # after a term that stands more than once in a message
LONGEST_TERM = 64  # characters; what is longer is found by its beginning
LONGEST_TEXT = 100_000  # characters of one message that are indexed
NAMING = {"name": 1.0, "id": 1.0, "noun": 0.7}  # how much a word tells of what a text is about

_PAIRED = CJK + r"\uac00-\ud7af"  # scripts whose words are found by pairs of characters
_CLITIC = r"(?:['’](?:[sdmt]|re|ve|ll)\b)?"  # of "it's"; the name "O'Brien" is two words
_RUN = regex(rf"(?P<han>[{HAN}]+)|(?P<kana>[{_PAIRED}]+)|(?P<word>[^\W_{_PAIRED}]+{_CLITIC})")
_ENGLISH = regex(r"[a-z0-9]+")
_SENTENCE = regex(r"(?:[^。！？!?.；;\n]|\.(?=\w))+[。！？!?.；;\n]*")
_local = threading.local()


def terms(text: str) -> list[str]:
    """Return the terms of a text, in order; a term comes as often as it stands there."""
    return list(_remembered(text) if len(text) <= WINDOW else _terms(text, frozenset()))


@lru_cache(1 << 12)
def _remembered(text: str) -> tuple[str, ...]:
    """Keep the terms of short texts and of words, which are asked for again and again."""
    return tuple(_terms(text, frozenset()))


def indexed(text: str) -> list[str]:
    """Return the terms to index: each once, and once more with a mark if it stands there twice."""
    counts = Counter(terms(text))
    return [*counts, *(term + TWICE for term, count in counts.items() if count > 1)]


def asked(text: str) -> list[str]:
    """Return the distinct terms of a question."""
    return list(dict.fromkeys(_terms(text, ASKING)))


def is_bare(text: str) -> bool:
    """Tell whether a question is nothing but words to look for: a name, no sentence."""
    return all(asked(word.text) for word in words(text))


def named(text: str) -> Counter[str]:
    """Return the terms of a question with how often it names each, the latest last.

    Where it has several sentences the last one counts once more: people come to the point at the
    end, and of a dialogue the last turn is the present one.
    """
    sentences = sentences_asked(text)
    if len(sentences) > 1:
        sentences.append([*dict.fromkeys(sentences[-1])])
    return Counter(term for sentence in sentences for term in sentence)


def sentences_asked(text: str) -> list[list[str]]:
    """Return the terms of each sentence of a question that has any."""
    return [found for s in _SENTENCE.findall(text) if (found := [*_terms(s, ASKING)])]


@lru_cache(1 << 12)
def telling(text: str) -> Mapping[str, float]:
    """Return the terms of what a text names, with how much each tells; see `NAMING`."""
    found: dict[str, float] = {}
    for word in words(text):
        weight = NAMING.get(word.tag, 0.0)
        if weight and word.text.casefold() not in POLITE and not STOP_ZH.issuperset(word.text):
            for term in _longest(terms(word.text)):
                found[term] = max(weight, found.get(term, 0.0))
    return found


def _longest(found: Iterable[str]) -> list[str]:
    """Return terms of several characters that are no part of another one."""
    several = [term for term in found if len(term) > 1]
    return [term for term in several if not any(term in o for o in several if o != term)]


def _terms(text: str, unasked: frozenset[str]) -> Iterator[str]:
    folded = unicodedata.normalize("NFKC", text[:LONGEST_TEXT]).casefold()
    for found in _RUN.finditer(folded):
        run = found.group()
        if found.lastgroup == "han":
            yield from _chinese(run, unasked)
        elif found.lastgroup == "kana":
            yield from _pairs(run, set(), set())
        else:
            word, term = _word(run)
            if term and word not in unasked:
                yield term


def _chinese(run: str, unasked: frozenset[str]) -> Iterator[str]:
    words = [part for word in chinese_words(run) for part in (word if word in CRIES else [word])]
    yield from (word for word in words if word not in STOP_ZH and word not in unasked)
    given, inside = {*words}, {first + second for word in words for first, second in pairwise(word)}
    for piece in _pieces(words, unasked):
        yield from _pairs(piece, given, inside)


def _pieces(words: list[str], unasked: frozenset[str]) -> list[str]:
    """Join the words between those that tell nothing: no other word reaches over these (什么)."""
    telling = ("" if (len(w) > 1 and w in STOP_ZH) or w in unasked else w for w in words)
    return ["".join(group) for some, group in groupby(telling, bool) if some]


def _pairs(run: str, given: set[str], inside: set[str]) -> Iterator[str]:
    """Return the pairs of neighbouring characters that no word has given yet.

    A character that is a stop word by itself (上) is none `inside` a word (上海市).
    """
    if len(run) == 1 and not given:
        yield run
    for first, second in pairwise(run):
        pair = first + second
        worded = pair in inside or not {first, second} & STOP_ZH
        if worded and pair not in given and pair not in STOP_ZH:
            yield pair


@lru_cache(1 << 16)
def _word(run: str) -> tuple[str, str]:
    """Return a word as it stands there, and the term it is found by, if it tells anything."""
    word = _unmarked(run.partition("'")[0].partition("’")[0])
    if word in STOP_EN:
        return word, ""
    return word, (stem(word) if _ENGLISH.fullmatch(word) else word)[:LONGEST_TERM]


def _unmarked(word: str) -> str:
    """Return a word without accents: people leave them out (café, cafe)."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def stem(word: str) -> str:
    """Return the stem of an English word in lower case."""
    return str(_stemmer().stemWord(word))


def _stemmer() -> Any:
    """Return this thread's stemmer: one works on a single word at a time."""
    if not hasattr(_local, "stemmer"):
        import Stemmer

        _local.stemmer = Stemmer.Stemmer("english", 0)
    return _local.stemmer
