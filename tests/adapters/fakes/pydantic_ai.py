from collections.abc import Callable
from typing import Any

from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel


def model(answer: Callable[[str], str]) -> FunctionModel:
    def reply(messages: Any, info: Any) -> ModelResponse:
        shown = [str(part.content) for message in messages for part in message.parts]
        return ModelResponse(parts=[TextPart(answer("\n".join(shown)))])

    return FunctionModel(reply)
