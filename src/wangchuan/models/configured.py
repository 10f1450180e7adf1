"""The model and the embedder that the settings name."""

from __future__ import annotations

from wangchuan.models.embedding import Embedder, HTTPEmbedder, LocalEmbedder
from wangchuan.models.offline import OfflineModel
from wangchuan.models.seam import Model
from wangchuan.settings.fields import Settings


def embedder_of(settings: Settings) -> Embedder | None:
    """Return the embedder the settings name; None if they name none."""
    if settings.embedder == "local":
        return LocalEmbedder()
    if settings.embedder == "none" or settings.embedding_url is None:
        return None
    key = settings.embedding_key.get_secret_value() if settings.embedding_key else None
    timeout = settings.worker_timeout_ms / 1000
    return HTTPEmbedder(settings.embedding_url, settings.embedding_name, key, timeout=timeout)


def model_of(settings: Settings) -> Model:
    """Return the model the settings name; the offline one if they name none."""
    if settings.model_url is None:
        return OfflineModel()
    from wangchuan.models.http import HTTPModel  # and all it takes to speak HTTP

    key = settings.model_key.get_secret_value() if settings.model_key else None
    return HTTPModel(
        settings.model_url,
        settings.model_name,
        key,
        timeout=settings.worker_timeout_ms / 1000,
    )
