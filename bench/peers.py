"""Ours beside others that keep memories on this machine: adding, searching, and their weight.

All are given the same messages, queries and vectors (peer_words.py,
peer_vectors.py), and no language model. Each
runs in an environment (rooms.py) and a process of its own (peer_drivers.py), which times its
calls; this module lets them take turns, some hundred calls at a time, so that a noisy minute of
the machine falls on all of them. While one works the others wait for input.

    BENCH_CACHE=FOLDER      where the environments are kept; about 2 GB
    BENCH_PEERS=ours,bare   only these drivers
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.core import timed
from bench.peer_page import page
from bench.peer_vectors import Embedder
from bench.peer_words import Message, messages, queries
from bench.rooms import ROOT, NotMeasured, Room, last_words, prepared

QUIET = {  # no telemetry, no tracing, no models fetched: by the peers' own settings
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
NOWHERE = Room(Path(sys.executable))
SYNCS = ("fsync(", "fdatasync(")
SILENCE = 900  # seconds after which a driver that says nothing is given up
OLD_SQLITE = () if hasattr(sqlite3.Connection, "enable_load_extension") else ("pysqlite3-binary",)


@dataclass(frozen=True, slots=True)
class Peer:
    """One row: what it is called, who drives it, and what it needs."""

    title: str
    driver: str
    imports: str
    packages: tuple[str, ...] = ()
    seam: tuple[str, ...] = ()  # packages that only our way of driving it needs
    durable: bool = True


OURS = (str(ROOT), "numpy")  # which comparing vectors takes
MEM0, GRAPH = "from mem0 import Memory", "langgraph-checkpoint-sqlite"
PEERS = (
    Peer("Wangchuan, with embedder", "ours", "from wangchuan import Memory", OURS),
    Peer("Wangchuan, full text and links", "ours_text", "from wangchuan import Memory", OURS[:1]),
    Peer("Wangchuan, usual forgetting", "ours_fading", "from wangchuan import Memory", OURS),
    Peer("bare SQLite FTS5 + numpy", "bare", "import sqlite3, numpy", ("numpy",)),
    Peer("bare SQLite FTS5", "bare_text", "import sqlite3"),
    Peer("mem0, Qdrant on disk (default)", "mem0_qdrant", MEM0, ("mem0ai",), ("langchain",)),
    Peer("mem0, FAISS", "mem0_faiss", MEM0, ("mem0ai", "faiss-cpu"), ("langchain",)),
    Peer("mem0, Chroma", "mem0_chroma", MEM0, ("mem0ai", "chromadb"), ("langchain",)),
    Peer(
        "LangGraph SqliteStore",
        "langgraph_sqlite",
        "from langgraph.store.sqlite import SqliteStore",
        (GRAPH,),
        ("numpy", *OLD_SQLITE),
    ),
    Peer(
        "LangGraph InMemoryStore",
        "langgraph_memory",
        "from langgraph.store.memory import InMemoryStore",
        (GRAPH,),
        ("numpy", *OLD_SQLITE),
        durable=False,
    ),
    Peer("Chroma PersistentClient", "chroma", "import chromadb", ("chromadb",)),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    peers: tuple[Peer, ...] = PEERS
    sizes: tuple[int, int] = (1_000, 10_000)
    chunk: int = 100  # messages in one turn; less than our queue takes
    queries: int = 165  # at each size, in eleven turns
    rounds: int = 3  # of importing and of opening cold
    patience: float = 90  # seconds of adding, after which a peer is left at the size it has
    watched: int = 20  # adds whose syncs are counted; 0: none
    room: Callable[[Peer], Room] = lambda peer: prepared(peer.packages, peer.seam)


@dataclass(slots=True)
class Sheet:
    """The figures of one peer; `reason` says why there are none."""

    peer: Peer
    folder: Path
    room: Room = NOWHERE
    reason: str | None = None
    driver: Driver | None = None
    versions: dict[str, str] = field(default_factory=dict)
    added: int = 0
    held: int | None = None
    adding: dict[int, list[float]] = field(default_factory=dict)  # by size: count, seconds, settled
    searching: dict[int, list[float]] = field(default_factory=dict)
    found: list[bool] = field(default_factory=list)
    importing: list[float] = field(default_factory=list)
    opening: list[float] = field(default_factory=list)
    cold: list[float] = field(default_factory=list)
    syncs: float | None = None


class Driver:
    """A conversation with the process that drives a peer."""

    def __init__(self, sheet: Sheet, folder: Path, wrapping: tuple[str, ...] = ()) -> None:
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        call = ["-m", "bench.peer_drivers", sheet.peer.driver, str(folder)]
        self.process = subprocess.Popen(
            [*wrapping, str(sheet.room.python), *call],
            cwd=ROOT,
            env={**os.environ, **QUIET},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            encoding="utf-8",
        )
        self.hello = self._answer()

    def ask(self, **command: Any) -> dict[str, Any]:
        """Send one command and return the answer; raises NotMeasured if there is none."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(command), file=self.process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout
        watch = threading.Timer(SILENCE, self.process.kill)
        watch.start()
        line = self.process.stdout.readline()
        watch.cancel()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            reason = last_words(self.errors.read())
            self.close()
            raise NotMeasured(f"its driver ended: {reason}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """Let the driver close its store and end; may be called twice."""
        assert self.process.stdin
        assert self.process.stdout
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(SILENCE)
        self.process.stdout.close()
        self.errors.close()


def in_turn(sheets: list[Sheet], step: Callable[[Sheet], None]) -> None:
    """Take one step with each peer still standing; a peer that fails keeps the reason."""
    for sheet in sheets:
        if sheet.reason is None:
            try:
                step(sheet)
            except NotMeasured as error:
                sheet.reason = str(error)


def fill(sheets: list[Sheet], said: list[Message], size: int, plan: Plan) -> None:
    """Bring all peers to a size, a chunk at a time; slow ones stop when their time is up."""

    def step(sheet: Sheet) -> None:
        texts = [message.text for message in said[sheet.added : size][: plan.chunk]]
        left = plan.patience - sum(sum(figures[1:]) for figures in sheet.adding.values())
        if texts and left > 0 and sheet.driver:
            done = sheet.driver.ask(add=texts, within=left)
            sheet.added += done["added"]
            figures = sheet.adding.setdefault(size, [0, 0, 0])
            for place, key in enumerate(("added", "seconds", "settling")):
                figures[place] += done[key]

    for _ in range(0, size, plan.chunk):
        in_turn(sheets, step)


def search(sheets: list[Sheet], asked: list[tuple[str, str]], size: int) -> None:
    """Ask all peers the same, some queries at a time; the first turn does not count."""
    some = max(1, len(asked) // 11)

    def step(sheet: Sheet, turn: list[tuple[str, str]], counts: bool) -> None:
        if sheet.driver:
            done = sheet.driver.ask(search=[query for query, _ in turn])
            sheet.held = done["held"] if done["held"] is not None else sheet.added
            if counts:
                sheet.searching.setdefault(size, []).extend(done["seconds"])
                sheet.found += [
                    any(text and text in source for text in texts)
                    for texts, (_, source) in zip(done["texts"], turn, strict=True)
                ]

    for sheet in sheets:
        sheet.found = []
    for start in range(0, len(asked), some):
        turn = asked[start : start + some]
        in_turn(sheets, lambda sheet, turn=turn, start=start: step(sheet, turn, start > 0))


def imported(sheet: Sheet) -> None:
    command = [str(sheet.room.python), "-c", sheet.peer.imports]
    environment = {**os.environ, **QUIET, "MEM0_DIR": str(sheet.folder)}
    run: Any = {"cwd": sheet.folder, "env": environment, "capture_output": True, "text": True}
    began = time.perf_counter()
    done = subprocess.run(command, check=False, **run)
    sheet.importing.append(time.perf_counter() - began)
    if done.returncode:
        raise NotMeasured(f"could not be imported: {last_words(done.stderr)}")


def opened_cold(sheet: Sheet, query: str) -> None:
    """Time a new process until it has answered; the embedder's seam is not the peer's fault."""
    if sheet.peer.durable:
        began = time.perf_counter()
        with conversing(sheet, sheet.folder) as driver:
            driver.ask(search=[query])
            whole = time.perf_counter() - began
        sheet.opening.append(driver.hello["opening"])
        sheet.cold.append(whole - driver.hello["seam"])


def watched(sheet: Sheet, said: list[Message]) -> None:
    """Count how often the system is told to sync while some messages are added."""
    folder = sheet.folder / "watched"
    folder.mkdir()
    log = folder / "strace.txt"
    only = ("-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", str(log))
    texts = [message.text for message in said]
    with conversing(sheet, folder, ("strace", *only)) as driver:
        driver.ask(add=texts[:5], within=60)
        before = counted(log)
        done = driver.ask(add=texts[5:], within=60)
        sheet.syncs = (counted(log) - before) / done["added"]


def counted(log: Path) -> int:
    return sum(any(call in line for call in SYNCS) for line in log.read_text().splitlines())


@contextlib.contextmanager
def conversing(sheet: Sheet, folder: Path, wrapping: tuple[str, ...] = ()) -> Iterator[Driver]:
    driver = Driver(sheet, folder, wrapping)
    try:
        yield driver
    finally:
        driver.close()


def begin(sheet: Sheet) -> None:
    sheet.driver = Driver(sheet, sheet.folder)
    sheet.versions = sheet.driver.ask()


def end(sheet: Sheet) -> None:
    if sheet.driver:
        sheet.driver.close()
        sheet.driver = None


def measured(plan: Plan, folder: Path) -> list[Sheet]:
    """Measure all peers of a plan, in turn."""
    sheets = [Sheet(peer, folder / peer.driver) for peer in plan.peers]
    said = messages(plan.sizes[-1])
    # New ones at every size, in case one remembers its queries; of what every peer was told.
    asked = iter(queries(said[: plan.sizes[0]], 2 * plan.queries + 1))

    def enter(sheet: Sheet) -> None:
        sheet.folder.mkdir()
        sheet.room = plan.room(sheet.peer)

    in_turn(sheets, enter)
    for _ in range(plan.rounds):
        in_turn(sheets, imported)
    in_turn(sheets, begin)
    for size in plan.sizes:
        fill(sheets, said, size, plan)
        search(sheets, list(itertools.islice(asked, plan.queries)), size)
    for sheet in sheets:
        end(sheet)
    first, _ = next(asked)
    for _ in range(plan.rounds):
        in_turn(sheets, lambda sheet: opened_cold(sheet, first))
    if plan.watched and shutil.which("strace"):
        in_turn(sheets, lambda sheet: watched(sheet, said[: plan.watched + 5]))
    return sheets


def run(plan: Plan | None = None) -> tuple[str, bool]:
    """Measure the plan; good if nothing of ours failed, for there is no bar to be held here."""
    plan = plan or chosen(Plan(), os.environ.get("BENCH_PEERS", ""))
    texts = [message.text for message in messages(1_000)]
    embedding = timed(lambda: Embedder().embed(texts)) / len(texts)
    empty = statistics.median(timed(empty_process) for _ in range(plan.rounds))
    with tempfile.TemporaryDirectory() as folder:
        sheets = measured(plan, Path(folder))
    kept = not any(sheet.reason for sheet in sheets if sheet.peer.driver.startswith("ours"))
    return page(sheets, plan, (embedding, empty)), kept


def empty_process() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def chosen(plan: Plan, drivers: str) -> Plan:
    """Return the plan with only the drivers named; all of them if none is."""
    names = [name.strip() for name in drivers.split(",") if name.strip()]
    peers = tuple(peer for peer in plan.peers if not names or peer.driver in names)
    return replace(plan, peers=peers)
