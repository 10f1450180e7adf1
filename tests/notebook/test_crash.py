"""Death while writing: there is the old page or the new one, never half of one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from notebook.papers import desk_of
from notebook.scribbling import is_whole
from soak.figures import figures, size
from stage import PATIENCE

from wangchuan.notebook.compact import CompactPage
from wangchuan.notebook.places import Places
from wangchuan.notebook.process import read_process
from wangchuan.notebook.sessions import read_session

KILLS = size("KILLS", 60)
SCRIBBLING = Path(__file__).with_name("scribbling.py")
KNOWN = {
    ".notes/agent_001/agent_knowledge.md",
    ".notes/agent_001/task_process.md",
    ".notes/agent_001/versions/agent_knowledge.jsonl",
    ".notes/agent_001/world_state.md",
}


def killed(work: Path, mode: str) -> int:
    """Kill writers; return how many writes they lived to tell of."""
    work.mkdir()
    done = subprocess.run(
        [sys.executable, str(SCRIBBLING), str(work), mode, str(KILLS), "7"],
        capture_output=True,
        text=True,
        timeout=60 + KILLS * 10,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_half_a_page_would_be_noticed() -> None:
    from notebook.scribbling import page

    assert is_whole(page(7))
    assert not is_whole(page(7)[: len(page(7)) // 2])


@pytest.mark.slow
def test_minimal_mode_survives_being_killed_with_one_whole_page(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with figures("kill -9 while the minimal notebook is written") as told:
        assert killed(work, "minimal") > KILLS / 2
        told["how many"] = KILLS
    desk = desk_of(tmp_path)
    desk.tidy(*Places(work, "agent_001").folders())
    assert [path.name for path in work.iterdir()] == [".compact_memory.md"]
    assert is_whole(CompactPage(Places(work, "agent_001"), desk).read())


@pytest.mark.slow
def test_full_mode_survives_being_killed_with_whole_pages(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with figures("kill -9 while the full notebook is written") as told:
        assert killed(work, "full") > KILLS / 2
        told["how many"] = KILLS
    places = Places(work, "agent_001")
    desk_of(tmp_path).tidy(*places.folders())
    found = {path.relative_to(work).as_posix() for path in work.rglob("*") if path.is_file()}
    assert found >= KNOWN
    for name in found - KNOWN:
        assert name.startswith(".sessions/20250105_103000_task"), name
        session = read_session((work / name).read_text("utf-8"))
        assert is_whole(session.request)
        assert (session.response, session.agent) == ("done", "agent_001")
    assert is_whole(places.world_state.read_text("utf-8"))
    assert is_whole((places.notes / "agent_knowledge.md").read_text("utf-8"))
    log = (places.notes / "versions" / "agent_knowledge.jsonl").read_text("utf-8")
    assert all(is_whole(json.loads(line)["text"]) for line in log.splitlines())
    process = read_process(places.task_process.read_text("utf-8"))
    assert process.faults == ()
    assert len({todo.text for todo in process.todos}) == len(process.todos)


@pytest.mark.slow
def test_two_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from wangchuan.notebook.desk import Desk\n"
        "from wangchuan.notebook.task import Task\n"
        "folder, who = Path(sys.argv[1]), sys.argv[2]\n"
        "desk = Desk('a', folder / 'a.lock')\n"
        "for n in range(40):\n"
        "    Task(folder / 'work' / 'task_process.md', desk, time.time).add(f'{who} {n}')\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path), who]) for who in ("x", "y")
    ]
    assert [process.wait(PATIENCE) for process in running] == [0, 0]
    todos = read_process((tmp_path / "work" / "task_process.md").read_text("utf-8")).todos
    assert sorted(t.text for t in todos) == sorted(f"{who} {n}" for who in "xy" for n in range(40))
