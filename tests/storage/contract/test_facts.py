"""The drawer of facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from storage.contract.given import add, learn, saved

from wangchuan.storage import Store, Transaction
from wangchuan.storage.records import FactRecord


def test_a_fact_is_kept_with_what_belongs_to_it(reopen: Callable[[], Store]) -> None:
    first = reopen()
    with first.write() as tx:
        n = learn(tx, weight=2.123456, used_at=5.5, aged=3, verified=1, topic="promise")
    first.close()
    with reopen().read() as tx:
        assert tx.facts.get(n) == FactRecord(
            n, 2.123456, 5.5, 3, "background_ai", 1, "promise", None, None
        )


def test_putting_a_fact_again_replaces_all_of_it(store: Store) -> None:
    with store.write() as tx:
        n, other = learn(tx), learn(tx)
        changed = FactRecord(n, 0.5, 9.0, 7, "user", 1, "personal", other, "decay")
        tx.facts.put(changed)
        assert tx.facts.get(n) == changed
        assert tx.facts.get(other) != changed


def test_what_is_no_fact_has_nothing_of_one(store: Store) -> None:
    with store.write() as tx:
        segment = add(tx)
        assert tx.facts.get(segment) is None
        assert tx.facts.get(99) is None
        assert tx.facts.evidence_of(99) == []
        assert tx.facts.learned_from([99]) == []
        assert tx.index.facts_holding("nothing", 9) == []
        assert tx.facts.of_kinds(["fact"]) == tx.facts.after(0, 9) == []


def test_what_passes_is_found_among_the_newest_facts(store: Store) -> None:
    with store.write() as tx:
        old, lasting, new = learn(tx, topic="memory"), learn(tx), learn(tx, topic="memory")
        learn(tx, kind="core", topic="memory")
        gone = learn(tx, topic="memory")
        tx.nodes.save(replace(saved(tx, gone), forgotten_at=1.0))
        assert [record.n for record in tx.facts.passing(3)] == [new, old]
        assert [record.n for record in tx.facts.passing(2)] == [new]
        assert lasting not in {record.n for record in tx.facts.passing(9)}


def test_facts_are_listed_by_kind_newest_first_without_the_forgotten(store: Store) -> None:
    with store.write() as tx:
        add(tx)
        fact, core, episode = learn(tx), learn(tx, kind="core"), learn(tx, kind="episode")
        newer, gone = learn(tx), learn(tx)
        saved(tx, gone, forgotten_at=7.0, reason="asked")
        assert [r.n for r in tx.facts.of_kinds(["fact"])] == [newer, fact]
        assert [r.n for r in tx.facts.of_kinds(["core", "fact"])] == [newer, core, fact]
        assert [r.n for r in tx.facts.of_kinds(["fact", "core", "fact"], 2)] == [newer, core]
        assert [r.n for r in tx.facts.of_kinds(["episode"], 9)] == [episode]
        assert (
            tx.facts.of_kinds(["fact"], 0)
            == tx.facts.of_kinds([])
            == tx.facts.of_kinds(["segment"])
            == []
        )
        assert [r.kind for r in tx.facts.of_kinds(["system", "nonsense"])] == []


def test_facts_of_all_kinds_come_in_order_after_a_number(store: Store) -> None:
    with store.write() as tx:
        add(tx)
        kinds = ("fact", "episode", "core", "system", "fact")
        numbers = [learn(tx, kind=kind) for kind in kinds]
        add(tx)
        saved(tx, numbers[1], forgotten_at=7.0)
        left = [numbers[0], *numbers[2:]]
        assert [r.n for r in tx.facts.after(0, 99)] == left
        assert [r.n for r in tx.facts.after(left[0], 2)] == left[1:3]
        assert tx.facts.after(left[-1], 9) == []
        assert tx.facts.after(0, 0) == []


def test_living_facts_that_wait_for_a_decision_are_told_apart(store: Store) -> None:
    with store.write() as tx:
        learn(tx)
        learn(tx, review="undecided")
        decay, gone = learn(tx, review="decay"), learn(tx, review="decay")
        promotion = learn(tx, review="promotion")
        saved(tx, gone, forgotten_at=7.0)
        assert [f.node for f in tx.facts.to_review(9)] == [decay, promotion]
        assert [f.review for f in tx.facts.to_review(-1)] == ["decay", "promotion"]
        assert [f.node for f in tx.facts.to_review(1)] == [decay]
        assert tx.facts.to_review(0) == []


def test_evidence_leads_both_ways_and_is_noted_once(store: Store) -> None:
    with store.write() as tx:
        a, b = learn(tx), learn(tx)
        tx.facts.learn_from(a, [3, 1, 3])
        tx.facts.learn_from(a, [1])
        tx.facts.learn_from(b, [3])
        tx.facts.learn_from(b, [])
        assert tx.facts.evidence_of(a) == [1, 3]
        assert tx.facts.evidence_of(b) == [3]
        assert tx.facts.learned_from([3, 2]) == [(3, a), (3, b)]
        assert tx.facts.learned_from([]) == []


def test_corrections_are_followed_to_what_the_last_one_was_learned_from(store: Store) -> None:
    with store.write() as tx:
        first, second, third, alone = (learn(tx) for _ in range(4))
        for n, messages in ((first, [1]), (second, [2]), (third, [4, 3]), (alone, [1])):
            tx.facts.learn_from(n, messages)
        tx.facts.put(replace(_fact(tx, first), successor=second))
        tx.facts.put(replace(_fact(tx, second), successor=third))
        assert tx.facts.corrected_from([1, 2, 3, 9]) == [(1, first), (2, second)]
        latest = [(first, 3), (first, 4), (second, 3), (second, 4)]
        assert tx.facts.sources_of_latest([first, second, third, alone, 99]) == latest
        tx.facts.put(replace(_fact(tx, third), successor=first))  # a ring, which nobody makes
        assert tx.facts.sources_of_latest([first]) == []


def test_a_rolled_back_fact_leaves_nothing(store: Store) -> None:
    with pytest.raises(RuntimeError), store.write() as tx:  # noqa: PT012
        n = learn(tx)
        tx.facts.learn_from(n, [1])
        tx.index.add_fact(n, ["猫"])
        raise RuntimeError
    with store.read() as tx:
        assert tx.facts.get(1) is None
        assert tx.facts.evidence_of(1) == []
        assert tx.index.facts_holding("猫", 9) == []


def test_what_belongs_to_a_fact_is_dropped_piece_by_piece(store: Store) -> None:
    with store.write() as tx:
        replaced, successor = learn(tx), learn(tx)
        tx.facts.put(replace(_fact(tx, replaced), successor=successor))
        tx.facts.learn_from(successor, [1, 2])
        tx.facts.drop_successor(successor)
        assert _fact(tx, replaced).successor is None
        assert (tx.facts.drop_evidence(successor), tx.facts.drop_evidence(successor)) == (2, 0)
        assert (tx.facts.drop(successor), tx.facts.drop(successor)) == (1, 0)
        assert tx.facts.get(successor) is None
        assert [record.n for record in tx.facts.of_kind("fact", 9)] == [successor, replaced]


def _fact(tx: Transaction, n: int) -> FactRecord:
    found = tx.facts.get(n)
    assert found is not None
    return found


def test_what_a_message_taught_is_dropped_with_it(store: Store) -> None:
    with store.write() as tx:
        n = learn(tx)
        tx.facts.learn_from(n, [1, 2])
        tx.facts.drop_message(1)
        assert tx.facts.evidence_of(n) == [2]


def test_facts_read_ahead_are_those_that_are_read_one_by_one(store: Store) -> None:
    with store.write() as tx:
        first, segment, second = learn(tx), add(tx), learn(tx)
        alone = [tx.facts.get(n) for n in (first, segment, second)]
    with store.write() as tx:
        assert sorted(fact.node for fact in tx.facts.some([second, segment, first])) == [
            first,
            second,
        ]
        tx.facts.read_ahead([first, segment, second])
        assert [tx.facts.get(n) for n in (first, segment, second)] == alone
        tx.facts.put(replace(_fact(tx, first), weight=0.25))
        assert _fact(tx, first).weight == 0.25
