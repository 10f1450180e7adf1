"""One connection of a client, who has to be quick: with the head of a request, with its body, and
with taking the answer. Whoever is not is cut off; whoever is costs no timer.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from socket import IPPROTO_TCP, TCP_NODELAY
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from wangchuan.server.refusals import Refusal, answer_to
from wangchuan.server.requests import JSON

HEAD_SECONDS = 10.0  # in which the head of a request has to be here
BODY_SECONDS = 30.0  # in which its body has to be here
SEND_SECONDS = 60.0  # in which a client has to take a piece of an answer
LARGEST_HEAD = 64 << 10  # bytes that may follow the piece in which a head began
BEGUN, NOTHING, HEAD, BODY = range(4)  # what is waited for; a request that began changes it


class Joined:
    """A transport that sends the head of an answer together with the body that follows at once."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop, self._head = transport, loop, b""

    def write(self, data: bytes) -> None:
        """Send something; a head waits until whoever sends it has had their turn."""
        if self._head:
            data, self._head = self._head + data, b""
        elif data.startswith(b"HTTP/1.1 ") and data.endswith(b"\r\n\r\n"):
            self._head = data
            self._loop.call_soon(self._flush)
            return
        self._transport.write(data)

    def _flush(self) -> None:
        if self._head:
            head, self._head = self._head, b""
            self._transport.write(head)

    def close(self) -> None:
        """Send what waits, and close."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Impatient(HttpToolsProtocol):
    """A connection that is cut off when a request does not come to an end, or nobody reads."""

    _piece = 0  # bytes of the piece that is being read
    _head: int | None = 0  # bytes of a head that is not whole yet; None when it is
    _body = False  # whether some of a body is still to come
    _stage, _timer = BEGUN, None  # what is waited for, and until when
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        # asyncio does it only for sockets that name their protocol; without it every answer waits
        # some 40 ms for the other side to say that it has the head.
        with suppress(OSError):
            transport.get_extra_info("socket").setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        super().connection_made(Joined(transport, self.loop))  # type: ignore[arg-type]
        self._wait_for(HEAD)

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request, and wait for what is missing after it."""
        self._piece = len(data)
        super().data_received(data)
        if self._head is not None:
            self._head += self._piece
            if self._head > LARGEST_HEAD:
                self.send_400_response(f"the head of a request has over {LARGEST_HEAD:,} bytes")
        stage = HEAD if self._head is not None else BODY if self._body else NOTHING
        if stage != self._stage:
            self._wait_for(stage)

    def on_message_begin(self) -> None:
        """Count the bytes of a head, but for the piece in which it begins: others end in it."""
        self._stage, self._head = BEGUN, -self._piece
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Count no longer: the head is whole."""
        self._head, self._body = None, True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Wait no longer: the body is whole."""
        self._body = False
        super().on_message_complete()

    def pause_writing(self) -> None:
        """Give a client who does not read some time."""
        self._unread = self.loop.call_later(SEND_SECONDS, self.transport.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        self._read()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._wait_for(NOTHING)
        self._read()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP in the same form as everything else."""
        self._refuse(Refusal("BadRequest", msg))

    def _refuse(self, refusal: Refusal) -> None:
        if self.transport.is_closing():
            return
        body = bytes(answer_to(refusal).body)
        head = f"content-type: {JSON}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write(STATUS_LINE[refusal.status] + head.encode() + body)
        self.transport.close()

    def _wait_for(self, stage: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._stage = stage
        if stage != NOTHING:
            seconds = HEAD_SECONDS if stage == HEAD else BODY_SECONDS
            self._timer = self.loop.call_later(seconds, self._cut_off)

    def _cut_off(self) -> None:
        if self._stage == BODY and not self.cycle.response_started:
            self._refuse(Refusal("TooSlow", f"the body took over {BODY_SECONDS:g} seconds"))
        self.transport.close()

    def _read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
