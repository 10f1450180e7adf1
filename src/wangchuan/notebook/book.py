"""The notebook of one agent: its pages, with its memory and its model at hand.

The other modules of `notebook` know pages only. Here the pages meet memory and model. A history is
remembered before it is compacted, so nothing is lost whatever the model does. A session is
remembered, too, so a search finds it. Where a model fails, the offline model answers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wangchuan.arguments import a_flag, a_number, a_text
from wangchuan.errors import InvalidInput
from wangchuan.language.attention import plain_log
from wangchuan.language.tokens import tokens
from wangchuan.living.lens import open_tasks
from wangchuan.messages import checked
from wangchuan.models.offline import OfflineModel
from wangchuan.notebook.compact import CompactPage
from wangchuan.notebook.compacting import Compacting
from wangchuan.notebook.desk import Desk
from wangchuan.notebook.interpreter import Hands, Outcome
from wangchuan.notebook.knowledge import Knowledge
from wangchuan.notebook.loose import Pages
from wangchuan.notebook.owner import Owner
from wangchuan.notebook.pages import as_read
from wangchuan.notebook.places import MAP, Artefact, Places, checked_mode
from wangchuan.notebook.process import Process
from wangchuan.notebook.prompt import OWN_SESSIONS, built, is_ours
from wangchuan.notebook.questions import Questions
from wangchuan.notebook.remembering import remember_once
from wangchuan.notebook.routines import world as surroundings
from wangchuan.notebook.routines.compact import Said, as_said
from wangchuan.notebook.sessions import Session, Sessions, counted, stamp_of
from wangchuan.notebook.sessions import checked as checked_session
from wangchuan.notebook.task import Call, Limits, Task, no_task
from wangchuan.pending import Pending
from wangchuan.settings import groups
from wangchuan.types import Message

log = logging.getLogger("wangchuan")

LOCK = "notebook.lock"
COMPACT_DROPPED = (
    "the memory was closed before this was compacted: what was said is remembered and kept, the"
    " compact memory is as it was; open the memory and compact again"
)
WORLD_DROPPED = (
    "the memory was closed before the state of the world was brought up to date: that was not done,"
    " the page is as it was; open the memory and call update_world again"
)


class Notebook:
    """The pages that an agent writes for itself; `memory.notebook` is one."""

    def __init__(self, agent: Owner) -> None:
        """Open the pages; in full mode nothing is written until something is noted."""
        settings = agent.settings.part(groups.Notebook)
        if settings.work_dir is None:
            raise InvalidInput(
                f"agent {agent.id!r} has no notebook: open it with a folder for its pages,"
                " Memory.open(..., work_dir='.')"
            )
        self._agent, self._settings = agent, settings
        self.mode = checked_mode(settings.notebook_mode)
        self._places = Places(Path(settings.work_dir), agent.id)
        self._desk = Desk(
            agent.id,
            agent.folder / LOCK,
            self._places.work_dir,
            noted=lambda page: agent.events.emit("noted", page=page),
        )
        self._desk.tidy(*self._places.folders())
        self._compact = CompactPage(self._places, self._desk)
        self._knowledge = Knowledge(
            self._places.notes, self._desk, agent.clock, writable=self.is_full
        )
        self._sessions = Sessions(self._places.sessions, self._desk)
        limits = Limits(settings.task_max_steps, settings.task_max_depth)
        self._task = Task(
            self._places.task_process,
            self._desk,
            agent.clock,
            limits,
            moved=self._protect,
            finish=lambda process: self.end_task(cancelled=process.stage == "cancelled"),
        )
        self._questions = Questions(agent, agent.model)
        self._compacting = Compacting(agent, self._questions)
        self._history: list[Message] = []  # compacted since the last session
        if self.is_full:
            self._protect(self._task.read().is_open)  # the page may have been changed by hand

    def close(self) -> None:
        """Let go of what is open; pages need no closing."""
        self._compacting.close()

    # where things are

    @property
    def is_full(self) -> bool:
        """Tell whether there is more than the compact memory."""
        return self.mode == "full"

    @property
    def path(self) -> Path:
        """Return the folder of the pages."""
        return self._places.work_dir

    def map(self) -> tuple[Artefact, ...]:
        """Return the map: every artefact of an agent, with its place in the three dimensions."""
        return MAP

    @property
    def knowledge(self) -> Knowledge:
        """Return the agent's knowledge; in minimal mode it can be read but not changed."""
        return self._knowledge

    @property
    def pages(self) -> Pages:
        """Return the loose pages, by path and version. Raises InvalidInput in minimal mode."""
        self._only_full("pages")
        notes = self._places.notes
        return Pages(notes / "pages", notes / "pages.json", self._desk)

    @property
    def task(self) -> Task:
        """Return what the agent is doing. Raises InvalidInput in minimal mode."""
        self._only_full("task")
        return self._task

    @property
    def sessions(self) -> Sessions:
        """Return the sessions of all agents in this folder. Raises InvalidInput in minimal mode."""
        self._only_full("sessions")
        return self._sessions

    def _only_full(self, what: str) -> None:
        if not self.is_full:
            raise InvalidInput(f"minimal mode has no {what}; open the memory with mode='full'")

    # the prompt

    def prompt(self, base: str = "", *, key: str | None = None) -> str:
        """Return the base followed by the agent's pages, in the documented order and headings.

        `key` names a user or a conversation, and chooses the side of open trials.
        """
        base, knowledge = a_text(base, "base"), self._knowledge.content(key)
        if not self.is_full:
            return built(base, knowledge, compact=self.compact_memory)
        task = as_read(self._desk.read(self._places.task_process) or "")
        own = self._sessions.newest(OWN_SESSIONS, agent=self._agent.id)
        shown = self.world if self._settings.inject_world_state else ""
        return built(
            base, knowledge, task=task, sessions=[session.shown for session in own], world=shown
        )

    # the world

    @property
    def world(self) -> str:
        """Return the world state, as it was written."""
        self._only_full("world")
        return as_read(self._desk.read(self._places.world_state) or "").strip("\n")

    def write_world(self, text: str) -> None:
        """Replace the state of the world; any text will do, it has no schema."""
        self._only_full("world")
        told = a_text(text, "the state of the world").rstrip("\n")
        self._desk.write(self._places.world_state, f"{told}\n")

    def update_world(self, messages: Any) -> Pending[str]:
        """Bring the state of the world up to date with what was said; returns the new page."""
        self._only_full("world")
        said = as_said(checked(messages))
        return self._questions.later(lambda: self._updated_world(said), WORLD_DROPPED)

    def _updated_world(self, said: Sequence[Said]) -> str:
        before = self.world
        asked = surroundings.ask(before, said)
        text = self._questions.answer(asked, lambda a: surroundings.read(a, before, said))
        with self._desk.locked():
            if self.world != before:  # somebody wrote the page meanwhile: it is gone on from
                text = str(
                    OfflineModel().complete(surroundings.ask(self.world, said))["world_state"]
                )
            self.write_world(text)
        return text

    # compacting

    def should_compact(self, messages: Any = (), tokens: float | None = None) -> bool:
        """Tell whether a history is long enough to be compacted: more than 70,000 tokens.

        `tokens` is the exact length, if the caller knows it; else the length is estimated.
        """
        if tokens is None:
            tokens = self.length(messages)
        return a_number(tokens, "tokens") > self._settings.compact_threshold_tokens

    def length(self, messages: Any) -> int:
        """Return about how many tokens a history has."""
        return sum(tokens(message.content) for message in checked(messages))

    @property
    def compact_memory(self) -> str:
        """Return the compact memory of minimal mode; "" if nothing was compacted."""
        return "" if self.is_full else self._compact.read()

    def compact(self, messages: Any) -> Pending[str]:
        """Remember a history, then return the part that should stay at hand.

        In minimal mode the result is written to the page of the compact memory, and includes the
        one of before; in full mode it is only returned. Raises InvalidInput for messages that
        cannot be used and QueueFull if they could not be remembered: nothing was changed.
        """
        history = [m for m in checked(messages) if not (m.role == "system" and is_ours(m.content))]
        remember_once(self._agent, history)
        return self._questions.later(lambda: self._compacted(history), COMPACT_DROPPED)

    def _compacted(self, history: list[Message]) -> str:
        before, said = self.compact_memory, as_said(history)
        if not said:
            return before
        text = self._compacting.shortened(said, before)
        if self.is_full:
            self._history += history
            return text
        with self._desk.locked():
            present = self.compact_memory
            if present != before:  # another process compacted meanwhile: both results stay
                text = f"{present}\n{text}"
            self._compact.write(text)
        return text

    # sessions and tasks

    def end_session(
        self,
        request: str,
        response: str,
        *,
        task: str = "",
        duration: float | None = None,
        rounds: int | None = None,
        tools: Mapping[str, int] | Iterable[str] = (),
    ) -> Session:
        """Write down what was asked and what came of it, and remember both.

        `duration` is in seconds, `tools` counts the calls of tools or lists them. The history that
        was compacted on the way is on the page, too. Known messages are not remembered again.
        """
        self._only_full("sessions")
        session = Session(
            request=request,
            response=response,
            duration=duration,
            rounds=rounds,
            tools=counted(tools),
        )
        return self._end_session(session, task)

    def _end_session(self, session: Session, task: str) -> Session:
        """Remember a session, then write its page; a session told twice is remembered once."""
        session = replace(
            checked_session(session),
            stamp=stamp_of(self._agent.clock()),
            agent=self._agent.id,
            history=plain_log(as_said(self._history)),
        )
        said = (("user", session.request), ("assistant", session.response))
        spoken = [{"role": role, "content": text} for role, text in said if text.strip()]
        remember_once(self._agent, checked(spoken))
        written = self._sessions.write(session, task)
        self._history = []
        return written

    def begin_function(
        self, name: str, parameters: Mapping[str, Any] | None = None, *, rules: Iterable[str] = ()
    ) -> Process:
        """Begin a task from a declared function: its steps become the TODOs, with its parameters.

        Name and version of the function stand on the page and in the session. Raises NotFound for
        an undeclared function, InvalidInput for parameters that the function does not take.
        """
        self._only_full("task")
        definition, version = self._knowledge.function(name)
        return self._task.call(Call.of(definition, version, dict(parameters or {})), rules=rules)

    def end_task(
        self,
        response: str = "",
        *,
        cancelled: bool = False,
        tools: Mapping[str, int] | Iterable[str] = (),
    ) -> Session:
        """End the open task and write its session, with the page as it stands.

        Raises InvalidInput if no task is open.
        """
        self._only_full("task")
        process = self._task.read()
        if not process.is_open and not process.is_finished:
            raise InvalidInput(no_task(process))
        given_up = a_flag(cancelled, "cancelled")
        process = replace(process, stage="cancelled" if given_up else "done")
        session = Session(
            request=process.goal,
            response=a_text(response, "response") or process.stage,
            duration=_seconds_since(process.begun, self._agent.clock()),
            rounds=len(process.journal),
            tools=counted(tools),
            task=process.text,
        )
        written = self._end_session(session, process.goal)
        self._task.end(cancelled=given_up, session=written.name)
        return written

    def _protect(self, is_open: bool) -> None:
        """Hold the nodes that are touched while a task is open."""
        tasks, where = self._agent.tasks, str(self._places.work_dir.absolute())
        wanted = is_open and self._settings.task_protects
        with self._agent.store() as store:
            with store.read() as tx:
                known = where in open_tasks(tx)
            if known == wanted:
                return
            with store.write() as tx:
                (tasks.begin if wanted else tasks.end)(tx, where)
        self._agent.wake()

    def hands(
        self,
        act: Callable[[str], Outcome | bool | None] | None = None,
        predicates: Mapping[str, Callable[[], bool]] | None = None,
    ) -> Hands:
        """Return who does the work of a task: `act`, a table of conditions, and the model.

        The offline model cannot judge: without another one, unknown conditions stop the task.
        """
        hands = Hands(predicates={} if predicates is None else predicates)
        if act is not None:
            hands = replace(hands, act=act)
        if isinstance(self._agent.model, OfflineModel):
            return hands
        ask = self._questions.judge
        return replace(hands, ask=lambda condition: ask(condition, self._task.read().text))


def _seconds_since(moment: str, at: float) -> float | None:
    """Return how long ago a moment on a page was; None if it says none."""
    try:
        began = time.mktime(time.strptime(moment, "%Y-%m-%d %H:%M:%S"))
    except (ValueError, OverflowError):
        return None
    return max(0.0, at - began)
