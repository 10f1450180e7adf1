"""The drawer of ticks."""

from __future__ import annotations

from storage.contract.given import add, saved

from wangchuan.storage import LifecycleRecord, LinkRecord, Store
from wangchuan.storage.records import Decay

DECAY = Decay(passes=10, rate=0.5, rarity=0.0, broken=0.2, dangling=False)


def test_vitals_count_the_links_that_hold_and_what_was_recorded(store: Store) -> None:
    with store.write() as tx:
        a, b, gone = add(tx), add(tx), add(tx)
        saved(tx, gone, forgotten_at=1.0)
        tx.links.put([LinkRecord(a, b, 1.0, 0, None), LinkRecord(gone, b, 1.0, 0, None)])
        tx.links.put([LinkRecord(b, a, 0.1, 0, None), LinkRecord(a, gone, 1.0, 0, None)])
        tx.signals.accessed([b, b], 5.0)
        tx.links.set_focus([a])
        tx.ticks.put([LifecycleRecord(b, 3.0, a, 1)])
        first, second = tx.ticks.vitals(DECAY, 0, 9)
        assert (first.n, first.in_degree, first.out_degree, first.focused) == (a, 0, 1, 1)
        assert (second.n, second.in_degree, second.out_degree, second.focused) == (b, 1, 0, 0)
        assert (second.access_count, second.last_accessed_at) == (2, 5.0)
        assert (second.cold_since, second.merge_with, second.delete_eligible) == (3.0, a, 1)
        dangling = Decay(10, 0.5, 0.0, 0.2, dangling=True)
        assert [v.out_degree for v in tx.ticks.vitals_of(dangling, [b, a, gone, 99])] == [2, 0]
        assert tx.ticks.vitals_of(DECAY, []) == []


def test_links_break_by_the_scans_of_their_source(store: Store) -> None:
    with store.write() as tx:
        a, b = add(tx), add(tx)
        saved(tx, a, since_pass=7, scans=0)  # three scans by pass 10: 1.0 * 0.5 ** 3 < 0.2
        tx.links.put([LinkRecord(a, b, 1.0, 0, None)])
        assert [v.out_degree for v in tx.ticks.vitals_of(DECAY, [a])] == [0]
        assert [v.in_degree for v in tx.ticks.vitals_of(DECAY, [b])] == [0]
        whole = Decay(9, 0.5, 0.0, 0.2, dangling=False)
        assert [v.out_degree for v in tx.ticks.vitals_of(whole, [a])] == [1]
        assert [v.in_degree for v in tx.ticks.vitals_of(whole, [b])] == [1]


def test_living_nodes_come_in_order_all_or_the_cold(store: Store) -> None:
    with store.write() as tx:
        numbers = [add(tx) for _ in range(4)]
        saved(tx, numbers[1], die_at=10)
        tx.ticks.put(LifecycleRecord(n, 1.0) for n in numbers[1:])
        living = [numbers[0], *numbers[2:]]
        assert tx.ticks.living_after(10, 0, 9, False) == living
        assert tx.ticks.living_after(10, numbers[0], 1, False) == living[1:2]
        assert tx.ticks.living_after(10, 0, 9, True) == living[1:]
        assert [v.n for v in tx.ticks.vitals(DECAY, 0, 9, cold=True)] == living[1:]


def test_what_ticks_noted_is_put_read_counted_and_dropped(store: Store) -> None:
    with store.write() as tx:
        a, b, c = add(tx), add(tx), add(tx)
        marked = LifecycleRecord(a, 2.0, b, 1)
        tx.ticks.put([LifecycleRecord(a, 1.0), LifecycleRecord(b, 1.0), marked])
        tx.ticks.put([LifecycleRecord(c, 1.0)])
        tx.links.set_focus([c])  # what is attended is not cold
        assert tx.ticks.cold_among([a, b, c, 99]) == {a, b}
        assert tx.ticks.cold_among([]) == set()
        d = add(tx, message=7)
        tx.ticks.put([LifecycleRecord(d, 1.0)])
        assert (tx.ticks.cold_from([7, 8]), tx.ticks.cold_from([8])) == ([d], [])
        tx.ticks.drop(d)
        assert tx.ticks.merge_marks() == tx.ticks.merge_marks(1) == [marked]
        assert tx.ticks.merge_marks(0) == []
        assert tx.ticks.counts(0) == {"cold": 2, "mergeable": 1, "deletable": 1}
        assert (tx.ticks.drop(b), tx.ticks.drop(b)) == (1, 0)
        tx.ticks.warm([a, b])
        assert tx.ticks.counts(0) == {"cold": 0, "mergeable": 0, "deletable": 0}
