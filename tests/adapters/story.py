"""One process of a story: the example of a framework's page, asked with the framework's own fake.

    python story.py langchain run1 '{"en": ["I live in Porto."], "zh": ["我住在成都。"]}'

prints the replies as JSON. Each language has a folder, in which its memory lies.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from wangchuan.integrations import talk

HERE = Path(__file__).parent
PAGES = HERE.parents[1] / "docs" / "integrations"
PLACES = re.compile("Porto|Ghent|成都|杭州")
UNKNOWN = "That is not known."


def answer(shown: str) -> str:
    """Answer as a model that knows its prompt and nothing else: the first place named there."""
    named = PLACES.search(shown)
    return named[0] if named else UNKNOWN


def example(name: str) -> Any:
    """Return `ask` of the first example on a framework's page."""
    page = (PAGES / f"{name}.md").read_text("utf-8")
    code = page.split("```python\n", 1)[1].split("```", 1)[0]
    space: dict[str, Any] = {}
    exec(compile(code, f"{name}.md", "exec"), space)
    return space["ask"]


def fake(name: str) -> Any:
    return import_module(f"fakes.{name.replace('-', '_')}")


def main() -> None:
    name, session, told = sys.argv[1:]
    talk.LEFT_OVER = 60.0  # a machine may be busy
    ask, home, replies = example(name), Path.cwd(), dict[str, list[str]]()
    for language, said in json.loads(told).items():
        (home / language).mkdir(exist_ok=True)
        os.chdir(home / language)
        replies[language] = []
        for n, text in enumerate(said):
            reply = ask(fake(name).model(answer), text, f"{session}.{n}")
            done = asyncio.run(reply) if inspect.isawaitable(reply) else reply
            replies[language].append(done)
    print(json.dumps(replies, ensure_ascii=False))


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
