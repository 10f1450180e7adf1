"""Erasure against everything that copies words: whatever was done with them, no byte is left."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel, run_passes, text_of

from wangchuan import Memory
from wangchuan.errors import CannotUndo, NotFound
from wangchuan.storage.sqlite.scrubbing import found_in

EN = "The zanzibarquux password of Wilhelmina is hunterhunter."
ZH = "魑魅魍魉的保险箱密码是饕餮狻猊。"
SECRET = f"{EN} {ZH} " + "我们那天还谈了许多别的事情，记得很清楚。" * 3
WORDS = ("zanzibarquux", "anzibarquu", "hunterhunter", "Wilhelmina", "wilhelmina")
WORDS = (*WORDS, "ilhelmin", "魑魅", "魍魉", "饕餮", "狻猊")


def traces(path: Path) -> dict[str, list[bytes]]:
    """Where any of the words stands, in any file, in any form."""
    forms = {w.encode() for w in WORDS} | {json.dumps(w)[1:-1].encode() for w in WORDS}
    forms |= {w.encode("utf-16-le") for w in WORDS}
    return found_in(path / "memory.db", forms)


def say(memory: Memory, text: str, name: str) -> list[str]:
    return list(memory.remember({"role": "user", "content": text, "id": name}).result(PATIENCE))


def told(memory: Memory, clock: FakeClock) -> str:
    """Say the secret between other things; return the id of the memory made of it."""
    say(memory, text_of("早先的事"), "before")
    clock.now += 1
    (secret,) = say(memory, SECRET, "secret")
    for n in range(12):
        clock.now += 1
        say(memory, text_of(f"后来的事{n}"), f"after{n}")
    return secret


def last_change(memory: Memory) -> int:
    with memory._agent.store() as store, store.read() as tx:
        return tx.undo.latest(1)[0].seq


def compress(memory: Memory, node_id: str, times: int) -> None:
    for _ in range(60):
        done = [c for c in memory.history(node_id) if c.kind == "compressed"]
        if len(done) >= times or memory.look.node(node_id) is None:
            return
        run_passes(memory, 1)
    raise AssertionError("it was never compressed so often")


def undo(memory: Memory) -> None:
    memory.undo(last_change(memory))


def compressed_twice(memory: Memory, secret: str) -> None:
    compress(memory, secret, 2)
    assert len([c for c in memory.history(secret) if c.kind == "compressed"]) == 2


def compression_undone(memory: Memory, secret: str) -> None:
    compress(memory, secret, 1)
    seq = next(c.seq for c in memory.history(secret) if c.kind == "compressed")
    memory.undo(seq)


def compression_undone_and_made_again(memory: Memory, secret: str) -> None:
    compression_undone(memory, secret)
    undo(memory)


def forgotten(memory: Memory, secret: str) -> None:
    compress(memory, secret, 1)
    memory.forget(secret)


def restored(memory: Memory, secret: str) -> None:
    forgotten(memory, secret)
    memory.restore(secret)


def restoring_undone(memory: Memory, secret: str) -> None:
    restored(memory, secret)
    undo(memory)


def merged(memory: Memory, secret: str) -> None:
    memory.merges.make([secret, "mem_1"])


def merged_second(memory: Memory, secret: str) -> None:
    memory.merges.make(["mem_1", secret])


def merged_again(memory: Memory, secret: str) -> None:
    merged = memory.merges.make(["mem_1", secret])
    memory.merges.make(["mem_4", merged.id])


def merging_undone(memory: Memory, secret: str) -> None:
    run_passes(memory, 3)  # so that merging writes the shortened texts
    merged_second(memory, secret)
    undo(memory)


def merging_undone_and_made_again(memory: Memory, secret: str) -> None:
    merging_undone(memory, secret)
    undo(memory)


def merged_and_compressed(memory: Memory, secret: str) -> None:
    made = memory.merges.make(["mem_1", secret])
    compress(memory, made.id, 1)


def searched_and_recalled(memory: Memory, secret: str) -> None:
    assert memory.search("zanzibarquux 饕餮", forgotten=True).result(PATIENCE)
    memory.recall(["饕餮"], depth=9).result(PATIENCE)
    memory.context("zanzibarquux").result(PATIENCE)


DONE: list[Callable[[Memory, str], None]] = [
    compressed_twice,
    compression_undone,
    compression_undone_and_made_again,
    forgotten,
    restored,
    restoring_undone,
    merged,
    merged_second,
    merged_again,
    merging_undone,
    merging_undone_and_made_again,
    merged_and_compressed,
    searched_and_recalled,
]


@pytest.mark.in_a_folder("it looks into files")
@pytest.mark.parametrize("by", ["memory", "message"])
@pytest.mark.parametrize("done", DONE, ids=lambda done: done.__name__)
def test_no_word_is_left_whatever_was_done_with_the_memory(
    open_memory: Open, clock: FakeClock, done: Callable[[Memory, str], None], by: str
) -> None:
    memory = open_memory(strategy="every", decay_rate=0.9)
    secret = told(memory, clock)
    done(memory, secret)
    assert traces(memory.path)  # the canaries do sing
    receipt = memory.erase(secret) if by == "memory" else memory.erase(message_ids=["secret"])
    assert secret in receipt.nodes
    assert receipt.remains == ()
    assert traces(memory.path) == {}
    assert memory.look.faults() == []
    memory.nodes(at=clock.now - 5)  # the past can still be looked at
    undo_everything(memory)
    run_passes(memory, 3)
    assert traces(memory.path) == {}
    path = memory.path
    memory.close()
    assert traces(path) == {}
    again = open_memory(strategy="every", decay_rate=0.9)
    assert again.look.node(secret) is None
    assert again.search("zanzibarquux 饕餮", forgotten=True).result(PATIENCE) == []
    assert again.look.faults() == []


def undo_everything(memory: Memory) -> None:
    """Undo what can be, over and over: nothing of it may come back by that."""
    for _ in range(3):
        with memory._agent.store() as store, store.read() as tx:
            seqs = [change.seq for change in tx.undo.latest(100)]
        for seq in seqs:
            try:
                memory.undo(seq)
            except CannotUndo:
                continue


def test_a_merged_memory_is_erased_with_all_that_it_was_made_of(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory()
    secret = told(memory, clock)
    made = memory.merges.make(["mem_1", secret])
    receipt = memory.erase(made.id)
    assert receipt.messages == ("before", "secret")
    assert set(receipt.nodes) == {"mem_1", secret, made.id}
    assert traces(memory.path) == {}


def test_what_was_merged_with_it_stays_in_the_trash_and_comes_back_whole(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory()
    secret = told(memory, clock)
    made = memory.merges.make(["mem_1", secret])
    receipt = memory.erase(secret)
    assert set(receipt.nodes) == {secret, made.id}
    assert receipt.messages == ("secret",)
    assert memory.restore("mem_1").content == text_of("早先的事")
    assert memory.look.faults() == []


# facts and episodes


def learning(open_memory: Open, **script: list[Any]) -> Memory:
    return open_memory(learn=True, model=LineModel(**script), reviewer="person")


def fact_from(memory: Memory, text: str) -> str:
    """Say something of which a fact is learned; return its id."""
    say(memory, "Something before it.", "before")
    assert memory.flush(PATIENCE)
    say(memory, SECRET, "secret")
    assert memory.flush(PATIENCE)
    return next(fact.id for fact in memory.facts() if fact.text == text)


def nothing_more(memory: Memory, fact: str) -> None:
    pass


def fact_undone(memory: Memory, fact: str) -> None:
    undo(memory)
    assert memory.facts() == []


def fact_undone_and_made_again(memory: Memory, fact: str) -> None:
    undo(memory)
    undo(memory)
    assert memory.facts("饕餮")[0].id == fact


def fact_corrected(memory: Memory, fact: str) -> None:
    memory.facts.correct(fact, "Nothing that anybody would hide.")


def fact_correction_undone(memory: Memory, fact: str) -> None:
    fact_corrected(memory, fact)
    undo(memory)


def fact_deleted(memory: Memory, fact: str) -> None:
    memory.forget(fact)


def fact_restored(memory: Memory, fact: str) -> None:
    memory.forget(fact)
    memory.restore(fact)


def fact_deleting_undone(memory: Memory, fact: str) -> None:
    memory.forget(fact)
    undo(memory)


def fact_verified(memory: Memory, fact: str) -> None:
    memory.facts.verify(fact)
    undo(memory)


FACTS = [
    nothing_more,
    fact_undone,
    fact_undone_and_made_again,
    fact_corrected,
    fact_correction_undone,
    fact_deleted,
    fact_restored,
    fact_deleting_undone,
    fact_verified,
]


@pytest.mark.parametrize("by", ["fact", "message"])
@pytest.mark.parametrize("done", FACTS, ids=lambda done: done.__name__)
def test_no_word_of_a_fact_is_left_whatever_was_done_with_it(
    open_memory: Open, done: Callable[[Memory, str], None], by: str
) -> None:
    memory = learning(
        open_memory, observe=[{"operations": ["[SKIP]"]}, {"operations": [f"[ADD] {ZH}"]}]
    )
    fact = fact_from(memory, ZH)
    done(memory, fact)
    receipt = memory.erase(fact) if by == "fact" else memory.erase(message_ids=["secret"])
    assert fact in receipt.nodes
    assert receipt.remains == ()
    if by == "fact" and not receipt.messages:
        memory.erase(message_ids=["secret"])  # of one undone it is not known where it came from
    assert traces(memory.path) == {}
    undo_everything(memory)
    assert traces(memory.path) == {}
    assert memory.facts() == [] or ZH not in str(memory.facts())
    assert memory.look.faults() == []


def test_a_fact_that_somebody_stated_and_took_back_can_be_erased(memory: Memory) -> None:
    fact = memory.facts.add(EN)
    undo(memory)
    receipt = memory.erase(fact.id)
    assert receipt.nodes == (fact.id,)
    assert traces(memory.path) == {}
    with pytest.raises(NotFound, match="was erased"):
        memory.erase(fact.id)


def test_the_words_of_a_fact_taken_back_are_found_no_longer_and_again_when_it_is_back(
    memory: Memory,
) -> None:
    fact = memory.facts.add(EN)
    undo(memory)
    with memory._agent.store() as store, store.read() as tx:
        assert tx.index.facts_holding("zanzibarquux", 9) == []
    undo(memory)
    assert [f.id for f in memory.facts("zanzibarquux")] == [fact.id]
    with memory._agent.store() as store, store.read() as tx:
        assert tx.index.facts_holding("zanzibarquux", 9) == [int(fact.id[4:])]


class Updating(LineModel):
    """Learns where somebody lives, and keeps the name when only a pronoun is said."""

    def _observe(self, data: Any) -> dict[str, Any]:
        said = str(data["said"])
        if "lives in Wien" in said:
            return {"operations": ["[ADD] Wilhelmina lives in Wien."]}
        if "Graz" in said:
            return {"operations": [f"[UPDATE:{data['known'][0].id}] Wilhelmina lives in Graz."]}
        return {"operations": ["[SKIP]"]}


def test_a_fact_that_took_its_words_from_an_erased_one_goes_too(open_memory: Open) -> None:
    memory = open_memory(learn=True, model=Updating(), reviewer="person")
    say(memory, "My friend Wilhelmina lives in Wien.", "secret")
    for n in range(40):
        memory.remember(f"The garden, part {n}.")
    assert memory.flush(PATIENCE)
    say(memory, "She moved and lives in Graz now.", "later")
    assert memory.flush(PATIENCE)
    assert [fact.text for fact in memory.facts()] == ["Wilhelmina lives in Graz."]
    memory.erase(message_ids=["secret"])
    assert traces(memory.path) == {}
    assert memory.facts() == []
    assert "later" in [s for node in memory.nodes() for s in node.sources]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I live in Oslo.", "I moved to Bergen.", "Bergen"),
        ("I live in Oslo.", "Actually I moved to Bergen last week.", "Bergen"),
        ("我住在奥斯陆。", "我搬到卑尔根了。", "卑尔根"),
        ("I work as a nurse.", "My job is teacher now.", "teacher"),
        ("我在学校上班。", "我现在在银行工作。", "银行"),
        ("My name is Anna.", "Call me Bella.", "Bella"),
    ],
)
def test_erasing_a_message_leaves_a_fact_that_was_learned_from_another(
    open_memory: Open, first: str, second: str, kept: str
) -> None:
    from wangchuan.models.offline import OfflineModel

    memory = open_memory(learn=True, model=OfflineModel())
    for name, text in (("first", first), ("second", second)):
        say(memory, text, name)
        assert memory.flush(PATIENCE)
    before = [fact.text for fact in memory.facts() if kept in fact.text]
    memory.erase(message_ids=["first"])
    assert [fact.text for fact in memory.facts()] == before
    assert before


def test_an_episode_and_the_working_memory_go_with_what_they_hold(open_memory: Open) -> None:
    from wangchuan.models.offline import OfflineModel

    memory = open_memory(learn=True, model=OfflineModel(), working_messages=4, episode_messages=3)
    say(memory, SECRET, "secret")
    for n in range(4):
        say(memory, f"We talked about the garden, part {n}.", f"g{n}")
    assert memory.flush(PATIENCE)
    assert memory.facts.episodes()
    say(memory, EN, "working")
    memory.erase(message_ids=["secret", "working"])
    assert traces(memory.path) == {}
    assert not any(word in str(memory.look.working()) for word in WORDS)


# words that went into what was said by others


class Resolving(LineModel):
    """Puts a name in the place of a pronoun, as models do."""

    def _digest(self, data: Any) -> dict[str, Any]:
        found = super()._digest(data)
        for segment in found["segments"]:
            segment["text"] = segment["text"].replace("She", "Wilhelmina")
            segment["relations"] = ["about Wilhelmina"] * len(segment["relations"])
        return found


def test_a_memory_that_took_a_name_from_an_erased_message_goes_too(open_memory: Open) -> None:
    memory = open_memory(model=Resolving())
    memory.remember(
        [
            {"role": "user", "content": "My friend Wilhelmina is here.", "id": "secret"},
            {"role": "user", "content": "She likes the garden.", "id": "next"},
            {"role": "user", "content": "The gate is green.", "id": "other"},
        ]
    ).result(PATIENCE)
    assert "Wilhelmina likes the garden." in [n.content for n in memory.nodes()]
    receipt = memory.erase(message_ids=["secret"])
    assert receipt.nodes == ("mem_1", "mem_2")
    assert receipt.messages == ("secret",)
    assert traces(memory.path) == {}
    assert [n.content for n in memory.nodes()] == ["The gate is green."]
    assert memory.look.faults() == []


def test_a_name_that_others_said_as_well_is_not_taken_from_them(open_memory: Open) -> None:
    memory = open_memory(model=Resolving())
    memory.remember(
        [
            {"role": "user", "content": "My friend Wilhelmina is here.", "id": "secret"},
            {"role": "user", "content": "Wilhelmina sings.", "id": "also"},
            {"role": "user", "content": "She likes the garden.", "id": "next"},
        ]
    ).result(PATIENCE)
    assert memory.erase(message_ids=["secret"]).nodes == ("mem_1",)
    assert len(memory.nodes()) == 2


def test_a_memory_that_took_a_name_from_the_focus_goes_with_it(open_memory: Open) -> None:
    memory = open_memory(model=Resolving())
    say(memory, "My friend Wilhelmina is here.", "secret")
    say(memory, "She likes the garden.", "next")
    say(memory, "The gate is green.", "other")
    assert memory.erase("mem_1").nodes == ("mem_1", "mem_2")
    assert traces(memory.path) == {}
    assert [n.content for n in memory.nodes()] == ["The gate is green."]


def test_relations_that_were_replaced_since_go_from_the_journal_too(open_memory: Open) -> None:
    memory = open_memory(model=Resolving())
    say(memory, "My friend Wilhelmina is here.", "secret")
    say(memory, "The gate is green.", "other")
    memory.forget("mem_2")
    memory.restore("mem_2")  # it is linked with the focus anew, by another relation
    memory.erase("mem_1")
    assert traces(memory.path) == {}
    assert memory.look.node("mem_2")


def test_names_of_relations_between_others_lose_the_words_of_what_is_erased(
    open_memory: Open,
) -> None:
    memory = open_memory(model=Resolving())
    say(memory, "My friend Wilhelmina is here.", "secret")
    say(memory, "The gate is green.", "gate")
    say(memory, "The door is red.", "door")
    assert "about Wilhelmina" in [link.relation for link in memory.look.links("mem_3")]
    memory.erase(message_ids=["secret"])
    assert traces(memory.path) == {}
    assert {"mem_2"} == {link.target for link in memory.look.links("mem_3")}
    undo_everything(memory)
    assert traces(memory.path) == {}
    assert memory.look.faults() == []


def test_a_relation_named_after_what_stays_keeps_its_name(open_memory: Open) -> None:
    memory = open_memory(model=Resolving())
    say(memory, "My friend Wilhelmina is here.", "secret")
    say(memory, "Wilhelmina has a green gate.", "gate")
    say(memory, "The door is red.", "door")
    memory.erase(message_ids=["secret"])
    assert "about Wilhelmina" in [link.relation for link in memory.look.links("mem_3")]


# the notebook, and what comes from outside


def test_pages_of_the_notebook_stay_and_the_receipt_names_them(
    tmp_path: Path, clock: FakeClock
) -> None:
    with Memory.open(
        "agent_001",
        root=tmp_path / "data",
        work_dir=tmp_path / "work",
        mode="full",
        settings={"learn": False},
        model=LineModel(),
        clock=clock,
    ) as memory:
        memory.notebook.end_session(EN, "It is noted.", task="tidy up")
        assert memory.flush(PATIENCE)
        receipt = memory.erase(message_ids=["msg_1"])
        assert traces(memory.path) == {}
        assert [Path(page).parent for page in receipt.pages] == [tmp_path / "work" / ".sessions"]
        assert receipt.remains == ()
        other = memory.remember("Something else that is long enough.").result(PATIENCE)
        assert memory.erase(other[0]).pages == ()


def test_an_older_export_of_another_system_brings_nothing_back(
    tmp_path: Path, clock: FakeClock
) -> None:
    from wangchuan import Host

    export = tmp_path / "older.json"
    chat = {
        "uuid": "c1",
        "name": "talk",
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": EN, "created_at": "2026-01-01T10:00:00Z"},
            {
                "uuid": "m2",
                "sender": "human",
                "text": "Green.",
                "created_at": "2026-01-01T10:01:00Z",
            },
        ],
    }
    export.write_text(json.dumps([chat]), encoding="utf-8")
    with Host(tmp_path / "data", settings={"learn": False}, model=LineModel(), clock=clock) as host:
        host.import_("agent_001", export, format="claude")
        memory = host.open("agent_001")
        assert memory.flush(PATIENCE)
        memory.erase([n.id for n in memory.nodes() if "zanzibarquux" in n.content])
        assert traces(memory.path) == {}
        came = host.import_("agent_001", export, format="claude")
        assert (came["message"], came["known"]) == (0, 2)
        assert memory.flush(PATIENCE)
        assert traces(memory.path) == {}


def test_a_whole_agent_leaves_nothing_in_any_file(tmp_path: Path, clock: FakeClock) -> None:
    from wangchuan import Host

    with Host(tmp_path, settings={"learn": False}, model=LineModel(), clock=clock) as host:
        memory = host.open("going")
        secret = told(memory, clock)
        merging_undone(memory, secret)
        memory.facts.add(EN)
        undo(memory)
        host.erase("going")
        assert traces(tmp_path) == {}
