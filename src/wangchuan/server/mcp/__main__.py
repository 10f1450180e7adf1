"""The entry point of `wangchuan mcp` and `python -m wangchuan.server.mcp`."""

from __future__ import annotations

import sys

from wangchuan.server.mcp.stdio import run


def main() -> None:
    """Serve the agent that the command line names, and leave with the exit code."""
    given = sys.argv[1:]
    sys.exit(run(given[1:] if given[:1] == ["mcp"] else given))


if __name__ == "__main__":
    main()
