"""Making a history short, by the model that is set for it."""

from __future__ import annotations

from collections.abc import Sequence

from wangchuan.answers import model_of
from wangchuan.language.attention import compacted
from wangchuan.language.tokens import tokens
from wangchuan.models.http import HTTPModel
from wangchuan.notebook.owner import Owner
from wangchuan.notebook.questions import Questions
from wangchuan.notebook.routines import compact as compaction
from wangchuan.notebook.routines.compact import Said
from wangchuan.settings import groups
from wangchuan.settings.fields import Settings


class Compacting:
    """Makes histories short, by the agent's model or by one that is set for compacting."""

    def __init__(self, agent: Owner, questions: Questions) -> None:
        self._settings = agent.settings.part(groups.Notebook)
        self._model = _model_of(agent.settings)
        self._questions = Questions(agent, self._model) if self._model else questions

    def close(self) -> None:
        """Close the client of a model of our own."""
        if self._model is not None:
            self._model.close()

    def shortened(self, said: Sequence[Said], before: str) -> str:
        """Return what a model makes of a history, in one question or window by window."""
        window = self._settings.compact_window_tokens
        target = self._settings.compact_target_tokens
        if not window:
            return self._asked(said, before, target)
        parts = compaction.windows(said, window)
        made = [self._asked(part, "", min(window, target)) for part in parts]
        text = "\n".join(filter(None, [before, *made]))
        return text if tokens(text) <= target else compacted((), text, target)

    def _asked(self, said: Sequence[Said], before: str, target: int) -> str:
        return self._questions.answer(
            compaction.ask(said, before, target),
            lambda answer: compaction.read(answer, said, before),
        )


def _model_of(settings: Settings) -> HTTPModel | None:
    """Return the model that is set for compacting alone, if there is one."""
    if settings.compact_model_url is None:
        return None
    own = {"model_url": settings.compact_model_url, "model_name": settings.compact_model_name}
    model = model_of(settings.model_copy(update={**own, "model_key": settings.compact_model_key}))
    return model if isinstance(model, HTTPModel) else None
