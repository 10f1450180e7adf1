"""Knowledge: what an agent can do and how it goes about it, written down where it can be changed.

This is the agent's type layer: `agent_knowledge.md`, further pages, and the definitions of its
functions. All of it is versioned alike, whoever changes it: a person, a package, or the agent
itself (自举), which uses the same call.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from wangchuan.arguments import a_text, texts
from wangchuan.errors import InvalidInput, NotFound, StorageError, shown
from wangchuan.messages import storable
from wangchuan.notebook.desk import Desk
from wangchuan.notebook.packages import Package, canonical, checked_name, is_name, packed, unpacked
from wangchuan.notebook.pages import as_read
from wangchuan.notebook.places import slug
from wangchuan.notebook.trials import Arm, Trial, Trials
from wangchuan.notebook.versions import Version, Versions
from wangchuan.types import Clock

DEEPEST_SCHEMA = 100
MAIN, FUNCTIONS = "agent_knowledge", "functions"


class Knowledge:
    """One agent's knowledge; with `writable=False` it can only be read."""

    def __init__(self, folder: Path, desk: Desk, clock: Clock, *, writable: bool = True) -> None:
        self._folder, self._desk, self._clock = folder, desk, clock
        self._writable = writable
        self.trials = Trials(folder / "trials.json", desk)

    # pages

    def pages(self) -> list[str]:
        """Return the names of the pages that are there, the main one first."""
        main = [MAIN] if self._path(MAIN).is_file() else []
        below = self._folder / "knowledge"
        found = {path for path in below.rglob("[!.]*.md") if not path.is_dir()}
        names = {path.relative_to(below).with_suffix("").as_posix() for path in found}
        return [*main, *sorted(name for name in names - {MAIN} if is_name(name))]

    def read(self, page: str = MAIN) -> str:
        """Return what a page says; "" if there is none."""
        return self._versions(page).text

    def write(
        self, text: str, *, page: str = MAIN, author: str | None = None, reason: str
    ) -> Version:
        """Change a page; the author is the agent itself if nobody is named."""
        versions = self._changing(page)
        if page == FUNCTIONS and _functions(a_text(text, "knowledge")) is None:
            raise InvalidInput("functions are a JSON list of definitions; declare() writes it")
        return versions.write(a_text(text, "knowledge"), self._author(author), reason)

    def versions(self, page: str = MAIN) -> list[Version]:
        """Return all versions of a page, oldest first."""
        return self._changing(page).all()

    def version(self, number: int, page: str = MAIN) -> Version:
        """Return one version of a page. Raises NotFound."""
        return self._changing(page).get(number)

    def diff(self, old: int, new: int, page: str = MAIN) -> str:
        """Return how two versions of a page differ. Raises NotFound."""
        return self._changing(page).diff(old, new)

    def rollback(
        self, number: int, *, page: str = MAIN, author: str | None = None, reason: str = ""
    ) -> Version:
        """Make an earlier version the newest again. Raises NotFound."""
        versions = self._changing(page)
        why = a_text(reason, "reason") or f"back to version {versions.get(number).number}"
        return versions.rollback(number, self._author(author), why)

    def content(self, key: str | None = None) -> str:
        """Return all pages for a prompt; `key` decides which side of open trials is shown."""
        read = (as_read(self._shown(page, key)).strip("\n") for page in self.pages())
        return "\n\n".join(text for text in read if text)

    def _shown(self, page: str, key: str | None) -> str:
        if key is not None and a_text(key, "a key") and self._writable:
            for trial in self.trials.all().values():
                if trial.open and trial.page == page:
                    return self._versions(page).get(trial.version_for(key)).text
        return self.read(page)

    # functions

    def functions(self) -> list[dict[str, Any]]:
        """Return the definitions of the functions declared: name, description, parameters."""
        found = _functions(self._versions(FUNCTIONS).text or "[]")
        if found is None:
            raise StorageError(
                f"{self._path(FUNCTIONS)} is no JSON list of definitions: mend or remove it"
            )
        return found

    def function(self, name: str) -> tuple[dict[str, Any], int]:
        """Return a function's definition and the version of the page it stands on.

        Raises NotFound, with the names of those that are there.
        """
        known = {function["name"]: function for function in self.functions()}
        if a_text(name, "name") not in known:
            there = ", ".join(known) or "none"
            raise NotFound(f"no function {shown(name)} is declared; there are: {there}")
        versions = self._versions(FUNCTIONS).all()
        return known[name], versions[-1].number if versions else 1

    def declare(
        self,
        function: Callable[..., Any] | Mapping[str, Any],
        *,
        author: str | None = None,
        reason: str = "declared",
    ) -> dict[str, Any]:
        """Declare a function, as a Python callable or as a JSON schema; returns its definition.

        One of the same name is replaced.
        """
        definition = defined(function)
        self._put_functions([definition], author, reason)
        return definition

    def _put_functions(
        self, definitions: Iterable[Mapping[str, Any]], author: str | None, reason: str
    ) -> None:
        with self._desk.locked():
            known = {function["name"]: function for function in self.functions()}
            known.update({str(one["name"]): dict(one) for one in definitions})
            text = json.dumps(list(known.values()), ensure_ascii=False, indent=2) + "\n"
            self.write(text, page=FUNCTIONS, author=author, reason=reason)

    # trials

    def try_out(self, name: str, a: int, b: int, *, page: str = MAIN) -> Trial:
        """Begin a trial of two versions of a page. Raises NotFound for a version not there."""
        for number in (a, b):
            self._changing(page).get(number)
        if slug(name, "") != name:
            raise InvalidInput(f"{name[:60]!r} cannot name a trial: use letters, digits, - and _")
        return self.trials.start(Trial(name, page, Arm(a), Arm(b), began=self._clock()))

    # packages

    def pack(self, name: str, pages: Iterable[str] | None = None, *, version: str = "1") -> str:
        """Return a package of pages (all, if none are named) and functions, as a text."""
        if slug(name, "") != name:
            raise InvalidInput(f"{name!r:.60} cannot name a package: use letters, digits, - and _")
        version = storable(a_text(version, "version"))
        chosen = self.pages() if pages is None else list(map(checked_name, texts(pages, "pages")))
        missing = [page for page in chosen if page not in self.pages()]
        if missing:
            raise NotFound(f"there is no page {missing[0]!r}; pages: {', '.join(self.pages())}")
        told = {page: self.read(page) for page in chosen}
        functions = tuple(self.functions())
        return packed(Package(name, version, self._desk.agent, self._clock(), told, functions))

    def install(self, text: str, *, name: str | None = None) -> list[str]:
        """Install a package below a name of its own (default: the package's); returns its pages.

        Nothing is written unless all of it is sound. Functions are named `package.function`.
        """
        package = unpacked(text)
        space = package.name if name is None else name
        if slug(space, "") != space:
            raise InvalidInput(f"{space!r:.60} cannot name a package: use letters, digits, - and _")
        by, why = f"package {package.name}", f"version {package.version} of {package.agent}"
        functions = [
            {**defined(one), "name": f"{space}.{one.get('name')}"} for one in package.functions
        ]
        made = {checked_name(f"{space}/{page}"): told for page, told in package.pages.items()}
        for page, told in made.items():
            self.write(told, page=page, author=by, reason=why)
        if functions:
            self._put_functions(functions, by, why)
        return list(made)

    # places

    def _path(self, page: str) -> Path:
        if a_text(page, "the name of a page") == MAIN:
            return self._folder / f"{MAIN}.md"
        if page == FUNCTIONS:
            return self._folder / f"{FUNCTIONS}.json"
        return self._folder / "knowledge" / f"{checked_name(page)}.md"

    def _versions(self, page: str) -> Versions:
        path = self._path(page)
        log = self._folder / "versions" / f"{page}.jsonl"
        return Versions(path, log, self._desk, self._clock)

    def _author(self, named: str | None) -> str:
        return self._desk.agent if named is None else a_text(named, "author") or self._desk.agent

    def _changing(self, page: str) -> Versions:
        if not self._writable:
            raise InvalidInput("minimal mode writes no knowledge; open with mode='full'")
        return self._versions(page)


def _functions(text: str) -> list[dict[str, Any]] | None:
    """Return the definitions in a text; None if it holds anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    usable = isinstance(found, list) and all(isinstance(f, dict) and "name" in f for f in found)
    return found if usable else None


def defined(function: Callable[..., Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of a function: its name, description and JSON schema of parameters."""
    if isinstance(function, Mapping):
        return _from_schema(function)
    if not callable(function):
        raise InvalidInput(
            f"a function is a callable or a JSON schema, not {type(function).__name__}"
        )
    from pydantic import TypeAdapter

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(cast(Any, function))
        parameters = adapter.json_schema()
    except Exception as error:  # a stranger's annotations, and whatever resolving them runs
        told = f"{type(error).__name__}: {shown(str(error), 200)}"
        raise InvalidInput(f"the parameters of {shown(function)} have no schema: {told}") from error
    name, told = getattr(function, "__name__", None), inspect.getdoc(function) or ""
    steps = [step.strip() for step in _STEP.findall(told)]
    return _from_schema(
        {"name": name, "description": told, "parameters": parameters, "steps": steps}
    )


_STEP = re.compile(r"^[ \t]{0,20}\d{1,3}[.)、][ \t]{0,20}(\S.*)$", re.MULTILINE)


def _from_schema(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a definition from a schema, also as it is wrapped for chat completions."""
    inner = given.get("function")
    given = inner if isinstance(inner, Mapping) else given
    name, parameters = given.get("name"), given.get("parameters", {"type": "object"})
    if not isinstance(name, str) or not name.strip() or not isinstance(parameters, Mapping):
        raise InvalidInput("a function's schema needs a name and parameters")
    definition = {
        "name": name.strip(),
        "description": a_text(given.get("description", ""), "the description of a function"),
        "parameters": dict(parameters),
    }
    if steps := texts(given.get("steps", ()), "the steps of a function"):
        definition["steps"] = steps
    try:
        written = canonical(definition)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"the schema of {name[:60]!r} is not JSON: {error}") from error
    if _depth(written) > DEEPEST_SCHEMA:
        raise InvalidInput(f"the schema of {name[:60]!r} is nested more than {DEEPEST_SCHEMA} deep")
    return definition


def _depth(text: str) -> int:
    """Return how deep a JSON text is nested; what is too deep could be written but not read."""
    depth = deepest = 0
    for mark in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):
        depth += (mark in "[{") - (mark in "]}")
        deepest = max(deepest, depth)
    return deepest
