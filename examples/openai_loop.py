"""A loop with OpenAI's client, or any server that speaks its language (OPENAI_BASE_URL).

pip install wangchuan openai; OPENAI_API_KEY=… python examples/openai_loop.py
"""

import os
from typing import Any

from openai import OpenAI

from wangchuan import Memory
from wangchuan.integrations.plain import remembering

MODEL = os.environ.get("OPENAI_MODEL", "gpt-5-mini")


def main() -> None:
    """Talk until an empty line."""
    client = OpenAI()
    with Memory.open("ada") as memory:

        @remembering(memory)
        def answer(messages: list[Any]) -> Any:
            return client.chat.completions.create(model=MODEL, messages=messages)

        history: list[Any] = []
        while said := input("> ").strip():
            history.append({"role": "user", "content": said})
            reply = answer(history).choices[0].message.content
            history.append({"role": "assistant", "content": reply})
            print(reply)


if __name__ == "__main__":
    main()
