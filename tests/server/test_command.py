"""`wangchuan serve` as people run it: started, asked, killed, stopped; and `--server`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from stage import PATIENCE

from wangchuan import Memory
from wangchuan.errors import WangchuanError
from wangchuan.server.tokens import Tokens

KILLS = int(os.environ.get("SOAK_SERVER_KILLS", 3))


class Process:
    """A server in a process of its own."""

    def __init__(self, root: Path, port: int = 0) -> None:
        command = [sys.executable, "-m", "wangchuan.cli", "serve", "--root", str(root)]
        self.process = subprocess.Popen(
            [*command, "--port", str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().removeprefix("listening at ").strip()
        assert self.url, self.process.communicate()

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        self.process.send_signal(how)
        _, told = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, told


def test_the_first_start_tells_a_token_once_and_it_stops_when_told(tmp_path: Path) -> None:
    server = Process(tmp_path)
    code, told = server.end()
    (token,) = re.findall(r"wc_\w{12}_[\w-]{43}", told)
    assert code in (0, -signal.SIGTERM)
    server = Process(tmp_path)
    with Memory.connect(server.url, "a", token=token) as memory:
        made = memory.remember("green tea").result(PATIENCE)
        assert made == ("mem_1",)
    code, told = server.end()
    assert "wc_" not in told


def test_the_page_is_opened_by_a_link_that_is_good_once_and_a_server_that_runs_is_found(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "wangchuan.cli", "ui", "--no-browser", "--root", str(tmp_path)]
    with subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        told = first.stdout.readline()
        again = [*command, "--agent", "小川"]
        found = subprocess.run(again, capture_output=True, text=True, timeout=PATIENCE, check=True)
        first.terminate()
        assert first.wait(PATIENCE) in (0, -signal.SIGTERM)
    (url, token), (same, other) = (
        re.findall(r"(http://127\.0\.0\.1:\d+)/#token=(wc_\w{12}_[\w-]{43})", one)[0]
        for one in (told, found.stdout)
    )
    assert (url, found.stdout.strip()[-22:]) == (same, "&to=%E5%B0%8F%E5%B7%9D")
    tokens = Tokens(tmp_path, time.time)
    for one in (token, other):
        assert tokens.principal(one) is None
        assert tokens.signed_in(one) is not None
        assert tokens.signed_in(one) is None


@pytest.mark.slow
def test_what_was_accepted_is_there_once_however_often_the_server_is_killed(
    tmp_path: Path,
) -> None:
    server = Process(tmp_path)
    first = server
    tokens = json.loads((tmp_path / "tokens.json").read_text("utf-8"))
    assert len(tokens) == 1
    accepted: list[str] = []
    ended = threading.Event()
    place: dict[str, Any] = {"url": server.url, "token": ""}

    def work(lane: int) -> None:
        n = 0
        while not ended.is_set():
            said = f"lane {lane} thing {n}"
            message = {"role": "user", "content": said, "id": said}
            try:
                with Memory.connect(place["url"], "a", token=place["token"]) as memory:
                    memory.remember(message)
                accepted.append(said)
                n += 1
            except WangchuanError:
                time.sleep(0.01)  # sent again with the same id

    from wangchuan.server.tokens import Tokens

    place["token"] = Tokens(tmp_path, time.time).add(["a"], ["read", "write"])
    workers = [threading.Thread(target=work, args=(lane,)) for lane in range(2)]
    for worker in workers:
        worker.start()
    for kill in range(1, KILLS + 1):
        until = time.monotonic() + PATIENCE
        while len(accepted) < kill * 5 and time.monotonic() < until:
            time.sleep(0.005)
        server.end(signal.SIGKILL)
        server = Process(tmp_path)
        place["url"] = server.url
    ended.set()
    for worker in workers:
        worker.join(PATIENCE)
    server.end()
    assert first is not server
    with Memory.open("a", root=tmp_path) as memory:
        assert memory.flush(PATIENCE)
        said = [one.id for one in memory.look.messages(limit=100_000)]
    assert len(said) == len(set(said))
    assert set(accepted) <= set(said)
    assert len(accepted) >= KILLS * 5


def test_commands_ask_a_server_instead(tmp_path: Path) -> None:
    server = Process(tmp_path / "kept")
    from wangchuan.server.tokens import Tokens

    token = Tokens(tmp_path / "kept", time.time).add(["ann"], ["read", "write"])
    env = {**os.environ, "WANGCHUAN_SERVER": server.url, "WANGCHUAN_TOKEN": token}

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "wangchuan.cli", *words, "--agent", "ann"],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    assert command("remember", "Ann drinks green tea").returncode == 0
    assert "Ann drinks green tea" in command("search", "tea").stdout
    assert server.url in command("stats").stdout
    refused = command("backup", "copy")
    assert (refused.returncode, "where the memory is kept" in refused.stderr) == (1, True)
    assert not (tmp_path / "memory_data").exists()
    server.end()


@pytest.mark.parametrize("words", [("--host", "0.0.0.0"), ("--host", "203.0.113.7")])
def test_another_address_without_tokens_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "wangchuan.cli", "serve", "--root", str(tmp_path), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, "no token yet" in done.stderr) == (1, True)
