from collections.abc import Callable
from typing import Any

from agent_framework import BaseChatClient, ChatResponse, Message


class Client(BaseChatClient):
    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__()
        self.answer = answer

    def _inner_get_response(self, *, messages: Any, stream: bool = False, **_: Any) -> Any:
        async def respond() -> ChatResponse:
            shown = "\n".join(message.text for message in messages)
            return ChatResponse(messages=Message("assistant", [self.answer(shown)]))

        return respond()


def model(answer: Callable[[str], str]) -> Client:
    return Client(answer)
