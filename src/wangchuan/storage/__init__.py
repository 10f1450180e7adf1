"""Where memories are kept: one small contract, and SQLite behind it."""

from wangchuan.storage.contract import (
    FactRecord,
    JobRecord,
    JournalRecord,
    LinkRecord,
    MessageRecord,
    NodeRecord,
    SignalsRecord,
    Store,
    TouchedRow,
    Transaction,
    UndoRow,
    UsageRecord,
)
from wangchuan.storage.sqlite import SQLiteStore

__all__ = [
    "FactRecord",
    "JobRecord",
    "JournalRecord",
    "LinkRecord",
    "MessageRecord",
    "NodeRecord",
    "SQLiteStore",
    "SignalsRecord",
    "Store",
    "TouchedRow",
    "Transaction",
    "UndoRow",
    "UsageRecord",
]
