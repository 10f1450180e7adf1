"""What a fact becomes by a message that answers to it (see `bearing`).

Of the message those clauses count that say how it is: not what merely turns back, not how it was,
not why.  A figure goes where one of its kind stands.  A mere name goes where a name of its kind
stands, else where the fact's value stands.  Anything else is told anew, in the message's own words
and of the fact's own subject: what its owner disputes must not stand alone.
"""

import re
from collections.abc import Iterator

from wangchuan.language.dates.coming import dated
from wangchuan.language.facts.bearing import (
    SLIP,
    clauses_of,
    is_mere,
    is_name,
    of_other,
    opening,
    subject_of,
)
from wangchuan.language.facts.claims import stored
from wangchuan.language.facts.corrections import denials, is_like, put, restated
from wangchuan.language.facts.figures import Figure, figures, fits, refigured
from wangchuan.language.facts.sense_en import PASTS, in_third, polished
from wangchuan.language.labels import holds
from wangchuan.language.terms import terms
from wangchuan.language.text import HAN, words
from wangchuan.language.words import ENGLISH_WORDS
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_NAMING = frozenset({"noun", "name", "id", "num", "idiom", "adj", "time", "key"})
_SAYING = frozenset({"verb", "light", "modal", "aux", "adv", "func", "part"})
_TAIL = regex(  # says since when, or turns back, behind a name
    r"[\s,]{0,3}\b(?:now|these days|lately|nowadays|instead|already|actually|today|again|really"
    r"|rather|though|obviously|apparently|(?:i mean|sorry|come to think of it)|yesterday"
    r"|this (?:year|term|season|month|week)|last (?:week|month|year|weekend)"
    r"|(?:since|as of|starting|with) .{1,20})\Z|[了啦呢吧哈]\Z",
    re.IGNORECASE,
)
_HEAD = regex(
    r"(?:应该|其实|现在|已经|就|也|都|一共|总共|[他她它那]){0,4}(?:[是叫姓](?!不是))?|(?:(?:it|that"
    r"|he|she|they)(?:'s|s|'re| is| was| are)"
    r"|(?:its|only|more like|closer to|rather|so|up to|down to|in|at|on|an?|the|to)\b)\s*",
    re.IGNORECASE,
)


def realigned(fact: str, message: str, at: float | None) -> str:
    """Return a fact with the one word that a message says instead; "" if that is not plain."""
    said = clauses_of(message)
    for found in denials(said):
        for text in restated(fact, found, at):
            return text
    clauses = _telling(fact, said)
    return next((text for text in (*_refigured(fact, said, at), *_renamed(fact, clauses))), "")


def retold_of(fact: str, message: str, stated: str, at: float | None) -> str:
    """Return what a message says in the place of a fact, in its own words; "" if nothing new.

    That is what it was `stated` as, without the clauses that only name what is over.
    """
    over, said = _over(fact), clauses_of(message)
    if stated and not over & _names(stated):
        return stated
    if not any(not over & _names(clause) and _is_news(fact, clause) for clause in said):
        said = [part for clause in said for part in _PARTS.split(clause) if part]
    clauses = _telling(fact, said)
    if all((value := _value(one)) and _holds(fact, value) for one in clauses):
        return ""  # that is what it says
    if all(word.tag in _SAYING for clause in clauses for word in words(clause)):
        return ""  # still hurts: that is no value
    text = _in_own_words(fact, clauses)
    text = dated(text, at) if at is not None else text
    return "" if text.casefold() == fact.casefold() else text


def _over(fact: str) -> set[str]:
    """Return the words of a fact's value: what answers its slot, or a name it opens with."""
    value = fact[len(subject_of(fact)) :] if not _is_named(fact) else subject_of(fact)
    value = " ".join(claim.raw for claim in stored(fact)) or value
    named = {word.text.casefold() for word in words(value) if word.tag in ("name", "id")}
    return named or {word.text.casefold() for word in words(value) if word.tag == "noun"}


def _is_named(fact: str) -> bool:
    """Tell whether a fact opens with a name, of which it says what that is or does."""
    first = next(iter(words(fact)), None)
    return (
        first is not None
        and (first.tag == "name" or bool(_NAME.match(fact)))
        and first.text != "主人"
    )


_NAME = regex(r"(?!The\b|Our\b)(?-i:[A-Z])\w+", re.IGNORECASE)


def _is_news(fact: str, clause: str) -> bool:
    """Tell whether a clause names anything that a fact does not."""
    return bool(_names(clause) - _names(fact) or figures(clause)) and not _LACKS.match(clause)


_PARTS = regex(r"\s(?:and|so|but|because|since|while)\s(?!then\b)|(?<=了)(?=[换改])", re.IGNORECASE)


def _telling(fact: str, clauses: list[str]) -> list[str]:
    """Return the clauses of a message that say how it is, without those that say what is over."""
    said = [clause for clause in clauses if terms(clause) or figures(clause)]
    said = [
        left for clause in said if (left := _UNSAID.sub("", clause)) and not SLIP.search(left)
    ] or said
    for over in (_over(fact) | _names(fact[len(subject_of(fact)) :]), _over(fact)):
        clean = [one for one in said if not over & _names(one) and not _LACKS.match(one)]
        if any(_is_news(fact, clause) for clause in clean):
            return clean
    return said


_UNSAID = regex(
    r"居然|竟然|原来|\b(?:turns out|technically|i meant?|correction)\b\W*", re.IGNORECASE
)
_LACKS = regex(r"(?:no|not|because|about)\b|没|不|因为", re.IGNORECASE)


def _names(text: str) -> set[str]:
    """Return the words of a text that name something."""
    named = (word for word in words(text) if word.tag in _NAMING)
    return {word.text.casefold() for word in named if len(word.text) > 1 or word.tag == "noun"}


def _refigured(fact: str, clauses: list[str], at: float | None) -> Iterator[str]:
    """Yield a fact with the one figure of a message for the one of its kind."""
    found = [(c, one) for c in clauses for one in figures(c) if one.kind != "one"]
    fit = [(c, one) for c, one in found if any(fits(one, other) for other in figures(fact))]
    fit = [(c, one) for c, one in fit if not _counts_more(c, one) and not of_other(fact, c, one)]
    new = [value for c, one in fit if not holds(fact, value := c[one.start : one.end])]
    texts = {text for value in new for text in refigured(fact, value, at)}
    if len(texts) == 1 and sum(one.kind != "one" for one in figures(fact)) < 2:
        yield from texts


def _counts_more(clause: str, one: Figure) -> bool:
    """Tell whether a figure is added to another one (two more, 又买了一辆)."""
    return bool(re.search(r"[又再多][^，]{0,3}\Z", clause[: one.start])) or bool(
        re.match(r"\s?more\b", clause[one.end :], re.IGNORECASE)
    )


def _renamed(fact: str, clauses: list[str]) -> Iterator[str]:
    """Yield a fact with a mere name, if a message says nothing else, for the value it fits best."""
    mere = [value for clause in clauses if (value := _value(clause)) and not _holds(fact, value)]
    being = [value for value in mere if any(value != c and value in c for c in clauses)]
    if len(mere) != len(clauses) and len(being) != 1:
        return
    claimed = [claim.raw for claim in stored(fact)]
    places = claimed or ([subject_of(fact)] if _is_named(fact) else _places(fact))
    for value in (being or mere)[-1:]:
        alike = [place for place in places if _are_alike(value, place)]
        for place in alike or [one for one in claimed if is_name(one) == is_name(value)]:
            yield put(fact, place, value)


def _are_alike(value: str, place: str) -> bool:
    """Tell whether a value is of the kind of another one."""
    shared = set(value.lower().split()) & set(place.lower().split())
    named = value[:1].isupper() and place[:1].isupper()
    return bool(shared) or named or is_like(place, value)


def _holds(fact: str, value: str) -> bool:
    return value.casefold() in fact.casefold()


def _places(fact: str) -> list[str]:
    """Return what a fact names of its subject: the object first, which Chinese puts last."""
    runs: list[tuple[int, int]] = []
    for word in words(fact):
        if word.start < len(subject_of(fact)) or word.tag not in _NAMING:
            continue
        if runs and not fact[runs[-1][1] : word.start].strip():
            runs[-1] = (runs[-1][0], word.end)
        else:
            runs.append((word.start, word.end))
    found = [fact[start:end] for start, end in runs]
    return found[::-1] if _HAN.search(fact) else found


def _value(clause: str) -> str:
    """Return what a clause without a verb names; "" if it is a sentence or a description."""
    head = _HEAD.match(clause)
    text = clause[head.end() if head else 0 :].strip()
    while tail := _TAIL.search(text):
        text = text[: tail.start()].strip()
    being = head and re.search("[是叫姓]\\Z", head[0])
    so = head and re.search("已经|是|都|现在|共", head[0])
    over = clause.endswith("了") and not so and not figures(clause)
    mere = (
        text and not over and not re.search(r"的|那个|了|\b\w\Z", text) and not _LACKS.match(text)
    )
    bare = is_mere(clause if being else text) and opening(text).subject in ("bare", "order")
    return text if mere and (bare or (being and len(text) < 7)) else ""


def _in_own_words(fact: str, clauses: list[str]) -> str:
    """Return what clauses say, of the subject that a fact has."""
    subject = subject_of(fact)
    if _HAN.search(fact):
        text = "，".join(clauses).strip(" ，,。.")
        text = re.sub("[他她它]们?", subject or "主人", text, count=1)
        text = re.sub("[我俺咱]们?", "主人", text)
        named = text.startswith(("主人", subject or "主人")) or opening(text).subject == "noun"
        return text if named else (subject or "主人") + text
    text = re.sub(r"\b(i)(m|ve)\b", r"\1'\2", ", ".join(clauses).strip(" ,."), flags=re.I)
    text = (
        re.sub(r"\A(?:his|her|its|their)\b", f"{subject}'s", text, flags=re.I) if subject else text
    )
    if subject and (they := re.match(r"(?:he|she|it|they)\b(?:'(?P<s>s|re))?", text, re.I)):
        return subject + (" is" if they["s"] else "") + polished(text[they.end() :])
    first = text.split()[0].lower()
    past = first in PASTS or first.endswith("ed") or ENGLISH_WORDS.get(first) in ("verb", "aux")
    if opening(text).subject in ("bare", "order") and subject:
        who = "I" if subject.startswith("The user") and "'s" not in subject else subject
        text = f"{who} {text}" if past else f"{who}: {text}" if who != "I" else text
    told = in_third(text).replace("{whose}", "the user's").replace("{who}", "the user")
    return told[:1].upper() + told[1:]
