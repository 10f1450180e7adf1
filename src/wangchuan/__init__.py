"""Wangchuan 忘川: a memory engine for AI agents.

>>> from wangchuan import Memory
>>> with Memory.open("agent_001") as memory:
...     memory.remember("We decided to use JWT for the login module.")
...     print(memory.recall(["login"]).result())
"""

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
from wangchuan.settings import Settings
from wangchuan.types import Explanation, Link, Message, Node

__all__ = [
    "Closed",
    "Explanation",
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
