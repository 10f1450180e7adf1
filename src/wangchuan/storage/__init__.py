"""Where memories are kept: one small contract, and SQLite behind it."""

from wangchuan.storage.contract import (
    KEPT,
    EvidenceRecord,
    FactRecord,
    FocusRecord,
    JobRecord,
    JournalRecord,
    LinkRecord,
    MessageRecord,
    NodeRecord,
    NoteRecord,
    SignalsRecord,
    Store,
    Transaction,
    UsageRecord,
    VectorRecord,
)
from wangchuan.storage.sqlite import SQLiteStore

__all__ = [
    "KEPT",
    "EvidenceRecord",
    "FactRecord",
    "FocusRecord",
    "JobRecord",
    "JournalRecord",
    "LinkRecord",
    "MessageRecord",
    "NodeRecord",
    "NoteRecord",
    "SQLiteStore",
    "SignalsRecord",
    "Store",
    "Transaction",
    "UsageRecord",
    "VectorRecord",
]
