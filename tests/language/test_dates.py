"""What reading dates promises: the days people mean, nothing that is no date, and no surprises."""

from __future__ import annotations

import re
import time
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stage import in_proportion

from wangchuan.language.dates.spans import Span, spans, written

SHANGHAI, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")
NOON = "2023-05-10 15:30"  # a Wednesday


def at(moment: str, zone: tzinfo = SHANGHAI) -> float:
    return datetime.fromisoformat(moment).replace(tzinfo=zone).timestamp()


def told(seconds: float, zone: tzinfo = SHANGHAI) -> str:
    return f"{datetime.fromtimestamp(seconds, zone):%Y-%m-%d %H:%M}".removesuffix(" 00:00")


def read(text: str, now: str = NOON, zone: tzinfo = SHANGHAI) -> list[tuple[str, str]]:
    found = spans(text, at(now, zone), zone)
    return [(told(span.first, zone), told(span.last, zone)) for span in found]


ABSOLUTE = [
    ("on 2023-05-03 we met", "2023-05-03", "2023-05-04"),
    ("2023/5/3", "2023-05-03", "2023-05-04"),
    ("在2023-5-3那天", "2023-05-03", "2023-05-04"),
    ("2023.05.03", "2023-05-03", "2023-05-04"),
    ("at 2023-05-03T10:30:00Z", "2023-05-03", "2023-05-04"),
    ("2022-11", "2022-11-01", "2022-12-01"),
    ("13.5.2022", "2022-05-13", "2022-05-14"),
    ("5/13/2022", "2022-05-13", "2022-05-14"),
    ("5.5.2022", "2022-05-05", "2022-05-06"),
    ("2023-05-03 (Wed)", "2023-05-03", "2023-05-04"),
    ("May 3rd", "2023-05-03", "2023-05-04"),
    ("may 3rd", "2023-05-03", "2023-05-04"),
    ("on may 3 we met", "2023-05-03", "2023-05-04"),
    ("3 May 2021", "2021-05-03", "2021-05-04"),
    ("May 3, 2021", "2021-05-03", "2021-05-04"),
    ("December 1,2021", "2021-12-01", "2021-12-02"),
    ("on 31 October, 2022?", "2022-10-31", "2022-11-01"),
    ("the 3rd of May", "2023-05-03", "2023-05-04"),
    ("the third of May", "2023-05-03", "2023-05-04"),
    ("May the third", "2023-05-03", "2023-05-04"),
    ("June twenty-first", "2022-06-21", "2022-06-22"),
    ("Dec. 24", "2022-12-24", "2022-12-25"),
    ("Friday, May 5", "2023-05-05", "2023-05-06"),
    ("Sun, 7 May 2023 10:00", "2023-05-07", "2023-05-08"),
    ("May 3 last year", "2022-05-03", "2022-05-04"),
    ("May 2021", "2021-05-01", "2021-06-01"),
    ("in May", "2023-05-01", "2023-06-01"),
    ("in may", "2023-05-01", "2023-06-01"),
    ("in June", "2022-06-01", "2022-07-01"),
    ("January was cold", "2023-01-01", "2023-02-01"),
    ("the month of April", "2023-04-01", "2023-05-01"),
    ("Summer 2022", "2022-06-01", "2022-09-01"),
    ("in the summer of 2022", "2022-06-01", "2022-09-01"),
    ("winter 2021", "2021-12-01", "2022-03-01"),
    ("in 2021", "2021-01-01", "2022-01-01"),
    ("the year 2021", "2021-01-01", "2022-01-01"),
    ("Q3 2022", "2022-07-01", "2022-10-01"),
    ("2022Q3", "2022-07-01", "2022-10-01"),
    ("in Q1", "2023-01-01", "2023-04-01"),
    ("the first quarter of 2022", "2022-01-01", "2022-04-01"),
    ("the second half of last year", "2022-07-01", "2023-01-01"),
    ("5月3号", "2023-05-03", "2023-05-04"),
    ("我5月3日去了", "2023-05-03", "2023-05-04"),
    ("5 月 3 日", "2023-05-03", "2023-05-04"),
    ("５月３日", "2023-05-03", "2023-05-04"),
    ("5月3", "2023-05-03", "2023-05-04"),
    ("五月三号", "2023-05-03", "2023-05-04"),
    ("十二月二十五号", "2022-12-25", "2022-12-26"),
    ("二〇二三年五月八日", "2023-05-08", "2023-05-09"),
    ("21年5月", "2021-05-01", "2021-06-01"),
    ("2023年5月", "2023-05-01", "2023-06-01"),
    ("六月份", "2022-06-01", "2022-07-01"),
    ("5月3日（周三）", "2023-05-03", "2023-05-04"),
    ("去年5月3号", "2022-05-03", "2022-05-04"),
    ("2021年", "2021-01-01", "2022-01-01"),
    ("2022年夏天", "2022-06-01", "2022-09-01"),
    ("去年的春天", "2022-03-01", "2022-06-01"),
    ("2022年第三季度", "2022-07-01", "2022-10-01"),
    ("一季度", "2023-01-01", "2023-04-01"),
    ("去年下半年", "2022-07-01", "2023-01-01"),
    ("上半年", "2023-01-01", "2023-07-01"),
    ("2月29日", "2020-02-29", "2020-03-01"),
]

RELATIVE = [
    ("today", "2023-05-10", "2023-05-11"),
    ("Yesterday, we", "2023-05-09", "2023-05-10"),
    ("the day before yesterday", "2023-05-08", "2023-05-09"),
    ("day before yesterday", "2023-05-08", "2023-05-09"),
    ("tomorrow", "2023-05-11", "2023-05-12"),
    ("the day after tomorrow", "2023-05-12", "2023-05-13"),
    ("last week", "2023-05-01", "2023-05-08"),
    ("this week", "2023-05-08", "2023-05-15"),
    ("next week", "2023-05-15", "2023-05-22"),
    ("last month", "2023-04-01", "2023-05-01"),
    ("this month", "2023-05-01", "2023-06-01"),
    ("next month", "2023-06-01", "2023-07-01"),
    ("last year", "2022-01-01", "2023-01-01"),
    ("this year", "2023-01-01", "2024-01-01"),
    ("next year", "2024-01-01", "2025-01-01"),
    ("last quarter", "2023-01-01", "2023-04-01"),
    ("last weekend", "2023-05-06", "2023-05-08"),
    ("this past weekend", "2023-05-06", "2023-05-08"),
    ("over the weekend", "2023-05-06", "2023-05-08"),
    ("this weekend", "2023-05-13", "2023-05-15"),
    ("last Friday", "2023-05-05", "2023-05-06"),
    ("last Wednesday", "2023-05-03", "2023-05-04"),
    ("on Friday", "2023-05-05", "2023-05-06"),
    ("Wednesday", "2023-05-10", "2023-05-11"),
    ("on Sat", "2023-05-06", "2023-05-07"),
    ("this Friday", "2023-05-12", "2023-05-13"),
    ("next Friday", "2023-05-12", "2023-05-13"),
    ("next Wednesday", "2023-05-17", "2023-05-18"),
    ("Friday last week", "2023-05-05", "2023-05-06"),
    ("last week on Tuesday", "2023-05-02", "2023-05-03"),
    ("last May", "2022-05-01", "2022-06-01"),
    ("this May", "2023-05-01", "2023-06-01"),
    ("next May", "2024-05-01", "2024-06-01"),
    ("last August", "2022-08-01", "2022-09-01"),
    ("last summer", "2022-06-01", "2022-09-01"),
    ("this summer", "2023-06-01", "2023-09-01"),
    ("last winter", "2022-12-01", "2023-03-01"),
    ("3 days ago", "2023-05-07", "2023-05-08"),
    ("two weeks ago", "2023-04-23", "2023-04-30"),
    ("a month ago", "2023-03-26", "2023-04-26"),
    ("a year ago", "2021-11-09", "2022-11-09"),
    ("two weekends ago", "2023-04-29", "2023-05-01"),
    ("a few days ago", "2023-05-04", "2023-05-09"),
    ("a couple of days ago", "2023-05-08", "2023-05-09"),
    ("two days back", "2023-05-08", "2023-05-09"),
    ("two hours ago", "2023-05-10 13:00", "2023-05-10 14:00"),
    ("half an hour ago", "2023-05-10 14:55", "2023-05-10 15:05"),
    ("two days from now", "2023-05-12", "2023-05-13"),
    ("just now", "2023-05-10 13:30", "2023-05-10 15:30"),
    ("this morning", "2023-05-10 05:00", "2023-05-10 12:00"),
    ("last night", "2023-05-09 18:00", "2023-05-10 06:00"),
    ("tonight", "2023-05-10 18:00", "2023-05-11 06:00"),
    ("yesterday afternoon", "2023-05-09 12:00", "2023-05-09 18:00"),
    ("Friday night", "2023-05-05 18:00", "2023-05-06 06:00"),
    ("the past two weeks", "2023-04-26", "2023-05-10 15:30"),
    ("in the last month", "2023-04-10", "2023-05-10 15:30"),
    ("the last few days", "2023-05-04", "2023-05-10 15:30"),
    ("今天", "2023-05-10", "2023-05-11"),
    ("昨天", "2023-05-09", "2023-05-10"),
    ("前天", "2023-05-08", "2023-05-09"),
    ("大前天", "2023-05-07", "2023-05-08"),
    ("明天", "2023-05-11", "2023-05-12"),
    ("后天", "2023-05-12", "2023-05-13"),
    ("上周", "2023-05-01", "2023-05-08"),
    ("上个星期", "2023-05-01", "2023-05-08"),
    ("上上周", "2023-04-24", "2023-05-01"),
    ("这周", "2023-05-08", "2023-05-15"),
    ("上周五", "2023-05-05", "2023-05-06"),
    ("上个礼拜天", "2023-05-07", "2023-05-08"),
    ("下周三", "2023-05-17", "2023-05-18"),
    ("周五", "2023-05-05", "2023-05-06"),
    ("星期天", "2023-05-07", "2023-05-08"),
    ("周末", "2023-05-06", "2023-05-08"),
    ("上周末", "2023-05-06", "2023-05-08"),
    ("这个周末", "2023-05-13", "2023-05-15"),
    ("本月", "2023-05-01", "2023-06-01"),
    ("上个月", "2023-04-01", "2023-05-01"),
    ("下个月", "2023-06-01", "2023-07-01"),
    ("上个月3号", "2023-04-03", "2023-04-04"),
    ("上季度", "2023-01-01", "2023-04-01"),
    ("今年", "2023-01-01", "2024-01-01"),
    ("去年", "2022-01-01", "2023-01-01"),
    ("前年", "2021-01-01", "2022-01-01"),
    ("明年三月", "2024-03-01", "2024-04-01"),
    ("三天前", "2023-05-07", "2023-05-08"),
    ("两三天前", "2023-05-07", "2023-05-09"),
    ("几天前", "2023-05-04", "2023-05-09"),
    ("前几天", "2023-05-04", "2023-05-10"),
    ("前两天", "2023-05-07", "2023-05-10"),
    ("两周前", "2023-04-23", "2023-04-30"),
    ("三个月以前", "2023-01-26", "2023-02-26"),
    ("半年前", "2022-09-26", "2022-12-26"),
    ("十年前", "2012-11-09", "2013-11-09"),
    ("半小时前", "2023-05-10 14:55", "2023-05-10 15:05"),
    ("刚才", "2023-05-10 13:30", "2023-05-10 15:30"),
    ("昨晚", "2023-05-09 18:00", "2023-05-10 06:00"),
    ("今早", "2023-05-10 05:00", "2023-05-10 12:00"),
    ("昨天晚上", "2023-05-09 18:00", "2023-05-10 06:00"),
    ("上周五下午", "2023-05-05 12:00", "2023-05-05 18:00"),
    ("最近三天", "2023-05-07", "2023-05-10 15:30"),
    ("过去两周", "2023-04-26", "2023-05-10 15:30"),
    ("比如今天", "2023-05-10", "2023-05-11"),
    ("周六天气很好", "2023-05-06", "2023-05-07"),
]

AROUND = [
    ("from May 3 to May 7", "2023-05-03", "2023-05-08"),
    ("May 3-7", "2023-05-03", "2023-05-08"),
    ("3rd to 7th of May", "2023-05-03", "2023-05-08"),
    ("from May 3 to May 7, 2021", "2021-05-03", "2021-05-08"),
    ("from November to February 2022", "2021-11-01", "2022-03-01"),
    ("from November to February", "2022-11-01", "2023-03-01"),
    ("between March and June", "2023-03-01", "2023-07-01"),
    ("between August 11 and August 15 2022", "2022-08-11", "2022-08-16"),
    ("from 2019 to 2021", "2019-01-01", "2022-01-01"),
    ("in 2019-2021", "2019-01-01", "2022-01-01"),
    ("from last Monday to Friday", "2023-05-08", "2023-05-13"),
    ("since May", "2023-05-01", "2023-05-10 15:30"),
    ("since the end of April", "2023-04-21", "2023-05-10 15:30"),
    ("from April to now", "2023-04-01", "2023-05-10 15:30"),
    ("after April", "2023-05-01", "2023-05-10 15:30"),
    ("before May", "1970-01-01 08:00", "2023-05-01"),
    ("until May", "1970-01-01 08:00", "2023-06-01"),
    ("by 7 November, 2022", "1970-01-01 08:00", "2022-11-08"),
    ("by May", "1970-01-01 08:00", "2023-06-01"),
    ("since tomorrow", "2023-05-11", "2023-05-12"),
    ("early May", "2023-05-01", "2023-05-11"),
    ("mid-April", "2023-04-11", "2023-04-21"),
    ("the end of summer 2022", "2022-08-01", "2022-09-01"),
    ("the week of May 3", "2023-05-01", "2023-05-08"),
    ("the week before 16 August, 2022", "2022-08-09", "2022-08-16"),
    ("two weeks before August 11, 2022", "2022-07-25", "2022-08-01"),
    ("the weekend before April 10, 2022", "2022-04-02", "2022-04-04"),
    ("last weekend before April 10, 2022", "2022-04-02", "2022-04-04"),
    ("the Friday before 9 June 2022", "2022-06-03", "2022-06-04"),
    ("the day after May 3", "2023-05-04", "2023-05-05"),
    ("the second week of November", "2022-11-08", "2022-11-15"),
    ("the last week of April", "2023-04-24", "2023-05-01"),
    ("the first Monday of May", "2023-05-01", "2023-05-02"),
    ("the last Friday of April 2022", "2022-04-29", "2022-04-30"),
    ("on the evening of 7 July, 2022", "2022-07-07 17:00", "2022-07-08"),
    ("5月3号到7号", "2023-05-03", "2023-05-08"),
    ("5月3-7日", "2023-05-03", "2023-05-08"),
    ("从3号到7号", "2023-05-03", "2023-05-08"),
    ("上个月3号到7号", "2023-04-03", "2023-04-08"),
    ("2022年5月3日至6月7日", "2022-05-03", "2022-06-08"),
    ("3到6月", "2023-03-01", "2023-07-01"),
    ("三月和六月之间", "2023-03-01", "2023-07-01"),
    ("上周一到周五", "2023-05-01", "2023-05-06"),
    ("五月以来", "2023-05-01", "2023-05-10 15:30"),
    ("从5月3号开始", "2023-05-03", "2023-05-10 15:30"),
    ("自从去年五月", "2022-05-01", "2023-05-10 15:30"),
    ("3月之后", "2023-04-01", "2023-05-10 15:30"),
    ("5月3号之前", "1970-01-01 08:00", "2023-05-03"),
    ("截至2023年3月", "1970-01-01 08:00", "2023-04-01"),
    ("5月初", "2023-05-01", "2023-05-11"),
    ("4月下旬", "2023-04-21", "2023-05-01"),
    ("去年年底", "2022-09-01", "2023-01-01"),
    ("5月3号那周", "2023-05-01", "2023-05-08"),
    ("5月3号前一天", "2023-05-02", "2023-05-03"),
    ("5月3号的后两周", "2023-05-04", "2023-05-18"),
]


@pytest.mark.parametrize(("text", "first", "last"), ABSOLUTE + RELATIVE + AROUND)
def test_the_time_people_mean_is_found(text: str, first: str, last: str) -> None:
    assert read(text) == [(first, last)]


@pytest.mark.parametrize(
    ("text", "now", "first", "last"),
    [
        ("on Friday", "2023-05-12 09:00", "2023-05-12", "2023-05-13"),
        ("last Friday", "2023-05-12 09:00", "2023-05-05", "2023-05-06"),
        ("last weekend", "2023-05-14 09:00", "2023-05-06", "2023-05-08"),
        ("周末", "2023-05-14 09:00", "2023-05-13", "2023-05-15"),
        ("May 10", "2023-05-09 23:59", "2022-05-10", "2022-05-11"),
        ("May 10", "2023-05-10 00:00", "2023-05-10", "2023-05-11"),
        ("last month", "2023-01-31 12:00", "2022-12-01", "2023-01-01"),
        ("a month ago", "2023-03-31 12:00", "2023-02-13", "2023-03-16"),
        ("next month", "2022-12-31 12:00", "2023-01-01", "2023-02-01"),
        ("last year", "2024-02-29 12:00", "2023-01-01", "2024-01-01"),
        ("this winter", "2023-01-15 12:00", "2022-12-01", "2023-03-01"),
        ("this winter", "2023-05-15 12:00", "2023-12-01", "2024-03-01"),
        ("last summer", "2023-09-15 12:00", "2023-06-01", "2023-09-01"),
        ("in February", "2023-01-15 12:00", "2022-02-01", "2022-03-01"),
        ("29 February", "2024-02-29 12:00", "2024-02-29", "2024-03-01"),
        ("去年", "2024-01-01 00:00", "2023-01-01", "2024-01-01"),
        ("上周五", "2023-05-07 12:00", "2023-04-28", "2023-04-29"),
        ("本周日", "2023-05-07 12:00", "2023-05-07", "2023-05-08"),
    ],
)
def test_the_moment_of_reading_decides(text: str, now: str, first: str, last: str) -> None:
    assert read(text, now) == [(first, last)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("May 20", "2022-05-20"),
        ("We will meet on May 20", "2023-05-20"),
        ("next time, on May 20", "2023-05-20"),
        ("我打算5月20号去", "2023-05-20"),
        ("明天或者5月20号", "2023-05-20"),
        ("We will meet on May 30", "2022-05-30"),
        ("I will tell you about May 3", "2023-05-03"),
    ],
)
def test_a_text_that_looks_ahead_may_mean_the_next_two_weeks(text: str, first: str) -> None:
    assert read(text)[-1][0] == first


@pytest.mark.parametrize(
    "text",
    [
        "version 3.5 is out",
        "3.5.2",
        "3.5.2023",
        "03/05/2023",
        "1/2 of it, or 3/4",
        "2023-AB",
        "AB-2023-05-03",
        "2023-05-03-17",
        "v2023.05.03.1",
        "call 555-2023-0101 or 010-2023-5566",
        "13800138000",
        "$2023 and 2023%",
        "Cyberpunk 2077",
        "in 2000 steps",
        "from 1900 to 2500 calories",
        "the 1990s",
        "2020年代",
        "May I come in?",
        "You may be right, this may help, that may 3 people",
        "the 3rd may be late, the last may be first",
        "you may first want to ask",
        "march on, we march 3 miles, the second march",
        "April said hello to June",
        "one second, a second opinion",
        "he sat down in the sun",
        "in Sun Valley",
        "Wed to him",
        "leaves fall in the fall; spring forward",
        "recently, the other day, some day",
        "every Friday, each May 3rd, on Mondays",
        "Black Friday",
        "May 32, February 30, 31 April",
        "2023-02-30, 2023-13-01, 2023-00-00",
        "H3 2020",
        "2000 years ago",
        "Q3: what is your name?",
        "half a day ago",
        "the next week was hard",
        "at 3:05",
        "最近怎么样",
        "上次说的",
        "2月30号",
        "13月",
        "0月5号",
        "3号楼",
        "三个月",
        "我以前天天跑步",
        "如今天气冷了",
        "聪明天真",
        "以后天天来",
        "两周一次",
        "每周五都去",
        "每周一到周五",
        "每年5月3号",
        "周围的人和周杰伦",
        "晚上周围很安静",
        "五月天的演唱会",
        "基本月薪",
        "之前晚上很冷",
        "声明晚了",
        "几十年前",
        "过去年轻的时候",
        "以前年轻",
        "半天前",
        "春天来了",
        "",
    ],
)
def test_what_is_no_date_is_not_taken_for_one(text: str) -> None:
    assert read(text) == []


def test_words_and_places_are_those_of_the_text() -> None:
    text = "What did we do in May, 上周五下午, and from June 3 to June 7?"
    assert [span.words for span in spans(text, at(NOON), SHANGHAI)] == [
        "May",
        "上周五下午",
        "from June 3 to June 7",
    ]


def test_several_times_stand_in_order() -> None:
    assert read("昨天和5月3号，还有去年") == [
        ("2023-05-09", "2023-05-10"),
        ("2023-05-03", "2023-05-04"),
        ("2022-01-01", "2023-01-01"),
    ]


def test_a_word_between_two_dates_belongs_to_one_of_them() -> None:
    assert [span.words for span in spans("after April前年", at(NOON), SHANGHAI)] == [
        "after April",
        "前年",
    ]


def test_what_a_date_makes_sure_may_be_listed() -> None:
    assert read("in 2021 and 2022") == [("2021-01-01", "2022-01-01"), ("2022-01-01", "2023-01-01")]
    assert read("in May or June")[1] == ("2022-06-01", "2022-07-01")


def test_the_longest_words_win() -> None:
    assert [span.words for span in spans("the week of May 3, 2021", at(NOON), SHANGHAI)] == [
        "the week of May 3, 2021"
    ]


def test_a_day_is_as_long_as_its_clocks_say() -> None:
    (short,) = spans("2023-03-12", at(NOON), NEW_YORK)
    (long,) = spans("2023-11-05", at(NOON), NEW_YORK)
    assert (short.last - short.first, long.last - long.first) == (23 * 3600, 25 * 3600)
    assert told(short.first, NEW_YORK) == "2023-03-12"


def test_hours_ago_are_hours_although_the_clocks_changed() -> None:
    now = at("2023-03-12 04:00", NEW_YORK)
    (span,) = spans("two hours ago", now, NEW_YORK)
    assert (span.first, span.last) == (now - 9000, now - 5400)


def test_the_zone_decides_which_day_it_is() -> None:
    late = datetime(2023, 5, 10, 23, tzinfo=UTC).timestamp()
    assert told(spans("today", late, UTC)[0].first, UTC) == "2023-05-10"
    assert told(spans("today", late, SHANGHAI)[0].first) == "2023-05-11"


def test_a_day_that_a_zone_skipped_is_none() -> None:
    apia = ZoneInfo("Pacific/Apia")
    assert spans("2011-12-30", at(NOON), apia) == []
    assert len(spans("2011-12-31", at(NOON), apia)) == 1


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the local zone cannot be set here")
def test_without_a_zone_the_local_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text for text, _, _ in ABSOLUTE + RELATIVE + AROUND] + ["2023-03-12", "2023-11-05"]
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        local = [spans(text, at(NOON)) for text in texts]
        said = written(at(NOON))
    time.tzset()
    assert local == [spans(text, at(NOON), NEW_YORK) for text in texts]
    assert said == written(at(NOON), NEW_YORK)


@pytest.mark.parametrize("now", [float("nan"), float("inf"), -1e18, 1e18, 1e11, -1e10])
def test_a_moment_that_no_calendar_has_reads_nothing(now: float) -> None:
    assert spans("yesterday, 2023-05-03", now, UTC) == []


# Properties ----------------------------------------------------------------------------------

DAYS = st.dates(date(1900, 1, 2), date(2099, 12, 30))
MOMENTS = st.floats(0, 4.1e9)
WORDS = """
    May may march 3rd 3 31 2023 2023- 05 - / . , : of the last next this week month year ago two a
    few since before until from to between and Friday Sat summer Q1 first days in on 5月 3号 到 至
    年 月 日 周 五 十 两 上 下 个 前 后 以来 之前 去年 今天 昨 晚 末 半 第 季度 每 几 天
"""
PIECES = st.characters() | st.sampled_from(WORDS.split())
TEXTS = st.lists(PIECES | st.sampled_from([" ", " ", "　", "\n"]), max_size=40).map("".join)


def one(text: str, now: float, zone: tzinfo = UTC) -> Span:
    (span,) = spans(text, now, zone)
    return span


def day_of(span: Span, zone: tzinfo = UTC) -> date:
    first = datetime.fromtimestamp(span.first, zone)
    assert datetime.fromtimestamp(span.last, zone) - first == timedelta(1)
    return first.date()


@given(TEXTS, MOMENTS, st.sampled_from([UTC, SHANGHAI, NEW_YORK, None]))
@settings(max_examples=500)
def test_any_text_is_read_without_failing(text: str, now: float, zone: tzinfo | None) -> None:
    end = 0
    for span in spans(text, now, zone):
        assert end <= span.start < span.end
        assert span.words == text[span.start : span.end]
        assert span.first < span.last
        end = span.end


@given(st.floats(), st.sampled_from(["yesterday", "three years ago", "今年以来", "before May"]))
def test_any_moment_is_read_without_failing(now: float, text: str) -> None:
    assert len(spans(text, now, UTC)) <= 1
    assert len(written(now, UTC).split()) in (0, 12)


@given(DAYS, MOMENTS, st.sampled_from([UTC, SHANGHAI, NEW_YORK]))
def test_a_whole_date_is_that_day_however_it_is_written(
    day: date, now: float, zone: tzinfo
) -> None:
    y, m, d, name = day.year, day.month, day.day, f"{day:%B}"
    for text in (
        f"{day}",
        f"{y}/{m}/{d}",
        f"{y}年{m}月{d}日",
        f"{name} {d}, {y}",
        f"{d} {name} {y}",
        f"{day:%a}, {d} {day:%b} {y}",
    ):
        assert day_of(one(text, now, zone), zone) == day


@given(DAYS, MOMENTS)
def test_a_date_without_its_year_is_the_latest_that_has_begun(day: date, now: float) -> None:
    today = datetime.fromtimestamp(now, UTC).date()
    for text in (f"{day.month}月{day.day}号", f"{day:%B} {day.day}"):
        meant = day_of(one(text, now))
        assert (meant.month, meant.day) == (day.month, day.day)
        assert meant <= today
        if (day.month, day.day) != (2, 29):
            assert meant.replace(year=meant.year + 1) > today


@given(st.integers(1, 300), MOMENTS)
def test_days_ago_are_counted(many: int, now: float) -> None:
    today = datetime.fromtimestamp(now, UTC).date()
    for text in (f"{many} days ago", f"{many}天前"):
        assert day_of(one(text, now)) == today - timedelta(many)


@given(MOMENTS)
def test_a_moment_lies_in_the_times_around_it(now: float) -> None:
    for text in ("today", "this week", "this month", "this year", "今天", "本周", "这个月", "今年"):
        span = one(text, now)
        assert span.first <= now < span.last
    for last, this in (("last week", "this week"), ("上个月", "本月"), ("去年", "今年")):
        assert one(last, now).last == one(this, now).first


@given(MOMENTS, st.sampled_from([UTC, SHANGHAI, NEW_YORK]))
def test_the_words_for_a_moment_lead_back_to_it(moment: float, zone: tzinfo) -> None:
    words = written(moment, zone).split()
    assert len(words) == 12 == len({*words})
    phrases = [" ".join(words[:2]) + " " + words[3], " ".join(words[1:4])]
    phrases += [f"{words[5]}{word}" for word in words if re.fullmatch("[0-9]+月[0-9]+[日号]", word)]
    assert len(phrases) == 4
    for phrase in phrases:
        span = one(phrase, 4.1e9, zone)
        assert span.first <= moment < span.last


def test_the_words_for_a_day_are_those_of_questions() -> None:
    assert written(at("2023-05-08 12:00"), SHANGHAI) == (
        "8th may 8 2023 monday 2023年 5月 五月 5月8日 5月8号 周一 星期一"
    )
    assert written(at("2023-12-03 12:00"), SHANGHAI).startswith("3rd december 3 2023 sunday ")
    assert written(at("2023-12-03 12:00"), SHANGHAI).endswith(" 周日 星期天")
    assert written(float("nan")) == ""


@pytest.mark.parametrize(
    "piece",
    ["May ", "\n", "the ", "early ", "the month of ", "一月", "3号到", "2023-", "每周", "a few ",
     "1", "Monday, the ", "from May to ", "第", "in the last ", "2023年的 ", "上个", "May 3 - "],
)  # fmt: skip
def test_reading_takes_time_in_proportion_to_the_text(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    assert in_proportion(lambda size: spans(text[:size], at(NOON), SHANGHAI), 12_500, 50_000)
