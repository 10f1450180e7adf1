"""The operations for people who look at a memory: what a page shows beside the rest of the table.

Answers are bounded, however large the memory is.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field, TypeAdapter

from wangchuan.errors import NotFound
from wangchuan.history.replay import REPLAYED
from wangchuan.language.labels import beginning
from wangchuan.notebook.sessions import Session
from wangchuan.operations.listing import (
    Asked,
    Cursor,
    Limit,
    NodeId,
    Whole,
    operation,
    paged,
    place_of,
)
from wangchuan.operations.operation import Page
from wangchuan.operations.rights import Principal
from wangchuan.types import (
    Course,
    Entry,
    Explanation,
    Forgotten,
    Hit,
    Line,
    Network,
    Node,
    Pass,
    Shift,
    Stub,
    Survival,
    value,
)

if TYPE_CHECKING:
    from wangchuan.host import Host
    from wangchuan.memory import Memory
    from wangchuan.notebook.process import Process

LARGEST = 195_000  # bytes of a picture
# Characters of a text, and links for each memory, in a picture; the first that let it fit.
CUTS = ((4000, 100.0), (300, 12.0), (90, 5.0), (40, 3.0), (16, 2.0), (16, 1.0), (8, 0.5))
PHRASE_ONLY = 60  # characters, below which a text is left to its phrase
MOST_SHIFTS = 200  # of a replay that are told one by one
LAST = 2**62  # entry of a journal
LONGEST_TOLD = 300  # characters of a text in the journal
MOST_NAMED = 200  # memories at once
LONGEST_NAME = 120  # characters
LONGEST_SHOWN = 4000  # characters of a session's two sides
SPENT = ("model_calls_per_day", "model_tokens_per_day")  # what models may cost
AS_NOW: dict[str, Any] = {}
PageName = Annotated[str, Field(max_length=200)]


@value
class Me:
    """Whoever asks: a name, the agents (`*`: all) and the rights."""

    name: str
    agents: tuple[str, ...]
    rights: tuple[str, ...]


@value
class Standing:
    """How a memory stands: why it is as it is if it lives, why it went if it is forgotten.

    Of one that never was, or is erased, there is neither.
    """

    lives: Explanation | None
    gone: Forgotten | None


@value
class Named:
    """A memory by the beginning of what it says."""

    id: str
    text: str


@value
class Then:
    """A memory as it was at a time; null if it was not there then."""

    node: Node | None


@value
class Shelf:
    """What there is of a notebook: none, or pages of knowledge; `full`, a task and sessions too."""

    there: bool
    full: bool
    pages: tuple[str, ...]


@value
class Prospect:
    """What other settings would have left of a history, in short.

    `alive`, `faded`, `forgotten` and `cold` are numbers of memories; `shifts` are the first of the
    `moved` memories that would stand elsewhere, `was` and `curve` what was and would be left.
    """

    settings: dict[str, Any]
    passes: int
    alive: int
    faded: int
    forgotten: int
    cold: int
    moved: int
    shifts: tuple[Shift, ...]
    was: tuple[Survival, ...]
    curve: tuple[Survival, ...]
    gaps: tuple[str, ...]


@value
class Step:
    """A TODO of a task; `current` is where the pointer stands."""

    text: str
    done: bool
    depth: int
    current: bool


@value
class Doing:
    """The task of an agent: its goal, how it stands, its steps, rules, and what was done."""

    goal: str
    stage: str
    begun: str
    steps: tuple[Step, ...]
    rules: tuple[str, ...]
    journal: tuple[str, ...]


@value
class Written:
    """A version of a page of knowledge: who wrote it, when and why."""

    number: int
    at: float
    author: str
    reason: str
    length: int


@operation("me", "read", "GET /v1/me")
def me(host: Host, principal: Principal) -> Me:  # noqa: ARG001 (asked of the host as a whole)
    """Call this to see whose token it is: their agents and rights."""
    return Me(principal.name, tuple(sorted(principal.agents)), tuple(sorted(principal.rights)))


@operation("standing", "read", "GET nodes/{node_id}/standing")
def standing(memory: Memory, node_id: NodeId) -> Standing:
    """Call this to see how a memory stands, whether it lives or is forgotten."""
    with suppress(NotFound):
        return Standing(memory.explain(node_id), None)
    with suppress(NotFound):
        return Standing(None, memory.look.in_trash(node_id))
    return Standing(None, None)


@operation("names", "read", "GET names")
def names(
    memory: Memory, ids: Annotated[list[NodeId], Field(max_length=MOST_NAMED)]
) -> Page[Named]:
    """Call this for what some memories say in short, by their ids, whether they live or are
    forgotten; of those that never were, or are erased, there is nothing.
    """
    stands = ((one, standing(memory, one)) for one in dict.fromkeys(ids))
    found = ((one, how.lives or how.gone) for one, how in stands)
    return Page([Named(one, beginning(told.original, LONGEST_NAME)) for one, told in found if told])


@operation("look.search", "read", "POST look/search", "look.search")
def look_search(
    memory: Memory, query: Asked, limit: Limit = 10, forgotten: bool = False
) -> Page[Hit]:
    """Call this to search as a person who only looks: what is found does not count as used."""
    return Page(memory.look.search(query, limit=limit, forgotten=forgotten))


@operation("then", "read", "GET nodes/{node_id}/then")
def then(memory: Memory, node_id: NodeId, at: Annotated[float, Field(ge=0, le=1e11)]) -> Then:
    """Call this to see a memory as it was at a time, if it was there."""
    return Then(memory.look.node(node_id, at))


@operation("journal", "read", "GET journal")
def journal(
    memory: Memory,
    limit: Limit = 20,
    cursor: Cursor = None,
    node: NodeId | None = None,
    undoable: bool = False,
) -> Page[Entry]:
    """Call this to read the journal, newest first: what happened to memories, or to one of them,
    with their texts of that time; `undoable`, only changes that are kept for undoing.
    """
    found = memory.history.entries(
        limit + 1, node=node, before=place_of(cursor, LAST), undoable=undoable
    )
    shown = [_cut_entry(entry) for entry in found[:limit]]
    return Page(shown, str(shown[-1].seq) if len(found) > limit else None)


def _cut_entry(entry: Entry) -> Entry:
    before = entry.before and beginning(entry.before, LONGEST_TOLD)
    return replace(entry, text=beginning(entry.text, LONGEST_TOLD), before=before)


@operation("passes", "read", "GET passes", "history.passes")
def passes(memory: Memory, most: Annotated[int, Field(ge=2, le=1000)] = 300) -> Page[Pass]:
    """Call this to see when passes ended, oldest first; of many, so many of them and evenly."""
    return Page(memory.history.passes(most))


@operation("course", "read", "GET nodes/{node_id}/course", "look.course")
def course(memory: Memory, node_id: NodeId) -> Course:
    """Call this to draw how a memory fades: since the focus let it go, until it is forgotten."""
    return memory.look.course(node_id)


@operation("picture", "read", "GET picture")
def picture(
    memory: Memory,
    limit: Annotated[int, Field(ge=1, le=600)] = 100,
    around: NodeId | None = None,
) -> Network:
    """Call this to draw the memory as `network` tells it, in an answer that stays small: of many
    memories the texts are cut and only the strongest links are told.
    """
    whole = memory.look.network(limit, around)
    pictures = (_cut(whole, letters, links) for letters, links in CUTS)
    fitting = (one for one in pictures if len(_NETWORK.dump_json(one)) <= LARGEST)
    return next(fitting, _cut(whole, *CUTS[-1]))


_NETWORK = TypeAdapter(Network)


def _cut(network: Network, letters: int, links: float) -> Network:
    most = int(links * len(network.dots))
    tags = letters // PHRASE_ONLY  # keywords go with the text
    dots = tuple(
        replace(
            dot,
            phrase=beginning(dot.phrase, letters),
            content=beginning(dot.content, letters) if letters >= PHRASE_ONLY else "",
            keywords=dot.keywords[:tags],
            relation=dot.relation and beginning(dot.relation, letters),
            kept=round(dot.kept, 4),
            importance=round(dot.importance, 4),
            strength=round(dot.strength, 4),
        )
        for dot in network.dots
    )
    lines, stubs = _strongest(network.lines, most), _strongest(network.stubs, most)
    return replace(network, dots=dots, lines=lines, stubs=stubs)


Tie = TypeVar("Tie", Line, Stub)


def _strongest(ties: tuple[Tie, ...], most: int) -> tuple[Tie, ...]:
    chosen = sorted(ties, key=lambda tie: -tie.strength)[:most]
    return tuple(replace(tie, strength=round(tie.strength, 4)) for tie in chosen)


@operation("settings", "read", "GET settings")
def settings(memory: Memory) -> dict[str, Any]:
    """Call this for the settings that decide what lasts, and what models may cost."""
    held = memory.look.settings
    return {name: getattr(held, name) for name in (*REPLAYED, *SPENT)}


@operation("what_if", "admin", "POST what_if")
def what_if(memory: Memory, settings: dict[str, Any] = AS_NOW) -> Prospect:
    """Call this to see in short what `replay` would tell: what other settings would have left."""
    told = memory.history.replay(**settings)
    return Prospect(
        settings=told.settings,
        passes=told.passes,
        alive=len(told.alive),
        faded=len(told.faded),
        forgotten=len(told.forgotten),
        cold=len(told.cold),
        moved=len(told.shifts),
        shifts=told.shifts[:MOST_SHIFTS],
        was=told.was,
        curve=told.curve,
        gaps=told.gaps,
    )


@operation("doctor", "read", "GET doctor")
def doctor(memory: Memory) -> Page[str]:
    """Call this to examine a memory: files, queue and consistency; nothing means sound."""
    return Page(memory.look.faults())


@operation("jobs.retry", "write", "POST jobs/retry")
def jobs_retry(memory: Memory) -> dict[str, int]:
    """Call this to take up again the jobs that failed."""
    return {"jobs": memory.jobs.retry()}


# the notebook


@operation("notebook.shelf", "read", "GET notebook")
def notebook_shelf(memory: Memory) -> Shelf:
    """Call this to see whether there is a notebook, and which pages of knowledge it has."""
    if memory.look.settings.work_dir is None:
        return Shelf(False, False, ())
    book = memory.notebook
    return Shelf(True, book.is_full, tuple(book.knowledge.pages()))


@operation("notebook.task", "read", "GET notebook/task")
def notebook_task(memory: Memory) -> Doing:
    """Call this to see what the agent is doing: its task, with the step it is at."""
    return _doing(memory.notebook.task.read())


def _doing(process: Process) -> Doing:
    current = process.current
    steps = [Step(one.text, one.done, one.depth, one is current) for one in process.todos]
    return Doing(
        process.goal,
        process.stage,
        process.begun,
        tuple(steps),
        process.rules,
        tuple(process.journal),
    )


@operation("notebook.versions", "read", "GET notebook/versions/{page}")
def notebook_versions(
    memory: Memory, page: PageName, limit: Limit = 50, cursor: Cursor = None
) -> Page[Written]:
    """Call this to list the versions of a page of knowledge, newest first."""
    found = [
        Written(one.number, one.at, one.author, one.reason, len(one.text))
        for one in memory.notebook.knowledge.versions(page)
    ]
    return paged(lambda _: found[::-1], limit, cursor)


@operation("notebook.diff", "read", "GET notebook/diff/{page}")
def notebook_diff(memory: Memory, page: PageName, old: Whole, new: Whole) -> str:
    """Call this to see how two versions of a page of knowledge differ."""
    return memory.notebook.knowledge.diff(old, new, page)


@operation("notebook.sessions", "read", "GET notebook/sessions")
def notebook_sessions(memory: Memory, limit: Limit = 20, cursor: Cursor = None) -> Page[Session]:
    """Call this to list the sessions of an agent, newest first: what was asked, what came of it."""

    def found(most: int) -> list[Session]:
        newest = memory.notebook.sessions.newest(most, agent=memory.agent_id)
        return [_shown(session) for session in newest[::-1]]

    return paged(found, limit, cursor)


def _shown(session: Session) -> Session:
    sides = (side[:LONGEST_SHOWN] for side in (session.request, session.response))
    request, response = sides
    return replace(session, request=request, response=response, history="", task="")
