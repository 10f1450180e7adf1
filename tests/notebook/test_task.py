"""The task on its page: stepped, edited by hand meanwhile, and shared between processes."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest
from notebook.papers import desk_of, golden, morning

from wangchuan.errors import InvalidInput, StorageError
from wangchuan.notebook.interpreter import Hands, Outcome
from wangchuan.notebook.task import Limits, Task


def task_in(folder: Path, **more: object) -> Task:
    page = folder / ".notes" / "agent_001" / "task_process.md"
    return Task(page, desk_of(folder), morning, **more)  # type: ignore[arg-type]


def begun(folder: Path, *todos: str, **more: object) -> Task:
    task = task_in(folder, **more)
    task.begin("生成PSM文档", todos)
    return task


def test_a_task_is_begun_worked_through_and_ended(tmp_path: Path) -> None:
    moves: list[bool] = []
    task = task_in(tmp_path, moved=moves.append)
    rules = ["IF error THEN retry ELSE continue"]
    task.begin("生成PSM文档", ["读取PIM文件", "生成第一章"], rules=rules)
    assert task.path.read_text("utf-8") == golden("task_begun")
    task.failed("没有权限")
    task.done("十页", ["画图"])
    assert [t.text for t in task.read().todos] == ["读取PIM文件", "画图", "生成第一章"]
    assert task.read().pointer == 2
    task.done()
    task.done()
    assert task.read().stage == "done"
    assert task.done() is None
    assert len(task.read().journal) == 4
    assert (moves[0], moves[-1]) == (True, False)


def test_an_open_task_is_not_written_over(tmp_path: Path) -> None:
    task = begun(tmp_path, "a")
    with pytest.raises(InvalidInput, match=r"生成PSM文档.* is open"):
        task.begin("another")
    task.end(cancelled=True)
    assert task.read().stage == "cancelled"
    task.begin("another", ["b"])
    assert task.read().goal == "another"


def test_todos_are_added_removed_and_jumped_to_from_outside(tmp_path: Path) -> None:
    task = task_in(tmp_path)
    task.add("a")  # a page is made when it is needed
    task.add("b")
    task.add("first", 1)
    task.remove("b")
    task.goto(1)
    assert [t.text for t in task.read().todos] == ["first", "a"]
    assert task.read().pointer == 1
    task.rule("IF error THEN retry")
    with pytest.raises(InvalidInput, match="no instruction"):
        task.rule("be nice")
    with pytest.raises(InvalidInput, match="no TODO says"):
        task.remove("c")


def test_what_is_written_by_hand_between_two_steps_is_taken_up(tmp_path: Path) -> None:
    task = begun(tmp_path, "a", "b")
    page = task.path.read_text("utf-8")
    task.path.write_text(
        page.replace("- [ ] b", "- [ ] by hand\n- [ ] b") + "\n## 我的\n留言\n", "utf-8"
    )
    done: list[str] = []
    task.run(Hands(lambda text: bool(done.append(text)) or True))
    assert done == ["a", "by hand", "b"]
    assert "## 我的\n留言\n" in task.path.read_text("utf-8")


def test_work_during_which_the_page_was_edited_is_not_done_twice(tmp_path: Path) -> None:
    task, done = begun(tmp_path, "a", "b"), list[str]()

    def act(text: str) -> bool:
        done.append(text)
        if len(done) == 1:
            page = task.path.read_text("utf-8")
            task.path.write_text(page.replace("- [ ] b", "- [ ] x\n- [ ] b"), "utf-8")
        return True

    task.step(Hands(act))
    assert done == ["a"]
    assert [(t.text, t.done) for t in task.read().todos] == [
        ("a", True),
        ("x", False),
        ("b", False),
    ]


def test_a_todo_taken_out_while_it_was_worked_on_stays_out(tmp_path: Path) -> None:
    task, done = begun(tmp_path, "a", "b"), list[str]()

    def act(text: str) -> Outcome:
        done.append(text)
        if text == "a":
            task.remove("a")
        return Outcome()

    task.step(Hands(act))
    assert done == ["a", "b"]
    assert [(t.text, t.done) for t in task.read().todos] == [("b", True)]


def test_a_page_that_never_rests_is_given_up(tmp_path: Path) -> None:
    task = begun(tmp_path, *(f"todo {n}" for n in range(50)))

    def act(_: str) -> bool:
        task.remove(1)
        return True

    with pytest.raises(StorageError, match="changed all the time"):
        task.step(Hands(act))


def test_one_run_makes_only_so_many_steps(tmp_path: Path) -> None:
    task = begun(tmp_path, "GOTO 1", limits=Limits(steps=7, depth=2))
    assert len(task.run()) == 7
    assert task.read().stage == "stopped"
    task.end()
    task.begin("deep", ["again"])
    task.run(Hands(lambda _: Outcome(todos=("again",))))
    assert max(todo.depth for todo in task.read().todos) == 2


def test_a_page_that_says_what_cannot_be_says_so(tmp_path: Path) -> None:
    task = begun(tmp_path, "a")
    page = task.path.read_text("utf-8").replace("指令指针: 1", "指令指针: 9")
    task.path.write_text(page.replace("## 动态指令\n", "## 动态指令\nIF error retry\n"), "utf-8")
    assert len(task.faults) == 2


def test_many_hands_add_to_one_page_without_losing_anything(tmp_path: Path) -> None:
    begun(tmp_path, "start")

    def add(worker: int) -> None:
        for n in range(10):
            task_in(tmp_path).add(f"w{worker} {n}")

    threads = [Thread(target=add, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = [todo.text for todo in task_in(tmp_path).read().todos]
    assert len(texts) == 41
    for worker in range(4):
        mine = [text for text in texts if text.startswith(f"w{worker} ")]
        assert mine == [f"w{worker} {n}" for n in range(10)]
