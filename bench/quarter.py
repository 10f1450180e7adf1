"""A quarter of use, told day by day: what goes cold, what is suggested for merging, what stays.

The simulation, in both languages: for 90 days a user talks a few turns a day, `context` before and
`remember` after each, as README.md's `turn()` does it: the talk of bench/talks in the first days,
small talk of it ever after, and every day a greeting and a good night in the same few words. A tick
is made twice a day. From the second week on, twice a week, something told earlier is searched for,
and once a week recalled: a dozen things come up again and again, as in life. No model takes part,
the clock is injected, all settings are the defaults.

"Not used for a month" is a memory older than 30 days that no search or recall returned and no
recall passed in the last 30. Good if a quarter to a half of these are cold, the lines that were
said daily are suggested for merging, and nothing used in that month is cold or suggested.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from bench.core import table
from bench.talk import OWN, PATIENCE, Talk, Turn, tell
from wangchuan import Memory
from wangchuan.network.activity import Signals, score
from wangchuan.storage import VitalsRecord

DAYS, TURNS = 90, 4
DAY, MONTH = 86_400.0, 30 * 86_400.0
BEGIN = 1_772_323_200.0
LEAST, MOST = 0.25, 0.5
DAILY: dict[str, list[Turn]] = {
    "zh": [("早上好，小祥", "早上好，主人"), ("我要睡了，晚安", "晚安，做个好梦")],
    "en": [("Good morning, how are you", "Good morning to you"),
           ("I am off to bed, good night", "Sleep well")],
}  # fmt: skip


@dataclass(slots=True)
class Quarter:
    """What a simulated quarter left."""

    name: str
    now: float = BEGIN
    vitals: list[VitalsRecord] = field(default_factory=list)
    merges: list[list[str]] = field(default_factory=list)
    suggested: set[int] = field(default_factory=set)
    scores: dict[int, float] = field(default_factory=dict)
    felt: bool = False

    def idle(self) -> list[VitalsRecord]:
        """Return what was not used for a month."""
        return [v for v in self.vitals if self.now - v.created_at > MONTH and not self._is_used(v)]

    def used(self) -> list[VitalsRecord]:
        """Return what was used within a month."""
        return [v for v in self.vitals if self._is_used(v)]

    def _is_used(self, v: VitalsRecord) -> bool:
        last = max(v.last_accessed_at or 0.0, v.last_linked_at or 0.0)
        return self.now - last <= MONTH

    def cold(self, some: list[VitalsRecord]) -> float:
        """Return which share of some memories is cold."""
        return sum(v.cold_since is not None for v in some) / max(1, len(some))


def simulated(talk: Talk, days: int = DAYS, turns: int = TURNS) -> Quarter:
    """Live through a quarter."""
    quarter, chatter, told = Quarter(talk.name), talk.chatter(), iter(talk.turns)
    asked = [own for (own, _), _ in talk.questions]
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open("quarter", root=folder, clock=lambda: quarter.now) as memory,
    ):
        for day in range(days):
            morning, night = DAILY[talk.name]
            turns_of_day = [*islice(told, turns)] or [*islice(chatter, turns)]
            for at, turn in enumerate([morning, *turns_of_day, night]):
                quarter.now = BEGIN + day * DAY + at * 1800.0
                tell(memory, turn)
                if at == turns // 2:
                    memory.tick(PATIENCE)
            use(memory, asked, day)
            quarter.now = BEGIN + day * DAY + DAY / 2
            memory.tick(PATIENCE)
        looked_at(quarter, memory)
    return quarter


def use(memory: Memory, asked: list[str], day: int) -> None:
    """Come back to what was told, as people do: to a dozen things, again and again."""
    if day >= 14 and day % 7 in (1, 4):
        memory.search(asked[(day * 5) % 12], limit=2).result(PATIENCE)
    if day >= 14 and day % 7 == 6:
        memory.recall([asked[(day * 7) % 12].split()[-1]]).result(PATIENCE)


def looked_at(quarter: Quarter, memory: Memory) -> None:
    """Note how everything stands, and let one use warm something cold."""
    lens = memory._agent.living.lens
    with memory._agent.store() as store, store.read() as tx:
        found = tx.ticks.vitals(lens.decay(tx), 0, 1_000_000, cold=False)
        quarter.suggested = {mark.node for mark in tx.ticks.merge_marks()}
    quarter.vitals = [v for v in found if v.kind == "segment" and not v.focused]
    quarter.scores = {
        v.n: score(Signals.of(v), quarter.now, lens.coefficients) for v in quarter.vitals
    }
    quarter.merges = [[node.content for node in one.nodes] for one in memory.merges(limit=100)]
    quarter.felt = warmed(quarter, memory)


def warmed(quarter: Quarter, memory: Memory) -> bool:
    """Tell whether one explicit use of something cold is felt at the next tick."""
    cold = [v for v in quarter.vitals if v.cold_since is not None]
    node = memory.look.node(f"mem_{cold[len(cold) // 2].n}") if cold else None
    if node is None:
        return False
    hits = memory.search(node.original if hasattr(node, "original") else node.content).result(
        PATIENCE
    )
    marked = any(hit.lost == "cold" for hit in hits if hit.node and hit.node.id == node.id)
    memory.flush(PATIENCE)
    quarter.now += DAY / 2
    memory.tick(PATIENCE)
    with memory._agent.store() as store, store.read() as tx:
        return marked and not tx.ticks.cold_among([int(node.id[4:])])


def is_good(q: Quarter) -> bool:
    """Tell whether a quarter came out as it should."""
    used, daily = q.used(), sum(len(group) > 2 for group in q.merges)
    idle = LEAST <= q.cold(q.idle()) <= MOST
    return (
        idle
        and daily > 0
        and q.cold(used) == 0
        and not q.suggested & {v.n for v in used}
        and q.felt
    )


def rows(quarters: list[Quarter]) -> str:
    """Return the figures of each quarter."""

    def row(name: str, of: Callable[[Quarter], object]) -> tuple[object, ...]:
        return (name, *(of(q) for q in quarters))

    return table(
        ("after 90 days", *(q.name for q in quarters)),
        [
            row("memories", lambda q: len(q.vitals)),
            row("not used for a month", lambda q: len(q.idle())),
            row("of these cold", lambda q: f"{q.cold(q.idle()):.0%}"),
            row("used within a month", lambda q: len(q.used())),
            row("of these cold", lambda q: f"{q.cold(q.used()):.0%}"),
            row("suggested for merging", lambda q: len(q.suggested)),
            row("in groups", lambda q: len(q.merges)),
            row("one use of something cold: found, marked, active after a tick", lambda q: q.felt),
        ],
    )


def groups(q: Quarter) -> str:
    """Return the merges that are suggested, the largest first."""
    best = sorted(q.merges, key=len, reverse=True)[:8]
    return table((f"{q.name}: suggested", "times"), [(group[0], len(group)) for group in best])


def run(*names: str, results: Path | None = None) -> tuple[str, bool]:  # noqa: ARG001 (one form)
    """Live through a quarter in each language."""
    quarters = [simulated(Talk.of(Path(name))) for name in names or OWN]
    return "\n\n".join([rows(quarters), *map(groups, quarters), __doc__ or ""]), all(
        map(is_good, quarters)
    )
