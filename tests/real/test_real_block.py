"""The observer and the block beside a real, small language model, in both languages.

The model is poor (see `test_real_model.py`): what it observes must follow from what was said, and
the block answers whatever it made of that, from the messages themselves.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wangchuan import Memory
from wangchuan.routines.grounding import plain, share_within

pytest.importorskip("xllamacpp", reason="the real model is not installed")
pytestmark = pytest.mark.skipif(
    not os.environ.get("TEST_MODEL"), reason="`./run test-model` tells the whole story"
)

Story = tuple[list[tuple[str, str]], list[tuple[str, str]], str]
STORIES: dict[str, Story] = {  # turns, questions with what a line must hold, one never answered
    "en": (
        [
            ("My sister Ines repairs organs in Porto.", "A rare trade."),
            ("We decided to print the leaflet on recycled paper.", "Good."),
            ("The opening is on 9 May, in the old fire station.", "Noted."),
        ],
        [("What does Ines do?", "organs"), ("When is the opening?", "9 May")],
        "What is the name of my parrot?",
    ),
    "zh": (
        [
            ("我姐姐在泉州修古琴。", "难得的手艺。"),
            ("我们决定传单用再生纸印。", "好。"),
            ("开幕是五月九号，在老消防站。", "记住了。"),
        ],
        [("姐姐是做什么的？", "古琴"), ("开幕是哪天？", "五月九号")],
        "我的鹦鹉叫什么名字？",
    ),
}


@pytest.mark.parametrize("tongue", sorted(STORIES))
def test_what_was_said_is_in_the_block_and_nothing_invented_is(
    url: str, tmp_path: Path, tongue: str
) -> None:
    turns, questions, never = STORIES[tongue]
    settings = {"model_url": url, "model_name": "smollm2", "max_retries": 0, "durability": "normal"}
    with Memory.open("a", root=tmp_path, settings=settings) as memory:
        for said, answered in turns:
            both = [{"role": "user", "content": said}, {"role": "assistant", "content": answered}]
            memory.remember(both).result(300)
            assert memory.flush(300)
        assert memory.stats().usage["observe"].calls >= len(turns)
        talk = plain(
            "".join(said + answered for said, answered in turns) + "The user 主人 the team"
        )
        for fact in memory.facts():
            assert share_within(fact.text, talk) >= 0.6, fact.text
        for question, needed in questions:
            block = memory.context(question).result(60)
            assert any(needed in part.text for part in block.parts), block
            assert block == memory.context(question).result(60)
        assert memory.context(never).result(60) == ""
        assert memory.look.faults() == []
