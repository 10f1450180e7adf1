"""What the first view of the page costs: an empty memory beside one of many, in a real browser.

Both are opened in turn, each time in a browser that has nothing of the page yet; milliseconds are
from the address to the last of the lists, requests and bytes are those of the whole page.
`BENCH_MEMORIES` sets the size (10,000).
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.core import sentence, table

sys.path.append(str(Path(__file__).parents[1] / "tests"))

MEMORIES = int(os.environ.get("BENCH_MEMORIES", "10000"))
ROUNDS, BATCH = 7, 50
LARGEST = 200_000  # bytes of one answer
SETTLED = 2000  # milliseconds
VIEWS = (
    "home", "search?q=harbour", "facts", "facts/episodes", "network", "network/mem_9", "time",
    "forgetting", "forgetting/trash", "journal", "operations", "memory/mem_9",
)  # fmt: skip
LISTS = ("known", "attended", "fading", "latest")


def filled(served: Any) -> None:
    with served.host.open("empty"):
        pass
    with served.host.open("many") as memory:
        for start in range(0, MEMORIES, BATCH):
            said = [
                {"role": "user", "content": sentence(n)}
                for n in range(start, min(MEMORIES, start + BATCH))
            ]
            memory.remember(said)
        memory.flush(3600)


def first_view(chromium: Any, served: Any, agent: str) -> tuple[int, int, int, float]:
    """Return the requests, bytes, largest answer and milliseconds of a first view."""
    context = chromium.new_context(locale="en-GB", viewport={"width": 1280, "height": 860})
    page, answers = context.new_page(), list[int]()
    page.on("response", lambda r: answers.append(int(r.headers.get("content-length") or 0)))
    token = served.token(use="once")
    began = time.perf_counter()
    page.goto(f"{served.url}/#token={token}&to={agent}", wait_until="commit")
    for name in LISTS:
        page.locator(f"section:has(#{name}) :is(li, .quiet:not([aria-busy]))").first.wait_for()
    taken = (time.perf_counter() - began) * 1000
    context.close()
    return len(answers), sum(answers), max(answers), taken


def every_view(chromium: Any, served: Any) -> list[tuple[int, str]]:
    """Return the largest answer of each view of many memories, as far as it can be unfolded."""
    context = chromium.new_context(locale="en-GB", viewport={"width": 1280, "height": 860})
    page, answers, found = context.new_page(), list[int](), list[tuple[int, str]]()
    page.on("response", lambda r: answers.append(int(r.headers.get("content-length") or 0)))
    page.goto(f"{served.url}/#token={served.token(use='once')}&to=many")
    page.locator("nav.menu").wait_for()
    for view in VIEWS:
        answers.clear()
        page.goto(f"{served.url}/#/many/{view}")
        page.locator("main :is(li, tr, .sea, .quiet:not([aria-busy]))").first.wait_for()
        for _ in range(3):
            page.wait_for_timeout(SETTLED)
            more = page.locator("main button", has_text="Show more")
            if more.count():
                more.first.click()
        if page.get_by_role("slider").count():
            page.get_by_role("slider").first.press("PageDown")
            page.wait_for_timeout(SETTLED)
        found.append((max(answers, default=0), view))
    context.close()
    return found


def run() -> tuple[str, bool]:
    from server.page.browser import MISSING, browser, found
    from server.served import Served

    from wangchuan.models.offline import OfflineModel

    if found() is None:
        raise SystemExit(MISSING)
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        served = Served(Path(folder), OfflineModel(), learn=True)
        filled(served)
        nodes = served.host.stats("many").nodes
        rounds = [
            [first_view(chromium, served, agent) for agent in ("empty", "many")]
            for _ in range(ROUNDS)
        ]
        views = every_view(chromium, served)
        served.close()
    empty, many = ([one[which] for one in rounds] for which in (0, 1))
    rows: list[tuple[object, ...]] = []
    good = True
    for n, name in enumerate(("requests", "bytes", "largest answer, bytes", "ms")):
        few, lots = (statistics.median(one[n] for one in some) for some in (empty, many))
        good &= lots <= 2 * few and (n != 2 or lots <= LARGEST)
        rows.append((name, f"{few:,.0f}", f"{lots:,.0f}", f"{lots / few:.2f}", "≤ 2"))
    head = ("first view", "empty", f"{nodes:,} memories", "ratio", "wanted")
    told = f"Medians of {ROUNDS} first views of each, in turn, with an empty cache.\n\n"
    good &= max(views)[0] <= LARGEST
    sizes = [(view, f"{size:,}", f"≤ {LARGEST:,}") for size, view in sorted(views, reverse=True)]
    largest = table(("view of many", "largest answer, bytes", "wanted"), sizes)
    return f"{told}{table(head, rows)}\n\n{largest}", good
