"""The figures of a soak: each test notes its own, `./run soak` writes them to bench/results.

`python -m soak.figures` (with the tests on the path) prints the page. Tests that run without
SOAK_FIGURES, the name of a file, note nothing.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SEED = os.environ.get("SOAK_SEED", "7")
COLUMNS = ("what", "how many", "lost", "doubled", "corrupt", "seconds", "seed", "commit")
HEAD = """# Soak: what was tried, and what was lost

Written by `./run soak`; sizes are given in its environment (`SOAK_KILLS=1000 ./run soak`).
"Lost" counts what was accepted and is gone, "doubled" what is there twice, "corrupt" what the
doctor or SQLite finds wrong, what was erased or forgotten and is still there, and what raised an
error that is not ours. All three must be 0. A test that failed or was stopped by hand says so.
"""


def size(name: str, sample: int) -> int:
    """Return how much of something is tried: what the environment says, or a sample."""
    return int(os.environ.get(f"SOAK_{name}", sample))


@contextmanager
def figures(what: str) -> Iterator[dict[str, Any]]:
    """Note what a test tells in this dictionary, and how long it took."""
    told: dict[str, Any] = {"what": what, "how many": 0, "lost": 0, "doubled": 0, "corrupt": 0}
    began, commit = time.monotonic(), _commit()
    try:
        yield told
    except BaseException as error:
        told["what"] += " (stopped)" if isinstance(error, KeyboardInterrupt) else " (failed)"
        raise
    finally:
        told |= {"seconds": round(time.monotonic() - began), "seed": told.get("seed", SEED)}
        told["commit"] = commit
        if place := os.environ.get("SOAK_FIGURES"):
            with Path(place).open("a", encoding="utf-8") as file:
                file.write(json.dumps(told) + "\n")


def page(lines: list[str]) -> str:
    """Return the page of these figures."""
    rows = [json.loads(line) for line in lines]
    table = [" | ".join(f"{row[column]:,}" if isinstance(row[column], int) else str(row[column])
                        for column in COLUMNS) for row in rows]  # fmt: skip
    rule = " | ".join(
        "---" if column in ("what", "seed", "commit") else "---:" for column in COLUMNS
    )
    body = [" | ".join(COLUMNS), rule, *table]
    return HEAD + "\n" + "\n".join(f"| {line} |" for line in body) + "\n\n" + _where() + "\n"


def _commit() -> str:
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return found or "unknown"


def _where() -> str:
    sizes = sorted(f"{k}={v}" for k, v in os.environ.items()
                   if k.startswith("SOAK_") and k != "SOAK_FIGURES")  # fmt: skip
    machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    return f"Sizes: `{' '.join(sizes)}`; {machine}."


if __name__ == "__main__":
    place = Path(os.environ["SOAK_FIGURES"])
    noted = place.read_text("utf-8").splitlines() if place.exists() else []
    if noted:
        sys.stdout.write(page(noted))
    else:
        sys.exit("no test noted any figures")
