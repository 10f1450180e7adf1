"""A host opened for one agent, for as long as a client is connected: this loads the engine."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from wangchuan.host import Host
from wangchuan.operations.rights import OWNER
from wangchuan.operations.running import Runner
from wangchuan.operations.table import TABLE
from wangchuan.pending import Pending
from wangchuan.server.mcp.protocol import Json
from wangchuan.server.mcp.tools import Tools
from wangchuan.settings.fields import load

PATIENCE = 60.0  # seconds that an answer may take


class Opened(ExitStack):
    """The agent of a client at home: it is the owner's own. Opened by the first operation."""

    def __init__(self, agent: str, root: str | None, work_dir: str | None) -> None:
        super().__init__()
        self._agent, self._settings = agent, load(root=root, work_dir=work_dir)
        self._runner: Runner | None = None

    def tools(self, profile: str) -> Tools:
        """Return what is offered."""
        return Tools(self._run, profile)

    def _run(self, name: str, given: Json) -> Any:
        if self._runner is None:
            host = self.enter_context(Host(settings=self._settings))
            if not host.has(self._agent):
                host.open(self._agent).close()  # whoever asks a new agent is told: nothing known
            self._runner = Runner(host)
            self.callback(self._runner.close)
        value = self._runner.run(TABLE[name], OWNER, self._agent, given)
        return value.result(PATIENCE) if isinstance(value, Pending) else value
