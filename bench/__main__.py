"""`python -m bench [NAME…]`: run benchmarks and write their tables to bench/results."""

from __future__ import annotations

import importlib
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

import apsw

NAMES = ("core", "facts", "tick")  # `peers` runs only when named: it installs what it compares with
RESULTS = Path(__file__).with_name("results")


def machine() -> str:
    return (
        f"{time.strftime('%Y-%m-%d')}, Python {platform.python_version()},"
        f" SQLite {apsw.sqlite_lib_version()}, wangchuan {version('wangchuan')},"
        f" {platform.system()} {platform.machine()}, {len(cores())} cores"
    )


def cores() -> set[int]:
    import os

    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(1))


def main(names: list[str]) -> int:
    failed = 0
    for name in names or NAMES:
        module = importlib.import_module(f"bench.{name}")
        text, kept = module.run()
        page = f"# bench {name}\n\n`./run bench {name}` · {machine()}\n\n{text}\n"
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
        print(page)
        failed += not kept
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
