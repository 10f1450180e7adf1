"""The command with everything loaded: `python -m acceptance.warm FD` (with the tests on the path).

Most of what a command costs is loading the library. Here it is loaded once; every request that
comes through the socket is run by a fork, which is a process like any other: with arguments, an
environment, a folder, files for what it reads and writes, and an exit code of its own. Its code and
the seed of its hashes are not its own, so what depends on those needs a command that starts cold.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import socket
import sys
from typing import Any

import wangchuan
from wangchuan.cli.__main__ import main
from wangchuan.language.text import segments, words

ROOM = 100_000  # bytes of a request; a longer one starts cold
FILES = 4  # that come with it: what is read, what is said, what is complained of, the exit code


def warm_up() -> None:
    """Load what is loaded at first use, so that no command need."""
    for found in pkgutil.walk_packages(wangchuan.__path__, "wangchuan."):
        if not found.name.endswith("__main__") and ".integrations." not in found.name:
            importlib.import_module(found.name)
    text = "Anna plays the cello. We heard her.\n我们决定登录模块用 JWT。"
    segments(text)
    words(text)


def become(request: dict[str, Any], files: list[int]) -> None:
    """Be the command that is asked for."""
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = ["wangchuan", *request["args"]]


def fork_one(request: dict[str, Any], files: list[int], reply: int) -> bool:
    """Fork a command and somebody who waits for its end; return whether we are the command."""
    if os.fork():
        return False
    command = os.fork()
    if command == 0:
        os.close(reply)
        become(request, files)
        return True
    _, status = os.waitpid(command, 0)
    os.write(reply, f"{os.waitstatus_to_exitcode(status)}".encode())
    os._exit(0)


def serve(requests: socket.socket) -> bool:
    """Run what is asked for until nobody asks any more; return whether we are a command."""
    while True:
        text, files, _, _ = socket.recv_fds(requests, ROOM, FILES)
        if not text:
            return False
        if fork_one(json.loads(text), files[:-1], files[-1]):
            requests.close()
            return True
        for file in files:
            os.close(file)
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass  # one that waited for the end of a command has told it


if __name__ == "__main__":
    warm_up()
    if serve(socket.socket(fileno=int(sys.argv[1]))):
        main()
