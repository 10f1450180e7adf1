"""A fact told anew in the words of the message that answers to it."""

import re
from collections.abc import Iterator

from wangchuan.language.dates.coming import dated
from wangchuan.language.facts.bearing import SLIP, clauses_of, opening, subject_of
from wangchuan.language.facts.corrections import is_like, put, read_clauses, values_in
from wangchuan.language.facts.figures import figures, refigured
from wangchuan.language.facts.sense_en import in_third, polished
from wangchuan.language.terms import terms
from wangchuan.language.text import HAN, Word, words
from wangchuan.language.words import ENGLISH_WORDS
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_NAMING = ("noun", "name", "id", "idiom", "key", "adj")
_ACTING = ("verb", "light", "modal", "aux", "key", "negated")
_TIME = regex(
    r"\s*\b(?:now|these days|lately|this (?:year|term|season|month|week)|instead|already|actually"
    r"|today|since [\w ]{1,20}|as of [\w ]{1,12}|as of now|again|really|rather|though|obviously"
    r"|apparently|i mean|sorry|last (?:week|month|year|weekend)|yesterday)\Z|[了啦呢吧的哈]\Z",
    re.IGNORECASE,
)


def anew(fact: str, message: str, at: float | None) -> str:
    """Return a fact as a message has it that answers to it; "" if the message says nothing."""
    clauses = _told(fact, message)
    if not clauses:
        return ""
    for fragment in filter(None, map(_fragment, clauses)):
        for text in _swapped(fact, fragment, at):
            return text
    text = _own(fact, clauses)
    return dated(text, at) if at is not None else text


def _told(fact: str, message: str) -> list[str]:
    """Return the clauses of a message that say how it is, without those that say how it was."""
    said = [clause for one in clauses_of(message) for clause in _unmarked(one)]
    said = [c for c in said if not SLIP.search(c)] or said
    old = _values(fact)
    new = [clause for clause in said if not old & set(terms(clause))]
    telling = [c for c in new if set(terms(c)) - set(terms(fact)) and not _is_reason(c)]
    return telling and [c for c in new if c in telling] or said


def _unmarked(clause: str) -> list[str]:
    """Return a clause without its marks, if anything is left of it."""
    return [one.text for one in read_clauses(clause) if terms(one.text) or figures(one.text)]


def _is_reason(clause: str) -> bool:
    return opening(clause).subject == "noun"


def _values(fact: str) -> set[str]:
    """Return the terms of what a fact says of its subject."""
    value = fact[len(subject_of(fact)) :]
    named = [w.text for w in words(value) if w.tag in ("noun", "name", "id", "num", "time", "adj")]
    return {term for word in named for term in terms(word)}


def _fragment(clause: str) -> str:
    """Return what a clause without a verb names; "" if it is a sentence."""
    text = clause
    lead = re.match(r"[他她它]?(?:应该|其实|现在)?[是叫姓]|(?:it|that|he|she)(?:'s|s| is| was)\b|an?\b|the\b|more like\b|in the\b|in\b", text, re.I)
    text = text[lead.end() :].strip() if lead else text
    while tail := _TIME.search(text):
        text = text[: tail.start()].strip()
    read = words(text)
    if not read or opening(text).subject not in ("bare", "order") or len(read) > 4:
        return ""
    return "" if any(word.tag in _ACTING and ENGLISH_WORDS.get(word.text.lower()) != "adj" for word in read) else text


def _swapped(fact: str, value: str, at: float | None) -> Iterator[str]:
    """Yield a fact with a value for one of its own: of its kind, else the last that it names."""
    if figures(value) and figures(value)[0].kind != "one":
        yield from refigured(fact, value, at)
    subject = subject_of(fact)
    known = [w for w in words(fact) if w.start >= len(subject) and w.tag in _NAMING]
    best = [w for w in known if is_like(w.text, value)] or known
    if best and best[-1].text.casefold() not in value.casefold():
        word = best[-1]
        yield fact[: word.start] + value + fact[word.end :]


def _own(fact: str, clauses: list[str]) -> str:
    """Return what clauses say, of the subject that a fact has."""
    subject = subject_of(fact)
    if _HAN.search(fact):
        text = "，".join(clauses).strip(" ，,。.")
        text = re.sub("[他她它]们?", subject or "主人", text, count=1)
        text = re.sub("[我俺咱]们?", "主人", text)
        return text if "主人" in text[:8] or (subject and subject in text) else (subject or "主人") + text
    text = ", ".join(clauses).strip(" ,.")
    text = re.sub(r"\b(i)(m|ve)\b", r"\1'\2", text, flags=re.I)
    if subject and (they := re.match(r"(?:he|she|it|they)\b(?:'(?P<s>s|re))?", text, re.I)):
        return subject + (" is" if they["s"] else "") + polished(text[they.end() :])
    if opening(clauses[0]).subject == "bare" and subject.startswith("The user"):
        first = words(text)[0]
        if first.tag in _ACTING:
            text = f"I {text}"
    told = in_third(text).replace("{whose}", "the user's").replace("{who}", "the user")
    return told[:1].upper() + told[1:]
