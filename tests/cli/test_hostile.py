"""No argument, however hostile, makes the command end in a traceback."""

from __future__ import annotations

import io
import logging
import os
import random
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import uvicorn
from acceptance.command import wangchuan
from soak.figures import figures

from wangchuan.cli.__main__ import main
from wangchuan.cli.app import app

CALLS = 100_000 if os.environ.get("SOAK_HOSTILE") else 30  # `./run soak` makes all of them
LONG = ("demo", "chat")  # they tell a story, or talk
VALUES = (
    *("", " ", "-", "--", "-1", "0", "nan", "inf", "1e400", "9" * 5000, "../../x", "..", "/"),
    *("x" * 300, "长" * 300, "a\nb", "a\r\n## b", "\u202ex", "a\u2028b\x85c", "x\udcff", "\ud800"),
    *("[" * 10_000, '{"a":', "null", "CON", "~", "$HOME", "%s%n", ".", "no/such/folder/x", "mem_"),
)
FOUND = (  # each of these once ended in a stranger's error
    ["history", "--", "9" * 5000],
    ["knowledge", "pack", "--version=\ud800", "--", "1"],
    ["replay", "--svg=/", "--"],
    ["token", "add", "--agent=why", "--name=\ud800", "--"],
    ["serve", f"--host={'长' * 300}", "--"],
)


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    below = getattr(command, "commands", None)
    if below is None:
        yield path
    for name, one in (below or {}).items():
        yield from leaves(one, (*path, name))


def found(path: tuple[str, ...]) -> Any:
    command = typer.main.get_command(app)
    for name in path:
        command = command.commands[name]
    return command


def lines() -> list[list[str]]:
    """Every command with each of its parameters given each hostile value, the others sound."""
    made = []
    for path in leaves(typer.main.get_command(app)):
        if path[0] in LONG:
            continue
        given = found(path).params
        for hostile in given:
            if getattr(hostile, "is_flag", False):
                continue
            for value in VALUES:
                made.append([*path, *written(given, hostile, value)])
    random.Random(14).shuffle(made)
    return made


def written(given: list[Any], hostile: Any, value: str) -> Iterator[str]:
    for one in given:
        if one is hostile and one.param_type_name == "option":
            yield f"{one.opts[0]}={value}"
        elif one.param_type_name == "option" and one.required:
            yield f"{one.opts[0]}=why"
    yield "--"
    for one in given:
        if one.param_type_name == "argument" and (one is hostile or one.required):
            yield value if one is hostile else "1"


def run(args: list[str], monkeypatch: pytest.MonkeyPatch) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["wangchuan", *args])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    try:
        main()
    except SystemExit as end:
        return end.code
    return 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_hostile_arguments_end_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    below = tmp_path / "a" / "b" / "c"
    below.mkdir(parents=True)
    monkeypatch.setenv("WANGCHUAN_DURABILITY", "normal")
    monkeypatch.setenv("WANGCHUAN_RECALL_PATIENCE", "0.2")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)  # else it serves for ever
    monkeypatch.setattr(webbrowser, "open", lambda *_: True)
    monkeypatch.chdir(below)
    monkeypatch.setattr(logging.getLogger("wangchuan"), "handlers", [])  # each run adds one
    run(["remember", "My dog is called Rex."], monkeypatch)
    run(["task", "begin", "goal", "--todo", "one"], monkeypatch)
    faults = []
    with figures("hostile arguments of every command") as told:
        for args in [*FOUND, *lines()[:CALLS]]:
            told["how many"] += 1
            capsys.readouterr()
            try:
                code = run(args, monkeypatch)
            except BaseException as error:  # a stranger's error is what this looks for
                faults.append(f"{[a[:40] for a in args]}: {type(error).__name__}: {error!s:.80}")
                continue
            said = capsys.readouterr().err
            if "Traceback" in said or (code not in (0, 3) and not said.strip()):
                faults.append(f"{[a[:40] for a in args]}: {code} {said[-200:]}")
            if code == 1 and len(said.strip().split("\n")) > 1:
                faults.append(f"{[a[:40] for a in args]}: many lines: {said[:200]}")
        told["corrupt"] = len(faults)
        assert "\n".join(faults) == ""


def test_hostile_arguments_end_in_words_in_a_process_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for args in (
        ("task", "begin", "a\nb", "--todo", "x\udcff", "--work-dir", "no/such"),
        ("remember", "x", "--agent", "../../x"),
        ("export", "folder"),
        ("knowledge", "show", "../../etc/passwd"),
    ):
        done = wangchuan(tmp_path, *args)
        assert "Traceback" not in done.stderr
        assert done.returncode == 0 or done.stderr.strip()
