"""Knowledge on its way from one agent to another: one file, checked before anything of it is used.

A package is a JSON document: a manifest (what it is called, who packed it, when) and the pages,
each with its checksum. Only the type layer can be in one: knowledge pages and function
definitions. What an agent lived through, its task, world, sessions and compact memory, has no name
in a package, neither when it is packed nor when it is opened.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from wangchuan.arguments import a_text
from wangchuan.errors import InvalidInput, shown
from wangchuan.notebook.places import MOST_BYTES
from wangchuan.notebook.versions import checksum
from wangchuan.types import value

FORMAT = "wangchuan-knowledge/1"
LARGEST = 10 << 20  # characters of a package worth reading
SUFFIX = ".knowledge.json"


@value
class Package:
    """Pages of knowledge by name, and functions, with where they come from."""

    name: str
    version: str
    agent: str
    at: float
    pages: Mapping[str, str]
    functions: tuple[Mapping[str, Any], ...] = ()


def packed(package: Package) -> str:
    """Return a package as the text of its file."""
    functions = [dict(function) for function in package.functions]
    document = {
        "format": FORMAT,
        "name": package.name,
        "version": package.version,
        "agent": package.agent,
        "at": package.at,
        "pages": {
            name: {"sha256": checksum(text), "text": text} for name, text in package.pages.items()
        },
        "functions": {"sha256": checksum(canonical(functions)), "list": functions},
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def canonical(value: Any) -> str:
    """Return data as the one JSON text by which it is compared."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def unpacked(text: str) -> Package:
    """Return the package in a text, or raise InvalidInput, naming its fault."""
    document = _document(text)
    try:
        pages = {str(name): page["text"] for name, page in document["pages"].items()}
        sums = {str(name): page["sha256"] for name, page in document["pages"].items()}
        functions = list(document["functions"]["list"])
        sums["functions"] = document["functions"]["sha256"]
        name, agent = str(document["name"]), str(document["agent"])
        version, at = str(document["version"]), float(document["at"])
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidInput(f"the package is damaged: {type(error).__name__} {error}") from error
    _check(pages, functions, sums)
    return Package(name, version, agent, at, pages, tuple(functions))


def _document(text: str) -> dict[str, Any]:
    if len(a_text(text, "a package")) > LARGEST:
        raise InvalidInput(f"the package has {len(text)} characters; at most {LARGEST} are read")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"this is no package of knowledge: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidInput(f"this is no package of knowledge: its format is not {FORMAT}")
    return document


def _check(pages: Mapping[str, Any], functions: list[Any], sums: Mapping[str, Any]) -> None:
    for name, text in pages.items():
        checked_name(name)
        if not isinstance(text, str) or checksum(text) != sums[name]:
            raise InvalidInput(f"the page {name!r} of the package is not what was packed")
    if not all(isinstance(function, dict) for function in functions):
        raise InvalidInput("the functions of the package are no definitions")
    if checksum(canonical(functions)) != sums["functions"]:
        raise InvalidInput("the functions of the package are not what was packed")


INSTANCE = {"task_process", "world_state", "sessions", "compact_memory", "functions"}
UNFIT = set('\\:*?"<>|')  # characters that some system cannot have in a file name
LONGEST_NAME, DEEPEST_NAME = 100, 4


def checked_name(name: object) -> str:
    """Return the name of a page of knowledge, or raise InvalidInput.

    A name is that of a file without its ending, or several with `/` between, and leads out of no
    folder.
    """
    if not isinstance(name, str) or not is_name(name):
        raise InvalidInput(
            f"{shown(name)} cannot name a page of knowledge: letters, digits, - and _ always can"
        )
    if name.split("/")[-1] in INSTANCE:
        raise InvalidInput(f"{name!r} is not knowledge: it belongs to one agent's own doings")
    return name


def is_name(name: str) -> bool:
    """Tell whether a name could be a page's, on any system."""
    parts = name.split("/")
    return len(parts) <= DEEPEST_NAME and all(map(_names_a_file, parts))


def _names_a_file(part: str) -> bool:
    fits = 1 <= len(part) <= LONGEST_NAME and len(part.encode("utf-8", "replace")) <= MOST_BYTES
    return fits and part.isprintable() and not UNFIT & set(part) and part.strip(" .") == part
