"""A real, small language model on the CPU, served over real HTTP with JSON-schema decoding.

SmolLM2-135M obeys the schema and talks nonsense, in Chinese above all: the model to prove that
nothing is lost, nothing invented gets in, and every degradation works. `./run test` makes one
round trip with it, `./run test-model` tells the whole story in both languages.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from stage import run_passes

from wangchuan import Memory
from wangchuan.models.http import HTTPModel
from wangchuan.models.probe import probe
from wangchuan.routines.grounding import plain, share_within

pytest.importorskip("xllamacpp", reason="the real model is not installed")
whole_story = pytest.mark.skipif(
    not os.environ.get("TEST_MODEL"), reason="`./run test-model` tells the whole story"
)

TALKS = {
    "en": [
        "Anna moved to Berlin last spring and works at a small bank near the river.",
        "Her cat Olive is afraid of the vacuum cleaner and hides under the blue sofa.",
        "We decided to use JWT for the login module, and tokens expire after fifteen minutes.",
        "The harbour office opens at nine, but the ferry already leaves at half past eight.",
        "Peter promised to send the invoice for the garden shed before the end of the month.",
        "My sister teaches physics in Lyon and rides her old green bicycle to school.",
        "The kitchen light flickers whenever the washing machine starts its last cycle.",
    ],
    "zh": [
        "小安去年春天搬到了柏林，现在在河边的一家小银行上班。",
        "她的猫叫年糕，特别怕吸尘器，一听到声音就躲到蓝色沙发下面。",
        "我们决定登录模块用令牌方案，访问令牌十五分钟之后过期。",
        "港口办公室九点开门，可是渡船八点半就已经开走了。",
        "彼得答应在月底之前把花园棚子的发票寄过来。",
        "我妹妹在里昂教物理，每天骑一辆旧的绿色自行车去学校。",
        "洗衣机开始最后一次脱水的时候，厨房的灯总是一闪一闪的。",
    ],
}


def open_memory(url: str, root: Path, **more: Any) -> Memory:
    values = {"model_url": url, "model_name": "smollm2", "max_retries": 0, "durability": "normal"}
    return Memory.open("a", root=root, settings={**values, **more})


def assert_nothing_invented(memory: Memory, said: str) -> None:
    with memory._agent.store() as store, store.read() as tx:
        records = [*tx.nodes.alive(tx.passes()), *tx.trash.nodes(tx.passes())]
    assert records
    for record in records:
        assert share_within(record.original, plain(said)) >= 0.7, record.original
    for node in memory.nodes():
        assert share_within(node.content, plain(said)) >= 0.6 or len(node.content) < 5


def test_one_round_trip(url: str, tmp_path: Path) -> None:
    said = TALKS["en"][0]
    with open_memory(url, tmp_path, learn=False) as memory:
        assert memory.remember({"role": "user", "content": said, "id": "m1"}).result(600)
        assert "Berlin" in memory.recall(["berlin"]).result(600)
        assert memory.stats().usage["digest"].calls >= 1
        assert memory.stats().usage["digest"].completion_tokens > 0
        assert_nothing_invented(memory, said)
        assert memory.look.faults() == []


@whole_story
def test_the_probe_says_that_it_obeys_a_schema(url: str) -> None:
    model = HTTPModel(url, "smollm2")
    found = probe(model)
    model.close()
    assert found.reachable
    assert found.obeys_schema
    assert found.form == "json_schema"
    assert found.tokens_per_second is not None
    assert "will be used" in found.verdict


@whole_story
@pytest.mark.parametrize("tongue", sorted(TALKS))
def test_the_whole_story(url: str, tmp_path: Path, tongue: str) -> None:
    talk = TALKS[tongue]
    with open_memory(url, tmp_path) as memory:
        messages = [{"role": "user", "content": text, "id": f"m{i}"} for i, text in enumerate(talk)]
        assert len(memory.remember(messages).result(300)) >= len(talk)
        memory.remember(talk[0]).result(300)
        word = "Berlin" if tongue == "en" else "柏林"
        assert word in memory.recall([word], depth=3).result(600)
        run_passes_patiently(memory, 6)
        usage = memory.stats().usage
        assert usage["digest"].calls >= 2
        assert usage["compress"].calls >= 1
        assert any(len(n.content) < n.original_length for n in memory.nodes())
        assert_nothing_invented(memory, "\n".join(talk))
        sources = {source for node in memory.nodes() for source in node.sources}
        assert {f"m{i}" for i in range(2, 7)} <= sources
        assert memory.stats().pending == memory.stats().failed == 0
        assert memory.look.faults() == []


def run_passes_patiently(memory: Memory, count: int) -> None:
    for _ in range(count):
        assert memory.flush(300)
        run_passes(memory, 1, patience=300)
