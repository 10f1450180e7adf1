"""The durable queue: failures are kept and told, several processes share one agent."""

from __future__ import annotations

import math
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Open
from soak.figures import size
from stage import PATIENCE, FakeClock, LineModel, run_passes, text_of

from wangchuan import Memory, ModelError, WangchuanError
from wangchuan.storage.drawers.jobs import Jobs


class Failing(LineModel):
    """Fails as often as told, then works."""

    inline = False

    def __init__(self, failures: int, error: Exception | None = None) -> None:
        super().__init__()
        self.inline = isinstance(error, ZeroDivisionError)  # as if our own code were at fault
        self.failures, self.error = failures, error or ModelError("down")

    def complete(self, ask: Any) -> dict[str, Any]:
        if self.failures > 0:
            self.failures -= 1
            raise self.error
        return super().complete(ask)


def let_time_pass_until(memory: Memory, clock: FakeClock, done: Any) -> None:
    """Move the injected clock on whenever the queue waits for it."""
    for _ in range(2000):
        if done():
            return
        clock.now += 31
        memory._agent.lane.wake()
        threading.Event().wait(0.002)
    raise AssertionError("it never happened")


def test_a_model_that_recovers_on_the_last_retry_has_lost_nothing(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(model=Failing(15), durability="normal")
    failures: list[Any] = []
    memory.on("failed", failures.append)
    receipt = memory.remember("worth the wait")
    let_time_pass_until(memory, clock, receipt.done)
    assert receipt.result(1) == ("mem_1",)
    assert len(failures) == 15
    assert "down" in failures[0].detail["reason"]


def test_a_model_that_stays_down_sends_the_job_to_the_end_and_keeps_it(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(model=Failing(10**9), max_retries=2, durability="normal")
    first, second = memory.remember("first"), memory.remember("second")

    def attempts() -> list[tuple[int, int]]:
        with memory._agent.store() as store, store.read() as tx:
            return [(job.seq, job.attempts) for job in tx.jobs.in_state("pending")]

    let_time_pass_until(memory, clock, lambda: min(a for _, a in attempts()) >= 3)
    assert {seq for seq, _ in attempts()} == {1, 2}
    assert not first.done()
    assert not second.done()
    assert memory.stats().failed == 0
    assert set(memory.recall([]).result(PATIENCE).split("\n---\n")) == {
        "[记忆] first",
        "[记忆] second",
    }
    memory.close()
    healed = open_memory()
    clock.now += 60
    assert healed.flush(PATIENCE)
    assert {node.content for node in healed.nodes()} == {"first", "second"}


def test_a_defect_is_given_up_visibly_and_can_be_taken_up_again(
    open_memory: Open, clock: FakeClock
) -> None:
    model = Failing(4, ZeroDivisionError("a defect"))
    memory = open_memory(model=model, max_retries=3, durability="normal")
    receipt = memory.remember("unlucky")
    let_time_pass_until(memory, clock, receipt.done)
    with pytest.raises(WangchuanError, match="a defect"):
        receipt.result(1)
    assert memory.stats().failed == 1
    assert any("a defect" in line for line in memory.look.faults())
    assert memory.recall(["unlucky"]).result(PATIENCE) == "[记忆] unlucky"
    assert memory.jobs.retry() == 1
    assert memory.flush(PATIENCE)
    assert [node.content for node in memory.nodes()] == ["unlucky"]
    assert memory.look.faults() == []


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "text",
        {},
        {"segments": None},
        {"segments": []},
        {"segments": "abc"},
        {"segments": [None, 5, "x"]},
        {"segments": [{"text": ""}]},
        {"segments": [{"text": 5}]},
    ],
)
def test_an_answer_without_segments_is_a_failure_and_nothing_is_made(
    open_memory: Open, answer: Any
) -> None:
    class Garbage(LineModel):
        def complete(self, ask: Any) -> Any:
            return answer

    memory = open_memory(model=Garbage())
    failed, reasons = threading.Event(), []
    memory.on("failed", lambda event: reasons.append(event.detail["reason"]) or failed.set())
    memory.remember("something real")
    assert failed.wait(PATIENCE)
    assert reasons[0].startswith("UnusableAnswer: digest")
    assert memory.nodes() == []
    assert memory.stats().pending == 1


def test_odd_labels_are_put_right(open_memory: Open) -> None:
    class Odd(LineModel):
        inline = False

        def _digest(self, data: Any) -> dict[str, Any]:
            segment = {
                "message": 99,
                "text": "  The kept \ud800 part, a, b, c, d, e, f ",
                "phrase": None,
                "keywords": ["a", "A", "", 5, "never said", "c", "d", "e", "f", "b"],
                "relations": ["x" * 100, "two\nlines", "关于", 5],
            }
            return {"segments": [segment, {"text": "second half", "keywords": {"no": "list"}}]}

    memory = open_memory(model=Odd())
    said = "The kept part, a, b, c, d, e, f, second half."
    memory.remember(said).result(PATIENCE)
    first, second = memory.nodes()
    assert first.content == "The kept ? part, a, b, c, d, e, f"
    assert first.phrase
    assert first.keywords == ("a", "c", "d", "e")  # at most five are read, one was never said
    assert second.keywords == ()
    memory.remember(said).result(PATIENCE)
    relations = {link.relation for link in memory.look.links("mem_3")}
    assert relations <= {None, "上文", "下文", "关于"}


def test_a_compression_that_fails_for_good_keeps_the_text_and_time_goes_on(
    open_memory: Open, clock: FakeClock
) -> None:
    class NoCompression(LineModel):
        def _compress(self, data: Any) -> dict[str, Any]:
            raise ModelError("down")

    memory = open_memory(model=NoCompression(), max_retries=1, durability="normal")
    said = "一段关于天气的话，说了很久也没有说完。"
    memory.remember("\n".join([said] * 8)).result(PATIENCE)
    memory.remember("说话不必等压缩成功。").result(PATIENCE)
    let_time_pass_until(memory, clock, lambda: memory.stats().pending == 0)
    kept = memory.look.node("mem_1")
    assert kept is not None
    assert (kept.content, kept.scan_count) == (said, 2)
    assert memory.look.links("mem_1")[0].strength == pytest.approx(0.5 * 0.97**2)
    memory.close()
    healed = open_memory(durability="normal")
    run_passes(healed, 5)  # a text that failed is tried again after a while
    shorter = healed.look.node("mem_1")
    assert shorter is not None
    assert 0 < len(shorter.content) <= 9


@pytest.mark.parametrize(("slice_ms", "tries"), [(30_000, 5), (5_000, 3), (0, 1)])
def test_a_compression_is_tried_again_no_longer_than_its_time_slice(
    open_memory: Open, clock: FakeClock, slice_ms: int, tries: int
) -> None:
    class NoCompression(LineModel):
        inline = False

        def _compress(self, data: Any) -> dict[str, Any]:
            raise ModelError("down")

    model = NoCompression()
    memory = open_memory(model=model, time_slice_ms=slice_ms, durability="normal")
    memory.remember("\n".join(text_of(i) for i in range(8))).result(PATIENCE)
    let_time_pass_until(memory, clock, lambda: memory.stats().pending == 0)
    assert model.asked.count("compress") == tries  # after waits of 1, 2, 4, 8 and 16 seconds


def test_a_window_is_applied_once_however_many_workers_there_are(
    open_memory: Open, model: LineModel
) -> None:
    memory = open_memory()
    lane = memory._agent.lane
    lease = memory._agent.backend.lease(memory.agent_id)
    while not lease.take():
        threading.Event().wait(0.01)
    memory.remember("one\ntwo")
    with memory._agent.store() as store:
        with store.read() as tx:
            job = tx.jobs.next(9e9, 15, 30.0)
        assert job is not None
        plan = lane._steps["remember"](store, job)
        assert plan.ask is not None
        segments = plan.read(model.complete(plan.ask))
        for _ in range(3):
            plan.act(store, segments)
    lease.give()
    assert memory.flush(PATIENCE)
    assert [node.content for node in memory.nodes()] == ["one", "two"]
    assert memory.stats().passes == 1


def test_a_second_window_that_fails_keeps_the_job_together(
    open_memory: Open, clock: FakeClock
) -> None:
    class Breaks(LineModel):
        inline, broken = False, False

        def complete(self, ask: Any) -> dict[str, Any]:
            if self.broken and "late line" in str(ask.data):
                raise ConnectionError("gone")
            return super().complete(ask)

    broken = Breaks()
    broken.broken = True
    memory = open_memory(model=broken, max_retries=1, model_window_tokens=200, durability="normal")
    lines = [f"early line {i} " + "x" * 90 for i in range(6)] + [
        f"late line {i}" for i in range(60)
    ]
    long = memory.remember("\n".join(lines))
    other = memory.remember("another thing entirely")
    let_time_pass_until(memory, clock, lambda: _attempts(memory, 1) >= 4)
    assert not other.done()  # what has begun is finished first
    broken.broken = False
    let_time_pass_until(memory, clock, other.done)
    assert len(long.result(1)) == 66
    assert long.result(1) == tuple(f"mem_{n}" for n in range(1, 67))
    assert other.result(1) == ("mem_67",)
    assert memory.look.faults() == []


def _attempts(memory: Memory, seq: int) -> int:
    with memory._agent.store() as store, store.read() as tx:
        job = tx.jobs.get(seq)
    return job.attempts if job else 0


def test_no_more_texts_are_rewritten_after_a_pass_than_allowed(open_memory: Open) -> None:
    memory = open_memory(strategy="every", compression_batch_size=3, durability="normal")
    rewritten: list[Any] = []
    memory.on("compressed", rewritten.append)
    said = "\n".join(f"第{i}段话说的是天气和心情，很长很长，还没有说完。" for i in range(30))
    memory.remember(said).result(PATIENCE)
    assert memory.flush(PATIENCE)
    counts = []
    for _ in range(12):
        before = len(rewritten)
        run_passes(memory, 1)
        counts.append(len(rewritten) - before)
    assert max(counts) == 3


PROCESSES = size("PROCESSES", 3)
TALK = """
    import sys
    from wangchuan import Memory
    name, root, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with Memory.open("shared", root=root, settings={"decay_rate": 1.0}) as memory:
        for i in range(count):
            assert memory.remember(f"Process {name} says number {i} aloud.").status == "accepted"
        if name == "p0":
            assert memory.flush(600)
            assert "number 0 aloud" in memory.recall(["number 0"], depth=500).result(600)
"""


@pytest.mark.slow
def test_processes_that_share_one_agent_lose_nothing(tmp_path: Path) -> None:
    script = tmp_path / "talk.py"
    script.write_text(textwrap.dedent(TALK))
    root, count = tmp_path / "root", 25
    command = [sys.executable, str(script)]
    running = [
        subprocess.Popen([*command, f"p{i}", str(root), str(count)], stderr=subprocess.PIPE)
        for i in range(PROCESSES)
    ]
    for process in running:
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors.decode()
    with Memory.open("shared", root=root, settings={"decay_rate": 1.0}) as memory:
        assert memory.flush(PATIENCE)
        said = sorted(node.content for node in memory.nodes() if node.kind == "segment")
        turns = [(p, i) for p in range(PROCESSES) for i in range(count)]
        assert said == sorted(f"Process p{p} says number {i} aloud." for p, i in turns)
        assert memory.look.faults() == []
        told = [source for episode in memory.facts.episodes() for source in episode.sources]
        episodes = math.ceil((len(turns) - 30) / 16)  # until the working memory holds the rest
        assert len(told) == len(set(told)) == 16 * episodes  # no message in two
        assert len(memory.look.working()) == len(turns) - 16 * episodes
        segments = [node.content for node in memory.nodes() if node.kind == "segment"]
        for p in range(PROCESSES):
            own = [content for content in segments if content.startswith(f"Process p{p} ")]
            assert own == [f"Process p{p} says number {i} aloud." for i in range(count)]


def test_a_process_without_the_lease_sees_its_work_done_by_another(tmp_path: Path) -> None:
    with (
        Memory.open("shared", root=tmp_path, model=LineModel()) as first,
        Memory.open("shared", root=tmp_path, model=LineModel()) as second,
    ):
        lease = first._agent.lane._lease
        for _ in range(1000):  # first works on something long, once the opening is over
            if lease.take():
                break
            threading.Event().wait(0.01)
        receipt = second.remember("done by whoever can")
        assert not receipt.done()
        assert second.recall(["whoever"]).result(PATIENCE) == "[记忆] done by whoever can"
        lease.give()
        assert receipt.result(PATIENCE) == ("mem_1",)
        assert first.flush(PATIENCE)
        assert [node.content for node in first.nodes()] == ["done by whoever can"]


def test_a_clock_that_stands_does_not_hold_a_retry(open_memory: Open) -> None:
    class Once(LineModel):
        failed = False

        def complete(self, ask: Any) -> Any:
            if not self.failed:
                self.failed = True
                raise ModelError("busy")
            return super().complete(ask)

    memory = open_memory(model=Once())  # by a clock that nobody moves
    memory.remember("The retry comes all the same. #retry")
    assert memory.flush(PATIENCE)
    assert [node.content for node in memory.nodes()] == ["The retry comes all the same. #retry"]


class SlowModel(LineModel):
    inline = False

    def complete(self, ask: Any) -> Any:
        answer = super().complete(ask)
        time.sleep(0.2)
        return answer


def test_learning_takes_no_more_calls_of_short_runs_than_what_waits_to_be_remembered(
    open_memory: Open,
) -> None:
    model = SlowModel()
    for run in range(6):
        memory = open_memory(model=model, learn=True)
        memory.remember(f"said in run {run}")
        while len(model.asked) <= run:
            time.sleep(0.005)
        memory.close()
    assert model.asked.count("digest") >= 3


def test_nobody_is_counted_as_waiting_who_was_told(tmp_path: Path) -> None:
    with Memory.open("a", root=tmp_path, settings={"durability": "normal"}) as memory:
        for n in range(8):
            memory.remember(f"Remark {n} of the weather.")
            assert memory.flush(PATIENCE)
        assert len(memory._agent.lane._waits) == 0


def test_what_is_accepted_while_the_lane_finds_nothing_is_begun_when_it_closes(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(close_patience=PATIENCE)
    memory.remember("before").result(PATIENCE)
    lane = memory._agent.lane
    original = Jobs.next

    def accepting_behind_it(jobs: Jobs, *args: Any) -> Any:
        monkeypatch.setattr(Jobs, "next", original)
        job = original(jobs, *args)
        writer = threading.Thread(target=memory.remember, args=("while it looked",))
        writer.start()
        writer.join(PATIENCE)
        lane._waits.closed = True  # from here on no turn is taken but the last ones
        return job

    monkeypatch.setattr(Jobs, "next", accepting_behind_it)
    lane.turn()
    memory.close()
    again = open_memory(learn=False, close_patience=0)
    assert [node.content for node in again.nodes()] == ["before", "while it looked"]
