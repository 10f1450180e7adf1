"""Questions that name what nobody ever said find nothing, however well known their verbs are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import nonsense
from wangchuan import Memory
from wangchuan.finding.words import telling_of
from wangchuan.language.common import is_common
from wangchuan.language.terms import terms

Open = Callable[..., Memory]
PATIENCE = 10

SAID = {
    "en": [
        "My cousin repaired the fence before the storm came.",
        "The plumber gave me a discount, so it cost only forty euros.",
        "We chose the blue paint for the kitchen.",
        "I lost my keys at the station and was upset all day.",
        "The library closes at six; I am allergic to its dust.",
        "The budget will be discussed on the third floor.",
    ],
    "zh": [
        "我表哥上周修好了院子的篱笆。",
        "水管工给我打了折，一共花了四十块钱。",
        "我们最后给厨房选了蓝色的油漆。",
        "我在车站丢了钥匙，为这事难过了一天。",
        "图书馆六点关门，我对那里的灰尘过敏。",
        "预算会议改到三楼开，颜色方案也在那时决定。",
    ],
}
ANSWERED = {
    "en": {
        "Who repaired the fence?": "fence",
        "What colour paint did we choose for the kitchen?": "paint",
        "Which sickness do I get from the dust?": "dust",  # sickness was never said
        "Where did I lose my keys?": "keys",
        "brelk fence": "fence",  # bare words: any of them
    },
    "zh": {
        "谁修好了篱笆？": "篱笆",
        "厨房选了什么颜色的油漆？": "油漆",
        "我在哪里丢了钥匙？": "钥匙",
        "我用的涂料是给厨房选的吗？": "油漆",  # 涂料 was never said
    },
}


@pytest.fixture
def told(open_memory: Open) -> Callable[[str], Memory]:
    def tell(tongue: str) -> Memory:
        memory = open_memory()
        for text in SAID[tongue]:
            memory.remember(text).result(PATIENCE)
        return memory

    return tell


def found(memory: Memory, text: str) -> list[Any]:
    return memory.search(text).result(PATIENCE)


@pytest.mark.parametrize("tongue", SAID)
@pytest.mark.parametrize("kind", [nonsense.LETTERS, nonsense.MADE_UP])
def test_nonsense_finds_nothing(told: Callable[[str], Memory], tongue: str, kind: str) -> None:
    memory = told(tongue)
    asked = nonsense.questions(kind, tongue, 60, seed=5)
    wrong = [text for text in asked if found(memory, text)]
    assert len(asked) == 60
    assert not wrong[1:], wrong


@pytest.mark.parametrize("tongue", ANSWERED)
def test_what_was_said_is_found_also_in_some_other_words(
    told: Callable[[str], Memory], tongue: str
) -> None:
    memory = told(tongue)
    for text, word in ANSWERED[tongue].items():
        assert word in found(memory, text)[0].sources[0].content, text


def test_one_known_word_does_not_stand_for_two_that_nobody_said(
    told: Callable[[str], Memory],
) -> None:
    memory = told("en")
    assert found(memory, "When was the fence repaired?")
    assert found(memory, "When did Brelk repair the zonvic harbour?") == []


def test_whoever_spoke_is_known_whatever_else_is_asked(open_memory: Open) -> None:
    memory = open_memory()
    said = {"role": "user", "name": "Brelk", "content": "I repaired the fence."}
    memory.remember(said).result(PATIENCE)
    assert found(memory, "When did Brelk repair the zonvic fence?")


def test_a_name_that_no_dictionary_has_tells_most_and_a_common_word_nothing() -> None:
    unsaid = {"鹃", "梢", "鹃梢", "更", "靠", "更靠", "zonvic", "sickness"}
    assert telling_of("鹃梢", 0.15, unsaid) == 1.0
    assert telling_of("更靠", 0.15, unsaid) == 0.0  # 更 is a word by itself
    assert telling_of("zonvic", 0.7, unsaid) == 0.7
    assert telling_of("fenc", 0.7, unsaid) == 0.7  # it was said
    assert telling_of("name", 0.7, unsaid) < 0.7  # it was said, but names a kind


def test_words_of_the_tables_are_common_and_coined_ones_are_not() -> None:
    assert all(is_common(*terms(word)) for word in ("suggestion", "science", "repaired", "更"))
    assert not any(is_common(*terms(word)) for word in ("zonvic", "brelk", "tooboolk"))


def test_a_fact_that_tells_what_a_message_says_takes_no_place_of_another(open_memory: Open) -> None:
    from wangchuan.models.offline import OfflineModel

    memory = open_memory(learn=True, model=OfflineModel())
    for place in ("Berlin", "the north of Berlin", "Berlin again"):
        memory.remember(f"My sister and I talked of {place}.").result(PATIENCE)
    memory.remember("I live in Berlin.").result(PATIENCE)
    assert memory.flush(PATIENCE)
    every = memory.search("Berlin", limit=20).result(PATIENCE)
    learned = [hit for hit in every if hit.node and hit.node.kind != "segment"]
    said = len(every) - len(learned)
    assert learned
    few = memory.search("Berlin", limit=said).result(PATIENCE)
    assert len({hit.sources[0].content for hit in few}) == said


@given(st.integers(0, 999), st.sampled_from(nonsense.KINDS), st.sampled_from(["en", "zh"]))
def test_the_same_seed_gives_the_same_questions(seed: int, kind: str, tongue: str) -> None:
    first = nonsense.questions(kind, tongue, 10, seed)
    assert first == nonsense.questions(kind, tongue, 10, seed)
    assert len(set(first)) == 10


def test_what_is_never_said_holds_nothing_that_was() -> None:
    said = {term for word in nonsense.REAL["en"].split()[20:] for term in terms(word)}
    asked = nonsense.questions(nonsense.NEVER_SAID, "en", 40, 1, said)
    left = [word for word in nonsense.REAL["en"].split() if said.isdisjoint(terms(word))]
    assert all(any(word in text for word in left) for text in asked if "{" not in text)
