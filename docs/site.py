"""`./run docs`: the pages of this repository as a site, with a reference made from the docstrings.

The pages are copied as they lie, so that their links are those of the repository; the build is
strict, so that a link that leads nowhere ends it. `./run docs serve` shows them while you write.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import wangchuan

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "build" / "pages"
PAGES = (
    "*.md",
    "LICENSE",
    "docs/**/*.md",
    "docs/**/*.png",
    "docs/**/*.jpg",
    "bench/results/*.*",
    "deploy/*",
    "examples/*",
)
REFERENCE = {
    "wangchuan": wangchuan.__all__,
    "wangchuan.integrations": (
        *("talk", "plain", "langchain", "langgraph", "openai_agents", "pydantic_ai"),
        *("pydantic_ai_harness", "agent_framework", "google_adk", "strands", "llama_index"),
        *("anthropic", "commands", "crewai"),
    ),
}


def gather() -> None:
    """Copy the pages to where the site is built from, and write the reference."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for pattern in PAGES:
        for path in ROOT.glob(pattern):
            if path.is_file():
                place = SOURCE / path.relative_to(ROOT)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
    (SOURCE / "docs" / "reference.md").write_text(reference(), "utf-8")


def reference() -> str:
    """Return the page of all public names, with the values and errors beside them."""
    found = ["# Reference\n"]
    for home, names in REFERENCE.items():
        found += [f"::: {home}.{name}\n" for name in names]
    return "\n".join([*found, "::: wangchuan.types\n", "::: wangchuan.errors\n"])


def main() -> int:
    """Gather the pages, and build or serve the site."""
    gather()
    asked = sys.argv[1:] or ["build", "--strict"]
    made = ["--config-file", str(ROOT / "mkdocs.yml")]
    command = [sys.executable, "-m", "mkdocs", asked[0], *made, *asked[1:]]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
