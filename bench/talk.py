"""What an ordinary talk leaves: told turn by turn, then asked about after much small talk.

A turn goes as README.md's `turn()` does it: `context` of what is said, then `remember` of what was
said and answered. No model takes part. A question counts as answered if one line of its block holds
all that its answer needs. It is asked twice: in the words it was told in, which tells what is left,
and in others, which also asks for a good search.
"""

from __future__ import annotations

import random
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.bm25 import BM25
from bench.core import table
from bench.retrieval import PATIENCE
from wangchuan import Memory

HERE = Path(__file__).parent
OWN = sorted(map(str, (HERE / "talks").glob("*.toml")))
RESULTS = HERE / "results"
AFTER = (0, 100, 200, 400)  # turns of small talk
LEAST = 24  # of the questions must still be answered, in the words it was told in
TURNS = 5  # that BM25 shows
SEED = 7
LEARNING = 5  # seconds for what is learned in the background; what is tried again takes longer
OURS, PLAIN = "`context`", "BM25"
WAYS: dict[str, dict[str, Any]] = {OURS: {}, "with `decay_rate=1`": {"decay_rate": 1}}
WORDINGS = ("its own words", "other words")

SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]*")

Turn = tuple[str, str]  # said, answered


@dataclass(frozen=True, slots=True)
class Talk:
    """A talk, its questions (each wording, and what they need), and what small talk is made of."""

    name: str
    turns: list[Turn]
    questions: list[tuple[tuple[str, str], list[str]]]
    small: list[Turn]
    slots: dict[str, list[str]]
    opening: list[str]
    closing: list[str]

    @classmethod
    def of(cls, file: Path) -> Talk:
        """Read a talk from its file."""
        read = tomllib.loads(file.read_text(encoding="utf-8"))
        return cls(
            file.stem,
            [(said, answered) for said, answered in read["turns"]],
            [((own, other), needed) for own, other, *needed in read["questions"]],
            [(said, answered) for said, answered in read["small"]["talk"]],
            read["slots"],
            read["opening"],
            read["closing"],
        )

    def chatter(self, seed: int = SEED) -> Iterator[Turn]:
        """Yield small talk without end: every exchange comes up before one comes up again."""
        chance = random.Random(seed)
        joint = " " if self.opening[0].isascii() else ""
        while True:
            for said, answered in chance.sample(self.small, len(self.small)):
                filled = {name: chance.choice(words) for name, words in self.slots.items()}
                before = chance.choice(self.opening) + joint if chance.random() < 0.4 else ""
                after = joint + chance.choice(self.closing) if chance.random() < 0.4 else ""
                yield (before + said).format(**filled), (answered + after).format(**filled)

    def told(self, small: int) -> list[Turn]:
        """Return the turns of the talk and some of small talk."""
        chatter = self.chatter()
        return [*self.turns, *(next(chatter) for _ in range(small))]


@dataclass(slots=True)
class Sheet:
    """The blocks of one talk, by way, wording and how much small talk came between."""

    talk: Talk
    stages: tuple[int, ...]
    blocks: dict[tuple[str, str, int], list[str]] = field(default_factory=dict)

    def right(self, way: str, wording: str, stage: int) -> list[bool]:
        """Tell of each question whether its block answers it."""
        asked = zip(self.blocks[way, wording, stage], self.talk.questions, strict=True)
        return [holds(block, needed) for block, (_, needed) in asked]

    def shortened(self, stage: int) -> list[str]:
        """Return the lines of our blocks that are neither a message nor a sentence of one."""
        blocks = (block for wording in WORDINGS for block in self.blocks[OURS, wording, stage])
        lines = {line[2:] for block in blocks for line in block.splitlines() if line[:2] == "- "}
        texts = [text for turn in self.talk.told(stage) for text in turn]
        said = {*texts, *(part.strip() for text in texts for part in SENTENCE.findall(text))}
        return sorted(lines - said)


def holds(block: str, needed: list[str]) -> bool:
    """Tell whether one line of a block holds all that is needed, in any case."""
    lines = block.casefold().splitlines()
    return any(all(word.casefold() in line for word in needed) for line in lines)


# measuring


def tell(memory: Memory, turn: Turn) -> None:
    """Take a turn as an agent does; a model would take longer to answer than this to digest."""
    said, answered = turn
    memory.context(said).result(PATIENCE)
    both = [{"role": "user", "content": said}, {"role": "assistant", "content": answered}]
    memory.remember(both).result(PATIENCE)


def note(sheet: Sheet, way: str, stage: int, answer: Callable[[str], str]) -> None:
    """Ask everything in both wordings; to ask changes nothing."""
    for n, wording in enumerate(WORDINGS):
        blocks = [answer(question[n]) for question, _ in sheet.talk.questions]
        sheet.blocks[way, wording, stage] = blocks


def note_plain(sheet: Sheet, stage: int) -> None:
    """Let BM25 answer from the turns themselves."""
    texts = ["\n".join(turn) for turn in sheet.talk.told(stage)]
    index = BM25(texts)
    note(sheet, PLAIN, stage, lambda q: "\n".join(texts[n] for n in index.ranked(q)[:TURNS]))


def measured(talk: Talk, stages: tuple[int, ...]) -> Sheet:
    """Tell a talk and its small talk, and ask at every stage."""
    sheet = Sheet(talk, stages)
    for way, settings in WAYS.items():
        with (
            tempfile.TemporaryDirectory() as folder,
            Memory.open("talk", root=folder, settings=settings) as memory,
        ):
            done = 0
            for stage in stages:
                told = talk.told(stage)
                for turn in told[done:]:
                    tell(memory, turn)
                done = len(told)
                memory.flush(LEARNING)
                note(sheet, way, stage, lambda q: memory.context(q).result(PATIENCE))
    for stage in stages:
        note_plain(sheet, stage)
    return sheet


# telling


def rows(sheets: list[Sheet]) -> str:
    """Return how many questions are answered at every stage."""
    lines: list[tuple[object, ...]] = []
    for sheet in sheets:
        of = len(sheet.talk.questions)
        for wording in WORDINGS:
            for way in (*WAYS, PLAIN):
                right = (sum(sheet.right(way, wording, stage)) for stage in sheet.stages)
                lines.append((f"{sheet.talk.name}, {of} in {wording}: {way}", *right))
        counts = (len(sheet.shortened(stage)) for stage in sheet.stages)
        lines.append((f"{sheet.talk.name}: lines shortened", *counts))
    return table(("answered after turns of small talk", *map(str, sheets[0].stages)), lines)


def missed(sheet: Sheet) -> str:
    """Return the questions that are not answered, and after how much small talk."""
    lines: list[tuple[object, ...]] = []
    for n, wording in enumerate(WORDINGS):
        right = {stage: sheet.right(OURS, wording, stage) for stage in sheet.stages}
        for i, (question, needed) in enumerate(sheet.talk.questions):
            if wrong := [str(stage) for stage, answers in right.items() if not answers[i]]:
                lines.append((question[n], ", ".join(needed), ", ".join(wrong)))
    return table((f"{sheet.talk.name}: not answered", "needs", "after"), lines)


def to_read(sheets: list[Sheet]) -> str:
    """Return our blocks, and the lines that were shortened, for a person to read."""
    parts = []
    for sheet in sheets:
        for stage in sheet.stages:
            title = f"==== {sheet.talk.name} after {stage}"
            parts += [f"{title}: lines shortened", *sheet.shortened(stage)]
            for n, wording in enumerate(WORDINGS):
                right = sheet.right(OURS, wording, stage)
                for i, (question, needed) in enumerate(sheet.talk.questions):
                    mark = "yes" if right[i] else "NO"
                    parts.append(f"{title}: {question[n]} ({', '.join(needed)}): {mark}")
                    parts.append(sheet.blocks[OURS, wording, stage][i])
    return "\n".join(parts) + "\n"


NOTES = f"""\
One talk of our own making in each language (bench/talks), told turn by turn as README.md's `turn()`
does it, no model; then small talk. A question is answered if one line of `context(question)` holds
what it needs. *{WORDINGS[1]}* were written before anything was measured; they came out so far from
what was said that plain BM25 answers half of them, so *{WORDINGS[0]}* were added for every question
after the first run, by that rule alone. *{PLAIN}* shows the {TURNS} best turns, whole; with
`decay_rate=1` nothing fades, so what is missing there was not found. *Lines shortened* are those of
our blocks that are neither a message nor a sentence of one: faded texts, facts, episodes, traces.
All blocks are written to bench/results/talk.txt (not kept in git) for a person to read. Good if
at least {LEAST} are answered in {WORDINGS[0]} at every stage."""


def run(*names: str, results: Path = RESULTS, stages: tuple[int, ...] = AFTER) -> tuple[str, bool]:
    """Measure the talks named, or our own; good if enough of what was told is still answered."""
    sheets = [measured(Talk.of(Path(name)), stages) for name in names or OWN]
    results.mkdir(exist_ok=True)
    (results / "talk.txt").write_text(to_read(sheets), encoding="utf-8")
    counts = (sum(s.right(OURS, WORDINGS[0], stage)) for s in sheets for stage in s.stages)
    good = all(count >= LEAST for count in counts)
    return "\n\n".join([rows(sheets), *map(missed, sheets), NOTES]), good
