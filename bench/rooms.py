"""A virtual environment for each peer, made once and kept outside of the repository.

They are kept under `$BENCH_CACHE`, or `wangchuan-bench` in the user's cache folder; deleting that
folder is safe. What a peer weighs is what its packages add to an empty environment, compiled files
left out. Packages that only this comparison needs are installed after weighing.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
WAIT = 1800  # seconds for one installation


class NotMeasured(Exception):
    """Why there are no figures of a peer."""


@dataclass(frozen=True, slots=True)
class Room:
    """An environment: its Python, and the megabytes its packages take."""

    python: Path
    megabytes: float | None = None


def cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("BENCH_CACHE") or Path(home) / "wangchuan-bench")


def prepared(packages: tuple[str, ...], seam: tuple[str, ...] = ()) -> Room:
    """Return the environment with these packages, making it if need be; raises NotMeasured."""
    folder, heavy = furnished(packages, seam)
    _, empty = furnished((), ())
    return Room(folder / "bin" / "python", (heavy - empty) / 1e6)


@functools.cache
def furnished(packages: tuple[str, ...], seam: tuple[str, ...]) -> tuple[Path, int]:
    """Return the folder of an environment, and its bytes before the seam was installed."""
    wanted = [*packages, "and", *seam, sys.version]
    folder = cache() / (named(packages) or "empty")
    python, stamp = folder / "bin" / "python", folder / "stamp.json"
    kept = json.loads(stamp.read_text("utf-8")) if stamp.exists() else {}
    if kept.get("wanted") != wanted or str(ROOT) in packages:  # our own code changes
        print(f"preparing {folder.name} …", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        make(folder)
        install(python, packages)
        kept = {"wanted": wanted, "bytes": weight(folder)}
        install(python, seam)
        stamp.write_text(json.dumps(kept), encoding="utf-8")
    return folder, kept["bytes"]


def named(packages: tuple[str, ...]) -> str:
    return "-".join("wangchuan" if name == str(ROOT) else name for name in packages)


def make(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    if shutil.which("uv"):
        finished(["uv", "venv", "--quiet", "--python", sys.executable, str(folder)])
    else:
        finished([sys.executable, "-m", "venv", str(folder)])


def install(python: Path, packages: tuple[str, ...]) -> None:
    """Install the packages; raises NotMeasured with the last words of the installer."""
    if not packages:
        return
    if shutil.which("uv"):
        command = ["uv", "pip", "install", "--quiet", "--python", str(python)]
    else:
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    finished([*command, *packages])


def finished(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotMeasured(f"could not be installed: {type(error).__name__}") from error
    if done.returncode:
        raise NotMeasured(f"could not be installed: {last_words(done.stderr)}")


def last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160].replace("|", "/") if lines else "it said nothing"


def weight(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.suffix != ".pyc" and not path.is_symlink())
    return sum(path.stat().st_size for path in files if path.is_file())
