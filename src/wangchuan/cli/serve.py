"""Serving the memories over HTTP."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from wangchuan.cli.options import Root
from wangchuan.cli.output import note, say
from wangchuan.errors import InvalidInput
from wangchuan.host import Host
from wangchuan.server.tokens import Tokens
from wangchuan.settings.fields import load

try:
    from wangchuan.server import serving
except ImportError as error:  # it is an extra, and this file is read only where it is wanted
    raise InvalidInput(f"{error}: install it with `pip install 'wangchuan[server]'`") from None


def serve(
    root: Root = None,
    host: Annotated[
        str | None, typer.Option("--host", help="The address to listen at [default: the setting].")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", help="The port; 0 means any [default: the setting].")
    ] = None,
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-w", help="The folder of the notebooks.")
    ] = None,
) -> None:
    """Serve the memories over HTTP: REST and its dialects (extra `server`)."""
    settings = load(root=root, server_host=host, server_port=port, work_dir=work_dir)
    tokens = Tokens(settings.root, time.time)
    made = serving.first_token(tokens, settings.server_host)
    if made is not None:
        note(f"a token for everything, shown this once: {made}")
    with Host(settings=settings) as served:
        serving.serve(served, tokens, _tell)


def _tell(url: str) -> None:
    """Say where the server listens, at once, to whoever waits for it."""
    say(f"listening at {url}")
    sys.stdout.flush()
