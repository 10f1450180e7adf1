"""Writing hooks into others' files, and taking them out again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wangchuan import InvalidInput
from wangchuan.cli.app import app
from wangchuan.hooks.installing import CLIENTS, COPY, MARK, Installation, added

FORMER = [
    None,
    b"{}",
    b'{"model": "x"}',
    b'{\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}\n',
    '{\r\n  "名": "值"\r\n}'.encode(),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "home"


def install(home: Path, name: str, agent: str | None = None) -> Installation:
    one = Installation(name, home, home / "root")
    change = one.install(agent)
    one.note(change)
    change.make()
    return one


def uninstall(one: Installation) -> None:
    one.uninstall().make()
    one.forget()


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("former", FORMER)
def test_taking_the_hooks_out_leaves_the_file_as_it_was(
    home: Path, name: str, former: bytes | None
) -> None:
    path = home / CLIENTS[name].file
    home.mkdir()
    if former is not None:
        path.parent.mkdir()
        path.write_bytes(former)
    one = install(home, name)
    assert MARK in path.read_text("utf-8")
    if former is not None:
        assert path.with_name(path.name + COPY).read_bytes() == former
    install(home, name, "ann")  # again, for another agent
    hooks = json.loads(path.read_bytes())["hooks"]
    assert set(hooks) >= set(CLIENTS[name].events)
    assert all(json.dumps(hooks[event]).count(MARK) == 1 for event in CLIENTS[name].events)
    uninstall(one)
    assert (path.read_bytes() if path.exists() else None) == former
    assert [p.name for p in home.rglob("*") if p.is_file()] == (
        [] if former is None else [path.name]
    )


def test_of_a_file_that_others_changed_since_only_our_hooks_go(home: Path) -> None:
    path = home / CLIENTS["claude-code"].file
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"model": "x", "hooks": {"Stop": [{"hooks": []}]}}')
    one = install(home, "claude-code")
    changed = json.loads(path.read_bytes())
    changed["model"] = "y"
    path.write_text(json.dumps(changed), "utf-8")
    uninstall(one)
    assert json.loads(path.read_bytes()) == {"model": "y", "hooks": {"Stop": [{"hooks": []}]}}


@pytest.mark.parametrize("former", [b"{", b"[]", b'{"hooks": []}', b'{"hooks": {"Stop": 1}}'])
def test_a_file_of_another_form_is_left_alone(former: bytes) -> None:
    with pytest.raises(InvalidInput, match="nothing was changed"):
        added("codex", "true", former)


def test_the_file_of_cursor_has_its_version_and_plain_commands_that_claude_code_has_too(
    home: Path,
) -> None:
    install(home, "cursor")
    install(home, "claude-code")
    document = json.loads((home / ".cursor/hooks.json").read_bytes())
    assert (set(document), document["version"]) == ({"version", "hooks"}, 1)
    events = {"sessionStart", "beforeSubmitPrompt", "afterAgentResponse", "preCompact"}
    assert set(document["hooks"]) == events
    commands = {json.dumps(entries) for entries in document["hooks"].values()}
    assert len(commands) == 1
    ((entry,),) = (json.loads(one) for one in commands)
    assert set(entry) == {"command"}  # it refuses fields it does not know
    # Cursor reads Claude Code's file, too, and runs what is the same but once.
    other = json.loads((home / ".claude/settings.json").read_bytes())["hooks"]
    assert other["UserPromptSubmit"][0]["hooks"][0]["command"] == entry["command"]


def test_the_change_is_shown_line_by_line(home: Path) -> None:
    one = Installation("qwen-code", home, home / "root")
    shown = one.install(None).diff()
    assert all(line[0] in "+-@ " for line in shown.splitlines())
    assert '"timeout": 5000' in shown
    assert not home.exists()


def test_what_nobody_has_seen_a_client_do_is_said(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    told = {
        name: CliRunner().invoke(app, ["install", name, "--dry-run"]).output for name in CLIENTS
    }
    assert [name for name, text in told.items() if "was not run" in text] == ["cursor"]
