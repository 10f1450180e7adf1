"""The command with everything loaded: `python -m acceptance.warm FD` (with the tests on the path).

Most of what a command costs is loading the library. Here it is loaded once; every request that
comes through the socket is run by a fork, which is a process like any other: with arguments, an
environment, a folder, files for what it reads and writes, and an exit code of its own. Its code and
the seed of its hashes are not its own, so what depends on those needs a command that starts cold.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
import threading
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import wangchuan
from wangchuan import Memory
from wangchuan.cli.__main__ import main

ROOM = 100_000  # bytes of a request; a longer one starts cold
FILES = 4  # that come with it: what is read, what is said, what is complained of, the exit code


def warm_up() -> None:
    """Load what is loaded at first use, so that no command need."""
    for found in pkgutil.walk_packages(wangchuan.__path__, "wangchuan."):
        if not found.name.endswith("__main__") and ".integrations." not in found.name:
            importlib.import_module(found.name)
    text = "I live in Oslo. Anna plays the cello. We heard her.\n我们决定登录模块用 JWT。"
    with TemporaryDirectory() as folder, Memory.open("a", root=folder) as memory:
        memory.remember(text)
        memory.flush()
        memory.recall(["cello"]).result()
        memory.context(text).result()
        memory.search(text).result()
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()  # a fork that looked at all this for garbage would have to copy it


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
        with suppress(ChildProcessError):  # nobody is left when all of them have told
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass  # one that waited for the end of a command has told it


def program() -> None:
    """Be what is asked for: `-c` and its code as Python would run it, or the command."""
    if sys.argv[1:2] == ["-c"]:
        exec(compile(sys.argv[2], "<string>", "exec"), {"__name__": "__main__"})
    else:
        main()


def leave() -> NoReturn:
    """Run the program and end as any process does, but do not take the library down piece by piece.

    Taking it down would copy what the fork shares with the process that loaded it.
    """
    code: object = 0
    try:
        program()
    except SystemExit as end:
        code = end.code
    except BaseException:
        code = 1
        sys.excepthook(*sys.exc_info())
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if isinstance(code, str):
        print(code, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    warm_up()
    if serve(socket.socket(fileno=int(sys.argv[1]))):
        leave()
