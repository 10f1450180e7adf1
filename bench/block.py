"""What `context` puts before a model: whether it is what was asked for, and little else.

Sets of our own in both languages (bench/blocks, written before the block was built) are told turn
by turn with a clock of our own, `context` before and `remember` after each turn, no model. With
files of conversations (bench/spaces.py states the fields) it also measures how much of the evidence
stands in the block: a group of evidence counts if one entry holds 60 % of the words of one of its
messages.
"""

from __future__ import annotations

import random
import re
import statistics
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench.core import ms, table
from bench.retrieval import PATIENCE, local_embedder, opened, tell
from bench.spaces import Space, spaces
from bench.talk import Talk
from wangchuan import Memory

HERE = Path(__file__).parent
TONGUES = ("zh", "en")
RESULTS = HERE / "results"
BEGAN = datetime(2026, 3, 2, 9, 0)  # a Monday
MINUTE, DAY = 60.0, 86_400.0
TURNS_A_DAY = (4, 20, 40)
BUDGETS = (1000, 3000)
HELD = 0.6  # share of a message's words that one entry must hold
MANY = 200  # facts
PRINTED = (1, 7, 14, 30)  # days on which the blocks of ten questions are printed
WEEKDAYS = {
    "zh": "一二三四五六日",
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
DATED = re.compile(r"^- \[?(\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+)")
WORD = re.compile(r"[\u4e00-\u9fff]|[^\W_]+")
ACKNOWLEDGED = re.compile(r"^\W*(?:好的|记住了|我记着|noted|i'll remember|sensible|合理)\W*$", re.I)

Turn = tuple[str, str]


@dataclass(slots=True)
class Stage:
    """A memory with a clock that is moved by hand."""

    memory: Memory
    clock: list[float]
    talked: int = 0

    def turn(self, said: str, answered: str) -> None:
        """Take a turn as an agent does."""
        self.clock[0] += MINUTE
        self.memory.context(said).result(PATIENCE)
        both = [{"role": "user", "content": said}, {"role": "assistant", "content": answered}]
        self.memory.remember(both).result(PATIENCE)
        self.talked += 1

    def block(self, question: str) -> str:
        self.memory.flush(PATIENCE)
        return str(self.memory.context(question).result(PATIENCE))


@contextmanager
def stage(embedder: Any = None, **settings: Any) -> Iterator[Stage]:
    clock = [BEGAN.timestamp()]
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(
            "block", root=folder, settings=settings, embedder=embedder, clock=lambda: clock[0]
        ) as memory,
    ):
        yield Stage(memory, clock)


@dataclass(slots=True)
class Score:
    """One row: how many of how many, and what went wrong, for a person to read."""

    name: str
    least: float  # share that is good
    right: int = 0
    asked: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)  # question, block

    def note(self, question: str, block: str, is_right: bool) -> None:
        self.asked += 1
        self.right += is_right
        if not is_right:
            self.wrong.append((question, block))

    @property
    def good(self) -> bool:
        return self.right >= self.least * self.asked - 1e-9


def entries(block: str) -> list[str]:
    """Return the entries of a block, in lower case."""
    return [line for line in block.casefold().splitlines() if line.startswith("- ")]


def holds(block: str, *needed: str) -> bool:
    """Tell whether a block holds all that is needed, each in some entry."""
    lines = entries(block)
    return all(any(word.casefold() in line for line in lines) for word in needed)


def chatter(tongue: str) -> Iterator[Turn]:
    return Talk.of(HERE / "talks" / f"{tongue}.toml").chatter()


# facts


def facts(tongue: str, read: dict[str, Any], many: int, embedder: Any) -> Score:
    known = [fact for fact, *_ in read["facts"]]
    least = 28 / 30 if many == len(known) else (24 / 30 if embedder else 20 / 30)
    of = f"{many} facts" + (", local embedder" if embedder else "")
    score = Score(f"{tongue}: the right one of {of}", least)
    others = _others(read["others"], many - len(known))
    with stage(embedder) as here:
        chance = random.Random(7)
        for fact in chance.sample([*known, *others], many):
            here.clock[0] += MINUTE
            here.memory.facts.add(fact)
        for fact, *questions in read["facts"]:
            for question in questions:
                block = here.block(question)
                score.note(question, block, holds(block, fact))
    return score


def _others(parts: dict[str, Any], many: int) -> list[str]:
    """Return facts about others, made of the parts: every form with every name."""
    chance, slots = random.Random(7), ("thing", "place", "event")
    made = [
        form.format(name=name, **{slot: chance.choice(parts[slot]) for slot in slots})
        for form in parts["forms"]
        for name in parts["name"]
    ]
    return chance.sample(made, many) if many else []


# days


def days(tongue: str, read: dict[str, Any], turns: int) -> Score:
    """Tell a topic a day among small talk; ask for days and topics on the day after the last."""
    asked, score = read["days"], Score(f"{tongue}: the right day or topic, {turns} a day", 0.9)
    topics, small = asked["topics"], chatter(tongue)
    with stage() as here:
        for n, (_, told, *_) in enumerate(topics):
            here.clock[0] = (BEGAN + timedelta(n)).timestamp()
            _day(here, [tuple(turn) for turn in told], small, turns)
        here.clock[0] = (BEGAN + timedelta(len(topics))).timestamp()
        for said, answered in asked["now"]:
            here.turn(said, answered)
        today = BEGAN + timedelta(len(topics))
        for question in asked["just"]:
            block = here.block(question)
            score.note(question, block, _is_of(block, today, [asked["now_keys"]]))
        for question, back in asked["ago"]:
            _ask_day(here, score, question, today, [back], topics)
        for back in range(1, 7):
            name = WEEKDAYS[tongue][(today - timedelta(back)).weekday()]
            this_week = back <= today.weekday()
            for form in asked["weekdays"]:
                if tongue == "zh" and form.startswith("上周") and this_week:
                    continue  # of the week before: another day
                if tongue == "zh" and not form.startswith("上周") and not this_week:
                    continue
                _ask_day(here, score, form.format(day=name), today, [back], topics)
        week = [back for back in range(1, 15) if 0 <= back - today.weekday() - 1 < 7]
        for question in asked["week"]:
            _ask_day(here, score, question, today, week, topics)
        for n, (topic, _, *keys) in enumerate(topics):
            question = asked["last"][n % len(asked["last"])].format(topic=topic)
            block = here.block(question)
            score.note(question, block, _is_of(block, None, [keys]))
    return score


def _day(here: Stage, told: list[Turn], small: Iterator[Turn], turns: int) -> None:
    """Take the turns of a day: small talk, a topic in its middle, and more small talk."""
    rest = turns - len(told)
    for said, answered in [*(next(small) for _ in range(rest // 2)), *told]:
        here.turn(said, answered)
    for _ in range(rest - rest // 2):
        here.turn(*next(small))


def _ask_day(
    here: Stage, score: Score, question: str, today: datetime, back: list[int], topics: list[Any]
) -> None:
    block = here.block(question)
    keys = [topics[len(topics) - ago][2:] for ago in back if ago <= len(topics)]
    day = today - timedelta(back[0]) if len(back) == 1 else None
    score.note(question, block, _is_of(block, day, keys))


def _is_of(block: str, day: datetime | None, keys: list[list[str]]) -> bool:
    """Tell whether a block tells of a day's topic, of most topics of several days, of no other day.

    A line that names a day names this one.
    """
    told = sum(any(holds(block, key) for key in topic) for topic in keys)
    if told * 2 < len(keys) or not told:
        return False
    if day is None:
        return True
    lines = block.splitlines()
    names = {f"{day:%Y-%m-%d}", f"{day.day} {day:%B}"}
    dated = [found[1] for line in lines if (found := DATED.match(line))]
    return sum(name in names for name in dated) >= 0.8 * len(dated)


# messages of several sentences, corrections, what was never said


def told(tongue: str, read: dict[str, Any]) -> list[Score]:
    """Tell messages of several sentences and corrections among small talk, then ask."""
    several = Score(f"{tongue}: all sentences that answer", 0.9)
    lines = Score(f"{tongue}: no acknowledgement in a block", 1.0)
    corrected = Score(f"{tongue}: what holds now, first or alone", 0.9)
    never = Score(f"{tongue}: never said, nothing in the block", 0.9)
    small = chatter(tongue)
    with stage() as here:
        _tell_all(here, read, small)
        for _, answered, question, *needed in read["several"]["items"]:
            block = here.block(question)
            several.note(question, block, holds(block, *needed))
            said = [line.rpartition("：" if tongue == "zh" else ": ")[2] for line in entries(block)]
            polite = any(ACKNOWLEDGED.match(one) or one == answered.casefold() for one in said)
            lines.note(question, block, not polite)
        for *_, question, new, old in read["corrections"]["items"]:
            block = here.block(question)
            corrected.note(question, block, _is_corrected(block, new, old))
        for question in read["never"]["items"]:
            block = here.block(question)
            never.note(question, block, not block)
    return [several, lines, corrected, never]


def _tell_all(here: Stage, read: dict[str, Any], small: Iterator[Turn]) -> None:
    """Tell first statements, messages of several sentences, then corrections, on three days."""
    first = [(one, "") for one, *_ in read["corrections"]["items"]]
    several = [(said, answered) for said, answered, *_ in read["several"]["items"]]
    later = [(two, "") for _, two, *_ in read["corrections"]["items"]]
    for n, turns in enumerate((first, several, later)):
        here.clock[0] = BEGAN.timestamp() + n * 2 * DAY
        for said, answered in turns:
            here.turn(*next(small))
            here.turn(said, answered or next(small)[1])


def _is_corrected(block: str, new: str, old: str) -> bool:
    lines = entries(block)
    newer = [n for n, line in enumerate(lines) if new.casefold() in line]
    older = [
        n
        for n, line in enumerate(lines)
        if old.casefold() in line and new.casefold() not in line and not _is_marked(line)
    ]
    return bool(newer) and (not older or newer[0] < older[0])


def _is_marked(line: str) -> bool:
    return bool(re.search(r"以前|早先|更早|earlier|before that", line))


# two weeks with a companion


def companion(tongue: str, read: dict[str, Any], pages: list[str]) -> list[Score]:
    """Tell 23 things in two weeks of 40 turns a day; ask on day 14, print ten blocks on others."""
    items, small = read["companion"]["items"], chatter(tongue)
    known = Score(f"{tongue}: of 23 things told known on day 14", 18 / 23)
    relevant = Score(f"{tongue}: lines on day 14 that bear on the question", 0.8)
    chance = random.Random(7)
    on = [n * 13 // len(items) for n in range(len(items))]
    with stage() as here:
        for day in range(max(PRINTED)):
            here.clock[0] = BEGAN.timestamp() + day * DAY
            today = [
                (said, answered) for n, (said, answered, *_) in enumerate(items) if on[n] == day
            ]
            turns = [*today, *(next(small) for _ in range(40 - len(today)))] if day < 14 else []
            for said, answered in chance.sample(turns, len(turns)):
                here.turn(said, answered)
            if day + 1 in PRINTED:
                pages += _printed(here, tongue, day + 1, items)
            if day + 1 == 14:
                for _, _, question, *needed in items:
                    block = here.block(question)
                    known.note(question, block, holds(block, *needed))
                    for line in entries(block):
                        relevant.note(question, line, any(k.casefold() in line for k in needed))
    return [known, relevant]


def _printed(here: Stage, tongue: str, day: int, items: list[Any]) -> list[str]:
    parts = []
    for _, _, question, *needed in items[::2][:10]:
        parts += [
            f"==== {tongue}, day {day}: {question} ({', '.join(needed)})",
            here.block(question),
        ]
    return parts


# evidence


@dataclass(slots=True)
class Evidence:
    """How much of the evidence of one file stands in the block, and how long it took."""

    name: str
    shares: dict[str, list[float]] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def timed(self, row: str, answer: Any) -> Any:
        began = time.perf_counter()
        found = answer().result(PATIENCE)
        self.seconds.setdefault(row, []).append(time.perf_counter() - began)
        return found


def evidence(file: Path, embedder: Any, most: int | None = None) -> Evidence:
    sheet = Evidence(file.name + (", local embedder" if embedder else ""))
    for space in spaces(file)[:most]:
        with (
            tempfile.TemporaryDirectory() as folder,
            opened(Path(folder), space, embedder) as memory,
        ):
            tell(memory, space)
            weigh(sheet, space, memory)
    return sheet


def weigh(sheet: Evidence, space: Space, memory: Memory) -> None:
    """Ask all questions of a space, and note the share of evidence in hits and blocks."""
    said: dict[str, list[set[str]]] = {}
    for turn in space.turns:
        said.setdefault(turn.id, []).append(_words(turn.content))
    for question in space.questions:
        groups, text = question.evidence, question.text
        hits = sheet.timed(ROW, lambda text=text: memory.search(text, limit=10))
        ids = {hit.sources[0].id for hit in hits if hit.sources}
        sheet.shares.setdefault(ROW, []).append(statistics.fmean(bool(g & ids) for g in groups))
        for budget in BUDGETS:
            row = f"in the block of {budget:,} tokens"
            block = sheet.timed(
                row, lambda text=text, budget=budget: memory.context(text, max_tokens=budget)
            )
            lines = [_words(line) for line in entries(block)]
            shares = sheet.shares.setdefault(row, [])
            shares.append(
                statistics.fmean(
                    any(_stands(said[i], lines) for i in g if i in said) for g in groups
                )
            )


ROW = "among ten hits of `search`"


def _words(text: str) -> set[str]:
    return set(WORD.findall(text.casefold()))


def _stands(messages: list[set[str]], lines: list[set[str]]) -> bool:
    return any(len(words & line) >= HELD * len(words) for words in messages for line in lines)


# telling


def rows(scores: list[Score]) -> str:
    lines = [
        (s.name, f"{s.right} of {s.asked}", f"{s.least:.0%}", "yes" if s.good else "no")
        for s in scores
    ]
    return table(("own sets", "right", "at least", "good"), lines)


def evidence_rows(sheets: list[Evidence]) -> str:
    lines = [
        (
            f"{s.name}: {row}",
            f"{100 * statistics.fmean(shares):.1f}",
            ms(statistics.median(s.seconds[row])),
        )
        for s in sheets
        for row, shares in s.shares.items()
    ]
    return table(("evidence, in percent", "share", "p50"), lines)


NOTES = """\
Own sets (bench/blocks) were written before the block was built. *The right one of N facts*: given
by `facts.add`, in any order. *The right day or topic*: one topic a day for fifteen days among small
talk; a day is right if a topic line of it is there and at most a fifth of the dated lines name
other days. *Never said* is asked of the memory that the rows above it were asked of. *Lines that
bear on the question* counts a line only if it holds the answer itself.
All blocks that were wrong, and those of ten questions on days 1, 7, 14 and 30, are written to
bench/results/block.txt (not kept in git) for a person to read."""


def measured(pages: list[str], only: str = "") -> list[Score]:
    scores: list[Score] = []
    embedder = local_embedder()
    for tongue in TONGUES:
        read = tomllib.loads((HERE / "blocks" / f"{tongue}.toml").read_text(encoding="utf-8"))
        jobs: dict[str, Any] = {
            "facts": lambda read=read, tongue=tongue: [
                facts(tongue, read, many, chosen)
                for chosen in ((None, embedder) if embedder else (None,))
                for many in (len(read["facts"]), MANY)
            ],
            "days": lambda read=read, tongue=tongue: [
                days(tongue, read, turns) for turns in TURNS_A_DAY
            ],
            "told": lambda read=read, tongue=tongue: told(tongue, read),
            "companion": lambda read=read, tongue=tongue: companion(tongue, read, pages),
        }
        for name, job in jobs.items():
            if not only or name in only.split(","):
                scores += job()
    return scores


def run(*names: str, results: Path = RESULTS) -> tuple[str, bool]:
    """Measure our own sets, and the evidence in the files named; good if all of it is."""
    only = "".join(name[2:] for name in names if name.startswith("--"))
    pages: list[str] = []
    scores = measured(pages, only)
    files = [Path(name) for name in names if not name.startswith("--")]
    sheets = [evidence(file, chosen) for file in files for chosen in (None, local_embedder())]
    for score in scores:
        pages += [f"==== WRONG {score.name}: {q}\n{block}" for q, block in score.wrong]
    results.mkdir(exist_ok=True)
    (results / "block.txt").write_text("\n".join(pages) + "\n", encoding="utf-8")
    parts = [rows(scores), *([evidence_rows(sheets)] if sheets else []), NOTES]
    return "\n\n".join(parts), all(score.good for score in scores)
