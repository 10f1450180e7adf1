"""Bundles of links: whatever is put in comes out, in few bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.errors import StorageError
from wangchuan.storage.compact import RELATIONS
from wangchuan.storage.sqlite import bundles
from wangchuan.storage.sqlite.bundles import Tie

NAMES = st.one_of(st.none(), st.sampled_from(RELATIONS), st.text(max_size=8))
STRENGTHS = st.one_of(st.sampled_from((1.0, 0.5, 0.0)), st.floats(0, 1))
SCANS = st.one_of(st.just(0), st.integers(0, 1 << 40))
TIES = st.builds(Tie, st.integers(1, (1 << 63) - 1), STRENGTHS, SCANS, NAMES)
BUNDLES = st.lists(TIES, unique_by=lambda tie: tie.target, max_size=12)


def by_target(ties: list[Tie]) -> dict[int, Tie]:
    return {tie.target: tie for tie in ties}


@given(BUNDLES)
def test_links_come_out_by_target_as_they_went_in(ties: list[Tie]) -> None:
    bundle = bundles.bundled(ties)
    assert bundles.ties_of(bundle) == sorted(ties)
    assert [Tie(*tie) for tie in json.loads(bundles.told(bundle))] == sorted(ties)
    assert bundles.size(bundle) == len(ties)


@given(BUNDLES, BUNDLES)
def test_links_are_added_and_revived_by_the_name_they_had(old: list[Tie], new: list[Tie]) -> None:
    known = by_target(old)
    wanted = known | {
        tie.target: tie._replace(relation=known.get(tie.target, tie).relation) for tie in new
    }
    at_once = bundles.tied(bundles.bundled(old), json.dumps(new))
    assert by_target(bundles.ties_of(at_once)) == wanted
    one_by_one = bundles.bundled(old)
    for tie in new:
        one_by_one = bundles.tied(one_by_one, json.dumps([tie]))
    assert one_by_one == at_once


@given(BUNDLES, TIES)
def test_a_link_is_found_and_taken_out(ties: list[Tie], tie: Tie) -> None:
    others = [one for one in ties if one.target != tie.target]
    bundle = bundles.tied(bundles.bundled(others), json.dumps([tie]))
    assert bundles.leads_to(bundle, tie.target)
    left = bundles.left(bundle, tie.target, tie.at_scan + 2, 0.5)
    assert left == (tie.strength * 0.5**2 if tie.strength else None)
    without = bundles.untied(bundle, tie.target)
    assert without == bundles.bundled(others)
    assert not bundles.leads_to(without, tie.target)
    assert bundles.left(without, tie.target, 0, 0.5) is None


def test_what_is_usual_takes_two_bytes() -> None:
    usual = [Tie(9000 + n, 1.0, 0, "mention") for n in range(12)]
    assert len(bundles.bundled(usual)) <= 2 * 12 + 4


DAMAGED = [b"", b"\x02\x05\x05\x0c", b"\x01\x05\x05\xff", b"\x81", None, "text", 7, 0.5]


@pytest.mark.parametrize("read", [bundles.told, lambda bundle: bundles.leads_to(bundle, 10**6)])
@pytest.mark.parametrize("damaged", DAMAGED)
def test_damage_is_told(damaged: Any, read: Callable[[bytes], object]) -> None:
    with pytest.raises(StorageError, match="damaged"):
        read(damaged)


@pytest.mark.parametrize("damaged", [None, "text", 7, 0.5])
def test_a_number_of_links_is_not_read_from_what_is_no_bundle(damaged: Any) -> None:
    with pytest.raises(StorageError, match="damaged"):
        bundles.size(damaged)
