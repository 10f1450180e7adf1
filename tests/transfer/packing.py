"""A memory in which everything that can happen has happened, and ways to look at its lines."""

from __future__ import annotations

import io
from pathlib import Path

from stage import PATIENCE, FakeClock, run_passes

from wangchuan import Host, Memory
from wangchuan.storage.sqlite.folder import Folder
from wangchuan.storage.sqlite.store import SQLiteStore
from wangchuan.transfer import lines
from wangchuan.types import Message

NAME = "agent_001"
SETTINGS = {"working_messages": 4, "episode_messages": 2, "decay_rate": 0.9, "strategy": "every"}


def rich_memory(root: Path, clock: FakeClock) -> None:
    """Two languages, facts old and new, things forgotten, restored, faded and still waiting."""
    with Memory.open(NAME, root=root, clock=clock, settings=SETTINGS) as memory:
        memory.remember(
            [
                {"role": "user", "content": "我叫小川。我住在柏林，喜欢喝咖啡。", "name": "小川"},
                {"role": "assistant", "content": "# 好的\n<b>记住了</b>", "id": "given-1"},
            ]
        ).result(PATIENCE)
        clock.now += 90_000
        for text in (
            "My cat is called Momo. I live in Hamburg now.",
            'The gate is "green".\tThe key\'s behind it. 😀',
            "- one\n1. two\n---\n[a](http://b.example) `c`",
            "We talked about the long winter of the year and how the harbour froze over again.",
        ):
            memory.remember({"role": "user", "content": text, "timestamp": clock.now}).result(
                PATIENCE
            )
            clock.now += 60
        for n in range(8):  # enough to drive the first ones out of the focus
            memory.remember(f"The weather of day {n} was grey and nobody went out.").result(
                PATIENCE
            )
        assert memory.flush(PATIENCE)
        liked = memory.facts.add("I like tea")
        memory.facts.correct(liked.id, "I like coffee")
        memory.forget("mem_1")
        memory.forget("mem_2")
        memory.restore("mem_2")
        run_passes(memory, 15)
        memory.recall(["harbour"], depth=9).result(PATIENCE)
        memory.search("gate").result(PATIENCE)
        with memory.items.batch() as items:
            items.put(
                ("用户", "prefs"), "tea", {"kind": "绿茶"}, texts=["绿茶"], vectors=[(1.0, 0.5)]
            )
        assert memory.flush(PATIENCE)
    with open_store(root) as store, store.write() as tx:  # nobody is there to work on these
        tx.accept([Message("user", "still waiting", None, "Ann")], clock.now, 10, [["wait"]])
        tx.jobs.add("sweep", clock.now)
        tx.vectors.add([(1, b"\x00\x3c\x00\x40")])


class open_store:  # noqa: N801 (used like a function)
    """The store of an agent, without anybody working on it."""

    def __init__(self, root: Path, agent: str = NAME) -> None:
        self._store = SQLiteStore(Folder(root, agent).database)

    def __enter__(self) -> SQLiteStore:
        return self._store

    def __exit__(self, *_: object) -> None:
        self._store.close()


def packed(root: Path, agent: str = NAME, *, vectors: bool = False) -> bytes:
    """All lines of an agent."""
    with open_store(root, agent) as store, store.snapshot() as tx:
        return "".join(f"{line}\n" for line in lines.written(tx, agent, vectors=vectors)).encode()


def brought(root: Path, data: bytes, clock: FakeClock, agent: str = NAME) -> dict[str, int]:
    with Host(root, clock=clock) as host:
        return host.import_(agent, io.BytesIO(data))
