"""Erasure in any order: whatever is done before and after, nothing erased is left or comes back."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, run_passes, text_of

from wangchuan import Memory
from wangchuan.errors import CannotUndo, InvalidInput, NotFound
from wangchuan.storage.sqlite.scrubbing import found_in

OFTEN = {
    "say": 4,
    "undo": 4,
    "merge": 2,
    "wait": 2,
    "forget": 1,
    "restore": 1,
    "state": 1,
    "correct": 1,
    "drop": 1,
    "find": 1,
    "tick": 1,
    "erase": 1,
    "erase_message": 1,
}


class Chaos:
    """Somebody who does whatever can be done, in any order; every text holds a word of its own."""

    def __init__(self, memory: Memory, clock: FakeClock, seed: int) -> None:
        self.memory, self.clock, self.dice = memory, clock, random.Random(seed)
        self.words: dict[str, str] = {}  # by the id of the message, or of a stated fact
        self.gone: set[str] = set()
        self.count = 0

    def word(self) -> str:
        self.count += 1
        letters = "".join(self.dice.choices("bcdfghjklmnpqrstvwxz", k=12))
        return f"z{letters}x"

    def act(self) -> None:
        (name,) = self.dice.choices(list(OFTEN), OFTEN.values())
        with suppress(NotFound, CannotUndo, InvalidInput):
            getattr(self, name)()

    def any_node(self) -> str:
        return f"mem_{self.dice.randint(1, max(1, self.count + 3))}"

    def say(self) -> None:
        name, said = f"m{self.count}", []
        for n in range(self.dice.randint(1, 3)):
            word = self.words[f"{name}.{n}"] = self.word()
            said.append({"role": "user", "content": text_of(f"{word} 说的事"), "id": f"{name}.{n}"})
        self.clock.now += self.dice.choice((1, 4000))
        self.memory.remember(said).result(PATIENCE)

    def state(self) -> None:
        word = self.word()
        self.words[self.memory.facts.add(f"用户喜欢{word}").id] = word

    def correct(self) -> None:
        fact, word = self.dice.choice([f.id for f in self.memory.facts()] or ["mem_1"]), self.word()
        self.words[self.memory.facts.correct(fact, f"用户喜欢{word}").id] = word

    def forget(self) -> None:
        self.memory.forget(self.any_node())

    def restore(self) -> None:
        trash = [gone.node.id for gone in self.memory.look.forgotten()]
        self.memory.restore(self.dice.choice(trash or ["mem_1"]))

    def drop(self) -> None:
        self.memory.forget(self.dice.choice([f.id for f in self.memory.facts()] or ["mem_1"]))

    def merge(self) -> None:
        living = [n.id for n in self.memory.nodes() if n.kind == "segment"]
        self.memory.merges.make(self.dice.sample(living, min(len(living), 2)))

    def undo(self) -> None:
        with self.memory._agent.store() as store, store.read() as tx:
            seqs = [change.seq for change in tx.undo.latest(6)]
        self.memory.undo(self.dice.choice(seqs or [1]))

    def wait(self) -> None:
        run_passes(self.memory, self.dice.randint(1, 4))

    def tick(self) -> None:
        self.clock.now += 30 * 86_400.0
        assert self.memory.tick(PATIENCE)

    def find(self) -> None:
        word = self.dice.choice(list(self.words.values()) or ["x"])
        self.memory.search(word, forgotten=True).result(PATIENCE)
        self.memory.recall([word]).result(PATIENCE)

    def erase(self) -> None:
        self.check(self.memory.erase(self.any_node()))

    def erase_message(self) -> None:
        names = [name for name in self.words if name.startswith("m") and "." in name]
        self.check(self.memory.erase(message_ids=[self.dice.choice(names or ["none"])]))

    def check(self, receipt: Any) -> None:
        assert receipt.remains == ()
        for name in (*receipt.messages, *receipt.nodes):
            self.gone |= {self.words.pop(name)} if name in self.words else set()
        forms = [part.encode() for word in self.gone for part in (word, word[1:9], word[4:])]
        assert found_in(self.memory.path, forms) == {}


@pytest.mark.parametrize("seed", range(6))
def test_nothing_erased_is_left_or_comes_back_whatever_else_is_done(
    open_memory: Open, clock: FakeClock, seed: int
) -> None:
    memory = open_memory(strategy="every", decay_rate=0.9, focus_limit=3)
    chaos = Chaos(memory, clock, seed)
    for _ in range(80):
        chaos.act()
    for name in list(chaos.words):
        with suppress(NotFound):
            by_message = not name.startswith("mem_")
            receipt = memory.erase(message_ids=[name]) if by_message else memory.erase(name)
            chaos.check(receipt)
    assert len(chaos.gone) > 20
    assert memory.look.faults() == []
    path = memory.path
    memory.close()
    assert found_in(path, [word.encode() for word in chaos.gone]) == {}
