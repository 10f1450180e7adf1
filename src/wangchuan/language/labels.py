"""Labels: the keywords of a text, a phrase that stands for it, and its beginning."""

from collections.abc import Iterator
from functools import lru_cache

from wangchuan.language.fit import fit
from wangchuan.language.text import WINDOW, Word, language, whole_characters, words
from wangchuan.language.words import ACKNOWLEDGING, NOMINAL_VERBS, POLITE
from wangchuan.patterns import regex

LONGEST_WORD = 40  # characters of a word that is not torn
PHRASE_WORDS = 3  # of a script with spaces; Chinese words are shorter, so one more
_NAMING = frozenset({"name", "id", "noun"})
_TITLE = regex(r"《([^《》\n]{1,30})》")
_SECOND_CHOICE = (frozenset({"verb", "idiom", "negated"}), frozenset({"adj", "time", "num"}))


def keywords(text: str, limit: int = 5) -> list[str]:
    """Return up to `limit` nouns or noun phrases of the text, the most telling first.

    Each is a substring of the text.  Neighbouring nouns make one phrase.  A text that names
    nothing gives its verbs, else its adjectives; one of function words alone gives nothing, nor
    does one that only says that something was heard ("Noted.").
    """
    read = _keywords if len(text) <= WINDOW else _keywords.__wrapped__
    return list(read(text, limit))


@lru_cache(maxsize=2048)
def _keywords(text: str, limit: int) -> tuple[str, ...]:
    found = words(text)
    if all(word.text.lower() in ACKNOWLEDGING or word.weight <= 0.3 for word in found):
        return ()
    scores: dict[str, list[float]] = {}
    shown: dict[str, str] = {}
    for phrase_ in _candidates(text, found):
        spelled = text[phrase_[0].start : phrase_[-1].end].removesuffix("'s").removesuffix("’s")
        shown.setdefault(spelled.casefold(), spelled)
        scores.setdefault(spelled.casefold(), []).append(_telling(phrase_))
    ranked = sorted(scores, key=lambda key: -max(scores[key]) - 0.2 * (len(scores[key]) - 1))
    chosen: list[str] = []
    for key in ranked:
        if len(chosen) < limit and not any(holds(other, key) for other in chosen):
            chosen.append(key)
    return tuple(shown[key] for key in chosen)


_SPELLING = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")


def holds(text: str, keyword: str) -> bool:
    """Tell whether a text has a keyword, in any case; as whole words where words are spaced."""
    text, keyword = text.casefold(), keyword.casefold()
    if not keyword or keyword not in text:
        return False
    start = text.find(keyword)
    while start >= 0:
        end = start + len(keyword)
        begins = not keyword[0].isascii() or text[start - 1 : start] not in _SPELLING
        if begins and (not keyword[-1].isascii() or _ends(text[end : end + 2])):
            return True
        start = text.find(keyword, start + 1)
    return False


def _ends(after: str) -> bool:
    """Tell whether a word may end before two characters: it may be one of several."""
    return after[:1] not in _SPELLING or (after[:1] == "s" and after[1:] not in _SPELLING)


def _candidates(text: str, found: list[Word]) -> list[list[Word]]:
    """Return the noun phrases of a text, or the next best words; bare characters come last."""
    others = [word for word in found if word.text.lower() not in ACKNOWLEDGING | POLITE]
    named = list(_noun_phrases(text, _titled(text, others)))
    tiers = [named, *([[word] for word in others if word.tag in tags] for tags in _SECOND_CHOICE)]
    spelled_out = [[run for run in tier if run[-1].end - run[0].start > 1] for tier in tiers]
    return next(filter(None, [*spelled_out, *tiers]), [])


def _titled(text: str, found: list[Word]) -> list[Word]:
    """Return words with the title of a work, between its marks, as one."""
    titles = [match.span(1) for match in _TITLE.finditer(text)]
    rest = [w for w in found if not any(start <= w.start < end for start, end in titles)]
    rest += (Word(text[start:end], start, end, "name", 1.0) for start, end in titles)
    return sorted(rest, key=lambda word: word.start) if titles else found


def _telling(run: list[Word]) -> float:
    """Score a phrase by its best word, a little more for every further one."""
    return max(word.weight for word in run) + 0.1 * (len(run) - 1)


def _noun_phrases(text: str, found: list[Word]) -> Iterator[list[Word]]:
    """Yield the runs of neighbouring nouns, names and identifiers, cut to a speakable length."""
    run: list[Word] = []
    for word in [*found, Word("", len(text) + 2, len(text) + 2, "", 0.0)]:
        if run and not _goes_on(text, run[-1], word):
            yield from _speakable(run)
            run = []
        if run or word.tag in _NAMING or word.text in NOMINAL_VERBS:
            run.append(word)


def _goes_on(text: str, left: Word, right: Word) -> bool:
    """Tell whether two naming words stand close enough to be one phrase."""
    gap = text[left.end : right.start]
    if gap not in ("", " ") or left.text.endswith(("'s", "’s")):
        return False
    if right.tag in ("name", "num"):
        return left.tag in ("name", "id") and (right.tag == "name" or gap == " ")
    return right.tag in _NAMING or right.text in NOMINAL_VERBS


def _speakable(run: list[Word]) -> Iterator[list[Word]]:
    """Yield a run, not too long, if it names something (学习机器学习 begins with a verb)."""
    if len(run) > 2 and run[0].text == run[-1].text:
        run = run[1:]
    if not any(word.tag in _NAMING for word in run):
        return
    most = PHRASE_WORDS + (len(run[0].text) == len(run[0].text.encode()) // 3)
    yield run[:most] if run[0].tag == "name" else run[-most:]


# Phrase ------------------------------------------------------------------------------------

PHRASE_LENGTH = {"zh": 20, "en": 40}  # characters
_TRAILING = " \t，。！？；：、,.!?;:—-"


def phrase(text: str) -> str:
    """Return a one-line label: at most 20 characters of Chinese, 40 of anything else.

    A text that is short enough is returned whole, trimmed; a longer one gives its most
    telling words, in order.  Empty only if the text has nothing but whitespace.
    """
    line = " ".join(text.split())
    length = PHRASE_LENGTH[language(line)]
    return line if len(line) <= length else _label(line, length)


def _label(line: str, length: int) -> str:
    fitted = fit(line, length)
    return fitted.rstrip(_TRAILING) or fitted


def beginning(text: str, length: int) -> str:
    """Return a text of at most `length` characters whole; of a longer one, its first whole words.

    An ellipsis, which is counted, tells that something is left out.
    """
    if len(text) <= length:
        return text
    most = length - 1
    first = max(0, most - LONGEST_WORD)
    spans = (
        (first + one.start, first + one.end) for one in words(text[first : most + LONGEST_WORD])
    )
    torn = (start for start, end in spans if first < start < most < end)
    return f"{text[: next(torn, whole_characters(text, most))].rstrip()}…"
