from collections.abc import Callable
from typing import Any

from google.adk.models import BaseLlm, LlmResponse
from google.genai.types import Content, Part


class Model(BaseLlm):
    answer: Any = None

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        told = str(llm_request.config.system_instruction or "")
        said = [part.text or "" for c in llm_request.contents for part in c.parts]
        text = self.answer("\n".join([told, *said]))
        yield LlmResponse(content=Content(role="model", parts=[Part(text=text)]))


def model(answer: Callable[[str], str]) -> Model:
    return Model(model="fake", answer=answer)
