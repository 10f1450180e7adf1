"""Erasure: nothing of it is left, in any file, and nothing else is touched."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw
import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, run_passes, snapshot, text_of

from wangchuan import Closed, Host, InvalidInput, Memory, NotFound, StorageError
from wangchuan.erasing.erasure import pieces_of
from wangchuan.storage.sqlite.scrubbing import found_in

SECRET_EN = "The zanzibarquux password of Wilhelmina is hunter2hunter2."
SECRET_ZH = "魑魅魍魉的保险箱密码是饕餮四五六七。"
CANARIES = ("zanzibarquux", "hunter2hunter2", "Wilhelmina", "魑魅魍魉", "饕餮")


def traces(memory_path: Path, words: tuple[str, ...] = CANARIES) -> dict[str, list[bytes]]:
    forms = {w.encode() for w in words} | {json.dumps(w)[1:-1].encode() for w in words}
    return found_in(memory_path / "memory.db", forms)


def told(memory: Memory, **more: Any) -> None:
    """Say something to keep, the secrets between it, and let time pass."""
    for n in range(6):
        memory.remember({"role": "user", "content": text_of(f"#garden{n} plan"), "id": f"keep{n}"})
        if n == 2:
            for name, secret in (("en", SECRET_EN), ("zh", SECRET_ZH)):
                message = {"role": "user", "content": f"{secret} #{CANARIES[0]}", "id": name}
                memory.remember(message | more)
    assert memory.flush(PATIENCE)


def ids_of(memory: Memory, source: str) -> list[str]:
    return [node.id for node in memory.nodes() if source in node.sources]


def erase_secrets(memory: Memory) -> None:
    memory.erase(ids_of(memory, "en")[0])
    memory.erase(message_ids=["zh"])


@pytest.mark.in_a_folder("it is about the bytes of files")
def test_no_byte_is_left_in_any_file_while_open_and_after_closing(open_memory: Open) -> None:
    memory = open_memory()
    told(memory, name="Wilhelmina")
    run_passes(memory, 3)
    assert traces(memory.path)  # the canaries do sing
    erase_secrets(memory)
    assert traces(memory.path) == {}
    assert memory.look.faults() == []
    path = memory.path
    memory.close()
    assert traces(path) == {}
    assert open_memory().look.faults() == []


def test_the_receipt_says_what_went_where_and_that_nothing_remains(memory: Memory) -> None:
    memory.remember([{"role": "user", "content": f"{SECRET_EN}\n{SECRET_ZH}", "id": "both"}])
    memory.remember({"role": "user", "content": "Something else."}).result(PATIENCE)
    first, second = ids_of(memory, "both")
    receipt = memory.erase(second)
    assert receipt.nodes == (first, second)  # cut from the same message
    assert receipt.messages == ("both",)
    assert {w: receipt.removed[w] for w in ("memories", "messages", "index")} == {
        "memories": 2,
        "messages": 1,
        "index": 1,
    }
    assert receipt.removed["links"] > 0
    assert receipt.scanned >= 3
    assert (receipt.remains, receipt.elsewhere) == ((), 0)


def test_what_somebody_else_said_too_is_counted_and_stays(memory: Memory) -> None:
    for name in ("one", "two"):
        memory.remember({"role": "user", "content": SECRET_EN, "id": name}).result(PATIENCE)
    receipt = memory.erase(message_ids=["one"])
    assert receipt.remains == ()
    assert receipt.elsewhere > 0
    assert [node.content for node in memory.nodes()] == [SECRET_EN]


def test_nothing_shows_it_or_brings_it_back(memory: Memory) -> None:
    told(memory)
    (node_id,) = ids_of(memory, "en")
    memory.forget(node_id)
    memory.erase(node_id)
    memory.erase(message_ids=["zh"])
    with pytest.raises(NotFound):
        memory.restore(node_id)
    with pytest.raises(NotFound, match="was erased"):
        memory.erase(node_id)
    with pytest.raises(NotFound, match="was erased"):
        memory.erase(message_ids=["en"])
    assert memory.look.node(node_id) is None
    assert all(change.detail == {} for change in memory.history(node_id))
    assert memory.history(node_id)[-1].kind == "erased"
    shown = [
        memory.recall([]).result(PATIENCE),
        memory.recall(["zanzibarquux", "饕餮"], depth=20).result(PATIENCE),
        memory.context("zanzibarquux 饕餮").result(PATIENCE),
        str(memory.search("zanzibarquux 饕餮", forgotten=True).result(PATIENCE)),
        str(memory.look.forgotten()),
        str(memory.look.working()),
    ]
    assert not any(word in text for word in CANARIES for text in shown if "关于" not in text)
    assert not any(SECRET_ZH in text or SECRET_EN in text for text in shown)
    assert memory.search("zanzibarquux", forgotten=True).result(PATIENCE) == []


def test_what_is_unknown_is_not_found_and_nothing_is_done(memory: Memory) -> None:
    told(memory)
    before = snapshot(memory)
    for nodes, messages in ((["mem_1", "mem_99"], []), ([], ["en", "nobody"]), ("abc", [])):
        with pytest.raises(NotFound):
            memory.erase(nodes, message_ids=messages)
    with pytest.raises(ValueError, match="say what to erase"):
        memory.erase()
    assert snapshot(memory) == before


def test_other_memories_are_as_they_were(open_memory: Open) -> None:
    memory = open_memory()
    told(memory)
    rest = {n.id: n for n in memory.nodes() if n.sources[0].startswith("keep")}
    messages = [row for row in snapshot(memory)["messages"] if str(row[1]).startswith("keep")]
    erase_secrets(memory)
    assert {n.id: n for n in memory.nodes()} == rest
    after = snapshot(memory)
    assert [row for row in after["messages"] if row[1] is not None] == messages
    living = {int(n[4:]) for n in rest}
    assert all({row[0], row[1]} <= living for row in after["links"])
    assert "garden4" in str(memory.search("garden4").result(PATIENCE))
    memory.remember({"role": "user", "content": "Later, something new."}).result(PATIENCE)
    assert max(int(n.id[4:]) for n in memory.nodes()) == 9  # no number is used twice


def test_numbers_of_erased_messages_and_memories_are_never_used_again(memory: Memory) -> None:
    memory.remember("The last thing that was said.").result(PATIENCE)
    memory.erase("mem_1")
    memory.remember("The next thing that was said.").result(PATIENCE)
    (node,) = memory.nodes()
    assert (node.id, node.sources) == ("mem_2", ("msg_2",))


def test_facts_and_episodes_learned_from_it_go_with_it(open_memory: Open) -> None:
    from wangchuan.models.offline import OfflineModel

    memory = open_memory(learn=True, model=OfflineModel(), working_messages=4, episode_messages=3)
    memory.remember({"role": "user", "content": "我喜欢饕餮牌的咖啡。", "id": "taste"})
    memory.remember({"role": "user", "content": "我住在杭州。", "id": "home"})
    for n in range(4):
        memory.remember(f"We talked about the garden, part {n}.")
    assert memory.flush(PATIENCE)
    assert any("饕餮" in fact.text for fact in memory.facts())
    assert any("饕餮" in episode.text for episode in memory.facts.episodes())
    memory.erase(message_ids=["taste"])
    assert traces(memory.path) == {}
    assert not any("饕餮" in f.text for f in [*memory.facts(), *memory.facts.episodes()])
    assert any("杭州" in fact.text for fact in memory.facts())
    assert memory.flush(PATIENCE)
    assert memory.look.faults() == []


def test_erasing_a_fact_erases_the_message_it_came_from(open_memory: Open) -> None:
    from wangchuan.models.offline import OfflineModel

    memory = open_memory(learn=True, model=OfflineModel())
    memory.remember({"role": "user", "content": "我喜欢饕餮牌的咖啡。", "id": "taste"})
    assert memory.flush(PATIENCE)
    receipt = memory.erase(memory.facts("饕餮")[0].id)
    assert receipt.messages == ("taste",)
    assert traces(memory.path) == {}


@pytest.mark.in_a_folder("it is about the bytes of files")
def test_copies_made_by_migrations_go_too(memory: Memory) -> None:
    memory.remember(SECRET_EN).result(PATIENCE)
    copy = memory.path / "memory.db.format3"
    copy.write_bytes(SECRET_EN.encode())
    assert memory.erase("mem_1").removed["copies"] == 1
    assert not copy.exists()


@pytest.mark.in_a_folder("it is about the bytes of files")
def test_a_reader_in_the_way_is_told_of_and_the_rest_done_at_the_next_open(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wangchuan.storage.sqlite.store.SCRUB_MS", 50)
    memory = open_memory()
    memory.remember(SECRET_EN).result(PATIENCE)
    reader = apsw.Connection(str(memory.path / "memory.db"))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM nodes").fetchall()
    with pytest.raises(StorageError, match="read by another program"):
        memory.erase("mem_1")
    assert memory.nodes() == []
    assert traces(memory.path)
    reader.execute("COMMIT")
    reader.close()
    path = memory.path
    memory.close()
    again = open_memory()
    assert traces(path) == {}
    assert again.nodes() == []


READS_UNTIL_TOLD = """
import sys, apsw
reader = apsw.Connection(sys.argv[1])
reader.execute("BEGIN")
reader.execute("SELECT count(*) FROM nodes").fetchall()
print("reading", flush=True)
sys.stdin.readline()
reader.execute("COMMIT")
"""


@pytest.mark.in_a_folder("it is about the bytes of files")
def test_bytes_that_another_process_kept_go_while_the_memory_stays_open(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wangchuan.storage.sqlite.store.SCRUB_MS", 50)
    monkeypatch.setattr("wangchuan.agent.ERASE_AGAIN", 0.05)
    monkeypatch.setattr("wangchuan.agent.ERASE_AT_LEAST", 0.2)
    memory = open_memory()
    memory.remember(SECRET_EN).result(PATIENCE)
    database = str(memory.path / "memory.db")
    with subprocess.Popen(
        [sys.executable, "-c", READS_UNTIL_TOLD, database],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as reader:
        assert reader.stdout
        reader.stdout.readline()
        with pytest.raises(StorageError, match="tried again while the agent is open"):
            memory.erase("mem_1")
        time.sleep(0.5)  # some tries are in vain
        assert traces(memory.path)
        reader.communicate(b"\n", timeout=PATIENCE)
    until = time.monotonic() + PATIENCE
    while is_unclean(memory) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_unclean(memory)
    assert traces(memory.path) == {}


def is_unclean(memory: Memory) -> bool:
    with memory._agent.store() as store, store.read() as tx:
        return bool(tx.meta.get("scrub"))


def test_a_digest_under_way_brings_nothing_back(open_memory: Open) -> None:
    from wangchuan.models.offline import OfflineModel

    class Interrupted(OfflineModel):
        """Has something erased while it is being asked."""

        inline = False
        memory: Memory | None = None

        def complete(self, ask: Any) -> Any:
            answer = OfflineModel.complete(self, ask)
            if self.memory is not None:
                memory, self.memory = self.memory, None
                memory.erase(message_ids=["secret"])
            return answer

    model = Interrupted()
    memory = open_memory(model=model)
    model.memory = memory
    memory.remember(
        [
            {"role": "user", "content": SECRET_ZH, "id": "secret"},
            {"role": "user", "content": "The garden gate is green.", "id": "other"},
        ]
    ).result(PATIENCE)
    assert [n.content for n in memory.nodes()] == ["The garden gate is green."]
    assert memory.flush(PATIENCE)
    assert traces(memory.path) == {}
    assert memory.look.faults() == []


def test_what_still_waits_can_be_erased(open_memory: Open, clock: FakeClock) -> None:
    from wangchuan.errors import ModelError

    class Away:
        name = "away"

        def complete(self, ask: Any) -> Any:
            raise ModelError(f"no answer to {SECRET_EN}")

    memory = open_memory(model=Away(), recall_patience=0.1)
    memory.remember({"role": "user", "content": SECRET_EN, "id": "secret"})
    assert SECRET_EN in memory.recall([]).result(PATIENCE)
    memory.erase(message_ids=["secret"])
    assert memory.recall([]).result(PATIENCE) == ""
    clock.now += 60  # the next attempt finds nothing to ask about
    assert memory.flush(PATIENCE)
    assert memory.stats().failed == 0
    assert traces(memory.path) == {}
    assert memory.look.faults() == []


def test_pieces_are_short_and_cover_long_texts() -> None:
    long = "忘川" * 1000
    found = pieces_of([long, "short", "longer than eight"])
    assert b"longer than eight" in found
    assert b"short" not in found
    assert len(found) > 5
    assert all(8 <= len(piece) <= 48 for piece in found)


# whole agents


def test_a_whole_agent_is_destroyed_and_others_stay(tmp_path: Path) -> None:
    with Host(tmp_path) as host:
        for agent in ("going", "staying"):
            host.open(agent).remember(f"{SECRET_EN} {agent}").result(PATIENCE)
        memory = host.open("going")
        receipt = host.erase("going")
        assert receipt.removed["files"] >= 2
        assert host.agents() == ["staying"]
        assert not (tmp_path / "going").exists()
        assert [p.name for p in tmp_path.iterdir()] == ["staying"]
        with pytest.raises(Closed, match="was erased"):
            memory.nodes()
        memory.close()
        with pytest.raises(NotFound):
            host.erase("going")
        with host.open("going") as anew:
            assert anew.stats().messages == 0
        assert host.open("staying").stats().messages == 1


def test_an_agent_that_another_program_has_open_is_not_destroyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wangchuan.storage.sqlite.scrubbing.ALONE_MS", 50)
    with Memory.open("a", root=tmp_path) as memory:
        memory.remember("Still there.").result(PATIENCE)
        with Host(tmp_path) as host, pytest.raises(StorageError, match="close it there"):
            host.erase("a")
        assert len(memory.nodes()) == 1


def test_a_half_destroyed_agent_is_destroyed_at_the_next_open(tmp_path: Path) -> None:
    half = tmp_path / ".erased-gone"
    half.mkdir()
    (half / "memory.db").write_bytes(SECRET_EN.encode())
    with Host(tmp_path) as host:
        assert host.agents() == []
        host.open("another")
        assert not half.exists()


# death on the way


@pytest.mark.parametrize(
    ("place", "count"),
    [
        ("wangchuan.erasing.erasure:Erasing._remove", 1),  # only the intent is there
        ("wangchuan.erasing.erasure:Erasing.remove_messages", 1),
        ("wangchuan.erasing.erasure:Erasing.remove_messages", 2),  # some are gone
        ("wangchuan.storage.sqlite.store:SQLiteStore.scrub", 1),  # all rows are gone
        ("wangchuan.storage.sqlite.store:drop_copies", 1),  # and the bytes
        ("wangchuan.storage.sqlite.store:SQLiteStore.found", 1),
    ],
)
def test_whoever_dies_while_erasing_is_finished_for(tmp_path: Path, place: str, count: int) -> None:
    script = Path(__file__).with_name("erasing_until_killed.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), place, str(count)],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    with Memory.open("a", root=tmp_path, settings={"learn": False}) as memory:
        assert traces(memory.path, CANARIES[:2]) == {}
        assert sorted(n.sources[0] for n in memory.nodes()) == [f"keep{n}" for n in range(6)]
        assert memory.flush(PATIENCE)
        assert memory.look.faults() == []
        with memory._agent.store() as store, store.read() as tx:
            assert tx.tombstones.of("message") == [f"secret{n}" for n in range(6)]
            assert len(tx.tombstones.of("node")) == 6
            assert not tx.meta.get("erasing")
            assert not tx.meta.get("scrub")


# kept for a time only


DAY = 86_400.0


def test_nothing_is_destroyed_unless_a_setting_says_so(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory()
    told(memory)
    memory.forget(ids_of(memory, "en")[0])
    before = snapshot(memory)
    memory.close()
    clock.now += 5000 * DAY
    again = open_memory()
    assert again.flush(PATIENCE)
    after = snapshot(again)
    assert {entry[3] for entry in after["journal"][len(before["journal"]) :]} <= {
        "ticking",
        "ticked",
    }
    after["journal"] = after["journal"][: len(before["journal"])]
    assert {t: after[t] for t in after if t != "meta"} == {
        t: before[t] for t in before if t != "meta"
    }


def test_words_of_old_messages_go_and_the_memories_stay(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(keep_messages_days=30)
    said = f"{text_of('#garden old')} {SECRET_EN}"
    memory.remember({"role": "user", "content": said, "id": "old"}).result(PATIENCE)
    memory.close()
    clock.now += 29 * DAY
    early = open_memory(keep_messages_days=30)
    early.remember({"role": "user", "content": "Something new.", "id": "new"}).result(PATIENCE)
    assert early.flush(PATIENCE)
    assert contents(early) == [said, "Something new."]
    early.close()
    clock.now += 2 * DAY
    late = open_memory(keep_messages_days=30)
    assert late.flush(PATIENCE)
    assert contents(late) == ["", "Something new."]
    assert "garden" in late.nodes()[0].content
    (hit, *_) = late.search("garden", forgotten=True).result(PATIENCE)  # it may have gone cold
    assert "garden" in hit.text
    assert late.look.faults() == []


def without_words(open_memory: Open, clock: FakeClock) -> Memory:
    """A memory of which the words of old messages went."""
    memory = open_memory(keep_messages_days=30)
    memory.remember([{"role": "user", "content": "The greenhouse is in Graz.\n温室里种着柠檬树。"}])
    memory.remember("Nobody speaks of anything else.")
    assert memory.flush(PATIENCE)
    memory.close()
    clock.now += 40 * DAY
    memory = open_memory(keep_messages_days=30)
    assert memory.flush(PATIENCE)
    assert contents(memory) == ["", ""]
    return memory


def finds(memory: Memory, query: str) -> list[str]:
    hits = memory.search(query, forgotten=True).result(PATIENCE)
    return [hit.node.content for hit in hits[:1] if hit.node]


def test_memories_whose_messages_lost_their_words_are_found_after_indexing_anew(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = without_words(open_memory, clock)
    wanted = {"greenhouse": "The greenhouse is in Graz.", "柠檬树": "温室里种着柠檬树。"}
    assert {query: finds(memory, query) for query in wanted} == {q: [t] for q, t in wanted.items()}
    with memory._agent.store() as store, store.write() as tx:
        tx.meta.set("analysis", "an older one")
    memory.close()
    again = open_memory(keep_messages_days=30)
    assert again.flush(PATIENCE)
    assert {query: finds(again, query) for query in wanted} == {q: [t] for q, t in wanted.items()}
    assert finds(again, "speaks") == ["Nobody speaks of anything else."]


def test_memories_whose_messages_lost_their_words_are_found_where_they_are_imported(
    open_memory: Open, clock: FakeClock, tmp_path: Path
) -> None:
    memory = without_words(open_memory, clock)
    memory.export(tmp_path / "all.jsonl")
    with Host(tmp_path / "there", settings={"learn": False}, clock=clock) as host:
        host.import_("copy", tmp_path / "all.jsonl")
        assert finds(host.open("copy"), "柠檬树") == ["温室里种着柠檬树。"]


def test_memories_whose_messages_lost_their_words_have_vectors_of_a_new_embedder(
    open_memory: Open, clock: FakeClock, kept_at: Path | str
) -> None:
    from meanings import Concepts

    memory = without_words(open_memory, clock)
    agent = memory.agent_id
    memory.close()
    embedder = Concepts()
    with Memory.open(agent, root=kept_at, embedder=embedder, clock=clock) as again:
        assert again.flush(PATIENCE)
    assert any("greenhouse" in text and "柠檬树" in text for text in embedder.texts)


def contents(memory: Memory) -> list[str]:
    return [row[4] for row in snapshot(memory)["messages"]]


def test_old_trash_is_erased_and_newer_trash_stays(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(keep_trash_days=7)
    memory.remember("The first thing.\nThe second thing.\nThe third thing.").result(PATIENCE)
    memory.forget("mem_1")
    clock.now += 5 * DAY
    memory.forget("mem_2")
    clock.now += 3 * DAY
    memory.close()
    again = open_memory(keep_trash_days=7)
    assert again.flush(PATIENCE)
    assert [gone.node.id for gone in again.look.forgotten()] == ["mem_2"]
    with pytest.raises(NotFound):
        again.restore("mem_1")
    assert again.look.faults() == []
    assert again.restore("mem_2").content == "The second thing."


def test_the_old_journal_keeps_no_texts_and_restoring_still_works(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(keep_journal_days=7, strategy="every", decay_rate=0.5)
    memory.remember("\n".join(f"{text_of(n)} zanzibarquux" for n in range(8))).result(PATIENCE)
    run_passes(memory, 4)
    noted = [n.id for n in memory.nodes() if len(n.content) < n.original_length]
    assert noted
    memory.close()
    clock.now += 8 * DAY
    again = open_memory(keep_journal_days=7, strategy="every", decay_rate=0.5)
    assert again.flush(PATIENCE)
    with again._agent.store() as store, store.read() as tx:
        assert all(e.detail == "{}" for e in tx.journal.of(int(noted[0][4:])))
    again.forget(noted[0])
    restored = again.restore(noted[0])
    assert len(restored.content) == restored.original_length


KEEP = {"keep_messages_days": 30, "keep_trash_days": 30, "keep_journal_days": 30}


def left(memory: Memory) -> tuple[list[str], int, bool]:
    """The words of messages, how much is in the trash, and whether the journal has texts."""
    assert memory.flush(PATIENCE)
    with memory._agent.store() as store, store.read() as tx:
        texts = [entry.detail for entry in tx.journal.after()]
    return contents(memory), len(memory.look.forgotten()), any("reason" in text for text in texts)


def kept(open_memory: Open) -> Memory:
    memory = open_memory(**KEEP)
    memory.remember("The first thing.\nThe second thing.").result(PATIENCE)
    memory.forget("mem_1")
    return memory


WHOLE = (["The first thing.\nThe second thing."], 1, True)
GONE = ([""], 0, False)


def test_a_clock_that_is_years_ahead_for_a_while_destroys_nothing(
    open_memory: Open, clock: FakeClock
) -> None:
    kept(open_memory).close()
    for leap in (3000 * DAY, 3000 * DAY + 3600, 2 * DAY, 20 * DAY):
        now, clock.now = clock.now, clock.now + leap
        memory = open_memory(**KEEP)
        assert left(memory) == WHOLE
        memory.close()
        clock.now = now
    clock.now += 31 * DAY
    assert left(open_memory(**KEEP)) == GONE


def test_a_clock_that_leapt_is_believed_at_a_second_look_a_day_later(
    open_memory: Open, clock: FakeClock
) -> None:
    kept(open_memory).close()
    clock.now += 400 * DAY
    memory = open_memory(**KEEP)
    memory.remember("Something new.").result(PATIENCE)  # by the clock that nothing confirms
    assert left(memory)[0][0] == WHOLE[0][0]
    clock.now += DAY / 2
    memory.close()
    memory = open_memory(**KEEP)
    assert left(memory)[0][0] == WHOLE[0][0]
    memory.close()
    clock.now += DAY / 2
    assert left(open_memory(**KEEP))[:2] == (["", "Something new."], 0)


def test_what_is_accepted_by_a_clock_in_doubt_does_not_confirm_it(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory()
    memory.remember("Said once.").result(PATIENCE)
    memory.close()
    clock.now += 3650 * DAY
    memory = open_memory(keep_messages_days=30)
    memory.remember("Said by a clock that is wrong.").result(PATIENCE)
    memory.close()
    clock.now += 10
    memory = open_memory(keep_messages_days=30)
    assert memory.flush(PATIENCE)
    assert next(m.content for m in memory.look.messages()) == "Said once."


def test_a_second_look_that_leaps_again_goes_by_the_first(
    open_memory: Open, clock: FakeClock
) -> None:
    kept(open_memory).close()
    clock.now += 70 * DAY
    memory = open_memory(**KEEP)
    memory.remember("Something new.").result(PATIENCE)
    memory.close()
    clock.now += 3000 * DAY
    assert left(open_memory(**KEEP))[0] == ["", "Something new."]


def test_retention_that_waited_goes_by_the_time_it_was_wanted_for(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = kept(open_memory)
    assert memory.flush(PATIENCE)
    with memory._agent.store() as store, store.write() as tx:
        tx.jobs.add("retain", clock.now)
        clock.now += 3000 * DAY
    memory._agent.lane.wake()
    assert left(memory) == WHOLE


@pytest.mark.parametrize("given", [5, None, [5], ["mem_1", None]])
def test_what_is_no_id_is_refused(memory: Memory, given: Any) -> None:
    memory.remember("Something.").result(PATIENCE)
    with pytest.raises(InvalidInput, match="must be an id, or several"):
        memory.erase(given)
    with pytest.raises(InvalidInput, match="must be an id, or several"):
        memory.erase(message_ids=given)
    assert memory.look.node("mem_1")
