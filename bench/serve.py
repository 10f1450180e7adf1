"""What serving costs: searches over REST beside a bare Starlette echo, remembers beside the
library's own, and searches while a slow model holds up what others remember.

Servers run in processes of their own; the same threads of this one ask them, so that each figure
holds the cost of the client, too. `BENCH_MEMORIES` sets the size (10,000).
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.core import sentence, table
from wangchuan import Memory
from wangchuan.server.tokens import Tokens

MEMORIES = int(os.environ.get("BENCH_MEMORIES", "10000"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "5"))
THREADS, CROWD, SLOW_SECONDS = 4, 50, 5.0
ECHO = """
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
async def echo(request):
    return Response(await request.body(), media_type="application/json")
config = uvicorn.Config(Starlette(routes=[Route("/", echo, methods=["POST"])]), port=0,
                        log_config=None, access_log=False)
import socket
place = socket.create_server(("127.0.0.1", 0))
print("listening at http://127.0.0.1:%d" % place.getsockname()[1], flush=True)
uvicorn.Server(config).run(sockets=[place])
"""


@contextmanager
def process(*command: str, **settings: str) -> Iterator[str]:
    env = {**os.environ, **{f"WANGCHUAN_{k.upper()}": v for k, v in settings.items()}}
    started = subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
    )
    assert started.stdout is not None
    try:
        yield started.stdout.readline().decode().removeprefix("listening at ").strip()
    finally:
        started.terminate()
        started.wait(60)


class Slow(BaseHTTPRequestHandler):
    """A model that takes its time and answers nothing of use."""

    def do_POST(self) -> None:
        time.sleep(SLOW_SECONDS)
        self.send_response(500)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def asked(url: str, path: str, token: str, bodies: Callable[[int], bytes]) -> list[float]:
    """Return the seconds that requests took, of several threads for a while."""
    ended, taken = time.perf_counter() + SECONDS, list[float]()

    def ask(seed: int) -> None:
        line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
        head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        n = seed
        while (begun := time.perf_counter()) < ended:
            line.request("POST", path, bodies(n), head)
            answer = line.getresponse()
            answer.read()
            if answer.status >= 400:
                raise SystemExit(f"{path} answered {answer.status}")
            taken.append(time.perf_counter() - begun)
            n += THREADS
        line.close()

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken


def query(n: int) -> bytes:
    words = " ".join(sentence(n * 7 % MEMORIES).split()[:3])
    return json.dumps({"query": words, "limit": 10}).encode()


def said(n: int) -> bytes:
    return json.dumps({"messages": sentence(10_000_000 + n)}).encode()


def own_rate(root: Path) -> float:
    """Return the remembers a second of the library itself, in as many threads."""
    ended, count = time.perf_counter() + SECONDS, [0] * THREADS
    with Memory.open("library", root=root, settings={"max_queue_size": 10**6}) as memory:

        def tell(seed: int) -> None:
            while time.perf_counter() < ended:
                memory.remember(sentence(20_000_000 + seed + THREADS * count[seed]))
                count[seed] += 1

        threads = [threading.Thread(target=tell, args=(n,)) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return sum(count) / SECONDS


def p99(taken: list[float]) -> float:
    return statistics.quantiles(taken, n=100)[98] * 1000


def run() -> tuple[str, bool]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        token = Tokens(root, time.time).add(["*"], ["read", "write"])
        with Memory.open("a", root=root, settings={"learn": False}) as memory:
            for first in range(0, MEMORIES, 200):
                memory.remember(
                    [
                        {"role": "user", "content": sentence(n)}
                        for n in range(first, min(MEMORIES, first + 200))
                    ]
                )
            memory.flush()
        with process("-c", ECHO) as url:
            echo = asked(url, "/", token, query)
        common = {"server_rate": "1000000", "max_queue_size": "1000000"}
        serve = ("-m", "wangchuan.cli", "serve", "--root", folder, "--port", "0")
        with process(*serve, **common) as url:
            found = asked(url, "/v1/agents/a/search", token, query)
            told = asked(url, "/v1/agents/b/remember", token, said)
        library = own_rate(root)
        model = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        threading.Thread(target=model.serve_forever, daemon=True).start()
        slow = {"model_url": f"http://127.0.0.1:{model.server_address[1]}/v1", "model_name": "m"}
        with process(*serve, **common, **slow) as url:
            quiet = asked(url, "/v1/agents/a/search", token, query)
            for n in range(CROWD):
                asked_once(url, f"/v1/agents/crowd{n}/remember", token, said(n))
            busy = asked(url, "/v1/agents/a/search", token, query)
        model.shutdown()
    rows: list[tuple[object, ...]] = [
        ("bare Starlette echo, requests/s", f"{len(echo) / SECONDS:.0f}", "1.00", ""),
        (
            "search over REST, requests/s",
            f"{len(found) / SECONDS:.0f}",
            f"{len(found) / len(echo):.2f} of the echo",
            "≥ 0.40",
        ),
        ("the library's remembers/s", f"{library:.0f}", "1.00", ""),
        (
            "remembers over REST/s",
            f"{len(told) / SECONDS:.0f}",
            f"{len(told) / SECONDS / library:.2f} of the library",
            "≥ 0.80",
        ),
        ("p99 of search, a slow model at rest, ms", f"{p99(quiet):.0f}", "1.00", ""),
        (
            f"p99 of search while {CROWD} agents remember, ms",
            f"{p99(busy):.0f}",
            f"{p99(busy) / p99(quiet):.2f} of that",
            "≤ 3",
        ),
    ]
    told_of = f"{MEMORIES:,} memories, {THREADS} clients, {SECONDS:g} s each.\n\n"
    searches, remembers = len(found) / len(echo), len(told) / SECONDS / library
    good = searches >= 0.4 and remembers >= 0.8 and p99(busy) <= 3 * p99(quiet)
    return told_of + table(("what", "measured", "ratio", "wanted"), rows), good


def asked_once(url: str, path: str, token: str, body: bytes) -> None:
    line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
    head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    line.request("POST", path, body, head)
    line.getresponse().read()
    line.close()
