"""The drawer of what changes replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage.contract.given import add, learn, saved

from wangchuan.errors import StorageError
from wangchuan.storage import LifecycleRecord, LinkRecord, Store, Transaction, journal
from wangchuan.storage.drawers import undo as drawer
from wangchuan.storage.drawers.journal import tight
from wangchuan.storage.packing import packed, unpacked


def changed(tx: Transaction, n: int, **values: object) -> int:
    """Change a node so that it can be undone; return the number of the journal's entry."""
    with tx.undo.change(journal.Undecided, n):
        saved(tx, n, **values)
        tx.journal.log(journal.Undecided(n, None), 1.0)
    return tx.journal.last()


def test_a_change_keeps_what_rows_were_and_became(store: Store) -> None:
    with store.write() as tx:
        n = add(tx)
        with tx.undo.change(journal.Undecided, n):
            tx.journal.log(journal.Erased(n), 1.0)
            with tx.undo.change(journal.Kept, n):
                before, after = tx.nodes.get(n), saved(tx, n, scans=3)
            tx.links.set_focus([n])
            tx.links.put([])
            tx.journal.log(journal.Undecided(n, None), 1.0)
        (change,) = tx.undo.latest(9)
        assert (change.first, change.last, change.seq) == (1, 2, 2)
        assert tx.undo.of_entry(1) == tx.undo.of_entry(2) == change
        assert tx.undo.of_entry(3) is None
        focus, node = tx.undo.rows(change.op)
        assert (focus.kind, focus.former, focus.later) == ("focus", [], [n])
        assert before is not None
        assert (node.kind, node.key, node.former) == ("node", (n,), asdict(before))
        assert node.later == asdict(after)
        assert tx.undo.former(n) == [before, after]
        assert tx.undo.former(99) == []


def test_nothing_is_kept_of_a_change_without_an_entry_or_an_effect(store: Store) -> None:
    with store.write() as tx:
        n = add(tx)
        with tx.undo.change(journal.Undecided, n):
            saved(tx, n, scans=3)
        with tx.undo.change(journal.Undecided, n):
            tx.journal.log(journal.Undecided(n, None), 1.0)
        assert tx.undo.latest(9) == []


def test_only_the_newest_changes_are_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawer, "MOST_UNDOS", 2)
    with store.write() as tx:
        n = add(tx)
        ops = []
        for scans in (1, 2, 3):
            changed(tx, n, scans=scans)
            ops.append(tx.undo.latest(1)[0].op)
        assert [change.op for change in tx.undo.latest(9)] == [ops[2], ops[1]]
        assert tx.undo.rows(ops[0]) == []
        tx.undo.drop_old(ops[1])
        assert [change.op for change in tx.undo.latest(9)] == [ops[2]]


def test_changes_are_found_by_the_nodes_they_touched_linked_or_attended(store: Store) -> None:
    with store.write() as tx:
        a, b, c, d = (add(tx) for _ in range(4))
        touches: list[Callable[[], object]] = [
            lambda: saved(tx, a, scans=1),
            lambda: tx.links.put([LinkRecord(b, c, 1.0, 0, None)]),
            lambda: tx.links.set_focus([c]),
            lambda: tx.links.set_focus([]),
        ]
        ops = []
        for touch in touches:
            with tx.undo.change(journal.Passed, None):
                touch()
                tx.journal.log(journal.Passed(None), 1.0)
            ops.append(tx.undo.latest(1)[0].op)
        assert sorted(tx.undo.touching([a])) == [ops[0]]
        assert sorted(tx.undo.touching([c])) == ops[1:]
        assert tx.undo.touching([d]) == tx.undo.touching([]) == []
        assert tx.undo.drop_touching([a]) == 1
        tx.undo.drop([ops[1]])
        assert tx.undo.rows(ops[1]) == []
        assert [change.op for change in tx.undo.latest(9)] == [ops[3], ops[2]]


def test_nodes_made_of_messages_are_found_in_what_can_be_undone(store: Store) -> None:
    with store.write() as tx:
        cut = add(tx, message=5)
        changed(tx, cut, scans=1)
        with tx.undo.change(journal.Passed, None):
            learned = learn(tx)
            tx.facts.learn_from(learned, [6, 7])
            tx.journal.log(journal.Passed(None), 1.0)
        assert tx.undo.undone_from([5]) == [cut]
        assert tx.undo.undone_from([7]) == [learned]
        assert tx.undo.undone_from([8]) == tx.undo.undone_from([]) == []


def test_any_row_is_put_back_as_it_was(store: Store) -> None:
    with store.write() as tx:
        n = learn(tx)
        tx.links.put([LinkRecord(n, n, 0.5, 1, "r")])
        tx.links.set_focus([n])
        tx.facts.learn_from(n, [1, 2])
        tx.ticks.put([LifecycleRecord(n, 1.0)])
        keys = {"node": (n,), "link": (n, n), "fact": (n,), "lifecycle": (n,)}
        keys |= {"focus": (0,), "evidence": (n,)}
        was = {kind: tx.undo.row(kind, key) for kind, key in keys.items()}
        assert all(was.values())
        for kind, key in keys.items():
            tx.undo.put_row(kind, key, None)
        gone = {kind: tx.undo.row(kind, key) or None for kind, key in keys.items()}
        assert set(gone.values()) == {None}
        assert (tx.nodes.get(n), tx.links.of(n), tx.links.focus()) == (None, [], [])
        for kind, key in keys.items():
            tx.undo.put_row(kind, key, was[kind])
        assert {kind: tx.undo.row(kind, key) for kind, key in keys.items()} == was
        assert (len(tx.links.of(n)), tx.links.focus()) == (1, [n])


def test_a_change_holds_words_until_it_is_dropped(store: Store) -> None:
    with store.write() as tx:
        n = add(tx)
        first = changed(tx, n, content="a secret 猫")
        later = changed(tx, n, content="")
        pieces = [b"secret", "猫".encode(), b"nobody said"]
        assert tx.undo.holds(pieces) == set(pieces[:2])
        tx.undo.drop_before(first)
        assert [change.seq for change in tx.undo.latest(9)] == [later]
        tx.undo.drop_before(later)
        assert tx.undo.holds(pieces) == set()
        tx.undo.tidy()
        assert tx.undo.touching([n]) == []


def test_what_never_changes_in_a_node_is_kept_once(store: Store) -> None:
    """In a large change, as what was said is the largest part of a node."""
    with store.write() as tx:
        words = "".join(chr(0x4E00 + n * 37 % 9000) for n in range(3000))
        n = add(tx, original=words)
        changed(tx, n, scans=1)
        (row,) = tx.undo.rows(tx.undo.latest(1)[0].op)
        assert not tx.undo.holds([words[:9].encode()])
        assert row.former is not None
        assert row.later is not None
        assert row.former["original"] == row.later["original"] == words
        tx.undo.put_row("node", (n,), None)
        (row,) = tx.undo.rows(tx.undo.latest(1)[0].op)
        assert row.former["original"] == ""


@given(st.recursive(st.none() | st.integers() | st.floats(allow_nan=False) | st.text(), st.lists))
def test_whatever_is_packed_is_unpacked_as_it_was(value: object) -> None:
    assert unpacked(packed(tight(value))) == value


def test_what_is_damaged_is_told() -> None:
    for blob in (b"", b"x", packed("[1, 2]")[:-2], packed("{no json")):
        with pytest.raises(StorageError, match="damaged"):
            unpacked(blob)
