"""A task begun from a function, and what compaction keeps of events that are much alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from wangchuan import InvalidInput, Memory, NotFound
from wangchuan.language.attention import important
from wangchuan.language.scores import scored
from wangchuan.notebook.routines import compact

RELEASE = {
    "name": "release",
    "description": "Bring out a version.",
    "parameters": {
        "type": "object",
        "properties": {"version": {"type": "string"}, "branch": {"default": "main"}},
        "required": ["version"],
    },
    "steps": ["run the tests on {branch}", "tag {version}"],
}
MODULES = ("登录", "支付", "订单", "搜索", "库存", "通知")
FIXES = [{"role": "assistant", "content": f"修复了{name}模块的空指针错误"} for name in MODULES]


def test_a_task_is_begun_from_a_function_with_its_parameters_steps_and_version(
    tmp_path: Path,
) -> None:
    with Memory.open("a", root=tmp_path / "m", work_dir=tmp_path, mode="full") as memory:
        memory.notebook.knowledge.declare(RELEASE)
        memory.notebook.knowledge.declare({**RELEASE, "description": "Another."})
        process = memory.notebook.begin_function("release", {"version": "1.4"})
        assert [todo.text for todo in process.todos] == ["run the tests on main", "tag 1.4"]
        session = memory.notebook.end_task("done")
    assert session.request == "release(branch=main, version=1.4)"
    assert "- 函数: release v2" in session.task


@pytest.mark.parametrize(
    ("name", "given", "error"),
    [("deploy", {}, NotFound), ("release", {}, InvalidInput),
     ("release", {"version": "1", "speed": 3}, InvalidInput)],
)  # fmt: skip
def test_a_function_that_is_not_there_or_is_called_wrongly_begins_no_task(
    tmp_path: Path, name: str, given: dict[str, object], error: type[Exception]
) -> None:
    with Memory.open("a", root=tmp_path / "m", work_dir=tmp_path, mode="full") as memory:
        memory.notebook.knowledge.declare(RELEASE)
        with pytest.raises(error):
            memory.notebook.begin_function(name, given)
        assert not memory.notebook.task.read().is_open


def test_a_function_in_python_has_the_numbered_lines_of_its_docstring_as_steps(
    tmp_path: Path,
) -> None:
    def greet(name: str) -> None:
        """Greet somebody.

        1. say hello to {name}
        2. wave
        """

    with Memory.open("a", root=tmp_path / "m", work_dir=tmp_path, mode="full") as memory:
        memory.notebook.knowledge.declare(greet)
        process = memory.notebook.begin_function("greet", {"name": "Ann"})
    assert [todo.text for todo in process.todos] == ["say hello to Ann", "wave"]


def test_of_events_that_are_much_alike_each_one_that_is_left_out_is_missing() -> None:
    events = important(FIXES)
    kept = compact.missing_from("修复了登录模块的空指针错误", events)
    assert [event.text for event in kept] == [one["content"] for one in FIXES[1:]]
    assert (
        compact.missing_from("修复了登录、支付、订单、搜索、库存、通知模块的空指针错误", events)
        == []
    )


@pytest.mark.parametrize(
    ("line", "kind"),
    [("test_login_redirect 终于绿了", "test"), ("NullPointerException is gone", "fix"),
     ("src/auth/token.py 里换了算法", "file"), ("跑到 2.3.1 了", "state"),
     ("OrderServiceTest blew up", "test"), ("嗯我看看", "thinking"),
     ("maybe src/a.py is to blame", "thinking")],
)  # fmt: skip
def test_an_event_in_unusual_words_is_known_by_its_form(line: str, kind: str) -> None:
    assert scored(line)[0] == kind
