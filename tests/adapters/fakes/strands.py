from collections.abc import Callable
from typing import Any

from strands.models import Model


class Answering(Model):
    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer

    def update_config(self, **_: Any) -> None:
        pass

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> Any:
        shown = [part.get("text", "") for message in messages for part in message["content"]]
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": self.answer("\n".join(shown))}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def model(answer: Callable[[str], str]) -> Answering:
    return Answering(answer)
