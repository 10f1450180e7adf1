"""What a message does to what was said before, told without knowing it: names it, takes it back."""

from wangchuan.language.changes import is_otherwise
from wangchuan.language.facts.bearing import (
    SLIP,
    TIED,
    TURNING,
    bearing,
    clauses_of,
    heard,
    is_mere,
    plain,
    signs,
)
from wangchuan.language.facts.corrections import denials
from wangchuan.language.facts.figures import figures
from wangchuan.language.facts.topics import IDLE, matter_of
from wangchuan.language.facts.weights import ENOUGH, OTHERWISE
from wangchuan.language.text import words


def named_again(message: str) -> frozenset[str]:
    """Return the words by one of which a message can name a fact of long ago.

    None if it neither takes something back nor tells of a change. This is cheap, where there are
    many facts, and `bearing` is not.
    """
    said = plain(message)
    wrong = {one.wrong.casefold() for one in denials(clauses_of(said))}
    if not (wrong or SLIP.search(said) or is_otherwise(said)):
        return frozenset()
    acts = {word.text for word in words(said) if word.tag in ("verb", "light")}
    return frozenset(wrong | (matter_of(said) | acts) - IDLE)


def turns_back(message: str) -> bool:
    """Tell whether a message says that something was said wrongly, or has changed."""
    return bool(heard(message).cues & TURNING)


def may_answer(message: str) -> bool:
    """Tell whether a message can answer to anything that was said before."""
    one = heard(message)
    return bool(one.cues & OTHERWISE or one.wrong or figures(one.said)) or is_mere(
        one.opened[0].rest
    )


def sets_right(later: str, earlier: str, at_once: bool) -> bool:
    """Tell whether a message puts right what its speaker said in an earlier one."""
    found = signs(earlier, later)
    tied = bool(found & TIED and found & OTHERWISE)
    return tied and bearing(earlier, later, later=not at_once) >= ENOUGH
