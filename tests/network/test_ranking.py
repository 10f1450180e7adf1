"""Ranking: its numbers, worked out by hand, and what holds for all numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wangchuan.network import ranking
from wangchuan.network.ranking import (
    AHEAD,
    BACK,
    LINK,
    POSTINGS,
    REACH,
    TALKED,
    TEXT,
    Evidence,
    emphasis,
    evidence_for,
    leads,
    nearness,
    rarity,
    score_of,
)
from wangchuan.spots import spot

AVERAGE = 10.0
SHARES = {-1: BACK, -2: BACK**2, -3: BACK**3, 1: AHEAD, 2: AHEAD**2, 3: AHEAD**3}
Stands = tuple[int, int]  # a spot, and how often the term stands there


def at(message: int, first: int = 1, length: int = 10, times: int = 1) -> Stands:
    """A term in a message of ten terms in the first conversation, unless told otherwise."""
    return spot(message, message - first, length), times


def add(found: Evidence, term: str, where: list[Stands], average: float = AVERAGE) -> None:
    newest_first = sorted(where, reverse=True)
    twice = frozenset(s for s, times in where if times > 1)
    found.add(term, [s for s, _ in newest_first], twice, average)


def evidence(messages: int = 10, talks: int = 1, **terms: list[Stands]) -> Evidence:
    """What terms say that stand at the given spots, in messages of ten terms on average.

    Every message answers the one before, but the first of a conversation.
    """
    found = Evidence(messages=messages, talks=talks)
    firsts = {(s >> 18) - (s >> 12 & 63) for where in terms.values() for s, _ in where}
    found.answering = set(range(2, messages + 1)) - firsts
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


@pytest.mark.parametrize(("times", "more"), [(1, 1.0), (2, 1.6931471806), (10, 3.3025850930)])
def test_a_term_counts_more_the_more_often_it_is_named_but_ever_less_so(
    times: int, more: float
) -> None:
    assert emphasis("dog", times) == pytest.approx(more)
    assert emphasis("狗", times) == pytest.approx(more * ranking.CHARACTER)
    found = Evidence(messages=10, talks=1)
    found.add("dog", [at(1)[0]], (), AVERAGE, times)
    assert found.worth["dog"] == pytest.approx(more * rarity(1, 10))


# a message's own words (K1 = 0.9, B = 0.6)


@pytest.mark.parametrize(
    ("length", "times", "share"),
    [
        (10, 1, 1.0),  # 1.9 / (1 + 0.36 + 0.54): the average message gets the term's whole worth
        (20, 1, 0.7786885246),  # 1.9 / (1 + 0.36 + 1.08)
        (5, 1, 1.1656441718),  # 1.9 / (1 + 0.36 + 0.27)
        (10, 2, 1.3103448276),  # 3.8 / (2 + 0.36 + 0.54)
        (0, 1, 1.3970588235),  # 1.9 / 1.36
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


def test_beyond_their_reach_a_word_counts_for_nobody() -> None:
    for distance in (-REACH - 1, REACH + 1):
        found = evidence(messages=40, dog=[at(20 + distance)]).score(20, 1)
        assert (found.total, found.covered, found.via) == (0.0, 0.0, None)


def test_an_answer_gets_more_than_a_question_and_all_less_than_the_words_themselves() -> None:
    assert 0 < AHEAD < BACK < 1


def test_what_answers_nobody_and_is_not_answered_stands_alone() -> None:
    found = evidence(messages=40, talks=9, dog=[at(20)])
    found.answering.clear()
    assert found.score(21, 1).total == found.score(19, 1).total == 0.0
    assert found.score(20, 1).parts[LINK] == found.score(20, 1).parts[TALKED] == 0.0


def test_a_break_in_the_answers_ends_what_is_lent() -> None:
    found = evidence(messages=40, dog=[at(20)])
    found.answering.discard(22)  # which begins something new
    assert found.score(21, 1).parts[LINK] > 0
    assert found.score(22, 1).total == 0.0
    assert found.score(18, 1).parts[LINK] > 0


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
    own = 1.9 / (1 + 0.36 + 0.54 * 40) * rarity(2, 10)
    lent = SHARES[-1] * 3.8 / 2.36 * rarity(2, 10)
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
    assert one.talk[1] == pytest.approx(0.8 * 1.9924301647)  # 0.8 · rarity(1, 10) · 1.9 · 1/1.9
    assert two.talk[1] == pytest.approx(0.8 * 1.9924301647 * 1.9 * 2 / 2.9)
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


def test_among_the_best_are_those_whose_own_words_speak_most_whatever_was_said_around_them() -> (
    None
):
    talked = {"cat": [at(m, 10) for m in (11, 13, 15)], "owl": [at(12, 10)]}
    found = evidence(messages=60, talks=9, dog=[at(10, 10), at(40, 40)], ape=[at(40, 40)], **talked)
    assert 40 in found.best(1)


def test_no_best_are_asked_for() -> None:
    found = evidence(messages=50, dog=[at(9, 9)])
    assert found.best(0) == []


def test_terms_not_read_to_their_end_are_looked_up_together() -> None:
    often = [at(m, first=m) for m in range(1000, 1000 - POSTINGS, -1)]
    rare = {"owl": [at(3)], "ape": [at(4)], "elk": [at(5)]}
    found = evidence(messages=1000, dog=often, cat=often, **rare, none=[])
    assert found.rarest_pairs() == [("owl", "dog"), ("ape", "dog"), ("elk", "dog")]
    found.add_pair(("owl", "dog"), [at(3)[0]], AVERAGE)
    assert found.held(3).keys() == {"owl", "dog"}
    assert found.best(1) == [3]
    assert evidence(dog=[at(1)], cat=[at(1)]).rarest_pairs() == []


def test_halves_of_one_word_are_not_looked_up_together_and_stand_where_it_stands() -> None:
    often = [at(m, first=m) for m in range(1000, 1000 - POSTINGS, -1)]
    found = evidence(messages=1000, 自行车=often, 自行=often, 行车=often, 周三=often)
    assert found.rarest_pairs() == [("自行车", "周三")]
    found.add_pair(("自行车", "周三"), [at(3)[0]], AVERAGE)
    assert found.held(3).keys() == {"自行车", "自行", "行车", "周三"}


# what leads on from the first answers


def test_words_of_the_first_answers_lead_on_by_what_speaks_for_these() -> None:
    found = leads([(3.0, ["uncle", "phone"]), (1.0, ["uncle", "boat", "boat"])], {"phone"})
    assert found == {"uncle": 1.0, "boat": 0.25}
    assert leads([], set()) == {}


# meaning


def test_nearness_runs_from_the_first_of_a_list_to_its_last() -> None:
    assert nearness([(7, 0.9), (3, 0.6), (5, 0.3)]) == pytest.approx({7: 1.0, 3: 0.5, 5: 0.0})
    assert nearness([(7, 0.5)]) == {7: 1.0}
    assert nearness([]) == {}


# scores


@pytest.mark.parametrize(
    ("evidence", "asked", "score"),
    [
        (0.0, 0.0, 0.0),
        (5.0, 25.0, 0.5),  # the square root of what is asked
        (25.0, 25.0, 0.9615384615),
        (1.0, 25.0, 0.0384615385),  # a common word of a long question
        (0.1, 0.1, 0.5),  # all of a question that asks for little
    ],
)
def test_a_score_says_how_much_speaks_for_an_answer(
    evidence: float, asked: float, score: float
) -> None:
    assert score_of(evidence, asked) == pytest.approx(score)


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_scores_lie_between_0_and_1_and_more_evidence_is_never_worth_less(
    less: float, more: float, asked: float
) -> None:
    less, more = sorted((less, more))
    assert 0 <= score_of(less, asked) <= score_of(more, asked) <= 1


@given(st.floats(0.01, 0.99), st.floats(1e-3, 1e6))
def test_evidence_can_be_told_from_a_score(score: float, asked: float) -> None:
    assert score_of(evidence_for(score, asked), asked) == pytest.approx(score)


# properties


@st.composite
def questions(draw: st.DrawFn) -> Evidence:
    """Any few terms in any places of up to three conversations of up to twelve messages."""
    found = Evidence(messages=36, talks=3)
    found.answering = draw(st.sets(st.sampled_from([m for m in range(1, 37) if m % 12 != 1])))
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
