"""Pictures of every view, in both languages and lights; made when asked for.

`TEST_SCREENSHOTS=docs/page .venv/bin/python -m pytest tests/server/page/test_screenshots.py`
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from server.page.conftest import Reader

FOLDER = os.environ.get("TEST_SCREENSHOTS")
QUERY = {"en": "sister Lisbon", "zh": "妹妹 花生"}
QUALITY = 45  # of the pictures, in percent
NARROW = {"width": 390, "height": 844}
BUSY = "[aria-busy=true], .sea[data-ready=false]"


def views_of(reader: Reader) -> dict[str, str]:
    """Return the addresses of all views, by the names of their pictures."""
    memory = reader.memory
    fading = max(memory.look.fading(20), key=lambda one: len(memory.history(one.node.id))).node.id
    gone = next(one.node.id for one in memory.look.forgotten() if one.node.kind == "segment")
    return {
        "home": "home",
        "search": f"search?q={QUERY[reader.language]}",
        "facts": "facts",
        "reviews": "facts/reviews",
        "episodes": "facts/episodes",
        "network": "network",
        "list": "network",
        "around": f"network/{memory.look.network(40).dots[-1].id}",
        "memory": f"memory/{fading}",
        "erase": f"memory/{fading}",
        "gone": f"memory/{gone}",
        "fact": f"memory/{memory.facts(kinds=['fact'])[0].id}",
        "time": "time",
        "whatif": "time/whatif",
        "fading": "forgetting",
        "trash": "forgetting/trash",
        "merges": "forgetting/merges",
        "journal": "journal",
        "undo": "journal",
        "notebook": "notebook",
        "operations": "operations",
        "words": "words",
    }


def done_in(reader: Reader, name: str) -> None:
    """Do what a view is there for, so that there is something to see."""
    page = reader.page
    if name in ("network", "around"):
        page.locator(".sea[data-ready=true]").wait_for()
    elif name == "list":
        reader.press("network.list")
    elif name == "time":
        page.get_by_role("slider").press("PageDown")
    elif name == "whatif":
        page.locator("input[name=decay_rate]").fill("0.9")
        reader.press("whatif.do", within=page.locator("section"))
        page.locator("#prospect").wait_for()
    elif name == "memory":
        page.locator("section .term button").first.focus()
    elif name == "erase":
        reader.press("erase")
    elif name == "undo":
        page.locator(".rows button").first.click()
    elif name == "notebook":
        reader.press("notebook.diff")
    elif name == "operations":
        reader.press("doctor.do")


def taken(reader: Reader, name: str, scheme: str) -> None:
    reader.page.locator(BUSY).first.wait_for(state="detached")
    reader.page.wait_for_timeout(500)  # events, and whatever still moves
    path = Path(str(FOLDER)) / f"{name}-{reader.language}-{scheme}.jpg"
    reader.page.screenshot(path=path, type="jpeg", quality=QUALITY)


@pytest.mark.skipif(not FOLDER, reason="TEST_SCREENSHOTS names no folder")
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_has_its_picture(visitor: Any, language: str, scheme: str) -> None:
    reader: Reader = visitor(language, color_scheme=scheme)
    reader.page.goto(reader.served.url)
    reader.page.locator("form").wait_for()
    taken(reader, "door", scheme)
    reader.enter()
    for name, view in views_of(reader).items():
        reader.see(view, f"twice-{language}" if name == "merges" else "")
        done_in(reader, name)
        taken(reader, name, scheme)
    reader.page.set_viewport_size(NARROW)
    for name in ("home", "memory", "network"):
        reader.see(views_of(reader)[name])
        taken(reader, f"narrow-{name}", scheme)
