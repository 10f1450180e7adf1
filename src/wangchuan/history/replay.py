"""Replaying: what a history comes to when it is done again, by its own settings or by others.

The history is read from a snapshot of the live store and done again in a scratch store in memory
(`history.player`); the live store is never touched. By its own settings a history must come to the
live state, row by row: the proof that nothing is decided outside the rules. By other settings it
shows what these would have kept, for people who tune forgetting on a history they know. A curve has
a few passes, and samples a few of many nodes, evenly chosen.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, fields
from statistics import fmean
from typing import Any

from wangchuan.errors import InvalidInput
from wangchuan.history.player import Player
from wangchuan.history.rebuilt import Rebuilt
from wangchuan.ids import name_of
from wangchuan.lifecycle.merging import Merging
from wangchuan.living.lens import Lens, stored_text
from wangchuan.living.ways import WAYS
from wangchuan.settings.fields import Settings, load
from wangchuan.storage import NodeRecord, Transaction, journal
from wangchuan.types import Replay, Shift, Survival

RULES = (
    "decay_rate",
    "link_break_threshold",
    "delete_threshold",
    "length_base",
    "compression_step",
    "dangling_counts",
    "focus_limit",
    "strategy",
)
REPLAYED = (*RULES, *WAYS)  # the settings by which a history can be done again
FROM = "replay_from"  # the store's note of the last entry that tells too little
POINTS, SAMPLE = 40, 200  # points of a curve; nodes looked at for each point
TOLERANCE = 1e-9
MOST_DIFFERENCES = 1000
ALIVE, FADED, FORGOTTEN = "alive", "faded", "forgotten"
STATES = (ALIVE, FADED, FORGOTTEN)
COMPARED = {  # by kind of record, its key
    "node": ("n",),
    "link": ("source", "target"),
    "focus": ("place",),
    "fact": ("node",),
    "evidence": ("node", "message"),
    "lifecycle": ("node",),
}

Scratch = Callable[[], AbstractContextManager[Transaction]]  # opens an empty store in memory
State = tuple[str, int]  # which of STATES, and how many characters are left


def replay(
    live: Transaction, scratch: Scratch, merging: Merging, changed: dict[str, Any]
) -> Replay:
    """Do a history again in scratch stores; see `History.replay`."""
    lens = merging.lens
    changed = checked(changed, lens.settings)
    _refuse_if_incomplete(live)
    if _always_held(live, lens.settings, changed):
        changed = {}
    with scratch() as tx:
        curve = Curve(live.passes())
        again = Rebuilt(live, tx, merging, {})
        Player(again, curve.look).play()
        if not changed:
            return _report(again, lens, changed, curve.points, curve.points)
    was = curve.points
    with scratch() as tx:
        curve = Curve(live.passes())
        again = Rebuilt(live, tx, merging, changed)
        Player(again, curve.look).play()
        return _report(again, lens, changed, was, curve.points)


def checked(changed: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the changed settings with checked values. Raises InvalidInput."""
    for name in changed:
        if name not in type(settings).model_fields:
            near = difflib.get_close_matches(name, REPLAYED, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise InvalidInput(f"there is no setting {name!r:.60}{hint}")
        if name not in REPLAYED:
            raise InvalidInput(
                f"the setting {name} plays no part in a replay; these do: {', '.join(REPLAYED)}"
            )
    made = load(settings, **changed)
    return {name: getattr(made, name) for name in changed}


def _always_held(live: Transaction, settings: Settings, changed: dict[str, Any]) -> bool:
    """Tell whether the whole history went by the changed settings."""
    present = all(getattr(settings, name) == value for name, value in changed.items())
    changes = (journal.Rules, journal.Settings)
    return present and not any(live.journal.after(0, kind.name) for kind in changes)


def _refuse_if_incomplete(live: Transaction) -> None:
    pruned = live.pruned().entry
    if pruned:
        raise InvalidInput(
            f"the beginning of this history is no longer known: strategy `slots` keeps a bounded"
            f" store, and something up to entry {pruned} is gone. Settings `max_trash` and"
            " `max_journal` say how much is kept"
        )
    upto = int(live.meta.get(FROM) or 0)
    if upto:
        raise InvalidInput(
            f"this memory's journal tells all that a replay needs only from entry {upto + 1} on:"
            " it was begun by an older version of Wangchuan. What came before cannot be done"
            " again; `history` and `nodes(at=…)` show it"
        )


class Curve:
    """The survival of all segments, looked at after some of the passes."""

    def __init__(self, passes: int) -> None:
        self._wanted = {round(passes * i / POINTS) for i in range(1, POINTS + 1)}
        self.points: tuple[Survival, ...] = ()

    def look(self, again: Rebuilt) -> None:
        """Take a point, if this pass is one of the chosen ones."""
        passes, made = again.tx.passes(), again.made
        if passes not in self._wanted or not made:
            return
        chosen = made[:: max(1, len(made) // SAMPLE)]
        found = [_vigour(again, n, passes) for n in chosen]
        alive = again.tx.nodes.living(passes)
        importance, length = (fmean(values) for values in zip(*found, strict=True))
        self.points += (Survival(passes, alive, importance, length),)


def _vigour(again: Rebuilt, n: int, passes: int) -> tuple[float, float]:
    """Return the importance of a node and the share of its text that is left."""
    record = again.tx.nodes.get(n)
    if record is None or not record.is_alive(passes):
        return 0.0, 0.0
    importance = again.living.lens.importance(again.tx, record, passes)
    left = again.living.lens.length(again.tx, record, passes)
    return importance, left / max(1, len(record.original))


# telling what came of it


def _report(
    again: Rebuilt,
    lens: Lens,
    changed: dict[str, Any],
    was: tuple[Survival, ...],
    curve: tuple[Survival, ...],
) -> Replay:
    there, here = _states(again.live, lens), _states(again.tx, again.living.lens)
    by_state = {
        state: tuple(name_of(n) for n, (found, _) in here.items() if found == state)
        for state in STATES
    }
    differences = () if changed else tuple(_differences(again.live, again.tx))
    if again.skipped and not changed:
        again.gaps["operations could not be done again, for want of what they were about"] += (
            again.skipped
        )
    return Replay(
        settings=changed,
        passes=again.tx.passes(),
        operations=again.operations,
        **by_state,
        shifts=tuple(_shifts(again.live, there, here)),
        was=was,
        curve=curve,
        differences=differences[:MOST_DIFFERENCES],
        gaps=tuple(f"{count} {what}" for what, count in sorted(again.gaps.items())),
        skipped=again.skipped,
        cold=tuple(name_of(row.node) for row in again.tx.rows.every("lifecycle")),
    )


def _states(tx: Transaction, lens: Lens) -> dict[int, State]:
    passes = tx.passes()
    return {record.n: _state(tx, lens, record, passes) for record in tx.rows.every("node")}


def _state(tx: Transaction, lens: Lens, record: NodeRecord, passes: int) -> State:
    if not record.is_alive(passes):
        return FORGOTTEN, 0
    left = lens.length(tx, record, passes)
    return (FADED if left < len(record.original) else ALIVE), left


def _shifts(live: Transaction, there: dict[int, State], here: dict[int, State]) -> Iterator[Shift]:
    """Return the nodes whose state differs; a node of one history only is left out."""
    for n, (was, left) in there.items():
        would, would_leave = here.get(n, (was, left))
        record = live.nodes.get(n) if was != would else None
        if record is not None:
            phrase = stored_text(record).phrase
            yield Shift(name_of(n), phrase, was, would, left, would_leave)


def _differences(live: Transaction, tx: Transaction) -> Iterator[str]:
    """Name every row in which the rebuilt memory differs from the live one."""
    for kind, key in COMPARED.items():
        here = {_key(record, key): record for record in tx.rows.every(kind)}
        for record in live.rows.every(kind):
            name = _key(record, key)
            rebuilt = here.pop(name, None)
            if rebuilt is None:
                yield f"{kind} {name} is not rebuilt"
            else:
                yield from _unlike(kind, name, record, rebuilt)
        yield from (f"{kind} {name} is rebuilt, but not there" for name in here)


def _key(record: Any, names: Iterable[str]) -> str:
    return " ".join(str(getattr(record, name)) for name in names)


def _unlike(kind: str, name: str, record: Any, rebuilt: Any) -> Iterator[str]:
    if record == rebuilt:
        return
    values = asdict(rebuilt)
    for field in fields(record):
        one, other = getattr(record, field.name), values[field.name]
        both = isinstance(one, float) and isinstance(other, float)
        if one != other and not (both and abs(one - other) <= TOLERANCE):
            yield f"{kind} {name}: {field.name} is {one!r:.60}, rebuilt {other!r:.60}"
