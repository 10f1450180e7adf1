"""The course of a node: what was left of it from pass to pass, and what will be."""

from __future__ import annotations

from collections.abc import Iterator

from wangchuan.living.lens import Lens
from wangchuan.network.fading import target_length
from wangchuan.storage import NodeRecord, Transaction, journal
from wangchuan.types import Course, Stand

POINTS = 60  # that are reckoned
AHEAD = 100  # passes looked ahead, at least, where no end is in sight


def course(tx: Transaction, lens: Lens, record: NodeRecord) -> Course:
    """Return how a node stood and will stand, from when it was made until it is forgotten.

    What lies before its clock was set last is what the journal tells; what lies ahead will come if
    nothing else happens. A node that is held does not move: from there on its course is level.
    """
    now = tx.passes()
    begin = now if record.since_pass is None else record.since_pass
    end = record.die_at or now + max(AHEAD, now - begin)
    steps = {begin, now, end} | {begin + (end - begin) * i // POINTS for i in range(POINTS + 1)}
    told = [stand for stand in _told(tx, record) if stand.passes < begin][-POINTS:]
    stands = (*told, *(_stand(tx, lens, record, passes) for passes in sorted(steps)))
    return Course(now, record.die_at, len(record.original), stands)


def _told(tx: Transaction, record: NodeRecord) -> Iterator[Stand]:
    """Yield what the journal tells of the length of a node's text, oldest first."""
    whole = max(1, len(record.original))
    for entry in tx.journal.of(record.n):
        said = journal.read(entry)
        if isinstance(said, journal.Compressed):
            yield Stand(entry.passes, None, said.length / whole)
        elif isinstance(said, journal.Remembered | journal.Restored | journal.Merged):
            yield Stand(entry.passes, None, 1.0)


def _stand(tx: Transaction, lens: Lens, record: NodeRecord, passes: int) -> Stand:
    """Return how a node stands: of a text that a model will shorten, its length at most."""
    importance = lens.importance(tx, record, passes)
    left: float = len(lens.shown(tx, record, passes).content)
    if not lens.extractive and record.since_pass is not None:
        left = min(left, target_length(importance, len(record.original)))
    return Stand(passes, importance, left / max(1, len(record.original)))
