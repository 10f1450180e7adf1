"""The network as a user sees it: the worked numbers of SPEC C3 to C5 and the rules around them."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel, run_passes, snapshot, text_of

from wangchuan import Host, Memory, NotFound
from wangchuan.network.fading import Rules, scans_within


def remember(memory: Memory, text: str) -> tuple[str, ...]:
    return memory.remember(text).result(PATIENCE)


def importance(memory: Memory, node_id: str) -> float:
    return memory.explain(node_id).importance


def leap(memory: Memory, out_of_focus: int) -> None:
    """Let passes go by until the sixth memory has been out of the focus for so many."""
    with memory._agent.store() as store, store.write() as tx:
        while tx.passes() < out_of_focus + 9:
            tx.advance()
        memory._agent.living.schedule.make_pass(tx)
    memory._agent.lane.wake()
    assert memory.flush(PATIENCE)


def focus_ids(memory: Memory) -> list[str]:
    return [node.id for node in memory.look.focus()]


def test_a_new_memory_starts_empty(memory: Memory) -> None:
    assert memory.nodes() == []
    assert memory.look.focus() == []
    assert memory.recall(["x"]).result(PATIENCE) == ""
    assert memory.stats().nodes == 0


def test_the_first_memory_has_no_links_and_survives_as_focus(memory: Memory) -> None:
    assert remember(memory, text_of("一")) == ("mem_1",)
    explained = memory.explain("mem_1")
    assert explained.importance == 0
    assert explained.protections == ("it is in focus",)
    run_passes(memory, 3)
    assert memory.look.node("mem_1") is not None


def test_seven_segments_at_once(memory: Memory) -> None:
    remember(memory, "\n".join(text_of(f"s{i}") for i in range(1, 8)))
    assert focus_ids(memory) == ["mem_7", "mem_6", "mem_5", "mem_4", "mem_3"]
    assert importance(memory, "mem_1") == pytest.approx(0.485)
    assert importance(memory, "mem_2") == pytest.approx(1.97)
    assert memory.explain("mem_1").target_length == pytest.approx(48.5)
    first, second = memory.look.node("mem_1"), memory.look.node("mem_2")
    assert first is not None
    assert second is not None
    assert 40 <= len(first.content) <= 50
    assert len(second.content) == 100
    strengths = {(link.source, link.target): link.strength for link in memory.look.links("mem_2")}
    assert strengths == {
        ("mem_2", "mem_1"): pytest.approx(0.485),
        ("mem_2", "mem_3"): pytest.approx(0.485),
    }
    assert {link.strength for link in memory.look.links("mem_3")} == {1.0}
    run_passes(memory, 1)
    assert importance(memory, "mem_1") == pytest.approx(0.47045)
    assert importance(memory, "mem_2") == pytest.approx(1.9409)
    assert [node.scan_count for node in memory.nodes()] == [2, 2, 0, 0, 0, 0, 0]
    faded = memory.look.node("mem_1")
    assert faded is not None
    assert len(faded.content) <= 48


def test_neighbouring_segments_are_linked_both_ways(memory: Memory) -> None:
    remember(memory, "一段话\n又一段话")
    assert [(li.target, li.relation) for li in memory.look.links("mem_1")] == [("mem_2", "下文")]
    assert [(li.target, li.relation) for li in memory.look.links("mem_2")] == [("mem_1", "上文")]


def test_importance_of_the_oldest_after_six_seven_and_eight_remembers(memory: Memory) -> None:
    for i in range(1, 7):
        remember(memory, text_of(i))
    assert importance(memory, "mem_1") == pytest.approx(9.85)
    remember(memory, text_of(7))
    assert importance(memory, "mem_1") == pytest.approx(8.7045)
    assert importance(memory, "mem_2") == pytest.approx(10.82)
    remember(memory, text_of(8))
    assert importance(memory, "mem_1") == pytest.approx(7.563365)
    assert memory.look.faults() == []


@pytest.mark.parametrize(
    ("settings", "length", "life"),
    [
        ({}, 100, 157),
        ({"decay_rate": 0.95}, 100, 95),
        ({}, 20, 127),
        ({"focus_limit": 1}, 100, 123),
    ],
)
def test_every_memory_lives_exactly_so_many_passes(
    open_memory: Open, settings: dict[str, float], length: int, life: int
) -> None:
    memory = open_memory(durability="normal", strategy="every", **settings)
    for i in range(life + 30):
        remember(memory, text_of(i, length))
    alive = [int(node.id[4:]) for node in memory.nodes()]
    assert alive == list(range(31, life + 31))
    assert memory.look.faults() == []


def test_what_has_been_scanned_often_is_scanned_rarely(open_memory: Open) -> None:
    """SPEC C5b: the life of a memory after it left the focus, by the default strategy."""
    memory = open_memory(durability="normal")
    for i in range(1, 18):
        remember(memory, text_of(i))
    assert memory.explain("mem_6").node.scan_count == 7
    assert sum(link.strength for link in memory.look.links("mem_6")) == pytest.approx(10 * 0.97**7)
    lengths = {308: 100, 309: 98, 656: 50, 657: 49, 3435: 10}
    for passes, length in lengths.items():
        leap(memory, passes)
        node = memory.look.node("mem_6")
        assert node is not None
        assert length * 0.7 <= len(node.content) <= length
    leap(memory, 3436)
    assert memory.look.node("mem_6") is None
    assert memory.look.faults() == []


@pytest.mark.parametrize("deed", ["scheduled", "attended"])
def test_no_age_is_lost_however_often_the_clock_is_set(open_memory: Open, deed: str) -> None:
    memory = open_memory(durability="normal")
    for i in range(6):
        remember(memory, text_of(i))
    schedule = memory._agent.living.schedule
    for _ in range(400):
        with memory._agent.store() as store, store.write() as tx:
            tx.advance()
            record, focus = tx.nodes.get(1), tx.links.focus()
            assert record is not None
            if deed == "scheduled":
                schedule.let_go(tx, record)
            else:
                schedule.refocus(tx, [1, *focus[1:]])
                schedule.refocus(tx, focus)
    explained = memory.explain("mem_1")
    assert explained.node.scan_count == scans_within(401, Rules())


def test_after_the_talk_ends_only_the_focus_and_what_it_points_at_remain(
    open_memory: Open,
) -> None:
    memory = open_memory(durability="normal", strategy="every")
    for i in range(50):
        remember(memory, text_of(i))
    run_passes(memory, 400)
    assert len(memory.nodes()) == 10
    assert len(focus_ids(memory)) == 5


def test_a_pair_outlives_its_shorter_half(open_memory: Open) -> None:
    """SPEC C3: A has 100 characters, B 20; a later batch of five takes the focus away."""
    memory = open_memory(durability="normal", strategy="every")
    remember(memory, f"{text_of('A')}\n{text_of('B', 20)}")
    with memory._agent.store() as store, store.write() as tx:
        memory._agent.living.schedule.refocus(tx, [])
    run_passes(memory, 23)
    assert memory.look.node("mem_2") is not None
    run_passes(memory, 1)
    assert memory.look.node("mem_2") is None
    dangling = memory.look.links("mem_1")
    assert [link.dangling for link in dangling] == [True]
    assert dangling[0].strength == pytest.approx(0.2407086, abs=1e-6)
    run_passes(memory, 52)
    assert memory.look.node("mem_1") is not None
    run_passes(memory, 1)
    assert memory.look.node("mem_1") is None


def test_where_dangling_links_do_not_count_the_longer_half_follows(open_memory: Open) -> None:
    memory = open_memory(durability="normal", strategy="every", dangling_counts=False)
    remember(memory, f"{text_of('A')}\n{text_of('B', 20)}")
    with memory._agent.store() as store, store.write() as tx:
        memory._agent.living.schedule.refocus(tx, [])
    run_passes(memory, 24)
    assert memory.look.node("mem_2") is None
    assert memory.look.node("mem_1") is not None
    run_passes(memory, 1)
    assert memory.look.node("mem_1") is None


def test_physical_time_changes_nothing(memory: Memory, clock: FakeClock) -> None:
    for i in range(8):
        remember(memory, text_of(i))
    before = snapshot(memory)
    shown = memory.nodes()
    clock.now += 10 * 365 * 86400
    memory.flush(PATIENCE)
    assert snapshot(memory) == before
    assert memory.nodes() == shown


def test_what_is_mentioned_again_moves_up_in_the_focus(memory: Memory) -> None:
    for word in ("#a", "#b", "#c", "#d", "#e"):
        remember(memory, f"a thing {word}")
    remember(memory, "again #a and #c")
    assert focus_ids(memory) == ["mem_6", "mem_3", "mem_1", "mem_5", "mem_4"]


def test_the_mention_rule_can_be_switched_off(open_memory: Open) -> None:
    memory = open_memory(focus_refresh_on_mention=False)
    for word in ("#a", "#b", "#c", "#d", "#e"):
        remember(memory, f"a thing {word}")
    remember(memory, "again #a and #c")
    assert focus_ids(memory) == ["mem_6", "mem_5", "mem_4", "mem_3", "mem_2"]


def test_the_same_words_make_another_memory(memory: Memory) -> None:
    for _ in range(3):
        remember(memory, "我喜欢吃苹果")
    assert [node.content for node in memory.nodes()] == ["我喜欢吃苹果"] * 3


def test_texts_are_rewritten_by_the_model_in_steps_and_shown_at_their_target(
    memory: Memory, model: LineModel
) -> None:
    remember(memory, "\n".join(text_of(f"s{i}") for i in range(1, 8)))
    for _ in range(40):
        run_passes(memory, 1)
        node, explained = memory.look.node("mem_1"), memory.explain("mem_1")
        assert node is not None
        assert len(node.content) <= explained.target_length / 0.97 + 1e-6
    assert 2 <= model.asked.count("compress") <= 12
    kinds = [change.kind for change in memory.history("mem_1")]
    assert kinds[0] == "remembered"
    assert set(kinds[1:]) == {"compressed"}


def test_phrase_and_keywords_shrink_with_the_content(open_memory: Open) -> None:
    from wangchuan.models.offline import OfflineModel

    memory = open_memory(model=OfflineModel())
    first = "昨天讨论了用户系统的登录模块设计，决定采用JWT方案。"
    remember(memory, "\n".join([first, *["周末我们要去爬山看日出，顺便在山顶拍照。"] * 7]))
    run_passes(memory, 3)
    assert any(len(node.content) < node.original_length for node in memory.nodes())
    for node in memory.nodes():
        assert node.keywords
        assert len(node.phrase) <= max(40, len(node.content))
        assert all(word.casefold() in node.content.casefold() for word in node.keywords)


def test_links_that_lead_to_a_memory_can_be_asked_for(open_memory: Open) -> None:
    memory = open_memory(focus_limit=1, delete_threshold=0)
    for said in ("one\ntwo\nthree", "four", "five"):
        memory.remember(said).result(PATIENCE)
    ids = [node.id for node in memory.nodes()]
    leading = {n: memory.look.links(n, incoming=True) for n in ids}
    assert {li for found in leading.values() for li in found} == {
        link for n in ids for link in memory.look.links(n)
    }
    for n, found in leading.items():
        assert {link.target for link in found} == {n}
        assert [li.strength for li in found] == sorted((li.strength for li in found), reverse=True)
    memory.forget("mem_2")
    assert [link.source for link in memory.look.links("mem_1", incoming=True)] == []
    assert [link.source for link in memory.look.links("mem_3", incoming=True)] == ["mem_4"]
    with pytest.raises(NotFound):
        memory.look.links("mem_2", incoming=True)


def test_forgetting_leaves_dangling_links_and_restoring_makes_them_whole(memory: Memory) -> None:
    for i in range(7):
        remember(memory, text_of(i))
    memory.forget("mem_3")
    assert memory.look.node("mem_3") is None
    assert [(gone.node.id, gone.reason) for gone in memory.look.forgotten()] == [
        ("mem_3", "on request")
    ]
    assert any(link.dangling for link in memory.look.links("mem_4") if link.target == "mem_3")
    restored = memory.restore("mem_3")
    assert (restored.id, restored.content) == ("mem_3", text_of(2))
    assert not any(link.dangling for link in memory.look.links("mem_4"))
    assert memory.look.forgotten() == []
    assert [c.kind for c in memory.history("mem_3")] == ["remembered", "forgotten", "restored"]
    assert memory.look.faults() == []


def test_what_faded_away_comes_back_whole_and_stays(open_memory: Open) -> None:
    memory = open_memory(durability="normal", strategy="every", decay_rate=0.8)
    for i in range(60):
        remember(memory, text_of(i))
    assert memory.look.node("mem_1") is None
    memory.flush(PATIENCE)
    assert memory.look.forgotten(limit=1000)[-1].reason == "faded"
    restored = memory.restore("mem_1")
    assert (restored.content, restored.phrase) == (text_of(0), text_of(0)[:20])
    remember(memory, text_of("next"))
    assert memory.look.node("mem_1") is not None
    assert text_of(0) in memory.recall(["0："], depth=1).result(PATIENCE)
    assert memory.look.faults() == []


def test_a_forgotten_focus_leaves_the_focus_and_protects_no_longer(memory: Memory) -> None:
    for i in range(8):
        remember(memory, text_of(i))
    before = importance(memory, "mem_3"), importance(memory, "mem_2")
    memory.forget("mem_8")
    assert focus_ids(memory) == ["mem_7", "mem_6", "mem_5", "mem_4"]
    after = importance(memory, "mem_3"), importance(memory, "mem_2")
    assert after == pytest.approx((before[0] - 1, before[1]))  # mem_8 points at mem_3 only
    assert memory.look.faults() == []


def test_the_only_memory_forgotten_and_restored_is_focus_again(memory: Memory) -> None:
    remember(memory, "我爱你")
    memory.forget("mem_1")
    assert memory.look.focus() == []
    memory.restore("mem_1")
    assert focus_ids(memory) == ["mem_1"]


def test_what_a_memory_restored_into_an_empty_focus_leads_to_is_held_again(memory: Memory) -> None:
    for i in range(8):
        remember(memory, text_of(i))
    for n in (5, 6, 7, 8, 4):  # all in focus, and one that was
        memory.forget(f"mem_{n}")
    assert memory.look.focus() == []
    memory.restore("mem_4")
    assert focus_ids(memory) == ["mem_4"]
    assert memory.look.faults() == []


def test_fading_lists_what_goes_first_in_front(memory: Memory) -> None:
    remember(memory, "\n".join(text_of(i, 20 + 10 * i) for i in range(1, 9)))
    run_passes(memory, 1)
    fading = memory.look.fading()
    assert [item.node.id for item in fading] == ["mem_1", "mem_2"]
    assert fading[0].passes_left is not None
    assert fading[1].passes_left is not None
    assert 0 < fading[0].passes_left < fading[1].passes_left
    run_passes(memory, fading[0].passes_left)
    assert memory.look.node("mem_1") is None
    assert memory.look.node("mem_2") is not None


def test_slots_are_reused_by_the_least_important(open_memory: Open) -> None:
    memory = open_memory(strategy="slots", max_nodes=12, slot_sample=64, durability="normal")
    for i in range(40):
        remember(memory, text_of(i))
        assert len(memory.nodes()) <= 12
    memory.flush(PATIENCE)
    gone = memory.look.forgotten(limit=1000)
    assert {item.reason for item in gone} == {"slot reused"}
    assert len(gone) == 28
    assert sorted(int(item.node.id[4:]) for item in gone) == list(range(1, 29))
    assert memory.look.faults() == []


def test_slots_hold_even_when_more_comes_at_once(open_memory: Open) -> None:
    memory = open_memory(strategy="slots", max_nodes=20, durability="normal")
    remember(memory, "\n".join(text_of(i) for i in range(100)))
    assert len(memory.nodes()) == 20
    memory.close()
    fewer = open_memory(strategy="slots", max_nodes=8, durability="normal")
    remember(fewer, text_of("more"))
    assert len(fewer.nodes()) == 8
    assert fewer.look.faults() == []


def test_a_callback_may_use_the_memory(memory: Memory) -> None:
    remember(memory, text_of(1))
    memory.on("forgotten", lambda event: memory.restore(event.detail["node"]))
    memory.forget("mem_1")
    assert memory.look.node("mem_1") is not None


def test_without_dangling_links_counting_the_past_is_not_touched(open_memory: Open) -> None:
    memory = open_memory(dangling_counts=False)
    remember(memory, "\n".join(text_of(i) for i in range(9)))
    run_passes(memory, 2)
    before = {n.id: n.content for n in memory.nodes()}
    memory.forget("mem_2")
    assert {n.id: n.content for n in memory.nodes()} == {
        key: text for key, text in before.items() if key != "mem_2"
    }


def test_changed_rules_hold_from_the_moment_they_change(open_memory: Open) -> None:
    memory = open_memory(strategy="every")
    for i in range(8):
        remember(memory, text_of(i))
    shown = memory.nodes()
    former = {n.id: importance(memory, n.id) for n in shown}
    memory.close()
    slower = open_memory(strategy="every", decay_rate=0.5)
    assert slower.nodes() == shown
    assert {n.id: importance(slower, n.id) for n in shown} == pytest.approx(former)
    run_passes(slower, 1)
    own = sum(link.strength for link in slower.look.links("mem_1"))
    assert own == pytest.approx(5 * 0.97**3 * 0.5)
    assert slower.look.faults() == []


def test_who_only_looks_does_not_change_the_rules(tmp_path: Path, clock: FakeClock) -> None:
    settings = {"decay_rate": 0.5, "learn": False}
    with Host(tmp_path, model=LineModel(), settings=settings, clock=clock) as host:
        memory = host.open("a")
        for i in range(8):
            remember(memory, text_of(i))
        seen = [memory.explain(node.id) for node in memory.nodes()]
        before = snapshot(memory)
    with Host(tmp_path, model=LineModel(), adopt=False, clock=clock) as host:
        memory = host.open("a")
        assert [memory.explain(node.id) for node in memory.nodes()] == seen
        assert snapshot(memory) == before


def test_changed_rules_do_not_reach_into_the_trash(open_memory: Open) -> None:
    memory = open_memory()
    for i in range(8):
        remember(memory, text_of(i))
    memory.forget("mem_1")
    memory.close()
    other = open_memory(decay_rate=0.5)
    other.restore("mem_1")
    faded = [link.strength for link in other.look.links("mem_1") if link.relation == "关于"]
    assert faded == pytest.approx([1, 1, 1, 0.97**3, 0.97**3])  # three lead to the focus again


def test_a_link_broken_under_the_old_rules_stays_broken(open_memory: Open) -> None:
    memory = open_memory(link_break_threshold=0.48)
    remember(memory, "\n".join(text_of(i) for i in range(8)))
    run_passes(memory, 1)
    assert memory.look.links("mem_2") == []
    memory.close()
    gentler = open_memory(link_break_threshold=0.01)
    assert gentler.look.links("mem_2") == []
    assert gentler.look.faults() == []


def test_a_smaller_focus_lets_the_oldest_go(open_memory: Open) -> None:
    memory = open_memory()
    for i in range(6):
        remember(memory, text_of(i))
    memory.close()
    smaller = open_memory(focus_limit=2)
    assert focus_ids(smaller) == ["mem_6", "mem_5"]
    assert smaller.look.faults() == []
    run_passes(smaller, 1)
    assert [node.scan_count for node in smaller.nodes()] == [2, 1, 1, 1, 0, 0]


def test_importance_is_nowhere_on_disk(memory: Memory) -> None:
    for i in range(8):
        remember(memory, text_of(i))
    value = importance(memory, "mem_1")
    for rows in snapshot(memory).values():
        for row in rows:
            assert not any(isinstance(cell, float) and abs(cell - value) < 1e-9 for cell in row)
