"""Facts learned by a real, small language model: a correction, in both languages.

The model is poor (see `test_real_model.py`). What it answers that nothing bears out is not
learned, and after its retries the rules take its place; so the new fact answers all the same.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from stage import run_passes

from wangchuan import Memory
from wangchuan.routines.grounding import plain, share_within

pytest.importorskip("xllamacpp", reason="the real model is not installed")
pytestmark = pytest.mark.skipif(
    not os.environ.get("TEST_MODEL"), reason="`./run test-model` tells the whole story"
)

DIALOGUES = {
    "en": (
        "I live in Berlin.",
        "Actually I moved to Lisbon last week.",
        "Where do I live?",
        "Berlin",
        "Lisbon",
    ),
    "zh": ("我住在北京。", "我搬家了，我现在住在上海。", "我住在哪里？", "北京", "上海"),
}


def open_memory(url: str, root: Path) -> Memory:
    values: dict[str, Any] = {"model_url": url, "model_name": "smollm2", "max_retries": 0}
    return Memory.open("a", root=root, settings={**values, "durability": "normal"})


def assert_corrected(memory: Memory, tongue: str) -> None:
    first, correction, question, old, new = DIALOGUES[tongue]
    facts = memory.facts(question)
    assert facts, [fact.text for fact in memory.facts()]
    assert new in facts[0].text
    assert not [fact.text for fact in memory.facts() if old in fact.text]
    history = [fact.text for fact in memory.facts.history(facts[0].id)]
    assert new in history[0]
    assert old in history[1]
    for fact in memory.facts():
        assert share_within(fact.text, plain(f"{first} {correction} The user lives 用户")) >= 0.6
    assert new in memory.context(question).result(30)
    assert memory.stats().usage["observe"].calls >= 2
    assert memory.look.faults() == []


@pytest.mark.parametrize("tongue", sorted(DIALOGUES))
def test_a_correction_holds_after_ten_passes_and_a_restart(
    url: str, tmp_path: Path, tongue: str
) -> None:
    first, correction, *_ = DIALOGUES[tongue]
    with open_memory(url, tmp_path) as memory:
        for said in (first, correction):
            memory.remember({"role": "user", "content": said}).result(300)
            assert memory.flush(300)
        assert_corrected(memory, tongue)
        run_passes(memory, 10, patience=600)
        assert memory.flush(600)
        assert_corrected(memory, tongue)
    with open_memory(url, tmp_path) as memory:
        assert_corrected(memory, tongue)
