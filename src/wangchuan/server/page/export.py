"""The network view of the page as one file, which loads nothing: `wangchuan show --html`.

The scripts are those of the page, put one behind the other; the network and the words are data
beside them. Memory text is a stranger's: it is JSON that no browser can take for the end of its
element, and is only ever shown as text. The file's policy lets no other script run.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from html import escape
from typing import Any

from wangchuan.server.page.files import all_files
from wangchuan.types import Network

LIBRARIES = ("preact", "hooks", "htm", "d3-dispatch", "d3-quadtree", "d3-timer", "d3-force")
OWN = ("base", "terms", "layout", "canvas", "picture", "alone")
SPOKEN = ("network.", "legend.", "zoom.", "relation.", "count.memories.", "fading.left", "is.")
WORDS = ("close", "importance", "kept", "once")
LANGUAGES = ("en", "zh")
# What joins modules is left out where they stand in one file.
_JOINTS = re.compile(r"^import [^;]*;\n|^export \{[^}]*\};\n|^export (?=\w)", re.MULTILINE)


def exported(network: Network) -> str:
    """Return a network as a page of its own."""
    files = all_files()
    style = files["style.css"].text
    libraries = [files[f"vendor/{name}.js"].text for name in LIBRARIES]
    own = "\n".join(_JOINTS.sub("", files[f"js/{name}.js"].text) for name in OWN)
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; img-src data:; base-uri 'none';"
        f" script-src {' '.join(map(_hash, [*libraries, own]))}; form-action 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return "".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="color-scheme" content="light dark">\n',
            f"<title>忘川 · {escape(network.agent)}</title>\n<style>{style}</style>\n</head>\n",
            '<body>\n<div id="page" class="alone"></div>\n',
            _data("network", asdict(network)),
            _data("words", {name: _words(name) for name in LANGUAGES}),
            *(f"<script>{library}</script>\n" for library in libraries),
            f'<script type="module">{own}</script>\n</body>\n</html>\n',
        )
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _words(language: str) -> dict[str, str]:
    """Return the words that the network view needs."""
    words: Iterable[tuple[str, str]] = json.loads(all_files()[f"{language}.json"].content).items()
    return {key: text for key, text in words if key in WORDS or key.startswith(SPOKEN)}


def _data(name: str, value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    safe = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return f'<script id="{name}" type="application/json">{safe}</script>\n'
