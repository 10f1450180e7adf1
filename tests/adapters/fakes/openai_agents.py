from collections.abc import Callable
from typing import Any

from agents import set_tracing_disabled
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)


class Answering(Model):
    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:  # noqa: A002
        shown = f"{system_instructions}\n{input if isinstance(input, str) else input[-1]}"
        text = ResponseOutputText(text=self.answer(shown), type="output_text", annotations=[])
        said = ResponseOutputMessage(
            id="msg_x", type="message", role="assistant", status="completed", content=[text]
        )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def model(answer: Callable[[str], str]) -> Model:
    return Answering(answer)
