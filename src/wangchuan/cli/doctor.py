"""The doctor's visit: is everything on disk as it must be?"""

from __future__ import annotations

import platform
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import apsw
import typer

from wangchuan import __version__
from wangchuan.answers import model_of
from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.options import DEFAULT_AGENT
from wangchuan.cli.output import console, counted, note, say_json, size, styled
from wangchuan.doctor import installation, visit
from wangchuan.host import Host
from wangchuan.models.http import HTTPModel
from wangchuan.models.probe import as_lines, probe
from wangchuan.settings.fields import load

if TYPE_CHECKING:
    from wangchuan.doctor import Report
    from wangchuan.settings.fields import Settings

PROBLEMS = 3


@of_memory
def doctor(
    call: Call,
    everyone: Annotated[bool, typer.Option("--all", help="Examine all agents.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Take failed jobs up again.")] = False,
    model: Annotated[bool, typer.Option("--model", help="Try the model server once.")] = False,
) -> None:
    """Examine a memory: files, queue and consistency. Exit code 3 means problems were found.

    Where there is none yet, the installation is examined.
    """
    call.refuse_a_server()
    settings = load(root=call.root)
    if model:
        _try_model(settings, call.as_json)
        return
    with Host(settings=settings, adopt=False) as host:
        fresh = call.agent == DEFAULT_AGENT and not host.agents()
        if not everyone and not fresh:
            call.require(host)
        patients = host.agents() if everyone or fresh else [call.agent]
        reports = [visit(host, one, retry=retry) for one in patients]
        where = host.backend.where
    reports += [installation(settings, where)] if fresh else []
    if not call.told({**_versions(), "agents": [asdict(report) for report in reports]}):
        _say_reports(reports, where)
    if any(report.problems for report in reports):
        raise typer.Exit(PROBLEMS)


def _try_model(settings: Settings, as_json: bool) -> None:
    """Try the model server once and say what it can do, and what will be used instead."""
    model = model_of(settings)
    if not isinstance(model, HTTPModel):
        verdict = "no model_url is set: the built-in offline model is used"
        say_json({"model": model.name, "verdict": verdict}) if as_json else note(verdict)
        return
    found = probe(model)
    model.close()
    if as_json:
        say_json({**asdict(found), "verdict": found.verdict})
    else:
        for name, value in as_lines(found):
            console().print(styled(f"{name:22}{_in_words(value)}"))
        for remark in found.notes:
            console().print(styled(f"  · {remark}"))
        console().print(styled(found.verdict, "bold"))
    if not found.obeys_schema:
        raise typer.Exit(PROBLEMS)


def _in_words(value: Any) -> str:
    return {True: "yes", False: "no", None: "unknown"}.get(value, str(value))


def _versions() -> dict[str, str]:
    return {
        "wangchuan": __version__,
        "sqlite": apsw.sqlite_lib_version(),
        "python": platform.python_version(),
    }


def _say_reports(reports: list[Report], where: str) -> None:
    versions = _versions()
    screen = console()
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    screen.print(styled(told, "dim"))
    for report in reports:
        _say_report(screen, report)
    if not reports:
        note(f"no agents in {where}")


def _say_report(screen: Any, report: Report) -> None:
    found = counted(len(report.problems), "problem") if report.problems else "ok"
    colour = "red" if report.problems else "green"
    screen.print(styled(f"{report.agent}: {found}", f"bold {colour}"))
    screen.print(styled(f"  {report.path}", "dim"))
    if report.memories is not None and report.bytes is not None:
        kept = counted(report.memories, "memory", "memories")
        screen.print(styled(f"  {kept}, {size(report.bytes)}", "dim"))
    for remark in report.remarks:
        screen.print(styled(f"  · {remark}"))
    for problem in report.problems:
        screen.print(styled(f"  ✗ {problem}", "red"))
    if any("given up" in problem for problem in report.problems):
        note("`wangchuan doctor --retry` takes failed jobs up again")
