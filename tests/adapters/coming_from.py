"""The table of the page "coming from …", read as code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
OURS = "Wangchuan"
PAGES = ("coming-from.md", "coming-from.zh-CN.md")


def column(page: str, title: str) -> list[str]:
    """Return the pieces of code in a column of the table; ours is the last, in any language."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (DOCS / page).read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    place = -1 if title == OURS else rows[0].index(title)
    return [code for row in rows[2:] for code in re.findall(r"`([^`]+)`", row[place])]


def calls(codes: list[str]) -> Iterator[ast.Expression]:
    """Return the calls among pieces of code; `…` stands for what is left out."""
    for code in codes:
        plain = code.removeprefix("await ").replace(", …)", ")").replace("(…)", "()")
        plain = plain.replace("…", "...")
        if plain.endswith(")"):
            yield ast.parse(plain, mode="eval")
