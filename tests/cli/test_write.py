"""Batches on their way into a queue that others fill."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from wangchuan import QueueFull, Receipt
from wangchuan.cli import write
from wangchuan.types import Message


class BusyMemory:
    """A memory whose queue others filled: it refuses a few times, then takes everything."""

    def __init__(self, refusals: int) -> None:
        self.refusals, self.taken = refusals, 0

    def remember(self, messages: list[Message]) -> Receipt:
        if self.refusals:
            self.refusals -= 1
            return Receipt.rejected("full")
        self.taken += len(messages)
        future: Future[tuple[str, ...]] = Future()
        future.set_result(("mem_1",))
        return Receipt("job_1", future)

    def stats(self) -> SimpleNamespace:
        return SimpleNamespace(pending=9 if self.refusals > 5 else 0)

    @property
    def look(self) -> SimpleNamespace:
        return SimpleNamespace(node=lambda _: None)


def writing(memory: BusyMemory) -> write.Writing:
    here: Any = SimpleNamespace(
        memory=memory, host=SimpleNamespace(settings=SimpleNamespace(max_queue_size=9))
    )
    return write.Writing(here, lambda _: None)


def test_a_refused_batch_is_sent_again_until_it_is_taken() -> None:
    memory = BusyMemory(refusals=3)
    sending = writing(memory)
    sending.send([Message("user", "one"), Message("user", "two")])
    assert memory.taken == 2
    assert [job["state"] for job in sending.digested()] == ["done"]


def test_a_queue_that_stays_full_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "LONGEST_FULL", 0.2)
    memory = BusyMemory(refusals=1_000_000)
    with pytest.raises(QueueFull):
        writing(memory).send([Message("user", "one")])
    assert memory.taken == 0


class LeftMemory(BusyMemory):
    """A memory that is still digesting when whoever told it something leaves."""

    def remember(self, messages: list[Message]) -> Receipt:
        if self.taken >= 2:
            raise KeyboardInterrupt
        super().remember(messages)
        return Receipt("job_1", Future())


@pytest.mark.parametrize(
    ("taken", "told"),
    [(0, "2 of 3 messages were accepted: they are kept"), (2, "nothing was accepted")],
)
def test_whoever_interrupts_is_told_what_is_kept(
    taken: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = LeftMemory(0)
    memory.taken = taken
    sending = writing(memory)
    telling = write._told_if_interrupted(sending, 3, "wangchuan stats")
    said = [[Message("user", text)] for text in ("one", "two", "three")]
    with pytest.raises(KeyboardInterrupt), telling:
        list(map(sending.send, said))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"interrupted; {told}" in shown.err
    assert ("`wangchuan stats`" in shown.err) == (taken == 0)
