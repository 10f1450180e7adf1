"""Wangchuan 忘川: a memory engine for AI agents.

>>> from wangchuan import Memory
>>> with Memory.open("agent_001") as memory:
...     memory.remember("We decided to use JWT for the login module.")
...     print(memory.recall(["login"]).result())

Names are loaded when they are first used, so that importing the package costs next to nothing.
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
    from wangchuan.types import Explanation, Hit, Link, Message, Node

__all__ = [
    "Chat",
    "Closed",
    "Explanation",
    "Hit",
    "Host",
    "InvalidInput",
    "Link",
    "Memory",
    "Message",
    "ModelError",
    "Node",
    "NotFound",
    "Pending",
    "QueueFull",
    "Receipt",
    "Settings",
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
    "types": "Explanation Hit Link Message Node",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'wangchuan' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"wangchuan.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
