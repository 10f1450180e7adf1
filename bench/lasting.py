"""What lasts when a conversation is told turn by turn, over one conversation and over a whole life.

Two messages are one `remember`, as an agent takes a turn. Every conversation of a file is told to
an agent of its own, and all, one after the other, to one agent. Then every question is asked with
its words alone. Beside that stand other settings, whole sessions in one `remember`, plain BM25
over all that was said and, at equal kept characters, simpler ways to forget. No model takes part.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.bm25 import BM25, words
from bench.core import table
from bench.forgetting import OURS as LEFT
from bench.forgetting import POLICIES, Texts, left_of, others
from bench.picture import Panel, picture
from bench.retrieval import PATIENCE, PLAIN, opened, weight
from bench.spaces import DEPTHS, Question, Space, Turn, found_files, spaces
from wangchuan import Memory
from wangchuan.errors import InvalidInput
from wangchuan.finding.recall import SEPARATOR
from wangchuan.language.labels import keywords
from wangchuan.settings.fields import load

HOW = """\
usage: ./run bench lasting [--spaces=N] [--questions=N] [--context] FILE…
The files are those of `./run bench retrieval`. --spaces and --questions take that many
conversations of a file, and questions of each; --context asks for the block before every turn."""
RESULTS = Path(__file__).with_name("results")
DEPTH = 10
AGES = 6  # parts of a life, oldest first; two are a third
THIRDS = ("oldest third", "middle third", "newest third")
ENOUGH = 0.6  # of the words of evidence, in one entry
ALONE, LIFE = "each conversation alone", "one life"
TURNS, SESSIONS = "turn by turn", "sessions at once"
WAYS: dict[str, dict[str, Any]] = {
    TURNS: {},
    'strategy="every"': {"strategy": "every"},
    "decay_rate=1": {"decay_rate": 1},
    SESSIONS: {},
}
LEARNING = 30  # seconds for what is learned in the background; what is tried again takes longer
NOT_THERE = "no such setting"

Met = tuple[bool, ...]  # of each group of evidence


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one question, and in which part of the life each group of evidence was said."""

    question: Question
    parts: tuple[int, ...]
    ids: list[str]
    context: Met = ()
    recalled: Met = ()

    def found(self, depth: int) -> Met:
        """Tell which groups are among the first distinct ids."""
        top = set(islice(dict.fromkeys(self.ids), depth))
        return tuple(bool(group & top) for group in self.question.evidence)


@dataclass(slots=True)
class Row:
    """The figures of one way to tell the conversations."""

    answers: list[Answer] = field(default_factory=list)
    whole: Counter[tuple[str, int]] = field(default_factory=Counter)  # characters, by what and part
    left: Counter[tuple[str, int]] = field(default_factory=Counter)
    figures: Counter[str] = field(default_factory=Counter)

    def share(self, met: Callable[[Answer], Met], third: int | None = None) -> float:
        """Return how much was met, in percent: the mean over questions, or over groups of a third.

        A question may ask for evidence of several ages; of a third, every group counts alike.
        """
        if third is None:
            return 100 * fmean(fmean(met(a)) for a in self.answers)
        return self.of_parts(met, (2 * third, 2 * third + 1))

    def of_parts(self, met: Callable[[Answer], Met], parts: Sequence[int]) -> float:
        pairs = ((part, m) for a in self.answers for part, m in zip(a.parts, met(a), strict=True))
        return 100 * fmean([m for part, m in pairs if part in parts] or [0.0])

    def kept(self, what: str, parts: Iterable[int] = range(AGES)) -> float:
        """Return the share of characters that are left, in percent."""
        chosen = list(parts)
        whole = sum(self.whole[what, part] for part in chosen)
        return 100 * sum(self.left[what, part] for part in chosen) / max(1, whole)


@dataclass(slots=True)
class Sheet:
    """The figures of one file, by life and way."""

    name: str
    turns: int = 0
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)

    def row(self, life: str, way: str) -> Row:
        return self.rows.setdefault((life, way), Row())


def found_within(depth: int) -> Callable[[Answer], Met]:
    return lambda answer: answer.found(depth)


found = found_within(DEPTH)


# the lives


def as_turns(space: Space) -> Space:
    """Return a space whose sessions are the turns of its sessions: two messages each."""
    pairs = (s[n : n + 2] for s in space.sessions for n in range(0, len(s), 2))
    return replace(space, sessions=tuple(pairs))


def one_life(given: Sequence[Space]) -> Space:
    """Return all spaces as one, one after the other; ids get the number of their space."""

    def renamed(turn: Turn, n: int) -> Turn:
        return replace(turn, id=f"{n}/{turn.id}")

    return Space(
        name="life",
        language=given[0].language,
        sessions=tuple(
            tuple(renamed(turn, n) for turn in session)
            for n, space in enumerate(given)
            for session in space.sessions
        ),
        questions=tuple(
            replace(q, evidence=tuple(frozenset(f"{n}/{i}" for i in g) for g in q.evidence))
            for n, space in enumerate(given)
            for q in space.questions
        ),
    )


def ages(space: Space) -> dict[str, int]:
    """Return for each message id the part of the life in which it was said last."""
    turns = as_turns(space).sessions
    return {one.id: AGES * n // len(turns) for n, turn in enumerate(turns) for one in turn}


def sampled(space: Space, most: int | None) -> Space:
    """Return a space with at most so many of its questions, spread evenly."""
    step = max(1, -(-len(space.questions) // most)) if most else 1
    return replace(space, questions=space.questions[::step])


# measuring


def tell(memory: Memory, space: Space, ask: bool) -> None:
    """Remember every session of a space; each is digested before the next."""
    for session in space.sessions:
        if ask:
            memory.context(session[0].content).result(PATIENCE)
        said = [
            {"role": t.role, "content": t.content, "name": t.name, "id": t.id, "timestamp": t.at}
            for t in session
        ]
        memory.remember(said).result(PATIENCE)
    memory.flush(LEARNING)


def bags(space: Space) -> dict[str, list[set[str]]]:
    """Return the words of the messages of each id."""
    said: dict[str, list[set[str]]] = {}
    for turn in space.turns:
        said.setdefault(turn.id, []).append(set(words(turn.content)))
    return said


def stands(said: dict[str, list[set[str]]], question: Question, entries: Iterable[str]) -> Met:
    """Tell of each group whether one entry holds most words of one of its messages."""
    shown = [set(words(entry)) for entry in entries]

    def is_there(message: set[str]) -> bool:
        return any(len(message & bag) >= ENOUGH * len(message) for bag in shown if message)

    return tuple(any(is_there(m) for one in g for m in said[one]) for g in question.evidence)


def ask(memory: Memory, space: Space) -> Iterator[Answer]:
    """Ask all questions of a space: for the block, which changes nothing, before the others."""
    age, said = ages(space), bags(space)
    for question in space.questions:
        block = memory.context(question.text).result(PATIENCE).splitlines()
        hits = memory.search(question.text, limit=space.limit).result(PATIENCE)
        recalled = memory.recall(keywords(question.text)).result(PATIENCE)
        yield Answer(
            question,
            parts_of(question, age),
            [hit.sources[0].id or "" for hit in hits],
            stands(said, question, block),
            stands(said, question, recalled.split(SEPARATOR)),
        )


def parts_of(question: Question, age: dict[str, int]) -> tuple[int, ...]:
    return tuple(max(age[one] for one in group) for group in question.evidence)


def evidence_of(space: Space) -> set[str]:
    """Return the ids of all messages that any question asks for."""
    return {one for q in space.questions for group in q.evidence for one in group}


def note_left(row: Row, space: Space, texts: Texts, wanted: set[str]) -> None:
    """Add how many characters are left, of all messages and of those that are evidence."""
    age = ages(space)
    for turn, text in zip(space.turns, texts, strict=True):
        for what in ("text", "evidence") if turn.id in wanted else ("text",):
            row.whole[what, age[turn.id]] += len(turn.content)
            row.left[what, age[turn.id]] += min(len(text), len(turn.content))  # joints add some


def searched(space: Space, texts: Texts) -> Iterator[Answer]:
    """Let plain BM25 answer from texts, one per message; empty ones are not found."""
    numbers = [n for n, text in enumerate(texts) if text]
    index, age = BM25([texts[n] for n in numbers]), ages(space)
    turns = space.turns
    for question in space.questions:
        ids = dict.fromkeys(turns[numbers[n]].id for n in index.ranked(question.text))
        yield Answer(question, parts_of(question, age), list(islice(ids, max(DEPTHS))))


def measure(sheet: Sheet, life: str, space: Space, wanted: set[str], with_context: bool) -> None:
    """Add the figures of one space, told to one agent in every way; wanted is its evidence."""
    for way, settings in WAYS.items():
        if not is_known(settings):
            continue
        row = sheet.row(life, way)
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            with opened(Path(folder), space, **settings) as memory:
                told = space if way == SESSIONS else as_turns(space)
                tell(memory, told, with_context and way != SESSIONS)
                row.figures["seconds"] += round(time.perf_counter() - began)
                texts, stats = left_of(memory, space), memory.stats()
                row.answers += ask(memory, space)
            row.figures.update(
                messages=len(space.turns),
                turns=len(told.sessions),
                memories=stats.nodes,
                links=stats.links,
                bytes=weight(Path(folder)),
            )
        note_left(row, space, texts, wanted)
        if way == TURNS:
            measure_others(sheet, life, space, texts)


def measure_others(sheet: Sheet, life: str, space: Space, texts: Texts) -> None:
    """Ask plain BM25 of all that was said, of what is left, and of what simpler ways keep."""
    named = [f"{turn.name}: {turn.content}" for turn in space.turns]
    whole = [turn.content for turn in space.turns]
    for policy, kept in ((PLAIN, named), (LEFT, texts), *others(whole, texts)):
        sheet.row(life, policy).answers += searched(space, kept)


def is_known(settings: dict[str, Any]) -> bool:
    try:
        load(settings)
    except InvalidInput:
        return False
    return True


def measured(file: Path, options: dict[str, int]) -> Sheet:
    """Return the figures of a file."""
    whole, sheet = spaces(file)[: options.get("spaces")], Sheet(file.name)
    given = [sampled(space, options.get("questions")) for space in whole]
    asking = "context" in options
    for space, all_asked in zip(given, whole, strict=True):
        measure(sheet, ALONE, space, evidence_of(all_asked), asking)
    life = one_life(given)
    sheet.turns = len(as_turns(life).sessions)
    if len(given) > 1:
        measure(sheet, LIFE, life, evidence_of(one_life(whole)), asking)
    return sheet


# telling


def lives(sheet: Sheet) -> list[str]:
    return list(dict.fromkeys(life for life, _ in sheet.rows))


def figures(sheet: Sheet, life: str) -> str:
    """Return what is found and what stands in blocks, by way and age."""
    lines: list[tuple[object, ...]] = []
    for way in (*WAYS, PLAIN):
        row = sheet.rows.get((life, way))
        if row is None:
            lines.append((way, NOT_THERE, *["–"] * 5))
            continue
        shares: list[Callable[[Answer], Met]] = [found]
        if way != PLAIN:
            shares += [lambda a: a.context, lambda a: a.recalled]
        cells = [by_age(row, share) for share in shares] + ["–"] * (3 - len(shares))
        at = (f"{row.share(found_within(depth)):.1f}" for depth in DEPTHS)
        lines.append((way, *at, *cells))
    head = (
        f"{sheet.name}, {life}",
        *(f"recall@{depth}" for depth in DEPTHS),
        f"recall@{DEPTH} by thirds",
        "in `context`: all, by thirds",
        "in `recall`: all, by thirds",
    )
    return table(head, lines)


def by_age(row: Row, met: Callable[[Answer], Met]) -> str:
    thirds = " / ".join(f"{row.share(met, third):.1f}" for third in range(len(THIRDS)))
    return thirds if met is found else f"{row.share(met):.1f}: {thirds}"


def keeping(sheet: Sheet, life: str) -> str:
    """Return what is kept, and what it costs."""
    lines: list[tuple[object, ...]] = []
    for way in WAYS:
        if row := sheet.rows.get((life, way)):
            kept = (
                f"{row.kept(what):.1f}: "
                + " / ".join(f"{row.kept(what, (2 * n, 2 * n + 1)):.1f}" for n in range(3))
                for what in ("text", "evidence")
            )
            f = row.figures
            size = f"{f['bytes'] / f['messages']:,.0f}"
            counts = (f"{f[name]:,}" for name in ("turns", "memories", "links"))
            lines.append((way, *kept, *counts, size, f"{f['seconds']} s"))
    head = (
        f"{sheet.name}, {life}: kept, %",
        "text: all, by thirds",
        "evidence: all, by thirds",
        "remembers",
        "living memories",
        "links",
        "bytes on disk per message",
        "told in",
    )
    return table(head, lines)


def beside(sheet: Sheet, life: str) -> str:
    """Return what plain BM25 finds in as many characters, kept in simpler ways."""
    lines: list[tuple[object, ...]] = []
    for policy in POLICIES:
        row = sheet.row(life, policy)
        thirds = (f"{row.share(found, third):.1f}" for third in range(len(THIRDS)))
        lines.append((policy, f"{row.share(found):.1f}", *thirds))
    head = (f"{sheet.name}, {life}: equal characters", f"BM25 recall@{DEPTH}", *THIRDS)
    return table(head, lines)


@dataclass(frozen=True, slots=True)
class Bar:
    """What files of a name must show when they are told turn by turn."""

    file: str
    what: str
    value: Callable[[Sheet], float]
    least: float
    most: float = float("inf")


def of_sessions(life: str, third: int | None = None) -> Callable[[Sheet], float]:
    """Return how to tell recall as a share of what is found when sessions are told at once."""

    def value(sheet: Sheet) -> float:
        turns, whole = (sheet.row(life, way).share(found, third) for way in (TURNS, SESSIONS))
        return 100 * turns / max(whole, 0.1)

    return value


def ahead(sheet: Sheet) -> float:
    """Return by how much more of the evidence is kept than of the text, in the worst third."""
    row, thirds = sheet.row(LIFE, TURNS), ((0, 1), (2, 3), (4, 5))
    return min(row.kept("evidence", parts) - row.kept("text", parts) for parts in thirds)


def disk(sheet: Sheet) -> float:
    row = sheet.row(LIFE, TURNS).figures
    return row["bytes"] / row["messages"]


BARS = (
    Bar("locomo", f"recall@{DEPTH} of sessions at once, %, {ALONE}", of_sessions(ALONE), 97),
    Bar("locomo", f"recall@{DEPTH} of sessions at once, %, {LIFE}", of_sessions(LIFE), 60),
    Bar("locomo", f"the same, {THIRDS[0]}", of_sessions(LIFE, 0), 40),
    Bar("locomo", f"text kept, %, {LIFE}", lambda s: s.row(LIFE, TURNS).kept("text"), 45, 80),
    Bar("locomo", "evidence kept beyond text, points, worst third", ahead, 0.1),
    Bar("locomo", f"bytes on disk per message, {LIFE}", disk, 0, 2000),
)


def held(sheets: list[Sheet]) -> tuple[str, bool]:
    """Return the table of bars and whether all hold; a file of one conversation has no life."""
    lines: list[tuple[object, ...]] = []
    good = True
    for sheet, bar in ((s, b) for s in sheets for b in BARS if s.name.startswith(b.file)):
        if LIFE not in lives(sheet):
            continue
        value = bar.value(sheet)
        kept = bar.least <= round(value, 1) <= bar.most
        bounds = f"{bar.least:g}" + (f" – {bar.most:g}" if bar.most < float("inf") else " or more")
        lines.append((f"{sheet.name}: {bar.what}", bounds, f"{value:.1f}", "yes" if kept else "no"))
        good = good and kept
    head = ("bars, told turn by turn", "bounds", "measured", "kept")
    return table(head, lines) if lines else "No bars for these files.", good


COLOURS = {
    TURNS: "#c1272d",
    'strategy="every"': "#e39802",
    "decay_rate=1": "#2e8b57",
    SESSIONS: "#0071a7",
    PLAIN: "#7f7f7f",
    "evidence kept": "#c1272d",
    "text kept": "#dda0a0",
}


def plot(sheets: list[Sheet]) -> str:
    """Return two panels per file: what is found, and what is kept, by age."""
    return picture([panel for sheet in sheets for panel in panels(sheet)], COLOURS)


def panels(sheet: Sheet) -> Iterator[Panel]:
    life, each = lives(sheet)[-1], [(part,) for part in range(AGES)]
    shown = [way for way in (*WAYS, PLAIN) if (life, way) in sheet.rows]
    if life == LIFE:
        marks = [f"{sheet.turns * (2 * (AGES - n) - 1) // (2 * AGES)}" for n in range(AGES)]
    else:
        marks = [f"{n + 1}/{AGES}" for n in range(AGES)]
    lines = {way: [sheet.row(life, way).of_parts(found, p) for p in each] for way in shown}
    yield Panel(f"{sheet.name}: recall@{DEPTH}, turns ago", marks, lines)
    row = sheet.row(life, TURNS)
    kept = {f"{what} kept": [row.kept(what, p) for p in each] for what in ("evidence", "text")}
    yield Panel(f"{sheet.name}: % kept, turns ago", marks, kept)


NOTES = f"""\
Told {TURNS}: two messages are one `remember`; *{SESSIONS}*: a session is one. *{LIFE}*:
the conversations of a file one after the other to one agent; their own dates stay. Recall as in
`bench retrieval`; by thirds of the age of the evidence, in turns, oldest first, every group of
evidence counts alike. *In `context`* and *in `recall`* (of the question's keywords, default depth):
one entry holds {ENOUGH:.0%} of the words of the evidence. BM25 is given every message whole, with
its speaker; were the ten best put into a prompt, its recall@10 would be its share in the block.
Recall walks two links from what is in focus, and evidence is hundreds of turns away: it is not
meant to reach that far, says in one line that something was known, and leaves the rest to search.
*Kept*: characters of the living memories, as they are shown, of those that were said; evidence is
what any question of the file asks for, also where only some are asked. *Equal characters*: plain
BM25 over what is left of each message and over as many characters kept otherwise, as in `bench
forgetting`. Facts and episodes are learned, too, and stand in the blocks, but are not *kept*."""


def options_of(names: Sequence[str]) -> dict[str, int]:
    """Return the options among the arguments; ends with how to call it for any other."""
    options = {}
    for name in names:
        option, _, value = name.removeprefix("--").partition("=")
        flag = option == "context" and not value
        if not flag and not (option in ("spaces", "questions") and value.isdecimal()):
            raise SystemExit(f"no option {name}\n{HOW}")
        options[option] = int(value or 1)
    return options


def run(*names: str, results: Path = RESULTS) -> tuple[str, bool]:
    """Measure the files named; good if all bars hold."""
    options = options_of([name for name in names if name.startswith("--")])
    files = found_files([name for name in names if not name.startswith("--")], HOW)
    sheets = [measured(file, options) for file in files]
    results.mkdir(exist_ok=True)
    (results / "lasting.svg").write_text(plot(sheets), encoding="utf-8")
    parts = ["![what is found and kept by age](lasting.svg)"]
    for sheet in sheets:
        for life in lives(sheet):
            parts += [figures(sheet, life), keeping(sheet, life), beside(sheet, life)]
    bars, kept = held(sheets)
    return "\n\n".join([*parts, bars, NOTES]), kept
