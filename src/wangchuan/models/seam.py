"""The one seam between the engine and a language model.

A routine asks; a model answers with plain data in the shape of the routine's schema. A model that
runs elsewhere reads the instructions, the prompt and the schema; the built-in one reads `routine`
and `data`. A fake for a test is an object with one method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, overload

from wangchuan.types import value

T = TypeVar("T")


class Late(Generic[T]):
    """A field that may be given as the function that makes it, which is called when it is read.

    Rules answer most questions: for them nobody has to write a prompt.
    """

    def __init__(self, default: T) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, ask: None, owner: type) -> T: ...
    @overload
    def __get__(self, ask: object, owner: type) -> T: ...
    def __get__(self, ask: object | None, owner: type) -> T:
        if ask is None:
            return self._default
        value = vars(ask)[self._name]
        if callable(value):
            value = vars(ask)[self._name] = value()
        return value  # type: ignore[no-any-return]

    def __set__(self, ask: object, value: T | Callable[[], T]) -> None:
        vars(ask)[self._name] = value


TEXT, WHOLE, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}  # in a schema


def list_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": item}


def object_of(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with these properties, all of them and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@dataclass(frozen=True)
class Ask:
    """One question to a model; `attempt` counts from 0: a retry may be asked differently.

    With `lines`, an answer in lines of text is as good as data: it is handed on as it was written.
    With `small`, a decision endpoint may answer by these questions alone (see `deciding`).
    """

    routine: str
    data: Mapping[str, Any]
    instructions: str = ""
    prompt: Late[str] = Late("")
    schema: Mapping[str, Any] = field(default_factory=dict)
    most_tokens: Late[int] = Late(2048)
    attempt: int = 0
    lines: bool = False
    small: tuple[Any, ...] = ()  # questions of `deciding` that answer it as well


@value
class Reply:
    """An answer with what it cost, where the model says so."""

    data: Any
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ByRule(dict[str, Any]):
    """An answer of rules, made of what they were given: there is nothing in it to doubt."""


class Model(Protocol):
    """A model: anything with a `complete` that answers questions.

    It raises ModelError when it cannot be asked and UnusableAnswer when its answer is no use. One
    with `inline = True` is quick enough to be asked in passing; one with `extractive = True`
    shortens texts only by leaving words out.
    """

    @property
    def name(self) -> str:
        """Return what to call it in figures and messages."""

    def complete(self, ask: Ask) -> Mapping[str, Any] | Reply:
        """Answer one question with plain data."""
