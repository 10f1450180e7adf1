"""What docs/notebook.md says is so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from notebook.papers import golden
from stage import PATIENCE

from wangchuan.notebook.interpreter import understood
from wangchuan.notebook.places import MAP

PAGE = (Path(__file__).parents[2] / "docs" / "notebook.md").read_text("utf-8")


def test_the_map_is_the_codes() -> None:
    rows = [
        f"| {a.name}{'' if a.explicit else ' (implicit)'} | `{a.where}` | {a.side}"
        f" | {', '.join(a.times)} | {a.layer} | {', '.join(a.modes)} |"
        for a in MAP
    ]
    section = PAGE.partition("## The map")[2].partition("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("| ")]
    assert table[0] == "| artefact | where | side | time | layer | modes |"
    assert table[1:] == rows


def test_the_formats_are_the_golden_ones() -> None:
    shown = re.findall(r"```markdown\n(.*?)```", PAGE, flags=re.S)
    assert shown == [golden("task_process"), golden("session")]


def test_the_example_runs(tmp_path: Path) -> None:
    code, loose = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)
    subprocess.run([sys.executable, "-c", loose], cwd=tmp_path, timeout=PATIENCE, check=True)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().startswith(
        "You are a writer.\nRead before you write.\n## 任务状态\n"
    )
    assert len(list((tmp_path / ".sessions").iterdir())) == 1


def test_every_instruction_of_the_table_is_one() -> None:
    section = PAGE.partition("| instruction | |")[2].partition("\n\n")[0]
    named = re.findall(
        r"`([^`]+)`", "\n".join(line.split("|")[1] for line in section.splitlines()[2:])
    )
    assert len(named) >= 10
    for words in named:
        assert understood(words.replace(" i", " continue")) is not None, words


def test_the_tree_names_every_artefact() -> None:
    tree = PAGE.partition("work_dir/\n")[2].partition("```")[0]
    for artefact in MAP:
        if artefact.where.startswith("."):
            last = artefact.where.rstrip("*").removesuffix("**.md").rstrip("/").split("/")
            name = next(part for part in reversed(last) if "*" not in part)
            assert name in tree, artefact.name
