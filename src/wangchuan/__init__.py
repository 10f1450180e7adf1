"""Wangchuan 忘川: a memory engine for AI agents.

>>> from wangchuan import Memory
>>> with Memory.open("agent_001") as memory:
...     memory.remember("We decided to use JWT for the login module.")
...     print(memory.recall(["login"]).result())

The other values that methods return (`Link`, `Explanation`, `Block`, …) stand in `wangchuan.types`,
the other errors in `wangchuan.errors`. Names are loaded when they are first used, so that importing
the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wangchuan.chat import Chat
    from wangchuan.errors import (
        Closed,
        InvalidInput,
        ModelError,
        NotFound,
        QueueFull,
        StorageError,
        WangchuanError,
    )
    from wangchuan.host import Host
    from wangchuan.memory import Memory
    from wangchuan.pending import Pending, Receipt
    from wangchuan.settings.fields import Settings
    from wangchuan.types import Erasure, Event, Fact, Hit, Message, Node, Stats

__all__ = [
    "Chat",
    "Closed",
    "Erasure",
    "Event",
    "Fact",
    "Hit",
    "Host",
    "InvalidInput",
    "Memory",
    "Message",
    "ModelError",
    "Node",
    "NotFound",
    "Pending",
    "QueueFull",
    "Receipt",
    "Settings",
    "Stats",
    "StorageError",
    "WangchuanError",
]

__version__ = "0.1.0"

_HOMES = {
    "chat": "Chat",
    "errors": "Closed InvalidInput ModelError NotFound QueueFull StorageError WangchuanError",
    "host": "Host",
    "memory": "Memory",
    "pending": "Pending Receipt",
    "settings.fields": "Settings",
    "types": "Erasure Event Fact Hit Message Node Stats",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'wangchuan' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"wangchuan.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
