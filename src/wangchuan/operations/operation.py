"""An operation is a function with a sentence; its models are made from the signature.

The first parameter is the `Memory` or the `Host` it is done to, the others are what it takes. What
it returns are our frozen values: they become JSON, and JSON becomes them again, by their own
annotations, so that no value has a second description. Texts, truths and lists are put into an
object, because an answer must have room to grow.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model

from wangchuan.errors import InvalidInput
from wangchuan.operations.rights import Right
from wangchuan.pending import Pending
from wangchuan.types import value

T = TypeVar("T")
Verb = Literal["GET", "POST", "DELETE"]
# Plain results, and what they are called in an answer.
WRAPPED: dict[Any, str] = {str: "text", bool: "done", type(None): "done"}
_UNNAMED = {"Memory": object, "Host": object}  # what it is done to is no part of the models
GIVEN = ("agent", "principal", "data")  # given by whoever runs it, and no part of them either
PREFIX = "/v1/agents"


@value
class Page(Generic[T]):
    """A piece of a list; `next` is the cursor of the piece after it, None at the end."""

    items: list[T]
    next: str | None = None


class Taken(BaseModel):
    """What an operation takes; what it does not know is refused, so that no typing error hides."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Text(BaseModel):
    """A text."""

    text: str


class Done(BaseModel):
    """Whether it is done: false means that it took too long, and goes on."""

    done: bool


PLAIN: dict[str, type[BaseModel]] = {"text": Text, "done": Done}


@dataclass(frozen=True)
class Together:
    """How what several ask for at the same time is done at once: `prepare` makes of what one of
    them gave what `do` takes, or raises; `do` returns a result for each, or its error.
    """

    prepare: Callable[[Any], Any]
    do: Callable[[Any, list[Any]], list[Any]]


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked for, on every surface.

    `route` is its verb and path, below the agent unless it begins with a slash; `method` is what it
    is called on a `Memory` (None: it is no method of one), `creates` whether an agent that is not
    there is made, `status` the answer over HTTP when all is well, and `together` how many of them
    are done at once.
    """

    name: str
    function: Callable[..., Any]
    right: Right
    route: str
    method: str | None = None
    creates: bool = False
    status: int = 200
    together: Together | None = None

    @property
    def verb(self) -> Verb:
        """Return the verb of its route."""
        return self.route.split()[0]  # type: ignore[return-value]

    @property
    def path(self) -> str:
        """Return the path of its route, with the names of its parameters in braces."""
        _, _, path = self.route.partition(" ")
        if path.startswith("/"):
            return path
        return f"{PREFIX}/{{agent}}/{path}".rstrip("/")

    @cached_property
    def when(self) -> str:
        """Return the sentence that says when to call it."""
        return " ".join((inspect.getdoc(self.function) or "").split())

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.function, localns=dict(_UNNAMED), include_extras=True)

    @cached_property
    def of_host(self) -> bool:
        """Tell whether it is done to the host rather than to one memory."""
        return next(iter(inspect.signature(self.function).parameters)) == "host"

    @cached_property
    def given(self) -> tuple[str, ...]:
        """Return the names of what it is given by whoever runs it."""
        return tuple(n for n in inspect.signature(self.function).parameters if n in GIVEN)

    @cached_property
    def takes(self) -> type[BaseModel]:
        """Return the model of what it takes."""
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        fields: dict[str, Any] = {
            p.name: (self._hints[p.name], ... if p.default is p.empty else p.default)
            for p in parameters
            if p.name not in GIVEN
        }
        return create_model(_title(self.name), __base__=Taken, **fields)

    @cached_property
    def waits(self) -> bool:
        """Tell whether it waits for something, for as long as the caller likes."""
        return "timeout" in self.takes.model_fields

    @cached_property
    def result(self) -> Any:
        """Return the type of its result, as its method on a `Memory` gives it."""
        hint = self._hints["return"]
        return get_args(hint)[0] if get_origin(hint) is Pending else hint

    @cached_property
    def gives(self) -> TypeAdapter[Any]:
        """Return the model of its answer."""
        if get_origin(self.result) is list:
            return TypeAdapter(Page[get_args(self.result)[0]])  # type: ignore[arg-type, misc]
        name = WRAPPED.get(self.result)
        return TypeAdapter(self.result if name is None else PLAIN[name])

    @property
    def may_be_none(self) -> bool:
        """Tell whether there may be nothing to return."""
        return type(None) in get_args(self.result)

    def checked(self, given: Mapping[str, Any], *, strings: bool = False) -> BaseModel:
        """Return what was given as its model, or raise InvalidInput; `strings`: all are texts."""
        return fitted(self.takes, given, strict=not strings)

    def from_path(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Return what stands in a path, as what it must be; what it cannot be stays a text."""
        return {n: int(v) if n in self._whole and _is_whole(v) else v for n, v in given.items()}

    @cached_property
    def _whole(self) -> frozenset[str]:
        """Return the names of what it takes that are whole numbers."""
        fields = self.takes.model_fields.items()
        return frozenset(n for n, field in fields if field.annotation is int)

    def call(self, target: Any, given: BaseModel, **more: Any) -> Any:
        """Do it to a memory or a host; what takes time is returned as something to wait for."""
        values = {name: getattr(given, name) for name in type(given).model_fields}
        return self.function(target, **values, **more)

    def answered(self, value: Any) -> bytes:
        """Return a result as the JSON of its answer."""
        name = WRAPPED.get(self.result)
        if name is None:
            return self.gives.dump_json(Page(value) if isinstance(value, list) else value)
        return self.gives.dump_json(self.gives.validate_python({name: _told_of(value)}))

    def read(self, answer: bytes) -> Any:
        """Return the result of an answer in JSON: the inverse of `answered`."""
        value, name = self.gives.validate_json(answer), WRAPPED.get(self.result)
        if self.result is type(None):
            return None
        return getattr(value, name) if name else value


Model = TypeVar("Model", bound=BaseModel)


def fitted(model: type[Model], given: Mapping[str, Any], *, strict: bool) -> Model:
    """Return what was given as a model, or raise InvalidInput with every fault."""
    try:
        return model.model_validate(given, strict=strict)
    except ValidationError as error:
        raise InvalidInput(_told(error)) from None


def _told_of(value: Any) -> Any:
    """Return a plain result as an answer says it: what returns nothing is done."""
    return True if value is None else value


def _title(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace(".", "_").split("_"))


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19


def _told(error: ValidationError) -> str:
    """Return, in one line, what is wrong with what was given."""
    faults = [
        f"{'.'.join(map(str, fault['loc'])) or 'what was given'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False)[:5]
    ]
    return "; ".join(faults)
