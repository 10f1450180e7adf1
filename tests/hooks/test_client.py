"""The hook as a client runs it, and the resident process behind it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stage import PATIENCE, spent

from wangchuan import Memory
from wangchuan.hooks import client
from wangchuan.hooks.events import NAMES
from wangchuan.hooks.installing import command_of

HOOK = Path(client.__file__)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A place with a name short enough for a socket; its resident process ends with the test."""
    short = Path("/tmp") / f"wc-{os.getpid()}-{abs(hash(tmp_path)) % 10**8}"
    yield short
    pid = short / "pid"
    if pid.exists():
        os.kill(int(pid.read_text("ascii")), signal.SIGKILL)
    subprocess.run(["rm", "-rf", str(short)], check=True)


def run(place: Path, root: Path, name: str, **more: Any) -> bytes:
    event = {"hook_event_name": name, "session_id": "s1", "cwd": "/x", "prompt_id": "p", **more}
    call = command_of(place, root, "a")
    given = json.dumps(event, indent=1).encode()
    done = subprocess.run(call, shell=True, input=given, capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def test_the_first_prompt_is_captured_and_the_second_gets_the_block(
    place: Path, tmp_path: Path
) -> None:
    prompt = "My bicycle is red and stands in the cellar."
    assert run(place, tmp_path, "UserPromptSubmit", prompt=prompt) == b""  # nobody was there yet
    told, until = b"", time.monotonic() + PATIENCE
    while b"cellar" not in told and time.monotonic() < until:
        time.sleep(0.2)
        told = run(place, tmp_path, "UserPromptSubmit", prompt="Where is my bicycle?")
    assert "red" in json.loads(told)["hookSpecificOutput"]["additionalContext"]
    with Memory.open("a", root=tmp_path) as memory:
        assert [m.content for m in memory.look.messages()] == [prompt]  # one id, one message
    assert (place / "socket").stat().st_mode & 0o777 == 0o600


def test_a_resident_process_that_is_silent_is_not_waited_for(place: Path, tmp_path: Path) -> None:
    (place / "left").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place / "socket"))
        listening.listen()
        began = time.monotonic()
        assert run(place, tmp_path, "UserPromptSubmit", prompt="x") == b""
        assert time.monotonic() - began < PATIENCE / 2


def test_trouble_is_silent(place: Path, tmp_path: Path) -> None:
    place.write_text("a file where a folder should be")
    assert run(place, tmp_path, "UserPromptSubmit", prompt="x") == b""
    place.unlink()


def test_the_hook_waits_for_an_answer_to_all_events_that_have_one() -> None:
    answered = {name for name, deed in NAMES.items() if deed in ("prompted", "begun")}
    assert {name.decode().strip('"') for name in client.ASKING} == answered


def test_the_hook_uses_little_of_the_standard_library_and_nothing_else() -> None:
    loaded = "import sys; exec(open(sys.argv[1]).read(), {}); print(*sorted(sys.modules))"
    call = [sys.executable, "-I", "-S", "-c", loaded, str(HOOK)]
    modules = set(subprocess.run(call, capture_output=True, check=True, text=True).stdout.split())
    assert not modules & {"json", "socket", "subprocess", "wangchuan", "re", "enum", "typing"}


def test_a_hook_takes_at_most_eight_bare_interpreters(place: Path, tmp_path: Path) -> None:
    (place / "left").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place / "socket"))
        listening.listen()

        def answer() -> None:
            while True:
                try:
                    wire, _ = listening.accept()
                except OSError:
                    return
                with wire:
                    wire.recv(1 << 16)
                    wire.sendall(b"{}")

        threading.Thread(target=answer, daemon=True).start()
        call = [sys.executable, "-I", "-S", str(HOOK), str(place), str(tmp_path), "{}"]
        event = json.dumps({"hook_event_name": "UserPromptSubmit"}).encode()

        def hook() -> None:
            done = subprocess.run(call, input=event, capture_output=True, check=True)
            assert done.stdout in (b"{}", b"")

        def bare() -> None:
            subprocess.run([*call[:3], "-c", ""], check=True)

        ratios = []
        for _ in range(9):  # the best of some pairs
            ratios.append(spent(hook) / spent(bare))
            if min(ratios) <= 8:
                return
    pytest.fail(f"a hook took {min(ratios):.1f} times a bare interpreter")
