"""What an adapter's turn costs beside the library's own: context and remember, by processor time.

Turns of both kinds are taken by turns, in two memories that are told the same; each is digested
before the clock stops, so that work in the background counts where it belongs.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable

from wangchuan import Memory
from wangchuan.integrations.plain import remembering

TURNS = 200
SAID = (
    "My cat number {} is called Mimi.",
    "What is my cat number {} called?",
    "我的第{}只猫喜欢鱼。",
)


def seconds(act: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    act(text)
    return time.process_time() - begun


def measured() -> float:
    """Return the median turn of the decorator for plain loops, over that of the library."""
    root = tempfile.mkdtemp()
    with Memory.open("a", root=root) as bare, Memory.open("b", root=root) as dressed:

        @remembering(dressed)
        def ask(messages: list[dict[str, str]]) -> str:
            return "Noted."

        def library(text: str) -> None:
            bare.context(text).result()
            bare.remember([("user", text), ("assistant", "Noted.")])
            bare.flush()

        def adapter(text: str) -> None:
            ask([{"role": "user", "content": text}])
            dressed.flush()

        said = [SAID[n % len(SAID)].format(n) for n in range(TURNS)]
        pairs = [(seconds(library, text), seconds(adapter, text)) for text in said]
    own, theirs = (statistics.median(column) for column in zip(*pairs[20:], strict=True))
    return theirs / own


if __name__ == "__main__":
    print(f"{measured():.2f}")
