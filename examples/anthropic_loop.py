"""A loop with Anthropic's client; `Chat` keeps the window short and passes answers on as they come.

pip install wangchuan anthropic; ANTHROPIC_API_KEY=… python examples/anthropic_loop.py
"""

import os
from collections.abc import Iterator
from typing import Any

from anthropic import Anthropic

from wangchuan import Chat, Memory

MODEL = os.environ.get("ANTHROPIC_MODEL", "claude-sonnet-5")


def main() -> None:
    """Talk until an empty line."""
    client = Anthropic()

    def reply(messages: list[Any]) -> Iterator[str]:
        system = "\n\n".join(m["content"] for m in messages if m["role"] == "system")
        turns = [m for m in messages if m["role"] != "system"]
        options: Any = {"model": MODEL, "max_tokens": 1024, "system": system, "messages": turns}
        with client.messages.stream(**options) as stream:
            yield from stream.text_stream

    with Memory.open("ada") as memory, Chat(memory, reply) as chat:
        while said := input("> ").strip():
            for piece in chat.stream(said):
                print(piece, end="", flush=True)
            print()


if __name__ == "__main__":
    main()
