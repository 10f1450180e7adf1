"""Plans: a clause with a day to come, kept as a sentence with its date."""

from __future__ import annotations

from datetime import datetime

import pytest

from wangchuan.language.facts.plans import planned

AT = datetime(2026, 11, 18, 12).timestamp()  # a Wednesday


@pytest.mark.parametrize(
    ("clause", "says"),
    [
        ("I moved the meeting to tomorrow", "{who} moved the meeting to {when}"),
        ("My exam is on Friday", "{whose} exam is {when}"),
        ("公司体检约在下周四", "{who}的公司体检约在{when}"),
        ("面试定在明天", "{who}面试定在{when}"),
        ("下周四我要去体检", "{who}{when}要去体检"),
        ("我妈下周来北京", "{who}的妈{when}来北京"),
    ],
)
def test_a_plan_is_a_sentence_with_its_day_where_it_belongs(clause: str, says: str) -> None:
    found = planned(clause, AT)
    assert found is not None
    assert found.says == says


def test_a_clause_in_which_nobody_does_anything_is_no_plan() -> None:
    assert planned("In September my brother Theo", AT) is None
