"""The entry point of `wangchuan` and `python -m wangchuan.cli`."""

from __future__ import annotations

import os
import sys

from wangchuan.cli.app import app
from wangchuan.cli.output import complain, prepare_streams
from wangchuan.errors import WangchuanError

FAILED, INTERRUPTED = 1, 130


def main() -> None:
    """Run the command line and leave with its exit code."""
    prepare_streams()
    try:
        app(prog_name="wangchuan")
    except SystemExit as end:
        _leave(end.code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _abandon_output()
        sys.exit(FAILED)
    except Exception as error:  # the outer frame: what is foreseen is told in words
        if not _foreseen(error):
            raise
        complain(_told(error))
        sys.exit(FAILED)


def _leave(code: str | int | None) -> None:
    """Leave, having noticed whether anybody still reads our output."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_output()
    sys.exit(code)


def _abandon_output() -> None:
    """Let what is still buffered go nowhere: its reader has left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _foreseen(error: Exception) -> bool:
    """Tell whether an error is ours, the system's or the database's rather than a defect."""
    return isinstance(error, WangchuanError | OSError) or type(error).__module__ == "apsw"


def _told(error: Exception) -> str:
    """Return an error in words; the system's number for it helps nobody."""
    if isinstance(error, OSError) and error.strerror:
        about = f"{error.filename}: " if error.filename else ""
        return f"{about}{error.strerror}"
    return str(error)


if __name__ == "__main__":
    main()
