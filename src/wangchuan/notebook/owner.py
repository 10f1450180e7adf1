"""Whose notebook it is: the agent's memory and model, as the pages need them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path

from wangchuan.events import Events
from wangchuan.living.tasks import Tasks
from wangchuan.models.seam import Model
from wangchuan.pending import Receipt
from wangchuan.settings.fields import Settings
from wangchuan.storage import Store
from wangchuan.types import Clock, Message, value


@value
class Owner:
    """The agent of a notebook: the parts of its memory that the notebook uses."""

    id: str
    folder: Path
    settings: Settings
    clock: Clock
    events: Events
    model: Model
    tasks: Tasks
    store: Callable[[], AbstractContextManager[Store]]
    remember: Callable[[list[Message]], Receipt]
    wake: Callable[[], None]
    submit: Callable[[Callable[[], str]], Future[str]]  # off the caller's thread
    is_closed: Callable[[], bool]
