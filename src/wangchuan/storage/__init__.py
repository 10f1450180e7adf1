"""Where memories are kept: records in drawers, one set of statements, and SQLite behind them."""

from wangchuan.storage.records import (
    KEPT,
    Decay,
    EvidenceRecord,
    FactRecord,
    FocusRecord,
    JobRecord,
    JournalRecord,
    LifecycleRecord,
    LinkRecord,
    MessageRecord,
    NodeRecord,
    NoteRecord,
    Row,
    SignalsRecord,
    TextRecord,
    TouchedRow,
    UndoRow,
    UsageRecord,
    VectorRecord,
    VitalsRecord,
)
from wangchuan.storage.sqlite.store import SQLiteStore
from wangchuan.storage.store import Store, still_said
from wangchuan.storage.transaction import Transaction

__all__ = [
    "KEPT",
    "Decay",
    "EvidenceRecord",
    "FactRecord",
    "FocusRecord",
    "JobRecord",
    "JournalRecord",
    "LifecycleRecord",
    "LinkRecord",
    "MessageRecord",
    "NodeRecord",
    "NoteRecord",
    "Row",
    "SQLiteStore",
    "SignalsRecord",
    "Store",
    "TextRecord",
    "TouchedRow",
    "Transaction",
    "UndoRow",
    "UsageRecord",
    "VectorRecord",
    "VitalsRecord",
    "still_said",
]
