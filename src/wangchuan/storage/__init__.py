"""Where memories are kept: one small contract, and SQLite behind it."""

from wangchuan.storage.contract import (
    Decay,
    FactRecord,
    JobRecord,
    JournalRecord,
    LifecycleRecord,
    LinkRecord,
    MessageRecord,
    NodeRecord,
    SignalsRecord,
    Store,
    TouchedRow,
    Transaction,
    UndoRow,
    UsageRecord,
    VitalsRecord,
    still_said,
)
from wangchuan.storage.sqlite import SQLiteStore

__all__ = [
    "Decay",
    "FactRecord",
    "JobRecord",
    "JournalRecord",
    "LifecycleRecord",
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
    "VitalsRecord",
    "still_said",
]
