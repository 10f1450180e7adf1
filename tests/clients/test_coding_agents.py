"""The real Claude Code, Codex and Qwen Code, offline, with our hooks: `./run test-clients`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from clients.fake_model import SAID, FakeModel

from wangchuan import Memory
from wangchuan.hooks.installing import CLIENTS, place_of

BIN = Path(os.environ.get("TEST_CLIENTS", "nowhere")) / "node_modules" / ".bin"
SECONDS = 240.0
FIRST, SECOND = "My bicycle is red and stands in the cellar.", "Where is my bicycle?"


def claude(model: FakeModel, home: Path, prompt: str) -> list[str]:
    return ["claude", "-p", prompt, "--output-format", "json"]


def codex(model: FakeModel, home: Path, prompt: str) -> list[str]:
    provider = 'model = "fake"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\n'
    provider += f'base_url = "{model.url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n'
    (home / ".codex").mkdir(exist_ok=True)
    (home / ".codex" / "config.toml").write_text(provider, "utf-8")
    free = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    return ["codex", "exec", "--skip-git-repo-check", *free, prompt]


def qwen(model: FakeModel, home: Path, prompt: str) -> list[str]:
    return ["qwen", "-p", prompt, "--auth-type", "openai"]


# Qwen Code notes the version of its settings in the file, unless it is there.
FORMER = {"qwen-code": '{\n "$version": 4,\n "hooks": {}\n}'}
RUN: dict[str, Callable[[FakeModel, Path, str], list[str]]] = {
    "claude-code": claude,
    "codex": codex,
    "qwen-code": qwen,
}


@pytest.fixture
def model() -> Iterator[FakeModel]:
    model = FakeModel()
    yield model
    model.close()


def environment(model: FakeModel, home: Path) -> dict[str, str]:
    own = {
        "HOME": str(home),
        "PATH": f"{os.environ['PATH']}:{BIN}",  # the machine's own Node first
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "none",
        "OPENAI_BASE_URL": f"{model.url}/v1",
        "OPENAI_API_KEY": "none",
        "OPENAI_MODEL": "fake",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "NO_PROXY": "127.0.0.1,localhost",
    }
    keep = {k: v for k, v in os.environ.items() if k in ("LANG", "TMPDIR", "USER", "TERM")}
    return keep | own


def wait_for(memory: Memory, count: int) -> None:
    until = time.monotonic() + SECONDS / 4
    while len(memory.look.messages()) < count and time.monotonic() < until:
        time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_a_coding_agent_remembers_and_is_reminded(
    name: str, model: FakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (BIN / name.removesuffix("-code")).exists():
        pytest.skip(f"NOT RUN: {name} is not here; ./run test-clients brings it")
    home, project, root = tmp_path / "h", tmp_path / "project", tmp_path / "memories"
    for folder in (home, project):
        folder.mkdir()
    env = environment(model, home)

    def run(call: list[str]) -> str:
        done = subprocess.run(
            call, cwd=project, env=env, capture_output=True, text=True, timeout=SECONDS,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    install = [sys.executable, "-m", "wangchuan.cli", "install", name, "--root", str(root)]
    file = home / CLIENTS[name].file
    file.parent.mkdir(parents=True, exist_ok=True)
    former = FORMER.get(name, '{\n "hooks": {}\n}')
    file.write_text(former, "utf-8")
    run([*install, "--agent", "a"])
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    place = place_of(root)
    try:
        assert SAID in run(RUN[name](model, home, FIRST))
        with Memory.open("a", root=root) as memory:
            wait_for(memory, 2)
            assert [m.content for m in memory.look.messages()] == [FIRST, SAID]
            model.heard.clear()
            run(RUN[name](model, home, SECOND))
            sent = b"".join(model.heard)
            assert b"wangchuan-memory" in sent
            assert b"stands in the cellar" in sent
            wait_for(memory, 4)
            said = [m.content for m in memory.look.messages()]
            assert said == [FIRST, SAID, SECOND, SAID]
            memory.flush(SECONDS / 4)
            assert memory.stats().nodes <= 4
    finally:
        if (place / "pid").exists():
            with suppress(ProcessLookupError):
                os.kill(int((place / "pid").read_text("ascii")), signal.SIGKILL)
        shutil.rmtree(place, ignore_errors=True)
    run([*install, "--uninstall"])
    assert file.read_text("utf-8") == former
