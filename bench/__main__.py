"""`python -m bench [NAME [FILE…]]`: run benchmarks and write their tables to bench/results."""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
from pathlib import Path

import apsw

from wangchuan import __version__

NAMES = (
    "block",
    "core",
    "facts",
    "learning",
    "quarter",
    "scale",
    "talk",
    "tick",
    "told",
)  # without a name; `peers` installs what it compares with, `cells` needs a PostgreSQL
WITH_FILES = ("block", "retrieval", "forgetting", "lasting", "talk")  # they measure what is named
OTHERS = ("peers", "cells", "serve", "ui")
RESULTS = Path(__file__).with_name("results")


def machine() -> str:
    return (
        f"{time.strftime('%Y-%m-%d')}, Python {platform.python_version()},"
        f" SQLite {apsw.sqlite_lib_version()}, wangchuan {__version__},"
        f" {platform.system()} {platform.machine()}, {len(cores())} cores{load()}"
    )


def load() -> str:
    """Say how busy the machine was in the last minutes, where it tells."""
    return f", load {os.getloadavg()[1]:.1f}" if hasattr(os, "getloadavg") else ""


def cores() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(1))


def chosen(arguments: list[str]) -> list[tuple[str, list[str]]]:
    """Return the benchmarks to run with the files each is given."""
    known = (*NAMES, *WITH_FILES, *OTHERS)
    if arguments and arguments[0] in WITH_FILES:
        return [(arguments[0], list(map(placed, arguments[1:])))]
    if unknown := [name for name in arguments if name not in known]:
        raise SystemExit(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    return [(name, []) for name in arguments or NAMES]


def placed(name: str) -> str:
    """Return an option as it is, and a file from where it was named: `./run` changes its folder."""
    return name if name.startswith("--") else os.path.join(os.environ.get("BENCH_FROM", ""), name)


def main(arguments: list[str]) -> int:
    failed = 0
    for name, files in chosen(arguments):
        text, kept = importlib.import_module(f"bench.{name}").run(*files)
        command = " ".join(["./run bench", name, *map(os.path.basename, files)])
        page = f"# bench {name}\n\n`{command}` · {machine()}\n\n{text}\n"
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
        print(page)
        failed += not kept
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
