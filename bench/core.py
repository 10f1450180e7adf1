"""What the core costs: accepting, recalling and remembering, and starting up.

Every figure is compared with another of the same run: accepting with one bare durable SQLite
commit of the same bytes, large memories with small ones of the same shape. Accepting waits for the
disk and is measured by the clock; what is done with memories by the processor time of all threads.

Nothing is learned here: what learning costs, beside many facts, `bench learning` measures.
"""

from __future__ import annotations

import gc
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import apsw

from wangchuan import Host, Memory

SIZES = (1_000, 10_000, 100_000)
ROUNDS = 200
BATCH, MEASURED = 50, 9  # texts rewritten after a pass, and so many passes
# fmt: off
SUBJECTS = ("the garden", "our invoice", "a ferry", "the login page", "my sister", "that old map",
            "the orchestra", "a cracked teapot", "her thesis", "the night train", "our landlord")
VERBS = ("stands beside", "depends on", "arrived before", "reminds us of", "looks like",
         "was paid by", "comes after")
OBJECTS = ("the harbour office", "version two", "a blue folder", "next Tuesday", "the kitchen",
           "the spring fair", "a silver bicycle", "the old mill", "chapter nine", "their lawyer",
           "the wet cellar", "a loud parrot", "the tax form")
# fmt: on


def sentence(i: int) -> str:
    """Return a sentence that has words in common with others, but hardly all of them."""
    subject, verb = SUBJECTS[i % len(SUBJECTS)], VERBS[i // 3 % len(VERBS)]
    return f"Note {i}: {subject} {verb} {OBJECTS[i // 5 % len(OBJECTS)]}, said in round {i % 97}."


def timed(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    call()
    return clock() - began


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    return "\n".join([row(*head), row(*("---" for _ in head)), *(row(*cells) for cells in rows)])


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def accepting(folder: Path) -> tuple[str, bool]:
    rows, good = [], True
    for name, pause in (("one at a time, digested in between", 1), ("in bursts of 100", 100)):
        theirs, ours = accepted(folder / str(pause), pause)
        ratio = ours / theirs
        rows.append((f"bare durable commit of the same bytes, {name}", ms(theirs), "1.00"))
        rows.append((f"remember() until accepted, {name}", ms(ours), f"{ratio:.2f}"))
        good = good and ratio <= 2
    return table(("accepting", "p50", "ratio (bar: 2)"), rows), good


def accepted(folder: Path, pause: int) -> tuple[float, float]:
    """Median seconds of a bare commit and of a remember, in turn; both databases are new."""
    folder.mkdir()
    bare = apsw.Connection(str(folder / "bare.db"))
    bare.pragma("journal_mode", "wal")
    bare.pragma("synchronous", "FULL")
    bare.execute("CREATE TABLE said (content TEXT)")

    def commit(text: str) -> None:
        with bare:
            bare.execute("INSERT INTO said VALUES (?)", (text,))

    ours, theirs = [], []
    with Memory.open("accept", root=folder) as memory:
        memory.remember("warm up").result(30)
        for i in range(3 * ROUNDS):
            text = sentence(i)
            theirs.append(timed(lambda text=text: commit(text)))
            ours.append(timed(lambda text=text: memory.remember(text)))
            if i % pause == pause - 1:
                memory.flush(60)
    return statistics.median(theirs), statistics.median(ours)


def grown(host: Host, size: int) -> Memory:
    """A memory of so many living nodes, remembered twenty sentences at a time."""
    memory = host.open(f"size{size}")
    numbers = itertools.count()
    while True:
        for _ in range(max(1, min(200, (size - memory.stats().nodes) // 20))):
            memory.remember(" ".join(sentence(next(numbers)) for _ in range(20)))
        memory.flush(600)
        if memory.stats().nodes >= size:
            return memory


def compared(
    memories: dict[int, Memory],
    what: str,
    call: Callable[[Memory, int], object],
    rounds: int = ROUNDS,
) -> tuple[list[tuple[object, ...]], bool]:
    """Time the same call on all memories in turn; the largest may cost twice the smallest."""
    times: dict[int, list[float]] = {size: [] for size in memories}
    for i in range(rounds):
        for size, memory in memories.items():
            run = lambda memory=memory, i=i: call(memory, i)  # noqa: E731
            times[size].append(timed(run, time.process_time))
    p50 = {size: statistics.median(values) for size, values in times.items()}
    small = p50[min(p50)]
    rows = [(what, f"{size:,}", ms(t), f"{t / small:.2f}") for size, t in p50.items()]
    return rows, p50[max(p50)] <= 2 * small


def scaling(folder: Path) -> tuple[str, bool]:
    settings = {"decay_rate": 0.9999, "durability": "normal", "learn": False}
    settings |= {"max_queue_size": 100_000}
    rows, good = [], True
    with Host(folder, settings=settings) as host:
        memories = {size: grown(host, size) for size in SIZES}
        gc.collect()
        for what, call in (
            ("recall, depth 2", lambda m, i: m.recall([OBJECTS[i % 5]], depth=2).result(60)),
            ("remember until digested and swept", remembered),
        ):
            found, kept = compared(memories, what, call)
            rows, good = rows + found, good and kept
    # The same memories where every pass scans all: everything fades at once, and after every pass
    # as many texts are rewritten as the settings allow; even the smallest has as many.
    every = {"decay_rate": 0.97, "strategy": "every", "compression_batch_size": BATCH}
    with Host(folder, settings={**settings, **every}) as host:
        memories = {size: host.open(f"size{size}") for size in SIZES}
        for memory in memories.values():
            until_many_are_due(memory)
        found, kept = compared(memories, "the same while everything fades", remembered, MEASURED)
        rows, good = rows + found, good and kept
    head = ("call", "living nodes", "p50 of processor time", "ratio (bar: 2)")
    return table(head, rows), good


def until_many_are_due(memory: Memory) -> None:
    """Let passes go by, as only the machine itself can, until enough texts are due."""
    living, due = memory._agent.living, 0
    with memory._agent.store() as store, store.write() as tx:
        while due < MEASURED * BATCH:
            living.schedule.make_pass(tx)
            due = len(tx.nodes.due(tx.passes(), living.lens.rules.rarity, MEASURED * BATCH))
    memory.flush(60)


def remembered(memory: Memory, i: int) -> None:
    memory.remember(sentence(1_000_000 + i)).result(60)
    memory.flush(60)


def starting() -> tuple[str, bool]:
    commands = {
        "python -c pass": ["-c", "pass"],
        "python -c 'import wangchuan'": ["-c", "import wangchuan"],
        "wangchuan --help": ["-m", "wangchuan.cli", "--help"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(11):
        for name, arguments in commands.items():
            call = [sys.executable, *arguments]
            run = lambda call=call: subprocess.run(call, check=True, capture_output=True)  # noqa: E731
            times[name].append(timed(run))
    p50 = {name: statistics.median(values) for name, values in times.items()}
    rows = [(f"`{name}`", f"{t * 1000:.0f} ms") for name, t in p50.items()]
    return table(("starting", "p50 (bar: 500 ms)"), rows), max(p50.values()) < 0.5


def run() -> tuple[str, bool]:
    with tempfile.TemporaryDirectory() as name:
        parts = [accepting(Path(name)), scaling(Path(name)), starting()]
    return "\n\n".join(text for text, _ in parts), all(kept for _, kept in parts)
