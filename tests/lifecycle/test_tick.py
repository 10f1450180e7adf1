"""Ticks and merges: what goes cold, what is marked, and that nothing is lost or kept that should
not be."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest
from stage import PATIENCE, FakeClock, snapshot

from wangchuan import InvalidInput, Memory, NotFound
from wangchuan.lifecycle.merging import merged_text, overlap
from wangchuan.network.activity import DAY, HOUR
from wangchuan.storage import LifecycleRecord

Open = Callable[..., Memory]
LINES = (
    "登录模块改用 JWT，访问令牌十五分钟过期。 #登录",
    "年糕是一只怕打雷的橘猫，只吃三文鱼罐头。 #年糕",
    "十月和妈妈去大理，住在双廊的民宿。 #大理",
    "数据库换成 PostgreSQL，迁移安排在周末。 #数据库",
)


def told(memory: Memory, *lines: str) -> list[str]:
    """Remember lines one by one; return the ids of what was made of them."""
    return [node_id for line in lines for node_id in memory.remember(line).result(PATIENCE)]


def lifecycle(memory: Memory) -> list[LifecycleRecord]:
    with memory._agent.store() as store, store.read() as tx:
        rows = tx._engine.connection.execute(  # type: ignore[attr-defined]
            "SELECT node, cold_since, merge_with, delete_eligible FROM lifecycle ORDER BY node"
        )
        return [LifecycleRecord(*row) for row in rows]


def found(memory: Memory, query: str, **options: Any) -> list[tuple[str, str | None]]:
    hits = memory.search(query, **options).result(PATIENCE)
    return [(hit.node.id, hit.lost) for hit in hits if hit.node]


def used(memory: Memory, query: str, limit: int = 10) -> None:
    """Find something, cold or not, and see that this was noted."""
    found(memory, query, forgotten=True, limit=limit)
    memory.context().result(PATIENCE)  # reads follow one another


@pytest.fixture
def small(open_memory: Open) -> Memory:
    return open_memory(focus_limit=1, merge_max_degree=20, theta_active=1.0, decay_rate=0.999)


def test_new_memories_are_active_until_a_tick_says_otherwise(
    small: Memory, clock: FakeClock
) -> None:
    first, *_ = told(small, *LINES)
    clock.now += 150 * DAY
    assert small.explain(first).state == "active"
    assert found(small, "JWT")[0] == (first, None)


def test_what_was_not_used_for_long_goes_cold_and_is_found_as_such(
    small: Memory, clock: FakeClock
) -> None:
    first, *_, last = told(small, *LINES)
    clock.now += 150 * DAY
    assert small.tick(PATIENCE)
    assert small.explain(first).state == "cold"
    assert small.explain(last).state == "active"  # it is in focus
    assert (first, "cold") in found(small, "JWT")
    assert found(small, "PostgreSQL")[0] == (last, None)


def test_the_context_takes_the_cold_only_where_nothing_active_answers_and_warms_it(
    small: Memory, clock: FakeClock
) -> None:
    *_, before, _last = told(small, *LINES)
    assert "大理" in small.context("大理").result(PATIENCE)
    clock.now += 150 * DAY
    small.tick(PATIENCE)
    assert small.explain(before).state == "cold"
    assert "大理" not in small.context().result(PATIENCE)
    assert "大理" not in small.context("数据库").result(PATIENCE)
    assert "很久没有想起" in small.recall(["大理"]).result(PATIENCE)
    assert "大理" in small.context("大理").result(PATIENCE)
    small.flush(PATIENCE)
    small.tick(PATIENCE)
    assert small.explain(before).state == "active"


def test_a_cold_memory_that_is_found_is_active_after_the_next_tick(
    small: Memory, clock: FakeClock
) -> None:
    first, *_ = told(small, *LINES)
    clock.now += 150 * DAY
    small.tick(PATIENCE)
    used(small, "JWT")
    assert small.explain(first).state == "cold"
    small.tick(PATIENCE)
    assert small.explain(first).state == "active"
    assert found(small, "JWT")[0] == (first, None)


def test_an_unused_memory_with_a_link_each_way_is_cold_after_25_days_and_says_so(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(focus_limit=1, theta_active=1.0)  # by the worked figures
    first, last = told(memory, *LINES[:2])
    began = clock.now
    clock.now = began + 24 * DAY  # ln 2 + 0.8 ln 2 - 0.3 * 24 / 30 = 1.0077
    memory.tick(PATIENCE)
    early = memory.explain(first)
    assert (early.state, early.cold_since) == ("active", None)
    assert early.score == pytest.approx(1.007665, abs=1e-6)
    clock.now = began + 25 * DAY
    memory.tick(PATIENCE)
    late = memory.explain(first)
    assert (late.state, late.cold_since) == ("cold", clock.now)
    assert late.score == pytest.approx(0.997665, abs=1e-6)
    assert set(late.activity) == {*early.activity}
    assert memory.explain(last).cold_since is None  # it is in focus
    assert "JWT" in memory.recall(["JWT"]).result(PATIENCE)
    assert (first, "cold") in found(memory, "JWT")


def test_a_memory_nothing_leads_to_is_marked_for_deletion_and_stays(
    small: Memory, clock: FakeClock
) -> None:
    first, second, *_ = told(small, *LINES)
    small.forget(second)
    clock.now += 200 * DAY
    before = small.look.node(first)
    small.tick(PATIENCE)
    explanation = small.explain(first)
    assert explanation.marks == ("delete",)
    assert explanation.score <= 0
    assert explanation.node == before
    used(small, "JWT")
    small.tick(PATIENCE)
    assert small.explain(first).marks == ()


def test_a_memory_that_enters_the_focus_is_active_at_once(open_memory: Open, clock: Any) -> None:
    memory = open_memory(focus_limit=2)
    first, _second, *_ = told(memory, *LINES[:3])
    clock.now += 200 * DAY
    memory.tick(PATIENCE)
    assert memory.explain(first).state == "cold"
    with memory._agent.store() as store, store.write() as tx:
        memory._agent.living.schedule.refocus(tx, [int(first[4:])])
    assert memory.explain(first).state == "active"
    assert (first, None) in found(memory, "JWT")


def test_a_tick_for_the_same_moment_changes_nothing_and_none_deletes_or_keeps_a_score(
    small: Memory, clock: FakeClock
) -> None:
    told(small, *LINES)
    small.forget("mem_2")
    clock.now += 200 * DAY + 0.25
    before = snapshot(small)
    small.tick(PATIENCE)
    once, after = lifecycle(small), snapshot(small)
    assert once
    told_of = after["journal"][len(before["journal"]) :]
    assert {entry[3] for entry in told_of} == {"ticking", "ticked"}
    assert {t: after[t] for t in after if t not in ("meta", "journal")} == {
        t: before[t] for t in before if t not in ("meta", "journal")
    }
    small.tick(PATIENCE)
    assert lifecycle(small) == once
    scores = [small.explain(node.id).score for node in small.nodes()]
    stored = b"".join(path.read_bytes() for path in small.path.glob("memory.db*"))
    for score in scores:
        assert struct.pack(">d", score) not in stored
        assert f"{score:.6f}".encode() not in stored
        assert repr(score).encode() not in stored
    assert struct.pack(">d", clock.now) in stored  # since when they are cold: the scan does see


def test_a_tick_of_an_empty_memory_does_nothing(memory: Memory) -> None:
    assert memory.tick(PATIENCE)
    assert lifecycle(memory) == []


def test_a_tick_in_small_pieces_gives_the_same(
    open_memory: Open, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = []
    for name, size in (("whole", 500), ("pieces", 1)):
        memory = open_memory(name, focus_limit=1, merge_max_degree=20, theta_active=1.0)
        told(memory, *LINES, LINES[0], LINES[2])
        clock.now += 200 * DAY
        pieces = dict.fromkeys(("states", "merges", "deletions"), size)
        monkeypatch.setattr("wangchuan.lifecycle.tick.AT_ONCE", pieces)
        memory.tick(PATIENCE)
        clock.now += 10 * DAY
        memory.tick(PATIENCE)
        left.append(lifecycle(memory))
        clock.now -= 210 * DAY
    assert left[0] == left[1]
    assert {row.merge_with for row in left[0]} > {None}


def test_the_host_ticks_by_itself_when_it_is_time(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(focus_limit=1)
    told(memory, *LINES)
    clock.now += 11 * HOUR
    assert not _due(memory)
    clock.now += HOUR
    assert _due(memory)
    memory._agent.tend()
    memory.flush(PATIENCE)
    assert not _due(memory)
    clock.now += 200 * DAY
    memory._agent.tend()
    memory.flush(PATIENCE)
    assert memory.explain("mem_1").state == "cold"


def _due(memory: Memory) -> bool:
    with memory._agent.store() as store, store.read() as tx:
        return memory._agent.metabolism.is_due(tx)


def test_facts_do_not_go_cold_and_their_weight_is_explained(
    small: Memory, clock: FakeClock
) -> None:
    fact = small.facts.add("用户对花生过敏")
    clock.now += 10 * DAY
    small.tick(PATIENCE)
    explanation = small.explain(fact.id)
    assert explanation.state == "active"
    assert explanation.weight == pytest.approx(1.5 * 0.95**3, abs=1e-6)


# explaining


def test_the_explained_terms_sum_to_the_score_and_follow_from_what_happened(
    small: Memory, clock: FakeClock
) -> None:
    told(small, *LINES)
    small.recall(["大理"]).result(PATIENCE)
    small.context().result(PATIENCE)
    clock.now += DAY
    explanation = small.explain("mem_3")
    assert sum(explanation.activity.values()) == explanation.score
    assert explanation.activity["access"] == pytest.approx(0.831777, abs=1e-6)
    assert explanation.activity["recent_access"] == pytest.approx(0.551819, abs=1e-6)
    assert explanation.activity["age"] == pytest.approx(-0.01)
    assert explanation.node.sources == ("msg_3",)


def test_links_of_the_forgotten_and_broken_links_lead_nowhere(open_memory: Open) -> None:
    memory = open_memory(focus_limit=1)
    told(memory, *LINES[:3])
    both = memory.explain("mem_2").activity
    memory.forget("mem_1")
    left = memory.explain("mem_2").activity
    assert left["in_degree"] < both["in_degree"]  # what led here is gone
    assert left["out_degree"] == both["out_degree"]  # a dangling link counts until it breaks
    strict = open_memory("strict", focus_limit=1, dangling_counts=False)
    told(strict, *LINES[:3])
    strict.forget("mem_1")
    assert strict.explain("mem_2").activity["out_degree"] < both["out_degree"]


def test_degrees_in_sql_are_those_of_the_links_shown(open_memory: Open) -> None:
    memory = open_memory(focus_limit=2, decay_rate=0.8)
    told(memory, *LINES, *LINES[::-1], *LINES)
    with memory._agent.store() as store, store.read() as tx:
        vitals = {v.n: v for v in tx.ticks.vitals(memory._agent.living.lens.decay(tx), 0, -1)}
    links = {node.id: memory.look.links(node.id) for node in memory.nodes()}
    leading = [link.target for found_links in links.values() for link in found_links]
    assert len(vitals) == len(links) > 4
    for node_id, own in links.items():
        seen = vitals[int(node_id[4:])]
        assert (seen.out_degree, seen.in_degree) == (len(own), leading.count(node_id))


# merging


def test_texts_overlap_as_far_as_they_share_their_words() -> None:
    assert overlap(LINES[0], LINES[0]) == 1
    assert overlap(LINES[0], LINES[1]) == 0
    assert overlap("", "") == overlap("。", "。") == 0
    room = "周末去第12号仓库盘点零件，记得带上钥匙和清单。"
    assert overlap(room, room.replace("12", "13")) == 0
    same = "the blue boat leaves the northern harbour on Monday morning at seven"
    assert 0.5 < overlap(same, same.replace("seven", "eight")) < 1


def test_a_merged_text_says_everything_once() -> None:
    assert merged_text([LINES[0], LINES[0]]) == LINES[0]
    both = merged_text(["Anna keeps bees. She lives in Graz.", "She lives in Graz. She sings."])
    assert both.count("Graz") == 1
    assert "sings" in both
    assert "bees" in both


def doubled(memory: Memory, clock: FakeClock) -> list[str]:
    """Two memories that say nearly the same, cold for long, and others."""
    ids = told(memory, LINES[0], LINES[1], LINES[0], *LINES[2:])
    clock.now += 200 * DAY
    memory.tick(PATIENCE)
    return ids


def test_a_merge_is_suggested_only_after_a_week_of_cold(small: Memory, clock: FakeClock) -> None:
    first, _, again, *_ = doubled(small, clock)
    clock.now += 7 * DAY - 1
    small.tick(PATIENCE)
    assert small.merges() == []
    clock.now += 1
    small.tick(PATIENCE)
    (suggestion,) = small.merges()
    assert [node.id for node in suggestion.nodes] == [first, again]
    assert suggestion.overlap == 1
    assert suggestion.reason.startswith("cold for 7 days")
    assert "100%" in suggestion.reason
    assert small.explain(first).marks == ("merge",)


def test_partners_are_found_among_the_many_memories_of_long_messages(
    small: Memory, clock: FakeClock
) -> None:
    filler = [f"第{n}件事：周末去第{n}号仓库盘点零件。" for n in range(40)]
    told(small, "\n".join([*filler, LINES[1]]), "\n".join([LINES[1], *filler[:3]]), LINES[3])
    clock.now += 500 * DAY
    small.tick(PATIENCE)
    clock.now += 8 * DAY
    small.tick(PATIENCE)
    (suggestion,) = [found for found in small.merges() if "年糕" in found.nodes[0].content]
    assert [node.sources for node in suggestion.nodes] == [("msg_1",), ("msg_2",)]


def test_a_remember_does_not_wait_for_a_whole_tick(
    small: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(small, *LINES)
    pieces = dict.fromkeys(("states", "merges", "deletions"), 1)
    monkeypatch.setattr("wangchuan.lifecycle.tick.AT_ONCE", pieces)
    order: list[str] = []
    for event in ("stored", "ticked"):
        small.on(event, lambda event: order.append(event.name))
    with small._agent.store() as store, store.write() as tx:
        small._agent.metabolism.want(tx)
    small.remember(LINES[0])
    assert small.flush(PATIENCE)
    assert order == ["stored", "ticked"]


def test_memories_with_many_links_are_not_suggested(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(focus_limit=1, merge_max_degree=2, theta_active=1.0)
    doubled(memory, clock)
    clock.now += 8 * DAY
    memory.tick(PATIENCE)
    assert {row.merge_with for row in lifecycle(memory)} == {None}


def test_a_suggestion_goes_when_one_of_the_two_is_used(small: Memory, clock: FakeClock) -> None:
    doubled(small, clock)
    clock.now += 8 * DAY
    small.tick(PATIENCE)
    assert small.merges()
    used(small, "JWT", limit=1)
    clock.now += HOUR
    small.tick(PATIENCE)
    assert small.merges() == []


def test_a_merge_keeps_its_sources_in_the_trash_and_can_be_taken_back(
    small: Memory, clock: FakeClock
) -> None:
    first, _, again, *_ = doubled(small, clock)
    seen: list[Any] = []
    small.on("merged", seen.append)
    merged = small.merges.make([first, again])
    assert merged.content == LINES[0]
    assert merged.sources == ("msg_1", "msg_3")
    gone = {one.node.id: one.reason for one in small.look.forgotten()}
    assert gone == dict.fromkeys((first, again), f"merged into {merged.id}")
    led = {link.target: link for link in small.look.links(merged.id)}
    assert led[first].dangling
    assert led[first].relation == led[again].relation == "合并"
    (entry,) = small.history(merged.id)
    assert (entry.kind, entry.detail) == ("merged", {"sources": [1, 3], "node": int(merged.id[4:])})
    assert seen[0].detail == {"node": merged.id, "sources": [first, again]}
    assert small.look.faults() == []
    assert found(small, "JWT")[0] == (merged.id, None)
    back = small.restore(first)
    assert back.content == LINES[0]
    assert merged.id in {link.target for link in small.look.links(first)}
    assert small.look.faults() == []


def test_recall_does_not_mourn_what_was_merged(small: Memory) -> None:
    told(small, *LINES)
    small.merges.make(["mem_2", "mem_3"])
    text = small.recall(["大理"]).result(PATIENCE)
    assert "双廊" in text
    assert "年糕" in text
    assert "合并" not in text


def test_what_cannot_be_merged_is_refused_and_nothing_changes(small: Memory) -> None:
    told(small, *LINES)
    fact = small.facts.add("用户对花生过敏")
    before = snapshot(small)
    for ids, error in (
        ([], InvalidInput),
        (["mem_1"], InvalidInput),
        (["mem_1", "mem_1"], InvalidInput),
        (["mem_1", fact.id], InvalidInput),
        (["mem_1", "mem_99"], NotFound),
    ):
        with pytest.raises(error):
            small.merges.make(ids)
    assert snapshot(small) == before


def test_a_restored_memory_is_active(small: Memory, clock: FakeClock) -> None:
    first, *_ = told(small, *LINES)
    clock.now += 150 * DAY
    small.tick(PATIENCE)
    small.forget(first)
    small.restore(first)
    assert small.explain(first).state == "active"
