from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms.mock import MockLLM


class Model(MockLLM):
    _answer: Any = PrivateAttr()

    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__()
        self._answer = answer

    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        shown = "\n".join(message.content or "" for message in messages)
        return ChatResponse(message=ChatMessage(role="assistant", content=self._answer(shown)))

    async def achat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        return self.chat(messages)


def model(answer: Callable[[str], str]) -> Model:
    return Model(answer)
