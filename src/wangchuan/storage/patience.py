"""Patience: a call to a server is tried again while another server takes over."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from wangchuan.errors import Unreachable
from wangchuan.storage.store import Outrun

T = TypeVar("T")
PATIENCE = 60.0  # seconds: a failover takes 3 to 22
PAUSE, LONGEST_PAUSE = 0.05, 1.0


def patiently(call: Callable[[], T]) -> T:
    """Call until the server can be reached; raises Unreachable when patience ends.

    A call that another writer outran is made again at once.
    A call is only tried again if it is known to have stored nothing.
    """
    until, pause = time.monotonic() + PATIENCE, PAUSE
    while True:
        try:
            return call()
        except Outrun:
            continue
        except Unreachable:
            if time.monotonic() + pause > until:
                raise
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
