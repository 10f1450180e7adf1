"""Search through the public surface: what is found, when, in which order, and what that changes."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel, snapshot

from wangchuan import Closed, Hit, InvalidInput, Memory
from wangchuan.models.offline import OfflineModel

HOUR, DAY = 3600.0, 86_400.0


def remember(memory: Memory, *said: Any) -> None:
    for one in said:
        memory.remember(one).result(PATIENCE)


def found(memory: Memory, query: str, **options: Any) -> list[Hit]:
    return memory.search(query, **options).result(PATIENCE)


def texts(memory: Memory, query: str, **options: Any) -> list[str]:
    """What was said, best first."""
    return [hit.sources[0].content for hit in found(memory, query, **options)]


def apart(clock: FakeClock, memory: Memory, *said: Any) -> None:
    """Say things in conversations of their own, so that none speaks for another."""
    for one in said:
        clock.now += 2 * HOUR
        remember(memory, one)


# at once, and after all


class Silent(LineModel):
    """Does not answer until it is let."""

    inline = False

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def complete(self, ask: Any) -> dict[str, Any]:
        assert self.go.wait(PATIENCE)
        return super().complete(ask)


@pytest.fixture
def silent() -> Iterator[Silent]:
    model = Silent()
    yield model
    model.go.set()


def test_what_was_remembered_is_found_at_once_while_the_model_is_silent(
    open_memory: Open, silent: Silent
) -> None:
    memory = open_memory(model=silent)
    receipt = memory.remember({"role": "user", "content": "登录用 JWT", "name": "小祥", "id": "x7"})
    (hit,) = found(memory, "登录")
    assert not receipt.done()
    assert (hit.node, hit.text, hit.lost, hit.path) == (None, "登录用 JWT", None, ())
    said = hit.sources[0]
    assert (said.role, said.name, said.id) == ("user", "小祥", "x7")
    silent.go.set()
    receipt.result(PATIENCE)
    (hit,) = found(memory, "登录")
    assert hit.node is not None
    assert hit.node.id == "mem_1"


def test_every_search_sees_every_remember_before_it(memory: Memory) -> None:
    for n in range(50):
        memory.remember(f"parcel p{n}x")
        assert texts(memory, f"p{n}x")[0] == f"parcel p{n}x"


def test_what_was_said_is_found_after_a_restart(open_memory: Open, silent: Silent) -> None:
    first = open_memory(model=silent)
    first.remember("The spare key lies under the flowerpot")
    silent.go.set()
    first.close()
    again = open_memory()
    assert texts(again, "spare key") == ["The spare key lies under the flowerpot"]
    assert again.flush(PATIENCE)
    assert found(again, "spare key")[0].node is not None


def test_offline_memories_are_found_in_both_languages(open_memory: Open) -> None:
    memory = open_memory(model=OfflineModel())
    remember(
        memory,
        "我们决定登录模块用 JWT。下周三上线。",
        "Anna moved to Berlin last spring. She works at a bank now.",
    )
    for query in ("登录", "jwt", "上线", "登录模块用什么？"):
        assert "JWT" in texts(memory, query)[0]
    for query in ("Berlin", "moving", "banks", "where does Anna work?"):
        assert "Anna" in texts(memory, query)[0]
    hit = found(memory, "bank")[0]
    assert hit.node is not None
    assert hit.node.content == "She works at a bank now."


def test_the_memory_that_holds_the_words_stands_for_the_message(memory: Memory) -> None:
    remember(memory, "The cat is called Momo\nThe dog is called Rex\nThe bird left")
    for word, name in [("cat", "mem_1"), ("dog", "mem_2"), ("bird", "mem_3")]:
        (hit,) = found(memory, word)
        assert hit.node is not None
        assert hit.node.id == name


def test_a_conversation_can_be_searched_from_a_running_loop(memory: Memory) -> None:
    async def ask() -> list[Hit]:
        await memory.remember("The spare key lies under the flowerpot")
        return await memory.search("flowerpot")

    assert len(asyncio.run(ask())) == 1


def test_nothing_is_found_in_an_empty_memory_and_none_in_a_closed_one(memory: Memory) -> None:
    assert found(memory, "anything") == []
    memory.close()
    with pytest.raises(Closed):
        memory.search("anything")


# order


def test_the_better_match_comes_first(memory: Memory, clock: FakeClock) -> None:
    apart(clock, memory, "red bicycle", "red car", "blue bicycle", "green boat")
    assert texts(memory, "red bicycle")[0] == "red bicycle"
    assert set(texts(memory, "red bicycle")) == {"red bicycle", "red car", "blue bicycle"}


def test_the_rare_word_counts_more_than_the_common_one(memory: Memory, clock: FakeClock) -> None:
    apart(clock, memory, *[f"lunch number{n}" for n in range(8)], "aquarium visit")
    assert texts(memory, "lunch aquarium")[0] == "aquarium visit"


def test_of_equals_the_newest_comes_first(memory: Memory, clock: FakeClock) -> None:
    apart(clock, memory, *["The password was changed again"] * 4)
    times = [hit.sources[0].timestamp for hit in found(memory, "password")]
    assert times == sorted(times, reverse=True)
    assert len(times) == 4


def test_an_answer_is_found_by_the_words_of_its_question(memory: Memory, clock: FakeClock) -> None:
    talk = [
        {"role": "assistant", "content": "Which instrument did you learn as a child?"},
        {"role": "user", "content": "Oh, the cello, for nine years"},
    ]
    remember(memory, talk)
    clock.now += DAY
    remember(memory, "Completely different things today")
    question, answer = found(memory, "instrument child")
    assert question.sources[0].role == "assistant"
    assert answer.sources[0].content.startswith("Oh, the cello")
    assert answer.path == ("mem_1", "下文", "mem_2")
    assert question.path == ()
    assert "link" in answer.terms
    assert "text" not in answer.terms


ACCIDENT = [
    {"role": "user", "content": "He broke his arm"},
    {"role": "assistant", "content": "Skiing accident in Davos"},
]


def test_what_was_said_before_is_named_as_such_in_the_path(memory: Memory) -> None:
    remember(memory, ACCIDENT)
    hit = next(h for h in found(memory, "Davos") if "arm" in h.text)
    assert hit.path == ("mem_2", "上文", "mem_1")


def test_the_path_names_messages_while_no_memory_was_made(
    open_memory: Open, silent: Silent
) -> None:
    memory = open_memory(model=silent)
    memory.remember(ACCIDENT)
    hit = next(h for h in found(memory, "Davos") if "arm" in h.text)
    assert hit.path == ("msg_2", "上文", "msg_1")


def test_notes_of_one_speaker_lend_each_other_nothing(memory: Memory) -> None:
    remember(memory, ["He broke his arm", "Skiing accident in Davos"])
    assert texts(memory, "Davos") == ["Skiing accident in Davos"]


def test_a_character_that_never_stands_alone_finds_words_that_begin_with_it(
    memory: Memory, clock: FakeClock
) -> None:
    apart(clock, memory, "猫咪很可爱", "他很可爱")
    assert texts(memory, "猫在家吗")[:1] == ["猫咪很可爱"]


def test_a_brief_reply_to_a_question_of_ones_own_is_found_by_it(memory: Memory) -> None:
    remember(memory, ["Where does Ada put the ladder away?", "Behind the shed."])
    assert "Behind the shed." in texts(memory, "Ada ladder")


def test_a_statement_stands_above_a_question_in_the_same_words(
    memory: Memory, clock: FakeClock
) -> None:
    apart(clock, memory, "The ladder is away", "The ladder is away?")
    found = texts(memory, "Was the ladder away")
    assert found == ["The ladder is away", "The ladder is away?"]


def test_the_words_of_the_first_answer_lead_to_more_about_it(
    memory: Memory, clock: FakeClock
) -> None:
    said = ("The number 5551234 belongs to Quentin", "Quentin collects stamps", "The soup is warm")
    apart(clock, memory, *said)
    assert texts(memory, "5551234") == [*said[:2]]
    assert "step" in found(memory, "5551234")[1].terms


@pytest.mark.parametrize(
    ("name", "held", "talk"),
    [
        (
            "Theo",
            "On the long way back from the market we met Theo, who carried a ladder, two pots of"
            " paint and a kite that belonged to somebody else.",
            ["Theo!", "With a boat, at noon.", "Theo?", "With a boat and a sail."],
        ),
        (
            "年糕",
            "从市场回来的路上我们碰到了邻居，他牵着年糕，手里提着梯子、两桶油漆和一只别人的风筝，说下午还要去修屋顶。",
            ["年糕！", "中午坐船过来。", "年糕？", "中午坐帆船过来。"],
        ),
    ],
)
def test_whatever_holds_a_name_stands_above_what_only_follows_on_it(
    memory: Memory, clock: FakeClock, name: str, held: str, talk: list[str]
) -> None:
    said = [{"role": ("user", "assistant")[n % 2], "content": t} for n, t in enumerate(talk)]
    apart(clock, memory, held, said)
    order = texts(memory, name)
    assert set(order) == {held, *talk}
    assert [name in text for text in order] == [True, True, True, False, False]
    scores = [hit.score for hit in found(memory, name)]
    assert scores == sorted(scores, reverse=True)


def test_a_whole_dialogue_can_be_the_question(memory: Memory, clock: FakeClock) -> None:
    apart(clock, memory, "Ben flew a kite at the beach", "Ben had soup", "Ben saw a film")
    talk = "The sky is blue. Shall we go out? Yes, it is windy, and rain will come soon. " * 8
    assert texts(memory, talk + "I have a kite too!")[0] == "Ben flew a kite at the beach"


def test_nothing_spreads_into_another_conversation(memory: Memory, clock: FakeClock) -> None:
    remember(memory, "Which instrument did you learn?")
    clock.now += HOUR + 1
    remember(memory, "The cello")
    assert texts(memory, "instrument") == ["Which instrument did you learn?"]


def test_the_score_is_the_sum_of_its_terms_and_falls(memory: Memory, clock: FakeClock) -> None:
    clock.now = datetime(2026, 5, 13, 15, 0).timestamp()
    said = [
        {"role": "user", "content": "Ann, did the cello lesson begin?", "name": "Bob"},
        {"role": "user", "content": "Yes, the lesson was fine", "name": "Ann"},
        {"role": "user", "content": "Lunch?", "name": "Bob"},
    ]
    remember(memory, said)
    hits = found(memory, "What did Ann say about the cello lesson today?")
    assert len(hits) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        assert sum(hit.terms.values()) == pytest.approx(hit.score)
        assert all(part > 0 for part in hit.terms.values())
    assert {name for hit in hits for name in hit.terms} == {
        *("text", "link", "talk", "speaker", "time")
    }


def test_a_named_speaker_is_preferred(memory: Memory, clock: FakeClock) -> None:
    for name in ("Ann", "Bob", "小祥"):
        apart(clock, memory, {"role": "user", "content": "I like jazz", "name": name})
    for name in ("Ann", "Bob", "小祥"):
        hits = found(memory, f"{name} jazz")
        assert (hits[0].sources[0].name, len(hits)) == (name, 3)
        assert "speaker" in hits[0].terms


def test_hits_of_two_agents_never_mix(open_memory: Open) -> None:
    one, other = open_memory("one"), open_memory("other")
    remember(one, "The red bicycle")
    remember(other, "The blue bicycle")
    assert texts(one, "bicycle") == ["The red bicycle"]
    assert texts(other, "bicycle") == ["The blue bicycle"]
    assert found(one, "blue") == []


# times


WEDNESDAY = datetime(2026, 5, 13, 15, 0)


@pytest.fixture
def diary(memory: Memory, clock: FakeClock) -> Memory:
    """One thing said on every day of the weeks before a Wednesday in May."""
    for days in range(40, -1, -1):
        clock.now = (WEDNESDAY - timedelta(days=days)).timestamp()
        day = f"{WEDNESDAY - timedelta(days=days):%m-%d}".replace("-", "m")
        memory.remember(f"report d{day} finished")
    assert memory.flush(PATIENCE)
    return memory


@pytest.mark.parametrize(
    ("query", "day"),
    [
        ("昨天的 report", "d05m12"),
        ("5月3号说了什么", "d05m03"),
        ("上周五的 report", "d05m08"),
        ("What was finished last Friday?", "d05m08"),
        ("report of yesterday", "d05m12"),
        ("what did I say on May 3rd?", "d05m03"),
        ("2026-04-30", "d04m30"),
        ("three days ago", "d05m10"),
        ("今天的 report", "d05m13"),
    ],
)
def test_a_time_in_the_question_is_seen_from_the_present(
    diary: Memory, query: str, day: str
) -> None:
    hit = found(diary, query)[0]
    assert hit.sources[0].content == f"report {day} finished"
    assert "time" in hit.terms


def test_the_same_words_mean_another_day_on_another_day(diary: Memory, clock: FakeClock) -> None:
    clock.now = (WEDNESDAY - timedelta(days=10)).timestamp()
    assert texts(diary, "report of yesterday")[0] == "report d05m02 finished"


def test_since_is_inclusive_and_until_exclusive(diary: Memory) -> None:
    first, last = WEDNESDAY - timedelta(days=3), WEDNESDAY - timedelta(days=1)
    wanted = {"report d05m10 finished", "report d05m11 finished"}
    assert set(texts(diary, "report", since=first, until=last)) == wanted
    seconds = {"since": first.timestamp(), "until": last.timestamp()}
    assert set(texts(diary, "report", **seconds)) == wanted
    aware = {"since": first.astimezone(UTC), "until": last.astimezone(UTC)}
    assert set(texts(diary, "report", **aware)) == wanted
    assert texts(diary, "report", since=int(first.timestamp()), until=first) == []


def test_bounds_are_met_however_many_others_match_better(diary: Memory) -> None:
    """All say the same: the newest would fill every list."""
    last = WEDNESDAY - timedelta(days=40) + timedelta(minutes=1)
    assert texts(diary, "report finished", until=last, limit=1) == ["report d04m03 finished"]


def test_bounds_alone_find_nothing_unrelated(diary: Memory) -> None:
    assert texts(diary, "aquarium", since=0, until=1e12) == []


@pytest.mark.parametrize(
    "moment",
    [
        *["yesterday", "2026-05-03", "", b"1", [1], (), object(), True, False, math.nan, 1j],
        *[date(2026, 5, 3), datetime.min, 10**400],
    ],
    ids=lambda value: f"{value!r:.20}",
)
@pytest.mark.parametrize("name", ["since", "until"])
def test_what_is_no_time_is_refused(memory: Memory, name: str, moment: Any) -> None:
    with pytest.raises(InvalidInput, match=name):
        memory.search("x", **{name: moment})


def test_times_without_end_are_no_bounds(memory: Memory) -> None:
    remember(memory, "The red bicycle")
    assert len(found(memory, "bicycle", since=-math.inf, until=math.inf)) == 1
    assert found(memory, "bicycle", since=math.inf) == []


# arguments


@pytest.mark.parametrize("query", [None, 5, b"bytes", ["a", "list"], {"a": 1}, object()])
def test_a_query_that_is_no_text_is_refused(memory: Memory, query: Any) -> None:
    with pytest.raises(InvalidInput, match="query"):
        memory.search(query)


@pytest.mark.parametrize("limit", [-1, True, False, 1.0, "5", None, math.nan, [1]])
def test_a_limit_that_is_no_number_is_refused(memory: Memory, limit: Any) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        memory.search("x", limit=limit)


def test_the_limit_is_kept(memory: Memory, clock: FakeClock) -> None:
    apart(clock, memory, *[f"bicycle n{n}" for n in range(30)])
    assert found(memory, "bicycle", limit=0) == []
    assert texts(memory, "bicycle", limit=1) == ["bicycle n29"]
    assert len(found(memory, "bicycle")) == 10
    assert texts(memory, "bicycle", limit=3) == texts(memory, "bicycle")[:3]
    for limit in (30, 1000, 10**30):
        assert len(found(memory, "bicycle", limit=limit)) == 30


@pytest.mark.parametrize("kinds", ["nodes", ["segment", "x"], [None], 5, [["segment"]], b"fact"])
def test_unknown_kinds_are_refused(memory: Memory, kinds: Any) -> None:
    with pytest.raises(InvalidInput, match="kinds"):
        memory.search("x", kinds=kinds)


def test_kinds_choose(memory: Memory) -> None:
    remember(memory, "The red bicycle")
    for kinds in (
        None,
        "segment",
        ["segment"],
        {"segment", "fact"},
        ("segment",),
        iter(["segment"]),
    ):
        assert len(found(memory, "bicycle", kinds=kinds)) == 1
    for kinds in ([], ["fact"], "core", ["episode", "system"]):
        assert found(memory, "bicycle", kinds=kinds) == []


@pytest.mark.parametrize("query", ["", " ", "\n\t", "?!", "😀", "\0", "\ud800", "的", "what is it"])
def test_a_question_about_nothing_finds_nothing(memory: Memory, query: str) -> None:
    remember(memory, "The red bicycle is 的 what it is 😀 ?!")
    assert found(memory, query) == []


def test_a_very_long_question_is_answered(memory: Memory) -> None:
    remember(memory, "The red bicycle")
    assert texts(memory, "red bicycle " + "filler words " * 10_000) == ["The red bicycle"]
    assert texts(memory, "bicycle" + " bicycle" * 20_000) == ["The red bicycle"]


def test_of_a_message_with_several_memories_the_one_that_holds_the_words_is_the_hit(
    open_memory: Open,
) -> None:
    memory = open_memory(model=OfflineModel())
    remember(memory, "Server web1 is in Paris. Server web2 is in Rome. Server web3 is in Oslo.")
    for name, place in (("web1", "Paris"), ("web2", "Rome"), ("web3", "Oslo")):
        assert place in found(memory, f"where is {name}")[0].text


def test_a_day_stands_above_what_holds_one_of_its_figures(memory: Memory, clock: FakeClock) -> None:
    day, later = datetime(2026, 5, 3, 12).timestamp(), datetime(2026, 6, 1, 12).timestamp()
    said = ["The bus was late."] * 200 + ["The desk is number 05.", "It is due on 2026-05-03."]
    remember(memory, {"role": "user", "content": "The garden was quiet.", "timestamp": day})
    clock.now = later + len(said) * 2 * HOUR
    remember(
        memory,
        [
            {"role": "user", "content": one, "timestamp": later + n * 2 * HOUR}
            for n, one in enumerate(said)
        ],
    )
    *first, third = texts(memory, "2026-05-03")[:3]
    assert set(first) == {"It is due on 2026-05-03.", "The garden was quiet."}
    assert third == "The desk is number 05."


def test_times_are_when_something_was_said_not_when_it_was_learned(open_memory: Open) -> None:
    memory = open_memory(learn=True, model=OfflineModel())
    remember(memory, {"role": "user", "content": "I live in Berlin.", "timestamp": DAY})
    assert memory.flush(PATIENCE)
    assert [hit.node.kind for hit in found(memory, "live", until=2 * DAY) if hit.node] == [
        "segment",
        "fact",
    ]
    assert found(memory, "live", since=2 * DAY) == []


def test_what_was_said_in_time_is_not_crowded_out_by_what_was_not(open_memory: Open) -> None:
    memory = open_memory(learn=True, model=OfflineModel())
    liked = ["green tea", "black tea", "white tea", "mint tea", "iced tea"]
    for day, thing in enumerate(liked):
        said = {"role": "user", "content": f"I like {thing}.", "timestamp": (day + 1) * DAY}
        remember(memory, said)
    assert memory.flush(PATIENCE)
    kinds = [hit.node.kind for hit in found(memory, "tea", until=2 * DAY) if hit.node]
    assert sorted(kinds) == ["fact", "segment"]


def test_a_correction_that_has_none_of_the_words_says_what_its_score_is_made_of(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(learn=True, model=OfflineModel())
    for said in ("I live in Berlin.", "I moved to Lisbon."):
        apart(clock, memory, said)
        assert memory.flush(PATIENCE)
    hits = found(memory, "Berlin", kinds=["segment"])
    assert [hit.sources[0].content for hit in hits] == ["I moved to Lisbon.", "I live in Berlin."]
    assert all(math.isclose(sum(hit.terms.values()), hit.score) for hit in hits)


# nothing relevant


SAID = [
    "早上好，今天我要去医院复查膝盖。",
    "医生说恢复得不错，可以慢慢跑步了。",
    "我女儿下个月要参加钢琴比赛，曲目是肖邦的夜曲。",
    "周末我们全家去了西湖，划了船，还吃了东坡肉。",
    "公司决定登录模块改用 JWT，小王负责后端。",
    "下周三之前要把季度报表交给财务部。",
    "我养了一只橘猫，名字叫土豆，特别能吃。",
    "上个月搬到了杭州的新家，离地铁站只有五分钟。",
    "最近在学做面包，第一次发酵失败了。",
    "订单A1234已发货，预计周五送到。",
    "我对花生过敏，点菜的时候记得提醒我。",
    "老同学聚会定在国庆节，地点还没想好。",
    "My sister Anna moved to Berlin last spring and works at a bank.",
    "We adopted a beagle called Biscuit from the shelter in March.",
    "The rent went up again, so we are looking for a smaller flat.",
    "I finished reading The Left Hand of Darkness on the train.",
    "Our team picked PostgreSQL for the billing service.",
    "The flight to Lisbon leaves on Friday at half past six.",
    "Dad turned seventy and we baked him a lemon cake.",
    "I started piano lessons with Mrs. Keller on Tuesdays.",
    "The dentist wants to pull my wisdom tooth next month.",
    "We hiked up the Zugspitze and it snowed at the top.",
    "My new bike is green and was stolen after two days.",
    "I am allergic to shellfish, so no paella for me.",
]
UNRELATED = [
    "火星上有没有水",
    "量子力学的基本假设",
    "怎么修理洗衣机",
    "世界杯冠军是谁",
    "股票账户密码",
    "奶奶的手术",
    "滑雪板买哪个牌子",
    "他的博士论文题目",
    "葡萄酒收藏",
    "摩托车驾照",
    "去冰岛看极光",
    "吉他弦断了",
    "quantum entanglement",
    "How do I fix a washing machine?",
    "who won the world cup?",
    "motorcycle licence",
    "my grandmother's surgery",
    "stock broker password",
    "northern lights in Iceland",
    "guitar strings",
    "What is the name of my boss?",
    "Did Peter sell his yacht?",
    "volcano eruption",
    "wine cellar humidity",
    "XJ-9000",
    "SELECT * FROM nodes",
]


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A few weeks of somebody's life, two things a day."""
    clock = FakeClock()
    memory = Memory.open("life", root=tmp_path_factory.mktemp("life"), clock=clock)
    for n, said in enumerate(SAID):
        clock.now += DAY / 2
        memory.remember({"role": "user", "content": said, "name": "Mia" if n % 2 else None})
    assert memory.flush(PATIENCE)
    yield memory
    memory.close()


@pytest.mark.parametrize("query", UNRELATED)
def test_nothing_relevant_gives_an_empty_list(life: Memory, query: str) -> None:
    assert found(life, query) == []


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("我的猫叫什么名字", "土豆"),
        ("膝盖", "复查"),
        ("女儿弹什么曲子参加比赛", "肖邦"),
        ("A1234", "周五"),
        ("我对什么过敏", "花生"),
        ("面包", "发酵"),
        ("where does Anna live?", "Berlin"),
        ("dog from the shelter", "Biscuit"),
        ("which database for billing", "PostgreSQL"),
        ("flight to Lisbon", "Friday"),
        ("wisdom teeth dentist", "tooth"),
        ("am I allergic to anything?", "shellfish"),
    ],
)
def test_what_is_relevant_is_found_there(life: Memory, query: str, word: str) -> None:
    assert word in found(life, query)[0].sources[0].content


# what a search changes


def test_a_search_records_what_it_returned_and_changes_nothing_else(open_memory: Open) -> None:
    memory = open_memory()
    remember(memory, "The red bicycle", "The blue bicycle", "A green boat")
    memory.forget("mem_2")
    assert memory.flush(PATIENCE)
    before = snapshot(memory)
    assert {h.node.id for h in found(memory, "red bicycle", forgotten=True) if h.node} == {
        "mem_1",
        "mem_2",
    }
    assert found(memory, "red bicycle", limit=1)[0].node is not None
    assert found(memory, "nothing like it") == []
    memory.close()
    again = open_memory()
    assert snapshot(again) == before
    with again._agent.store() as store, store.read() as tx:
        signals = {n: tx.signals.get(n) for n in (1, 2, 3)}
    counts = {n: s.access_count if s else 0 for n, s in signals.items()}
    assert counts == {1: 2, 2: 0, 3: 0}
    assert all(s.traverse_count == 0 for s in signals.values() if s)


def test_messages_that_are_not_digested_leave_no_record(open_memory: Open, silent: Silent) -> None:
    memory = open_memory(model=silent)
    memory.remember("The red bicycle")
    assert found(memory, "bicycle")[0].node is None
    with memory._agent.store() as store, store.read() as tx:
        assert tx.signals.get(1) is None


def test_an_empty_message_is_no_answer(memory: Memory) -> None:
    remember(memory, ["The red bicycle?", "  ", "The bicycle is gone", ""])
    assert set(texts(memory, "bicycle")) == {"The red bicycle?", "The bicycle is gone"}


def test_threads_search_and_remember_together(memory: Memory) -> None:
    problems: list[Exception] = []

    def talk(name: str) -> None:
        try:
            for n in range(15):
                memory.remember(f"{name} parcel {name}{n}x")
                assert texts(memory, f"{name}{n}x")[0] == f"{name} parcel {name}{n}x"
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=talk, args=(name,)) for name in ("ann", "bob", "cleo")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
