"""Writers and workers on a trio that is disturbed: what was accepted is there, once, in order.

    ./run soak-cells            (SOAK_CELL_WRITES=100000 remembers, SOAK_CELL_WRITERS=8, …)

Every writer is a process that remembers numbered messages for its agents, every second one with an
id, and notes which were acknowledged. Meanwhile the leader is switched, killed with and without its
Patroni, connections are cut and workers are killed. In the end every acknowledged message must be
there exactly once, those of a writer in their order, and no agent may hold a message of another.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import psycopg
from soak.trio import Trio

from wangchuan import Host, Memory
from wangchuan.errors import StorageError
from wangchuan.storage.patience import patiently
from wangchuan.storage.postgres import schema
from wangchuan.storage.postgres.backend import PostgresBackend
from wangchuan.storage.postgres.schema import connected
from wangchuan.storage.postgres.store import NOTHING

WRITES = int(os.environ.get("SOAK_CELL_WRITES", "100000"))
WRITERS = int(os.environ.get("SOAK_CELL_WRITERS", "8"))
WORKERS = int(os.environ.get("SOAK_CELL_WORKERS", "4"))
AGENTS = int(os.environ.get("SOAK_CELL_AGENTS", "200"))
PAUSE = float(os.environ.get("SOAK_CELL_PAUSE", "25"))  # seconds between two disturbances
SEED = int(os.environ.get("SOAK_SEED", "7"))


def write(dsn: str, writer: int, count: int, notes: Path) -> None:
    """Remember so many messages, each for one of the writer's agents; note what was accepted."""
    mine = [f"agent_{n:04}" for n in range(AGENTS) if n % WRITERS == writer]
    settings = {"max_queue_size": 100_000, "max_open_agents": 500}
    longest, last = 0.0, time.monotonic()
    with Host(dsn, settings=settings) as host, notes.open("a") as out:
        memories = {agent: patiently(partial(host.open, agent)) for agent in mine}
        for n in range(count):
            agent = mine[n % len(mine)]
            said = {"role": "user", "content": f"canary {agent} says {writer}:{n}"}
            if n % 2:
                said["id"] = f"{writer}:{n}"
            if told(memories[agent], said):
                out.write(f"{agent} {writer}:{n}\n")
                out.flush()
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
    print(json.dumps({"writer": writer, "written": count, "longest_pause": round(longest, 1)}))


def told(memory: Memory, said: dict[str, str]) -> bool:
    """Remember a message, and again if it was not stored: a server may be away for long.

    One that has an id is the same when it is given again. Of one that has none it must be known
    that nothing was stored; where that is not known, it is let be, and is not acknowledged.
    """
    while True:
        try:
            if memory.remember([said]).status == "accepted":
                return True
        except StorageError as error:
            print(f"not accepted: {type(error).__name__}", flush=True)
            if "id" not in said and NOTHING not in str(error):
                return False
        time.sleep(1.0)


def started(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", *words])


class Soak:
    def __init__(self, trio: Trio, folder: Path) -> None:
        self.trio, self.folder, self.chance = trio, folder, random.Random(SEED)
        self.done: Counter[str] = Counter()
        self.workers: list[subprocess.Popen[bytes]] = []

    def run(self) -> bool:
        dsn, each = self.trio.dsn, WRITES // WRITERS
        schema.make(dsn, 4)
        self.workers = [self._worker() for _ in range(WORKERS)]
        notes = [self.folder / f"{n}.txt" for n in range(WRITERS)]
        writers = [started("soak.cells", "write", dsn, str(n), str(each), str(notes[n]))
                   for n in range(WRITERS)]  # fmt: skip
        began = time.monotonic()
        while any(writer.poll() is None for writer in writers):
            time.sleep(PAUSE)
            self._disturb()
        took = time.monotonic() - began
        print(f"written in {took:.0f} s; disturbed: {dict(self.done)}", flush=True)
        self._settle(dsn)
        told = [line.split() for one in notes for line in one.read_text().splitlines()]
        ok = [writer.returncode == 0 for writer in writers]
        return self._is_whole(dsn, told) and all(ok)

    def _worker(self) -> subprocess.Popen[bytes]:
        return started("wangchuan.cli", "work", "--cells", self.trio.dsn)

    def _disturb(self) -> None:
        kinds = ["switch", "postgres", "node", "worker", "cut", "directory"]
        kind = kinds[sum(self.done.values()) % len(kinds)]
        self.done[kind] += 1
        print(f"disturbing: {kind}", flush=True)
        if kind == "switch":
            self.trio.switch()
        elif kind == "postgres":
            self.trio.kill_postgres()
        elif kind == "node":
            node = self.trio.kill_node()
            time.sleep(PAUSE)
            if node is not None:
                self.trio.start_node(node)
        elif kind == "directory":
            self.trio.kill_directory()
            time.sleep(PAUSE / 2)
            self.trio.start_directory()
        elif kind == "worker":
            self.workers.pop(0).send_signal(signal.SIGKILL)
            self.workers.append(self._worker())
        else:
            self._cut()

    def _cut(self) -> None:
        try:
            with psycopg.connect(self.trio.dsn, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE pid <> pg_backend_pid() AND usename = 'postgres'"
                    " AND backend_type = 'client backend' AND application_name NOT LIKE 'Patroni%'"
                )
        except psycopg.Error as error:
            print(f"not cut: {error}")

    def _settle(self, dsn: str) -> None:
        backend, until = PostgresBackend(dsn, self.folder), time.monotonic() + 3600
        while time.monotonic() < until:
            left = backend.status()["waiting_jobs"]
            print(f"{left} jobs wait", flush=True)
            if not left:
                break
            time.sleep(10)
        for worker in self.workers:
            worker.send_signal(signal.SIGTERM)
        for worker in self.workers:
            worker.wait(120)

    def _is_whole(self, dsn: str, accepted: list[list[str]]) -> bool:
        backend = PostgresBackend(dsn, self.folder)
        lost = doubled = crossed = disordered = unacknowledged = 0
        for agent in backend.agents():
            with backend.open(agent).read() as tx:
                said = list(tx.rows.every("message"))
                waiting = tx.jobs.pending()
            ids = [message.content.rpartition(" ")[2] for message in said]
            wanted = [name for whose, name in accepted if whose == agent]
            found = Counter(ids)
            lost += sum(name not in found for name in wanted)
            doubled += sum(count - 1 for count in found.values())
            unacknowledged += len(found.keys() - set(wanted))
            crossed += sum(f"canary {agent} " not in message.content for message in said)
            order = [int(name.partition(":")[2]) for name in ids]
            disordered += sum(a > b for a, b in itertools.pairwise(order))
            lost += waiting
        print(
            f"accepted {len(accepted)}: lost {lost}, doubled {doubled}, out of order {disordered},"
            f" of another agent {crossed}, there though not acknowledged {unacknowledged}"
        )
        return len(accepted) > 0 and not (lost or doubled or disordered or crossed)


def isolation_can_fail(dsn: str) -> bool:
    """Tell whether canaries are seen by others once row-level security is taken away."""
    read = "SELECT count(DISTINCT agent) FROM messages"
    with connected(dsn) as connection:
        connection.execute("SET search_path = wangchuan")
        (number,) = connection.execute("SELECT number FROM agents LIMIT 1").fetchone() or (0,)
        seen = []
        for rule in ("DISABLE", "ENABLE"):
            connection.execute(f"RESET ROLE; ALTER TABLE messages {rule} ROW LEVEL SECURITY")
            connection.execute("SET ROLE wangchuan_serving")
            connection.execute("SELECT set_config('wc.agent', %s, false)", (str(number),))
            seen.append((connection.execute(read).fetchone() or (0,))[0])
        connection.execute("RESET ROLE")
    print(f"agents seen without row-level security: {seen[0]}, with it: {seen[1]}")
    return seen[0] > 1 and seen[1] == 1


def main() -> None:
    if sys.argv[1:2] == ["write"]:
        dsn, writer, count, notes = sys.argv[2:]
        write(dsn, int(writer), int(count), Path(notes))
        return
    trio = Trio()
    soak = Soak(trio, trio.folder)
    try:
        trio.start()
        print(f"a trio runs, {trio.leader()} leads", flush=True)
        whole = soak.run()
        guarded = isolation_can_fail(trio.dsn)
    finally:
        for worker in soak.workers:
            worker.kill()
        trio.stop()
    sys.exit(not (whole and guarded))


if __name__ == "__main__":
    main()
