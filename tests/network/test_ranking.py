"""Ranking: its numbers, worked out by hand, and what holds for all numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wangchuan.network import ranking
from wangchuan.network.ranking import (
    LINK,
    POSTINGS,
    SHARES,
    TALKED,
    TEXT,
    Evidence,
    fused,
    rarity,
)
from wangchuan.spots import spot

AVERAGE = 10.0
Stands = tuple[int, int]  # a spot, and how often the term stands there


def at(message: int, first: int = 1, length: int = 10, times: int = 1) -> Stands:
    """A term in a message of ten terms in the first conversation, unless told otherwise."""
    return spot(message, message - first, length), times


def add(found: Evidence, term: str, where: list[Stands], average: float = AVERAGE) -> None:
    newest_first = sorted(where, reverse=True)
    twice = frozenset(s for s, times in where if times > 1)
    found.add(term, [s for s, _ in newest_first], twice, average)


def evidence(messages: int = 10, talks: int = 1, **terms: list[Stands]) -> Evidence:
    """What terms say that stand at the given spots, in messages of ten terms on average."""
    found = Evidence(messages=messages, talks=talks)
    for term, where in terms.items():
        add(found, term, where)
    return found


# rarity


@pytest.mark.parametrize(
    ("holding", "total", "worth"),
    [
        (0, 10, 3.0910424534),  # ln(1 + 10.5 / 0.5)
        (1, 10, 1.9924301647),  # ln(1 + 9.5 / 1.5)
        (3, 10, 1.1451323043),  # ln(1 + 7.5 / 3.5)
        (10, 10, 0.0465200156),  # ln(1 + 0.5 / 10.5)
        (1, 1, 0.2876820725),  # ln(1 + 0.5 / 1.5)
        (1, 1_000_000, 13.4100464499),  # ln(1 + 999999.5 / 1.5)
        (20, 10, 0.0240975516),  # ln(1 + 0.5 / 20.5): more than there are, as an estimate may say
    ],
)
def test_a_term_is_worth_what_few_messages_hold_it(holding: int, total: int, worth: float) -> None:
    assert rarity(holding, total) == pytest.approx(worth, abs=1e-9)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_rarity_is_positive_and_falls_with_the_number_of_holders(holding: int, total: int) -> None:
    assert 0 < rarity(2 * holding + 1, total) < rarity(holding, total) < math.inf


# a message's own words (K1 = 0.9, B = 0.4)


@pytest.mark.parametrize(
    ("length", "times", "share"),
    [
        (10, 1, 1.0),  # 1.9 / (1 + 0.54 + 0.36): the average message gets the term's whole worth
        (20, 1, 0.8407079646),  # 1.9 / (1 + 0.54 + 0.72)
        (5, 1, 1.1046511628),  # 1.9 / (1 + 0.54 + 0.18)
        (10, 2, 1.3103448276),  # 3.8 / (2 + 0.54 + 0.36)
        (0, 1, 1.2337662338),  # 1.9 / 1.54
    ],
)
def test_a_word_counts_by_length_and_times(length: int, times: int, share: float) -> None:
    found = evidence(dog=[at(1, length=length, times=times)]).score(1, 1)
    assert found.parts[TEXT] == pytest.approx(share * 1.9924301647)
    assert found.matched == {"dog"}
    assert found.covered == 1.0
    assert found.via is None


def test_several_words_add_up_and_what_is_missing_is_not_covered() -> None:
    both = evidence(dog=[at(1)], cat=[at(1), at(2, 2), at(3, 3)], bird=[])
    found = both.score(1, 1)
    assert found.parts[TEXT] == pytest.approx(1.9924301647 + 1.1451323043)
    asked = 1.9924301647 + 1.1451323043 + 3.0910424534
    assert both.asked == pytest.approx(asked)
    assert found.covered == pytest.approx((asked - 3.0910424534) / asked)
    assert found.matched == {"dog", "cat"}


def test_a_question_without_worth_covers_nothing() -> None:
    found = Evidence(messages=10, talks=1).score(1, 1)
    assert (found.total, found.covered, found.matched) == (0.0, 0.0, frozenset())


# neighbours


@pytest.mark.parametrize("distance", sorted(SHARES))
def test_a_word_counts_for_the_turns_around_it_by_their_distance(distance: int) -> None:
    asked = 20
    found = evidence(messages=40, dog=[at(asked + distance)]).score(asked, 1)
    assert found.parts[TEXT] == 0.0
    assert found.parts[LINK] == pytest.approx(SHARES[distance] * rarity(1, 40))
    assert found.via == asked + distance
    assert found.covered == 1.0
    assert found.matched == frozenset()


def test_beyond_the_table_a_word_counts_for_nobody() -> None:
    far = [min(SHARES) - 1, max(SHARES) + 1]
    for distance in far:
        found = evidence(messages=40, dog=[at(20 + distance)]).score(20, 1)
        assert (found.total, found.covered, found.via) == (0.0, 0.0, None)


def test_shares_shrink_with_the_distance_and_an_answer_gets_more_than_a_question() -> None:
    before = [share for _, share in sorted((-d, s) for d, s in SHARES.items() if d < 0)]
    after = [share for _, share in sorted((d, s) for d, s in SHARES.items() if d > 0)]
    assert before == sorted(before, reverse=True)
    assert after == sorted(after, reverse=True)
    assert all(earlier > later for earlier, later in zip(before, after, strict=False))
    assert all(0 < share < 1 for share in SHARES.values())


def test_nothing_spreads_from_one_conversation_into_another() -> None:
    found = evidence(dog=[at(4, first=1)], cat=[at(5, first=5)])
    assert found.score(5, 5).parts[LINK] == 0.0
    assert found.score(5, 5).matched == {"cat"}
    assert found.score(4, 1).parts[LINK] == 0.0
    assert found.score(3, 1).via == 4


def test_ones_own_word_beats_a_neighbours_share_of_it() -> None:
    found = evidence(dog=[at(2), at(3)])
    for message in (2, 3):
        assert found.score(message, 1).parts[LINK] == 0.0
        assert found.score(message, 1).via is None
    assert found.score(2, 1).total > found.score(4, 1).total


def test_of_several_neighbours_with_a_word_the_best_counts_alone() -> None:
    found = evidence(dog=[at(1), at(3)]).score(2, 1)
    assert found.parts[LINK] == pytest.approx(max(SHARES[-1], SHARES[1]) * rarity(2, 10))
    assert found.via == 1


def test_a_word_said_at_length_gains_only_what_a_terse_neighbour_adds() -> None:
    """Of a message's own word and its neighbours' the better one counts, never both."""
    terse, wordy = at(1, length=0, times=2), at(2, length=400)
    found = evidence(dog=[terse, wordy])
    own = 1.9 / (1 + 0.54 + 0.36 * 40) * rarity(2, 10)
    lent = SHARES[-1] * 3.8 / 2.54 * rarity(2, 10)
    assert found.score(2, 1).parts[TEXT] == pytest.approx(own)
    assert found.score(2, 1).parts[LINK] == pytest.approx(lent - own)
    assert found.score(2, 1).total - found.talk[1] == pytest.approx(lent)


def test_the_way_is_named_by_the_neighbour_that_gave_most() -> None:
    found = evidence(dog=[at(1)], cat=[at(3), at(6, 6), at(7, 7)]).score(2, 1)
    assert found.via == 1
    assert evidence(cat=[at(3), at(6, 6), at(7, 7)]).score(2, 1).via == 3


def test_without_its_own_words_a_message_has_what_is_around_it() -> None:
    found = evidence(dog=[at(1), at(2)])
    assert found.score(2, 1, own=False).parts[TEXT] == 0.0
    assert found.score(2, 1, own=False).matched == frozenset()
    assert found.score(2, 1, own=False).via == 1
    assert evidence(dog=[at(2)]).score(2, 1, own=False).total == 0.0


# conversations


def test_a_conversation_adds_less_the_more_often_it_says_the_word() -> None:
    one = evidence(talks=10, dog=[at(1)])
    two = evidence(talks=10, dog=[at(1), at(2)])
    assert one.talk[1] == pytest.approx(0.8 * 1.9924301647)  # 0.8 · rarity(1, 10) · 2.2 · 1/2.2
    assert two.talk[1] == pytest.approx(0.8 * 1.9924301647 * 2.2 * 2 / 3.2)
    assert one.score(1, 1).parts[TALKED] == one.talk[1]


def test_a_conversation_speaks_only_for_what_is_near_one_of_the_words() -> None:
    found = evidence(messages=60, dog=[at(1)])
    assert found.score(2, 1).parts[TALKED] > 0
    assert found.score(30, 1).parts[TALKED] == 0.0


def test_of_two_equal_messages_that_of_the_richer_conversation_is_better() -> None:
    found = evidence(talks=2, dog=[at(1), at(5, 5)], cat=[at(8, 5)])
    assert found.score(5, 5).total > found.score(1, 1).total
    assert found.best(2) == [8, 5]


def test_many_holders_that_were_not_all_read_are_spread_over_many_conversations() -> None:
    total = 50_000
    read = range(total - 20 * POSTINGS + 1, total, 20)  # every 20th message holds it
    assert len(read) == POSTINGS
    found = evidence(messages=total, talks=total // 10, dog=[at(m, first=m) for m in read])
    holding = int(POSTINGS * total / (total - read[0] + 1))
    assert holding == 2500
    assert found.worth["dog"] == pytest.approx(rarity(2500, total))
    assert found.talk[read[0]] == pytest.approx(0.8 * rarity(2500, total // 10))


def test_fewer_than_can_be_read_are_counted_as_they_are() -> None:
    where = [at(m, first=m) for m in range(1, POSTINGS)]
    assert evidence(messages=10**6, dog=where).worth["dog"] == rarity(POSTINGS - 1, 10**6)


# entry points


def test_the_best_are_those_with_most_words_the_newest_first_among_equals() -> None:
    found = evidence(messages=50, dog=[at(9, 9), at(5, 5), at(1)], cat=[at(5, 5)])
    assert found.best(10) == [5, 9, 1]
    assert found.best(1) == [5]
    assert found.best(0) == []


def test_around_a_message_are_those_to_whom_it_gives_most() -> None:
    near = evidence().around(20)
    assert near[0] == 20
    found = evidence(messages=40, dog=[at(20)])
    given = {m: found.score(m, 1).total for m in range(1, 41)}
    assert sorted(near) == [m for m in given if given[m] >= given[22]]  # which answers its answer


def test_terms_not_read_to_their_end_are_looked_up_together() -> None:
    often = [at(m, first=m) for m in range(1000, 1000 - POSTINGS, -1)]
    rare = {"owl": [at(3)], "ape": [at(4)], "elk": [at(5)]}
    found = evidence(messages=1000, dog=often, cat=often, **rare, none=[])
    assert found.rarest_pairs() == [("owl", "dog"), ("ape", "dog"), ("elk", "dog")]
    found.add_pair("owl", "dog", [at(3)[0]], AVERAGE)
    assert found.held(3).keys() == {"owl", "dog"}
    assert found.best(1) == [3]
    assert evidence(dog=[at(1)], cat=[at(1)]).rarest_pairs() == []


# joining lists


def test_places_in_two_lists_are_joined_by_rank() -> None:
    assert fused([(1.0, [7, 8]), (0.4, [8, 9])]) == {
        7: [1 / 10, 0.0],
        8: [1 / 11, 0.4 / 10],
        9: [0.0, 0.4 / 11],
    }


def test_empty_lists_give_nothing() -> None:
    assert fused([]) == fused([(1.0, []), (0.4, [])]) == {}


@given(st.lists(st.lists(st.integers(1, 40), unique=True), max_size=3))
def test_a_better_place_is_worth_more_and_every_entry_is_kept(lists: list[list[int]]) -> None:
    found = fused([(1.0, ranked) for ranked in lists])
    assert set(found) == {entry for ranked in lists for entry in ranked}
    for n, ranked in enumerate(lists):
        worth = [found[entry][n] for entry in ranked]
        assert worth == sorted(set(worth), reverse=True)
        assert all(places[n] == 0.0 for entry, places in found.items() if entry not in ranked)


# properties


@st.composite
def questions(draw: st.DrawFn) -> Evidence:
    """Any few terms in any places of up to three conversations of up to twelve messages."""
    found = Evidence(messages=36, talks=3)
    for term in range(draw(st.integers(1, 4))):
        places = draw(st.lists(st.integers(1, 36), unique=True, max_size=12))
        spots = [
            at(
                m,
                first=1 + (m - 1) // 12 * 12,
                length=draw(st.integers(0, 4095)),
                times=draw(st.integers(1, 2)),
            )
            for m in places
        ]
        add(found, str(term), spots, draw(st.floats(0.1, 4095)))
    return found


@settings(max_examples=200)
@given(questions())
def test_scores_are_finite_sums_of_parts_that_are_never_negative(found: Evidence) -> None:
    for message in range(1, 37):
        first = 1 + (message - 1) // 12 * 12
        score = found.score(message, first)
        assert all(0 <= part < math.inf for part in score.parts.values())
        assert score.total == pytest.approx(sum(score.parts.values()))
        assert -1e-9 <= score.covered <= 1 + 1e-9
        assert score.matched == set(found.held(message))
        assert score.parts[LINK] == 0 or score.via is not None
        assert score.via is None or first <= score.via < first + 12
        assert (score.total > 0) == (score.covered > 0)
        assert set(score.parts) <= {ranking.TEXT, ranking.LINK, ranking.TALKED}


@settings(max_examples=200)
@given(questions())
def test_weighing_gives_the_total_of_the_score(found: Evidence) -> None:
    for message in range(1, 37):
        score = found.score(message, 1 + (message - 1) // 12 * 12)
        weight = found.weigh(message, 1 + (message - 1) // 12 * 12)
        assert weight == pytest.approx((score.total, score.covered))


@settings(max_examples=200)
@given(questions())
def test_ones_own_words_never_count_against_one(found: Evidence) -> None:
    for message in range(1, 37):
        first = 1 + (message - 1) // 12 * 12
        with_own, without = found.score(message, first), found.score(message, first, own=False)
        assert with_own.total >= without.total - 1e-9
        assert with_own.covered >= without.covered - 1e-9
