"""What the tests of the contract begin with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wangchuan.spots import LENGTH_BITS, PLACES
from wangchuan.storage import NodeRecord, Transaction
from wangchuan.storage.records import FactRecord
from wangchuan.types import Message


def add(tx: Transaction, text: str = "text", **values: Any) -> int:
    plain = {"kind": "segment", "job": None, "message": None, "phrase": "", "keywords": "[]"}
    plain["sources"] = "[]"
    return tx.nodes.add(**{**plain, "original": text, "created_at": 1.0, **values})


def saved(tx: Transaction, n: int, **changes: Any) -> NodeRecord:
    record = tx.nodes.get(n)
    assert record is not None
    tx.nodes.save(replace(record, **changes))
    return replace(record, **changes)


def say(tx: Transaction, *said: Message | str, at: float = 0.0, terms: Any = ()) -> int:
    """Accept messages; return the number of the last one."""
    given = [m if isinstance(m, Message) else Message("user", m) for m in said]
    assert tx.accept(given, at, 10_000, terms)
    last = tx.messages.last()
    assert last is not None
    return last.seq


def place_at(where: int) -> int:
    return where >> LENGTH_BITS & PLACES


def learn(tx: Transaction, text: str = "text", kind: str = "fact", **changes: Any) -> int:
    n = add(tx, text, kind=kind)
    plain = FactRecord(n, 1.5, 10.0, 0, "background_ai", 0, "other", None, None)
    tx.facts.put(replace(plain, **changes))
    return n
