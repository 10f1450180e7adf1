"""Trying a model server once, to say what it can do before it is relied on."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from wangchuan.errors import ModelError, UnusableAnswer
from wangchuan.models.http import HTTPModel
from wangchuan.models.seam import TEXT, Ask, Reply, object_of
from wangchuan.types import Clock

ENGLISH = "Copy the words of the user into `text`, unchanged. Output JSON only."
CHINESE = "把用户的话原样写进 text。只输出 JSON。"
WORDS = {"en": "The ferry leaves at nine.", "zh": "渡船九点开。"}
SCHEMA = object_of(text=TEXT)


@dataclass(slots=True)
class Findings:
    """What a model server can do; `notes` says in words what went wrong."""

    url: str
    model: str
    reachable: bool = False
    present: bool | None = None  # None: the server does not say
    obeys_schema: bool = False
    form: str = ""
    tokens_per_second: float | None = None
    english: bool = False
    chinese: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Return what will be used."""
        if not self.reachable:
            return "nobody answers: messages are kept and digested once the server is there"
        if not self.obeys_schema:
            return "its answers are no use: the offline model will take over after two tries"
        return f"the model will be used, with {self.form}; unusable answers go to the offline one"


def probe(model: HTTPModel, monotonic: Clock = time.monotonic) -> Findings:
    """Ask a server for its models and for two small answers."""
    found = Findings(model.url, model.name)
    _look_for_model(model, found)
    for tongue, instructions in (("en", ENGLISH), ("zh", CHINESE)):
        began = monotonic()
        reply = _try(model, instructions, WORDS[tongue], found)
        if reply is not None:
            _rate(found, reply, monotonic() - began)
            said = reply.data.get("text") if isinstance(reply.data, dict) else None
            found.obeys_schema = found.obeys_schema or isinstance(said, str)
            setattr(found, "english" if tongue == "en" else "chinese", said == WORDS[tongue])
    found.form = model.form
    return found


def _look_for_model(model: HTTPModel, found: Findings) -> None:
    try:
        names = model.models()
    except ModelError as error:
        found.notes.append(f"/models: {error}")
        return
    found.reachable = True
    found.present = model.name in names if names else None
    if found.present is False:
        found.notes.append(f"the server names {', '.join(names[:5])}, not {model.name}")


def _try(model: HTTPModel, instructions: str, words: str, found: Findings) -> Reply | None:
    ask = Ask("probe", {}, instructions, words, SCHEMA, most_tokens=100)
    try:
        reply = model.complete(ask)
    except UnusableAnswer as error:
        found.reachable = True
        found.notes.append(str(error))
        return None
    except ModelError as error:
        found.notes.append(str(error))
        return None
    found.reachable = True
    return reply


def _rate(found: Findings, reply: Reply, seconds: float) -> None:
    if reply.completion_tokens and seconds > 0:
        found.tokens_per_second = round(reply.completion_tokens / seconds, 1)


def as_lines(found: Findings) -> list[tuple[str, Any]]:
    """Return the findings as names and values, in the order of telling."""
    return [
        ("server", found.url),
        ("model", found.model),
        ("reachable", found.reachable),
        ("model is there", found.present),
        ("obeys a JSON schema", found.obeys_schema),
        ("asked with", found.form),
        ("tokens per second", found.tokens_per_second),
        ("copies English", found.english),
        ("copies Chinese", found.chinese),
    ]
