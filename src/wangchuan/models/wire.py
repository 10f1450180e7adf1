"""One request and its answer over HTTP, with one deadline for all of it.

The time for a call covers the connection, the proxy, the handshake, the headers and the body. It
is asked for again before every read and write, so that a server that sends a byte now and then
does not get more of it. What comes back is a stranger's: nothing is followed or unpacked, and no
more than so many bytes are read. The standard library is enough for that; a connection is made for
each call, because a model thinks longer than a handshake takes.
"""

from __future__ import annotations

import base64
import io
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from wangchuan.errors import InvalidInput, ModelError
from wangchuan.redaction import redacted
from wangchuan.types import Clock

LARGEST = 4 << 20  # bytes of an answer, with its headers
CONNECT_SECONDS = 10.0
HTTP_OK = 200
PORTS = {"http": 80, "https": 443}
SAFE = "/%:@!$&'()*+,;=-._~"  # what stays as it is in a path


class Deadline:
    """When a call has to be over."""

    def __init__(self, seconds: float, monotonic: Clock) -> None:
        self.seconds, self._end, self._monotonic = seconds, monotonic() + seconds, monotonic

    def left(self) -> float:
        """Return the seconds that are left, or raise TimeoutError."""
        left = self._end - self._monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class Wire:
    """Sends requests, each on a connection of its own; safe to use from several threads."""

    def __init__(self) -> None:
        self._open: set[_Stream] = set()
        self._lock, self._closed = threading.Lock(), False

    def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, until: Deadline
    ) -> tuple[int, bytes]:
        """Send a request and return the status and body of its answer, or raise ModelError.

        What the error says may hold what was sent.
        """
        parts = urlsplit(url)
        try:
            proxy = _proxy(parts)
            with self._connected(proxy or parts, until) as stream:
                to, more = _prepared(stream, parts, proxy)
                line = HTTPConnection(_host(parts))
                line.sock = stream  # it has all that is used of a socket
                line.request(method, to, body, {**headers, **more, "Connection": "close"})
                with closing(line.getresponse()) as response:
                    return response.status, _body(response)
        except TimeoutError as error:
            raise ModelError(f"it took longer than {until.seconds:g} seconds") from error
        except (OSError, HTTPException, ValueError) as error:
            raise ModelError(f"{type(error).__name__} {error}") from error

    def close(self) -> None:
        """End the requests under way, in whatever thread; nothing is sent afterwards."""
        with self._lock:
            self._closed = True
            for stream in self._open:
                stream.end()

    @contextmanager
    def _connected(self, parts: SplitResult, until: Deadline) -> Iterator[_Stream]:
        stream = _Stream(_dialled(parts, until), until)
        try:
            with self._lock:
                if self._closed:
                    raise ConnectionAbortedError("it was closed")
                self._open.add(stream)
            yield stream
        finally:
            with self._lock:
                self._open.discard(stream)
            stream.sock.close()


class _Stream(io.RawIOBase):
    """A connection as `http.client` uses it, which ends with its deadline."""

    def __init__(self, sock: socket.socket, until: Deadline) -> None:
        self.sock, self._until, self._read = sock, until, 0

    def secure(self, host: str) -> None:
        """Go on encrypted."""
        self.sock = _context().wrap_socket(
            self.sock, server_hostname=host, do_handshake_on_connect=False
        )
        self.sock.settimeout(self._until.left())
        self.sock.do_handshake()

    def makefile(self, *_: Any) -> io.BufferedReader:
        """Return what answers are read from."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        """Tell that the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what has come, in the time that is left."""
        self.sock.settimeout(self._until.left())
        count = self.sock.recv_into(buffer)
        self._read += count
        if self._read > LARGEST:
            raise OSError(f"it sent more than {LARGEST} bytes")
        return count

    def sendall(self, data: bytes) -> None:
        """Send all of it in the time that is left."""
        rest = memoryview(data)
        while rest:
            self.sock.settimeout(self._until.left())
            rest = rest[self.sock.send(rest) :]

    def close(self) -> None:
        """Keep the connection: the answer may still have to be read."""

    def end(self) -> None:
        """End the connection under whoever reads from it, perhaps in another thread."""
        with suppress(OSError):
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


def _dialled(parts: SplitResult, until: Deadline) -> socket.socket:
    """Return a connection to the first address of a host that takes one."""
    fault, port = OSError("the host has no address"), _port(parts)
    for *_, address in socket.getaddrinfo(_host(parts), port, type=socket.SOCK_STREAM):
        wait = min(CONNECT_SECONDS, until.left())
        try:
            return socket.create_connection((str(address[0]), port), wait)
        except TimeoutError:
            fault = OSError(f"no connection within {CONNECT_SECONDS:g} seconds")
        except OSError as error:
            fault = error
    until.left()
    raise fault


def _prepared(
    stream: _Stream, parts: SplitResult, proxy: SplitResult | None
) -> tuple[str, dict[str, str]]:
    """Prepare a connection for a request; return what to ask for, and with which headers."""
    host = f"[{_host(parts)}]" if ":" in _host(parts) else _host(parts)
    path, authority = quote(parts.path or "/", SAFE), f"{host}:{_port(parts)}"
    headers = {"Host": authority.removesuffix(f":{PORTS[parts.scheme]}")}
    user = {"Proxy-Authorization": basic(proxy)} if proxy and proxy.username else {}
    if parts.scheme == "http":
        return (f"http://{authority}{path}", headers | user) if proxy else (path, headers)
    if proxy:
        asked = {"Host": authority, **user}
        told = "".join(f"{name}: {value}\r\n" for name, value in asked.items())
        stream.sendall(f"CONNECT {authority} HTTP/1.1\r\n{told}\r\n".encode("ascii"))
        answer = HTTPResponse(stream, method="CONNECT")  # type: ignore[arg-type]
        answer.begin()
        if answer.status != HTTP_OK:
            raise OSError(f"the proxy said HTTP {answer.status}")
    stream.secure(_host(parts))
    return path, headers


def checked_url(url: str) -> str:
    """Return a base URL without its last slash, or raise InvalidInput."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in PORTS and _host(parts) and parts.port != 0
        usable = usable and " " not in parts.netloc and url == url.strip() and url.isprintable()
    except (ValueError, TypeError, AttributeError) as error:
        raise InvalidInput(f"model_url {redacted(repr(url))} is not a URL: {error}") from None
    if not usable:
        told = redacted(repr(url))
        raise InvalidInput(f"model_url must begin with http:// or https://, not {told}")
    if parts.query or parts.fragment:
        raise InvalidInput("model_url ends with its path: a key belongs in model_key, not after ?")
    return url.rstrip("/")


def basic(parts: SplitResult) -> str:
    """Return the credentials of a URL as a header says them."""
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode()


def _body(response: HTTPResponse) -> bytes:
    if 300 <= response.status < 400:
        raise OSError("it redirects, which is not followed; set its address")
    if response.getheader("content-encoding", "identity") != "identity":
        raise OSError("it sent a compressed body, which is not read")
    body = response.read(LARGEST + 1)
    if response.length:
        raise OSError(f"its body ended {response.length} bytes too early")
    return body


def _proxy(parts: SplitResult) -> SplitResult | None:
    proxies = getproxies()
    named = proxies.get(parts.scheme) or proxies.get("all")
    if not named or proxy_bypass(_host(parts)):
        return None
    proxy = urlsplit(named if "://" in named else f"http://{named}")
    if proxy.scheme != "http":
        raise ValueError(f"a proxy must begin with http://, not {redacted(named)}")
    return proxy


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    return host if host.isascii() else host.encode("idna").decode()


def _port(parts: SplitResult) -> int:
    return parts.port or PORTS[parts.scheme]


@cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()
