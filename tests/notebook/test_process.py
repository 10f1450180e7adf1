"""The page of the task: read, changed and written without losing a line of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebook.papers import golden, morning

from wangchuan.errors import InvalidInput
from wangchuan.notebook.process import Process, Todo, begun, read_process

PAGE = golden("task_process")


def lines(process: Process) -> list[str]:
    return [("x " if t.done else "  ") + "  " * t.depth + t.text for t in process.todos]


def test_the_documents_example_is_understood_to_the_letter() -> None:
    process = read_process(PAGE)
    assert (process.pointer, process.stage, process.faults) == (3, "executing", ())
    assert process.current == Todo("生成第二章")
    assert lines(process) == ["x 读取PIM文件", "x 生成第一章", "  生成第二章", "  验证完整性"]
    assert process.rules[0] == "IF error THEN retry ELSE continue"
    assert process.is_open


@pytest.mark.parametrize("change", [str, lambda s: s.replace("\n", "\r\n"), "\ufeff{}".format])
def test_it_is_written_back_as_it_stood(change) -> None:  # type: ignore[no-untyped-def]
    assert read_process(change(PAGE)).text == change(PAGE)


def test_a_begun_task_has_the_documented_form() -> None:
    rules = ["IF error THEN retry ELSE continue"]
    process = begun("生成PSM文档", ["读取PIM文件", "生成第一章"], rules, morning())
    assert process.text == golden("task_begun")
    assert read_process(process.text).goal == "生成PSM文档"


def test_only_what_changed_is_written_anew() -> None:
    odd = PAGE.replace("- [x] 读取", "*   [X]  读取").replace(
        "- [ ] 验证完整性\n",
        "  remark between\n- [ ] 验证完整性   \n\n## 我的笔记\n- [ ] 不是任务\n",
    )
    process = read_process(odd)
    assert process.text == odd
    moved = process.tick().advance()
    expected = odd.replace("- 指令指针: 3", "- 指令指针: 4")
    expected = expected.replace("- [ ] 生成第二章  ← 当前", "- [x] 生成第二章")
    expected = expected.replace("- [ ] 验证完整性   \n", "- [ ] 验证完整性  ← 当前\n")
    assert moved.text == expected


@pytest.mark.parametrize(
    ("said", "pointer", "fault"),
    [
        ("3", 3, ""),
        ("5", 5, "marker"),  # past the end: nothing left
        ("1", 1, "marker"),
        ("0", 3, "names none"),
        ("6", 3, "names none"),
        ("-1", 3, "names none"),
        ("three", 3, "names none"),
        ("９", 3, "names none"),
        ("9" * 5000, 3, "names none"),
        ("", 3, "names none"),
    ],
)
def test_a_pointer_that_cannot_be_is_replaced_by_the_marker(
    said: str, pointer: int, fault: str
) -> None:
    process = read_process(PAGE.replace("- 指令指针: 3", f"- 指令指针: {said}"))
    assert process.pointer == pointer
    assert fault in " ".join(process.faults)
    assert bool(process.faults) == bool(fault)


def test_two_markers_are_one_too_many_and_the_pointer_holds() -> None:
    process = read_process(PAGE.replace("验证完整性", "验证完整性  ← 当前"))
    assert process.pointer == 3
    assert "marker" in process.faults[0]
    assert process.text.count("← 当前") == 1
    no_pointer = PAGE.replace("- 指令指针: 3\n", "").replace("验证完整性", "验证完整性  ← 当前")
    assert read_process(no_pointer).pointer == 3  # the first that is open


def test_a_page_without_todos_or_without_anything_is_no_task() -> None:
    assert not read_process("").is_open
    assert read_process("").current is None
    empty = read_process("# Task Process\n\n## 当前状态\n- 指令指针: 1\n- 阶段: planning\n")
    assert (empty.current, empty.is_open, empty.faults) == (None, True, ())
    assert read_process("## TODO\n- [ ] by hand\n").stage == "executing"


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [
        ("has [x] and [ ] inside", "has [x] and [ ] inside"),
        ("two\nlines\r\nof it", "two lines of it"),
        ("- [x] like an item", "- [x] like an item"),
        ("ends with a marker ← 当前  ← 当前", "ends with a marker"),
        ("## a heading", "## a heading"),
    ],
)
def test_any_words_can_be_a_todo(given_text: str, kept: str) -> None:
    process = read_process(PAGE).add(given_text)
    again = read_process(process.text)
    assert again.todos[-1] == Todo(kept)
    assert len(again.todos) == 5
    assert again.pointer == 3


@given(st.lists(st.text(max_size=30), max_size=5))
def test_what_was_added_is_read_back(texts: list[str]) -> None:
    process = begun("", [])
    for text in texts:
        try:
            process = process.add(text)
        except InvalidInput:
            continue
    assert read_process(process.text).todos == process.todos


def test_blank_and_endless_todos_are_refused() -> None:
    for text in ("", " \n ", "← 当前", "x" * 501):
        with pytest.raises(InvalidInput, match="TODO"):
            begun("", []).add(text)


def test_the_pointer_stays_with_its_item_when_others_come_and_go() -> None:
    process = replace(begun("", ["a", "b", "c"]), pointer=2)
    assert process.add("z").pointer == 2
    assert process.add("z", 1).pointer == 3
    assert process.add("z", 2).pointer == 3
    assert process.add("z", 3).pointer == 2
    assert process.remove("1").pointer == 1
    assert process.remove("b").pointer == 2  # what follows is current now
    assert process.remove("c").pointer == 2
    finished = replace(process, pointer=4)
    assert finished.add("z").pointer == 4  # what is added last is to be done
    assert finished.add("z", 1).pointer == 5
    for at in (0, 5, -1):
        with pytest.raises(InvalidInput, match="cannot be added"):
            process.add("z", at)


def test_items_are_named_by_number_or_by_text() -> None:
    process = begun("", ["a", "b", "a", "x 1"])
    assert process.place_of("2") == 2
    assert process.place_of("a") == 3
    assert process.place_of("x  1") == 4
    for unknown in ("0", "5", "nobody", "9" * 50, "２"):
        with pytest.raises(InvalidInput, match="TODO"):
            process.place_of(unknown)


def test_going_back_opens_what_lies_between() -> None:
    process = begun("", ["a", "b", "c"])
    for _ in range(3):
        process = process.tick().advance()
    assert process.pointer == 4
    back = process.goto("2")
    assert (back.pointer, lines(back)) == (2, ["x a", "  b", "  c"])
    assert back.goto("3").pointer == 3


def test_nested_items_go_below_the_current_one_and_are_not_doubled() -> None:
    process = replace(begun("", ["a", "b"]), pointer=1).nest(["k", "k", "l"])
    assert lines(process) == ["  a", "    k", "    k", "    l", "  b"]
    assert lines(process.nest(["k", "m"])) == ["  a", "    k", "    k", "    l", "    m", "  b"]
    deeper = replace(process, pointer=2).nest(["j"])
    assert lines(deeper)[1:3] == ["    k", "      j"]
    assert lines(read_process(deeper.text)) == lines(deeper)
    with pytest.raises(InvalidInput, match="1 deep"):
        replace(process, pointer=2).nest(["j"], deepest=1)
    with pytest.raises(InvalidInput, match="nothing is current"):
        replace(process, pointer=6).nest(["j"])


def test_the_list_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wangchuan.notebook.process.MOST_TODOS", 2)
    with pytest.raises(InvalidInput, match="limit"):
        begun("", ["a", "b", "c"])
