"""What the demo makes of the place it is told in: the locale, the PATH, the current folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wangchuan.cli import demo
from wangchuan.cli.stories import told_in


@pytest.mark.parametrize(
    ("variables", "first"),
    [
        ({"LANG": "zh_TW.UTF-8"}, "小川"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "rivera"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": ""}, "rivera"),
        ({}, "rivera"),
    ],
)
def test_the_locale_is_read_as_the_system_reads_it(
    variables: dict[str, str], first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert told_in(demo._language())[0].agent == first


@pytest.mark.parametrize(
    ("here", "command"),
    [
        ("clone", ".venv/bin/wangchuan"),
        ("clone/.venv/bin", "./wangchuan"),
        ("my home", "../clone/.venv/bin/wangchuan"),
    ],
)
def test_a_command_beside_python_is_told_from_where_the_user_stands(
    here: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = tmp_path / "clone" / ".venv" / "bin" / "wangchuan"
    beside.parent.mkdir(parents=True)
    beside.touch(0o755)
    (tmp_path / "my home").mkdir()
    monkeypatch.setattr(sys, "executable", str(beside.with_name("python")))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path / here)
    assert demo._command() == command
