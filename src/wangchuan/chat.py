"""Talking with a memory, for people who have no agent loop of their own.

Memory never decides when to remember: by the documents that is up to an external scheduler, which
watches the length of the context and submits what is too much. A `Chat` is such a scheduler. It
keeps a window of messages, asks the memory for a block before every reply, calls a model, and lets
the oldest messages go when the prompt reaches `context_threshold_ratio` of `context_max_tokens`
(both estimates). A message leaves the window only when the memory has accepted it.

By default it is `eager`: a turn is handed to the memory as soon as it is finished, and leaving the
window is only leaving the prompt. That is later than the documents' 80 %, in tokens, and sooner in
time: facts are observed after every turn, as document 003 wants, and a crash between two turns
loses nothing. A turn is handed over as a whole, because whether a fact was used can only be seen
where what was said and what was replied stand together.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future

from wangchuan.answers import Asking
from wangchuan.arguments import a_flag, a_text
from wangchuan.errors import Closed, InvalidInput, QueueFull
from wangchuan.finding.wish import DEFAULT_TOKENS
from wangchuan.language.tokens import tokens
from wangchuan.memory import Door, Memory
from wangchuan.messages import admitted, checked
from wangchuan.models.http import HTTPModel
from wangchuan.models.offline import OfflineModel
from wangchuan.models.seam import Ask, Model, Reply
from wangchuan.pending import Closing, Pending, Stream
from wangchuan.routines import chat as routine
from wangchuan.storage.records import TALK_SECONDS
from wangchuan.types import Message

PER_MESSAGE = 4  # tokens that the form of a message takes, beside its words
BLOCK_SHARE = 4  # the block of memory takes at most this part of the room, 1 / BLOCK_SHARE

Replying = Callable[[list[dict[str, str]]], str | Iterator[str]]


class Chat(Closing):
    """A conversation with one agent's memory; a context manager. Turns are taken one at a time.

    What may be lost: if the process is killed while the model is answering, the one message it was
    answering. A reply that fails or is interrupted loses nothing: what was said is remembered
    alone. With `eager=False` messages are handed over only when they leave the window and when the
    chat is closed, and whatever was not handed over is lost in a crash.
    """

    def __init__(
        self,
        memory: Memory,
        reply: Replying | None = None,
        *,
        system: str = "",
        eager: bool = True,
        resume: bool = True,
    ) -> None:
        """Begin to talk; the memory stays open when the chat is closed.

        `reply` is called with messages `{"role", "content"}` and returns the reply, or yields it in
        pieces. Without it the
        model of the settings is asked (`model_url`); without that, replies show what is
        remembered, and are not remembered themselves. `system` is put before the block of memory.
        With `resume` the window begins with the last messages of a conversation that was going on
        within the last hour.
        """
        if reply is not None and not callable(reply):
            raise InvalidInput(f"reply must be callable, not {type(reply).__name__}")
        if not isinstance(memory, Memory):
            raise InvalidInput(f"a chat is with a Memory, not {type(memory).__name__}")
        agent = memory._agent
        self.system, self._memory, self._reply = a_text(system, "system"), memory, reply
        self._eager = a_flag(eager, "eager")
        self._settings, self._clock = agent.settings, agent.clock
        speaker = _speaker(memory._host.model)
        self._asking = Asking(speaker, agent.settings, agent.clock, agent.events)
        self._window = self._resumed() if a_flag(resume, "resume") else []
        self._accepted = len(self._window)  # how many of them the memory has, from the oldest
        self._answered, self._closed = True, False
        self._lock = threading.Lock()

    @property
    def messages(self) -> list[Message]:
        """Return the window: the messages a reply is based on, oldest first."""
        return list(self._window)

    def say(self, text: str) -> str:
        """Say something and return the reply; waits for the model.

        Raises ModelError if it cannot be asked, and whatever `reply` raises: saying the same again
        asks again, and is remembered once. Raises InvalidInput for a text that says nothing.
        """
        return "".join(self._turn(text))

    def ask(self, text: str) -> Pending[str]:
        """Say something and return at once; the reply can be awaited. Raises as `say` does."""
        future: Future[str] = Future()

        def turn() -> None:
            try:
                future.set_result(self.say(text))
            except BaseException as error:  # whoever waits is told
                future.set_exception(error)

        threading.Thread(target=turn, name="wangchuan-chat", daemon=True).start()
        return Pending(future)

    def stream(self, text: str) -> Stream:
        """Say something and return the reply piece by piece, as a `for` or an `async for` wants it.

        A reply function that yields is passed on as it comes; the model of the settings replies in
        one piece. The turn is finished, and remembered whole, when the last piece was taken; if
        it is not, what was said is remembered alone. Raises as `say` does, at the first piece.
        """
        return Stream(self._turn(text))

    def close(self) -> None:
        """Hand over what the memory does not have yet. A second call does nothing.

        Raises QueueFull if it cannot be taken now; the chat then stays open.
        """
        with self._lock:
            if not self._closed and not self._submit(len(self._window)):
                raise QueueFull("the queue is full: the end of this chat is not remembered yet")
            self._closed = True

    # one turn

    def _turn(self, text: str) -> Generator[str, None, None]:
        with self._lock:
            if self._closed:
                raise Closed("this chat is closed; begin a new one")
            said = self._hear(text)
            try:
                yield from self._respond(said)
            finally:
                if self._eager:
                    self._submit(len(self._window))

    def _hear(self, text: str) -> Message:
        """Put a message into the window, unless it waits there for its reply already."""
        said = self._message("user", text)
        if self._answered or self._window[-1].content != said.content:
            self._window.append(said)
        self._answered = False
        return said

    def _message(self, role: str, text: object) -> Message:
        if not isinstance(text, str):
            raise InvalidInput(f"what the {role} says must be a text, not {type(text).__name__}")
        said = checked({"role": role, "content": text, "timestamp": self._clock()})
        (message,) = admitted(said)
        if not message.content.strip():
            raise InvalidInput(f"what the {role} says must be a text, not an empty one")
        return message

    def _respond(self, said: Message) -> Generator[str, None, None]:
        room = self._room() // BLOCK_SHARE
        pending = self._memory.context(said.content, max_tokens=min(DEFAULT_TOKENS, room))
        block = pending.result()
        system = routine.opening(self.system, block, said.content, self._clock())
        self._make_room(tokens(system) + PER_MESSAGE)
        messages = routine.prompt(system, self._window)
        reply, shown = self._ask(messages, block, said.content)
        pieces = list[str]()
        for piece in _pieces(reply):
            pieces.append(piece)
            yield piece
        answer = self._message("assistant", "".join(pieces))
        if not shown:
            self._window.append(answer)
        self._answered = True

    def _ask(
        self, messages: list[dict[str, str]], block: str, said: str
    ) -> tuple[str | Iterator[str], bool]:
        """Return the reply, and whether it only shows what is remembered."""
        if self._reply is not None:
            return self._reply(messages), False
        asked = routine.ask(messages, block, said)
        return routine.read(self._asking.answer(Door(self._memory).store, asked))

    # the window

    def _room(self) -> int:
        settings = self._settings
        return int(settings.context_max_tokens * settings.context_threshold_ratio)

    def _make_room(self, taken: int) -> None:
        """Let the oldest messages go while there is too much, but never what was just said."""
        sizes = [tokens(message.content) + PER_MESSAGE for message in self._window]
        total, leaving, last = taken + sum(sizes), 0, len(sizes) - 1
        while leaving < last and (total >= self._room() or self._is_torn(leaving)):
            total -= sizes[leaving]
            leaving += 1
        if self._submit(leaving):
            del self._window[:leaving]
            self._accepted -= leaving

    def _is_torn(self, leaving: int) -> bool:
        """Tell whether the window would begin with the reply to something that left."""
        return leaving > 0 and self._window[leaving].role == "assistant"

    def _submit(self, upto: int) -> bool:
        """Hand over what the memory does not have of the oldest messages; False: it is full."""
        owed = self._window[self._accepted : upto]
        if owed and self._memory.remember(owed).status == "rejected":
            return False
        self._accepted = max(self._accepted, upto)
        return True

    def _resumed(self) -> list[Message]:
        """Return the end of the working memory, as far as no long silence interrupts it."""
        found, later = list[Message](), self._clock()
        for message in reversed(self._memory.look.working() if self._settings.learn else []):
            at = later if message.timestamp is None else message.timestamp
            if abs(later - at) > TALK_SECONDS:
                break
            found, later = [message, *found], at
        return [m for m in found if m.role in ("user", "assistant") and m.content.strip()]


def _pieces(reply: object) -> Generator[str, None, None]:
    """Yield a reply, whole or in pieces; InvalidInput for what is no text."""
    for piece in reply if isinstance(reply, Iterator) else [reply]:
        if not isinstance(piece, str):
            raise InvalidInput(
                f"what the assistant says must be a text, not {type(piece).__name__}"
            )
        yield piece


class _Server:
    """A server asked for its next words, as a model."""

    def __init__(self, server: HTTPModel) -> None:
        self.name, self._server = server.name, server

    def complete(self, ask: Ask) -> Reply:
        """Ask for the next words of a conversation."""
        return self._server.chat(ask.data["messages"])


def _speaker(model: Model) -> Model:
    """Return what can talk: a server, or the offline model, which can only show."""
    return _Server(model) if isinstance(model, HTTPModel) else OfflineModel()
