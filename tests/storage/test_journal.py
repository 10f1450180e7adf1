"""What entries of the journal say, typed: written, read, and nowhere else taken apart."""

from __future__ import annotations

import ast
import gzip
import json
import sqlite3
from dataclasses import MISSING, fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wangchuan
from wangchuan.errors import ModelError, UnusableAnswer
from wangchuan.storage import Failure, JobRecord, JournalRecord, SignalsRecord, Text, journal
from wangchuan.storage.drawers.journal import tight
from wangchuan.types import Change

PACKAGE = Path(wangchuan.__file__).parent
OLD = Path(__file__).parents[1] / "data" / "format8.db.gz"
TEXT = Text("登录用 JWT。", "登录", ("JWT",))
SEEN = SignalsRecord(3, 1, 2, 5.0, None)
WEIGHED = journal.Weighed(1.3, 5.0, 0, None)
SAID: dict[journal.Happened, str] = {  # what is logged, and the detail that is stored for it
    journal.Passed(None): '{"job":null}',
    journal.Compressed(1, TEXT, 4): '{"before":["登录用 JWT。","登录",["JWT"]],"length":4}',
    journal.Forgotten(1, "faded", (2,)): '{"reason":"faded","focus":[2]}',
    journal.Forgotten(1, "superseded by mem_9", (), successor=9): (
        '{"reason":"superseded by mem_9","focus":[],"successor":9}'
    ),
    journal.Restored(1, None, (2,), True): '{"reason":null,"focus":[2],"unswept":true}',
    journal.Merged(3, (1, 2)): '{"sources":[1,2],"node":3}',
    journal.Erased(1): "{}",
    journal.Learned(1, "fact", "user"): '{"kind":"fact","source":"user"}',
    journal.Boosted(1, WEIGHED, 1.6): '{"before":[1.3,5.0,0,null],"weight":1.6}',
    journal.Kept(1, weight=0.5): '{"weight":0.5}',
    journal.Ticking((SEEN,)): '{"seen":[[3,1,2,5.0,null]]}',
    journal.Ticking((), 7.0, "states", 0, 0): '{"at":7.0,"stage":"states","after":0,"said":0}',
}


def entry(kind: str, detail: str, node: int | None = 1) -> JournalRecord:
    return JournalRecord(1, 0.0, 0, kind, node, detail)


@pytest.mark.parametrize("said", SAID, ids=lambda said: said.name)
def test_what_is_logged_is_stored_as_ever_and_read_back(said: journal.Happened) -> None:
    assert tight(said.detail()) == SAID[said]
    assert journal.read(entry(said.name, SAID[said], getattr(said, "node", None))) == said


def test_an_undoing_tells_of_several_nodes_by_their_numbers() -> None:
    said = journal.Undone(1, 7, "compressed", {1: "alive", 2: "never"}, {1: TEXT})
    assert journal.read(entry("undone", tight(said.detail()))) == said


@pytest.mark.parametrize("kind", sorted(journal.KINDS))
def test_an_emptied_entry_is_blank_unless_its_kind_says_no_more(kind: str) -> None:
    told = [f for f in fields(journal.KINDS[kind]) if f.name != "node" and f.default is MISSING]
    assert isinstance(journal.read(entry(kind, "{}")), journal.Blank) == bool(told)


@pytest.mark.parametrize("detail", ['{"before":5}', '{"length":1}', '{"before":["x"],"length":1}'])
def test_a_detail_that_nobody_of_us_wrote_is_blank_and_ends_no_reading(detail: str) -> None:
    assert journal.read(entry("compressed", detail)) == journal.Blank(1, "compressed")
    assert journal.read(entry("told elsewhere", detail)) == journal.Blank(1, "told elsewhere")


def test_ids_in_the_words_of_older_entries_are_read_as_fields() -> None:
    for words, instead in {
        "superseded by mem_13": (13, None),
        "merged into mem_14": (None, 14),
        "superseded by somebody": (None, None),
        "mem_13": (None, None),
        "on request": (None, None),
    }.items():
        said = journal.read(entry("forgotten", json.dumps({"reason": words, "focus": []})))
        assert isinstance(said, journal.Forgotten)
        assert (said.reason, said.successor, said.merged_into) == (words, *instead)
        assert journal.forgotten_for(1, words) == said


def test_a_change_told_to_a_caller_is_read_like_its_entry() -> None:
    told = Change(1, 0.0, 0, "merged", "mem_3", {"sources": [1, 2], "node": 3})
    assert journal.read_change(told) == journal.Merged(3, (1, 2))


def test_every_entry_of_an_older_database_is_read_and_would_say_the_same(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(gzip.decompress(OLD.read_bytes()))
    rows = sqlite3.connect(path).execute("SELECT kind, node, detail FROM journal").fetchall()
    assert rows
    for kind, node, detail in rows:
        said = journal.read(entry(kind, detail, node))
        assert isinstance(said, journal.Happened), (kind, detail)
        stored = said.detail()
        assert journal.read(entry(kind, tight(stored), node)) == said
        if isinstance(said, journal.Forgotten):  # what the words said is told by itself now
            stored = {name: stored[name] for name in ("reason", "focus")}
        if not isinstance(said, journal.Remembered):  # relations of one name are counted now
            assert tight(stored) == detail


# jobs that failed


def test_a_job_says_by_which_error_it_failed_with_or_without_words() -> None:
    for failure in (Failure("UnusableAnswer", "no: data"), Failure("UnusableAnswer")):
        job = JobRecord(1, "sweep", "pending", 1, 0.0, str(failure), None, 1, 1, 0.0, None, 1)
        assert Failure.of(str(failure)) == failure
        assert job.failed_by(UnusableAnswer)
        assert not job.failed_by(ModelError)
    assert str(Failure("UnusableAnswer", "no: data")) == "UnusableAnswer: no: data"


def test_an_error_whose_name_only_begins_alike_is_another_one() -> None:
    reason = "UnusableAnswers: of a stranger"
    job = JobRecord(1, "sweep", "pending", 1, 0.0, reason, None, 1, 1, 0.0, None, 1)
    assert not job.failed_by(UnusableAnswer)


# nobody else takes words apart

READERS = {  # the last one hands details on as they are, to callers
    PACKAGE / name for name in ("storage/journal.py", "storage/records.py", "living/view.py")
}
CUTTING = {"startswith", "endswith", "partition", "rpartition", "split", "rsplit", "removeprefix"}
TREES = {path: ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}


def found(tree: ast.AST) -> list[str]:
    looks = (kinds_compared, words_cut, details_parsed)
    return [where for one in ast.walk(tree) for look in looks for where in look(one)]


def details_parsed(one: ast.AST) -> list[str]:
    """Stored details that are read as JSON."""
    text = ast.unparse(one) if isinstance(one, ast.Call) else ""
    return [text] if text.startswith("json.loads(") and text.endswith(".detail)") else []


def kinds_compared(one: ast.AST) -> list[str]:
    """Comparisons of a `.kind` with the kind of an entry as a text."""
    if not isinstance(one, ast.Compare):
        return []
    sides = [one.left, *one.comparators]
    if not any(isinstance(side, ast.Attribute) and side.attr == "kind" for side in sides):
        return []
    texts = {inner.value for inner in ast.walk(one) if isinstance(inner, ast.Constant)}
    return [ast.unparse(one)] if texts & set(journal.KINDS) else []


def words_cut(one: ast.AST) -> list[str]:
    """Reasons that are taken apart, and searched for words."""
    call = one.func if isinstance(one, ast.Call) else None
    if isinstance(call, ast.Attribute) and call.attr in CUTTING:
        return [ast.unparse(call)] if "reason" in ast.unparse(call.value) else []
    if isinstance(one, ast.Compare) and isinstance(one.ops[0], ast.In | ast.NotIn):
        searched = one.comparators[0]
        if isinstance(searched, ast.Attribute | ast.Name) and "reason" in ast.unparse(searched):
            return [ast.unparse(one)]
    return []


def test_nothing_parses_words_but_the_journal() -> None:
    assert found(ast.parse("e.kind == 'forgotten' or (job.reason or '').startswith('x')"))
    assert found(ast.parse("entry.kind in ('compressed', 'restored')"))
    assert found(ast.parse("'merged' in node.reason"))
    assert found(ast.parse("json.loads(entry.detail).get('before')"))
    others = {path: found(tree) for path, tree in TREES.items() if path not in READERS}
    assert {path.name: where for path, where in others.items() if where} == {}


def test_every_kind_that_is_logged_is_declared_and_every_declared_kind_is_logged() -> None:
    logged, named = set(), set()
    for path, tree in TREES.items():
        if path == PACKAGE / "storage" / "journal.py":
            continue
        for one in ast.walk(tree):
            if isinstance(one, ast.Call) and ast.unparse(one.func).endswith("journal.log"):
                assert not isinstance(one.args[0], ast.Constant | ast.Dict), ast.unparse(one)
                logged.add(path)
            if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "journal":
                named.add(one.attr)
    assert len(logged) >= 8  # the walk does see those who write
    assert {kind.__name__ for kind in journal.KINDS.values()} <= named


@given(st.lists(st.sampled_from([None, "mention", "plan"]) | st.text(max_size=3), max_size=12))
def test_relations_of_one_name_are_counted_and_read_as_they_were(names: list[str | None]) -> None:
    said = journal.Remembered(1, 2, tuple(names))
    stored = json.loads(json.dumps(said.detail()))
    assert journal.Remembered.of(1, stored) == said
    assert journal.Remembered.of(1, {"job": 2, "relations": names}) == said  # as it was once stored
    assert len(stored["relations"]) <= len(names)


def test_a_count_of_relations_is_bounded() -> None:
    for runs in ([5], ["x", 0], ["x", 10**12], ["x", -1]):
        entry = JournalRecord(1, 1.0, 0, "remembered", 1, json.dumps({"job": 1, "relations": runs}))
        assert journal.read(entry) == journal.Blank(1, "remembered")
    assert journal.Remembered(1, 2, ("x",) * 5).detail() == {"job": 2, "relations": ["x", 5]}
