"""Histories to be replayed: everything people, days and models can do to a memory, at random."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from stage import PATIENCE, FakeClock, LineModel, text_of

from wangchuan import Memory
from wangchuan.errors import CannotUndo, InvalidInput, ModelError, NotFound
from wangchuan.history.undo import Undoing

DAY = 86_400.0
TOPICS = 60
WORDS = ("茶", "登录", "JWT", "上海", "cat", "release", "蓝色", "piano")


class Wordy(LineModel):
    """A model whose compressions are its own words, that sometimes stays away, and that learns."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.chance = chance

    def _compress(self, data: Any) -> dict[str, Any]:
        if self.chance.random() < 0.03:
            raise ModelError("nobody is there")
        found = super()._compress(data)
        for item in found["texts"]:
            item["phrase"] = item["phrase"][:5]
        return found

    def _review(self, _: Any) -> dict[str, Any]:
        return {"thought": "", "decision": self.chance.choice(["", "KEEP", "DELETE", "PROMOTE"])}

    def _observe(self, data: Any) -> dict[str, Any]:
        known = [item["id"] if isinstance(item, dict) else item.id for item in data["known"]]
        lines = []
        if self.chance.random() < 0.3:
            lines.append(f"[ADD] 主人喜欢{self.chance.choice(WORDS)}{self.chance.randrange(100)}")
        if known and self.chance.random() < 0.5:
            verb = self.chance.choice(["BOOST", "UPDATE", "DELETE"])
            told = f" 主人不再喜欢{self.chance.randrange(100)}" if verb == "UPDATE" else ""
            lines.append(f"[{verb}:{self.chance.choice(known)}]{told}")
        return {"operations": lines or ["[SKIP]"]}


class History:
    """One memory, and what is done to it."""

    def __init__(self, root: Path, seed: int, **settings: Any) -> None:
        self.chance, self.clock, self.root = random.Random(seed), FakeClock(), root
        self.settings: dict[str, Any] = {
            "strategy": self.chance.choice(["scan", "every"]),
            "decay_rate": 0.8,
            "focus_limit": 3,
            "durability": "normal",
            "compression_batch_size": 5,
            "workers": 1,
            "learn": True,
            "working_messages": 6,
            "episode_messages": 4,
            "max_retries": 0,
            "model_window_tokens": 200,
            "merge_cold_days": 0,
            "merge_overlap": 0.3,
            "merge_max_degree": 50,
            "theta_active": 6.0,
            **settings,
        }
        self.model: Any = Wordy(random.Random(seed))
        self.done = 0
        self.open()

    def open(self) -> None:
        self.memory = Memory.open(
            "a", root=self.root, settings=self.settings, model=self.model, clock=self.clock
        )

    def close(self) -> None:
        self.memory.close()

    def run(self, count: int) -> None:
        """Do so many things."""
        names, weights = zip(*WEIGHTS.items(), strict=True)
        for name in self.chance.choices(names, weights, k=count):
            self.do(name)

    def do(self, name: str) -> None:
        """Do one thing; what makes no sense just then is refused, as anybody's would be."""
        self.clock.now += self.chance.random() * 600
        with suppress(NotFound, InvalidInput, CannotUndo):
            getattr(self, name)()
        self.done += 1

    def settle(self) -> None:
        """Let everything be digested, learned and swept; time passes for what waits for it."""
        for _ in range(500):
            if self.memory.flush(0.05):
                return
            self.clock.now += 31
            self.memory._agent.lane.wake()
        raise AssertionError("it does not come to rest")

    # what can be done

    def _some(self, records: list[str]) -> str:
        if not records:
            raise NotFound("there is none")
        return self.chance.choice(records)

    def _alive(self, *kinds: str) -> list[str]:
        with self.memory._agent.store() as store, store.read() as tx:
            found = tx.nodes.alive(tx.passes())
        return [f"mem_{r.n}" for r in found if not kinds or r.kind in kinds]

    def _line(self) -> str:
        topic = self.chance.randrange(TOPICS)  # what is said of one is related
        label = f"Kite{topic} Oslo{topic} {self.chance.randrange(1000)}"
        label += f" #{self.chance.choice(WORDS)} 话"
        return text_of(label, self.chance.randint(4, 60))

    def remember(self) -> None:
        lines = [self._line() for _ in range(self.chance.randint(1, 4))]
        self.memory.remember("\n".join(lines))
        self._perhaps_settle()

    def remember_much(self) -> None:
        """Several windows of messages in one call."""
        lines = [self._line() for _ in range(self.chance.randint(8, 16))]
        self.memory.remember([{"role": "user", "content": line} for line in lines])
        self._perhaps_settle()

    def _perhaps_settle(self) -> None:
        if self.chance.random() < 0.8:
            self.settle()

    def let_pass(self) -> None:
        with self.memory._agent.store() as store, store.write() as tx:
            self.memory._agent.living.schedule.make_pass(tx)
        if self.chance.random() < 0.8:  # otherwise nobody sweeps yet
            self.memory._agent.lane.wake()
            self.settle()

    def forget(self) -> None:
        self.memory.forget(self._some(self._alive()))

    def restore(self) -> None:
        with self.memory._agent.store() as store, store.read() as tx:
            gone = tx.trash.nodes(tx.passes(), 100)
        self.memory.restore(self._some([f"mem_{r.n}" for r in gone]))

    def merge(self) -> None:
        alive = self._alive("segment")
        self.memory.merges.make(self.chance.sample(alive, min(len(alive), 2)))

    def state(self) -> None:
        self.memory.facts.add(f"主人有{self.chance.randrange(50)}只{self.chance.choice(WORDS)}")

    def correct(self) -> None:
        fact = self._some(self._alive("fact", "core"))
        self.memory.facts.correct(fact, f"主人有{self.chance.randrange(50)}只猫")

    def verify(self) -> None:
        self.memory.facts.verify(self._some(self._alive("fact", "core")))

    def boost(self) -> None:
        with self.memory._agent.store() as store, store.write() as tx:
            records = [
                r for r in tx.facts.of_kinds(["fact", "core", "episode"]) if r.forgotten_at is None
            ]
            record = records[self.chance.randrange(len(records))] if records else None
            for _ in range(self.chance.choice([1, 1, 8]) if record else 0):
                self.memory._agent.facts.boost(tx, record)  # type: ignore[arg-type]

    def days(self) -> None:
        self.clock.now += self.chance.randint(1, 4) * DAY
        with self.memory._agent.store() as store, store.write() as tx:
            self.memory._agent.learning.want_ageing(tx)
        self.memory._agent.lane.wake()
        self.settle()

    def decide(self) -> None:
        fact = self._some([fact.id for fact in self.memory.facts.pending()])
        self.memory.facts.decide(fact, self.chance.choice(["promote", "keep", "delete"]))

    def tick(self) -> None:
        with self.memory._agent.store() as store, store.write() as tx:
            self.memory._agent.metabolism.want(tx)
        self.memory._agent.lane.wake()
        self.settle()

    def recall(self) -> None:
        self.memory.recall([self.chance.choice(WORDS)]).result(PATIENCE)

    def begin_task(self) -> None:
        self._task(self.memory._agent.living.tasks.begin)

    def end_task(self) -> None:
        self._task(self.memory._agent.living.tasks.end)

    def _task(self, change: Callable[..., None]) -> None:
        with self.memory._agent.store() as store, store.write() as tx:
            change(tx, "here")
        self.memory._agent.lane.wake()
        self.settle()

    def undo(self) -> None:
        with self.memory._agent.store() as store, store.read() as tx:
            undoing = Undoing(tx, self.memory._agent.living.schedule, self.clock)
            found = [change.seq for change in undoing.latest(20) if change.refusal is None]
        if not found:
            raise NotFound("nothing can be undone")
        self.memory.undo(self.chance.choice(found))
        self.settle()

    def reopen(self) -> None:
        self.memory.close()
        self.open()
        self.settle()

    def change_settings(self) -> None:
        self.settings |= {
            "strategy": self.chance.choice(["scan", "every"]),
            "decay_rate": self.chance.choice([0.8, 0.9]),
            "focus_limit": self.chance.choice([2, 3, 5]),
            "dangling_counts": self.chance.random() < 0.8,
            "link_initial_strength": self.chance.choice([0.5, 0.4]),
            "theta_active": self.chance.choice([6.0, 4.0]),
            "reviewer": self.chance.choice(["auto", "rules", "none", "person"]),
        }
        self.reopen()

    def erase(self) -> None:
        self.memory.erase(self._some(self._alive("segment")))
        self.settle()


WEIGHTS = {
    "remember": 30,
    "remember_much": 1,
    "let_pass": 12,
    "forget": 6,
    "restore": 8,
    "merge": 3,
    "state": 3,
    "correct": 3,
    "verify": 2,
    "boost": 6,
    "days": 4,
    "decide": 3,
    "tick": 3,
    "recall": 8,
    "begin_task": 1,
    "end_task": 2,
    "undo": 8,
    "reopen": 1,
    "change_settings": 1,
}
