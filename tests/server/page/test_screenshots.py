"""Pictures of every view, in both languages and lights; made when asked for.

`TEST_SCREENSHOTS=FOLDER .venv/bin/python -m pytest tests/server/page/test_screenshots.py`
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = os.environ.get("TEST_SCREENSHOTS")
QUERY = {"en": "sister Lisbon", "zh": "妹妹 花生"}


@pytest.mark.skipif(not FOLDER, reason="TEST_SCREENSHOTS names no folder")
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_has_its_picture(visitor: Any, language: str, scheme: str) -> None:
    reader = visitor(language, color_scheme=scheme).enter()
    memory = reader.memory
    fading = max(memory.look.fading(20), key=lambda one: len(memory.history(one.node.id))).node.id
    views = {
        "home": "home",
        "search": f"search?q={QUERY[language]}",
        "facts": "facts",
        "reviews": "facts/reviews",
        "episodes": "facts/episodes",
        "network": "network",
        "memory": f"memory/{fading}",
        "gone": f"memory/{memory.look.forgotten(1)[0].node.id}",
        "fact": f"memory/{memory.facts(kinds=['fact'])[0].id}",
        "time": "time",
        "whatif": "time/whatif",
        "fading": "forgetting",
        "trash": "forgetting/trash",
        "merges": "forgetting/merges",
        "journal": "journal",
        "notebook": "notebook",
        "operations": "operations",
        "words": "words",
    }
    for name, view in views.items():
        page = reader.see(view)
        if name == "network":
            page.locator(".sea[data-ready=true]").wait_for()
        if name == "whatif":
            page.locator("input[name=decay_rate]").fill("0.9")
            reader.press("whatif.do", within=page.locator("section"))
            page.locator("#prospect").wait_for()
        page.wait_for_timeout(400)
        page.screenshot(path=Path(str(FOLDER)) / f"{name}-{language}-{scheme}.png")
