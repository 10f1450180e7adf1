"""Folders written by earlier versions: what they hold is kept, filled in, and found."""

from __future__ import annotations

import gzip
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from stage import PATIENCE, FakeClock, LineModel

from wangchuan import Memory, ModelError
from wangchuan.storage.packing import packed, unpacked
from wangchuan.storage.sqlite import schema
from wangchuan.storage.sqlite.store import SQLiteStore
from wangchuan.types import Message

Said = tuple[str | None, str | None, str, float | None]  # id, name, content, timestamp
REMEMBERED: list[tuple[float, list[Said]]] = [
    (1000.0, [("m1", "Ann", "The red bicycle is in the cellar", None)]),
    (
        2000.0,
        [
            (None, None, "订单A1234已发货", 50.0),
            ("m1", "小祥", "我们决定登录模块用 JWT", None),
            (None, "Ann", "", None),
        ],
    ),
    (3000.0, [(None, None, f"Parcel number{n} arrived", None) for n in range(70)]),
    (4000.0, []),
]


class Former:
    """A database of format 2, as the version before search wrote it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "meta.json").write_text(json.dumps({"format": 2, "agent": folder.name}), "utf-8")
        self.path = folder / "memory.db"
        self._connection = apsw.Connection(str(self.path))
        schema.prepare(self._connection, self.path, schema.migrations()[:2])
        self._connection.execute("BEGIN")

    def remember(self, at: float, said: list[Said], state: str = "done") -> None:
        """Accept messages in one job and make one memory of each that says something."""
        numbers = [self._add("messages", **_message(*one)) for one in said]
        ends = {
            "first_message": min(numbers, default=None),
            "last_message": max(numbers, default=None),
        }
        job = self._add("jobs", kind="remember", place=0, state=state, accepted_at=at, **ends)
        for number, (public, _, content, _) in zip(numbers, said, strict=True):
            if content and state == "done":
                self.node(content, job, [public or f"msg_{number}"])

    def node(self, text: str, job: int | None, sources: list[str]) -> int:
        plain = {
            "kind": "segment",
            "phrase": "",
            "keywords": "[]",
            "created_at": 1.0,
            "since_pass": 0,
        }
        return self._add("nodes", original=text, job=job, sources=json.dumps(sources), **plain)

    def _add(self, table: str, **values: Any) -> int:
        marks = ", ".join(f":{name}" for name in values)
        names = ", ".join(values)
        self._connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)
        return self._connection.last_insert_rowid()

    def close(self) -> Path:
        self._connection.execute("COMMIT")
        self._connection.close()
        return self.path


def _message(
    public: str | None, name: str | None, content: str, at: float | None
) -> dict[str, Any]:
    return {"id": public, "role": "user", "name": name, "content": content, "timestamp": at}


@pytest.fixture
def former(tmp_path: Path) -> Path:
    """The database above, with a memory more whose source is not to be found."""
    made = Former(tmp_path / "root" / "old")
    for at, said in REMEMBERED:
        made.remember(at, said)
    made.node("of unknown origin", 1, ["nobody"])
    made.node("of no job", None, ["m1"])
    return made.close()


@pytest.fixture
def store(former: Path) -> Iterator[SQLiteStore]:
    opened = SQLiteStore(former)
    yield opened
    opened.close()


def test_it_is_of_format_2(former: Path) -> None:
    connection = sqlite3.connect(former)
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    columns = {row[1] for row in connection.execute("PRAGMA table_info(messages)")}
    connection.close()
    assert columns == {"seq", "id", "role", "name", "content", "timestamp"}


def test_each_remember_becomes_a_conversation_of_at_most_64(store: SQLiteStore) -> None:
    with store.read() as tx:
        found = [(m.talk, m.place) for m in tx.messages.between(1, 999)]
    assert found[:4] == [(1, 0), (2, 0), (2, 1), (2, 2)]
    assert found[4:] == [(5 + n // 64, n % 64) for n in range(70)]


def test_what_was_said_gets_its_time(store: SQLiteStore) -> None:
    with store.read() as tx:
        found = [m.said_at for m in tx.messages.between(1, 999)]
        assert found == [1000.0, 50.0, 2000.0, 2000.0, *[3000.0] * 70]
        assert tx.messages.said_between(0.0, 1500.0, 9) == [1, 2]


def test_memories_find_the_message_they_were_made_of(store: SQLiteStore) -> None:
    with store.read() as tx:
        by_text = {node.original: node.message for node in tx.nodes.alive(0)}
    assert by_text["The red bicycle is in the cellar"] == 1
    assert by_text["订单A1234已发货"] == 2
    assert by_text["我们决定登录模块用 JWT"] == 3  # the id "m1" was used twice
    assert by_text["Parcel number69 arrived"] == 74
    assert by_text["of unknown origin"] is by_text["of no job"] is None


def test_a_journal_from_before_says_up_to_where_it_cannot_be_replayed(tmp_path: Path) -> None:
    made = Former(tmp_path / "root" / "old")
    for at in (1.0, 2.0):
        made._add("journal", at=at, passes=0, kind="passed", detail="{}")
    opened = SQLiteStore(made.close())
    with opened.write() as tx:
        assert tx.meta.get("replay_from") == "2"
    opened.close()


def test_speakers_are_known(store: SQLiteStore) -> None:
    with store.read() as tx:
        assert sorted(tx.messages.speakers()) == ["Ann", "小祥"]


def test_it_is_copied_first_as_it_was(store: SQLiteStore, former: Path) -> None:
    copy = sqlite3.connect(former.with_name("memory.db.format2"))
    assert copy.execute("PRAGMA user_version").fetchone() == (2,)
    assert copy.execute("SELECT count(*) FROM messages").fetchone() == (74,)
    copy.close()
    with store.read() as tx:
        assert tx.meta.counts(0)["messages"] == 74


def test_a_new_database_leaves_no_copy(tmp_path: Path) -> None:
    SQLiteStore(tmp_path / "memory.db").close()
    assert list(tmp_path.glob("*.format*")) == []


def test_the_conversation_goes_on_where_it_stopped(store: SQLiteStore) -> None:
    with store.write() as tx:
        tx.accept([Message("user", "soon after")], 3001.0, 10)
        tx.accept([Message("user", "much later")], 99_000.0, 10)
        found = [(m.talk, m.place) for m in tx.messages.between(74, 76)]
    assert found == [(6, 5), (6, 6), (7, 0)]


def opened(path: Path, model: Any = None, **settings: Any) -> Memory:
    root, agent = path.parent.parent, path.parent.name
    settings.setdefault("learn", False)
    return Memory.open(
        agent, root=root, settings=settings, model=model or LineModel(), clock=FakeClock(5000.0)
    )


def found_by(memory: Memory, query: str) -> list[str]:
    return [hit.sources[0].content for hit in memory.search(query).result(PATIENCE)]


def test_everything_that_was_said_is_found_once_the_folder_is_opened(former: Path) -> None:
    with opened(former) as memory:
        assert memory.flush(PATIENCE)
        assert found_by(memory, "bicycle") == ["The red bicycle is in the cellar"]
        assert found_by(memory, "A1234")[0] == "订单A1234已发货"
        for query in ("登录", "JWT", "小祥说的登录"):
            assert "我们决定登录模块用 JWT" in found_by(memory, query)
        for n in (0, 33, 69):
            assert found_by(memory, f"number{n}")[0] == f"Parcel number{n} arrived"
        hit = memory.search("bicycle").result(PATIENCE)[0]
        assert hit.node is not None
        assert (hit.node.id, hit.sources[0].id, hit.sources[0].name) == ("mem_1", "m1", "Ann")
        assert memory.stats().pending == 0
        with memory._agent.store() as store:
            assert store.check() == []


def test_it_is_indexed_once(former: Path) -> None:
    with opened(former) as memory:
        assert memory.flush(PATIENCE)
    with opened(former) as memory:
        with memory._agent.store() as store, store.read() as tx:
            assert tx.jobs.pending() == 0
            assert len(tx.index.postings("bicycl", 10)) == 1
        assert found_by(memory, "bicycle") == ["The red bicycle is in the cellar"]


class Silent(LineModel):
    """Never answers in its own time, so that nothing gets digested."""

    inline = False

    def complete(self, ask: Any) -> dict[str, Any]:
        raise ModelError("down")


def test_what_had_not_been_digested_is_found_too(tmp_path: Path) -> None:
    made = Former(tmp_path / "root" / "old")
    made.remember(1000.0, [(None, None, "The red bicycle is in the cellar", None)], "pending")
    with opened(made.close(), Silent()) as memory:
        deadline = time.monotonic() + PATIENCE
        while not found_by(memory, "bicycle"):
            assert time.monotonic() < deadline
        assert memory.search("bicycle").result(PATIENCE)[0].node is None


def test_an_empty_folder_of_format_2_opens_and_works(tmp_path: Path) -> None:
    with opened(Former(tmp_path / "root" / "old").close()) as memory:
        memory.remember("The red bicycle").result(PATIENCE)
        assert found_by(memory, "bicycle") == ["The red bicycle"]


def test_many_messages_are_indexed_in_batches_and_new_ones_at_once(tmp_path: Path) -> None:
    made = Former(tmp_path / "root" / "old")
    for n in range(30):
        made.remember(1000.0 + n, [(None, None, f"old{n}x{i}", None) for i in range(50)])
    with opened(made.close()) as memory:
        memory.remember("brand new")
        assert found_by(memory, "brand") == ["brand new"]
        assert memory.flush(PATIENCE)
        for query in ("old0x0", "old9x49", "old10x0", "old29x49"):
            assert found_by(memory, query)[0] == query
        with memory._agent.store() as store, store.read() as tx:
            assert tx.meta.get("indexed") == "1500 1500"


def test_filling_in_takes_time_in_proportion(tmp_path: Path) -> None:
    """Not with the square: a large folder would seem to hang."""

    def seconds(size: int) -> float:
        made = Former(tmp_path / str(size) / "old")
        for n in range(size):
            made.remember(float(n), [(None, None, "", None)])
        path = made.close()
        began = time.thread_time()
        SQLiteStore(path).close()
        return time.thread_time() - began

    assert seconds(10_000) < 8 * seconds(2_500) + 1  # 0.2 s here; with the square it was 20


@pytest.fixture
def eighth(tmp_path: Path) -> Path:
    """The root of an agent that format 8 wrote, when undo rows were kept by position."""
    packed = Path(__file__).parents[1] / "data" / "format8.db.gz"
    folder = tmp_path / "root" / "old"
    folder.mkdir(parents=True)
    (folder / "memory.db").write_bytes(gzip.decompress(packed.read_bytes()))
    return folder.parent


def old(root: Path) -> Memory:
    clock = FakeClock(1_760_000_200.0)
    return Memory.open(
        "old", root=root, clock=clock, settings={"decay_rate": 0.8, "focus_limit": 2}
    )


def test_all_kept_changes_of_format_8_can_still_be_undone(eighth: Path) -> None:
    with old(eighth) as memory, memory._agent.store() as store:
        with store.read() as tx:
            seqs = [change.seq for change in tx.undo.latest(99)]
        assert len(seqs) == 9
        undone = {seq: memory.undo(seq, dry_run=True) for seq in seqs}
        assert {u.kind for u in undone.values() if u.refusal is None} >= {"merged", "forgotten"}
        newest = next(u for u in undone.values() if u.kind == "merged")
        memory.undo(newest.seq)
        alive = {node.id for node in memory.nodes()}
        assert {"mem_5", "mem_6"} <= alive
        assert "mem_14" not in alive
        forgotten = next(u for u in undone.values() if u.kind == "forgotten" and u.node == "mem_1")
        memory.undo(forgotten.seq)
        assert memory.look.node("mem_1") is not None
        assert memory.look.faults() == []


def test_an_undo_row_survives_a_column_that_comes_later(eighth: Path) -> None:
    connection = apsw.Connection(str(eighth / "old" / "memory.db"))
    schema.prepare(connection, eighth / "old" / "memory.db")
    for op, blob in connection.execute("SELECT op, rows FROM undo").fetchall():
        rows = unpacked(blob)
        for kind, _, former, _ in rows:  # as if `message` had not been there yet
            if kind == "node" and former is not None:
                del former["message"]
        connection.execute("UPDATE undo SET rows = ? WHERE op = ?", (packed(json.dumps(rows)), op))
    connection.close()
    with old(eighth) as memory:
        change = next(c for c in memory.history("mem_1") if c.kind == "forgotten")
        assert memory.undo(change.seq).refusal is None
        assert memory.look.node("mem_1") is not None


def test_what_format_14_held_is_exported_byte_for_byte(tmp_path: Path) -> None:
    data, folder = Path(__file__).parents[1] / "data", tmp_path / "root" / "old"
    folder.mkdir(parents=True)
    database = folder / "memory.db"
    database.write_bytes(gzip.decompress((data / "format14.db.gz").read_bytes()))
    clock, settings = FakeClock(1_767_234_600.0), {"strategy": "every", "decay_rate": 0.8}
    with Memory.open("old", root=tmp_path / "root", clock=clock, settings=settings) as it:
        it.export(tmp_path / "now.jsonl")
        assert it.look.faults() == []
    written = gzip.decompress((data / "format14.jsonl.gz").read_bytes())
    assert (tmp_path / "now.jsonl").read_bytes() == written
    assert written.count(b'"record":"link"') == 500
    with apsw.Connection(str(database)) as connection:
        assert connection.pragma("user_version") == len(schema.migrations())
