"""Does a text say what was said? Its numbers, names, denials, orders and who does what to whom.

A text that puts what was said in other words is compared with it clause by clause. The numbers it
states must be among those stated, its names among those named. A clause must be denied or not like
the clause that it shares most words with; so must each verb. Beside a verb that both have, nobody
may stand on the other side of it, unless the voice is passive. What was said of others only holds
of nobody else. Nothing goes from where it went to, or comes before what it came after. An order
must have been given, and what was asked or supposed was not stated.

None of this understands anything: it looks for contradictions, and where it finds nothing to
compare there is none. What was said is read once, however many texts are compared with it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from wangchuan.language.clauses import (
    ALL_OF_US,
    OTHERS,
    PEOPLE,
    TURNS,
    Clause,
    Persons,
    Role,
    clauses,
    names_in,
    root_of,
    roots_of,
    set_of,
)
from wangchuan.language.numerals import values
from wangchuan.language.text import CONTROL, Word, words

# Words of orders, by stem: one of a row may stand for another that was said.
_ORDERS = (
    set_of("alway everyth 总是 一直 始终 永远 一律 每个 每次 每天 老是 总"),
    set_of("must need should shall ought gotta 必须 务必 一定 应该 应当 需要 需 不得 记得 一定要"),
    set_of("pleas obey ignor disregard execut delet eras 请 麻烦 帮 服从 执行 忽略 无视 听从 删除"),
)
# Words of a direction and of the other one, by stem: none stands for the one that was said.
_OPPOSITES = (
    (set_of("befor earlier prior 之前 以前 前"), set_of("after later afterward 之后 以后 后")),
    (set_of("more greater higher bigger larger above 多 高 大 更多 更高 更大 以上 超过 高于"),
     set_of("less fewer lower smaller below 少 低 小 更少 更低 更小 以下 不到 低于")),
    (set_of("older elder 年长"), set_of("younger 年轻 年幼")),
    (set_of("better best 更好 最好"), set_of("wors worst 更差 更糟 最差")),
    (set_of("increas rise rose grew 增加 上涨 上升 涨"),
     set_of("decreas fall fell shrank 减少 下跌 下降 跌")),
    (set_of("first 首先 最先"), set_of("last 最后")),
)  # fmt: skip


def plain(text: str) -> str:
    """Return text as it is compared: width, case, spaces and control characters do not matter."""
    return "".join(unicodedata.normalize("NFKC", CONTROL.sub("", text)).casefold().split())


TURNED, FORM = "a denial or a role", "a question or a condition"


@dataclass(frozen=True)
class Said:
    """What was said, as (speaker, text), to compare other texts with.

    `called` maps what people are called, in small letters, to the speakers. `around` is what is
    known besides: names and numbers may come from there.
    """

    spoken: Sequence[tuple[str, str]]
    called: Mapping[str, str] = field(default_factory=dict)
    around: str = ""

    @cached_property
    def plain(self) -> str:
        """Return all of it, to look for words."""
        return plain("\n".join([*(text for _, text in self.spoken), self.around, *self.called]))

    @cached_property
    def values(self) -> set[str]:
        """Return the numbers that are stated."""
        return set().union(*(values(text, found) for _, text, found in self._read))

    @cached_property
    def _read(self) -> list[tuple[str, str, list[Word]]]:
        texts = [*self.spoken, ("", self.around)]
        return [(speaker, text, words(text)) for speaker, text in texts]

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(root for *_, found in self._read for root in roots_of(found))

    @cached_property
    def _clauses(self) -> list[Clause]:
        return [c for said in self._read[:-1] for c in self._cut(*said, self._stems)]

    def _cut(self, speaker: str, text: str, found: list[Word], known: Set[str]) -> Iterator[Clause]:
        return clauses(text, found, Persons(speaker, self.called), known)

    @cached_property
    def _holding(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for n, clause in enumerate(self._clauses):
            for word in clause.said:
                found[word].append(n)
        return found

    @cached_property
    def _telling(self) -> Mapping[str, list[Clause]]:
        found: dict[str, list[Clause]] = defaultdict(list)
        for clause in self._clauses:
            for one in clause.told | clause.people:
                found[one].append(clause)
        return found

    @cached_property
    def _tied(self) -> dict[tuple[str, str], bool]:
        """Return what is known already by `_is_told_of`."""
        return {}

    @cached_property
    def _ways(self) -> set[tuple[str, str]]:
        return {way for clause in self._clauses for way in clause.ways}

    @cached_property
    def _speakers(self) -> set[str]:
        return {f"@{name}" for name in [*self.called.values(), *(who for who, _ in self.spoken)]}

    @cached_property
    def _roles(self) -> set[Role]:
        return {role for clause in self._clauses for role in clause.roles}

    @cached_property
    def _done(self) -> set[str]:
        """Return what somebody does, where this is said of persons only."""
        unsure = {word for clause in self._clauses if clause.open for word in clause.said}
        return {verb for verb, _, does in self._roles if does} - unsure

    def contradiction(self, text: str, speaker: str = "user") -> str | None:
        """Return what of a text cannot come from what was said, in whose mouth "I" is `speaker`."""
        found = words(text)
        own = roots_of(found)
        if values(text, found) - self.values:
            return "a number"
        if any(not self._names(name) for name in names_in(found)):
            return "a name"
        clauses = list(self._cut(speaker, text, found, own | self._stems))
        bids = any(clause.bids and not self._has(clause.bids) for clause in clauses)
        if bids or any(own & order and not self._stems & order for order in _ORDERS):
            return "an order"
        if self._is_reversed(own) or any(map(self._is_turned, clauses)):
            return TURNED
        return FORM if any(map(self._is_put_otherwise, clauses)) else None

    def holds(self, word: Word) -> bool:
        """Tell whether a word was said, in this form or another; a number, however written."""
        stated = values("", [word])
        return (
            plain(word.text) in self.plain
            or self._has(root_of(word.text))
            or (bool(stated) and stated <= self.values)
        )

    def is_of_others(self, text: str, speaker: str = "user") -> bool:
        """Tell whether a text says of somebody what was said of others only."""
        found = words(text)
        clauses = self._cut(speaker, text, found, roots_of(found) | self._stems)
        return any(self._is_of_others(clause, one) for clause in clauses for one in clause.people)

    def _has(self, root: str) -> bool:
        """Tell whether a word was said; of a Chinese one, all its characters."""
        return root in self._stems or (not root.isascii() and all(c in self.plain for c in root))

    def _is_reversed(self, own: Set[str]) -> bool:
        """Tell whether words have the direction opposite to the one that was said."""
        both = [pair for one, other in _OPPOSITES for pair in ((one, other), (other, one))]
        return any(own & a and self._stems & b and not self._stems & a for a, b in both)

    def _names(self, name: str) -> bool:
        name = plain(name).removesuffix("'s").removesuffix("’s")
        return name in self.plain or root_of(name) in self._stems

    def _is_turned(self, clause: Clause) -> bool:
        """Tell whether a clause denies what was not denied, or the reverse, or turns roles."""
        if any(self._is_swapped(role, clause.roles) for role in clause.roles):
            return True
        if any(
            (TURNS[way], x) in self._ways and (way, x) not in self._ways for way, x in clause.ways
        ):
            return True
        if any(self._is_of_others(clause, person) for person in clause.people):
            return True
        best = self._nearest(clause)
        if not best or not clause.states:
            return False
        alike = [other for other in best if other.denied == clause.denied]
        named = clause.denied and not any(other.open for other in alike)
        checked = clause.said if named else clause.predicates
        return not alike or any(self._denials(w) == {not clause.denied} for w in checked)

    def _nearest(self, clause: Clause) -> list[Clause]:
        """Return the clauses that share most words with a clause."""
        shared = Counter(n for word in clause.said for n in self._holding.get(word, ()))
        most = max(shared.values(), default=0)
        return [self._clauses[n] for n, count in shared.items() if count == most]

    def _is_put_otherwise(self, clause: Clause) -> bool:
        """Tell whether a clause states what was only asked, or supposed."""
        forms, own = [other.form for other in self._nearest(clause)], clause.form
        if not forms or not clause.states:
            return False
        asked = not own.asking and all(form.asked for form in forms)
        return asked or (not own.supposing and all(form.supposed for form in forms))

    def _is_of_others(self, clause: Clause, person: str) -> bool:
        """Tell whether a clause says of somebody what was said, but only of others.

        Where a pronoun stands beside him, it may stand for things that others were said to have.
        """
        own = self._telling.get(person, ())
        listed = not clause.states and len(clause.people) > 1
        if listed or (not own and person not in self._speakers):
            return False
        fixed = clause.predicates | {one for one in clause.told if one.startswith("#")}
        loose = any(c.open for c in own) or (person in self._speakers and self._is_shared)
        told = clause.told & fixed if loose else clause.told | clause.people - {person}
        if person not in clause.whom:  # only a thing can be his: a place, a name it has
            told = told - fixed - clause.people
        whom = clause.whom if person in clause.whom else {person}
        return any(not any(self._is_told_of(p, one) for p in whom - {one}) for one in told)

    @cached_property
    def _is_shared(self) -> bool:
        """Tell whether speakers share something that a pronoun stands for (we go there)."""
        both = (c.pronouns for c in self._clauses if c.pronouns & ALL_OF_US)
        return any(pronouns - ALL_OF_US for pronouns in both)

    def _is_told_of(self, person: str, told: str) -> bool:
        """Tell whether something may have been told of somebody, or was told of nobody."""
        if (person, told) not in self._tied:
            holding = self._telling.get(told, ())
            admitted = any(self._admits(clause, person, told) for clause in holding)
            self._tied[person, told] = admitted or not holding
        return self._tied[person, told]

    def _admits(self, clause: Clause, person: str, told: str) -> bool:
        """Tell whether a clause may have told something of somebody, by name or not."""
        if person in clause.people or clause.pronouns & ALL_OF_US:
            return True
        people = clause.people - {told}
        if person in self._speakers:
            return not people and not clause.pronouns & OTHERS
        others, kin = people - self._speakers, person[1:] in PEOPLE
        named = bool(others) and all((one[1:] in PEOPLE) != kin for one in others)
        return clause.open or not people or named  # a relative may have a name

    def _is_swapped(self, role: Role, beside: frozenset[Role]) -> bool:
        """Tell whether somebody has the role that another one had."""
        verb, person, does = role
        turned = (verb, person, not does)
        if role in self._roles or turned in beside:
            return False
        return turned in self._roles or (does and verb in self._done)

    def _denials(self, word: str) -> set[bool]:
        if word.startswith("@"):
            return set()
        return {self._clauses[n].denied for n in self._holding.get(word, ())}
