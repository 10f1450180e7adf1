"""A language model behind any OpenAI-compatible URL.

A base URL, a model name and, where wanted, a key are enough: Ollama, llama.cpp, vLLM, LM Studio,
OpenRouter and OpenAI speak the same chat completions. They differ in how an answer's shape can be
asked for, so the strictest way is tried first and the one that is understood is remembered.

What comes back is a stranger's: redirects are not followed, compression is not asked for and not
accepted, bodies are read up to a size and a deadline, and anything unexpected is a ModelError.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wangchuan.errors import InvalidInput, ModelError, UnusableAnswer
from wangchuan.models.parsing import parsed, without_thinking
from wangchuan.models.seam import Ask, Reply
from wangchuan.types import Clock

if TYPE_CHECKING:
    import httpx

HTTP_OK = 200
LARGEST_BODY = 4 << 20  # bytes
FORMS = ("json_schema", "json_object", "plain")  # ways to ask for a shape, strictest first
NOT_UNDERSTOOD = {400, 404, 415, 422, 501}  # what servers say to a form they do not know
EXCERPT = 200


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
        self.name, self.url = name, checked_url(url)
        self._timeout, self._monotonic = timeout, monotonic
        self._key, self._form = key, 0
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def complete(self, ask: Ask) -> Reply:
        """Ask once; raises ModelError if the server fails, UnusableAnswer if its answer does."""
        for form in range(self._form, len(FORMS)):
            status, body = self._send("POST", "/chat/completions", self._body(ask, FORMS[form]))
            if status not in NOT_UNDERSTOOD:
                break
        if status == HTTP_OK:
            self._form = form  # what was understood is asked for from now on
        return self._reply(status, body)

    def chat(self, messages: Sequence[Mapping[str, str]]) -> Reply:
        """Return the server's next words in a conversation as `{"text": …}`, without thinking.

        Nothing is asked of their shape. Raises ModelError and UnusableAnswer like `complete`.
        """
        body = {"model": self.name, "messages": list(messages), "stream": False}
        content, used = _content(self.post("/chat/completions", body))
        text = without_thinking(content)
        if not text:
            raise UnusableAnswer("the server's answer is empty")
        return Reply({"text": text}, *used)

    def models(self) -> list[str]:
        """Return the names of the models the server says it has."""
        status, body = self._send("GET", "/models")
        found = _json(status, body).get("data")
        names = [item.get("id") for item in found or [] if isinstance(item, Mapping)]
        return [name for name in names if isinstance(name, str)]

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send JSON to another address of the server and return the JSON it answers."""
        return _json(*self._send("POST", path, body))

    @property
    def form(self) -> str:
        """Return the way of asking for a shape that is in use."""
        return FORMS[self._form]

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()

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

    def _reply(self, status: int, body: bytes) -> Reply:
        content, used = _content(_json(status, body))
        return Reply(parsed(content), *used)

    def _send(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        import httpx

        end = self._monotonic() + self._timeout
        try:
            with self._http().stream(method, self.url + path, json=body) as response:
                if 300 <= response.status_code < 400:
                    raise ModelError(
                        f"{self.url} redirects, which is not followed; set its address"
                    )
                if response.headers.get("content-encoding", "identity") != "identity":
                    raise ModelError(f"{self.url} sent a compressed body, which is not read")
                return response.status_code, self._read(response, end)
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            raise ModelError(f"cannot reach {self.url}: {type(error).__name__} {error}") from error

    def _read(self, response: httpx.Response, end: float) -> bytes:
        read = bytearray()
        for part in response.iter_raw():
            read += part
            if len(read) > LARGEST_BODY:
                raise ModelError(f"{self.url} sent more than {LARGEST_BODY} bytes")
            if self._monotonic() > end:
                raise ModelError(f"{self.url} took longer than {self._timeout:g} seconds")
        return bytes(read)

    def _http(self) -> httpx.Client:
        import httpx  # loaded when a model is used, not when the library is

        with self._lock:
            if self._client is None:
                headers = {"accept-encoding": "identity"}
                if self._key:
                    headers["authorization"] = f"Bearer {self._key}"
                limits = httpx.Timeout(self._timeout, connect=min(10.0, self._timeout))
                self._client = httpx.Client(headers=headers, timeout=limits)
            return self._client


def checked_url(url: str) -> str:
    """Return a base URL without its last slash, or raise InvalidInput."""
    import httpx

    try:
        parts = httpx.URL(url)
    except (httpx.InvalidURL, TypeError) as error:
        raise InvalidInput(f"model_url {url!r} is not a URL: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.host:
        raise InvalidInput(f"model_url must begin with http:// or https://, not {url!r}")
    return url.rstrip("/")


def _json(status: int, body: bytes) -> dict[str, Any]:
    text = body.decode("utf-8", "replace")
    if status == 401 or status == 403:
        raise ModelError(f"the server refused the key (HTTP {status}): {text[:EXCERPT]}")
    if status != HTTP_OK:
        raise ModelError(f"the server said HTTP {status}: {text[:EXCERPT]}")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"the server did not send JSON: {text[:EXCERPT]!r}") from error
    if not isinstance(found, dict):
        raise ModelError(f"the server sent no object: {text[:EXCERPT]!r}")
    return found


def _content(found: Mapping[str, Any]) -> tuple[str, tuple[int, int]]:
    """Return what a completion says, and the tokens it took, or raise UnusableAnswer."""
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
    return content, (_count(used.get("prompt_tokens")), _count(used.get("completion_tokens")))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
