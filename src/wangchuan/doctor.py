"""The doctor: is everything on disk as the rules say it must be?

It only reads. Each check returns its findings in words; no findings means sound.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from wangchuan.errors import KeyRefused, StorageError, WangchuanError
from wangchuan.host import Host
from wangchuan.ids import job_name
from wangchuan.memory import Memory
from wangchuan.settings.fields import Settings
from wangchuan.storage import JobRecord

RETRY_SECONDS = 30.0


@dataclass(slots=True)
class Report:
    """The findings about one agent; remarks are worth knowing, problems need doing."""

    agent: str
    path: str  # or the address of its cell
    memories: int | None = None
    bytes: int | None = None
    remarks: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def visit(host: Host, agent_id: str, *, retry: bool = False) -> Report:
    """Return the findings about an agent; with `retry`, failed jobs are taken up again first."""
    report = Report(agent_id, host.backend.place(agent_id))
    lease = host.backend.lease(agent_id)
    try:
        if lease.take():
            lease.give()
        else:
            report.remarks.append("another process is working on it")
    except StorageError as error:
        report.remarks.append(str(error))
    try:
        with host.open(agent_id) as memory:
            _examine(memory, report, retry)
    except StorageError as error:
        report.problems.append(str(error))
    return report


TRIED = "The doctor keeps a spare key under the third flowerpot."


def installation(settings: Settings, where: str) -> Report:
    """Return whether a memory can be made, filled, searched and found sound by this installation.

    It is tried in a folder that is gone afterwards; nothing is made where agents are to be kept.
    """
    report = Report("installation", where)
    if settings.store is None:
        report.problems += _unwritable(settings.root.absolute())
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            Host(folder, settings={"model_url": None, "embedder": "none"}) as host,
        ):
            report.problems += _tried(host.open("doctor"))
    except WangchuanError as error:
        report.problems.append(str(error))
    report.remarks.append("nothing is remembered here yet; a trial memory was made and examined")
    return report


def _unwritable(root: Path) -> list[str]:
    above = next((p for p in (root, *root.parents) if p.exists()), root)
    told = f"{above} cannot be written: choose another root (see --root)"
    return [] if os.access(above, os.W_OK) else [told]


def _tried(memory: Memory) -> list[str]:
    memory.remember([{"role": "user", "content": TRIED}]).result(RETRY_SECONDS)
    hits = memory.search("flowerpot").result(RETRY_SECONDS)
    recalled = memory.recall(["flowerpot"]).result(RETRY_SECONDS)
    missing = [] if hits and "flowerpot" in recalled else ["what was remembered is not found"]
    return [*missing, *memory.look.faults()]


def _examine(memory: Memory, report: Report, retry: bool) -> None:
    with memory._agent.store() as store, store.read() as tx:
        waiting = tx.jobs.in_state("pending")
    if waiting:
        report.remarks.append(f"{_counted(len(waiting), 'job')} waiting")
        report.remarks += [_postponed(job) for job in waiting if job.attempts]
        refused = [job.reason for job in waiting if job.failed_by(KeyRefused)]
        report.problems += [f"{reason}; set another key" for reason in refused[:1]]
    if retry:
        report.remarks.append(f"{_counted(memory.jobs.retry(), 'failed job')} taken up again")
        memory.flush(RETRY_SECONDS)
    report.problems += memory.look.faults()
    figures = memory.stats()
    report.memories, report.bytes = figures.nodes, figures.bytes


def _postponed(job: JobRecord) -> str:
    return f"{job_name(job.seq)} ({job.kind}) was put off: {job.reason}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
