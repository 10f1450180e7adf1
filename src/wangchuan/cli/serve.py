"""Serving the memories over HTTP, and the page to look at them."""

from __future__ import annotations

import sys
import time
import webbrowser
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import typer

from wangchuan.cli.options import Root
from wangchuan.cli.output import note, say
from wangchuan.errors import InvalidInput
from wangchuan.host import Host
from wangchuan.operations.rights import EVERYONE, RIGHTS
from wangchuan.server.tokens import Tokens
from wangchuan.server.whereabouts import Whereabouts
from wangchuan.settings.fields import load

try:
    from wangchuan.server import serving
except ImportError as error:  # it is an extra, and this file is read only where it is wanted
    raise InvalidInput(f"{error}: install it with `pip install 'wangchuan[server]'`") from None


Port = Annotated[
    int | None, typer.Option("--port", help="The port; 0 means any [default: the setting].")
]
WorkDir = Annotated[
    Path | None, typer.Option("--work-dir", "-w", help="The folder of the notebooks.")
]
LINK_SECONDS = 300.0  # for which a link with a one-time token is good


def serve(
    root: Root = None,
    host: Annotated[
        str | None, typer.Option("--host", help="The address to listen at [default: the setting].")
    ] = None,
    port: Port = None,
    work_dir: WorkDir = None,
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


def ui(
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", help="The agent to look at first.")
    ] = None,
    root: Root = None,
    port: Port = None,
    work_dir: WorkDir = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open it, or only say where it is.")
    ] = True,
) -> None:
    """Open the page to look at memories, served here (extra `server`)."""
    settings = load(root=root, server_port=port, work_dir=work_dir)
    tokens = Tokens(settings.root, time.time)

    def show(url: str) -> None:
        _show(url, tokens, agent, browser)

    found = Whereabouts(settings.root).url()
    if found is not None:
        show(found)
        return
    with Host(settings=settings) as served:
        serving.serve(served, tokens, show)


def _show(url: str, tokens: Tokens, agent: str | None, browser: bool) -> None:
    """Tell, and open, the address of the page with a token that is good once."""
    until = time.time() + LINK_SECONDS
    token = tokens.add([EVERYONE], RIGHTS, name="page", expires=until, use="once")
    link = f"{url}/#{urlencode({'token': token, **({'to': agent} if agent else {})})}"
    say(f"the page (this link signs in once, within five minutes): {link}")
    sys.stdout.flush()
    if browser:
        webbrowser.open(link)
