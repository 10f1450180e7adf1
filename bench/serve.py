"""What serving costs: searches over REST beside a bare Starlette echo, remembers beside the
library's own, searches while a slow model holds up what others remember, and how soon a client of
MCP and a hook have their answer, beside a bare interpreter.

Servers run in processes of their own; the same threads of this one ask them, so that each figure
holds the cost of the client, too. What is compared is measured by turns, in slices of a second, so
that a busy machine is busy for both. Work that a slice leaves behind is waited for before the next:
what is remembered is digested, at some 10 ms of processor each.
`BENCH_MEMORIES` sets the size (10,000), `BENCH_ROUNDS` the turns (5).
"""

from __future__ import annotations

import http.client
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.core import sentence, table
from wangchuan import Memory
from wangchuan.hooks import client as hook
from wangchuan.server.tokens import Tokens

MEMORIES = int(os.environ.get("BENCH_MEMORIES", "10000"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
STARTS, WARM = 40, 10  # of an interpreter, a client of MCP and a hook
SLICE = 1.0  # seconds
BRIEF = 0.25  # of a slice of remembers: digesting what comes of a second takes half a minute
THREADS, CROWD, SLOW_SECONDS = 4, 50, 5.0
PATIENT = {"server_rate": "1000000", "max_queue_size": "1000000"}
ECHO = """
import json
import socket
import sqlite3
import sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
async def echo(request):
    return Response(await request.body(), media_type="application/json")
bare = sqlite3.connect(sys.argv[1])
async def search(request):
    asked = json.loads(await request.body())
    words = " OR ".join('"%s"' % word for word in asked["query"].split())
    found = bare.execute(
        "select text from said where said match ? order by rank limit ?", (words, asked["limit"])
    ).fetchall()
    return Response(json.dumps(found), media_type="application/json")
routes = [Route("/", echo, methods=["POST"]), Route("/search", search, methods=["POST"])]
config = uvicorn.Config(Starlette(routes=routes), log_config=None, access_log=False)
place = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
place.bind(("127.0.0.1", 0))
place.listen(2048)
print("listening at http://127.0.0.1:%d" % place.getsockname()[1], flush=True)
uvicorn.Server(config).run(sockets=[place])
"""
Row = tuple[object, ...]


@contextmanager
def process(*command: str, **settings: str) -> Iterator[str]:
    """Start a server and return its address; it is told to stop at the end."""
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


class Line:
    """A connection to a server, for one thread."""

    def __init__(self, url: str, token: str) -> None:
        self._line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
        self._head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, path: str, body: bytes) -> bytes:
        """Return the body of an answer, which must be a good one."""
        self._line.request("POST", path, body, self._head)
        answer = self._line.getresponse()
        found = answer.read()
        if answer.status >= 400:
            raise SystemExit(f"{path} answered {answer.status}: {found[:200]!r}")
        return found


def slice_of(do: Callable[[int], Callable[[int], object]], seconds: float = SLICE) -> list[float]:
    """Return the seconds that each call took in a slice, of several threads.

    `do` gives each thread what it calls, with a number that no other call has.
    """
    taken, ended = list[float](), time.perf_counter() + seconds

    def work(seed: int) -> None:
        call, n = do(seed), seed + THREADS * time.monotonic_ns() // 1000
        while (begun := time.perf_counter()) < ended:
            call(n)
            taken.append(time.perf_counter() - begun)
            n += THREADS

    threads = [threading.Thread(target=work, args=(n,)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken


def query(n: int) -> bytes:
    words = " ".join(sentence(n * 7 % MEMORIES).split()[:3])
    return json.dumps({"query": words, "limit": 10}).encode()


def asking(
    url: str, token: str, path: str, body: Callable[[int], bytes], seconds: float = SLICE
) -> list[float]:
    """Return what requests took in a slice."""

    def do(_: int) -> Callable[[int], object]:
        line = Line(url, token)
        return lambda n: line.post(path, body(n))

    return slice_of(do, seconds)


def said(n: int) -> bytes:
    return json.dumps({"messages": sentence(n)}).encode()


def indexed(place: Path) -> str:
    """Put the same sentences into a bare FTS5 table, for the echo to search; return its file."""
    with closing(sqlite3.connect(place)) as line, line:
        line.execute("create virtual table said using fts5(text)")
        line.executemany("insert into said values (?)", ((sentence(n),) for n in range(MEMORIES)))
    return str(place)


def finding(echo: str, url: str, token: str, memory: Memory) -> list[Row]:
    """Compare searches over REST with the echo, with bare FTS5 behind it, and the library's own."""
    echoed, bare, found, own = 0, 0, 0, 0

    def library(_: int) -> Callable[[int], object]:
        return lambda n: memory.search(json.loads(query(n))["query"], limit=10).result()

    for _ in range(ROUNDS):
        echoed += len(asking(echo, token, "/", query))
        bare += len(asking(echo, token, "/search", query))
        found += len(asking(url, token, "/v1/agents/a/search", query))
        own += len(slice_of(library))
    seconds = ROUNDS * SLICE
    return [
        ("bare Starlette echo, requests/s", f"{echoed / seconds:.0f}", "", ""),
        (
            "the same echo over bare FTS5/s",
            f"{bare / seconds:.0f}",
            f"{bare / echoed:.2f} of it",
            "",
        ),
        ("the library's searches/s", f"{own / seconds:.0f}", "", ""),
        ("search over REST/s", f"{found / seconds:.0f}", f"{found / own:.2f} of the library", ""),
        ("", "", f"{found / echoed:.2f} of the echo", "≥ 0.40"),
    ]


def syncing(folder: Path) -> float:
    """Return the seconds that the disk takes to sync a page that was written."""
    with (folder / "synced").open("wb", buffering=0) as out:

        def sync() -> float:
            begun = time.perf_counter()
            out.write(b" " * 4096)
            os.fdatasync(out.fileno())
            return time.perf_counter() - begun

        return statistics.median(sync() for _ in range(100))


def remembering(url: str, token: str, memory: Memory) -> list[Row]:
    """Compare remembers over REST with the library's own."""
    own, told = 0, 0
    for _ in range(ROUNDS):
        own += len(slice_of(lambda _: lambda n: memory.remember(sentence(n)), BRIEF))
        memory.flush()
        told += len(asking(url, token, "/v1/agents/b/remember", said, BRIEF))
        while b"true" not in Line(url, token).post("/v1/agents/b/flush", b"{}"):
            pass
    seconds = ROUNDS * BRIEF
    return [
        ("the library's remembers/s", f"{own / seconds:.0f}", "", ""),
        ("remembers over REST/s", f"{told / seconds:.0f}", f"{told / own:.2f} of those", "≥ 0.80"),
    ]


@contextmanager
def crowd(url: str, token: str) -> Iterator[None]:
    """Let as many agents as a crowd remember something, again and again."""
    ended = threading.Event()

    def talk() -> None:
        line, n = Line(url, token), 0
        while not ended.wait(0.5 / CROWD):
            n += 1
            line.post(f"/v1/agents/crowd{n % CROWD}/remember", said(n))

    thread = threading.Thread(target=talk)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def p99(taken: list[float]) -> float:
    return statistics.quantiles(taken, n=100)[98]


def waiting(quiet: str, busy: str, token: str) -> list[Row]:
    """Compare searches at a server whose other agents wait for a slow model with a quiet one's."""
    path, calm, held = "/v1/agents/a/search", list[float](), list[float]()
    asking(quiet, token, path, query)
    with crowd(busy, token):
        asking(busy, token, path, query)
        for _ in range(2 * ROUNDS):
            calm += asking(quiet, token, path, query)
            held += asking(busy, token, path, query)
    ratio = p99(held) / p99(calm)
    return [
        ("p99 of search, nobody remembers", f"{p99(calm) * 1000:.0f} ms", "", ""),
        (
            f"p99 while {CROWD} agents remember and a model takes {SLOW_SECONDS:g} s",
            f"{p99(held) * 1000:.0f} ms",
            f"{ratio:.2f} of that",
            "≤ 3",
        ),
    ]


def timed(*command: str, given: bytes = b"") -> float:
    """Return the seconds until a process has said its first line, or ended without one."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as one:
        assert one.stdin is not None
        assert one.stdout is not None
        one.stdin.write(given)
        one.stdin.close()
        one.stdout.readline()
        return time.perf_counter() - begun


def starting(folder: Path) -> list[Row]:
    """Compare the handshake of MCP and a hook with a bare interpreter, started by turns."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    mcp = ("-m", "wangchuan.server.mcp", "--root", str(folder / "mcp"))
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/", "prompt": "tea?"}
    place, root = str(folder / "hook"), str(folder / "hooked")
    call = ("-I", "-S", str(hook.__file__), place, root, "{}")
    given = json.dumps(event).encode()
    timed(*call, given=given)  # starts the resident process
    until = time.monotonic() + 60
    while not Path(place, "socket").exists() and time.monotonic() < until:
        time.sleep(0.1)
    first = timed(*call, given=given)  # opens the memory
    for _ in range(WARM):
        timed(*call, given=given)
    bare, shaken, hooked = list[float](), list[float](), list[float]()
    for _ in range(STARTS):
        bare.append(timed("-I", "-S", "-c", "print()"))
        shaken.append(timed(*mcp, given=json.dumps(asked).encode() + b"\n"))
        hooked.append(timed(*call, given=given))
    os.kill(int(Path(place, "pid").read_text("ascii")), 15)
    usual, slowest = statistics.median(bare), lambda found: statistics.quantiles(found, n=20)[18]
    hand, late = statistics.median(shaken), slowest(hooked)
    return [
        ("a bare interpreter, median", f"{usual * 1000:.0f} ms", "", ""),
        ("MCP's handshake, median", f"{hand * 1000:.0f} ms", f"{hand / usual:.1f} of that", "≤ 10"),
        (
            f"a hook's answer, p95 (the very first: {first * 1000:.0f} ms)",
            f"{late * 1000:.0f} ms",
            f"{late / usual:.1f} of that, {late / slowest(bare):.1f} of a bare one's p95",
            "≤ 8",
        ),
    ]


def prepared(root: Path) -> str:
    """Make the memory that is searched; return a token for everything."""
    with Memory.open("a", root=root, settings={"learn": False}) as memory:
        for first in range(0, MEMORIES, 200):
            last = min(MEMORIES, first + 200)
            memory.remember([("user", sentence(n)) for n in range(first, last)])
        memory.flush()
    return Tokens(root, time.time).add(["*"], ["read", "write"])


def measured(root: Path) -> list[Row]:
    """Return all rows."""
    token = prepared(root)
    serve = ("-m", "wangchuan.cli", "serve", "--root", str(root), "--port", "0")
    rows = [*starting(root), ("a sync of this disk", f"{syncing(root) * 1000:.2f} ms", "", "")]
    own = {"max_queue_size": 10**6}
    with ExitStack() as all_of:
        url = all_of.enter_context(process(*serve, **PATIENT))
        echo = all_of.enter_context(process("-c", ECHO, indexed(root / "bare.db")))
        with Memory.open("a", root=root, settings=own) as memory:
            rows += finding(echo, url, token, memory)
        with Memory.open("library", root=root, settings=own) as memory:
            rows += remembering(url, token, memory)
    model = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    slow = {"model_url": f"http://127.0.0.1:{model.server_address[1]}/v1", "model_name": "m"}
    with process(*serve, **PATIENT, **slow) as quiet, process(*serve, **PATIENT, **slow) as busy:
        rows += waiting(quiet, busy, token)
    model.shutdown()
    return rows


def is_kept(cells: Row) -> bool:
    """Tell whether a row is within its bound; rows without one are."""
    ratio, wanted = str(cells[2]), str(cells[3])
    if not wanted:
        return True
    value, bound = float(ratio.split()[0]), float(wanted[2:])
    return value >= bound if wanted[0] == "≥" else value <= bound


def run() -> tuple[str, bool]:
    with tempfile.TemporaryDirectory(prefix="wc") as folder:
        rows = measured(Path(folder))
    slices = f"{ROUNDS} slices of {SLICE:g} s each (of remembers {BRIEF:g} s)"
    told = f"{MEMORIES:,} memories, {THREADS} clients, {slices}, by turns."
    page = table(("what", "measured", "ratio", "wanted"), rows)
    return f"{told}\n\n{page}", all(map(is_kept, rows))
