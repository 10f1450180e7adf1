"""The observer that needs no model: which facts a turn of talk adds, changes, uses or ends.

The document behind this leaves the judgement to a language model, because rules misjudge.  So the
rules here judge little: they take only what a speaker plainly states of himself in one of a few
dozen shapes, and leave everything else alone.  In particular:

- a new value of the same slot replaces the old one (UPDATE: delete the old, add the new);
- a mood, a plan or a second cat replaces nothing.  "Nervous ten days ago" and "relaxed now" are
  both true, each at its time;
- a fact is boosted when the reply draws on it (`uses`), and when its owner states it once more:
  that is the memory being referred to, not merely retrieved, and without it a fact told every
  week would fade like one nobody mentioned again.  Once per fact and turn;
- a fact that its owner denies without a replacement, or asks to have forgotten, is deleted.

Sentence by sentence, what was just learned is known to the next: a change of mind within one turn
comes to the same as one between two turns.  Within a sentence the last word counts ("in Rome, no,
in Turin"): the earlier one was a slip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from wangchuan.language.dates.coming import dated
from wangchuan.language.facts import shapes_en
from wangchuan.language.facts.aligning import realigned, retold_of
from wangchuan.language.facts.answering import may_answer, named_again, turns_back
from wangchuan.language.facts.bearing import TIED, bearing, signs
from wangchuan.language.facts.claims import POLICIES, Claim, slot_of, stored
from wangchuan.language.facts.comparing import compared, contradicts
from wangchuan.language.facts.corrections import disowns, length, owns_slip
from wangchuan.language.facts.exchanges import KIN, answered, retold
from wangchuan.language.facts.people import other
from wangchuan.language.facts.sense_en import inside
from wangchuan.language.facts.statements import (
    Promise,
    Statement,
    promises,
    statements,
    written,
)
from wangchuan.language.facts.uses import used
from wangchuan.language.facts.utterances import Sentence, asserted, in_earnest, own_words, sentences
from wangchuan.language.facts.weights import AT_ONCE, ENOUGH, LONGEST, STATED, TAKING_BACK
from wangchuan.language.terms import terms
from wangchuan.language.text import HAN, words
from wangchuan.patterns import regex
from wangchuan.types import value

__all__ = ["Known", "Operation", "observed", "slot_of"]

USER, AGENT = "主人", "小祥"
ENGLISH = {USER: "The user", AGENT: "The assistant"}
Message = tuple[str, str | None, str]  # role, speaker's name, content


@value
class Known:
    """A fact already kept; `firm` if verified or core, `fresh` if learned just before this turn."""

    id: str
    text: str
    topic: str
    firm: bool = False
    fresh: bool = False


@value
class Operation:
    """What to do with a fact: ADD (no id), UPDATE, BOOST or DELETE; `message` is where it shows.

    The text of a BOOST or DELETE is that of the fact it concerns.  Facts that come into being on
    the way, by ADD or UPDATE, are called new_1, new_2, … by operations that follow.
    """

    verb: str
    id: str | None
    text: str
    topic: str
    message: int


def observed(
    messages: Sequence[Message],
    known: Sequence[Known],
    *,
    user: str = USER,
    agent: str = AGENT,
    before: Sequence[Message] = (),
    at: Sequence[float] = (),
) -> list[Operation]:
    """Return what a turn of talk does to the facts, in the order of the messages.

    `known` are the related facts that were retrieved.  A message of the user gives facts about
    `user`, or about its own `name` where several people talk; one of the assistant gives the
    agent's promises, and shows which facts it used.  `before` is what was said just before, `at`
    when each of the messages was said.  Pure, deterministic, never raises.
    """
    turn = _Turn(messages, known, user, agent, before, at, list(known))
    for place, (role, _, _) in enumerate(messages):
        if role == "user":
            turn.heard(place)
        elif role == "assistant":
            turn.answered(place)
    return _once(turn.found)


@value
class _Turn:
    """The messages of a turn, the facts retrieved for it, and what the personas are called.

    `living` are the facts as they are after what was `found`; `new` are those that came to be,
    by their ids, each with its message.
    """

    messages: Sequence[Message]
    known: Sequence[Known]
    user: str
    agent: str
    before: Sequence[Message]
    at: Sequence[float]
    living: list[Known]
    found: list[Operation] = field(default_factory=list)
    new: dict[str, int] = field(default_factory=dict)

    def take(self, step: list[Operation]) -> None:
        """Do what a sentence does, to what is known to the next one."""
        for one in _settled(step, self.living):
            if one.verb == "BOOST" and one.id in self.new:
                continue  # it was said a moment ago
            self.found.append(one)
            if one.verb == "UPDATE":
                self.living[:] = [fact for fact in self.living if fact.id != one.id]
            if one.verb in ("ADD", "UPDATE"):
                name = f"new_{len(self.new) + 1}"
                self.new[name] = one.message
                self.living.append(Known(name, one.text, one.topic))

    def heard(self, place: int) -> None:
        """Do what a message of the user does."""
        content = self.messages[place][2]
        if len(content) > _REMARK and not _PERSON.search(content):
            return  # nothing is said of anybody here: most messages of a working day
        earnest, many = in_earnest(content), len(self.found)
        fresh = self.fresh()
        promised = self.promised(place, [one.now for one in earnest])
        self.take(promised)
        earnest = [] if promised else earnest
        said = replace(self, living=[*self.living], found=[*self.found], new={**self.new})
        said.state(place, content, earnest)
        told = said.found[len(self.found) :]
        spared = {one.id for one in told if one.verb == "BOOST"}
        stated = [one for one in told if one.verb == "ADD"]
        mended = [] if self.replaced(told) else self.mended(place, content, fresh, stated)
        mended = [one for one in mended if one.id is None or one.id not in spared]
        mended = [one for one in mended if not any(_says_same(one, other) for other in told)]
        right = [one for one in mended if one.verb == "UPDATE"]
        olds = {fact.id: fact.text for fact in self.living}
        self.take([one for one in told if not any(_are_one(one, r, olds) for r in right)])
        self.take(mended)
        for answer in answered(self.question(place), content):
            if len(self.found) > many:
                break
            self.state(place, answer, [Sentence([answer], [answer])])
        over = {one.id for one in self.found if one.verb == "DELETE"}
        self.living[:] = [fact for fact in self.living if fact.id not in over]

    def fresh(self) -> list[Known]:
        """Return what was learned just before, the last first."""
        return [fact for fact in reversed(self.living) if fact.fresh or fact.id in self.new]

    def replaced(self, told: Sequence[Operation]) -> bool:
        """Tell whether operations give a fact another value, and do not merely deny it."""
        olds = {fact.id: fact.text for fact in self.living}
        now = [(one.text, olds.get(one.id or "")) for one in told if one.verb == "UPDATE"]
        return any(old and not _keeps(text, old) for text, old in now)

    def state(self, place: int, content: str, sentences: Sequence[Sentence]) -> None:
        """Do what the statements of a message do, each known to the next."""
        greeted = bool(shapes_en.GREETED.match(content))
        correcting = bool(_CORRECTING.search(content))
        dropped = not (
            KIN.search(f"{self.question(place)}\n{self.messages[place][2]}") or turns_back(content)
        )
        for sentence in statements(sentences, greeted, self.said_at(place), dropped):
            step: list[Operation] = []
            for claim, denied in _last_words(sentence):
                said = _Said(claim, self.speaker(place), place, correcting, content)
                step += self.denied(said) if denied else self.claimed(said)
            self.take(step)

    def said_at(self, place: int) -> float | None:
        """Return when a message was said, if it is known."""
        return self.at[place] if place < len(self.at) else None

    def question(self, place: int) -> str:
        """Return what the assistant said last before a message."""
        said = [*self.before, *self.messages[:place]]
        return said[-1][2] if said and said[-1][0] == "assistant" else ""

    def answered(self, place: int) -> None:
        """Do what a message of the assistant does."""
        reply = self.messages[place][2]
        said = "\n".join(text for role, _, text in self.messages[:place] if role == "user")
        names = [self.user, self.agent, *(name for _, name, _ in self.messages if name)]
        shown = used([fact.text for fact in self.known], own_words(reply), said, names)
        boosts = [_boost(fact, place) for fact, yes in zip(self.known, shown, strict=True) if yes]
        self.take(self.promised(place, asserted(reply)))
        self.found.extend(boosts)

    def speaker(self, place: int) -> str:
        """Return who speaks in a message: "" for the user, else the name it carries."""
        name = (self.messages[place][1] or "").strip()
        return "" if name in (self.user, self.agent) else name

    def called(self, speaker: str) -> str:
        """Return a speaker's name, to be compared."""
        return (speaker or self.user).casefold()

    def about(self, said: _Said) -> list[tuple[Known, Claim, str]]:
        """Return the kept claims that answer the same question, and how the new one compares."""
        new = said.claim
        return [
            (fact, old, compared(old, new))
            for fact, old in self.kept()
            if (old.slot, old.key) == (new.slot, new.key) and self.is_of(old.who, said)
        ]

    def kept(self) -> Iterator[tuple[Known, Claim]]:
        """Yield what the living facts claim."""
        return ((fact, claim) for fact in self.living for claim in stored(fact.text))

    def is_of(self, who: str, said: _Said) -> bool:
        """Tell whether a kept claim is about the one that was spoken of."""
        name, other = self.called(said.speaker), said.claim.who
        if other and who in (f"{name}的{other}", f"{name}'s {other}"):
            return True
        return who == other if not said.speaker and (other or not who) else who == name

    def claimed(self, said: _Said) -> list[Operation]:
        """Return what a claim does, in the light of what is known."""
        if said.claim.slot in _NAMES and said.claim.value == self.called(said.speaker):
            return []  # that is what the fact would call him anyway
        about = self.about(said)
        if said.claim.slot == "employer" and (firm := said.claim.noun.casefold()):
            about = [one for one in about if firm in one[1].value]
            if not about and "left" in said.claim.says:
                return []  # a town, or a party
        again = [_boost(fact, said.place) for fact, _, how in about if how == "same"]
        if again:
            return again
        topic = POLICIES[said.claim.slot].topic
        text = self.fact(said.claim, said.speaker)
        stale = [fact for fact, old, how in about if self.replaces(said, fact, old, how)]
        stale = stale or self.slips(said)[:1]
        if not stale:
            return [Operation("ADD", None, text, topic, said.place)]
        first = Operation("UPDATE", stale[0].id, text, topic, said.place)
        return [first, *self.still_true(stale[0], said), *(_gone(f, said.place) for f in stale[1:])]

    def replaces(self, said: _Said, fact: Known, old: Claim, how: str) -> bool:
        """Tell whether a claim takes the place of a fact; two jobs in one message are two jobs."""
        beside = self.new.get(fact.id) == said.place
        only = POLICIES[old.slot].replaced == "always"
        return _replaces(said, old, how) and (only or not beside)

    def slips(self, said: _Said) -> list[Known]:
        """Return what was said just before and is taken back: owned as wrong, or disputed."""
        fresh = {fact.id for fact in self.fresh() if self.new.get(fact.id) != said.place}
        owned = (owns_slip if said.claim.slot in _THINGS else turns_back)(said.content)
        return [
            fact
            for fact, old in self.kept()
            if fact.id in fresh and old.slot == said.claim.slot and self.is_of(old.who, said)
            and old.slot != "state"
            and (owned or (old.raw and old.raw.casefold() in said.content.casefold()
                 and POLICIES[old.slot].replaced == "corrected" and old.slot != "possession"))
        ]  # fmt: skip

    def still_true(self, stale: Known, said: _Said) -> Iterator[Operation]:
        """Yield the other claims of a replaced fact (likes A and B), which are kept."""
        for fact, old in self.kept():
            if fact is stale and (old.slot, old.key) != (said.claim.slot, said.claim.key):
                text = self.fact(old, said.speaker)
                yield Operation("ADD", None, text, stale.topic, said.place)

    def denied(self, said: _Said) -> list[Operation]:
        """Return the deletions of what a speaker denies, or wants forgotten."""
        return [
            _gone(fact, said.place)
            for fact, old, _ in self.about(said)
            if contradicts(said.claim, old)
        ]

    def fact(self, claim: Claim, speaker: str) -> str:
        """Write a claim as a fact, in the language it was made in."""
        name = speaker or self.user
        if _HAN.search(claim.says.replace("{who}", "")):
            return claim.text(name, f"{name}的")
        name = ENGLISH.get(name, name)
        name = name if claim.says.startswith("{") else inside(name)
        return claim.text(name, f"{name}'s")

    def mended(
        self, place: int, content: str, fresh: Sequence[Known], stated: Sequence[Operation]
    ) -> list[Operation]:
        """Return the fact that a correction puts right.

        What it calls wrong must stand in exactly one fact, or one of those just learned; else it
        corrects what was learned last, or what was said last.  Only the user's own facts are his
        to mend.  If a slip is owned and nothing can be put in its place, what was said last is
        gone.
        """
        if self.speaker(place) or len(content) > LONGEST["zh" if _HAN.search(content) else "en"]:
            return []
        at, late = self.said_at(place), {fact.id for fact in fresh}
        again = named_again(content)
        named = (
            f for f in self.living if f.id in late or any(w in f.text.casefold() for w in again)
        )
        own = [f for f in named if self.new.get(f.id) != place and _is_own(f.text, f in fresh)]
        last, turning, about = self.last(place), may_answer(content), {*terms(content)}
        own = [f for f in own if turning or about & {*terms(f.text)} - {"user"}]
        borne = [
            (bearing(f.text, content, f.id not in late) + AT_ONCE * _share(f.text, last), f)
            for f in reversed(own)
        ]
        bar = ENOUGH + STATED * bool(stated)
        borne = sorted((one for one in borne if one[0] >= bar), key=lambda one: -one[0])
        if borne and self.is_of_talk(place, content, borne[0]):
            return []
        if len(borne) > 1 and not any(fact.id in late for _, fact in borne):
            return []  # it cannot be told which is meant
        for _, fact in borne:
            one, text = self.in_its_place(fact, stated, content), realigned(fact.text, content, at)
            if not text and not fact.firm:  # what is verified is mended word by word
                text = retold_of(fact.text, content, one, at)
            if text:
                return [Operation("UPDATE", fact.id, text, fact.topic, place)]
        if fresh:
            return [_gone(fresh[0], place)] if disowns(content) else []
        return self.said_again(place, content)

    def last(self, place: int) -> str:
        """Return what the user said last before a message."""
        said = [*self.before, *self.messages[:place]]
        return next((text for role, _, text in reversed(said) if role == "user"), "")

    def is_of_talk(self, place: int, content: str, borne: tuple[float, Known]) -> bool:
        """Tell whether a message answers rather to what was said last, and became no fact."""
        said = [*self.before, *self.messages[:place]]
        last = [text for role, _, text in said if role == "user"][-2:]
        return any(
            bearing(text, content) > borne[0] and not _share(text, borne[1].text) for text in last
        )

    @staticmethod
    def in_its_place(fact: Known, stated: Sequence[Operation], content: str) -> str:
        """Return the statement of a message that takes the place of a fact: the nearest to it.

        Not if it leaves out half of what the message says.
        """
        about, whole = set(terms(fact.text)), set(terms(content))
        said = max(stated, key=lambda one: len(about & set(terms(one.text))), default=None)
        much = said and (len(stated) > 1 or 2 * len(whole & set(terms(said.text))) > len(whole))
        return said.text if said and much else ""

    def said_again(self, place: int, content: str) -> list[Operation]:
        """Return what a late message of the user says with what a correction puts right in it.

        Who puts a sentence right wants it known, though it was no fact by itself.
        """
        said, at = [*self.before, *self.messages[:place]], self.said_at(place)
        own = (
            text for role, _, text in reversed(said) if role == "user" and length(text) <= _SHORT
        )
        for sentence in (one for text in own for one in sentences(text)):
            claim = retold(sentence, at)
            text = self.fact(claim, "") if claim else ""
            found = signs(text, content) if text else set()
            if not (found & TAKING_BACK and found & TIED):
                continue
            new = realigned(text, content, at) or retold_of(text, content, "", at)
            if new and bearing(text, content) >= ENOUGH:
                return [Operation("ADD", None, new, "other", place)]
        return []

    def promised(self, place: int, sentences: Sequence[Sequence[str]]) -> list[Operation]:
        """Return the promises of a message; none if it cannot be told to whom."""
        assistant = self.messages[place][0] == "assistant"
        speaker = self.speaker(place)
        mine, yours = (self.agent, self.user) if assistant else (speaker or self.user, self.agent)
        others = {name for _, name, _ in self.messages if name} - {speaker, self.user, self.agent}
        if others and not assistant:
            yours = others.pop() if len(others) == 1 else ""
        found = promises(sentences, offers=assistant) if yours else []
        return [
            Operation("ADD", None, self.promise(one, mine, yours, place), "promise", place)
            for one in found
        ]

    def promise(self, one: Promise, mine: str, yours: str, place: int) -> str:
        """Write a promise, the personas by their names in its language."""
        names = (mine, yours) if one.chinese else (ENGLISH.get(n, n) for n in (mine, yours))
        text, at = written(one, *names), self.said_at(place)
        return text if at is None else dated(text, at)


@value
class _Said:
    """A claim in its place."""

    claim: Claim
    speaker: str
    place: int
    correcting: bool
    content: str = ""


_HAN = regex(f"[{HAN}]")
_SHORT = 30  # characters of a message that a correction may be about, of English twice as many
_REMARK = 300  # characters: a longer message is a remark only if it speaks of somebody
_PERSON = regex(
    r"[我俺咱]|本人|不是|\b(?:i|i'?m|i'?ve|my|our|me|we|not|name"
    r"|fan|born|been|got|bought|adopted)\b",
    re.IGNORECASE,
)
_CORRECTING = regex(
    r"不对|错了|不是|其实|更正|纠正|应该是|改[名行]|现在|不再|搬|\b(?:actually|correction|i meant?"
    r"|wrong|not|no|nope|instead|rather|now|became|moved|relocated)\b",
    re.IGNORECASE,
)
_NAMES = frozenset({"name", "nickname"})
_THINGS = frozenset({"ours", "role"})  # there are many at a time


def _last_words(sentence: Sequence[Statement]) -> list[Statement]:
    """Leave out of a sentence what the rest of it puts right."""
    last = {
        (claim.slot, claim.key): place
        for place, (claim, denied) in enumerate(sentence)
        if not denied and POLICIES[claim.slot].replaced == "always"
    }
    return [
        one
        for place, one in enumerate(sentence)
        if one.denied or last.get((one.claim.slot, one.claim.key), place) == place
    ]


def _says_same(one: Operation, told: Operation) -> bool:
    """Tell whether a statement has already put a fact right, or ended it."""
    if one.id != told.id:
        return False
    return _keeps(one.text, told.text) if told.verb == "DELETE" else _share(one.text, told.text)


def _keeps(text: str, old: str) -> bool:
    """Tell whether a text still names what an old fact says."""
    return any(claim.raw and claim.raw in text for claim in stored(old))


def _are_one(one: Operation, right: Operation, olds: Mapping[str, str]) -> bool:
    """Tell whether an operation is about what another one puts right."""
    over = set(terms(olds.get(right.id or "", ""))) - set(terms(right.text))
    said = set(terms(one.text))
    again = one.verb == "ADD" and (_share(one.text, right.text) or over & said or not _names(one))
    return one.id == right.id or bool(again)


def _names(one: Operation) -> bool:
    """Tell whether a statement names anything, beside days and numbers."""
    return any(word.tag in ("noun", "name", "id", "idiom") for word in words(one.text))


def _share(one: str, other: str) -> bool:
    """Tell whether a text and another have half of their words in common, of the shorter one."""
    here, there = set(terms(one)), set(terms(other)) - {"user", "主人"}
    return 2 * len(here & there) >= min(len(here), len(there)) > 0


def _is_own(text: str, fresh: bool = False) -> bool:
    """Tell whether a fact is the user's to mend: told just now, about him or his; no mere mood."""
    subject, slot, _ = slot_of(text) or ("", "", "")
    owned = (
        fresh
        or slot == "ours"
        or not subject
        or subject.startswith(("主人", "the user"))
        or other(subject) is not None
    )
    return slot != "state" and owned


def _replaces(said: _Said, old: Claim, how: str) -> bool:
    """Tell whether a claim takes the place of an old one it differs from."""
    if how == "other" and old.slot == "possession":
        return True  # lost, or counted anew
    when = POLICIES[old.slot].replaced
    if how == "apart":  # two languages: only a change that is called one is taken for one
        return when == "always" and said.correcting
    return when == "always" or (when == "corrected" and said.correcting)


def _boost(fact: Known, place: int) -> Operation:
    """Say that a fact was used or stated again."""
    return Operation("BOOST", fact.id, fact.text, fact.topic, place)


def _gone(fact: Known, place: int) -> Operation:
    """Say that a fact is wrong or over."""
    return Operation("DELETE", fact.id, fact.text, fact.topic, place)


_WEIGHTIEST = ("ADD", "UPDATE", "DELETE", "BOOST")


def _once(found: list[Operation]) -> list[Operation]:
    """Return one operation for each fact there was: a correction outweighs the rest."""
    best: dict[str, Operation] = {}
    for one in found:
        if one.id and (one.id not in best or _outweighs(one, best[one.id])):
            best[one.id] = one
    return [one for one in found if one.id is None or best[one.id] is one]


def _settled(found: list[Operation], known: Sequence[Known]) -> list[Operation]:
    """Keep one operation of a sentence for each fact: of two that exclude each other the later.

    What is known word for word is not added, but used.
    """
    if not found:
        return []
    held = {_folded(fact.text): fact for fact in known}
    best: dict[object, Operation] = {}
    for one in found:
        again = held.get(_folded(one.text)) if one.verb == "ADD" else None
        one = _boost(again, one.message) if again else one
        key = _place_of(one)
        last = best.get(key)
        if last is None or _outweighs(one, last):
            best[key] = one
    return sorted(best.values(), key=lambda one: one.message)


def _place_of(one: Operation) -> object:
    """Return what an operation is about: its fact, or the question that a new one answers."""
    if one.id is not None:
        return f"={one.id}"
    slot = slot_of(one.text)
    return slot if slot and POLICIES[slot[1]].replaced == "always" else _folded(one.text)


def _outweighs(one: Operation, last: Operation) -> bool:
    """Tell whether an operation takes the place of an earlier one."""
    weight, other = _WEIGHTIEST.index(one.verb), _WEIGHTIEST.index(last.verb)
    return weight < other or (weight == other and one.verb in ("ADD", "UPDATE"))


def _folded(text: str) -> str:
    """Return a text to be compared, without case, spacing and end marks."""
    return " ".join(text.casefold().split()).strip(".。!！ ")
