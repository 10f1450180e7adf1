"""A busy life: a random mix of everything a caller can do, and a ledger of what was promised.

`Life` tells the ledger before each call what it is about to do and after it that it was done. So
whatever ends a life, the ledger knows what must be there, what must be gone, and what may be either
because nobody heard how it ended. `audit` compares that with what is there.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from stage import PATIENCE

from wangchuan import Host, InvalidInput, Memory, NotFound, QueueFull
from wangchuan.errors import CannotUndo

Tell = Callable[[str, str, str], None]  # "begin" or "done", what, of which
SETTINGS = {"decay_rate": 0.9, "focus_limit": 3, "workers": 2}
PIECES = 2  # memories made of each message
REFUSALS = (NotFound, CannotUndo, InvalidInput, QueueFull)


def secret_of(word: str) -> str:
    """Return what a message says; its id stays as a tombstone when it is erased, this must not."""
    return f"qz{word}vj"


def text_of(word: str) -> str:
    secret = secret_of(word)
    return f"{secret} was the first thing #{word}\nand {secret} came again, to be sure"


def fact_of(word: str) -> str:
    return f"The codeword number {word} is written on the door."


@dataclass
class Ledger:
    """What was begun and what was done, in order."""

    entries: list[tuple[str, str, str]] = field(default_factory=list)

    def tell(self, when: str, what: str, of: str) -> None:
        self.entries.append((when, what, of))

    def upto(self, count: int) -> Ledger:
        return Ledger(self.entries[:count])

    def these(self, when: str, what: str) -> set[str]:
        return {of for w, x, of in self.entries if (w, x) == (when, what)}

    def without(self, what: str) -> Ledger:
        """Return the ledger without what is of no use, as others may have undone it."""
        return Ledger([entry for entry in self.entries if entry[1] != what])

    def surely_forgotten(self) -> set[str]:
        """Return ids whose last change was to be forgotten, told as done."""
        state: dict[str, bool] = {}
        for when, what, of in self.entries:
            if what in ("forgotten", "restored"):
                state[of] = (when, what) == ("done", "forgotten")
        return {of for of, forgotten in state.items() if forgotten}


class Life:
    """One caller of one agent's memory; `live` does one random thing."""

    weights: ClassVar = {"remember": 42, "forget": 8, "restore": 6, "undo": 5, "erase": 5,
                         "state": 8, "ask": 12, "tick": 3, "look": 5, "foresee": 1, "export": 2,
                         "backup": 1, "carry": 1, "reopen": 2}  # how often each  # fmt: skip

    def __init__(self, host: Host, agent: str, name: str, tell: Tell, elsewhere: Path) -> None:
        self._host, self._agent, self._name, self._tell = host, agent, name, tell
        self._chance, self._elsewhere, self._count = random.Random(name), elsewhere, 0
        self.memory = host.open(agent)
        self._words = [m.id for m in self.memory.look.working() if m.id]  # said by those before
        self._acts = [getattr(self, name) for name, n in self.weights.items() for _ in range(n)]

    def live(self) -> None:
        act = self._chance.choice(self._acts)
        try:
            act()
        except REFUSALS:
            self._tell("refused", act.__name__, "")

    def _next_word(self) -> str:
        self._count += 1
        return f"{self._name}x{self._count}"

    def _did(self, what: str, of: str, act: Callable[[], object]) -> None:
        self._tell("begin", what, of)
        act()
        self._tell("done", what, of)

    # what changes something

    def remember(self) -> None:
        word = self._next_word()
        self._tell("begin", "said", word)
        receipt = self.memory.remember({"role": "user", "content": text_of(word), "id": word})
        if receipt.status == "rejected":
            self.memory.flush(PATIENCE)
            return
        self._tell("done", "said", word)
        self._words.append(word)
        if self._chance.random() < 0.2:
            receipt.result(PATIENCE)

    def forget(self) -> None:
        alive = [node for node in self.memory.nodes() if node.kind == "segment"]
        if len(alive) > 3:
            chosen = self._chance.choice(alive).id
            self._did("forgotten", chosen, lambda: self.memory.forget(chosen))

    def restore(self) -> None:
        if gone := self.memory.look.forgotten(limit=20):
            chosen = self._chance.choice(gone).node.id
            self._did("restored", chosen, lambda: self.memory.restore(chosen))

    def undo(self) -> None:
        if gone := self.memory.look.forgotten(limit=5):
            chosen = self._chance.choice(gone).node.id
            last = self.memory.history(chosen)[-1]
            if last.kind == "forgotten":
                self._did("restored", chosen, lambda: self.memory.undo(last.seq))

    def erase(self) -> None:
        if self._words:
            word = self._words.pop(self._chance.randrange(len(self._words)))
            self._did("erased", word, lambda: self.memory.erase(message_ids=[word]))

    def state(self) -> None:
        word = self._next_word()
        self._did("stated", word, lambda: self.memory.facts.add(fact_of(word)))
        if self._chance.random() < 0.3:
            facts = self.memory.facts()
            self.memory.facts.verify(self._chance.choice(facts).id)

    def tick(self) -> None:
        self._chance.choice((self.memory.tick, self.memory.facts.age))(60)

    # what only looks, or carries

    def ask(self) -> None:
        memory, words = self.memory, self._chance.sample(self._words, min(2, len(self._words)))
        asks: list[Callable[[], object]] = [
            lambda: memory.recall(words).result(PATIENCE),
            lambda: memory.search(" ".join(words) or "the first thing").result(PATIENCE),
            lambda: memory.context("the door").result(PATIENCE),
        ]
        self.heard(self._chance.choice(asks)())

    def look(self) -> None:
        look, facts, history = self.memory.look, self.memory.facts, self.memory.history
        wide: list[Callable[[], object]] = [look.working, look.focus, look.forgotten,
                                            facts, facts.episodes, self.memory.stats]  # fmt: skip
        close: list[Callable[[str], object]] = [self.memory.explain, look.links, history]
        chosen = self._chance.randrange(len(wide) + len(close))
        if chosen < len(wide):
            self.heard(wide[chosen]())
        elif nodes := self.memory.nodes():
            self.heard(close[chosen - len(wide)](self._chance.choice(nodes).id))

    def foresee(self) -> None:
        self.heard(self.memory.look.fading())

    def heard(self, answer: Any) -> None:
        """Take an answer; there is nothing to say to most of them."""

    def export(self) -> None:
        suffix = self._chance.choice(("jsonl", "md", "ttl"))
        self.memory.export(self._elsewhere / f"{self._name}.{suffix}")

    def backup(self) -> None:
        word = self._next_word()
        self._did("copied", word, lambda: self.memory.backup(self._elsewhere / word))

    def carry(self) -> None:
        """Export, import into another agent and erase that one."""
        place, other = self._elsewhere / f"{self._name}.carried", self._next_word()
        self.memory.export(place, format="jsonl")
        self._host.import_(other, place)
        self._host.erase(other)

    def reopen(self) -> None:
        self.memory.close()
        self.memory = self._host.open(self._agent)


@dataclass
class Findings:
    """What an audit found; nothing is what it should find."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # though erased or forgotten
    unsound: list[str] = field(default_factory=list)

    def any(self) -> bool:
        return bool(self.lost or self.doubled or self.kept or self.unsound)

    def add(self, other: Findings) -> None:
        for name in ("lost", "doubled", "kept", "unsound"):
            getattr(self, name).extend(getattr(other, name))


def audit(memory: Memory, ledger: Ledger, patience: float = 120) -> Findings:
    """Compare a memory that has settled with what was promised."""
    found = Findings()
    if not memory.flush(patience):
        found.unsound.append("it does not settle")
    found.unsound += memory.look.faults()
    stats = memory.stats()
    if stats.pending or stats.failed:
        found.unsound.append(f"{stats.pending} jobs wait, {stats.failed} failed")
    with memory._agent.store() as store, store.read() as tx:
        messages = Counter(m.public_id for m in tx.rows.every("message") if m.role)
        nodes = list(tx.rows.every("node"))
    made = Counter(s for n in nodes if n.job and n.kind == "segment" for s in json.loads(n.sources))
    stated = Counter(n.original for n in nodes if n.kind in ("fact", "core"))
    _compare_said(ledger, messages, made, found)
    _compare_stated(ledger, stated, found)
    found.kept += [i for i in sorted(ledger.surely_forgotten()) if memory.look.node(i) is not None]
    return found


def _compare_said(
    ledger: Ledger, messages: Counter[str], made: Counter[str], found: Findings
) -> None:
    erasing, erased = ledger.these("begin", "erased"), ledger.these("done", "erased")
    begun, said = ledger.these("begin", "said"), ledger.these("done", "said")
    for word in begun:
        there, pieces = messages[word], made[word]
        if there > 1 or pieces > PIECES:
            found.doubled.append(word)
        elif word in erased and (there or pieces):
            found.kept.append(word)
        elif there and pieces != PIECES:
            found.lost.append(f"{word}: {pieces} memories")
        elif word in said - erasing and not there:
            found.lost.append(word)
    found.unsound += [f"nobody said {word}" for word in messages if word not in begun]


def _compare_stated(ledger: Ledger, stated: Counter[str], found: Findings) -> None:
    for word in ledger.these("begin", "stated"):
        if stated[fact_of(word)] > 1:
            found.doubled.append(word)
    for word in ledger.these("done", "stated"):
        if not stated[fact_of(word)]:
            found.lost.append(word)


def left_behind(folder: Path, ledger: Ledger) -> list[str]:
    """Return the words that were erased and whose secret still stands in a file of the folder."""
    texts = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    erased = ledger.these("done", "erased")
    return [w for w in sorted(erased) if any(secret_of(w).encode() in text for text in texts)]
