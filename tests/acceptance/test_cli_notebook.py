"""The notebook through the real command: task, session, knowledge, note and compact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acceptance.command import Run, document, together


def files(tmp_path: Path) -> list[str]:
    found = (p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    return sorted(name for name in found if not name.startswith("memory_data/"))


@pytest.mark.in_both
def test_a_task_is_begun_changed_and_ended(run: Run, tmp_path: Path) -> None:
    begun = run("task", "begin", "写PSM", "-t", "读", "-t", "写", "-r", "IF error THEN retry")
    assert begun.stdout.splitlines() == [
        "写PSM (executing)",
        "→  1 [ ] 读",
        "   2 [ ] 写",
        "     IF error THEN retry",
    ]
    run("task", "add", "校对")
    run("task", "fail", "没带眼镜")
    run("task", "done", "读完了", "--todo", "做笔记")
    shown = document(run("task", "show", "--json"))
    assert [t["text"] for t in shown["todos"]] == ["读", "做笔记", "写", "校对"]
    assert (shown["pointer"], shown["stage"], len(shown["journal"])) == (2, "executing", 2)
    run("task", "remove", "校对")
    run("task", "goto", "1")
    run("task", "rule", "IF error THEN STOP")
    shown = document(run("task", "show", "--json"))
    assert (shown["pointer"], [t["done"] for t in shown["todos"]]) == (1, [False] * 3)
    assert run("task", "begin", "另一件").stderr.startswith("error: the task '写PSM' is open")
    name = run("task", "end", "好了").stdout.removeprefix("wrote ").strip()
    assert files(tmp_path) == [".notes/default/task_process.md", f".sessions/{name}.md"]
    session = document(run("session", "show", name, "--json"))
    assert (session["request"], session["response"], session["rounds"]) == ("写PSM", "好了", 2)
    assert "写PSM" in run("recall", "psm").stdout


def test_a_task_is_stepped_through_by_answering(run: Run) -> None:
    todos = ("IF 晴天 THEN 出门 ELSE 看书", "做饭")
    run("task", "begin", "一天", "-t", todos[0], "-t", todos[1])
    done = run("task", "run", stdin="what?\nn\ny 看完了\n+ 买菜\ny\nf 没钱\n")
    assert done.stdout == "4 steps made; failed, at 4\n"
    assert "answer y, n or q" in done.stderr
    assert "看书 → 完成：看完了" in done.stderr
    left = run("task", "run", "--json", stdin="q\n")
    assert document(left)["stage"] == "failed"
    assert "left; the page stands where it stood" in left.stderr
    assert run("task", "run").stdout.startswith("0 steps")  # the input has ended
    ended = document(run("task", "run", "--json", stdin="y\n"))
    assert (ended["stage"], ended["steps"][0]["text"]) == ("done", "买菜")


def test_without_a_task_or_after_it_the_command_to_type_is_told(run: Run, tmp_path: Path) -> None:
    assert run("task", "done").stderr.startswith("error: no agent 'default'")
    assert files(tmp_path) == []
    run("remember", "It rained.")
    calls = (("done",), ("fail",), ("run",), ("end", "well"))
    for tried in together(run, [("task", *call) for call in calls]):
        assert (tried.returncode, tried.stdout) == (1, "")
        assert tried.stderr == ("error: there is no task; `wangchuan task begin GOAL` begins one\n")
    run("task", "begin", "Task A", "-t", "one")
    run("task", "done")
    done = run("task", "done")
    assert (done.returncode, done.stderr) == (
        1,
        "error: the task 'Task A' is done; `wangchuan task end` writes its session\n",
    )
    name = run("task", "end", "well").stdout.removeprefix("wrote ").strip()
    for tried in together(run, [("task", *call) for call in calls]):
        assert (tried.returncode, tried.stderr) == (
            1,
            f"error: the task 'Task A' has ended, see session {name}; `wangchuan task begin GOAL`"
            " begins another one\n",
        )
    assert run("session", "write", "", "").returncode == 1
    assert len(document(run("session", "list", "--json"))) == 1


def test_an_update_of_the_world_that_takes_a_model_says_so(run: Run) -> None:
    run("note", "world", "The server runs on port 80.")
    tried = run("note", "world", "--update", "Hello there.")
    assert (tried.returncode, tried.stdout) == (1, "")
    assert "nothing was changed: bringing the world up to date takes a model" in tried.stderr
    assert "`wangchuan note world TEXT` writes" in tried.stderr
    assert run("note", "world").stdout == "The server runs on port 80.\n"
    assert "--update needs TEXT" in run("note", "world", "--update").stderr


def test_a_page_edited_by_hand_is_taken_up_and_its_faults_are_told(
    run: Run, tmp_path: Path
) -> None:
    run("task", "begin", "x", "-t", "a", "-a", "bot")
    page = tmp_path / ".notes" / "bot" / "task_process.md"
    text = page.read_text("utf-8").replace("指令指针: 1", "指令指针: 7")
    page.write_text(text.replace("- [ ] a", "- [x] a\n- [ ] b by hand"), "utf-8")
    shown = run("task", "show", "-a", "bot")
    assert "→  2 [ ] b by hand" in shown.stdout
    assert "warning: the pointer '7' names none of 2 TODOs" in shown.stderr


@pytest.mark.in_both
def test_sessions_are_written_listed_and_shown(run: Run, tmp_path: Path) -> None:
    for agent in ("anna", "ben"):
        run("session", "write", f"asked {agent}", "answered", "--task", agent, "--tool", "read",
            "--tool", "read", "--duration", "1.25", "--rounds", "3", "-a", agent)  # fmt: skip
    listed, mine, found, none = together(
        run,
        [
            ("session", "list", "-a", "anna", "--json"),
            ("session", "list", "-a", "anna", "--mine", "--json"),
            ("session", "list", "BEN", "asked", "-a", "anna", "--json"),
            ("session", "list", "nothing", "-a", "anna"),
        ],
    )
    assert [s["agent"] for s in document(listed)] == ["anna", "ben"]
    assert [s["agent"] for s in document(mine)] == ["anna"]
    assert [s["agent"] for s in document(found)] == ["ben"]
    assert (none.stdout, none.stderr) == ("", "no sessions\n")
    shown = run("session", "show", document(found)[0]["name"], "-a", "anna").stdout
    assert "- Duration: 1.2s\n- Rounds: 3\n- Tools: read(2)\n- Agent: ben\n" in shown
    refused = run("session", "show", "../x", "-a", "anna")
    assert refused.returncode == 1
    assert "session list" in refused.stderr


def test_knowledge_is_written_compared_and_taken_back(run: Run) -> None:
    run("knowledge", "write", "first", "-m", "learnt")
    run("knowledge", "write", "-", "-m", "better", "--author", "Anna", stdin="second\n")
    history = document(run("knowledge", "versions", "--json"))
    assert [(v["author"], v["reason"]) for v in history] == [
        ("default", "learnt"),
        ("Anna", "better"),
    ]
    assert run("knowledge", "diff", "1", "2").stdout.endswith("-first\n+second\n")
    run("knowledge", "rollback", "1", "-m", "no")
    assert run("knowledge", "show").stdout == "first\n"
    assert run("knowledge", "show", "--version", "2").stdout == "second\n"
    assert "no version 9" in run("knowledge", "rollback", "9").stderr
    missing, empty = run("knowledge", "write", "x"), run("knowledge", "write", "x", "-m", "")
    assert (missing.returncode, empty.returncode) == (2, 1)
    assert "Missing option '--reason' / '-m'" in missing.stderr
    assert "needs an author and a reason" in empty.stderr
    assert "[required]" in run("knowledge", "write", "--help").stdout


def test_knowledge_is_packed_and_installed_into_another_agent(run: Run, tmp_path: Path) -> None:
    run("knowledge", "write", "how to write", "-m", "x", "-a", "anna")
    schema = [{"name": "search", "description": "Look up.", "parameters": {"type": "object"}}]
    (tmp_path / "f.json").write_text(json.dumps(schema), "utf-8")
    assert run("knowledge", "declare", "f.json", "-a", "anna").stdout == "declared search\n"
    packed = run("knowledge", "pack", "writing", "-a", "anna")
    assert packed.stdout == "wrote writing.knowledge.json\n"
    file = tmp_path / "writing.knowledge.json"
    installed = run("knowledge", "install", file.name, "--as", "w", "-a", "ben")
    assert installed.stdout == "installed w/agent_knowledge\n"
    listed = document(run("knowledge", "list", "-a", "ben", "--json"))
    assert listed["pages"] == [{"page": "w/agent_knowledge", "versions": 1}]
    assert [f["name"] for f in listed["functions"]] == ["w.search"]
    file.write_text(file.read_text("utf-8").replace("how to write", "how to cheat"), "utf-8")
    refused = run("knowledge", "install", file.name, "-a", "carl")
    assert refused.returncode == 1
    assert "not what was packed" in refused.stderr


def test_two_versions_are_tried_out(run: Run) -> None:
    run("knowledge", "write", "polite", "-m", "x")
    run("knowledge", "write", "short", "-m", "x")
    run("knowledge", "try", "tone", "1", "2")
    assert run("note", "prompt", "--key", "anna").stdout in ("polite\n", "short\n")
    run("knowledge", "outcome", "tone", "anna", "--good")
    run("knowledge", "outcome", "tone", "anna", "--bad")
    (trial,) = document(run("knowledge", "trials", "--end", "tone", "--json"))
    assert sorted(
        (trial["a"]["good"] + trial["a"]["bad"], trial["b"]["good"] + trial["b"]["bad"])
    ) == [0, 2]
    assert (trial["verdict"], trial["open"]) == ("undecided", False)


@pytest.mark.in_both
def test_the_note_shows_the_map_the_world_and_the_prompt(run: Run, tmp_path: Path) -> None:
    names = [artefact["name"] for artefact in document(run("note", "map", "--json"))]
    assert "task process" in names
    assert files(tmp_path) == []
    assert not (tmp_path / "memory_data").exists()
    run("note", "world", "港口在下雨。", "-w", "desk")
    assert run("note", "world", "-w", "desk").stdout == "港口在下雨。\n"
    run("note", "world", "--update", "已创建 docs/a.md。", "-w", "desk")
    shown = document(run("note", "world", "-w", "desk", "--json"))
    assert shown["world"] == "港口在下雨。\n- 已创建 docs/a.md。"
    assert files(tmp_path) == ["desk/.notes/default/world_state.md"]
    assert run("note", "prompt", "你好", "-w", "desk").stdout == "你好\n"


LOG = (
    "Fixed the KeyError in login.py.\n12 passed\n"
    + "Hmm, let me think about that once more.\n" * 60
)


def test_a_history_is_compacted_and_kept_in_minimal_mode(run: Run, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(LOG, "utf-8")
    done = run("compact", "run", "log.txt", "--mode", "minimal")
    assert "- [10] Fixed the KeyError in login.py." in done.stdout
    assert " tokens became " in done.stderr
    assert files(tmp_path) == [".compact_memory.md", "log.txt"]
    assert run("compact", "show").stdout == done.stdout
    prompt = run("note", "prompt", "base", "--mode", "minimal").stdout
    assert prompt == f"base\n## 历史记忆\n{done.stdout}"
    piped = document(run("compact", "run", "--json", "-w", "other", stdin=LOG))
    assert piped["compact_tokens"] < piped["tokens"] / 4
    assert not (tmp_path / "other").exists()


def test_a_history_is_checked_without_opening_anything(run: Run, tmp_path: Path) -> None:
    short = run("compact", "check", stdin="hello")
    assert (short.returncode, short.stdout) == (3, "2 tokens: not yet\n")
    env = {"WANGCHUAN_COMPACT_THRESHOLD_TOKENS": "1"}
    assert document(run("compact", "check", "--json", stdin="hello", env=env))["should_compact"]
    assert files(tmp_path) == []


@pytest.mark.in_both
def test_an_agent_that_is_not_there_is_not_made_by_looking(run: Run, tmp_path: Path) -> None:
    calls = [("task", "show"), ("session", "list"), ("knowledge", "list"), ("note", "world"),
             ("note", "prompt"), ("compact", "show")]  # fmt: skip
    for refused in together(run, calls):
        assert refused.returncode == 1
        assert "no agent 'default'" in refused.stderr
    assert list(tmp_path.iterdir()) == []
