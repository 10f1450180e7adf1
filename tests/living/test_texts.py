"""What a reader is shown of a memory as time goes by, with a model and without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stage import PATIENCE, LineModel, run_passes

from wangchuan import Memory
from wangchuan.errors import NotFound, UnusableAnswer
from wangchuan.language.fit import fit
from wangchuan.living.lens import shortened
from wangchuan.models.offline import OfflineModel
from wangchuan.routines import compress

Open = Callable[..., Memory]
SAID = [
    "昨天讨论了用户系统的登录模块设计，张伟认为方案太复杂，最后决定采用JWT方案。",
    "My doctor told me to eat less salt because my blood pressure is too high this year.",
    "如果周六下雨，烧烤就改到下个星期天，地点不变，记得通知王芳和李雷。",
    "The new site goes live on 17 March, right after the security audit is finished.",
    "客户要求周三之前把报价单发过去，金额不能超过二十八万，合同由刘洋保管。",
    "Tom is moving from Leeds to Edinburgh in September because his wife got a job there.",
    "医生让我爸爸少吃盐，每天最多五克，不然血压降不下来。",
]

EVERY: dict[str, Any] = {"strategy": "every"}  # so that a few passes show much


class Writer(LineModel):
    """A model that writes its own short texts, told from offline cuts by a mark."""

    extractive = False

    def _compress(self, data: Any) -> dict[str, Any]:
        asked = [(item["text"].removesuffix("~"), item["length"] - 1) for item in data["texts"]]
        texts = [fit(text, length) + "~" for text, length in asked]
        return {"texts": [{"content": t, "phrase": t[:20], "keywords": []} for t in texts]}


def words_of(text: str) -> list[str]:
    return [char for char in text if char.isalnum()]


def is_part(small: str, large: str) -> bool:
    rest = iter(words_of(large))
    return all(char in rest for char in words_of(small))


@pytest.mark.parametrize("model", [OfflineModel, Writer])
def test_what_is_shown_never_grows_again(open_memory: Open, model: Callable[[], Any]) -> None:
    memory = open_memory(model=model(), decay_rate=0.9, focus_limit=1, learn=False, **EVERY)
    for said in SAID:
        memory.remember(said).result(PATIENCE)
    shown = {node.id: node.content for node in memory.nodes()}
    faded = 0
    for _ in range(30):
        run_passes(memory, 1)
        for node in memory.nodes():
            before = shown[node.id]
            assert len(node.content) <= len(before)
            assert is_part(node.content, before)
            faded += node.content != before
            shown[node.id] = node.content
    assert faded > len(SAID)


def test_what_is_left_can_be_read_to_the_end_and_in_the_trash(open_memory: Open) -> None:
    memory = open_memory(decay_rate=0.9, focus_limit=1, learn=False, **EVERY)
    for said in (
        "I never watched 《深夜加油站的客人》.",
        *SAID,
        "Congratulations, Tom!",
        "Good night",
    ):
        memory.remember(said).result(PATIENCE)
    for _ in range(60):
        run_passes(memory, 1)
        assert "…" not in {node.content for node in memory.nodes()}
    gone = memory.look.forgotten()
    assert gone
    assert "…" not in {one.node.content for one in gone}


def test_a_text_that_comes_late_is_no_longer_than_what_is_left_by_then(open_memory: Open) -> None:
    memory = open_memory(decay_rate=0.9, focus_limit=1, learn=False, **EVERY)
    for said in SAID:
        memory.remember(said).result(PATIENCE)
    assert memory.flush(PATIENCE)
    sweep, late = memory._agent.living.sweep, 0
    with memory._agent.lane._turning, memory._agent.store() as store:  # nobody else sweeps
        for _ in range(20):
            with store.write() as tx:
                memory._agent.living.schedule.make_pass(tx)
                asked = sweep.due(tx, tx.passes(), 100)
            with store.write() as tx:
                for _ in range(3):
                    tx.advance()  # while the answer is on its way
                left = {r.n: sweep.lens.length(tx, r, tx.passes()) for r, _, _ in asked}
                for record, text, limit in asked:
                    sweep._replace_text(tx, record, shortened(text, limit))
                alive = [r for n in left if (r := tx.nodes.get(n)) and r.is_alive(tx.passes())]
                late += len(alive)
                assert all(len(record.text) <= left[record.n] for record in alive)
    assert late > 5


def test_what_a_model_wrote_is_shown_until_it_writes_less(open_memory: Open) -> None:
    model = Writer()
    memory = open_memory(model=model, decay_rate=0.9, focus_limit=1, learn=False, **EVERY)
    for said in SAID:
        memory.remember(said).result(PATIENCE)
    for _ in range(30):
        run_passes(memory, 1)
        for node in memory.nodes():
            assert node.content in SAID or node.content.endswith("~")
    assert model.asked.count("compress") < 30


def test_a_text_that_a_model_wrote_is_not_undone_by_cutting_the_whole(open_memory: Open) -> None:
    memory = open_memory("one", model=Writer(), decay_rate=0.9, focus_limit=1, learn=False, **EVERY)
    for said in SAID:
        memory.remember(said).result(PATIENCE)
    run_passes(memory, 10)
    shown = {node.id: node.content for node in memory.nodes()}
    assert any(text.endswith("~") for text in shown.values())
    memory.close()
    again = open_memory(
        "one", model=OfflineModel(), decay_rate=0.9, focus_limit=1, learn=False, **EVERY
    )
    for _ in range(8):
        run_passes(again, 1)
        for node in again.nodes():
            assert is_part(node.content, shown[node.id])
            shown[node.id] = node.content


JOBS: list[compress.Job] = [(text, len(text) // 2, ()) for text in SAID]
WHOLE = [{"n": n, "content": text[:12]} for n, text in enumerate(SAID, 1)]


@given(st.sets(st.integers(0, len(SAID) - 1), max_size=len(SAID) - 1), st.booleans())
@settings(max_examples=40, deadline=None)
def test_an_answer_keeps_what_it_has(lost: set[int], numbered: bool) -> None:
    left = [dict(item) for n, item in enumerate(WHOLE) if n not in lost]
    for item in left:
        if not numbered:
            del item["n"]
    found = compress.read({"texts": left}, JOBS)
    assert [n for n, short in enumerate(found) if short is None] == sorted(lost)
    assert all(short is None or SAID[n].startswith(short[0]) for n, short in enumerate(found))


def test_an_answer_without_any_text_is_no_use() -> None:
    with pytest.raises(UnusableAnswer):
        compress.read({"texts": []}, JOBS)


class Forgetful(Writer):
    """A model that loses the last text of every question of more than two."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def _compress(self, data: Any) -> dict[str, Any]:
        self.sizes.append(len(data["texts"]))
        answer = super()._compress(data)
        return {"texts": answer["texts"][: max(2, len(data["texts"]) - 1)]}


def test_what_a_model_left_out_is_asked_again_in_smaller_groups(open_memory: Open) -> None:
    model = Forgetful()
    memory = open_memory(model=model, decay_rate=0.9, focus_limit=1, learn=False, **EVERY)
    said = "\n".join(f"{n} {SAID[n % len(SAID)]}" for n in range(20))
    memory.remember(said).result(PATIENCE)
    run_passes(memory, 12)
    assert memory.flush(PATIENCE)
    assert max(model.sizes) <= compress.AT_ONCE
    faded = [node.content for node in memory.nodes() if node.content not in said]
    assert len(faded) >= 15
    assert all(text.endswith("~") for text in faded)  # none was cut offline
    assert len(model.sizes) <= 20


@pytest.mark.parametrize("model", [OfflineModel, Writer])
def test_a_faded_memory_is_restored_whole_and_that_is_undone(
    open_memory: Open, model: Callable[[], Any]
) -> None:
    memory = open_memory(model=model(), decay_rate=0.9, focus_limit=1, learn=False, **EVERY)
    for said in SAID:
        memory.remember(said).result(PATIENCE)
    run_passes(memory, 8)
    faded = next(node for node in memory.nodes() if len(node.content) < node.original_length)
    back = memory.restore(faded.id)
    assert back.content == SAID[int(faded.id[4:]) - 1]
    run_passes(memory, 1)
    assert memory.look.node(faded.id) == replace(back, scan_count=back.scan_count + 1)
    replayed = memory.history.replay()
    assert (replayed.differences, replayed.gaps, replayed.skipped) == ((), (), 0)
    assert memory.look.faults() == []
    memory.undo(next(c.seq for c in memory.history(faded.id) if c.kind == "restored"))
    gone_back = memory.look.node(faded.id)
    assert gone_back is not None
    assert is_part(gone_back.content, faded.content)
    assert memory.history.replay().differences == ()


def test_a_memory_of_which_nothing_is_lost_is_not_restored(open_memory: Open) -> None:
    memory = open_memory(model=OfflineModel(), learn=False)
    (whole,) = memory.remember(SAID[0]).result(PATIENCE)
    with pytest.raises(NotFound, match="whole"):
        memory.restore(whole)


def test_what_is_in_focus_stays_there_when_it_is_restored(open_memory: Open) -> None:
    memory = open_memory(model=OfflineModel(), decay_rate=0.9, focus_limit=1, learn=False, **EVERY)
    for said in SAID:
        memory.remember(said).result(PATIENCE)
    held = memory.look.focus()[0].id
    assert memory.look.node(held)
    run_passes(memory, 8)
    faded = next(node for node in memory.nodes() if len(node.content) < node.original_length)
    memory.restore(faded.id)
    assert [node.id for node in memory.look.focus()] == [held]
