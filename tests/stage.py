"""What tests play with: a clock that stands still until told, a model whose digest is plain to
see, and a way to let time pass."""

from __future__ import annotations

import os
import re
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wangchuan import Memory
from wangchuan.language.fit import fit

PATIENCE = 600  # seconds; only a hang takes that long, however busy the machine is

# The environment of a process that imports the tests, and the same library as they do.
_PATH = filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")])
ON_PATH = {"PYTHONPATH": os.pathsep.join(_PATH)}


class FakeClock:
    def __init__(self, now: float = 1_767_225_600.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class LineModel:
    """Every line is a segment; words after # are its keywords.

    It learns nothing unless told: `script` holds, by routine, what it answers next, one answer
    each; one that is an exception is raised, one that is a function is given the question.
    """

    name = "lines"
    inline = True
    extractive = True

    def __init__(self, **script: list[Any]) -> None:
        self.asked: list[str] = []
        self.asks: list[Any] = []
        self.script = script

    def complete(self, ask: Any) -> Any:
        self.asked.append(ask.routine)
        self.asks.append(ask)
        scripted = self.script.get(ask.routine)
        if not scripted:
            return getattr(self, f"_{ask.routine}")(ask.data)
        answer = scripted.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer(ask) if callable(answer) else answer

    def _observe(self, _: Any) -> dict[str, Any]:
        return {"operations": ["[SKIP]"]}

    def _summarise(self, data: Any) -> dict[str, Any]:
        return {"summary": data["texts"][0][:20]}

    def _review(self, _: Any) -> dict[str, Any]:
        return {"thought": "", "decision": ""}

    def _digest(self, data: Any) -> dict[str, Any]:
        relations = ["关于"] * len(data["focus"])
        return {
            "segments": [
                {
                    "message": index,
                    "text": line,
                    "phrase": line[:20],
                    "keywords": [w[1:] for w in line.split() if w.startswith("#")],
                    "relations": relations,
                }
                for index, message in enumerate(data["messages"])
                for line in message["content"].splitlines()
                if line.strip()
            ]
        }

    def _compress(self, data: Any) -> dict[str, Any]:
        texts = [fit(item["text"], item["length"]) for item in data["texts"]]
        return {"texts": [{"content": t, "phrase": t[:20], "keywords": []} for t in texts]}


def spent(call: Callable[[], object]) -> float:
    """Return the processor's seconds that the processes took which a call started and ended."""

    def so_far() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    began = so_far()
    call()
    return so_far() - began


def in_proportion(do: Callable[[int], object], few: int, many: int) -> bool:
    """Tell whether doing much takes at most twice its share of the processor's time, once in six.

    Seconds would measure the machine; the floor lets pass what is too quick to be compared.
    """

    def taken(size: int) -> float:
        began = time.thread_time()
        do(size)
        return time.thread_time() - began

    return any(taken(many) <= 2 * many / few * taken(few) + 0.25 for _ in range(6))


def text_of(label: object, length: int = 100) -> str:
    """A text of exactly that length, of distinguishable short words."""
    filler = f"{label}：" + "记得那天我们谈了许多事情、" * (length // 10 + 1)
    return filler[:length]


def unsigned(block: str) -> str:
    """Return a block whose lines no longer say when something was said, and by whom."""
    when = r"(?:\d{1,2} [A-Z][a-z]+(?: \d{4})?, |\d{4}-\d\d-\d\d )"
    return re.sub(rf"^- {when}[^:：\n]+[:：] ?", "- ", block, flags=re.MULTILINE)


def settles(memory: Memory, clock: FakeClock) -> bool:
    """Let time pass until all is done that was put off, some of it perhaps just now."""
    for _ in range(30):
        clock.now += 60
        if memory.flush(2):
            return True
    return False


def run_passes(memory: Memory, count: int, patience: float = PATIENCE) -> None:
    """Let time pass without anything new being said, as only the machine itself can."""
    memory.flush(patience)
    with memory._agent.store() as store:
        for _ in range(count):
            with store.write() as tx:
                memory._agent.living.schedule.make_pass(tx)
            memory._agent.lane.wake()
            assert memory.flush(patience)


def snapshot(memory: Memory) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table except the recorded behaviour."""
    tables = ("meta", "jobs", "messages", "nodes", "links", "focus", "journal", "facts", "evidence")
    with memory._agent.store() as store, store.read() as tx:
        return {t: list(tx._engine.connection.execute(f"SELECT * FROM {t}")) for t in tables}  # type: ignore[attr-defined]
