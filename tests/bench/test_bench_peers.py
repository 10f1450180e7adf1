"""The comparison with other stores: small, with what is at hand, and without a network."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.peer_vectors import DIMENSIONS, Embedder
from bench.peer_words import messages, queries
from bench.peers import PEERS, Peer, Plan, chosen, run
from bench.rooms import NotMeasured, Room, install

ROWS = {peer.driver: peer for peer in PEERS}


def here(peer: Peer) -> Room:
    """The environment of the tests, which has none of the others."""
    if peer.driver == "chroma":
        raise NotMeasured("could not be installed: no network")
    return Room(Path(sys.executable), 1.0)


def small(*drivers: str) -> Plan:
    peers = tuple(ROWS[driver] for driver in drivers)
    return Plan(peers, (20, 50), chunk=20, queries=11, rounds=1, watched=0, room=here)


def rows(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]


def test_every_peer_has_a_row_of_figures_in_every_table() -> None:
    text, kept = run(small("ours_text", "bare_text"))
    assert kept
    adding, searching, weight = rows(text)[0:4], rows(text)[4:8], rows(text)[8:12]
    for table, width in ((adding, 6), (searching, 7), (weight, 5)):
        assert [row[0] for row in table[2:]] == [ROWS[d].title for d in ("ours_text", "bare_text")]
        assert all(len(row) == width for row in table)
    assert [row[-1] for row in adding[2:]] == ["50", "50"]
    assert all(cell.endswith("(1.00)") for cell in [*adding[2][1:4], *searching[2][1:5]])
    assert all("(" in cell for cell in [*adding[3][1:4], *searching[3][1:5], *weight[3][1:5]])
    assert all(int(row[-1].strip("%")) >= 80 for row in searching[2:])


def test_a_peer_that_cannot_be_measured_says_why_and_stops_nobody() -> None:
    gone = Peer("gone", "gone", "import no_package_of_this_name")
    plan = small("bare_text", "chroma")
    text, kept = run(replace(plan, peers=(*plan.peers, gone)))
    assert kept  # nothing of ours failed
    assert text.count("| not measured: could not be installed: no network | –") == 3
    assert text.count("| not measured: could not be imported: ModuleNotFoundError") == 3
    assert text.count("(1.00)") == 11


def test_a_driver_that_breaks_down_says_why() -> None:
    broken = Peer("broken", "no_such_driver", "import sys")
    text, _ = run(replace(small(), peers=(broken,)))
    assert "not measured: its driver ended: KeyError: 'no_such_driver'" in text


def test_without_our_own_figures_the_comparison_fails() -> None:
    broken = Peer("ours", "ours_no_more", "import sys")
    assert not run(replace(small(), peers=(broken,)))[1]


def test_a_failed_installation_is_a_reason_and_not_a_crash(tmp_path: Path) -> None:
    with pytest.raises(NotMeasured, match=r"could not be installed: \S+"):
        install(Path(sys.executable), (str(tmp_path / "nothing-here"),))


def test_a_slow_peer_stops_when_its_time_is_up() -> None:
    text, _ = run(replace(small("bare_text"), patience=0.0001))
    assert "| 1, then time was up |" in text


def test_only_the_drivers_named_are_compared() -> None:
    assert chosen(Plan(), "").peers == PEERS
    assert [p.driver for p in chosen(Plan(), "bare, ours").peers] == ["ours", "bare"]


def test_all_are_told_the_same_distinct_messages_in_two_languages() -> None:
    said = messages(500)
    assert said == messages(500)
    assert len({message.text for message in said}) == 500
    assert {message.tongue for message in said} == {"en", "zh"}
    assert messages(100) == said[:100]


def test_a_query_holds_three_words_of_the_message_it_looks_for() -> None:
    for query, source in queries(messages(50), 40):
        assert sum(word in source for word in query.split()) >= 3


@given(st.text())
def test_a_vector_has_length_one_whatever_the_text(text: str) -> None:
    (vector,) = Embedder().embed([text])
    assert len(vector) == DIMENSIONS
    assert math.hypot(*vector) == pytest.approx(1)
    assert vector == Embedder().vector(text)


def test_texts_that_share_words_are_nearer_than_texts_that_do_not() -> None:
    near, asked, far = Embedder().embed(["登录模块用 JWT", "登录模块", "the garden gate"])
    assert math.fsum(a * b for a, b in zip(near, asked, strict=True)) > 0.4
    assert abs(math.fsum(a * b for a, b in zip(far, asked, strict=True))) < 0.3
