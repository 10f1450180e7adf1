"""`./run test-adapters`: one environment per framework and age, its tests, and the table.

    ./run test-adapters                      all of them, oldest and newest
    ./run test-adapters langchain strands    some of them
    ./run test-adapters --newest crewai      one age

Environments lie in `.venv/adapters` (or where TEST_ADAPTERS says) and are made again when their
packages change; `--fresh` makes all of them again. What was tried is written to
`docs/integrations/README.md`, between its marks; rows that were not tried now stay as they were.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from frameworks import FRAMEWORKS, HOME, Framework, Suite, needed, packages

HERE = Path(__file__).parent
PLACE = Path(os.environ.get("TEST_ADAPTERS") or HOME / ".venv" / "adapters")
PAGE = HOME / "docs" / "integrations" / "README.md"
BEGIN, END = "<!-- tried: written by ./run test-adapters -->", "<!-- end of what was tried -->"
QUIET = {"HOME": str(PLACE / "home"), "OTEL_SDK_DISABLED": "true"}  # and tell nobody
QUIET |= {"CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_DISABLE_TRACKING": "true"}
QUIET |= {"MEM0_TELEMETRY": "False", "GRAPHITI_TELEMETRY_ENABLED": "false"}
AGES = ("oldest", "newest")
HEAD = "| framework | versions | the story and its tests | their own tests |\n|---|---|---|---|\n"


def sh(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    given = [str(part) for part in command]
    return subprocess.run(given, text=True, check=False, **options)


def environment(framework: Framework, age: str, fresh: bool) -> Path:
    """Return the Python of an environment, made if its packages are others than they were."""
    folder = PLACE / f"{framework.name}-{age}"
    wanted = packages(framework, age)
    stamp, told = folder / "stamp", json.dumps([wanted, needed(), str(HOME)])
    python = folder / "bin" / "python"
    if not fresh and stamp.is_file() and stamp.read_text("utf-8") == told:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    uv = shutil.which("uv") or shutil.which("uv", path=str(HOME / ".venv" / "bin"))
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet"]
    if uv:
        sh(uv, "venv", "--quiet", "--python", sys.executable, folder).check_returncode()
        pip = [uv, "pip", "install", "--quiet", "--python", python]
    else:
        sh(sys.executable, "-m", "venv", folder).check_returncode()
    sh(*pip, "-e", HOME, *wanted).check_returncode()
    stamp.write_text(told, "utf-8")
    return python


def versions(python: Path, names: list[str]) -> dict[str, str]:
    code = "import json, sys; from importlib.metadata import version as v;"
    code += "print(json.dumps({n: v(n) for n in sys.argv[1:]}))"
    done = sh(python, "-c", code, *names, capture_output=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def counted(python: Path, where: Path, files: list[str], *options: str, **extra: str) -> Any:
    """Run tests; return how many passed, failed and were skipped, and the names of the failed."""
    report = PLACE / "report.xml"
    report.unlink(missing_ok=True)
    (PLACE / "home").mkdir(parents=True, exist_ok=True)  # some write to their user's folder
    environ = {
        **os.environ,
        **QUIET,
        **extra,
        "PYTHONPATH": os.pathsep.join([str(HERE), str(where)]),
    }
    command = [
        python,
        "-m",
        "pytest",
        "-q",
        "-W",
        "default",
        "--tb=short",
        "-p",
        "no:cacheprovider",
    ]
    done = sh(*command, f"--junitxml={report}", *options, *files, cwd=where, env=environ)
    if not report.is_file():
        return Counter(failed=1), [f"pytest ended with {done.returncode}"]
    found, failed = Counter[str](), list[str]()
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        bad = kinds & {"failure", "error"}
        found["failed" if bad else "skipped" if "skipped" in kinds else "passed"] += 1
        failed += [str(case.get("name"))] if bad else []
    return found, failed


def own_tests(framework: Framework, python: Path) -> Any:
    name = framework.name.replace("-", "_")
    files = [
        str(path) for path in (HERE / "test_story.py", HERE / f"test_{name}.py") if path.exists()
    ]
    cut = ["-c", os.devnull, f"--confcutdir={HERE}", f"--rootdir={HERE}", "--import-mode=importlib"]
    return counted(python, HERE, files, *cut, TEST_ADAPTER=framework.name)


def source(python: Path, suite: Suite) -> Path | None:
    """Return the unpacked source of a package in the version that is installed, if it has tests."""
    named = os.environ.get(suite.place) if suite.place else None
    if suite.place:
        return Path(named) if named and Path(named).is_dir() else None
    version = versions(python, [suite.package])[suite.package]
    folder = PLACE / "sources" / f"{suite.package}-{version}"
    if not folder.is_dir():
        getting = [
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            ":all:",
            "-d",
            PLACE / "sdists",
        ]
        sh(sys.executable, "-m", "pip", *getting, f"{suite.package}=={version}").check_returncode()
        name = suite.package.replace("-", "_")
        (packed,) = (PLACE / "sdists").glob(f"{name}-{version}.tar.gz")
        with tarfile.open(packed) as archive:
            archive.extractall(PLACE / "sources", filter="data")
        (PLACE / "sources" / f"{name}-{version}").rename(folder)
    return folder


def their_tests(framework: Framework, python: Path) -> tuple[list[str], list[str]]:
    """Run the tests of others; return what to tell of each suite, and the failures unaccounted."""
    told, bad = list[str](), list[str]()
    for suite in framework.suites:
        where = source(python, suite)
        files = [file for file in suite.files if where and (where / file).is_file()]
        if where is None or not files:
            told.append(f"{suite.package}: not run, set {suite.place}" if suite.place else "none")
            continue
        cut = ["-c", os.devnull, f"--rootdir={where}", "--noconftest"]
        plugin = ["-p", f"upstream.{suite.plugin}", "-o", "asyncio_mode=auto"]
        found, failed = counted(python, where, files, *cut, *plugin)
        known = Counter(why for name in failed for part, why in suite.left if part in name)
        unknown = [n for n in failed if not any(part in n for part, _ in suite.left)]
        reasons = "; ".join(f"{count} {why}" for why, count in known.items())
        skipped = f", {found['skipped']} skipped by themselves" if found["skipped"] else ""
        whole = f"{found['passed']} of {found['passed'] + found['failed']}"
        told.append(f"{suite.package} {whole}{skipped}{f' ({reasons})' if reasons else ''}")
        bad += [f"{suite.package}: {name}" for name in unknown]
    return told, bad


def tried(framework: Framework, age: str, fresh: bool) -> tuple[str, list[str]]:
    """Return the row of a framework in one age, and what failed."""
    try:
        python = environment(framework, age, fresh)
    except subprocess.CalledProcessError:
        return f"| {framework.title} | {age}: cannot be installed | | |", [
            f"{framework.name} {age}"
        ]
    names = [one for one in packages(framework, age) if not one.startswith("pytest")]
    bare = [one.split(">=")[0].split("==")[0] for one in names]
    shown = ", ".join(
        f"{name} {version}"
        for name, version in versions(python, bare[:4] if not framework.extra else bare[:2]).items()
    )
    found, failed = own_tests(framework, python)
    told, bad = their_tests(framework, python)
    mine = f"{found['passed']} passed" + (f", {found['failed']} failed" if found["failed"] else "")
    row = f"| {framework.title} | {age}: {shown} | {mine} | {'; '.join(told) or 'none to run'} |"
    return row, [*(f"{framework.name} {age}: {name}" for name in failed), *bad]


def rows_on_page() -> dict[str, str]:
    """Return the rows that stand on the page, by framework and age."""
    text = PAGE.read_text("utf-8") if PAGE.is_file() else ""
    inside = text.partition(BEGIN)[2].partition(END)[0]
    rows = [line for line in inside.splitlines() if line.startswith("| ")][1:]
    return {_key(row): row for row in rows}


def _key(row: str) -> str:
    title, version = row.split(" | ")[:2]
    return f"{title.removeprefix('| ')} {version.partition(':')[0]}"


def cost() -> str:
    """Return what a turn costs through the helper that all adapters use, beside the library's."""
    done = sh(sys.executable, HERE / "cost.py", capture_output=True)
    told = "A turn through what the adapters share costs, by processor time,"
    return f"{told} {done.stdout.strip() or '?'} times the library's own `context` and `remember`."


def written(rows: dict[str, str]) -> str:
    order = [f"{framework.title} {age}" for framework in FRAMEWORKS for age in AGES]
    return HEAD + "\n".join(rows[key] for key in order if key in rows)


def main() -> int:
    """Try what was asked for; 0 if all of it passed."""
    options = {one for one in sys.argv[1:] if one.startswith("--")}
    named = [one for one in sys.argv[1:] if not one.startswith("--")]
    ages = [age for age in AGES if f"--{age}" in options] or list(AGES)
    chosen = [one for one in FRAMEWORKS if one.name in named or not named]
    rows, failures = rows_on_page(), list[str]()
    for framework in chosen:
        for age in (age for age in ages if age in framework.ages):
            row, failed = tried(framework, age, "--fresh" in options)
            rows[_key(row)] = row
            failures += failed
            print(row, flush=True)
            note(rows)
    told = cost()
    note(rows, told)
    print("", written(rows), "", told, *[f"FAILED {one}" for one in failures], sep="\n")
    return 1 if failures else 0


def note(rows: dict[str, str], told: str = "") -> None:
    """Write the table to the page, between its marks."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    table = f"{written(rows)}\n\n{told}".strip()
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
