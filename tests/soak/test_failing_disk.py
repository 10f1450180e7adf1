"""A disk that fails at the nth call of an operation, for every n: the caller is told, nothing that
was accepted is lost or doubled, and the same process goes on when the disk does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest
from faults.disk import Disk, Failing, faulty_disk
from faults.life import SETTINGS, Ledger, audit, fact_of, text_of
from faults.locks import locks_on
from soak.figures import figures, size
from stage import PATIENCE, FakeClock, LineModel

from wangchuan import Host, Memory, WangchuanError
from wangchuan.jobs import lanes as jobs
from wangchuan.storage.sqlite import schema

STRIDE = size("STRIDE", 97)  # every so many-th call is failed; `./run soak` sets 1
FAULTS = [("EIO", False), ("EIO", True), ("ENOSPC", False), ("ENOSPC", True), ("fsync", False)]
WORDS = [f"w{n}" for n in range(6)]


@dataclass
class Scene:
    """An open memory with a past, on a disk that will fail."""

    host: Host
    memory: Memory
    clock: FakeClock
    ledger: Ledger
    elsewhere: Path

    def did(self, what: str, of: str, act: Callable[[], object]) -> None:
        self.ledger.tell("begin", what, of)
        act()
        self.ledger.tell("done", what, of)

    def remember(self, word: str) -> None:
        message = {"role": "user", "content": text_of(word), "id": word}
        self.did("said", word, lambda: self.memory.remember(message))

    def settles(self) -> bool:
        for _ in range(100):
            self.clock.now += 60
            if self.memory.flush(0.1):
                return True
        return False


def remember(scene: Scene) -> None:
    scene.remember("new")


def digest(scene: Scene) -> None:
    scene.remember("new")
    scene.memory.flush(0.1)


def forget(scene: Scene) -> None:
    scene.did("forgotten", "mem_2", lambda: scene.memory.forget("mem_2"))


def restore(scene: Scene) -> None:
    scene.did("restored", "mem_1", lambda: scene.memory.restore("mem_1"))


def undo(scene: Scene) -> None:
    last = scene.memory.history("mem_1")[-1]
    scene.did("restored", "mem_1", lambda: scene.memory.undo(last.seq))


def erase(scene: Scene) -> None:
    scene.did("erased", "w3", lambda: scene.memory.erase(message_ids=["w3"]))


def state(scene: Scene) -> None:
    scene.did("stated", "new", lambda: scene.memory.facts.add(fact_of("new")))


def tick(scene: Scene) -> None:
    scene.memory.tick(0.1)
    scene.memory.facts.age(0.1)


def recall(scene: Scene) -> None:
    assert scene.memory.recall(["w5"]).result(PATIENCE)
    scene.memory.search("door").result(PATIENCE)
    scene.memory.context("door").result(PATIENCE)


def export(scene: Scene) -> None:
    scene.memory.export(scene.elsewhere / "new.jsonl")


def import_(scene: Scene) -> None:
    scene.host.import_("b", scene.elsewhere / "past.jsonl")


def backup(scene: Scene) -> None:
    scene.memory.backup(scene.elsewhere / "backup")


def reopen(scene: Scene) -> None:
    scene.memory.close()
    scene.memory = scene.host.open("a")


def migrate(scene: Scene) -> None:
    scene.host.open("old").close()


ACTS = [remember, digest, forget, restore, undo, erase, state, tick, recall, export, import_,
        backup, reopen, migrate]  # fmt: skip


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Ledger]]:
    """Make a memory with a past once: what all scenes begin with."""
    place, ledger = tmp_path_factory.mktemp("past"), Ledger()
    with opened(place, ledger) as scene:
        for word in WORDS:
            scene.remember(word)
        assert scene.settles()
        scene.did("stated", "first", lambda: scene.memory.facts.add(fact_of("first")))
        scene.did("forgotten", "mem_1", lambda: scene.memory.forget("mem_1"))
        scene.memory.export(place / "past.jsonl")
    old = place / "root" / "old"
    old.mkdir()
    connection = apsw.Connection(str(old / "memory.db"))
    schema.prepare(connection, old / "memory.db", schema.migrations()[:-1])
    connection.execute("INSERT INTO meta VALUES ('kept', 'yes')")
    connection.close()
    return place, ledger


class opened:  # noqa: N801 (it reads as what it gives)
    """A scene in a folder, closed at the end."""

    def __init__(self, place: Path, ledger: Ledger) -> None:
        clock = FakeClock()
        host = Host(place / "root", model=LineModel(), settings=SETTINGS, clock=clock)
        self.scene = Scene(host, host.open("a"), clock, ledger, place)

    def __enter__(self) -> Scene:
        return self.scene

    def __exit__(self, *_: object) -> None:
        self.scene.host.close()


def hurt(scene: Scene, act: Callable[[Scene], None], disk: Disk, failing: Failing) -> str | None:
    """Do something on a failing disk; return what was raised that is not ours."""
    disk.before = failing
    try:
        act(scene)
    except WangchuanError:
        pass
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"
    finally:
        disk.work()
    return None


def aftermath(scene: Scene, act: Callable[[Scene], None]) -> Iterator[str]:
    """Go on with the same process, as if nothing had been; say what is wrong."""
    if scene.memory._closed:
        scene.memory = scene.host.open("a")
    if act is import_ and "b" not in scene.host.agents():
        import_(scene)
    if act is backup and not (scene.elsewhere / "backup" / "a" / "memory.db").exists():
        backup(scene)
    scene.remember("after")
    if not scene.settles():
        yield "it does not settle"
    export(scene)
    counts = json.loads((scene.elsewhere / "new.jsonl").read_text("utf-8").splitlines()[0])
    if not counts:
        yield "the export is empty"
    reopen(scene)  # what an erasure left undone is done when the memory is opened again
    found = audit(scene.memory, scene.ledger)
    if found.any():
        yield str(found)


def copies(scene: Scene, act: Callable[[Scene], None], ledger: Ledger) -> Iterator[str]:
    """Say what is wrong with what was carried elsewhere."""
    if act is import_:
        with scene.host.open("b") as memory:
            if (found := audit(memory, ledger)).any():
                yield f"the import: {found}"
    if act is backup:
        with Memory.open("a", root=scene.elsewhere / "backup", model=LineModel()) as memory:
            if (found := audit(memory, ledger)).any():
                yield f"the backup: {found}"
    if act is migrate:
        with scene.host.open("old") as memory, memory._agent.store() as store, store.read() as tx:
            if tx.meta.get("kept") != "yes":
                yield "the migrated memory lost a note"


def tried(
    act: Callable[[Scene], None], failing: Failing, past: tuple[Path, Ledger], place: Path
) -> list[str]:
    """Do something in a copy of the past, on a disk that fails; return what is wrong then."""
    shutil.copytree(past[0], place)
    before = Ledger(list(past[1].entries))
    try:
        with faulty_disk() as disk:
            with opened(place, Ledger(list(before.entries))) as scene:
                raw = hurt(scene, act, disk, failing)
                wrong = [raw] if raw else []
                wrong += [*aftermath(scene, act), *copies(scene, act, before)]
            held = locks_on(place / "root" / "a")
            return wrong + ([f"locks are left: {held}"] if held else [])
    except Exception as error:
        return [f"afterwards {type(error).__name__}: {error}"]
    finally:
        shutil.rmtree(place)


# A connection that is dropped while the disk fails says so to nobody, but Python's own disk does.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_a_disk_that_fails_at_any_call_costs_nothing(
    act: Callable[[Scene], None],
    past: tuple[Path, Ledger],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "LONGEST_PAUSE", 0.01)
    wrong = []
    with figures(f"disk: EIO, full, no fsync at each call of {act.__name__}") as told:
        for name, lasting in FAULTS:
            counting = Failing(name, 10**9, lasting)
            assert tried(act, counting, past, tmp_path / "whole") == []
            first = 1 + len(act.__name__) % STRIDE
            for nth in range(min(first, counting.seen), counting.seen + 1, STRIDE):
                told["how many"] += 1
                failing = Failing(name, nth, lasting)
                for what in tried(act, failing, past, tmp_path / "hurt"):
                    wrong.append(f"{name} at call {nth}{' and after' * lasting}: {what}")
        told["corrupt"] = len(wrong)
        assert not wrong, "\n".join(wrong)
