"""One request: over by its deadline whatever trickles, bounded whatever comes."""

from __future__ import annotations

import base64
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from faults import GOOD_TEXT, Handler, Server

from wangchuan import Host, InvalidInput, ModelError
from wangchuan.models.http import HTTPModel
from wangchuan.models.wire import LARGEST, checked_url

SHORT, PATIENT = 0.4, 30.0
GOOD = b'HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\n{"choices": [], "data": []}'
Deal = Callable[[socket.socket], None]


class Peer:
    """Takes connections on the loopback and deals with each as a test wants."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.deal: Deal = lambda line: line.sendall(GOOD)
        self.heard: list[bytes] = []
        self.over = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while not self.over.is_set():
            try:
                line, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._meet, args=(line,), daemon=True).start()

    def _meet(self, line: socket.socket) -> None:
        with line:
            try:
                self.heard.append(line.recv(65536))
                self.deal(line)
            except OSError:
                pass  # the other side has gone

    def trickle(self, start: bytes, more: bytes = b"x") -> Deal:
        def deal(line: socket.socket) -> None:
            line.sendall(start)
            while not self.over.wait(0.02):
                line.sendall(more)

        return deal

    def silence(self, _: socket.socket) -> None:
        self.over.wait(PATIENT)

    def close(self) -> None:
        self.over.set()
        self._socket.close()


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.close()


def url(peer: Peer, scheme: str = "http") -> str:
    return f"{scheme}://127.0.0.1:{peer.port}/v1"


def outcome(call: Callable[[], Any], patience: float = PATIENT) -> BaseException | Any:
    """What a call returns or raises; a call that does not end in time fails the test."""
    came: list[Any] = []

    def run() -> None:
        try:
            came.append(call())
        except BaseException as error:
            came.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(patience)
    assert came, "the call did not end"
    return came[0]


HEADERS = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
TRICKLES: dict[str, Callable[[Peer], Deal]] = {
    "the status": lambda peer: peer.trickle(b"HTTP/1.1 200 "),
    "a header": lambda peer: peer.trickle(HEADERS + b"X-Long: "),
    "header after header": lambda peer: peer.trickle(HEADERS, b"A: b\r\n"),
    "leave to go on": lambda peer: peer.trickle(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a body": lambda peer: peer.trickle(HEADERS + b"Content-Length: 999999\r\n\r\n"),
    "a body without a length": lambda peer: peer.trickle(HEADERS + b"\r\n"),
    "chunks": lambda peer: peer.trickle(
        HEADERS + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"
    ),
    "the size of a chunk": lambda peer: peer.trickle(
        HEADERS + b"Transfer-Encoding: chunked\r\n\r\n", b"0"
    ),
    "trailers": lambda peer: peer.trickle(
        HEADERS + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"A: b\r\n"
    ),
    "nothing": lambda peer: peer.silence,
}


@pytest.mark.parametrize("what", TRICKLES)
def test_a_call_is_over_by_its_deadline_and_the_next_one_is_answered(what: str, peer: Peer) -> None:
    good, peer.deal = peer.deal, TRICKLES[what](peer)
    error = outcome(HTTPModel(url(peer), "m", timeout=SHORT).models)
    assert isinstance(error, ModelError)
    assert "longer than 0.4 seconds" in str(error) or "100 headers" in str(error)
    peer.deal = good
    assert HTTPModel(url(peer), "m", timeout=PATIENT).models() == []


@pytest.mark.parametrize("hello", [b"", b"\x16\x03\x03\x3f\xff"])
def test_a_handshake_that_never_ends_is_over_by_the_deadline(hello: bytes, peer: Peer) -> None:
    peer.deal = peer.trickle(hello, b"\x00") if hello else peer.silence
    error = outcome(HTTPModel(url(peer, "https"), "m", timeout=SHORT).models)
    assert isinstance(error, ModelError)


def test_a_proxy_that_trickles_is_over_by_the_deadline(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{peer.port}")
    peer.deal = peer.trickle(b"HTTP/1.1 200 ")
    error = outcome(HTTPModel("https://server.example/v1", "m", timeout=SHORT).models)
    assert isinstance(error, ModelError)
    assert "longer than 0.4 seconds" in str(error)


def test_a_sender_nobody_reads_from_is_over_by_the_deadline(peer: Peer) -> None:
    peer.deal = peer.silence
    model = HTTPModel(url(peer), "m", timeout=SHORT)
    error = outcome(lambda: model.post("/embeddings", {"input": "x" * (32 << 20)}))
    assert "longer than 0.4 seconds" in str(error)


def test_the_time_is_that_of_the_given_clock(peer: Peer) -> None:
    now = iter(range(0, 10_000, 60))
    model = HTTPModel(url(peer), "m", timeout=300.0, monotonic=lambda: float(next(now)))
    peer.deal = peer.trickle(HEADERS)
    assert "longer than 300 seconds" in str(outcome(model.models))


def test_all_ways_of_asking_for_a_shape_share_one_deadline(peer: Peer) -> None:
    from wangchuan.models.seam import Ask

    now = [0.0]

    def slow(line: socket.socket) -> None:
        now[0] += 200
        line.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    peer.deal = slow
    model = HTTPModel(url(peer), "m", timeout=300.0, monotonic=lambda: now[0])
    error = outcome(lambda: model.complete(Ask("digest", {})))
    assert "longer than 300 seconds" in str(error)
    assert len(peer.heard) == 2


def test_closing_ends_what_is_under_way_and_lets_nothing_begin(peer: Peer) -> None:
    peer.deal = peer.silence
    model = HTTPModel(url(peer), "m", timeout=PATIENT * 2)
    threading.Timer(0.2, model.close).start()
    assert isinstance(outcome(model.models), ModelError)
    heard = len(peer.heard)
    assert "closed" in str(outcome(model.models))
    assert len(peer.heard) == heard or peer.heard[-1] == b""


@pytest.mark.parametrize(
    "answer",
    [
        HEADERS + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n" + b"x" * (LARGEST + 1),
        HEADERS + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + b"x" * LARGEST,
        HEADERS + b"Content-Length: 99999999999999999999\r\n\r\n" + b"x" * (LARGEST + 1),
        HEADERS + b"\r\n" + b"x" * (LARGEST + 1),
        HEADERS + b"X: " + b"x" * (LARGEST + 1),
        b"HTTP/1.1 100 Continue\r\n\r\n" * (LARGEST // 20),
        HEADERS + b"Content-Length: 20\r\n\r\n{}",
        HEADERS + b"Transfer-Encoding: chunked\r\n\r\n20\r\n{}",
        b"220 mail.example ESMTP\r\n",
        b"",
        b"\x00" * 100,
    ],
    ids=lambda answer: repr(answer[-40:][:40]),
)
def test_an_answer_that_is_too_long_too_short_or_none_is_refused(answer: bytes, peer: Peer) -> None:
    peer.deal = lambda line: line.sendall(answer)
    assert isinstance(outcome(HTTPModel(url(peer), "m", timeout=PATIENT).models), ModelError)


def test_a_server_without_a_proxy_hears_a_path_and_one_behind_it_a_whole_address(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    HTTPModel(url(peer), "m", "sesame").models()
    assert peer.heard[-1].startswith(b"GET /v1/models HTTP/1.1\r\n")
    assert b"\r\nAuthorization: Bearer sesame\r\n" in peer.heard[-1]
    assert b"\r\nAccept-Encoding: identity\r\n" in peer.heard[-1]
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("HTTP_PROXY", f"http://ann:se%20cret@127.0.0.1:{peer.port}")
    monkeypatch.delenv("REQUEST_METHOD", raising=False)
    HTTPModel("http://server.example:8080/v1", "m").models()
    assert peer.heard[-1].startswith(b"GET http://server.example:8080/v1/models HTTP/1.1\r\n")
    user = base64.b64encode(b"ann:se cret")
    assert b"\r\nHost: server.example:8080\r\n" in peer.heard[-1]
    assert b"\r\nProxy-Authorization: Basic " + user in peer.heard[-1]


def test_a_proxy_is_asked_to_connect_to_a_server_with_tls(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("HTTPS_PROXY", f"127.0.0.1:{peer.port}")
    peer.deal = lambda line: line.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")
    error = outcome(HTTPModel("https://server.example/v1", "m", "sesame").models)
    assert "the proxy said HTTP 403" in str(error)
    assert peer.heard[-1].startswith(b"CONNECT server.example:443 HTTP/1.1\r\n")
    assert b"sesame" not in peer.heard[-1]
    monkeypatch.setenv("HTTPS_PROXY", "socks5://127.0.0.1:1")
    error = outcome(HTTPModel("https://server.example/v1", "m").models)
    assert "a proxy must begin with http://" in str(error)


def test_the_user_of_an_address_is_sent_as_such_and_not_told(peer: Peer) -> None:
    model = HTTPModel(url(peer).replace("//", "//ann:se%20cret@"), "m")
    model.models()
    user = base64.b64encode(b"ann:se cret")
    assert b"\r\nAuthorization: Basic " + user in peer.heard[-1]
    assert model.url == url(peer).replace("//", "//***@")


@pytest.mark.parametrize(
    "given",
    [
        *(
            "http://[::1/v1",
            "http://host:99999/",
            "http://host:port/",
            "http://a b/",
            "http://x/\n",
        ),
        *("http://.." + "x" * 70 + "é/", "https://", "//host", "http://:80", 5),
        *("http://h/v1?key=secret", "http://h/v1#secret"),
    ],
)
def test_addresses_that_are_none_are_refused(given: Any) -> None:
    with pytest.raises(InvalidInput, match="model_url") as refused:
        checked_url(given)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "given", ["http://[::1]:8080/v1", "https://bücher.example/v1", "http://h/a b", "http://h"]
)
def test_addresses_of_all_kinds_are_taken(given: str) -> None:
    assert checked_url(given + "/") == given


def test_answers_that_trickle_do_not_take_the_model_from_other_agents(
    server: Server, tmp_path: Any
) -> None:
    over = threading.Event()

    def answer(request: Handler) -> None:
        if "trickle" not in str(request.asked):
            request.say(GOOD_TEXT.replace("Anna moved to Berlin last spring.", "quick one"))
            return
        request.wfile.write(HEADERS + b"X-Long: ")
        while not over.wait(0.02):
            request.wfile.write(b"x")

    server.answer = answer
    settings = {"model_url": server.url, "worker_timeout_ms": 1000, "learn": False}
    settings |= {"model_concurrency": 2, "max_retries": 0}
    with Host(tmp_path, settings=settings) as host:
        try:
            for agent in ("a", "b"):
                host.open(agent).remember("trickle, please")
            while len(server.requests) < 2:
                time.sleep(0.01)
            assert host.open("c").remember("quick one").result(PATIENT)
        finally:
            over.set()
