"""Keys and passwords: a server that tells them everywhere gets them into nothing."""

from __future__ import annotations

import base64
import json
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from faults import SAID, Answer, Handler, Server, segment
from stage import PATIENCE, FakeClock

from wangchuan import Host, Memory
from wangchuan.answers import unanswered
from wangchuan.models.http import HTTPModel
from wangchuan.models.probe import probe
from wangchuan.redaction import passwords, redacted

KEY, PASSWORD = "sk-Zq7+Vx/42=kJ", "pa ss/Wq9"
PAIR = f"ann:{PASSWORD}"


def forms(*secrets: str) -> list[str]:
    """The ways in which a secret may come back."""
    found = {
        form
        for secret in secrets
        for form in (
            secret,
            quote(secret, safe=""),
            quote_plus(secret),
            base64.b64encode(secret.encode()).decode().rstrip("="),
            secret.encode().hex(),
        )
    }
    return sorted(found)


@pytest.mark.parametrize("form", forms(KEY, PASSWORD, PAIR))
@pytest.mark.parametrize("frame", ["{}", "Bearer {}", 'x"{}"', "a{}b{}c", "?key={}&x=1"])
def test_a_known_secret_is_hidden_in_every_form(form: str, frame: str) -> None:
    assert form not in redacted(frame.replace("{}", form), (KEY, PASSWORD, PAIR))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("https://ann:secret@host/v1 is down", "https://***@host/v1 is down"),
        ("see http://token@host:80 and http://b:c@d", "see http://***@host:80 and http://***@d"),
        ("http://ann:se@cret@host/", "http://***@host/"),
        ("Authorization: Bearer abcd-1234", "Authorization: Bearer ***"),
        ("{'authorization': 'Basic YW5uOnNlY3JldA=='}", "{'authorization': 'Basic ***'}"),
        ('{"api_key": "abcdef", "x": 1}', '{"api_key": "***", "x": 1}'),
        ("password=hunter2&x=1", "password=***&x=1"),
        ("mail ann@host.example about http://host/a@b", "mail ann@host.example about http://host/a@b"),
        ("a basic question, bearer of news", "a basic question, bearer of news"),
    ],
)  # fmt: skip
def test_what_looks_like_a_secret_is_hidden_and_nothing_else(text: str, told: str) -> None:
    if "question" in text:  # a word after these two may be hidden, for safety
        assert redacted(text).startswith("a basic ")
    else:
        assert redacted(text) == told


def test_a_very_long_text_is_no_trouble() -> None:
    for piece in ("http://", "://a", "password ", "Bearer ", "@", "api_key: '"):
        redacted(piece * 50_000, ("sesame",))


def test_passwords_are_found_in_addresses() -> None:
    assert passwords("https://ann:se%20cret@host/v1") == ["ann:se cret", "se cret"]
    assert passwords("https://token@host/v1") == ["token", "token"]
    assert passwords("https://host/v1") == passwords("http://[::1") == passwords(None) == []


# a hostile server


def sent(request: Handler) -> str:
    """The secret as the server got it."""
    return str(request.headers["authorization"]).split(" ", 1)[1]


def raw(start: str) -> Answer:
    def answer(request: Handler) -> None:
        request.wfile.write(start.replace("{}", sent(request)).encode())
        request.close_connection = True

    return answer


def tells(make: Callable[[str], Any], status: int = 200, **headers: str) -> Answer:
    """Answer with a body made of each form of the secret in turn."""

    def answer(request: Handler) -> None:
        known = (KEY,) if sent(request) == KEY else (PASSWORD, PAIR)
        told = [*forms(*known), sent(request)]
        made = make(" ".join(told))
        body = made if isinstance(made, str) else json.dumps(made)
        named = {key: value.replace("{}", sent(request)) for key, value in headers.items()}
        request.send(body.encode(), status, **named)

    return answer


def content(text: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}}], **more}


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" for c in text)


HOSTILE: dict[str, Answer] = {
    "401": tells(lambda told: {"error": told}, 401),
    "403 in plain words": tells(lambda told: f"who are you, {told}?", 403),
    "500": tells(lambda told: {"error": {"message": told, "headers": {told: told}}}, 500),
    "400": tells(lambda told: {"error": told}, 400),
    "across the end of an excerpt": tells(lambda told: "x" * 193 + told, 500),
    "the status text": raw("HTTP/1.1 500 {}\r\nContent-Length: 0\r\n\r\n"),
    "no status at all": raw("{} {}\r\n\r\n"),
    "a wrong version": raw("HTTP/{} 200 OK\r\n\r\n"),
    "a chunk": raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}\r\n"),
    "a redirect": tells(lambda told: told, 307, location="http://other.example/{}"),
    "an encoding": tells(lambda told: told, content_encoding="{}"),
    "a page": tells(lambda told: f"<html>{told}</html>"),
    "a list": tells(lambda told: [told]),
    "no content": tells(lambda told: {"error": told}),
    "chatter": tells(lambda told: content(f"Your key is {told}")),
    "a schema": tells(lambda told: content(json.dumps({"segments": told}))),
    "a memory": tells(lambda told: content(json.dumps({"segments": [segment(SAID + told)]}))),
    "labels": tells(
        lambda told: content(
            json.dumps({"segments": [segment(SAID, keywords=[told], phrase=told)]}),
            usage={"prompt_tokens": told},
        )
    ),
    "escapes": tells(
        lambda told: content(
            json.dumps({"segments": [segment(SAID, keywords=["KEY"], phrase="KEY")]}).replace(
                "KEY", escaped(told)
            )
        )
    ),
    "broken data": tells(
        lambda told: content('{"segments": [{"text": "' + SAID + '", "phrase": "' + told + '",}')
    ),
}


@pytest.fixture(params=["key", "password"])
def hostile(request: pytest.FixtureRequest, server: Server) -> dict[str, Any]:
    if request.param == "key":
        return {"model_url": server.url, "model_key": KEY}
    user = f"//ann:{quote(PASSWORD, safe='')}@"
    return {"model_url": server.url.replace("//", user)}


def bytes_below(folder: Path) -> Iterator[bytes]:
    return (path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def assert_untold(*told: str | bytes) -> None:
    for text in told:
        where = text.encode("utf-8", "replace") if isinstance(text, str) else text
        for form in (*forms(KEY, PASSWORD, PAIR), KEY[:9], PASSWORD[:9]):
            assert form.encode() not in where, form


def test_nothing_a_server_says_gets_a_secret_into_the_memory_its_export_log_or_events(
    server: Server, hostile: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = {"worker_timeout_ms": 5000, "max_retries": 0, "learn": False, **hostile}
    told: list[str] = []
    with Host(tmp_path / "root", settings=settings, clock=FakeClock()) as host:
        for number, server.answer in enumerate(HOSTILE.values()):
            with host.open(f"agent_{number}") as memory:
                told += heard(memory)
                for suffix in ("jsonl", "md", "ttl"):
                    memory.export(tmp_path / f"out_{number}.{suffix}")
    assert len(told) >= 3 * len(HOSTILE)
    assert_untold(*bytes_below(tmp_path), *told, caplog.text)


def heard(memory: Memory) -> list[str]:
    """What a memory tells once it was asked to remember something."""
    events, over = list[Any](), threading.Event()
    memory.on("*", events.append)
    for name in ("failed", "stored"):
        memory.on(name, lambda _: over.set())
    memory.remember(SAID)
    assert over.wait(PATIENCE)
    memory.flush(0.1)
    return [repr(memory.stats()), repr(memory.nodes()), *map(repr, events)]


def test_nothing_a_server_says_gets_a_secret_into_a_probe(
    server: Server, hostile: dict[str, Any]
) -> None:
    model = HTTPModel(hostile["model_url"], "tiny", hostile.get("model_key"), timeout=20)
    for server.answer in HOSTILE.values():
        assert_untold(repr(probe(model)), repr(model))


def test_a_word_of_the_conversation_that_is_also_the_key_stays_in_the_memory(
    server: Server, tmp_path: Path
) -> None:
    """Local servers take any key, and people use such words as keys."""
    said = "Dana runs ollama on the kitchen laptop."
    answer = {"segments": [segment(said, keywords=["ollama"])]}
    server.answer = lambda request: request.say(json.dumps(answer))
    settings = {"model_url": server.url, "model_key": "ollama", "learn": False}
    with Memory.open("a", root=tmp_path, settings=settings) as memory:
        memory.remember(said).result(PATIENCE)
        assert memory.nodes()[0].content == said
        assert memory.nodes()[0].keywords == ("ollama",)


def test_what_a_strangers_model_raises_is_told_without_secrets(tmp_path: Path) -> None:
    class Careless:
        name = "careless"

        def complete(self, ask: Any) -> Any:
            raise RuntimeError(f"no {KEY} at https://ann:{quote(PASSWORD)}@host/")

    settings = {"model_key": KEY, "max_retries": 0}
    events, trouble = list[Any](), threading.Event()
    with Memory.open("a", root=tmp_path, settings=settings, model=Careless()) as memory:
        memory.on("failed", lambda event: (events.append(event), trouble.set()))
        memory.remember(SAID)
        assert trouble.wait(PATIENCE)
    assert_untold(*bytes_below(tmp_path), repr(events))
    assert "careless: RuntimeError no ***" in repr(events)
    assert "***" in str(unanswered("x", ValueError("Bearer abcdefgh")))
