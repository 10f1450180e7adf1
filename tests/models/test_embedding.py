"""Embedders: what a server sends, and what is no vector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from faults import Server
from meanings import NONSENSE, Concepts, sends_rows

from wangchuan.errors import UnusableAnswer
from wangchuan.models.embedding import HTTPEmbedder, checked

# checking


def test_rows_become_unit_vectors() -> None:
    rows = checked([[3.0, 4.0], [0.0, 0.0]], 2)
    assert rows.tolist() == [pytest.approx([0.6, 0.8]), [0.0, 0.0]]


@pytest.mark.parametrize("name", sorted(NONSENSE))
def test_checking_refuses_nonsense(name: str) -> None:
    with pytest.raises(UnusableAnswer):
        checked(NONSENSE[name]([[1.0, 2.0], [3.0, 4.0]]), 2)


GOOD: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "in order": lambda rows: rows,
    "backwards": lambda rows: rows[::-1],
    "without an index": lambda rows: [{"embedding": row["embedding"]} for row in rows],
    "an index in words": lambda rows: [{**row, "index": str(row["index"])} for row in rows],
    "more keys": lambda rows: [{**row, "object": "embedding"} for row in rows],
    "whole numbers": lambda rows: [
        {**r, "embedding": [int(x) for x in r["embedding"]]} for r in rows
    ],
}
BAD: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "none": lambda rows: [],
    "null": lambda rows: None,
    "an object": lambda rows: {"0": rows[0]},
    "one too few": lambda rows: rows[1:],
    "no embedding": lambda rows: [{"index": row["index"]} for row in rows],
    "null embedding": lambda rows: [{**row, "embedding": None} for row in rows],
    "base64": lambda rows: [{**row, "embedding": "AAAA"} for row in rows],
    "words": lambda rows: [{**row, "embedding": ["x", "y"]} for row in rows],
    "no objects": lambda rows: [row["embedding"] for row in rows],
    "a strange index": lambda rows: [{**row, "index": "first"} for row in rows],
    "a number beyond any": lambda rows: [{**row, "embedding": [10**400]} for row in rows],
}


@pytest.mark.parametrize("name", sorted(GOOD))
def test_good_answers_of_a_server_are_read(server: Server, name: str) -> None:
    server.answer = sends_rows(GOOD[name])
    embedder = HTTPEmbedder(server.url, "tiny", timeout=5)
    assert embedder.embed(["dog", "car car"]) == Concepts().embed(["dog", "car car"])
    embedder.close()


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_answers_of_a_server_are_refused(server: Server, name: str) -> None:
    server.answer = sends_rows(BAD[name])
    embedder = HTTPEmbedder(server.url, "tiny", timeout=5)
    with pytest.raises(UnusableAnswer):
        embedder.embed(["dog", "car"])
    embedder.close()


def test_an_empty_text_is_sent_as_a_blank(server: Server) -> None:
    server.answer = sends_rows(lambda rows: rows)
    embedder = HTTPEmbedder(server.url, "tiny", timeout=5)
    embedder.embed(["", "x" * 5000])
    embedder.close()
    assert [len(text) for text in server.requests[0]["input"]] == [1, 2000]
