"""Strategy `slots` bounds the whole store: slots, trash, messages, jobs, journal, changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Open
from soak.figures import size
from stage import PATIENCE, FakeClock, LineModel, text_of

from wangchuan import Host, InvalidInput, Memory, ModelError, NotFound
from wangchuan.erasing import bounds
from wangchuan.ids import name_of
from wangchuan.storage import JournalRecord

REMEMBERS = size("SLOTS", 200)  # after so many the store grows no more; 1,000 in the soak
TABLES = ["node", "link", "message", "job", "entry", "evidence", "fact", "vector"]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often for what is too much, so that little has to be said."""
    monkeypatch.setattr(bounds, "SOONEST", 10)
    monkeypatch.setattr(bounds, "RECENT", 10)


def small(open_memory: Open, **settings: object) -> Memory:
    values = {"strategy": "slots", "max_nodes": 6, "focus_limit": 2, "durability": "normal"}
    return open_memory(**{**values, "learn": True, **settings})


def say(memory: Memory, *numbers: int) -> None:
    for n in numbers:
        memory.remember({"role": "user", "content": text_of(f"#thing{n} is here"), "name": "Ann"})
    assert memory.flush(PATIENCE)


def counts(memory: Memory) -> dict[str, int]:
    with memory._agent.store() as store, store.read() as tx:
        return {kind: tx.rows.how_many(kind) for kind in TABLES}


def entries(memory: Memory) -> list[JournalRecord]:
    with memory._agent.store() as store, store.read() as tx:
        return tx.journal.after()


@pytest.mark.in_a_folder("it is about the size of a file")
def test_the_store_stops_growing(open_memory: Open) -> None:
    sizes = []
    for begin in (0, REMEMBERS):
        memory = small(open_memory)
        for n in range(begin, begin + REMEMBERS, 50):
            say(memory, *range(n, n + 50))
        assert memory.look.faults() == []
        assert memory.stats().nodes == 12  # slots, and as many episodes
        memory.close()
        sizes.append((memory.path / "memory.db").stat().st_size)
    # It would be twice as large; how jobs were grouped makes a little difference.
    assert sizes[1] < 1.4 * sizes[0]


def test_of_everything_only_the_newest_stays(open_memory: Open) -> None:
    memory = small(open_memory, max_trash=5, max_journal=30)
    say(memory, *range(100))
    first = counts(memory)
    say(memory, *range(100, 200))
    found = counts(memory)
    assert [kind for kind in TABLES if found[kind] > first[kind] + 10] == []
    assert len(memory.look.forgotten(limit=99)) <= 5 + 10
    assert found["message"] <= 60
    assert memory.search("thing199").result(PATIENCE)
    assert memory.look.faults() == []


def test_the_oldest_goes_first_and_is_not_called_erased(open_memory: Open) -> None:
    memory = small(open_memory, max_trash=5, learn=False)
    say(memory, *range(40))
    kept = {int(item.node.id[4:]) for item in memory.look.forgotten(limit=99)}
    assert min(kept) > 10
    assert memory.look.node("mem_1") is None
    with pytest.raises(NotFound, match="no memory has the id"):
        memory.erase("mem_1")
    newest = max(kept)
    memory.restore(f"mem_{newest}")
    assert memory.look.node(f"mem_{newest}") is not None
    assert memory.look.faults() == []


def test_what_is_gone_leaves_no_words_in_what_is_kept(open_memory: Open) -> None:
    memory = small(open_memory, max_trash=5, learn=False)
    memory.remember("zanzibarquux is the secret").result(PATIENCE)
    say(memory, *range(40))
    with memory._agent.store() as store, store.write() as tx:
        assert not tx.tombstones.mentions(b"zanzibarquux")
        assert tx.undo.holds([b"zanzibarquux"]) == set()
        assert tx.index.postings("zanzibarquux", 9) == []


def test_a_link_to_what_is_gone_says_that_something_was_known(open_memory: Open) -> None:
    memory = small(open_memory, max_trash=5, learn=False)
    say(memory, *range(40))
    with memory._agent.store() as store, store.read() as tx:
        there = {record.n for record in tx.rows.every("node")}
        dangling = [link for link in tx.rows.every("link") if link.target not in there]
        assert dangling
        assert {link.source for link in dangling} <= there
        holder = tx.nodes.get(dangling[0].source)
    assert holder is not None
    if holder.forgotten_at is not None:
        memory.restore(name_of(holder.n))
    assert "想不起来" in memory.recall([], [], 9).result(PATIENCE)


class Down(LineModel):
    """Digests nothing that is not to be digested."""

    def complete(self, ask: object) -> dict[str, object]:
        if "precious" in str(ask):
            raise ModelError("not this one")
        return super().complete(ask)  # type: ignore[arg-type, no-any-return]


def test_facts_and_what_was_not_digested_stay(tmp_path: Path, clock: FakeClock) -> None:
    settings = {"strategy": "slots", "max_nodes": 6, "focus_limit": 2, "max_trash": 5}
    settings |= {"max_retries": 0, "learn": False, "durability": "normal"}
    memory = Memory.open("a", root=tmp_path, model=Down(), clock=clock, settings=settings)
    memory.facts.add("Ann lives in Bergen")
    memory.remember("precious")
    for n in range(40):
        memory.remember(f"line {n}").result(PATIENCE)
    assert [fact.text for fact in memory.facts()] == ["Ann lives in Bergen"]
    with memory._agent.store() as store, store.read() as tx:
        assert any(message.content == "precious" for message in tx.rows.every("message"))
        assert not any(message.content == "line 1" for message in tx.rows.every("message"))
    memory.close()


def test_a_replay_says_that_the_beginning_is_no_longer_known(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = small(open_memory, learn=False)
    say(memory, *range(10))
    assert memory.history.replay().differences == ()
    then = clock()
    clock.now += 1000
    memory.close()
    memory = small(open_memory, max_trash=2, max_journal=20, learn=False)
    say(memory, *range(10, 50))
    with pytest.raises(InvalidInput, match="beginning of this history is no longer known"):
        memory.history.replay()
    with pytest.raises(InvalidInput, match=r"no longer known.*All is known since"):
        memory.nodes(at=then)
    assert {node.id for node in memory.nodes(at=clock())} == {node.id for node in memory.nodes()}


def test_undo_goes_back_as_far_as_the_journal(open_memory: Open) -> None:
    memory = small(open_memory, max_trash=5, max_journal=20, learn=False)
    say(memory, *range(20))
    newest = memory.nodes()[-1].id
    memory.forget(newest)
    seq = next(change.seq for change in memory.history(newest) if change.kind == "forgotten")
    assert memory.undo(seq).entry
    say(memory, *range(20, 60))
    with pytest.raises(NotFound, match=f"no entry {seq}"):
        memory.undo(seq)
    with memory._agent.store() as store, store.read() as tx:
        kept = tx.undo.latest(99)
        assert kept
        assert all(change.first > tx.pruned().entry - 60 for change in kept)
    assert len(memory.history.latest(99)) == len(kept)


def test_an_export_of_a_bounded_store_is_taken_in(open_memory: Open, tmp_path: Path) -> None:
    memory = small(open_memory, max_trash=5)
    say(memory, *range(80))
    memory.export(tmp_path / "a.jsonl")
    with Host(root=tmp_path / "other", settings={"strategy": "slots", "max_nodes": 6}) as host:
        host.import_("b", tmp_path / "a.jsonl")
        with host.open("b") as other:
            found, there = counts(other), counts(memory)
            assert [found[kind] for kind in TABLES[:3]] == [there[kind] for kind in TABLES[:3]]
            assert other.look.faults() == []


def test_other_strategies_let_nothing_go(open_memory: Open) -> None:
    memory = small(open_memory, strategy="scan", max_trash=5, max_journal=5, learn=False)
    say(memory, *range(80))
    assert counts(memory)["message"] == 80
    assert entries(memory)[0].seq == 1
    assert memory.history.replay().differences == ()
