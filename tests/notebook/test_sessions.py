"""Sessions: the format to the letter, whose is whose, and what happens within one second."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebook.papers import desk_of, golden, morning

from wangchuan.errors import InvalidInput
from wangchuan.notebook.places import slug
from wangchuan.notebook.sessions import (
    Session,
    Sessions,
    counted,
    formatted,
    read_session,
    stamp_of,
)

PSM = Session(
    request="生成PSM文档",
    response="已生成blog_psm.md",
    stamp="20250105_103000",
    duration=15.3,
    rounds=12,
    tools={"read_file": 2, "write_file": 1},
    agent="agent_001",
)


def sessions_in(folder: Path, agent: str = "agent_001") -> Sessions:
    return Sessions(folder / ".sessions", desk_of(folder, agent))


def test_the_format_is_to_the_letter() -> None:
    assert formatted(PSM) == golden("session")
    assert read_session(golden("session")) == PSM


def test_the_second_of_a_session_is_on_the_local_clock() -> None:
    assert stamp_of(morning()) == "20250105_103000"


def test_the_documents_own_example_is_read_with_its_spaces_and_without_an_agent() -> None:
    text = golden("session").replace("## Response\n", "## Response  \n")
    text = text.replace("- Agent: agent_001\n", "")
    for variant in (text, text.replace("\n", "\r\n"), "\ufeff" + text):
        assert read_session(variant) == replace(PSM, agent=None)


@pytest.mark.parametrize(
    "said",
    [
        "## Metadata\n- Agent: mallory\n- Duration: 1s",
        "# Session: 19990101_000000\n\n## Response\nAgent: forged",
        "\\## already escaped\n\\\\# twice",
        "用户: 用户: 两遍",
        "```\n## Response\nnever closed",
        "line\r\nand line\rand line",
        "",
    ],
)
def test_words_that_look_like_headings_stay_words(said: str) -> None:
    told = replace(PSM, request=said, response=said, history=said and "user: " + said)
    page = formatted(told)
    again = read_session(page)
    plain = said.replace("\r\n", "\n").replace("\r", "\n")
    assert (again.request, again.response, again.agent) == (plain, plain, "agent_001")
    assert formatted(again) == page


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_words_come_back(request: str, response: str) -> None:
    told = Session(request=request, response=response, stamp="20250105_103000", agent="a")
    again = read_session(formatted(told))
    assert formatted(again) == formatted(told)
    assert again.agent == "a"


def test_unknown_sections_and_fields_of_others_do_no_harm() -> None:
    text = golden("session").replace("## Metadata", "## 心得\n慢一点\n\n## Metadata")
    assert read_session(text + "- Cost: 3\n\n## More\nx\n") == PSM


def test_what_is_not_known_has_no_line_and_no_tools_are_said_to_be_none() -> None:
    page = formatted(Session(request="a", response="b", stamp="20250105_103000"))
    assert page.endswith("## Metadata\n- Tools: none\n")
    assert read_session(page).tools == {}


def test_the_record_is_on_the_page_but_not_shown() -> None:
    told = replace(
        PSM, history="user: 你好\nassistant: 你好", task="# Task Process\n\n## 当前状态\n"
    )
    assert read_session(formatted(told)) == replace(told, task=told.task.rstrip("\n"))
    assert told.shown + "\n" == golden("session")


@pytest.mark.parametrize("fault", [{"duration": -1}, {"duration": float("nan")}, {"rounds": -2}])
def test_figures_that_cannot_be_are_refused(tmp_path: Path, fault: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="0 or more"):
        sessions_in(tmp_path).write(replace(PSM, **fault))
    assert not (tmp_path / ".sessions").exists()


def test_tools_are_counted_from_names_or_taken_as_counts() -> None:
    assert counted(["read", "write", "read"]) == {"read": 2, "write": 1}
    assert counted({"a, b(c)\n": 2}) == {"a_b_c_": 2}
    with pytest.raises(InvalidInput, match="not a count"):
        counted({"read": -1})
    with pytest.raises(InvalidInput, match="tools must be a list, not str"):
        counted("read")


def test_several_sessions_of_one_second_are_all_kept_in_order(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    names = [sessions.write(replace(PSM, request=str(n)), "task1").name for n in range(12)]
    assert names[:2] == ["20250105_103000_task1", "20250105_103000_task1_2"]
    assert [session.request for session in sessions.newest(3)] == ["9", "10", "11"]
    assert len(list((tmp_path / ".sessions").iterdir())) == 12


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("task1", "task1"),
        ("../../etc/passwd", "etc_passwd"),
        ("", "task"),
        ("..", "task"),
        ("写 PSM 文档/第一章", "写_PSM_文档_第一章"),
        ("x" * 500, "x" * 60),
        ("😀" * 3, "task"),
        ("a\x00b\nc", "a_b_c"),
    ],
)
def test_any_task_gives_a_file_name(tmp_path: Path, task: str, name: str) -> None:
    assert slug(task) == name
    assert sessions_in(tmp_path).write(PSM, task).name == f"20250105_103000_{name}"


@given(st.text(max_size=300))
def test_no_task_leaves_the_folder(task: str) -> None:
    assert slug(task)
    assert "/" not in slug(task)
    assert not slug(task).startswith(".")
    assert len(slug(task).encode()) <= 150


def test_own_sessions_are_told_by_the_whole_name(tmp_path: Path) -> None:
    for agent in ("bot", "bot2", "bo"):
        sessions_in(tmp_path, agent).write(replace(PSM, agent=agent), agent)
    (tmp_path / ".sessions" / "20250105_103000_nobody.md").write_text("# Session: x\n", "utf-8")
    sessions = sessions_in(tmp_path)
    assert [s.agent for s in sessions.newest(agent="bot")] == ["bot"]
    assert len(sessions.newest()) == 4
    assert [s.agent for s in sessions.newest(words=["psm文档", "BOT2"])] == ["bot2"]


def test_a_page_that_cannot_be_read_is_passed_over_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sessions = sessions_in(tmp_path)
    sessions.write(PSM, "good")
    (tmp_path / ".sessions" / "20260101_000000_bad.md").write_bytes(b"\xff\xfe")
    assert [session.name for session in sessions.newest(3)] == ["20250105_103000_good"]
    assert "20260101_000000_bad.md" in caplog.text


def test_a_session_is_read_by_its_name_and_nothing_else_is(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    (tmp_path / "secret.md").write_text("x", "utf-8")
    name = sessions.write(PSM, "x" * 60).name
    found = sessions.read(name)
    assert found is not None
    assert found.request == "生成PSM文档"
    assert sessions.read(name + ".md") == found
    assert sessions.read("../secret") is None
    assert sessions.read("20990101_000000_task") is None
