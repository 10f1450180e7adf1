"""Help, exit codes, the demo and the doctor, through the real command."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest
from acceptance.command import Demo, Run, document, together, wangchuan
from acceptance.kept import tamper
from stage import PATIENCE

from wangchuan import Memory

COMMANDS = (
    "demo", "remember", "recall", "show", "focus", "links", "fading", "forgotten", "forget",
    "restore", "erase", "history", "explain", "tick", "merge", "stats", "agents", "doctor",
    "settings", "export", "import", "backup",
)  # fmt: skip


def test_every_command_has_help_and_the_shared_options(run: Run) -> None:
    helps = together(run, [(name, "--help") for name in COMMANDS])
    for name, told in zip(COMMANDS, helps, strict=True):
        assert told.returncode == 0, name
        assert told.stdout.startswith(f"Usage: wangchuan {name}"), name
        for option in ("--root", "--json"):
            assert option in told.stdout, (name, option)
        assert ("--agent" in told.stdout) == (name not in ("agents", "settings")), name


def test_help_lists_the_commands_and_loads_nothing_to_draw_with(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['wangchuan', '--help']\n"
        "from wangchuan.cli.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, cwd=tmp_path, check=True
    )
    told, loaded = done.stdout.decode(), set(done.stderr.decode().split())
    assert all(f"\n  {name} " in told for name in COMMANDS)
    heavy = {"rich.table", "rich.console", "wangchuan.cli.picture", "wangchuan.cli.stories"}
    assert not heavy & loaded


def test_the_version_is_told(run: Run) -> None:
    from wangchuan import __version__

    assert run("--version").stdout == f"wangchuan {__version__}\n"


def test_usage_errors_leave_with_two_and_known_errors_with_one(run: Run) -> None:
    misused = [("no-such-command",), ("recall", "x", "--depth", "-1"), ("links",)]
    assert [done.returncode for done in together(run, misused)] == [2, 2, 2]
    bad = run("stats", "--agent", "../elsewhere")
    assert bad.returncode == 1
    assert bad.stderr.startswith("error: agent id '../elsewhere'")
    run("remember", "Something to begin with.")
    calls = [("show", "99"), ("links", "abc"), ("explain", "99"), ("history", "99")]
    for refused in together(run, calls):
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith("error: ")
        assert "Traceback" not in refused.stderr


def test_a_reader_that_leaves_early_is_no_error_to_tell(demo: Demo) -> None:
    command = [sys.executable, "-m", "wangchuan.cli", "show", "-a", "rivera", "--json"]
    with subprocess.Popen(
        [*command, "--root", str(demo.root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        complaint = process.stderr.read()
    assert complaint == b""


# the demo


def test_the_demo_is_quick_and_tells_of_forgetting_and_restoring(demo: Demo) -> None:
    done = demo.done
    assert demo.seconds < 20
    assert done.returncode == 0, done.stderr
    assert "它有个上文，但我想不起来了" in done.stdout
    assert "I can no longer recall" in done.stdout
    assert "— forgotten —" in done.stdout
    assert "\x1b" not in done.stdout


def test_the_demo_recalls_what_it_restored(tmp_path: Path) -> None:
    outcomes = document(wangchuan(tmp_path, "demo", "--json", env={"LC_ALL": "zh_CN.UTF-8"}))
    assert [outcome["agent"] for outcome in outcomes] == ["小川", "rivera"]
    for outcome in outcomes:
        assert outcome["forgotten"] > 0
        assert outcome["restored"] in outcome["recalled_again"]
        assert outcome["restored"] not in outcome["recalled"]
        living = wangchuan(
            tmp_path,
            "show",
            "-a",
            outcome["agent"],
            "--root",
            "wangchuan-demo",
            "-n",
            "999",
            "--json",
        )
        assert outcome["restored"] in [memory["content"] for memory in document(living)]


def test_whoever_opens_what_the_demo_left_finds_nothing_going_on(
    demo: Demo, tmp_path: Path
) -> None:
    shutil.copytree(demo.root / "rivera", tmp_path / "rivera")
    left = _newest_entry(tmp_path / "rivera" / "memory.db")
    with Memory.open("rivera", root=tmp_path) as memory:
        memory.flush(PATIENCE)
        assert memory.history.entries(limit=1)[0].seq == left
        told = [memory.explain(node.id) for node in memory.nodes() if node.kind == "segment"]
        cold = [one.cold_since for one in told if one.cold_since]
        assert cold
        assert max(cold) < max(one.node.created_at for one in told) - 86_400  # in its month


def _newest_entry(file: Path) -> int:
    with contextlib.closing(apsw.Connection(str(file))) as db:
        return int(db.execute("SELECT max(seq) FROM journal").get)


def test_the_commands_the_demo_suggests_work_when_pasted(demo: Demo) -> None:
    suggested = _suggested(demo.done.stdout)
    assert len(suggested) >= 4
    with ThreadPoolExecutor(4) as pool:
        for done in pool.map(lambda line: _pasted(line, demo.folder), suggested):
            assert done.returncode == 0, (done.args, done.stderr)


def _suggested(told: str) -> list[str]:
    return told.partition("Look around:")[2].strip().splitlines()


def _pasted(line: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Let a shell run a line as it was printed."""
    return subprocess.run(line, shell=True, cwd=folder, capture_output=True, check=False)


def test_the_demo_suggests_the_command_on_the_path_and_quotes_its_folder(tmp_path: Path) -> None:
    command = tmp_path / "bin" / "wangchuan"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m wangchuan.cli "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    done = wangchuan(tmp_path, "demo", "-a", "rivera", "--root", "a b", env={"PATH": path})
    lines = _suggested(done.stdout)
    assert all(re.fullmatch(r" *wangchuan .* --root 'a b'", line) for line in lines), lines


def test_what_the_demo_lists_is_what_it_says_it_lists(demo: Demo) -> None:
    told = re.search(
        r"(\d+) memories were forgotten\. The last words left of (.+):\n((?:  mem_.*\n)+)",
        demo.done.stdout,
    )
    assert told
    listed = len(told[3].splitlines())
    assert told[2] == ("what went" if listed == int(told[1]) else f"the {listed} that went last")


def test_the_demo_begins_with_the_language_of_the_locale(demo: Demo) -> None:
    assert demo.done.stdout.index("rivera (English)") < demo.done.stdout.index("小川 (Chinese)")


def test_the_demo_replaces_only_what_a_demo_made(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    refused = run("demo", "--root", "mine", "--agent", "rivera")
    assert refused.returncode == 1
    assert "not from an earlier demo" in refused.stderr
    assert [entry.name for entry in (tmp_path / "mine").iterdir()] == ["diary.txt"]
    for _ in range(2):
        assert run("demo", "--root", "ours", "--agent", "rivera").returncode == 0
    assert document(run("stats", "--root", "ours", "-a", "rivera", "--json"))["passes"] == 67


# the doctor


def test_a_sound_memory_is_ok(demo: Demo) -> None:
    told = demo.run("doctor", "--all")
    assert told.returncode == 0
    assert "rivera: ok" in told.stdout
    assert "小川: ok" in told.stdout
    report = document(demo.run("doctor", "--all", "--json"))
    assert report["sqlite"]
    assert [one["problems"] for one in report["agents"]] == [[], []]


def test_a_focus_on_nothing_is_found_and_leaves_with_three(run: Run, kept_at: Path | str) -> None:
    run("remember", "Something to begin with.")
    tamper(kept_at, "INSERT INTO focus (place, node) VALUES (4, 4711)")
    told = run("doctor")
    assert told.returncode == 3
    assert "mem_4711" in told.stdout


@pytest.mark.in_a_folder("it damages a file")
def test_a_damaged_database_is_a_finding_and_not_a_crash(run: Run, tmp_path: Path) -> None:
    run("remember", "Something to begin with.")
    (tmp_path / "memory_data" / "default" / "memory.db").write_bytes(b"not a database" * 999)
    told = run("doctor")
    assert told.returncode == 3
    assert "Traceback" not in told.stderr
    assert "memory.db" in told.stdout


@pytest.mark.in_both
def test_failed_jobs_are_told_and_can_be_taken_up_again(run: Run, kept_at: Path | str) -> None:
    run("remember", "Something to begin with.")
    tamper(
        kept_at,
        "INSERT INTO messages (role, content) VALUES ('user', 'The boiler was mended.');"
        "INSERT INTO jobs (kind, state, place, reason, first_message, last_message, accepted_at)"
        " VALUES ('remember', 'failed', 9, 'the disk was full', 2, 2, 0)",
    )
    told = run("doctor")
    assert told.returncode == 3
    assert "the disk was full" in told.stdout
    assert "--retry" in told.stderr
    assert run("doctor", "--retry").returncode == 0
    assert "boiler" in run("recall", "boiler").stdout
