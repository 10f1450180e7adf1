"""What a group of settings is: values by their names, each with a default, a bound and a meaning.

A value that is plainly right is taken as it is: the type and the bound of its setting say so.
Whatever else is given pydantic judges (`settings.judge`), which converts it or says what is wrong.
Loading pydantic takes longer than all else before a first search, and most programs never need it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import FrozenInstanceError
from math import isfinite
from operator import ge, gt, le, lt
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args, get_origin

from wangchuan.arguments import a_path
from wangchuan.patterns import later
from wangchuan.redaction import redacted
from wangchuan.types import value

if TYPE_CHECKING:
    from wangchuan.settings import judge
else:
    judge = later("wangchuan.settings.judge")

SIGNS = {"ge": ge, "gt": gt, "le": le, "lt": lt}


@value
class Setting:
    """What one setting may be; `bounds` are those of pydantic's `Field`."""

    default: Any
    bounds: Mapping[str, Any]
    description: str
    annotation: Any = None

    @property
    def value(self) -> Any:
        """Return the default as a value."""
        return float(self.default) if self.annotation is float else self.default

    def holds(self, given: Any) -> bool:
        """Tell whether a value is plainly right: of the very type, and within the bound."""
        if isinstance(self.annotation, str):  # of a key, which pydantic wraps
            return given is None
        if get_origin(self.annotation) is Literal:
            return type(given) is str and given in get_args(self.annotation)
        kinds = get_args(self.annotation) or (self.annotation,)
        if given is None or isinstance(given, Path):
            kind: type[object] = type(None) if given is None else Path
            return kind in kinds and (given is None or a_path(given, "it") == given)
        able = type(given) in kinds and (type(given) is not float or isfinite(given))
        signs = [(SIGNS.get(name), bound) for name, bound in self.bounds.items()]
        return able and all(sign is not None and sign(given, bound) for sign, bound in signs)


def setting(default: Any, *, description: str, **bounds: Any) -> Any:
    """Return a setting, to stand in the class of its group."""
    return Setting(default, bounds, description)


class Group:
    """A few settings that belong together; immutable."""

    model_fields: ClassVar[dict[str, Setting]] = {}

    def __init_subclass__(cls) -> None:
        """Gather the settings of a group; of several, those of the last base come first."""
        cls.model_fields = {}
        for base in reversed(cls.__mro__[1:]):
            cls.model_fields |= getattr(base, "model_fields", {})
        for name, kind in vars(cls).get("__annotations__", {}).items():
            one = vars(cls)[name]
            cls.model_fields[name] = Setting(one.default, one.bounds, one.description, kind)
            delattr(cls, name)  # only an instance has a value

    def __init__(self, **values: Any) -> None:
        """Take these values and the defaults of the others; raises ValueError."""
        self.__dict__.update(self._judged(values))

    @classmethod
    def _judged(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return a value for every setting. Raises pydantic's ValidationError, a ValueError."""
        known = cls.model_fields
        if all(name in known and _holds(known[name], one) for name, one in values.items()):
            return {name: one.value for name, one in known.items()} | dict(values)
        return judge.judged(cls, values)

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """Return a group of values that were judged before."""
        made = cls.__new__(cls)
        made.__dict__.update(values)
        return made

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """Return a copy with other values, which are taken as they are."""
        return self.model_construct(**{**self.__dict__, **update})

    def model_dump(self) -> dict[str, Any]:
        """Return the values by their names."""
        return dict(self.__dict__)

    def __setattr__(self, name: str, _: Any) -> None:
        raise FrozenInstanceError(f"settings are frozen: {name} cannot be changed")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._told())})"

    def _told(self) -> Iterator[str]:
        for name, one in self.__dict__.items():
            yield f"{name}={redacted(one) if isinstance(one, str) else one!r}"


def _holds(one: Setting, given: Any) -> bool:
    try:
        return one.holds(given)
    except ValueError:  # a path that no system takes: pydantic says so by its name
        return False
