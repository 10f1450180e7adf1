"""Where the command `wangchuan` begins: a client that connects by MCP waits for nothing else."""

from __future__ import annotations

import sys
from importlib import import_module

ASKED = {"-h", "--help"}


def main() -> None:
    """Run the command, having loaded no more than it needs."""
    alone = sys.argv[1:2] == ["mcp"] and not ASKED & {*sys.argv}
    import_module("wangchuan.server.mcp.__main__" if alone else "wangchuan.cli.__main__").main()
