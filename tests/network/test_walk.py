"""Best-first search: the graphs of SPEC C7, and equality with breadth-first search."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.network.walk import walk

Graph = dict[int, list[tuple[int, float]]]
F1, F2, A, B, C, D, E, G, X = range(1, 10)
G1: Graph = {
    F1: [(A, 0.9), (B, 0.5)],
    F2: [(E, 0.9), (B, 0.6)],
    A: [(C, 0.9), (B, 0.8)],
    B: [(D, 0.9)],
    C: [(X, 1.0)],
    E: [(G, 0.4)],
}


def found(graph: Graph, seeds: Sequence[int], depth: int) -> list[tuple[int, float]]:
    visits = walk(seeds, lambda n: graph.get(n, ()), depth)
    return [(visit.node, pytest.approx(visit.strength)) for visit in visits]


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (0, [(F1, 1), (F2, 1)]),
        (1, [(F1, 1), (F2, 1), (A, 0.9), (E, 0.9), (B, 0.6)]),
        (
            2,
            [(F1, 1), (F2, 1), (A, 0.9), (E, 0.9), (C, 0.81), (B, 0.72), (D, 0.54), (G, 0.36)],
        ),
        (
            3,
            [
                *[(F1, 1), (F2, 1), (A, 0.9), (E, 0.9), (C, 0.81), (X, 0.81)],
                *[(B, 0.72), (D, 0.648), (G, 0.36)],
            ],
        ),
    ],
)
def test_the_strongest_path_is_taken_first(depth: int, expected: list[tuple[int, float]]) -> None:
    assert found(G1, [F1, F2], depth) == expected


def test_a_strong_but_long_path_does_not_hide_what_lies_behind_a_short_one() -> None:
    trap: Graph = {F1: [(A, 0.9), (B, 0.5)], A: [(B, 0.9)], B: [(C, 0.9)]}
    assert found(trap, [F1], 2) == [(F1, 1), (A, 0.9), (B, 0.81), (C, 0.45)]


def test_a_circle_ends() -> None:
    circle: Graph = {A: [(B, 0.9)], B: [(C, 0.9)], C: [(A, 0.9)]}
    assert found(circle, [A], 10**9) == [(A, 1), (B, 0.9), (C, 0.81)]


def test_a_tie_goes_to_the_newer_focus() -> None:
    tie: Graph = {F1: [(D, 0.7)], F2: [(C, 0.7)]}
    assert [node for node, _ in found(tie, [F1, F2], 1)] == [F1, F2, D, C]


def test_a_link_to_itself_changes_nothing() -> None:
    assert found({A: [(A, 1.0), (B, 0.5)]}, [A], 3) == [(A, 1), (B, 0.5)]


def test_seeds_can_be_left_out_unless_a_link_leads_to_them() -> None:
    graph: Graph = {A: [(B, 0.5)], B: [(A, 0.5)]}
    visits = list(walk([A], lambda n: graph.get(n, ()), 2, yield_seeds=False))
    assert [(v.node, v.strength, v.path) for v in visits] == [
        (B, 0.5, (A, B)),
        (A, 0.25, (A, B, A)),
    ]


def test_long_weak_chains_do_not_underflow_into_loss() -> None:
    chain: Graph = {n: [(n + 1, 1e-300)] for n in range(1, 12)}
    assert [node for node, _ in found(chain, [1], 10)] == list(range(1, 12))


edges = st.tuples(st.integers(0, 11), st.integers(0, 11), st.floats(0.01, 1))
graphs = st.lists(edges, max_size=50)


def breadth_first(graph: Graph, seeds: Sequence[int], depth: int) -> set[int]:
    reached, edge = set(seeds), set(seeds)
    for _ in range(depth):
        edge = {target for n in edge for target, _ in graph.get(n, ())} - reached
        reached |= edge
    return reached


@given(graphs, st.lists(st.integers(0, 11), min_size=1, max_size=4, unique=True), st.integers(0, 6))
def test_the_set_found_is_that_of_breadth_first_search(
    links: list[tuple[int, int, float]], seeds: list[int], depth: int
) -> None:
    graph: Graph = {}
    for source, target, strength in links:
        graph.setdefault(source, []).append((target, strength))
    expansions: dict[int, int] = {}

    def neighbours(n: int) -> list[tuple[int, float]]:
        expansions[n] = expansions.get(n, 0) + 1
        return graph.get(n, [])

    visits = list(walk(seeds, neighbours, depth))
    nodes = [visit.node for visit in visits]
    assert len(nodes) == len(set(nodes))
    assert set(nodes) == breadth_first(graph, seeds, depth)
    assert all(a.strength >= b.strength for a, b in pairwise(visits))
    assert all(count <= depth for count in expansions.values())
