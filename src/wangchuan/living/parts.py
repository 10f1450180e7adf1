"""The parts of one agent's living network, made together from the same settings."""

from __future__ import annotations

from wangchuan.events import Events
from wangchuan.living.lens import Lens
from wangchuan.living.schedule import Schedule
from wangchuan.living.sweep import Sweep
from wangchuan.living.tasks import Tasks
from wangchuan.living.trash import Trash
from wangchuan.settings.fields import Settings
from wangchuan.types import Clock, value


@value
class Living:
    """What reads, schedules, forgets, sweeps and holds one agent's nodes."""

    lens: Lens
    schedule: Schedule
    trash: Trash
    sweep: Sweep
    tasks: Tasks

    @classmethod
    def of(cls, settings: Settings, clock: Clock, events: Events, *, extractive: bool) -> Living:
        """Make the parts; `extractive` says that the model only leaves words out."""
        lens = Lens(settings, clock, extractive)
        schedule = Schedule(lens, events)
        trash = Trash(schedule)
        return cls(lens, schedule, trash, Sweep(trash), Tasks(schedule))
