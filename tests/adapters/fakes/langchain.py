from collections.abc import Callable
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Model(GenericFakeChatModel):
    answer: Any = None

    def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
        shown = "\n".join(message.text for message in messages)
        said = AIMessage(self.answer(shown))
        return ChatResult(generations=[ChatGeneration(message=said)])

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self


def model(answer: Callable[[str], str]) -> Any:
    return Model(messages=iter(()), answer=answer)
