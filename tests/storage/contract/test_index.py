"""The drawer of index."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from storage.contract.given import learn, place_at, say

from wangchuan.spots import LENGTHS, message_at, spot, tags
from wangchuan.storage import Store
from wangchuan.types import Message


def length_at(where: int) -> int:
    return where & LENGTHS


def test_a_spot_gives_back_what_was_put_into_it() -> None:
    for message, place, length in [(1, 0, 0), (1, 63, 4095), (1 << 40, 17, 300)]:
        where = spot(message, place, length)
        assert (message_at(where), place_at(where), length_at(where)) == (message, place, length)
    assert length_at(spot(5, 3, 100_000)) == 4095
    assert spot(2, 0, 0) > spot(1, 63, 4095)


def test_postings_tell_where_a_term_stands_newest_first(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", "b", "c", terms=[["dog", "cat"], ["dog"], ["cat", "bird", "dog"]])
        found = tx.index.postings("dog", 10)
        assert [(message_at(s), place_at(s), length_at(s)) for s in found] == [
            (3, 2, 3),
            (2, 1, 1),
            (1, 0, 2),
        ]
        assert tx.index.postings("dog", 2) == found[:2]
        assert tx.index.postings("dog", 0) == []
        assert tx.index.postings("dog", 10, before=3) == found[1:]
        assert tx.index.postings("dog", 1, "cat", before=3) == found[2:]
        assert [message_at(s) for s in tx.index.postings("cat", 10)] == [3, 1]
        asked = [("dog",), ("horse",), ("dog", "cat")]
        told = [found, [], [found[0], found[2]]]
        assert (tx.index.postings_of(asked, 10), tx.index.postings_of([], 10)) == (told, [])
        assert tx.index.postings_of(asked, 10, before=3) == [found[1:], [], found[2:]]
        assert tx.index.postings("do", 10) == tx.index.postings("horse", 10) == []


def test_a_character_is_found_where_it_begins_a_word_or_where_it_stands_alone(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", "b", terms=[["猫咪"], ["猫", "dog"]])
        begun, alone = (tx.index.postings_of([("猫",)], 10, whole=w)[0] for w in (False, True))
        assert [message_at(s) for s in begun] == [2, 1]
        assert [message_at(s) for s in alone] == [2]
        assert tx.index.postings_of([("dog", "猫")], 10, whole=True) == [alone]


def test_postings_are_there_for_readers_once_written_and_after_reopening(
    reopen: Callable[[], Store],
) -> None:
    first = reopen()
    with first.read() as tx:
        assert tx.index.postings("dog", 10) == []
    with first.write() as tx:
        say(tx, "a", terms=[["dog"]])
    with first.read() as tx:
        assert len(tx.index.postings("dog", 10)) == 1
    first.close()
    with reopen().read() as tx:
        assert len(tx.index.postings("dog", 10)) == 1


def test_what_is_rolled_back_is_not_found(store: Store) -> None:
    with pytest.raises(RuntimeError), store.write() as tx:  # noqa: PT012
        say(tx, "a", terms=[["dog"]])
        raise RuntimeError
    with store.read() as tx:
        assert tx.index.postings("dog", 10) == []
        assert tx.messages.last() is None


def test_a_single_character_that_is_not_ascii_finds_what_begins_with_it(store: Store) -> None:
    with store.write() as tx:
        say(tx, *"1234", terms=[["猫"], ["猫咪", "小猫"], ["小猫"], ["cats", "c"]])
        assert [message_at(s) for s in tx.index.postings("猫", 10)] == [2, 1]
        assert [message_at(s) for s in tx.index.postings("猫咪", 10)] == [2]
        assert [message_at(s) for s in tx.index.postings("c", 10)] == [4]


@pytest.mark.parametrize(
    "term", ["and", "or", "not", "near", "terms", "a1234", "²", "dog²", "登录"]
)
def test_a_term_is_never_taken_for_a_command(store: Store, term: str) -> None:
    with store.write() as tx:
        say(tx, "a", "b", terms=[[term, "other"], ["other"]])
        assert [message_at(s) for s in tx.index.postings(term, 10)] == [1]


def test_messages_without_terms_are_kept_and_not_found(store: Store) -> None:
    with store.write() as tx:
        say(tx, "dog")
        say(tx, "dog", "cat", terms=[["dog"], []])
        assert [message_at(s) for s in tx.index.postings("dog", 10)] == [2]
        assert [m.content for m in tx.messages.between(1, 9)] == ["dog", "dog", "cat"]


def test_the_full_text_is_emptied_and_made_anew(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", "b", terms=[["dog"], ["cat"]])
        tx.index.clear()
        assert tx.index.postings("dog", 10) == tx.index.postings("cat", 10) == []
        for message in tx.messages.between(1, 2):
            tx.index.add(message, ["horse", message.content])
        tx.index.add(tx.messages.of([1])[0], [])
    with store.read() as tx:
        found = tx.index.postings("horse", 10)
        assert [(message_at(s), place_at(s), length_at(s)) for s in found] == [(2, 1, 2), (1, 0, 2)]
        assert tx.index.postings("dog", 10) == []
    assert store.check() == []


def test_folding_changes_nothing_that_is_found(store: Store) -> None:
    for word in ("dog", "cat", "dog"):
        with store.write() as tx:
            say(tx, word, terms=[[word]])
            tx.index.add_fact(learn(tx), [word])
    with store.write() as tx:
        asked = [("dog",), ("cat",)]
        before = tx.index.postings_of(asked, 9), tx.index.facts_holding_each(["dog", "cat"], 9)
        tx.index.fold()
        after = tx.index.postings_of(asked, 9), tx.index.facts_holding_each(["dog", "cat"], 9)
        assert before == after
        tx.index.erase(1)
        assert [message_at(where) for where in tx.index.postings("dog", 9)] == [3]
    assert store.check() == []


def test_facts_are_found_by_their_terms_newest_first(store: Store) -> None:
    with store.write() as tx:
        a, b, c = learn(tx), learn(tx), learn(tx)
        tx.index.add_fact(a, ["喜欢", "猫", "cat", "§home主人"])
        tx.index.add_fact(b, ["喜欢", "狗"])
        tx.index.add_fact(c, [])
        assert tx.index.facts_holding("喜欢", 9) == [b, a]
        assert tx.index.facts_holding("喜欢", 1) == [b]
        assert tx.index.facts_holding("cat", 9) == [a]
        assert tx.index.facts_holding("§home主人", 9) == [a]
        assert tx.index.facts_holding("ca", 9) == []
        each = {"cat": [a], "喜欢": [b, a], "ca": []}
        assert tx.index.facts_holding_each(each, 9) == each
        assert tx.index.facts_holding("喜", 9) == [b, a]  # one character begins a word
        assert tx.index.facts_holding("欢", 9) == []


def test_terms_of_facts_and_of_messages_do_not_mix(store: Store) -> None:
    with store.write() as tx:
        tx.accept([Message("user", "猫")], 1.0, 9, [["猫"]])
        n = learn(tx)
        tx.index.add_fact(n, ["狗"])
        assert tx.index.facts_holding("猫", 9) == []
        assert tx.index.postings("狗", 9) == []
        tx.index.clear()
        assert tx.index.facts_holding("狗", 9) == [n]


def test_a_message_is_taken_out_of_the_full_text_whatever_its_spot_says(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", "b", "c", terms=[["dog"], ["dog", "cat"], ["dog"]])
        first, last = spot(2, 0, 0), spot(2, 63, 4095)
        assert [message_at(where) for where in tx.index.spots(first, last)] == [2]
        assert (tx.index.erase(2), tx.index.erase(2)) == (1, 0)
        assert [message_at(where) for where in tx.index.postings("dog", 9)] == [3, 1]
        assert tx.index.postings("cat", 9) == []
        tx.index.drop(tx.index.postings("dog", 1)[0])
        assert [message_at(where) for where in tx.index.postings("dog", 9)] == [1]


def test_facts_that_are_gone_are_found_in_the_full_text_and_taken_out(store: Store) -> None:
    with store.write() as tx:
        there, gone = learn(tx), learn(tx)
        for n in (there, gone):
            tx.index.add_fact(n, ["cat"])
        tx.nodes.drop(gone)
        assert tx.index.orphans() == [gone]
        assert tx.index.drop_fact(gone) == 1
        assert (tx.index.orphans(), tx.index.facts_holding("cat", 9)) == ([], [there])


def test_messages_are_found_by_session_and_metadata(store: Store) -> None:
    def said(n: int) -> Message:
        return Message("user", "tea", session=f"s{n % 2}", metadata={"n": n})

    with store.write() as tx:
        tx.accept([said(n) for n in range(6)], 1.0, 10, [["tea"]] * 6)
        assert tx.index.tagged(tags("s1", {}), 0, 9) == [2, 4, 6]
        assert tx.index.tagged(tags("s1", {}), 2, 1) == [4]
        assert tx.index.tagged(tags("s1", {"n": 3.0}), 0, 9) == [4]
        assert len(tx.index.postings("tea", 9, *tags("s0", {}))) == 3
