"""The drawer of what models cost and answered."""

from __future__ import annotations

from dataclasses import replace

from wangchuan.storage import Store
from wangchuan.storage.records import UsageRecord


def test_usage_adds_up_by_day_and_routine(store: Store) -> None:
    with store.write() as tx:
        one = UsageRecord("2026-01-03", "digest", 1, 0, 10, 5, 0.5)
        for usage in (one, one, replace(one, day="2026-01-04", failures=1)):
            tx.models.add_usage(usage)
        assert tx.models.usage() == [
            UsageRecord("2026-01-03", "digest", 2, 0, 20, 10, 1.0),
            UsageRecord("2026-01-04", "digest", 1, 1, 10, 5, 0.5),
        ]
        assert [usage.day for usage in tx.models.usage("2026-01-04")] == ["2026-01-04"]


def test_the_newest_answers_are_kept(store: Store) -> None:
    with store.write() as tx:
        for at, key in enumerate("abc"):
            tx.models.keep(key, key.upper(), float(at), 2)
        assert [tx.models.answer(key) for key in "abc"] == [None, "B", "C"]
        tx.models.keep("b", "again", 9.0, 2)
        assert tx.models.answer("b") == "again"
        tx.models.drop_old_answers(0)
        assert [tx.models.answer(key) for key in "bc"] == ["again", None]
        assert (tx.models.clear_answers(), tx.models.clear_answers()) == (1, 0)
        assert tx.models.answer("b") is None
