"""A browser, a server with two agents that have lived, and a reader of either language."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from time import monotonic
from typing import Any
from urllib.parse import quote

import pytest
from server.page.browser import MISSING, browser, found
from server.page.scenes import scene
from server.served import Served

from wangchuan import Memory
from wangchuan.operations.rights import RIGHTS
from wangchuan.server.page.files import all_files

AGENTS = {"en": "rivera", "zh": "小川"}
LOCALES = {"en": "en-GB", "zh": "zh-CN"}
SETTLED = 5.0  # seconds
WAIT = 1000 * int(os.environ.get("TEST_PAGE_SECONDS", 60))  # milliseconds; only a fault takes that


@pytest.fixture(scope="module")  # no longer: what drives the browser holds the thread's event loop
def chromium() -> Iterator[Any]:
    if found() is None:
        pytest.skip(MISSING)
    with browser() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = scene(tmp_path_factory.mktemp("page") / "memory_data")
    yield served
    served.close()


class Reader:
    """Somebody who reads the page, in a browser of their own."""

    def __init__(self, chromium: Any, served: Served, language: str, **more: Any) -> None:
        self.served, self.language, self.agent = served, language, AGENTS[language]
        self.words: dict[str, str] = json.loads(all_files()[f"{language}.json"].content)
        size = {"width": 1280, "height": 860}
        options = {"locale": LOCALES[language], "viewport": size, "reduced_motion": "reduce"}
        self.context = chromium.new_context(**{**options, **more})
        self.context.set_default_timeout(WAIT)
        self.page = self.context.new_page()
        now = datetime.fromtimestamp(served.clock.now + 60, UTC)
        self.page.clock.set_fixed_time(now)
        self.asking: set[Any] = set()  # requests that wait for their answers
        self.page.on("request", self._asks)
        for end in ("requestfinished", "requestfailed"):
            self.page.on(end, lambda request: self.asking.discard(request))
        self.troubles: list[str] = []
        self.page.on("console", lambda told: self.troubles.append(told.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: self.troubles.append(dialog.message))

    def _asks(self, request: Any) -> None:
        if not request.url.endswith("/events"):  # they never end
            self.asking.add(request)

    def t(self, key: str, **values: Any) -> str:
        """Return the words of a key, as the page says them."""
        text = re.sub(r"\[([^]|]+)\|\w+]", r"\1", self.words[key])  # a word that is explained
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def link(self, *rights: str, agents: tuple[str, ...] = ("*",)) -> str:
        """Return a one-time token."""
        until = self.served.clock.now + 300
        tokens = self.served.tokens
        return tokens.add(agents, rights or RIGHTS, name="page", expires=until, use="once")

    def enter(self, *rights: str, agents: tuple[str, ...] = ("*",), agent: str = "") -> Reader:
        """Sign in by a link."""
        self.agent = agent or self.agent
        token = self.link(*rights, agents=agents)
        self.page.goto(f"{self.served.url}/#token={token}&to={quote(self.agent)}")
        self.page.locator("nav.menu").wait_for()
        return self

    def see(self, view: str = "", agent: str = "") -> Any:
        """Go to a view and return the page."""
        place = quote(agent or self.agent)
        self.page.goto(f"{self.served.url}/#/{place}/{view}")
        self.page.locator("main h1").wait_for()
        return self.page

    def settle(self) -> None:
        """Wait until nothing is asked for: what is gone by then would not be found."""
        deadline = monotonic() + SETTLED  # some requests of a view that was left never end
        while self.asking and monotonic() < deadline:
            self.page.wait_for_timeout(10)

    def press(self, key: str, name: str = "", *, within: Any = None) -> None:
        """Press the first button that says this, or that has exactly this `name`."""
        place = within or self.page
        found = place.get_by_role("button", name=name or self.t(key), exact=bool(name))
        found.first.click()

    def text(self, text: str, within: Any = None) -> Any:
        """Wait for a text and return where it stands."""
        spot = (within or self.page).get_by_text(text).first
        spot.wait_for()
        return spot

    def told(self, key: str, **values: Any) -> None:
        """Wait until the page says that something is done."""
        self.text(self.t(key, **values), self.page.locator(".told"))

    @property
    def memory(self) -> Memory:
        """Return the memory, past the server."""
        return self.served.host.open(self.agent)

    def close(self) -> None:
        self.context.close()


@pytest.fixture(params=["en", "zh"])
def reader(request: pytest.FixtureRequest, chromium: Any, lived: Served) -> Iterator[Reader]:
    reader = Reader(chromium, lived, request.param)
    yield reader
    reader.close()
    assert reader.troubles == []


@pytest.fixture
def visitor(chromium: Any, lived: Served) -> Iterator[Any]:
    """Make readers of one's own choosing."""
    made: list[Reader] = []

    def visit(language: str = "en", **more: Any) -> Reader:
        made.append(Reader(chromium, lived, language, **more))
        return made[-1]

    yield visit
    for reader in made:
        reader.close()
        assert reader.troubles == []
