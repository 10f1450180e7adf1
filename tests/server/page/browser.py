"""A real browser for the tests: Debian's Chromium, or one that is named or found."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MISSING = "no Chromium here (TEST_CHROMIUM, PATH): on Debian, `apt install chromium fonts-noto-cjk`"


def found() -> str | None:
    """Return where a Chromium is."""
    named = os.environ.get("TEST_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def browser() -> Iterator[Browser]:
    """Run a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        own = {**os.environ, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder}
        chromium = playwright.chromium.launch(
            executable_path=found(), args=list(FLAGS), env=own, timeout=0
        )
        yield chromium
        chromium.close()


if __name__ == "__main__":
    where = found()
    print(f"the page is tested in {where}" if where else f"the page is NOT tested: {MISSING}")
    sys.exit(where is None)
