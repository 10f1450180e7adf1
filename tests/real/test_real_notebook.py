"""Compaction with a real, small language model: what it cannot do, the offline one does.

SmolLM2-135M is served with a window of 8,192 tokens. A history of 100,000 does not fit into one
question; the server says so, and the offline model takes over. Cut into windows the model does
answer, with the example of the prompt or with nonsense, which is noticed and replaced.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from notebook.worklog import WorkLog, worklog

from wangchuan import Memory

pytest.importorskip("xllamacpp", reason="the real model is not installed")
whole_story = pytest.mark.skipif(
    not os.environ.get("TEST_MODEL"), reason="`./run test-model` tells the whole story"
)


def compact(url: str, folder: Path, log: WorkLog, **settings: Any) -> tuple[str, int, list[str]]:
    """Compact a log with the real model; return the memory, the calls made and what went wrong."""
    values = {"compact_model_url": url, "durability": "normal", **settings}
    with Memory.open("a", root=folder, work_dir=folder, mode="minimal", settings=values) as memory:
        reasons: list[str] = []
        memory.on("degraded", lambda event: reasons.append(event.detail["reason"]))
        began = time.monotonic()
        text = memory.notebook.compact(log.messages).result(1800)
        used = memory.stats().usage["compact"]
        print(  # `./run test-model -s` shows it
            f"{log.tokens} tokens in {used.calls} calls and {time.monotonic() - began:.0f} s:"
            f" {memory.notebook.length(text)} tokens, {len(reasons)} replaced: {reasons[:3]}"
        )
        return text, used.calls, reasons


def test_a_history_beyond_the_window_falls_back_and_keeps_every_event(
    url: str, tmp_path: Path
) -> None:
    log = worklog("en", 100_000, every=6)
    text, calls, reasons = compact(url, tmp_path, log)
    assert (calls, len(reasons)) == (1, 1)
    assert "context" in reasons[0]
    assert log.missing(text) == []


@whole_story
@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_a_history_in_windows_keeps_every_event(url: str, tmp_path: Path, tongue: str) -> None:
    log = worklog(tongue, 4000, every=3)
    settings = {"compact_window_tokens": 1500, "compact_target_tokens": 400}
    text, calls, _ = compact(url, tmp_path, log, **settings)
    assert calls >= 3
    assert len(log.events) >= 3
    assert log.missing(text) == []
