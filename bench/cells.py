"""What a cell of PostgreSQL costs, beside a bare commit in the same server and beside SQLite.

Every figure is a ratio within one run: accepting by a bare commit of the same bytes, digesting and
searching by the same in a folder, agents by agents.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

import psycopg

from bench.core import ms, sentence, table, timed
from wangchuan import Host, Memory
from wangchuan.storage.postgres import schema
from wangchuan.storage.postgres.backend import PostgresBackend

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from storage.postgres import server

ROUNDS = int(os.environ.get("BENCH_CELL_ROUNDS", "100"))
WARM = 20
MESSAGES = int(os.environ.get("BENCH_CELL_MESSAGES", "10000"))
CROWDS = tuple(map(int, os.environ.get("BENCH_CELL_AGENTS", "100,10000").split(",")))
DURABLE = ("fsync=on", "full_page_writes=on", "autovacuum=on")


def median(calls: list[float]) -> float:
    return statistics.median(calls)


def bare(dsn: str) -> float:
    """Return what one commit of a row of the same bytes takes."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS bare (n BIGINT, words TEXT)")
        put = "INSERT INTO bare VALUES (%s, %s)"
        return median([timed(lambda n=n: connection.execute(put, (n, sentence(n))))  # type: ignore[misc]
                       for n in range(ROUNDS)])  # fmt: skip


def accepting(memory: Memory) -> float:
    for n in range(WARM):  # a connection plans a statement when it is first used
        memory.remember(sentence(n))
        memory.flush()
    found = []
    for n in range(ROUNDS):
        found.append(timed(lambda n=n: memory.remember(sentence(n))))  # type: ignore[misc]
        if n % 10 == 9:
            memory.flush()
    return median(found)


def digesting(memory: Memory) -> float:
    """Return the seconds per message, remembered one after the other, until all are digested."""

    def life() -> None:
        for n in range(ROUNDS):
            memory.remember(sentence(n))
        memory.flush()

    return timed(life) / ROUNDS


def fill(host: Host, agent: str, count: int) -> None:
    """Let an agent have heard much, without digesting it: that is not what is measured here."""
    from wangchuan.language.terms import indexed
    from wangchuan.types import Message

    with host.shelf.borrow(agent) as store:
        for first in range(0, count, 500):
            said = [Message("user", sentence(n)) for n in range(first, min(count, first + 500))]
            with store.write() as tx:
                seq = tx.accept(said, 1.0, 10**6, [indexed(m.content) for m in said])
                assert seq is not None
                tx.jobs.finish(seq, 1.0)


def searching(host: Host) -> float:
    host.open("searched").close()  # which makes its place
    fill(host, "searched", MESSAGES)
    with host.open("searched") as memory:
        questions = [f"round {n % 97} harbour office {n}" for n in range(ROUNDS)]
        memory.search(questions[0]).result()
        return median([timed(lambda q=q: memory.search(q).result()) for q in questions])  # type: ignore[misc]


def crowded(dsn: str, root: Path, agents: int) -> float:
    """Return what accepting takes in a cell with so many agents, each with a message."""
    backend = PostgresBackend(dsn, root)
    there = len(backend.agents())
    for n in range(there, agents):
        with backend.open(f"one_of_many_{n}").write(soft=True) as tx:
            tx.meta.set("there", "yes")
    with Host(dsn) as host, host.open(f"measured_{agents}") as memory:
        memory.remember("The first one is slower.")
        memory.flush()
        return accepting(memory)


def run() -> tuple[str, bool]:
    with tempfile.TemporaryDirectory() as folder, server(*DURABLE) as dsn:
        root = Path(folder)
        schema.make(dsn)
        commit = bare(dsn)
        with Host(dsn) as cell, Host(root / "files") as files:
            with cell.open("a") as there, files.open("a") as here:
                accepted = accepting(there)
                digested = digesting(there), digesting(here)
            searched = searching(cell), searching(files)
        crowds = {agents: crowded(dsn, root, agents) for agents in CROWDS}
    few, many = crowds[CROWDS[0]], crowds[CROWDS[-1]]
    figures = [
        ("remember() until accepted, by a bare commit", commit, accepted, accepted / commit, 3.0),
        ("until digested, a message, by SQLite", digested[1], digested[0],
         digested[0] / digested[1], 4.0),
        (f"search, p50 of {ROUNDS}, {MESSAGES:,} messages, by SQLite", searched[1], searched[0],
         searched[0] / searched[1], 3.0),
        (f"accepted with {CROWDS[-1]:,} agents in the cell, by {CROWDS[0]:,}", few, many,
         many / few, 1.5),
    ]  # fmt: skip
    kept = {True: "yes", False: "no"}
    rows = [(name, ms(theirs), ms(ours), f"{ratio:.2f}", f"≤ {most:g}", kept[ratio <= most])
            for name, theirs, ours, ratio, most in figures]  # fmt: skip
    head = ("what, by what", "that", "a cell", "ratio", "asked for", "kept")
    return table(head, rows), all(ratio <= most for *_, ratio, most in figures)
