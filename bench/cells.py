"""What a cell of PostgreSQL costs, beside a bare commit in the same server and beside SQLite.

Every figure is a ratio of two things done by turns in one run, so that whatever else the machine
does slows down both: accepting by a bare commit of the same bytes, digesting and searching by the
same in a folder, a cell of many agents by one of few.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psycopg

from bench.core import ms, sentence, table, timed
from wangchuan import Host, Memory
from wangchuan.storage.postgres import schema

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from storage.postgres import server

ROUNDS = int(os.environ.get("BENCH_CELL_ROUNDS", "100"))
WARM = 20
MESSAGES = int(os.environ.get("BENCH_CELL_MESSAGES", "10000"))
CROWDS = tuple(map(int, os.environ.get("BENCH_CELL_AGENTS", "100,10000").split(",")))
DURABLE = ("fsync=on", "full_page_writes=on", "autovacuum=on")


class Took(NamedTuple):
    """What two things took that were done by turns: half of the times more, and the shortest."""

    theirs: float
    ours: float
    least: float  # ours by theirs, of the shortest times: what a busy machine adds is not in it


def by_turns(calls: Iterable[tuple[Callable[[], object], Callable[[], object]]]) -> Took:
    """Return what two calls take that are made by turns."""
    took = [(timed(one), timed(other)) for one, other in calls]
    theirs, ours = zip(*took, strict=True)
    return Took(median(theirs), median(ours), min(ours) / min(theirs))


def warmed(memory: Memory) -> Memory:
    for n in range(WARM):  # a connection plans a statement when it is first used
        memory.remember(sentence(n))
        memory.flush()
    return memory


def accepting(dsn: str, memory: Memory, *, at_rest: bool) -> Took:
    """Return what a bare commit takes, and what it takes until a message is accepted.

    Not `at_rest`, the message before it is being digested meanwhile.
    """
    put = "INSERT INTO bare VALUES (%s, %s)"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS bare (n BIGINT, words TEXT)")

        def calls() -> Iterator[tuple[Callable[[], object], Callable[[], object]]]:
            for n in range(ROUNDS):
                if at_rest or n % 10 == 9:
                    rest(memory)
                yield (
                    partial(connection.execute, put, (n, sentence(n))),
                    partial(memory.remember, sentence(n)),
                )

        return by_turns(calls())


def rest(memory: Memory) -> None:
    memory.flush()
    time.sleep(0.01)  # its lane has noted that there is nothing to do


def digesting(here: Memory, there: Memory) -> Took:
    """Return the seconds per message of ten, one after the other, until all are digested."""

    def ten(memory: Memory, first: int) -> None:
        for n in range(first, first + 10):
            memory.remember(sentence(n))
        memory.flush()

    calls = ((partial(ten, here, n), partial(ten, there, n)) for n in range(0, ROUNDS, 10))
    took = by_turns(calls)
    return took._replace(theirs=took.theirs / 10, ours=took.ours / 10)


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


def searching(files: Host, cell: Host) -> Took:
    for host in (files, cell):
        host.open("searched").close()  # which makes its place
        fill(host, "searched", MESSAGES)
    with files.open("searched") as here, cell.open("searched") as there:

        def asked(memory: Memory, question: str) -> object:
            return memory.search(question).result()

        questions = [f"round {n % 97} harbour office {n}" for n in range(ROUNDS)]
        for memory in (here, there):
            asked(memory, questions[0])
        return by_turns((partial(asked, here, q), partial(asked, there, q)) for q in questions)


MANY = """DO $$ BEGIN FOR n IN 1..{} LOOP
    PERFORM make_agent('one_of_many_' || n, n);
    PERFORM set_config('wc.agent', CAST(n AS TEXT), true);
    INSERT INTO messages (seq, role, content, said_at) VALUES (1, 'user', 'I am one of many.', 1);
END LOOP; END $$"""


def crowding(dsn: str) -> Took:
    """Return what accepting takes in a cell of few agents and in one of many."""
    stores = []
    for agents in CROWDS:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE crowd_{agents}")
        stores.append(dsn.replace("/postgres?", f"/crowd_{agents}?"))
        schema.make(stores[-1])
        with psycopg.connect(stores[-1], autocommit=True) as connection:
            connection.execute("SET search_path = wangchuan")
            connection.execute(MANY.format(agents))
            connection.execute("ANALYZE")
    with (
        Host(stores[0]) as few,
        Host(stores[1]) as many,
        few.open("measured") as one,
        many.open("measured") as other,
    ):
        warmed(one), warmed(other)

        def calls() -> Iterator[tuple[Callable[[], object], Callable[[], object]]]:
            for n in range(ROUNDS):
                rest(one)
                rest(other)
                yield partial(one.remember, sentence(n)), partial(other.remember, sentence(n))

        return by_turns(calls())


def run() -> tuple[str, bool]:
    with tempfile.TemporaryDirectory() as folder, server(*DURABLE) as dsn:
        schema.make(dsn)
        with Host(dsn) as cell, Host(Path(folder) / "files") as files:
            with cell.open("a") as there, files.open("a") as here:
                warmed(there), warmed(here)
                at_rest = accepting(dsn, there, at_rest=True)
                busy = accepting(dsn, there, at_rest=False)
                digested = digesting(here, there)
            searched = searching(files, cell)
        crowds = crowding(dsn)
    figures: list[tuple[str, Took, float | None]] = [
        ("remember() until accepted, by a bare commit", at_rest, 3.0),
        ("the same while the one before is being digested", busy, None),
        ("until digested, a message, by SQLite", digested, 4.0),
        (f"search, p50 of {ROUNDS}, {MESSAGES:,} messages, by SQLite", searched, 3.0),
        (f"accepted with {CROWDS[-1]:,} agents in the cell, by {CROWDS[0]:,}", crowds, 1.5),
    ]
    rows, kept = [], True
    for name, (theirs, ours, least), most in figures:
        ratio = ours / theirs
        asked = ("", "") if most is None else (f"≤ {most:g}", "yes" if ratio <= most else "no")
        kept = kept and asked[1] != "no"
        rows.append((name, ms(theirs), ms(ours), f"{ratio:.2f}", *asked, f"{least:.2f}"))
    head = ("what, by what", "that", "a cell", "ratio", "asked for", "kept", "of the shortest")
    return table(head, rows), kept
