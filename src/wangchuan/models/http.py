"""A language model behind any OpenAI-compatible URL.

A base URL, a model name and, where wanted, a key are enough: Ollama, llama.cpp, vLLM, LM Studio,
OpenRouter and OpenAI speak the same chat completions. They differ in how an answer's shape can be
asked for. So the strictest form is tried first, and the form that a server understands is
remembered. Parameters that a server names when it refuses a request are left out from then on.

An answer is a stranger's text: anything unexpected is a ModelError, and our key is taken out of it
before it is told or used.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from wangchuan.errors import KeyRefused, ModelError, UnusableAnswer
from wangchuan.language.tokens import plausible
from wangchuan.models import deciding
from wangchuan.models.parsing import LONGEST, parsed, plain, without_thinking
from wangchuan.models.seam import Ask, Reply
from wangchuan.models.wire import HTTP_OK, Deadline, Wire, basic, checked_url
from wangchuan.redaction import passwords, redacted, without
from wangchuan.types import Clock

FORMS = ("json_schema", "json_object", "plain")  # ways to ask for a shape, strictest first
NOT_UNDERSTOOD = {400, 404, 415, 422, 501}  # words of servers about a form they do not know
NOT_TAKEN = {400, 422}  # and to a parameter
OPTIONAL = ("temperature", "seed", "max_tokens")
INSTEAD = {"max_tokens": "max_completion_tokens"}  # the name that some servers have for it
UNAUTHORISED, FORBIDDEN = 401, 403
REFUSED_SECONDS = 600.0  # a server that never took our key is not asked again before
EXCERPT = 200
LARGEST_COMPLAINT = 4096  # bytes of an answer in which parameters are looked for


class HTTPModel:
    """Chat completions over HTTP; safe to use from several threads."""

    def __init__(
        self,
        url: str,
        name: str,
        key: str | None = None,
        *,
        timeout: float = 300.0,
        monotonic: Clock = time.monotonic,
    ) -> None:
        base = checked_url(url)
        self.name, self.url = name, redacted(base)  # what is told of the address
        self._base, self._timeout, self._monotonic = base, timeout, monotonic
        self._secrets = (*passwords(base), *filter(None, [key]))
        self._headers, self._form = _headers(base, key), 0
        self._names = dict(zip(OPTIONAL, OPTIONAL, strict=True))  # as sent; "": left out
        self._worked, self._decides = False, True
        self._refusal: tuple[float, tuple[int, bytes]] | None = None  # of our key, until when
        self._wire = Wire()

    def complete(self, ask: Ask) -> Reply:
        """Ask once; raises ModelError if the server fails, UnusableAnswer if its answer does.

        Small questions go to the server's decision endpoint, until it says that it has none.
        """
        if ask.small and self._decides and (reply := self._decided(ask)):
            return reply
        until, names = self._deadline(), self._names  # one for all the ways of asking
        for form in range(self._form, len(FORMS)):
            names, status, answer = self._negotiate(self._body(ask, FORMS[form]), names, until)
            if status not in NOT_UNDERSTOOD:
                break
        if status == HTTP_OK:
            self._form, self._names = form, names  # understood: used from now on
        secrets = self._unsaid(ask.instructions + ask.prompt)
        content, used = _content(self._json(status, answer, secrets))
        data = without_thinking(content)[:LONGEST] if ask.lines else parsed(content)
        return Reply(plain(data, lambda text: without(text, secrets)), *used)

    def _decided(self, ask: Ask) -> Reply | None:
        """Ask the decision endpoint; None if the server has none, or answers in another form."""
        sent = deciding.body(ask, self.name)
        status, answer = self._send("POST", "/decisions", sent, self._deadline())
        if status in (UNAUTHORISED, FORBIDDEN):
            self._json(status, answer)  # raises, as for any question
        found = self._json(status, answer, self._unsaid(ask.prompt)) if status == HTTP_OK else {}
        told = deciding.answered(found, ask)
        self._decides = any(one.id in told for one in ask.small)
        return Reply(told) if self._decides else None

    def _negotiate(
        self, body: dict[str, Any], names: dict[str, str], until: Deadline
    ) -> tuple[dict[str, str], int, bytes]:
        """Send a question, and again without the parameters that the server does not take."""
        while True:
            sent = {names.get(key, key): value for key, value in body.items()}
            sent.pop("", None)
            status, answer = self._send("POST", "/chat/completions", sent, until)
            told = _complaint(answer) if status in NOT_TAKEN else ""
            refused = [key for key, name in names.items() if name and name in told]
            if not refused:
                return names, status, answer
            names = names | {key: _other_name(key, names[key], told) for key in refused}

    def chat(self, messages: Sequence[Mapping[str, str]]) -> Reply:
        """Return the server's next words in a conversation as `{"text": …}`, without thinking.

        Nothing is asked of their shape. Raises ModelError and UnusableAnswer like `complete`.
        """
        body = {"model": self.name, "messages": list(messages), "stream": False}
        status, answer = self._send("POST", "/chat/completions", body, self._deadline())
        secrets = self._unsaid("\n".join(message["content"] for message in messages))
        content, used = _content(self._json(status, answer, secrets))
        text = without_thinking(content)
        if not text:
            raise UnusableAnswer("the server's answer is empty")
        return Reply({"text": text}, *used)

    def models(self) -> list[str]:
        """Return the names of the models the server says it has."""
        found = self._json(*self._send("GET", "/models", None, self._deadline())).get("data")
        items = found if isinstance(found, list) else []
        names = [item.get("id") for item in items if isinstance(item, Mapping)]
        return [name for name in names if isinstance(name, str)]

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send JSON to another address of the server and return the JSON it answers."""
        return self._json(*self._send("POST", path, body, self._deadline()))

    @property
    def form(self) -> str:
        """Return the way of asking for a shape that is in use."""
        return FORMS[self._form]

    def close(self) -> None:
        """End all requests under way."""
        self._wire.close()

    def _body(self, ask: Ask, form: str) -> dict[str, Any]:
        body = {
            "model": self.name,
            "messages": [
                {"role": "system", "content": ask.instructions},
                {"role": "user", "content": ask.prompt},
            ],
            "temperature": min(0.2 * ask.attempt, 0.8),  # the same again gives the same again
            "seed": ask.attempt,
            "stream": False,
            "max_tokens": ask.most_tokens,
        }
        if form == "json_schema":
            schema = {"name": ask.routine, "schema": dict(ask.schema), "strict": True}
            body["response_format"] = {"type": form, "json_schema": schema}
        elif form == "json_object":
            body["response_format"] = {"type": form, "schema": dict(ask.schema)}
        return body

    def _deadline(self) -> Deadline:
        return Deadline(self._timeout, self._monotonic)

    def _send(self, method: str, path: str, body: Any, until: Deadline) -> tuple[int, bytes]:
        sent = None if body is None else json.dumps(body).encode()
        if sent and self._refusal and self._monotonic() < self._refusal[0]:
            return self._refusal[1]
        try:
            answer = self._wire.send(method, self._base + path, self._headers, sent, until)
            self._worked = self._worked or (bool(sent) and answer[0] == HTTP_OK)
            refused = bool(sent) and not self._worked and self._is_about_key(answer[0])
            self._refusal = (self._monotonic() + REFUSED_SECONDS, answer) if refused else None
            return answer
        except ModelError as error:  # that error tells what was sent, so no error is chained to it
            told = redacted(f"cannot reach {self.url}: {error}", self._secrets)
        raise ModelError(told)

    def _is_about_key(self, status: int) -> bool:
        """Tell whether an answer refuses our key; one that worked may be forbidden some things."""
        return status == UNAUTHORISED or (status == FORBIDDEN and not self._worked)

    def _unsaid(self, asked: str) -> Sequence[str]:
        """Return our secrets, without one that is a word of the question."""
        return [secret for secret in self._secrets if secret not in asked]

    def _json(
        self, status: int, body: bytes, secrets: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """Return the object a server sent, without `secrets` in it (unless told, all of ours)."""
        text = body.decode("utf-8", "replace")
        hidden = self._secrets if secrets is None else secrets
        try:
            found = plain(json.loads(text), lambda text: without(text, hidden))
        except (ValueError, RecursionError, UnusableAnswer):
            found = None
        if status == HTTP_OK and isinstance(found, dict):
            return found
        told = redacted(text, self._secrets)[:EXCERPT]
        if status == HTTP_OK:
            raise ModelError(f"the server sent no object of JSON: {told!r}")
        if self._is_about_key(status):
            raise KeyRefused(f"the server refused the key (HTTP {status}): {told}")
        raise ModelError(f"the server failed (HTTP {status}): {told}")


def _headers(url: str, key: str | None) -> dict[str, str]:
    parts, headers = urlsplit(url), {"Content-Type": "application/json"}
    if parts.username or parts.password:
        headers["Authorization"] = basic(parts)
    elif key:
        headers["Authorization"] = f"Bearer {key}"
    return headers


def _complaint(answer: bytes) -> str:
    """Return a server's reason for refusing a request, without the request it repeats."""
    text = answer[:LARGEST_COMPLAINT].decode("utf-8", "replace")
    try:
        error = json.loads(text).get("error")
        return f"{error['message']} {error.get('param')}"
    except (ValueError, RecursionError, AttributeError, TypeError, KeyError):
        return text


def _other_name(key: str, name: str, told: str) -> str:
    """Return the name that a server wants for a refused parameter; "" to leave it out."""
    other = INSTEAD.get(key, "")
    return other if other and other != name and other in told else ""


def _content(found: Mapping[str, Any]) -> tuple[str, tuple[int, int]]:
    """Return the text of a completion and its tokens, or raise UnusableAnswer."""
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        raise UnusableAnswer("the server's answer has no content")
    used = found.get("usage")
    used = used if isinstance(used, Mapping) else {}
    return content, (plausible(used.get("prompt_tokens")), plausible(used.get("completion_tokens")))
