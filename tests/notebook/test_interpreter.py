"""The interpreter: choice, loops, jumps, recursion, limits, and nothing evaluated as code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from notebook.papers import golden, morning

from wangchuan.notebook.interpreter import (
    Hands,
    Instruction,
    Outcome,
    faults_of,
    run,
    step,
    understood,
)
from wangchuan.notebook.process import Process, begun, read_process


def told(
    process: Process, hands: Hands | None = None, most: int = 1000
) -> tuple[Process, list[str]]:
    """Run a process; return it and the work that was done, in order."""
    done: list[str] = []
    given_hands = hands or Hands()

    def act(text: str) -> Outcome:
        done.append(text)
        return given_hands.work(text)

    after, _ = run(process, replace(given_hands, act=act), lambda: 0.0, most=most)
    return after, done


def program(*todos: str, rules: Sequence[str] = ()) -> Process:
    return begun("", todos, rules)


def test_a_step_is_journaled_in_the_page_itself() -> None:
    hands = Hands(lambda _: Outcome(note="两页", todos=("补一张图",)))
    after, made = step(read_process(golden("task_process")), hands, morning())
    assert after.text == golden("task_stepped")
    assert made is not None
    assert (made.number, made.place, made.text) == (1, 3, "生成第二章")
    assert read_process(after.text).journal == after.journal


def test_todos_are_done_in_order_and_then_the_task_is_done() -> None:
    after, done = told(program("a", "b"))
    assert (done, after.stage, after.pointer, after.current) == (["a", "b"], "done", 3, None)
    assert step(after, Hands(), 0) == (after, None)


def test_one_branch_or_the_other_is_taken() -> None:
    for truth, expected in ((True, ["yes", "end"]), (False, ["no", "end"])):
        todos = ("IF 晴天 THEN yes ELSE no", "end")
        _, done = told(program(*todos), Hands(predicates={"晴天": lambda truth=truth: truth}))
        assert done == expected


def test_branches_nest_and_else_belongs_to_the_nearest_if() -> None:
    text = "IF a THEN IF b THEN x ELSE y ELSE z"
    found = understood(text)
    inner = Instruction("if", "b", then=Instruction("do", "x"), otherwise=Instruction("do", "y"))
    assert found == Instruction("if", "a", then=inner, otherwise=Instruction("do", "z"))
    for a, b, expected in ((1, 1, "x"), (1, 0, "y"), (0, 1, "z"), (0, 0, "z")):
        table = {"a": lambda a=a: bool(a), "b": lambda b=b: bool(b)}
        assert told(program(text), Hands(predicates=table))[1] == [expected]


def test_without_else_it_goes_on() -> None:
    assert told(program("IF error THEN STOP", "a"))[1] == ["a"]
    assert understood("IF error THEN STOP") == Instruction(
        "if", "error", then=Instruction("stop"), otherwise=Instruction("continue")
    )


@pytest.mark.parametrize(
    "words",
    ["IF it rains", "IF THEN x", "IF a ELSE b", "IF a THEN", "IF a THEN b ELSE c ELSE d", "IF",
     "THEN x", "GOTO", "goto 3", "If it rains then go home", "ADDRESS the letter",
     "write GOTO 3 on the board", "IF a THEN IF b ELSE c"],
)  # fmt: skip
def test_what_is_no_instruction_is_work_like_any_other(words: str) -> None:
    assert understood(words) is None
    assert told(program(words, "b"))[1] == [words, "b"]


def test_branches_nested_beyond_reason_are_words() -> None:
    assert understood("IF a THEN " * 16 + "x") is not None
    assert understood("IF a THEN " * 5000 + "x") is None


def test_the_documents_rule_retries_until_it_works() -> None:
    failures = iter([False, False, True, True])
    process = program("a", "b", rules=["IF error THEN retry ELSE continue"])
    after, done = told(process, Hands(lambda _: next(failures)))
    assert (done, after.stage) == (["a", "a", "a", "b"], "done")


def test_retry_as_a_todo_goes_back_to_the_last_piece_of_work() -> None:
    failures = iter([True, False, True])
    process = program("a", "b", "IF error THEN retry", rules=["IF error THEN continue"])
    after, done = told(process, Hands(lambda _: next(failures)))
    assert done == ["a", "b"]  # no rule says where to go on: it waits
    assert after.stage == "failed"
    after, done = told(after, Hands(lambda _: next(failures)))
    assert (done, after.stage) == (["b"], "done")
    assert "no work before this" in told(program("retry"))[0].journal[-1]


def test_failure_without_a_rule_waits_for_somebody() -> None:
    after, done = told(program("a", "b"), Hands(lambda _: Outcome(False, "磁盘满了")))
    assert (done, after.stage, after.pointer, after.failed) == (["a"], "failed", 1, True)
    assert "失败：磁盘满了" in after.text
    assert "- 上一步: 失败" in after.text
    again = read_process(after.text)
    assert again.failed
    after, done = told(again)
    assert (done, after.stage) == (["a", "b"], "done")
    assert "- 上一步: 完成" in after.text


def test_a_rule_that_helps_is_done_next_and_the_failed_todo_stays_open() -> None:
    hands = Hands(lambda text: text != "a")
    after, done = told(program("a", "b", rules=["IF error THEN 打电话"]), hands)
    assert done == ["a", "打电话", "b"]
    assert [t.done for t in after.todos] == [False, True, True]


def test_goto_jumps_forward_and_back() -> None:
    after, done = told(program("a", "GOTO 4", "never", "b", "GOTO end", "never", "end"))
    assert (done, after.stage) == (["a", "b", "end"], "done")
    looped, done = told(program("a", "b", "GOTO 1"), most=10)
    assert done == ["a", "b", "a", "b", "a", "b", "a"]
    assert looped.stage == "stopped"


def test_a_loop_by_a_counter_of_todos_ends() -> None:
    process = program(
        "IF HAS 页 THEN REMOVE 页 ELSE GOTO 4", "读一页", "GOTO 1", "STOP", "页", "页", "页"
    )
    after, done = told(process)
    assert done == ["读一页"] * 3
    assert (after.stage, after.has("页")) == ("done", False)


def test_a_loop_by_adding_todos_ends() -> None:
    pages = iter(["ADD 读一页"] * 3 + ["STOP"])
    process = program("读一页")
    hands = Hands(lambda _: Outcome(todos=(next(pages),)))
    after, done = told(process, hands)
    assert done == ["读一页"] * 4
    assert after.stage == "done"


def test_going_round_again_does_not_pile_up_nested_todos() -> None:
    process = program("IF HAS n THEN REMOVE n ELSE GOTO 4", "SUB inner", "GOTO 1", "STOP", "n", "n")
    after, done = told(process)
    assert done == ["inner"] * 2
    assert [t.text for t in after.todos].count("inner") == 1


def test_a_todo_calls_others_below_it_in_depth_first_order() -> None:
    tree = {"/": ["/a", "/b"], "/a": ["/a/1", "/a/2"], "/b": ["/b/1"]}
    hands = Hands(lambda text: Outcome(todos=tuple(tree.get(text, ()))))
    after, done = told(program("/", "end"), hands)
    assert done == ["/", "/a", "/a/1", "/a/2", "/b", "/b/1", "end"]
    assert [t.depth for t in after.todos] == [0, 1, 2, 2, 1, 2, 0]


def test_a_todo_that_adds_itself_is_stopped_by_the_depth() -> None:
    after, done = told(program("again"), Hands(lambda _: Outcome(todos=("again",))))
    assert len(done) == 21
    assert after.stage == "stopped"
    assert "nested 20 deep" in after.journal[-1]
    self_calling, _ = told(program("SUB SUB SUB x"))
    assert [t.text for t in self_calling.todos] == ["SUB SUB SUB x", "SUB SUB x", "SUB x", "x"]


def test_an_endless_loop_is_stopped_by_the_steps_and_can_go_on() -> None:
    after, _ = told(program("GOTO 1"), most=1000)
    assert (after.stage, len(after.journal)) == ("stopped", 1000)
    after, _ = told(after, most=5)
    assert len(after.journal) == 1005


def test_todos_can_be_added_removed_and_staged_by_the_program() -> None:
    process = program("ADD last", "ADD early AT 3", "STAGE reviewing", "REMOVE 1", "REMOVE gone?")
    after, done = told(process)
    assert done == ["early"]
    assert after.stage == "stopped"
    assert "no TODO says 'gone?'" in after.journal[-1]
    assert read_process(after.text).todos == after.todos
    kept, _ = told(program("STAGE reviewing", "a", "REMOVE 3", "b"))
    assert "reviewing" in kept.journal[0]
    assert [t.text for t in kept.todos] == ["STAGE reviewing", "a", "b"]


def test_an_instruction_that_fails_changes_nothing_and_is_tried_again() -> None:
    process = program("GOTO 9", "a")
    after, done = told(process)
    assert (done, after.stage, after.pointer) == ([], "stopped", 1)
    assert [t.done for t in after.todos] == [False, False]
    after, done = told(after.remove("1"))
    assert done == ["a"]


def test_what_somebody_ticked_off_is_not_done_again() -> None:
    process = read_process(program("a", "b", "GOTO 1", "c").text.replace("- [ ] ", "- [x] "))
    after, done = told(process.tick(False))
    assert done == ["a"]
    assert after.stage == "done"
    assert told(process)[1] == []


ATTACKS = [
    "__import__('os').system('touch owned')",
    "open('owned','w')",
    "(lambda: exec('1/0'))()",
    "true; rm -rf .",
    "${jndi:ldap://x}",
    "{{ 7*7 }}",
    "%s %n {0.__class__}",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_condition_is_never_code(
    attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    after, done = told(program(f"IF {attack} THEN bad ELSE bad", attack, "GOTO 1 " + attack))
    assert done == []
    assert after.stage == "stopped"
    assert "nobody can tell whether" in after.journal[-1]
    asked: list[str] = []
    hands = Hands(ask=lambda words: bool(asked.append(words)))
    after, done = told(program(f"IF {attack} THEN bad", attack), hands)
    assert asked == [attack]
    assert done == [attack]  # to whoever does the work it is words
    assert list(tmp_path.iterdir()) == []


def test_conditions_come_from_the_page_the_table_or_whoever_is_asked() -> None:
    asked: list[str] = []

    def ask(words: str) -> bool:
        asked.append(words)
        return words == "可以发布"

    table = {"Tests Pass": lambda: True}
    hands = Hands(predicates=table, ask=ask)
    todos = [
        "IF tests pass THEN a",
        "IF NOT 可以发布 THEN b",
        "IF HAS c THEN d",
        "c",
        "IF HAS c THEN e",
    ]
    assert told(program(*todos), hands)[1] == ["a", "d", "c"]
    assert asked == ["可以发布"]


def test_a_rule_nobody_can_judge_stops_after_the_work_and_does_not_repeat_it() -> None:
    process = program("a", "b", rules=["IF 累了 THEN STOP"])
    after, done = told(process)
    assert (done, after.stage, after.pointer) == (["a"], "stopped", 1)
    after, done = told(after, Hands(predicates={"累了": lambda: False}))
    assert (done, after.stage) == (["b"], "done")


def test_rules_that_are_none_are_told_and_prose_among_them_is_not() -> None:
    process = program("a", rules=["IF error retry", "GOTO", "注：随便写写", "IF error THEN retry"])
    assert len(faults_of(process)) == 2
    assert told(process)[1] == ["a"]


# Turing completeness: any counter machine is a list of TODOs

PRODUCT = [
    ("dec", "a", 1, 9),  # 0: once for every a ...
    ("dec", "b", 2, 5),  # 1: move b to c and t
    ("inc", "c", 3),
    ("inc", "t", 1),
    ("inc", "-", 5),  # not reached
    ("dec", "t", 6, 0),  # 5: and t back to b
    ("inc", "b", 5),
]


def compiled(
    machine: list[tuple[str, str, int, int] | tuple[str, str, int]], counters: Counter[str]
) -> Process:
    """Two TODOs for each instruction of the machine, a STOP, and one TODO for each count."""
    end = 2 * len(machine) + 1
    todos = []

    def place(n: int) -> int:
        return min(2 * n + 1, end)

    for what, counter, *targets in machine:
        if what == "inc":
            todos.append(f"ADD {counter}")
        else:
            todos.append(f"IF HAS {counter} THEN REMOVE {counter} ELSE GOTO {place(targets[1])}")
        todos.append(f"GOTO {place(targets[0])}")
    return program(*todos, "STOP", *counters.elements())


def counted(process: Process, length: int) -> Counter[str]:
    return Counter(todo.text for todo in process.todos[2 * length + 1 :])


@pytest.mark.parametrize(("a", "b"), [(3, 4), (0, 5), (5, 0), (1, 1), (6, 7)])
def test_the_counter_machine_computes_a_product(a: int, b: int) -> None:
    process = compiled(PRODUCT, Counter(a=a, b=b))  # type: ignore[arg-type]
    after, done = told(process, most=10_000)
    assert (after.stage, done) == ("done", [])
    assert counted(after, len(PRODUCT)) == +Counter(b=b, c=a * b)
    assert len(after.journal) > 4 * a * b


def simulated(machine: list, counters: Counter[str], most: int) -> Counter[str] | None:  # type: ignore[type-arg]
    """The same machine, the ordinary way; None if it does not end in time."""
    at, values = 0, Counter(counters)
    for _ in range(most):
        if at >= len(machine):
            return +values
        what, counter, *targets = machine[at]
        if what == "dec" and not values[counter]:
            at = targets[1]
            continue
        values[counter] += 1 if what == "inc" else -1
        at = targets[0]
    return None


PLACES, NAMES = st.integers(0, 5), st.sampled_from("ab")
INSTRUCTIONS = st.tuples(st.just("inc"), NAMES, PLACES) | st.tuples(
    st.just("dec"), NAMES, PLACES, PLACES
)


@given(st.lists(INSTRUCTIONS, min_size=1, max_size=5), st.integers(0, 3), st.integers(0, 3))
@settings(max_examples=60)
def test_any_two_counter_machine_runs_as_a_list_of_todos(machine: list, a: int, b: int) -> None:  # type: ignore[type-arg]
    start = Counter(a=a, b=b)
    expected = simulated(machine, start, 40)
    after, _ = told(compiled(machine, start), most=100)
    if expected is None:
        assert after.stage == "stopped" or len(after.journal) > 40
    else:
        assert after.stage == "done"
        assert counted(after, len(machine)) == expected
