"""Short forms of what a node says: read as it was written, whatever becomes of its message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.storage.records import MessageRecord, NodeRecord
from wangchuan.storage.sqlite.scratch import scratch
from wangchuan.storage.transaction import Transaction
from wangchuan.types import Message

SAID = "Anna keeps the red bicycle in the cellar. 我们决定登录模块用 JWT。 Shall I lock it?"
WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=24)
PARTS = st.tuples(st.integers(0, len(SAID)), st.integers(0, len(SAID))).map(
    lambda ends: SAID[min(ends) : max(ends)]
)
TEXTS = st.one_of(WORDS, PARTS)


@pytest.fixture
def tx() -> Iterator[Transaction]:
    with scratch() as opened:
        yield opened


def say(tx: Transaction, content: str = SAID, public: str | None = None) -> MessageRecord:
    tx.accept([Message("user", content, id=public)], 1.0, 1 << 30, [[]])
    return tx.messages.page(0, 1 << 30)[-1]


def cut(tx: Transaction, said: MessageRecord, **values: Any) -> int:
    plain = {"kind": "segment", "job": 1, "keywords": "[]", "created_at": 1.0, "phrase": "x"}
    sources = json.dumps([said.public_id])
    return tx.nodes.add(**{**plain, "sources": sources, "message": said.seq, **values})


def stored(tx: Transaction, n: int) -> NodeRecord:
    """A node as the table has it now, not as it was read before."""
    tx._work.read_anew()
    record = tx.nodes.get(n)
    assert record is not None
    return record


def kinds(tx: Transaction, n: int) -> tuple[str, ...]:
    asked = "SELECT typeof(original), typeof(phrase), typeof(sources) FROM nodes WHERE n = ?"
    ((*found,),) = tx._engine.connection.execute(asked, (n,))  # type: ignore[attr-defined]
    return tuple(found)


def check(tx: Transaction, texts: tuple[str, str, str | None], foreign: bool) -> None:
    """Write a node of the last message, change it, and take the message from it."""
    original, phrase, content = texts
    message = tx.messages.page(0, 1 << 30)[-1]
    sources = ["x", "y"] if foreign else [message.public_id]
    n = cut(tx, message, original=original, phrase=phrase, sources=json.dumps(sources))
    made = stored(tx, n)
    assert (made.original, made.phrase, made.content) == (original, phrase, None)
    assert json.loads(made.sources) == sources
    tx.nodes.save(replace(made, content=content))
    before = stored(tx, n)
    assert before == replace(made, content=content)
    assert tx.nodes.texts_of([n])[0].text == (original if content is None else content)
    tx.messages.blank(message.seq)
    assert stored(tx, n) == before
    tx.messages.empty(message.seq)
    assert stored(tx, n) == before


def test_a_node_is_read_as_it_was_written(tx: Transaction) -> None:
    texts = st.tuples(TEXTS, TEXTS, st.none() | TEXTS)

    @given(st.one_of(WORDS, st.just(SAID)), st.none() | WORDS, texts, st.booleans())
    def whatever(
        said: str, public: str | None, texts: tuple[str, str, str | None], foreign: bool
    ) -> None:
        say(tx, said, public)
        check(tx, texts, foreign)

    whatever()


def test_what_stands_in_the_message_is_not_kept_twice(tx: Transaction) -> None:
    message = say(tx)
    text = "Anna keeps the red bicycle in the cellar."
    n = cut(tx, message, original=text, phrase=text)
    assert kinds(tx, n) == ("blob", "blob", "blob")
    tx.nodes.save(replace(stored(tx, n), content="red bicycle", phrase="red bicycle"))
    assert kinds(tx, n) == ("blob", "blob", "blob")
    assert (stored(tx, n).original, stored(tx, n).phrase) == (text, "red bicycle")


@pytest.mark.parametrize("way", ["blank", "empty", "drop"])
def test_it_is_written_out_before_its_message_changes(tx: Transaction, way: str) -> None:
    message = say(tx, public="mine")
    n = cut(tx, message, original="我们决定登录模块用 JWT。")
    before = stored(tx, n)
    getattr(tx.messages, way)(message.seq)
    assert stored(tx, n) == before
    assert kinds(tx, n)[0] == "text"


def test_a_node_without_a_message_is_kept_whole(tx: Transaction) -> None:
    message = say(tx)
    n = cut(tx, message, original=SAID, message=None, kind="fact")
    assert kinds(tx, n) == ("text", "text", "text")
    assert stored(tx, n).original == SAID
