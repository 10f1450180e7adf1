"""The same engine in a cell of PostgreSQL: the same inputs give the same memory."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from meanings import Concepts
from stage import PATIENCE, FakeClock

from wangchuan import Host

TALK = [
    ("user", "I live in Hangzhou and my dog is called Milo."),
    ("assistant", "Milo sounds lovely. What breed is he?"),
    ("user", "我们决定登录模块用 JWT,不再用 session。"),
    ("user", "Milo is a corgi. He hates the vacuum cleaner, and loves the green ball."),
    ("user", "明天下午三点和小王开会,讨论数据库迁移。"),
    ("user", "My sister Ann moved to Berlin in March 2024 and works at a bakery there."),
    ("assistant", "好的,我记住了:会议是明天下午三点。"),
    ("user", "Actually I moved: I live in Shanghai now."),
    ("user", "猫咪昨天把花瓶打碎了。 zero:\0 end"),
    ("user", "The deploy key rotates every 90 days; the budget for Q3 is 12,500 euros."),
]
QUESTIONS = ["Where do I live?", "Milo corgi", "登录 JWT", "小王 会议", "猫", "Ann bakery Berlin",
             "budget Q3", "nothing of the kind"]  # fmt: skip


def live(host: Host, clock: FakeClock) -> dict[str, Any]:
    """Lead the same life in any store; return what comes of it."""
    seen: dict[str, Any] = {}
    with host.open("agent_001") as memory:
        for turn, (role, content) in enumerate(TALK * 3):
            said = {"role": role, "content": content, "name": "Ann" if turn % 7 == 3 else None}
            memory.remember([said])
            assert memory.flush(PATIENCE)
            clock.now += 3600 * 5
        seen["recall"] = memory.recall(["Milo"]).result(PATIENCE)
        seen["hits"] = {q: [(h.node.id, h.score) for h in memory.search(q).result(PATIENCE)]
                        for q in QUESTIONS}  # fmt: skip
        seen["context"] = memory.context("Where do I live?").result(PATIENCE)
        gone = memory.nodes()[2].id
        memory.forget(gone)
        memory.restore(gone)
        memory.forget(memory.nodes()[4].id)
        memory.undo(memory.history.latest(1)[0].seq)
        clock.now += 86400 * 9
        memory.tick()
        assert memory.flush(PATIENCE)
        receipt = memory.erase(memory.nodes()[1].id)
        seen["erased"] = (receipt.nodes, receipt.messages, receipt.removed, receipt.remains)
        assert memory.flush(PATIENCE)
        seen["stats"] = {k: v for k, v in vars_of(memory.stats()).items() if k != "bytes"}
        replayed = memory.history.replay()
        seen["replay"] = repr(replayed)
        out = io.BytesIO()
        memory.export(out)
        seen["export"] = out.getvalue()
        assert memory.look.faults() == []
    return seen


def vars_of(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}


@pytest.fixture
def hosts(tmp_path: Path, cell: str) -> Iterator[Callable[[str], tuple[Host, FakeClock]]]:
    opened: list[Host] = []

    def open_at(store: str, **more: Any) -> tuple[Host, FakeClock]:
        clock = FakeClock()
        place = cell if store == "cell" else tmp_path / store
        opened.append(Host(place, clock=clock, seed=7, **more))
        return opened[-1], clock

    yield open_at
    for host in opened:
        for agent in host.agents() if host.settings.store else ():
            host.erase(agent)
        host.close()


def test_the_same_life_leaves_the_same_memory_in_a_folder_and_in_a_cell(
    hosts: Callable[[str], tuple[Host, FakeClock]],
) -> None:
    in_folder, in_cell = live(*hosts("folder")), live(*hosts("cell"))
    assert in_cell["export"] == in_folder["export"]
    assert in_cell == in_folder


NEAR = ["automobile", "Has he a hound?", "我要看大夫", "his wage", "puppy vacuum", "nothing of it"]


def found_by_meaning(host: Host) -> list[list[Any]]:
    with host.open("agent_001") as memory:
        for n, (role, content) in enumerate(TALK):
            more = ("My car is red.", "The doctor called.", "My salary rose.")[n % 3]
            memory.remember([{"role": role, "content": f"{content} {more}"}])
            assert memory.flush(PATIENCE)
        questions = [q for pair in zip(NEAR, QUESTIONS, strict=False) for q in pair]
        hits = [memory.search(q).result(PATIENCE) for q in questions]
    return [[(h.node.id, round(h.score, 5), sorted(h.terms)) for h in found] for found in hits]


def test_what_is_near_in_meaning_is_found_alike_in_a_folder_and_in_a_cell(
    hosts: Callable[..., tuple[Host, FakeClock]],
) -> None:
    in_folder, in_cell = (
        found_by_meaning(hosts(store, embedder=Concepts())[0]) for store in ("folder", "cell")
    )
    assert in_cell == in_folder
    assert any("vector" in terms for found in in_cell for _, _, terms in found)


class Nonsense(Concepts):
    """Answers a question with no vector."""

    def embed(self, texts: Sequence[str]) -> Any:
        return ["x"] if len(texts) == 1 else super().embed(texts)


def test_an_embedder_that_answers_nonsense_leaves_the_search_by_words(
    hosts: Callable[..., tuple[Host, FakeClock]],
) -> None:
    with hosts("cell", embedder=Nonsense())[0].open("agent_001") as memory:
        memory.remember(["My puppy chewed the sofa.", "I bought a car in March."])
        assert memory.flush(PATIENCE)
        hits = memory.search("sofa").result(PATIENCE)
    assert hits[0].text == "My puppy chewed the sofa."
