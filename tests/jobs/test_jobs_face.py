"""The queue, looked at: `memory.jobs`."""

from __future__ import annotations

import pytest
from conftest import Open
from stage import PATIENCE, LineModel

from wangchuan import Memory
from wangchuan.errors import InvalidInput, ModelError, NotFound


def test_a_receipt_leads_to_its_job_and_what_was_made(memory: Memory) -> None:
    receipt = memory.remember("green tea #tea\nblack tea #tea")
    job = memory.jobs.wait(str(receipt.id)).result(PATIENCE)
    assert (job.id, job.kind, job.state) == (receipt.id, "remember", "done")
    assert job.nodes == receipt.result(PATIENCE) == ("mem_1", "mem_2")
    assert memory.jobs.get("job_1") == job


def test_jobs_are_listed_newest_first_from_anywhere(memory: Memory) -> None:
    for text in ("one", "two", "three"):
        memory.remember(text)
    assert memory.flush(PATIENCE)
    assert [job.id for job in memory.jobs(limit=2)] == ["job_3", "job_2"]
    assert [job.id for job in memory.jobs(before="job_2")] == ["job_1"]
    assert memory.jobs(["failed"]) == []


def test_waiting_ends_when_patience_does(open_memory: Open) -> None:
    model = LineModel(digest=[ModelError("not today")] * 50)
    model.inline = False
    memory = open_memory(model=model)
    receipt = memory.remember("tea")
    job = memory.jobs.wait(str(receipt.id), 0.05).result(PATIENCE)
    assert (job.state, job.finished_at, job.nodes) == ("pending", None, ())


def test_what_is_no_job_is_not_found(memory: Memory) -> None:
    for wrong in ("job_7", "mem_1", "", None):
        with pytest.raises(NotFound):
            memory.jobs.get(wrong)  # type: ignore[arg-type]
        with pytest.raises(NotFound):
            memory.jobs.wait(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="states"):
        memory.jobs(["lost"])
