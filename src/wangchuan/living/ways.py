"""The settings that decide what happens to nodes, noted where they hold.

The rules of fading are noted apart (`Schedule.noted_rules`), because a change of them has to settle
the past first. These need no settling; but whoever replays a history has to know since when they
hold, so a change of them is an entry of the journal. So is a change from a model that only leaves
words out to one that writes its own, or back: what a fading text looks like depends on it.
"""

from __future__ import annotations

import json
from typing import Any

from wangchuan.settings.fields import Settings, load
from wangchuan.storage import Transaction, journal

NOTE = "settings"  # the store's note
EXTRACTIVE = "extractive"
WAYS = (
    "link_initial_strength",
    "related_links",
    "focus_refresh_on_mention",
    "max_nodes",
    "slot_sample",
    "activity_in_degree",
    "activity_out_degree",
    "activity_access",
    "activity_traverse",
    "activity_recent_access",
    "activity_recent_link",
    "activity_age",
    "activity_access_hours",
    "activity_link_hours",
    "activity_age_days",
    "theta_active",
    "theta_delete",
    "long_unaccessed_days",
    "merge_cold_days",
    "merge_max_degree",
    "merge_overlap",
    "merge_closeness",
)


def ways_of(settings: Settings, extractive: bool) -> dict[str, Any]:
    """Return the settings that are noted, as plain data to compare."""
    return {**{name: getattr(settings, name) for name in WAYS}, EXTRACTIVE: extractive}


def noted_ways(tx: Transaction) -> dict[str, Any]:
    """Return the settings that were noted last; none in a store that is new or old."""
    found: dict[str, Any] = json.loads(tx.meta.get(NOTE) or "{}")
    return found


def note_ways(tx: Transaction, ways: dict[str, Any], at: float) -> None:
    """Note how things are done from now on, and in the journal what differs."""
    former = noted_ways(tx)
    if former == ways:
        return
    tx.meta.set(NOTE, json.dumps(ways, sort_keys=True))
    changed = [name for name in ways if former and former.get(name) != ways[name]]
    if changed:
        before = {name: former.get(name) for name in changed}
        after = {name: ways[name] for name in changed}
        tx.journal.log(journal.Settings(before, after), at)


def settings_with(ways: dict[str, Any], settings: Settings) -> Settings:
    """Return settings with what was noted laid over them."""
    return load(settings, **{name: ways[name] for name in WAYS if name in ways})
