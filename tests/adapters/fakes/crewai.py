from collections.abc import Callable
from typing import Any

from crewai import BaseLLM
from pydantic import PrivateAttr


class Answering(BaseLLM):
    _answer: Any = PrivateAttr(None)

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        told = messages if isinstance(messages, list) else [{"content": messages}]
        shown = "\n".join(str(one["content"]) for one in told)
        return f"Thought: I know enough.\nFinal Answer: {self._answer(shown)}"


def model(answer: Callable[[str], str]) -> Answering:
    made = Answering(model="fake")
    made._answer = answer
    return made
