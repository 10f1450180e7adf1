"""The story of Wangchuan, told by two agents with real memories.

Everything shown is asked of the library while the story is told; nothing is prepared. If a turn
of the story does not come about, the demo fails and says which.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wangchuan.cli.nodes import say_explanation
from wangchuan.cli.options import Json
from wangchuan.cli.output import console, counted, kept_bar, say, say_json, say_table, share, styled
from wangchuan.cli.relations import naming_of
from wangchuan.cli.stories import spoken, told_in
from wangchuan.cli.write import bar_on
from wangchuan.errors import InvalidInput, WangchuanError
from wangchuan.finding.recall import COLD, MARK, SEPARATOR
from wangchuan.finding.traces import SENTENCES
from wangchuan.host import Host
from wangchuan.language.labels import keywords
from wangchuan.language.text import language
from wangchuan.settings.fields import Settings
from wangchuan.storage.files import make_folder
from wangchuan.types import value

if TYPE_CHECKING:
    from wangchuan.cli.stories import Story
    from wangchuan.memory import Memory
    from wangchuan.types import Forgotten, Node

FOLDER, MARKER = "wangchuan-demo", ".wangchuan-demo"
FAR = 18  # hops; enough to walk from the last day back to the first talk
ROWS, LAST_ROWS = 9, 3  # of the memories of the first talk, from its beginning and its end
LAST_WORDS = 5
LASTED = 31 * 86_400.0  # seconds that a story goes back


@value
class Outcome:
    """What happened to one agent in the story."""

    agent: str
    memories: int
    passes: int
    recalled: str
    stayed: str
    forgotten: int
    noticed: str
    explained: str
    restored: str
    recalled_again: str


def demo(
    root: Annotated[Path, typer.Option(help="The folder to make anew for the demo's data.")] = Path(
        FOLDER
    ),
    only: Annotated[
        str | None, typer.Option("--agent", "-a", help="Tell only this agent's story.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Watch two agents remember, forget and notice it.

    It takes a few seconds and shows only what the library answers.
    """
    everyone = told_in(_language())
    stories = [story for story in everyone if only in (None, story.agent)]
    if not stories:
        known = ", ".join(story.agent for story in everyone)
        raise typer.BadParameter(f"the agents of the demo are {known}")
    _make_anew(root, [story.agent for story in everyone])
    outcomes = []
    for story in stories:
        calendar = Calendar(len(story.talks()))
        host = Host(settings=_settings(root), clock=calendar)
        with host, host.open(story.agent) as memory:
            outcomes.append(Telling(story, memory, calendar, aloud=not as_json).tell())
        with Host(settings=_settings(root, "scan")) as host, host.open(story.agent) as memory:
            memory.flush()  # the rules of every day hold from here on, not from when it is opened
    if as_json:
        say_json([asdict(outcome) for outcome in outcomes])
    else:
        _say_farewell(root, outcomes)


def _language() -> str:
    """Return the language of the user's locale, as the system writes it: zh_CN.UTF-8."""
    variables = ("LC_ALL", "LC_MESSAGES", "LANG")
    return next(filter(None, map(os.environ.get, variables)), "")


def _make_anew(root: Path, agents: list[str]) -> None:
    """Clear away what an earlier demo left; refuse a folder that no demo made."""
    if root.exists() and not (root / MARKER).is_file() and (root.is_file() or any(root.iterdir())):
        raise InvalidInput(
            f"{root.absolute()} exists and is not from an earlier demo: choose another --root"
        )
    make_folder(root)
    (root / MARKER).write_text("Made by `wangchuan demo`: it may replace it.\n", encoding="utf-8")
    for agent in agents:
        if (root / agent).is_dir():
            shutil.rmtree(root / agent)


def _settings(root: Path, strategy: str = "every") -> Settings:
    """Return the defaults, whatever the environment says: the story depends on them.

    But every memory is scanned after every remember, so that months go by in a minute.
    """
    defaults = {name: field.default for name, field in Settings.model_fields.items()}
    return Settings(**{**defaults, "root": root, "durability": "normal", "strategy": strategy})


class Calendar:
    """The clock of a story: it began weeks ago, and goes on from talk to talk until now."""

    def __init__(self, talks: int) -> None:
        self._left, self._each = talks, LASTED / talks

    def __call__(self) -> float:
        """Return the time of the present talk."""
        return time.time() - self._left * self._each

    def go_on(self) -> None:
        """Let the time until the next talk go by."""
        self._left = max(0, self._left - 1)


class Telling:
    """One agent's story, turn by turn."""

    def __init__(self, story: Story, memory: Memory, calendar: Calendar, *, aloud: bool) -> None:
        self._story, self._memory, self._aloud = story, memory, aloud
        self._calendar = calendar

    def tell(self) -> Outcome:
        """Tell the whole story; raises WangchuanError if a turn of it does not come about."""
        self._headline()
        before = self._remember()
        recalled = self._recall()
        self._let_time_pass()
        self._compare(before)
        stayed = self._what_stayed(before)
        forgotten = self._count_forgotten()
        noticed, node_id = self._notice()
        self._explain(node_id)
        restored, again = self._restore()
        stats = self._memory.stats()
        return Outcome(
            agent=self._story.agent,
            memories=stats.nodes,
            passes=stats.passes,
            recalled=recalled,
            stayed=stayed,
            forgotten=forgotten,
            noticed=noticed,
            explained=node_id,
            restored=restored,
            recalled_again=again,
        )

    # saying

    def _say(self, text: str = "", style: str = "") -> None:
        if self._aloud:
            console().print(styled(text, style), soft_wrap=True)

    def _step(self, text: str) -> None:
        self._say()
        self._say(f"▍{text}", "bold cyan")

    def _call(self, text: str) -> None:
        self._say(f"  {text}", "dim")

    def _quote(self, text: str) -> None:
        for line in text.splitlines():
            self._say(f"  │ {line}")

    def _headline(self) -> None:
        self._say()
        self._say(f"═══ {self._story.agent} ({self._story.language}) ═══", "bold")

    # the turns

    def _remember(self) -> dict[str, Node]:
        """Remember the conversation; return the memories of the first talk as they were."""
        first, *rest = self._story.talks()[: -len(self._story.days())]
        count = len(first) + sum(map(len, rest))
        self._step(f"{count} messages are remembered: one long talk, then short ones.")
        self._memory.remember(first).result()
        self._calendar.go_on()
        before = {node.id: node for node in self._memory.nodes()}
        self._send(rest, "remembering")
        stats = self._memory.stats()
        made = counted(stats.nodes, "memory", "memories")
        self._say(f"  {made}, {counted(stats.links, 'link')}.")
        return before

    def _send(self, batches: list[list[dict[str, str]]], title: str) -> None:
        with _moving_bar(title, len(batches), self._aloud) as advance:
            for batch in batches:
                self._memory.remember(batch).result()
                self._calendar.go_on()
                self._tend()
                advance(1)

    def _tend(self) -> None:
        """Do what the host does day by day, by its own clock: age facts, see what has gone cold."""
        self._memory.facts.age()
        self._memory.tick()

    def _recall(self) -> str:
        words = list(self._story.question)
        self._step("A recall walks the links from what is being attended.")
        self._call(f"memory.recall({words})")
        text = self._memory.recall(words).result()
        self._quote(text)
        _expect(text, f"a recall of {words} found nothing")
        return text

    def _let_time_pass(self) -> None:
        days, again = self._story.days(), len(spoken(self._story.again))
        self._step(
            f"A month passes: {len(days)} remarks, one pass each; {again} of them come back to a"
            " topic of the first talk. The demo is in a hurry: its clock runs ahead to today, and"
            " every pass scans all memories (strategy=every)."
        )
        self._send(days, "living")

    def _compare(self, before: dict[str, Node]) -> None:
        after = {node.id: node for node in self._memory.nodes()}
        rows = [_compared(node, after.get(node.id)) for node in before.values()]
        shown = rows if len(rows) <= ROWS + LAST_ROWS else rows[:ROWS] + rows[-LAST_ROWS:]
        listed = "" if len(shown) == len(rows) else f" ({len(shown)} of {len(rows)} memories)"
        passes = self._memory.stats().passes
        self._step(f"What became of the first talk after {passes} passes{listed}:")
        if self._aloud:
            columns = (("", "bold"), ("at first", "wide"), ("now", "wide"), ("kept", ""))
            say_table(columns, shown)
        faded = [n for n in before if n in after and _kept(after[n]) < 1]
        _expect(faded, "nothing of the first talk faded")

    def _what_stayed(self, before: dict[str, Node]) -> str:
        """Show that the topic that came up again is held; return what it says now."""
        after = {node.id: node for node in self._memory.nodes()}
        about = [node for node in before.values() if self._story.topic in node.content]
        kept = {n: _kept(after[n]) if n in after else 0.0 for n in before}
        best = max(about, key=lambda node: kept[node.id])
        mean = sum(kept.values()) / len(kept)
        self._step("What is talked of again is linked anew and holds; the rest fades.")
        self._say(f"  {best.id}: {best.content}")
        self._say(f"  kept {kept[best.id]:.0%}, all of the first talk {mean:.0%}")
        _expect(kept[best.id] > mean, f"{best.id} was talked of again and faded like the rest")
        return after[best.id].content

    def _count_forgotten(self) -> int:
        gone = self._gone()
        count = counted(len(gone), "memory was", "memories were")
        which = f"the {LAST_WORDS} that went last" if len(gone) > LAST_WORDS else "what went"
        self._step(f"{count} forgotten. The last words left of {which}:")
        for one in gone[:LAST_WORDS]:
            self._say(f"  {one.node.id:<8} {one.node.content}  ({one.reason})", "dim")
        _expect(gone, "nothing was forgotten")
        return len(gone)

    def _gone(self) -> list[Forgotten]:
        """Return what faded away; episodes go by their day, which is another story."""
        return [one for one in self._memory.look.forgotten() if one.node.kind == "segment"]

    def _notice(self) -> tuple[str, str]:
        """Recall what leads to something forgotten; return the answer and whose gap it tells."""
        for word in self._story.later:
            text = self._memory.recall([word], depth=FAR).result()
            about = _before_gap(text)
            node_id = next((n.id for n in self._memory.nodes() if n.content == about), None)
            if node_id:
                self._step('A recall notices the gap: "I knew once" is not "I never knew".')
                self._call(f"memory.recall(['{word}'], depth={FAR})")
                self._quote(text)
                return text, node_id
        raise _failure("no recall noticed that something was forgotten")

    def _explain(self, node_id: str) -> None:
        self._step("Why does that memory stand where it stands?")
        self._call(f"memory.explain({node_id!r})")
        if self._aloud:
            say_explanation(self._memory.explain(node_id), naming_of(self._memory))

    def _restore(self) -> tuple[str, str]:
        """Bring a forgotten memory back and recall it; return its text and the answer."""
        gone = max(self._gone(), key=lambda one: one.node.original_length).node
        self._step("Nothing forgotten is lost: one memory is brought back, whole.")
        self._call(f"memory.restore({gone.id!r})")
        back = self._memory.restore(gone.id)
        word = max(keywords(back.content), key=len)
        self._say(f"  {gone.content} → {back.content}")
        self._call(f"memory.recall({[word]})")
        text = self._memory.recall([word]).result()
        self._quote(text)
        _expect(back.content in text, f"{back.id} was restored but is not recalled")
        return back.content, text


def _kept(node: Node) -> float:
    return share(len(node.content), node.original_length)


def _compared(then: Node, now: Node | None) -> tuple[str, str, str, str]:
    if now is None:
        return then.id, then.content, "— forgotten —", kept_bar(0.0)
    return now.id, then.content, now.content, kept_bar(_kept(now))


def _before_gap(text: str) -> str | None:
    """Return the memory after which a recall says that something about it is forgotten."""
    gaps = [re.escape(MARK + told).replace(r"\{\}", ".+") for told in SENTENCES.values()]
    entries = text.split(SEPARATOR)
    for entry, following in pairwise(entries):
        if any(re.fullmatch(gap, following) for gap in gaps):
            about = entry.removeprefix(MARK)
            return about.removesuffix(COLD[language(about)])
    return None


def _failure(what: str) -> Exception:
    return WangchuanError(f"the demo did not go as it should: {what}")


def _expect(came_about: object, otherwise: str) -> None:
    if not came_about:
        raise _failure(otherwise)


@contextmanager
def _moving_bar(title: str, total: int, aloud: bool) -> Iterator[Callable[[int], None]]:
    screen = console(stderr=True)
    if not aloud or not screen.is_terminal:
        yield lambda _: None
        return
    with bar_on(screen, title, total) as advance:
        yield advance


def _say_farewell(root: Path, outcomes: list[Outcome]) -> None:
    command, where = _command(), f"--root {shlex.quote(_from_here(root))}"
    say(f"\nEverything lives in {root.absolute()}, one folder per agent.")
    if find_spec("starlette"):  # an extra
        say(f"To see it on a page: {command} ui --agent {outcomes[0].agent} {where}")
    say("Look around:")
    for what in _suggestions(outcomes[0], outcomes[-1]):
        say(f"  {command} {what} {where}")


def _command() -> str:
    """Return what to type for this command, for a shell that stands where we stand."""
    if shutil.which("wangchuan"):
        return "wangchuan"
    beside = shutil.which("wangchuan", path=str(Path(sys.executable).parent))
    if beside is None:
        return f"{shlex.quote(sys.executable)} -m wangchuan.cli"
    path = _from_here(Path(beside))
    return shlex.quote(path if os.sep in path else os.path.join(os.curdir, path))


def _from_here(path: Path) -> str:
    """Return a path that is right in the current folder: absolute, or relative if shorter."""
    absolute = os.path.abspath(path)
    try:
        return min(os.path.relpath(path), absolute, key=len)
    except ValueError:  # another drive of Windows
        return absolute


def _suggestions(first: Outcome, last: Outcome) -> list[str]:
    return [
        f"show --graph --agent {first.agent}",
        f"show --html river.html --agent {first.agent}",
        f"fading --agent {first.agent}",
        f"forgotten --agent {first.agent}",
        f"explain {first.explained} --agent {first.agent}",
        f"history {last.explained} --agent {last.agent}",
    ]
