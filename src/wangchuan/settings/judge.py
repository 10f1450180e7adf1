"""Settings judged by pydantic: converted, or refused with the bound. Loaded only when needed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, cast, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, create_model

from wangchuan.arguments import a_path
from wangchuan.settings.group import Group, Setting

JUDGING = ConfigDict(
    extra="forbid",
    allow_inf_nan=False,
    validate_default=True,
    hide_input_in_errors=True,  # the value may be a key
    protected_namespaces=(),
)


def judged(group: type[Group], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a group's settings. Raises ValidationError with every fault."""
    made = model_of(cast("Hashable", group))(**values)
    return {name: getattr(made, name) for name in group.model_fields}


@cache
def model_of(group: Any) -> type[BaseModel]:
    """Return a group as a model of pydantic."""
    told: dict[str, Any] = {name: _field(one) for name, one in group.model_fields.items()}
    made: type[BaseModel] = create_model(group.__name__, __config__=JUDGING, **told)
    return made


def _field(one: Setting) -> tuple[Any, Any]:
    kind: Any = SecretStr | None if isinstance(one.annotation, str) else one.annotation
    if Path in (kind, *get_args(kind)):
        kind = Annotated[kind, BeforeValidator(_as_path)]
    return kind, Field(one.default, description=one.description, **one.bounds)


def _as_path(given: Any) -> Path | None:
    return None if given is None else a_path(given, "it")
