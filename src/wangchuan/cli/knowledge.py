"""Knowledge: pages with their versions, functions, trials and packages."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wangchuan.cli.intake import words_or_input
from wangchuan.cli.opening import Call, of_notebook
from wangchuan.cli.options import GROUP
from wangchuan.cli.output import for_stdout, moment, say, say_json, say_table
from wangchuan.errors import InvalidInput
from wangchuan.notebook.packages import SUFFIX
from wangchuan.storage.files import open_file

if TYPE_CHECKING:
    from wangchuan.notebook.trials import Arm, Trial
    from wangchuan.notebook.versions import Version

app = typer.Typer(name="knowledge", help="Change, compare and share knowledge.", **GROUP)

Page = Annotated[str, typer.Option("--page", "-p", help="Which page.")]
Reason = Annotated[str, typer.Option("--reason", "-m", help="Why.")]
Author = Annotated[str | None, typer.Option(help="Who [default: the agent].")]
MAIN = "agent_knowledge"


@app.command("list")
@of_notebook
def list_pages(call: Call) -> None:
    """List the pages and the functions."""
    with call.paged() as notebook:
        known = notebook.knowledge
        pages = [{"page": page, "versions": len(known.versions(page))} for page in known.pages()]
        functions = known.functions()
    if call.told({"pages": pages, "functions": functions}):
        return
    say_table(
        (("", "dim"), ("name", "bold"), ("", "text")),
        [("page", page["page"], f"{page['versions']} versions") for page in pages]
        + [("function", one["name"], one.get("description", "")) for one in functions],
    )


@app.command()
@of_notebook
def show(
    call: Call,
    page: Annotated[str, typer.Argument(help="Which page.")] = MAIN,
    version: Annotated[int | None, typer.Option(min=1, help="As it was then.")] = None,
) -> None:
    """Print a page."""
    with call.paged() as notebook:
        known = notebook.knowledge
        text = known.read(page) if version is None else known.version(version, page).text
    call.tell({"page": page, "version": version, "text": text}, text, f"{page} is empty")


@app.command()
@of_notebook
def write(
    call: Call,
    reason: Annotated[str, typer.Option("--reason", "-m", help="Why; every change has a reason.")],
    text: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="`-` reads standard input.")
    ] = None,
    page: Page = MAIN,
    author: Author = None,
) -> None:
    """Replace a page; what was there stays as a version."""
    said = words_or_input(text)
    if said is None:
        raise InvalidInput("nothing to write: give a text, or - to read standard input")
    with call.paged(create=True) as notebook:
        made = notebook.knowledge.write(
            said.rstrip("\n") + "\n", page=page, author=author, reason=reason
        )
    _say_versions([made], call.as_json)


@app.command()
@of_notebook
def versions(call: Call, page: Annotated[str, typer.Argument(help="Which page.")] = MAIN) -> None:
    """List the versions of a page."""
    with call.paged() as notebook:
        found = notebook.knowledge.versions(page)
    _say_versions(found, call.as_json)


def _say_versions(found: list[Version], as_json: bool) -> None:
    if as_json:
        say_json([{key: v for key, v in asdict(one).items() if key != "text"} for one in found])
        return
    columns = (("version", "right"), ("time", "dim"), ("author", ""), ("reason", "text"))
    say_table(columns, [(v.number, moment(v.at), v.author, v.reason) for v in found])


@app.command()
@of_notebook
def diff(
    call: Call,
    old: Annotated[int, typer.Argument(help="A version.")],
    new: Annotated[int, typer.Argument(help="Another one.")],
    page: Page = MAIN,
) -> None:
    """Print how two versions of a page differ."""
    with call.paged() as notebook:
        text = notebook.knowledge.diff(old, new, page)
    say_json({"page": page, "diff": text}) if call.as_json else say(for_stdout(text))


@app.command()
@of_notebook
def rollback(
    call: Call,
    version: Annotated[int, typer.Argument(help="The version to go back to.")],
    reason: Reason = "",
    page: Page = MAIN,
    author: Author = None,
) -> None:
    """Make an earlier version the newest again."""
    with call.paged() as notebook:
        made = notebook.knowledge.rollback(version, page=page, author=author, reason=reason)
    _say_versions([made], call.as_json)


@app.command()
@of_notebook
def declare(
    call: Call,
    file: Annotated[Path, typer.Argument(help="A JSON schema of a function, or a list of them.")],
) -> None:
    """Declare functions; ones of the same name are replaced."""
    try:
        given = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInput(f"{file} is not JSON: {error}") from error
    with call.paged(create=True) as notebook:
        wanted = given if isinstance(given, list) else [given]
        made = [notebook.knowledge.declare(one) for one in wanted]
    say_json(made) if call.as_json else say(f"declared {', '.join(one['name'] for one in made)}")


@app.command()
@of_notebook
def pack(
    call: Call,
    name: Annotated[str, typer.Argument(help="What the package is called.")],
    page: Annotated[
        list[str] | None, typer.Option("--page", "-p", help="A page [default: all].")
    ] = None,
    version: Annotated[str, typer.Option(help="Its version.")] = "1",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Its file.")] = None,
) -> None:
    """Pack knowledge and functions into one file, for other agents."""
    with call.paged() as notebook:
        text = notebook.knowledge.pack(name, page, version=version)
    where = out or Path(name + SUFFIX)
    with open_file(where) as file:
        file.write(text.encode("utf-8"))
    say_json({"file": str(where)}) if call.as_json else say(f"wrote {where}")


@app.command()
@of_notebook
def install(
    call: Call,
    file: Annotated[Path, typer.Argument(help="A package.")],
    name: Annotated[
        str | None, typer.Option("--as", help="Below this name [default: the package's].")
    ] = None,
) -> None:
    """Install a package below a name of its own; nothing, unless all of it is sound."""
    text = file.read_text(encoding="utf-8", errors="replace")
    with call.paged(create=True) as notebook:
        pages = notebook.knowledge.install(text, name=name)
    say_json(pages) if call.as_json else say(f"installed {', '.join(pages) or 'functions'}")


@app.command("try")
@of_notebook
def try_out(
    call: Call,
    name: Annotated[str, typer.Argument(help="What the trial is called.")],
    a: Annotated[int, typer.Argument(help="A version.")],
    b: Annotated[int, typer.Argument(help="Another one.")],
    page: Page = MAIN,
) -> None:
    """Try two versions of a page against each other."""
    with call.paged() as notebook:
        _say_trials([notebook.knowledge.try_out(name, a, b, page=page)], call.as_json)


@app.command()
@of_notebook
def outcome(
    call: Call,
    name: Annotated[str, typer.Argument(help="The trial.")],
    key: Annotated[str, typer.Argument(help="For whom it was.")],
    good: Annotated[bool, typer.Option("--good/--bad", help="How it went.")] = True,
) -> None:
    """Count an outcome of a trial."""
    with call.paged() as notebook:
        _say_trials([notebook.knowledge.trials.count(name, key, good)], call.as_json)


@app.command()
@of_notebook
def trials(
    call: Call, end: Annotated[str | None, typer.Option(help="End this one.")] = None
) -> None:
    """Show the trials, how each side did, and what can be said."""
    with call.paged() as notebook:
        if end is not None:
            notebook.knowledge.trials.end(end)
        _say_trials(list(notebook.knowledge.trials.all().values()), call.as_json)


def _say_trials(found: list[Trial], as_json: bool) -> None:
    if as_json:
        say_json([_summary(trial) for trial in found])
        return
    columns = (("trial", "bold"), ("page", ""), ("a", ""), ("b", ""), ("better", ""), ("", "dim"))
    say_table(
        columns,
        [
            (t.name, t.page, _told(t.a), _told(t.b), t.verdict, "open" if t.open else "ended")
            for t in found
        ],
    )


def _told(arm: Arm) -> str:
    rate = "" if arm.rate is None else f" = {arm.rate:.0%}"
    return f"version {arm.version}: {arm.good} of {arm.count}{rate}"


def _summary(trial: Trial) -> dict[str, Any]:
    sides = {
        side: {**asdict(arm), "rate": arm.rate, "interval": arm.interval}
        for side, arm in (("a", trial.a), ("b", trial.b))
    }
    return {"name": trial.name, "page": trial.page, "open": trial.open, **sides,
            "verdict": trial.verdict}  # fmt: skip
