"""The one seam between the engine and a language model.

A routine asks; a model answers with plain data in the shape of the routine's schema. A model that
runs elsewhere reads `prompt` and `schema`; the built-in one reads `routine` and `data`. A fake for
a test is an object with one method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to a model."""

    routine: str
    data: Mapping[str, Any]
    prompt: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)


class Model(Protocol):
    """Anything that can answer. It raises ModelError when it has no usable answer."""

    @property
    def name(self) -> str:
        """Return what to call it in figures and messages."""

    def complete(self, ask: Ask) -> Mapping[str, Any]:
        """Answer one question with plain data."""
