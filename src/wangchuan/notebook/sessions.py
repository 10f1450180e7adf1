"""Sessions: what was asked, what came of it, and what it took; one page each, written once.

The sessions of a working directory belong to the world: all agents write theirs into one folder,
and each says in its metadata whose it is. A page is named after the second it was written in; a
second one of the same second and task gets a number.
"""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path

from wangchuan.arguments import a_number, a_text, texts
from wangchuan.errors import InvalidInput, StorageError, shown
from wangchuan.notebook.desk import Desk
from wangchuan.notebook.pages import Page, as_read, escaped, one_line, parsed, unescaped
from wangchuan.notebook.places import slug
from wangchuan.types import value

log = logging.getLogger("wangchuan")

USER, AGENT = "用户: ", "Agent: "
HISTORY, TASK = "History", "Task Process"  # sections of ours that no prompt shows
NO_TOOLS = "none"
MOST_NAMESAKES = 10_000
_BLANK = "# Session: {stamp}\n\n## Request\n\n## Response\n\n## Metadata\n"
_TITLE = re.compile(r"\A# Session:[ \t]*+((?:.*[^ \t\r\n])?)[ \t\r]*\n")
MOST_CALLS = 10**15  # of one tool; as many digits are read from a page
_TOOL = re.compile(r"(?<![^\s,()])([^\s,()]+)\((\d{1,15})\)")
_NUMBER = re.compile(r"-?\d{1,15}(?!\d)(?:\.\d+)?")


@value
class Session:
    """One finished piece of work; `duration` is in seconds, `tools` counts their calls."""

    request: str
    response: str
    stamp: str = ""
    duration: float | None = None
    rounds: int | None = None
    tools: Mapping[str, int] = field(default_factory=dict)
    agent: str | None = None
    name: str = ""  # of its file, without the ending
    history: str = ""
    task: str = ""  # the task process as it stood at the end

    @property
    def shown(self) -> str:
        """Return the session as a prompt shows it, without the sections for the record."""
        return formatted(replace(self, history="", task="")).strip("\n")


def stamp_of(at: float) -> str:
    """Return a time as sessions are named by it: YYYYMMDD_HHMMSS on the local clock."""
    return time.strftime("%Y%m%d_%H%M%S", time.localtime(at))


def formatted(session: Session) -> str:
    """Return a session as its page."""
    page = parsed(_BLANK.format(stamp=session.stamp))
    page = page.put("Request", _said(USER, session.request))
    page = page.put("Response", _said(AGENT, session.response))
    page = page.put_fields("Metadata", _metadata(session))
    for title, text in ((HISTORY, session.history), (TASK, session.task)):
        page = page.put(title, escaped(text)) if text else page
    return page.text


def _said(speaker: str, text: str) -> list[str]:
    return escaped(speaker + text)


def _metadata(session: Session) -> dict[str, str]:
    """Return the lines of the metadata; what is not known has none."""
    tools = ", ".join(f"{tool}({count})" for tool, count in session.tools.items())
    found = {"Duration": "" if session.duration is None else f"{session.duration:.1f}s"}
    found["Rounds"] = "" if session.rounds is None else str(session.rounds)
    found["Tools"] = tools or NO_TOOLS
    found["Agent"] = session.agent or ""
    return {name: value for name, value in found.items() if value}


def read_session(text: str, name: str = "") -> Session:
    """Return the session on a page, whoever wrote it; missing values are left empty."""
    page = parsed(as_read(text))
    title = _TITLE.match(page.text)
    known = page.fields("Metadata")
    duration = _NUMBER.match(known.get("Duration", ""))
    rounds = _NUMBER.match(known.get("Rounds", ""))
    return Session(
        request=_heard(USER, page, "Request"),
        response=_heard(AGENT, page, "Response"),
        stamp=title[1] if title else name[:15],
        duration=float(duration[0]) if duration else None,
        rounds=int(float(rounds[0])) if rounds else None,
        tools={tool: int(count) for tool, count in _TOOL.findall(known.get("Tools", ""))},
        agent=known.get("Agent") or None,
        name=name,
        history=unescaped(page.body(HISTORY)),
        task=unescaped(page.body(TASK)),
    )


def _heard(speaker: str, page: Page, title: str) -> str:
    text, before = unescaped(page.body(title)), speaker.rstrip()
    return text.removeprefix(before).removeprefix(" ") if text.startswith(before) else text


def checked(session: Session) -> Session:
    """Return a session that can be written, or raise InvalidInput."""
    if not isinstance(session, Session):
        raise InvalidInput(f"a session is a Session, not {type(session).__name__}")
    for name in ("request", "response", "stamp", "history", "task"):
        a_text(getattr(session, name), f"the {name} of a session")
    one_line(session.agent or "")
    if not session.request.strip() and not session.response.strip():
        raise InvalidInput("a session says what was asked or what came of it; both are empty")
    for name, number in (("duration", session.duration), ("rounds", session.rounds)):
        if number is not None:
            a_number(number, name)
    return replace(session, tools=counted(session.tools))


def counted(tools: Mapping[str, int] | Iterable[str]) -> dict[str, int]:
    """Return how often each tool was called, from counts or from the names of the calls."""
    found: Counter[str] = Counter()
    given = tools if isinstance(tools, Mapping) else Counter(texts(tools, "tools"))
    for name, count in given.items():
        if type(count) is not int or not 0 <= count < MOST_CALLS:
            raise InvalidInput(
                f"tool {shown(name, 40)} was called {shown(count, 40)} times: not a count"
            )
        found[re.sub(r"[\s,()]+", "_", one_line(name)) or "_"] += count
    return dict(found)


class Sessions:
    """The sessions of a working directory."""

    def __init__(self, folder: Path, desk: Desk) -> None:
        self._folder, self._desk = folder, desk

    def write(self, session: Session, task: str = "") -> Session:
        """Write a session and return it with its name."""
        session = checked(session)
        base = f"{slug(session.stamp, 'session')}_{slug(task)}"
        for number in range(1, MOST_NAMESAKES):
            name = base if number == 1 else f"{base}_{number}"
            if self._desk.create(self._folder / f"{name}.md", formatted(session)):
                return replace(session, name=name)
        raise StorageError(f"{self._folder} has {MOST_NAMESAKES} sessions called {base}")

    def read(self, name: str) -> Session | None:
        """Return a session by the name of its file; None if there is none."""
        name = a_text(name, "the name of a session").removesuffix(".md")
        if Path(name).name != name or name.startswith(".") or not name.isprintable():
            return None  # the name leads out of this folder
        text = self._desk.read(self._folder / f"{name}.md")
        return None if text is None else read_session(text, name)

    def newest(
        self, limit: int | None = None, *, agent: str | None = None, words: Iterable[str] = ()
    ) -> list[Session]:
        """Return the latest sessions, oldest of them first.

        `agent` keeps the sessions of one agent, `words` those with all these words, in any case.
        """
        wanted = [word.casefold() for word in texts(words, "words")]
        most = None if limit is None else a_number(limit, "limit")
        agent = None if agent is None else a_text(agent, "agent")
        found: list[Session] = []
        for session, text in self._from_the_newest():
            if most is not None and len(found) >= most:
                break
            if agent in (None, session.agent) and all(w in text.casefold() for w in wanted):
                found.append(session)
        return found[::-1]

    def _from_the_newest(self) -> Iterator[tuple[Session, str]]:
        for path in sorted(self._folder.glob("[!.]*.md"), key=_order, reverse=True):
            try:
                text = self._desk.read(path)
            except StorageError as error:  # a page that cannot be read is passed over
                log.warning("%s", error)
                continue
            if text is not None:
                yield read_session(text, path.stem), text


def _order(path: Path) -> list[str | int]:
    """Return by what sessions are sorted: their names, in which numbers count as numbers."""
    parts = re.split(r"(\d+)", path.stem)
    return [int(part) if n % 2 else part for n, part in enumerate(parts)]
