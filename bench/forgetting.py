"""What forgetting costs: how much evidence is still found when little of the text is kept.

Every space is remembered turn by turn, as agents do, and once more with a whole session at a time,
without learning facts and episodes, which are kept besides what fades. Then there is some small
talk, so that the focus holds none of it, and time goes by, pass after pass, until what is left of
the space is half, a quarter, a tenth of all its characters. The others keep as many characters in
simpler ways: whole messages, the newest or any, or the same share of every message.

All are searched by the same plain BM25 over what is left of each message. The engine's own search
would not do: it finds a message also by the words around it, and would so credit one of which
nothing is left.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, islice, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.bm25 import BM25
from bench.core import table
from bench.picture import Panel, picture
from bench.retrieval import Answers, digested, opened
from bench.spaces import Space, Turn, found_files, recall, spaces
from bench.talk import OWN, Talk
from wangchuan import Memory
from wangchuan.living.view import Reading

HOW = """\
usage: ./run bench forgetting FILE…
The files are those of `./run bench retrieval`."""
RESULTS = Path(__file__).with_name("results")
WHOLE, KEPT = 1.0, (0.5, 0.25, 0.1)  # shares of all characters
DEPTH = 10
SEEDS = 5  # random choices, of which the mean counts
MOST_PASSES = 4000  # as scans become rarer, the last tenth takes thousands
OURS, NEWEST, ANY, EVEN = "ours", "newest first", "random messages", "every message cut"
SAME = "cut to our lengths"  # tells what our choice of words is worth, apart from how many
POLICIES = (OURS, NEWEST, ANY, EVEN, SAME)
TURN, SESSION = "turn by turn", "session by session"  # how it is fed
SMALL = 12  # turns of small talk: more than the focus holds

Texts = list[str]  # what is left of each message, in order


@dataclass(slots=True)
class Sheet:
    """The figures of one file fed in one way, by policy and share."""

    name: str
    feed: str
    answers: dict[tuple[str, float], Answers] = field(default_factory=dict)
    left: dict[tuple[str, float], list[float]] = field(default_factory=dict)
    characters: Counter[float] = field(default_factory=Counter)  # by share
    passes: dict[float, list[int]] = field(default_factory=dict)
    gone: dict[float, list[bool]] = field(default_factory=dict)  # of each message, all of it

    def found(self, policy: str, share: float) -> float:
        """Return the share of evidence found, in percent; of the whole text for any policy."""
        return recall(self.answers[OURS if share == WHOLE else policy, share], DEPTH)

    def text_left(self, policy: str, share: float) -> float:
        """Return how much of the text of the messages found is left, in percent."""
        return 100 * fmean(self.left[policy, share] or [0.0])


# telling a memory


def tell(memory: Memory, space: Space, feed: str) -> None:
    """Remember a space, then some small talk, after which the focus holds nothing of it."""
    for session in space.sessions:
        at_once = max(1, len(session)) if feed == SESSION else 2
        for start in range(0, len(session), at_once):
            remember(memory, map(said, session[start : start + at_once]))
    small = next(talk for talk in map(Talk.of, map(Path, OWN)) if talk.name == space.language)
    for asked, answered in islice(small.chatter(), SMALL):
        told = (("user", asked), ("assistant", answered))
        remember(memory, ({"role": role, "content": text} for role, text in told))


def said(turn: Turn) -> dict[str, Any]:
    return {
        "role": turn.role,
        "content": turn.content,
        "name": turn.name,
        "id": turn.id,
        "timestamp": turn.at,
    }


def remember(memory: Memory, messages: Iterable[dict[str, Any]]) -> None:
    if memory.remember(list(messages)).status == "rejected":
        raise RuntimeError("a remember was rejected: the queue is full")
    digested(memory)


# keeping


def faded(memory: Memory, space: Space) -> Iterator[tuple[float, Texts, int]]:
    """Let time go by; yield at each share what is left, and after how many passes."""
    whole, made = size(turn.content for turn in space.turns), 0
    for share in KEPT:
        texts = left_of(memory, space)
        while size(texts) > share * whole and made < MOST_PASSES:
            stride = 1 + made // 50  # less changes from one pass to the next the later it is
            made += stride
            let_pass(memory, stride)
            texts = left_of(memory, space)
        yield share, texts, made


def let_pass(memory: Memory, count: int) -> None:
    """Make passes without anything new being said, as only the machine itself can."""
    with memory._agent.store() as store, store.write() as tx:
        for _ in range(count):
            memory._agent.living.schedule.make_pass(tx)
    memory._agent.lane.wake()
    digested(memory)


def left_of(memory: Memory, space: Space) -> Texts:
    """Return what is left of each message: the living memories made of it, as they are shown."""
    parts: dict[int, list[str]] = {number: [] for number in range(1, len(space.turns) + 1)}
    with memory._agent.store() as store, store.read() as tx:
        reading = Reading(tx, memory._agent.living.lens)
        for record in tx.nodes.alive(tx.passes()):
            if record.kind == "segment" and record.message in parts:
                parts[record.message].append(reading.present(record).content)
    return [" ".join(some) for some in parts.values()]


def size(texts: Iterable[str]) -> int:
    return sum(map(len, texts))


def in_order(texts: Texts, order: Iterable[int], budget: int) -> Texts:
    """Keep whole messages in an order until the budget is spent; the last one is cut."""
    kept = [""] * len(texts)
    for number in order:
        kept[number] = texts[number][:budget]
        budget -= len(kept[number])
    return kept


def evenly(texts: Texts, budget: int) -> Texts:
    """Keep the beginning of every message, the same share of each."""
    whole = size(texts) or 1
    ends = accumulate(map(len, texts), initial=0)
    lengths = (
        after * budget // whole - before * budget // whole for before, after in pairwise(ends)
    )
    return [text[:length] for text, length in zip(texts, lengths, strict=True)]


def others(texts: Texts, ours: Texts) -> Iterator[tuple[str, Texts]]:
    """Yield what the other policies keep of as many characters; chance gets several tries."""
    numbers, budget = range(len(texts)), size(ours)
    yield NEWEST, in_order(texts, reversed(numbers), budget)
    for seed in range(SEEDS):
        yield ANY, in_order(texts, random.Random(seed).sample(numbers, len(numbers)), budget)
    yield EVEN, evenly(texts, budget)
    yield SAME, [text[: len(left)] for text, left in zip(texts, ours, strict=True)]


# measuring


def note(sheet: Sheet, policy: str, share: float, space: Space, texts: Texts) -> None:
    """Ask all questions of what is left of a space."""
    numbers = [number for number, text in enumerate(texts) if text]
    index = BM25([texts[number] for number in numbers])
    ids, left = [turn.id for turn in space.turns], shares_left(space, texts)
    answers = sheet.answers.setdefault((policy, share), [])
    for question in space.questions:
        ranked = list(dict.fromkeys(ids[numbers[n]] for n in index.ranked(question.text)))
        top = set(islice(ranked, DEPTH))
        answers.append((question, ranked[:DEPTH]))
        sheet.left.setdefault((policy, share), []).extend(
            max(left[one] for one in group & top) for group in question.evidence if group & top
        )


def shares_left(space: Space, texts: Texts) -> dict[str, float]:
    """Return for each message id the share of its characters that is left."""
    whole, kept = Counter[str](), Counter[str]()
    for turn, text in zip(space.turns, texts, strict=True):
        whole[turn.id] += len(turn.content)
        kept[turn.id] += len(text)
    return {one: kept[one] / max(1, length) for one, length in whole.items()}


def measure(sheet: Sheet, space: Space, folder: Path) -> None:
    """Add the figures of one space to the sheet of its file."""
    whole = [turn.content for turn in space.turns]
    note(sheet, OURS, WHOLE, space, whole)
    sheet.characters[WHOLE] += size(whole)
    with opened(folder, space, learn=False) as memory:
        tell(memory, space, sheet.feed)
        for share, texts, passes in faded(memory, space):
            sheet.characters[share] += size(texts)
            sheet.passes.setdefault(share, []).append(passes)
            sheet.gone.setdefault(share, []).extend(not text for text in texts)
            note(sheet, OURS, share, space, texts)
            for policy, kept in others(whole, texts):
                note(sheet, policy, share, space, kept)


def measured(file: Path, feed: str) -> Sheet:
    """Return the figures of a file fed in one way."""
    sheet = Sheet(file.name, feed)
    for space in spaces(file):
        with tempfile.TemporaryDirectory() as folder:
            measure(sheet, space, Path(folder))
    return sheet


# telling


def rows(sheet: Sheet) -> str:
    """Return the table of a file."""
    lines: list[tuple[object, ...]] = []
    whole = f"{sheet.found(OURS, WHOLE):.1f} (100 %)"
    lines.append(("100 %", "–", "–", *[whole] * len(POLICIES)))
    for share in KEPT:
        kept = f"{100 * sheet.characters[share] / sheet.characters[WHOLE]:.1f} %"
        cells = [
            f"{sheet.found(policy, share):.1f} ({sheet.text_left(policy, share):.0f} %)"
            for policy in POLICIES
        ]
        passes = f"{min(sheet.passes[share])}–{max(sheet.passes[share])}"
        lines.append((kept, passes, f"{fmean(sheet.gone[share]):.0%}", *cells))
    first = f"{sheet.name}, {sheet.feed}: kept"
    return table((first, "passes", "gone whole", *POLICIES), lines)


WHY = f"""\
Why: it is the lengths that cost, for messages *cut to our lengths* are hardly found better. What
is remembered {TURN} has about as many links everywhere, so it keeps about the same share
everywhere; a file has about a hundred questions, so two more or less are chance. A whole session
in one `remember` has not: by the rule of the documents its last five pieces are the focus of the
next session and are linked with all of it, the others only with the five before them, and those of
the first session with their neighbours alone. So a quarter of the text stays nearly whole while
the first session goes. A piece of which less than 5 characters would be left is forgotten
(`delete_threshold`): of a Chinese sentence of 15 that is a third."""


def losses(sheets: list[Sheet]) -> str:
    """Say where a simpler way finds more than ours."""
    worse = [
        f"- {sheet.name}, {sheet.feed}, at {share:.0%}: *{policy}* finds {more:.1f} more"
        for sheet in sheets
        for share in KEPT
        for policy in POLICIES[1:]
        if (more := sheet.found(policy, share) - sheet.found(OURS, share)) > 0
    ]
    if not worse:
        return "Nowhere does a simpler way find more than ours."
    return "\n".join(["Where ours is worse:", "", *worse, "", WHY])


COLOURS = dict(zip(POLICIES, ("#c1272d", "#0071a7", "#7f7f7f", "#e39802", "#dda0a0"), strict=True))


def plot(sheets: list[Sheet]) -> str:
    """Return the figures as a picture, one panel per file."""
    shares = (WHOLE, *KEPT)
    panels = [
        Panel(
            f"{sheet.name}, {sheet.feed}: recall@{DEPTH} by share kept",
            [f"{share:.0%}" for share in shares],
            {policy: [sheet.found(policy, share) for share in shares] for policy in POLICIES},
        )
        for sheet in sheets
    ]
    return picture(panels, COLOURS)


NOTES = f"""\
Recall@{DEPTH} of evidence by plain BM25 over what is left of each message, the same for all: the
engine's own search also uses the words around a message and would find some of which nothing is
left. In brackets: how much of the text of the messages found is left, for a message that is found
need not hold its answer any more. *kept* is the share of all characters that ours had left after so
many further *passes*, at most {MOST_PASSES}. Before them come {SMALL} turns of small talk, which
are not counted: passes are made by talk, and what is still in focus does not fade. *gone whole*:
messages of which ours keeps nothing. The others keep as many characters in every space; *{ANY}* is
the mean of {SEEDS} choices. Facts and episodes, which do not fade with the network, are left out
here (`learn` is off)."""


def run(*names: str, results: Path = RESULTS) -> tuple[str, bool]:
    """Measure the files named; there is no bar here."""
    files = found_files(names, HOW)
    sheets = [measured(file, feed) for feed in (TURN, SESSION) for file in files]
    results.mkdir(exist_ok=True)
    (results / "forgetting.svg").write_text(plot(sheets), encoding="utf-8")
    parts = ["![recall by share kept](forgetting.svg)", *map(rows, sheets), losses(sheets), NOTES]
    return "\n\n".join(parts), True
