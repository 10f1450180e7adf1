"""The observer and the block with a real, small language model, in both languages.

The model is poor (see `test_real_model.py`): whatever it answers, what was told stands in the block
of who asks for it, with who said it; what holds now stands before what it replaced; and nobody is
told anything of what was never said.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from wangchuan import Memory
from wangchuan.routines.grounding import plain, share_within

pytest.importorskip("xllamacpp", reason="the real model is not installed")
pytestmark = pytest.mark.skipif(
    not os.environ.get("TEST_MODEL"), reason="`./run test-model` tells the whole story"
)

TALKS: dict[str, dict[str, Any]] = {
    "en": {
        "said": [
            ("My name is Oswin and I repair church organs.", "A rare trade!"),
            ("My sister Hedwig lives in Tartu, her birthday is 9 August.", "Far away."),
            ("The inspection of the organ in Selm is on 12 May.", "I will remind you."),
            ("They have postponed the inspection in Selm to 26 May.", "Two more weeks."),
        ],
        "asked": [
            ("What is my name?", "Oswin"),
            ("Where does my sister live?", "Tartu"),
            ("When is the inspection in Selm?", "26 May"),
        ],
        "never": "Which submarine did Gustavo paint?",
        "replaced": ("When is the inspection in Selm?", "26 May", "12 May"),
    },
    "zh": {
        "said": [
            ("我叫顾盼，是修钟表的。", "难得的手艺。"),
            ("我姐姐在敦化开面馆，生日是八月九号。", "有空去尝尝。"),
            ("钟楼的验收定在五月十二号。", "我会提醒你。"),
            ("钟楼的验收推迟到五月二十六号了。", "多了两周。"),
        ],
        "asked": [
            ("我叫什么名字？", "顾盼"),
            ("我姐姐在哪里开面馆？", "敦化"),
            ("钟楼的验收是哪天？", "二十六号"),
        ],
        "never": "潜水艇是谁刷的漆？",
        "replaced": ("钟楼的验收是哪天？", "二十六号", "十二号"),
    },
}


def lines(memory: Memory, question: str) -> list[str]:
    return [part.text for part in memory.context(question).result(600).parts]


@pytest.mark.parametrize("tongue", sorted(TALKS))
def test_what_was_told_is_observed_and_stands_in_the_block(
    url: str, tmp_path: Path, tongue: str
) -> None:
    talk = TALKS[tongue]
    values = {"model_url": url, "model_name": "smollm2", "max_retries": 0, "durability": "normal"}
    with Memory.open("a", root=tmp_path, settings=values) as memory:
        for said, answered in talk["said"]:
            memory.context(said).result(600)
            turn = [{"role": "user", "content": said}, {"role": "assistant", "content": answered}]
            memory.remember(turn).result(600)
        assert memory.flush(600)
        assert memory.stats().usage["observe"].calls >= 1
        for question, answer in talk["asked"]:
            told = lines(memory, question)
            assert any(answer in line for line in told), (question, told)
        assert lines(memory, talk["never"]) == []
        question, now, before = talk["replaced"]
        told = lines(memory, question)
        first = next(n for n, line in enumerate(told) if now in line)
        old = [n for n, line in enumerate(told) if before in line and now not in line]
        assert all(first < n for n in old), told
        everything = plain(" ".join(text for turn in talk["said"] for text in turn))
        for fact in memory.facts():
            assert share_within(fact.text, everything + plain("The user is 主人的在是")) >= 0.6
        assert memory.look.faults() == []
