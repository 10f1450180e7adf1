"""The nouns of Wangchuan, as frozen values.

They carry no behaviour beyond their construction: the rules are in `network`, the rows in
`storage`. Times are seconds since the epoch, lengths are characters, strengths lie in [0, 1].
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from datetime import datetime
from functools import cache, partial
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")

Clock = Callable[[], float]
Moment = float | datetime  # seconds since 1970, or the same as a datetime
Scalar = str | int | float | bool | None  # what metadata may hold

# Relations named by us; models name the others.
BEFORE, AFTER, REMINDED, MERGED = "上文", "下文", "想起", "合并"
# What a link with an old node is called if by nobody else.
RELATED = {"zh": "相关", "en": "related"}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """Make a class what `dataclass(frozen=True, slots=True)` makes it, at a third of the cost.

    For every class that one writes and compiles six functions, which took a third of the time of
    importing all. Here `__init__` is the only one, and written when the first value is made; the
    others are the same for all classes.
    """
    registers = any("__init_subclass__" in vars(base) for base in cls.__mro__[1:-1])
    slots = not registers  # a class with slots is a second class, and would register twice
    made: Any = dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    writing = _init if cls.__module__ == __name__ else _begun  # public ones show what they take
    made.__init__ = writing(made, slots=slots)
    made.__repr__, made.__eq__, made.__hash__ = reprlib.recursive_repr()(_repr), _eq, _hash
    made.__setattr__, made.__delattr__, made.__reduce__ = _refuse, _refuse, _reduce
    return made  # type: ignore[no-any-return]


def _begun(made: Any, *, slots: bool) -> Callable[..., None]:
    """Return what writes `__init__` for the first value: of most classes loaded there is none."""

    def init(self: Any, *given: Any, **named: Any) -> None:
        made.__init__ = _init(made, slots=slots)
        made.__init__(self, *given, **named)

    return init


def _init(made: Any, *, slots: bool) -> Callable[..., None]:
    """Write the function that sets the fields of a value: the slots of one themselves, if any."""
    given: dict[str, Any] = {"_set": object.__setattr__, "_none": MISSING}
    heads, lines = ["self"], []
    for one in sorted(fields(made), key=lambda one: one.kw_only is True):
        if not one.init:  # set by what is called at the end
            continue
        heads += ["*"] * (one.kw_only is True and "*" not in heads)
        name, default = one.name, one.default
        fresh = one.default_factory is not MISSING
        given |= {f"_of_{name}": one.default_factory if fresh else default}
        heads.append(name + ("=_none" * fresh or f"=_of_{name}" * (default is not MISSING)))
        shown = f"_of_{name}() if {name} is _none else {name}" if fresh else name
        given |= {f"_set_{name}": getattr(made, name).__set__} if slots else {}
        lines.append(f" _set_{name}(self, {shown})" if slots else f" _set(self, {name!r}, {shown})")
    if hasattr(made, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec("\n".join([f"def __init__({', '.join(heads)}):", " pass", *lines]), given)
    init: Callable[..., None] = given["__init__"]
    return init


@cache
def _reading(kind: Any, *, hashed: bool = False) -> Callable[[Any], Any]:
    """Return what reads all fields of a value, or those that its hash is made of."""
    named = [one.name for one in fields(kind) if one.hash is not False or not hashed]
    if len(named) > 1:
        return attrgetter(*named)
    return lambda one: tuple(getattr(one, name) for name in named)


def _repr(self: Any) -> str:
    named = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self))
    return f"{type(self).__qualname__}({', '.join(named)})"


def _eq(self: Any, other: object) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    kind: Any = type(self)
    return _reading(kind)(self) == _reading(kind)(other)


def _hash(self: Any) -> int:
    kind: Any = type(self)
    return hash(_reading(kind, hashed=True)(self))


def _refuse(self: Any, name: str, *_: Any) -> NoReturn:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot change field {name!r}")


def _reduce(self: Any) -> tuple[Any, ...]:
    kind: Any = type(self)
    given = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
    return partial(kind, **given), ()


@value
class Message:
    """One message of a conversation, as accepted."""

    role: str
    content: str
    id: str | None = None
    name: str | None = None
    timestamp: float | None = None
    session: str | None = None
    metadata: dict[str, Scalar] = field(default_factory=dict, hash=False)


@value
class Node:
    """One node as it stands now; `content` is what is left of its text."""

    id: str
    kind: str
    content: str
    phrase: str
    keywords: tuple[str, ...]
    created_at: float
    scan_count: int
    original_length: int
    sources: tuple[str, ...]


@value
class Link:
    """A directed link with its effective strength; dangling: its target is forgotten."""

    source: str
    target: str
    strength: float
    relation: str | None
    dangling: bool = False


@value
class Explanation:
    """Why a node stands where it stands.

    `importance` is the sum of the strengths listed in `links` (its own) and `support` (of the
    focus nodes pointing at it); `target_length` is the number of characters, not rounded, that
    the next pass would leave it; `passes_left` counts the passes until it is forgotten if nothing
    else happens (None: not in sight); `protections` says in words what keeps it from fading.

    `activity` holds the seven terms that sum to `score`, as of now; `state` is "active" or "cold"
    as the last tick left it, `cold_since` when one found it cold (seconds since 1970), and `marks`
    may hold "merge" and "delete": suggestions, no more. What is cold is found and marked by search
    and recall; the context takes it only where nothing active answers. `signals` holds what the
    terms are made of: degrees, counts, and times in seconds since 1970.
    `weight` is what days have left of a fact or an episode. `original` is the whole text, and where
    it came from is in `node.sources`.
    """

    node: Node
    importance: float
    target_length: float
    links: tuple[Link, ...]
    support: tuple[Link, ...]
    protections: tuple[str, ...]
    passes_left: int | None
    activity: dict[str, float] = field(default_factory=dict)
    score: float = 0.0
    state: str = "active"
    marks: tuple[str, ...] = ()
    weight: float | None = None
    cold_since: float | None = None
    signals: dict[str, float | None] = field(default_factory=dict)
    original: str = ""


@value
class Item:
    """What a framework keeps under a key of a namespace; `score` says how well it was found."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    created_at: float
    updated_at: float
    score: float | None = None


@value
class MergeSuggestion:
    """Nodes that say the same; `overlap` is the share of their words in common."""

    nodes: tuple[Node, ...]
    overlap: float
    reason: str


@value
class Fact:
    """Something learned: a fact, a core memory or an episode (its `kind`).

    `weight` is what is left of it today, `used_at` when it was last used, `source` who says so
    (user, background_ai or system), `verified` whether a person confirmed it, `sources` the
    messages it came from, `successor` what replaced it, and `review` the decision it waits for.
    """

    id: str
    kind: str
    text: str
    topic: str
    weight: float
    source: str
    verified: bool
    created_at: float
    used_at: float
    sources: tuple[str, ...]
    successor: str | None = None
    review: str | None = None


@value
class Hit:
    """Something a search found.

    The `score` lies between 0 and 1, alike for all questions: a half is a fair part of a short
    question or some telling words of a long one. `terms` are the parts that sum to it: `text` (its
    own words), `link` (words of the turns it answers or that answer it), `talk` (of its whole
    conversation), `speaker`, `time`, `step` (words of better answers) and `vector`. `path`
    names the steps by which a neighbour brought it, when that counted more than its own words.
    `node` is None while a message waits to be digested. `lost` is "forgotten" for what lies in
    the trash, "faded" where the words found are no longer in what is left, and "cold" for what has
    not been used for long; `restore` brings the first back, being found again the last.
    """

    node: Node | None
    score: float
    terms: dict[str, float]
    path: tuple[str, ...]
    sources: tuple[Message, ...]
    lost: str | None = None

    @property
    def text(self) -> str:
        """Return what is left of the node; the message itself if none was made of it."""
        return self.node.content if self.node is not None else self.sources[0].content


@value
class Part:
    """One entry of a block: `text` as it stands there, and what it says apart from who and when.

    `kind` is core, fact, episode, said or lost (known once). `source` is the id of the node or the
    message, `at` when it was said or learned, `who` said it.
    """

    kind: str
    text: str
    content: str
    source: str | None = None
    at: float | None = None
    who: str | None = None


class Block(str):
    """The block of memory for a prompt: a text, and its `parts` for who lays out a prompt."""

    parts: tuple[Part, ...]

    def __new__(cls, text: str = "", parts: tuple[Part, ...] = ()) -> Block:
        """Make a block of a text and its parts."""
        block = super().__new__(cls, text)
        block.parts = parts
        return block


@value
class Forgotten:
    """A node in the trash: what was left of it, why and when it went, and its `original` text."""

    node: Node
    reason: str
    at: float | None
    original: str = ""


@value
class Erasure:
    """The receipt of an erasure: what was destroyed, and that nothing of it is left.

    `nodes` and `messages` are the ids of what is gone, `removed` how much that was in each place
    (messages, memories, links, facts, evidence, index, vectors, journal, undo, signals, answers,
    jobs, speakers, copies, files). Afterwards `scanned` pieces of the erased text were looked for
    in every file of the folder, byte by byte; `remains` names the files that still hold one, and
    `elsewhere` counts pieces that stand in other nodes, too, and so are still there. Pages of
    the notebook are the owner's own files and stay; `pages` names those that hold a piece. `beyond`
    says what is out of our reach, and whose it is to do: of a server's log, replicas and backups.
    """

    agent: str
    nodes: tuple[str, ...]
    messages: tuple[str, ...]
    removed: dict[str, int]
    scanned: int = 0
    remains: tuple[str, ...] = ()
    elsewhere: int = 0
    pages: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()


@value
class Change:
    """One entry of the journal."""

    seq: int
    at: float
    passes: int
    kind: str
    node: str | None
    detail: dict[str, Any]


@value
class Undone:
    """A change and the way back from it.

    `seq`, `kind`, `node` and `at` are those of its journal entry, `effects` says in words what
    undoing it does, `refusal` why it cannot be undone (None: it can), and `entry` is the number
    of the journal entry of the undoing, which can be undone in turn (None: nothing was done).
    """

    seq: int
    kind: str
    node: str | None
    at: float
    effects: tuple[str, ...] = ()
    refusal: str | None = None
    entry: int | None = None


@value
class Entry:
    """An entry of the journal about a memory, as people read it.

    `text` is what the memory said afterwards, `before` what it said until then (None: the same),
    `reason` why it happened, and `undo` the change of which the entry is a part (None: it cannot
    be undone, or no longer).
    """

    seq: int
    at: float
    passes: int
    kind: str
    node: str
    text: str
    before: str | None = None
    reason: str = ""
    undo: Undone | None = None


@value
class Pass:
    """A pass by its number, and when it ended."""

    number: int
    at: float


@value
class Survival:
    """What was left of all that had been remembered, after so many passes.

    `alive` counts living nodes; `importance` is the mean importance of what had been remembered
    by then and `length` the mean share of its characters that was left, forgotten ones being 0.
    """

    passes: int
    alive: int
    importance: float
    length: float


@value
class Shift:
    """A node that would stand elsewhere: "alive" (whole), "faded" or "forgotten".

    `was` and `would` are these, `left` and `would_leave` the characters that are left of it.
    """

    id: str
    phrase: str
    was: str
    would: str
    left: int
    would_leave: int


@value
class Replay:
    """A history done again, perhaps by other settings (`settings`, empty if by its own).

    `alive`, `faded` and `forgotten` are the ids of the nodes that would be whole, shortened and
    in the trash, `cold` those that its ticks would leave cold; `shifts` those for which that is not
    so now. `was` and `curve` are the survival
    curves of the history as it was and as it would be. `differences` says, where settings are
    unchanged, in what the rebuilt state is not the live one, and `gaps` what the journal no longer
    tells, so that it could not be done again. `skipped` counts what could not be done because the
    memory would not have been there (or not gone) by then.
    """

    settings: dict[str, Any]
    passes: int
    operations: int
    alive: tuple[str, ...]
    faded: tuple[str, ...]
    forgotten: tuple[str, ...]
    shifts: tuple[Shift, ...]
    was: tuple[Survival, ...]
    curve: tuple[Survival, ...]
    differences: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    skipped: int = 0
    cold: tuple[str, ...] = ()


@value
class Event:
    """Something that happened in an agent's memory; `detail` depends on `name`."""

    name: str
    agent: str
    detail: dict[str, Any] = field(default_factory=dict)


@value
class Usage:
    """What the model calls of one routine cost; failed calls count too."""

    calls: int = 0
    failures: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


@value
class Stats:
    """The figures of one agent's memory."""

    agent: str
    nodes: int
    focus: int
    links: int
    fading: int
    forgotten: int
    messages: int
    passes: int
    pending: int
    failed: int
    bytes: int
    usage: dict[str, Usage]
    trouble: str | None = None  # why the first of the remembers that wait was put off


@value
class Job:
    """A row of the queue: `state` is "pending", "done" or "failed".

    `attempts` counts failed tries and `reason` says why the last one failed. `nodes` are the ids of
    the nodes that it made so far.
    """

    id: str
    kind: str
    state: str
    attempts: int
    accepted_at: float
    finished_at: float | None
    reason: str | None
    nodes: tuple[str, ...]


@value
class Lifecycle:
    """How many nodes live, are cold, or are marked, as of the last tick."""

    memories: int
    cold: int
    mergeable: int
    deletable: int


@value
class Said:
    """A message as it is kept: its place in the conversation, and when it counts as said."""

    seq: int
    id: str
    role: str
    name: str | None
    content: str
    timestamp: float | None
    talk: int
    place: int
    said_at: float
    session: str | None = None
    metadata: dict[str, Scalar] = field(default_factory=dict, hash=False)


@value
class Doomed:
    """What an erasure would destroy: nodes with the whole text that is stored, and messages."""

    nodes: tuple[Node, ...]
    messages: tuple[Said, ...]


@value
class Dot:
    """A living node in the picture; `reached_from` is the dot before it on the best path."""

    id: str
    phrase: str
    content: str
    keywords: tuple[str, ...]
    kept: float
    importance: float
    passes_left: int | None
    in_focus: bool
    reached_from: str | None
    relation: str | None
    strength: float


@value
class Line:
    """Two linked dots; the names and the strength of whichever of the two links is stronger."""

    source: str
    target: str
    strength: float
    relations: tuple[str, ...]


@value
class Stub:
    """A link from a dot to something forgotten."""

    source: str
    target: str
    strength: float
    relation: str | None


@value
class Network:
    """What a picture shows of a memory; `memories` is how many there are in all."""

    agent: str
    memories: int
    passes: int
    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    stubs: tuple[Stub, ...]


@value
class Stand:
    """How a node stands at a pass: the share of its text that stays, and its importance.

    `importance` is None where the journal alone tells of it.
    """

    passes: int
    importance: float | None
    left: float


@value
class Course:
    """How a node fades: `now` is the present pass, `ends` the one in which it is forgotten.

    `ends` is None while no end is in sight; `length` is that of the whole text.
    """

    now: int
    ends: int | None
    length: int
    stands: tuple[Stand, ...]
