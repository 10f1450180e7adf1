"""Reading from a real replica: a second server that streams from the first, and may be behind."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from typing import NamedTuple

import psycopg
import pytest
from stage import PATIENCE
from storage.postgres import NONE, binaries, nobody, running, server

from wangchuan import Host
from wangchuan.storage.postgres import schema

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)


class Pair(NamedTuple):
    """A primary and its replica; `both` is an address that names the two."""

    primary: str
    replica: str
    both: str


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with server("wal_level=replica") as primary, tempfile.TemporaryDirectory() as folder:
        schema.make(primary, 1)
        home = primary.partition("host=")[2]
        if os.geteuid() == 0:
            os.chown(folder, nobody()["user"], nobody()["group"])
        copy = [f"{binaries()}/pg_basebackup", "-D", f"{folder}/data", "-h", home, "-R"]
        copy += ["-U", "wangchuan", "-c", "fast", "--no-sync"]
        subprocess.run(copy, check=True, capture_output=True, **nobody())
        with running(folder, "hot_standby=on") as replica:
            yield Pair(primary, replica, primary.replace(home, f"{home},{folder}"))


def replayed(pair: Pair) -> None:
    """Wait until the replica has all that the primary has."""
    with psycopg.connect(pair.primary) as first, psycopg.connect(pair.replica) as second:
        (upto,) = first.execute("SELECT pg_current_wal_lsn()").fetchone() or ("0/0",)
        until = time.monotonic() + PATIENCE
        there = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        while not (second.execute(there, (upto,)).fetchone() or (False,))[0]:
            assert time.monotonic() < until
            second.rollback()
            time.sleep(0.02)


def test_an_eventual_search_is_answered_by_the_replica_and_what_follows_goes_to_the_primary(
    pair: Pair,
) -> None:
    eventual = {"consistency": "eventual"}
    with Host(pair.both, settings=eventual) as host, host.open("eventual") as memory:
        memory.remember("The spare key is under the blue pot.")
        assert memory.flush(PATIENCE)
        replayed(pair)
        with psycopg.connect(pair.replica) as replica:
            replica.execute("SELECT pg_wal_replay_pause()")
        memory.remember("The spare wheel is in the shed.")
        assert memory.flush(PATIENCE)
        behind = memory.search("spare").result(PATIENCE)
        with psycopg.connect(pair.replica) as replica:
            replica.execute("SELECT pg_wal_replay_resume()")
        replayed(pair)
        caught_up = memory.search("spare").result(PATIENCE)
    assert [hit.text for hit in behind] == ["The spare key is under the blue pot."]
    assert {hit.text for hit in caught_up} == {
        "The spare key is under the blue pot.",
        "The spare wheel is in the shed.",
    }


def test_a_strong_search_sees_what_was_accepted_whatever_the_order_of_the_hosts(pair: Pair) -> None:
    home, _, folder = pair.both.partition("host=")[2].partition(",")
    turned = pair.both.replace(f"{home},{folder}", f"{folder},{home}")
    with Host(f"{turned}&target_session_attrs=read-write") as host, host.open("strong") as memory:
        memory.remember("The garden gate is green.")
        assert memory.flush(PATIENCE)
        assert [hit.text for hit in memory.search("gate").result(PATIENCE)] == [
            "The garden gate is green."
        ]
