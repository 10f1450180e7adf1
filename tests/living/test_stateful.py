"""The living network against a plain one that does every pass by hand.

The engine touches nothing when a pass happens and computes on reading; the model below touches
everything. Whatever people do in whatever order, both must agree, and so must a replay of it.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from soak.figures import size
from stage import PATIENCE, LineModel, text_of

from wangchuan import Memory

DECAY, BREAK, DELETE, FOCUS = 0.8, 0.01, 5, 3
SLOWNESS = 1 / math.log(1 / DECAY)
LIVES = size("LIVES", 20)  # that are compared with the plain network; 200 in the soak


@dataclass
class Plain:
    """One memory, kept the plain way."""

    length: int
    left: int
    scans: int = 0
    age: int = 0  # passes out of the focus
    links: dict[int, float] = field(default_factory=dict)


class PlainNetwork:
    def __init__(self, strategy: str) -> None:
        self.strategy = strategy
        self.alive: dict[int, Plain] = {}
        self.trash: dict[int, Plain] = {}
        self.focus: list[int] = []

    def strength(self, source: int, target: int) -> float:
        stored = self.alive[source].links[target]
        if stored < BREAK:
            return 0.0
        return 1.0 if source in self.focus else stored

    def importance(self, n: int) -> float:
        own = sum(self.strength(n, target) for target in self.alive[n].links)
        held = sum(n in self.alive[f].links and self.strength(f, n) for f in self.focus)
        return own + held

    def remember(self, lengths: list[int], related: dict[int, list[int]]) -> None:
        before, previous = list(self.focus), None
        for length in lengths:
            n = max([0, *self.alive, *self.trash]) + 1
            self.alive[n] = Plain(length, length)
            if previous is not None:
                self.alive[previous].links[n] = self.alive[n].links[previous] = 0.5
            for other in before:
                self.alive[n].links[other] = self.alive[other].links[n] = 1.0
            for other in related.get(n, ()):
                assert other not in before
                self.alive[n].links[other] = self.alive[other].links[n] = 0.5
            previous = n
        fresh = list(range(n - len(lengths) + 1, n + 1))
        self.focus = [*reversed(fresh), *before][:FOCUS]
        self.make_pass()

    def make_pass(self) -> None:
        scanned = [n for n in self.alive if n not in self.focus and self.turn(self.alive[n])]
        importance = {n: self.importance(n) for n in scanned}
        for n in scanned:
            plain, worth = self.alive[n], importance[n]
            target = min(worth, 1) * plain.length
            if worth < 1 - 1e-9 and (worth == 0 or target < DELETE - 1e-9):
                plain.age -= 1  # the scan that forgets does not count
                self.trash[n] = self.alive.pop(n)
                continue
            plain.left = min(plain.left, max(1, int(target + 1e-9)))
            plain.links = {t: s if s < BREAK else s * DECAY for t, s in plain.links.items()}
            plain.scans += 1

    def turn(self, plain: Plain) -> bool:
        plain.age += 1
        rarer = int(SLOWNESS * (DECAY ** -(plain.scans + 1) - 1))
        return self.strategy == "every" or plain.age == rarer

    def forget(self, n: int) -> None:
        self.trash[n] = self.alive.pop(n)
        self.focus = [f for f in self.focus if f != n]

    def restore(self, n: int) -> None:
        plain = self.alive[n] = self.trash.pop(n)
        plain.left = plain.length
        for other in self.focus:
            plain.links[other] = self.alive[other].links[n] = 1.0
        self.focus = self.focus or [n]


class Living(RuleBasedStateMachine):
    strategy = "scan"

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.plain = PlainNetwork(self.strategy)
        self.open()

    def open(self) -> None:
        values = {
            "strategy": self.strategy,
            "decay_rate": DECAY,
            "focus_limit": FOCUS,
            "durability": "normal",
            "compression_batch_size": 3,
            "workers": 1,
            "learn": False,
        }
        self.memory = Memory.open("a", root=self.folder, settings=values, model=LineModel())

    @rule(
        lengths=st.lists(st.integers(1, 120), min_size=1, max_size=8),
        topic=st.sampled_from(["话", "Kite1、Oslo1、Rome1", "Kite2、Oslo2、Rome2"]),
    )
    def remember(self, lengths: list[int], topic: str) -> None:
        text = "\n".join(text_of(topic, length) for length in lengths)
        made = [int(name[4:]) for name in self.memory.remember(text).result(PATIENCE)]
        self.plain.remember(lengths, {n: self.related(n) for n in made})

    def related(self, n: int) -> list[int]:
        """What a new memory was linked with because it is related; how that fares is checked."""
        with self.memory._agent.store() as store, store.read() as tx:
            links = tx.links.of(n)
        return [li.target for li in links if li.relation in ("相关", "related") and li.target < n]

    @rule(count=st.sampled_from([1, 2, 5, 30]))
    def let_passes_go_by(self, count: int) -> None:
        self.let_the_lane_finish()
        agent = self.memory._agent
        with agent.store() as store, store.write() as tx:
            for _ in range(count):
                agent.living.schedule.make_pass(tx)
                self.plain.make_pass()
        agent.lane.wake()
        self.let_the_lane_finish()

    def let_the_lane_finish(self) -> None:
        """A deed in the middle of a sweep decides what is rewritten first: not the same twice."""
        assert self.memory.flush(PATIENCE)

    @precondition(lambda self: self.plain.alive)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        n = data.draw(st.sampled_from(sorted(self.plain.alive)))
        self.let_the_lane_finish()
        self.memory.forget(f"mem_{n}")
        self.plain.forget(n)

    @precondition(lambda self: self.plain.trash)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        n = data.draw(st.sampled_from(sorted(self.plain.trash)))
        self.let_the_lane_finish()
        self.memory.restore(f"mem_{n}")
        self.plain.restore(n)

    @rule()
    def close_and_reopen(self) -> None:
        self.memory.close()
        self.open()

    @invariant()
    def both_agree(self) -> None:
        nodes = {int(node.id[4:]): node for node in self.memory.nodes()}
        assert set(nodes) == set(self.plain.alive)
        gone = {int(item.node.id[4:]) for item in self.memory.look.forgotten(limit=10**6)}
        assert gone == set(self.plain.trash)
        assert [int(node.id[4:]) for node in self.memory.look.focus()] == self.plain.focus
        for n, node in nodes.items():
            expected = self.plain.alive[n]
            assert node.scan_count == expected.scans
            assert 0 < len(node.content) <= expected.left
            if expected.left == expected.length:
                assert len(node.content) == expected.length
            explained = self.memory.explain(node.id)
            assert explained.importance == pytest.approx(self.plain.importance(n), abs=1e-9)
            links = {int(li.target[4:]): li.strength for li in explained.links}
            plain_links = {t: self.plain.strength(n, t) for t in expected.links}
            assert links == pytest.approx({t: s for t, s in plain_links.items() if s}, abs=1e-9)
            dangling = {int(li.target[4:]) for li in explained.links if li.dangling}
            assert dangling == {t for t in links if t not in self.plain.alive}

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            assert self.memory.flush(PATIENCE)
            assert self.memory.look.faults() == []
            assert self.memory.history.replay().differences == ()
            self.memory.close()
            shutil.rmtree(self.folder)


class LivingByEveryPass(Living):
    strategy = "every"


TestLiving = Living.TestCase
TestLiving.settings = settings(max_examples=LIVES, stateful_step_count=25)
TestEvery = LivingByEveryPass.TestCase
TestEvery.settings = settings(max_examples=LIVES // 2, stateful_step_count=25)
