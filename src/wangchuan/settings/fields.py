"""All settings, read in one place.

Precedence: arguments, then environment variables (`WANGCHUAN_DECAY_RATE=0.95`), then the user's
own file (`user_file`), then `wangchuan.toml` of the working directory, then the defaults
(`groups`). The names are those of the design documents in snake case; a value outside its bound is
refused with a message that names the bound.

The working directory may be a stranger's, such as a repository that was just cloned. So its file
can set only the `HARMLESS` settings: none that says where words and keys go, how long anything is
kept, how memories fade, where files are written or what calls cost. And a key that was set beside
an address goes to that address only, whatever other address is set elsewhere.
"""

from __future__ import annotations

import difflib
import os
import sys
import tomllib
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from wangchuan.errors import InvalidInput, shown
from wangchuan.redaction import HIDDEN, passwords, redacted
from wangchuan.settings import groups
from wangchuan.settings.group import Group

G = TypeVar("G", bound=Group)
PREFIX, FILE = "WANGCHUAN_", "wangchuan.toml"
OUTSIDE = {"AGENT", "CONFIG", "SERVER", "TOKEN"}  # variables with the prefix that are not settings
ADDRESSES = {
    "model_key": "model_url",
    "embedding_key": "embedding_url",
    "compact_model_key": "compact_model_url",
    "upstream_key": "upstream_url",
    "upstream_anthropic_key": "upstream_anthropic_url",
}  # the address that each key is for
HARMLESS = {
    "compact_target_tokens",
    "compact_threshold_tokens",
    "default_search_depth",
    "max_search_results",
    "notebook_mode",
    "vector_floor",
    "workers",
}  # settings of a project's file; a test asks for a decision about every setting


class Contradiction(ValueError):
    """Settings that are right one by one do not fit together."""


class Settings(  # the fields of the last base come first
    groups.Serving,
    groups.Activity,
    groups.Conversation,
    groups.Notebook,
    groups.Finding,
    groups.Retention,
    groups.Learning,
    groups.Queue,
    groups.Models,
    groups.Fading,
    groups.Storage,
):
    """The settings of a host and its agents; immutable once built."""

    def part(self, group: type[G]) -> G:
        """Return the settings of one group, for a part that needs no others."""
        return group.model_construct(**{name: getattr(self, name) for name in group.model_fields})

    def __init__(self, **values: Any) -> None:
        """Take settings from these arguments, and the others from environment and files.

        Raises InvalidInput with every fault and its bound.
        """
        if values.get("root") is not None:
            values = {"store": None, **values}  # whoever names a folder means it
        try:
            found = self._judged(_laid_over([values, *_layers().values()]))
            self.__dict__.update(found)
            self._check_between()
        except Exception as error:  # a file that cannot be read, or a stranger's own `==`
            raise InvalidInput(_faults(error)) from error

    def _check_between(self) -> None:
        """Raise Contradiction unless settings that bound each other do."""
        if self.link_break_threshold >= self.link_initial_strength:
            raise Contradiction(
                f"link_break_threshold ({self.link_break_threshold}) must be less than"
                f" link_initial_strength ({self.link_initial_strength})"
            )
        if self.episode_messages > self.working_messages:
            raise Contradiction(
                f"episode_messages ({self.episode_messages}) must not exceed"
                f" working_messages ({self.working_messages})"
            )
        if self.embedder == "http" and self.embedding_url is None:
            raise Contradiction("embedder = http needs embedding_url, such as http://localhost/v1")
        if self.strategy == "slots" and self.max_nodes <= self.focus_limit:
            raise Contradiction(
                f"max_nodes ({self.max_nodes}) must be greater than"
                f" focus_limit ({self.focus_limit})"
            )
        if self.theta_delete >= self.theta_active:
            raise Contradiction(
                f"theta_delete ({self.theta_delete}) must be less than"
                f" theta_active ({self.theta_active})"
            )


def load(given: Settings | dict[str, Any] | None = None, **overrides: Any) -> Settings:
    """Return `given` as Settings, with overrides that are not None laid over it.

    Raises InvalidInput with every fault and its bound.
    """
    overrides = {key: value for key, value in overrides.items() if value is not None}
    if given is not None and not isinstance(given, Settings | Mapping):
        raise InvalidInput(f"settings are a dict of names and values, not {shown(given)}")
    if isinstance(given, Settings) and not overrides:
        return given
    values = given.model_dump() if isinstance(given, Settings) else given or {}
    strange = [name for name in values if not isinstance(name, str)]
    if strange:
        raise InvalidInput(f"the name of a setting is text, not {shown(strange[0])}")
    if "root" in overrides:
        values = {**values, "store": None}
    return Settings(**{**values, **overrides})


def _faults(error: Exception) -> str:
    """Say what is wrong with settings, given what was raised about them."""
    if isinstance(error, Contradiction):
        return f"settings: {error}"
    faults: Callable[[], list[Any]] | None = getattr(error, "errors", None)  # of pydantic
    if isinstance(error, ValueError) and faults:
        return "; ".join(map(_fault, faults()))
    return f"the settings cannot be read: {error}"


def _fault(fault: Any) -> str:
    name = ".".join(str(part) for part in fault["loc"])
    given = HIDDEN if "key" in name.lower() else redacted(shown(fault["input"]))
    about = f"setting {name} = {given}: " if name else "settings: "
    return about + str(fault["msg"]).removeprefix("Value error, ")


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """Return the keys and passwords that the settings hold, never to be stored or said."""
    keys = [getattr(settings, name) for name in ADDRESSES]
    urls = [getattr(settings, name) for name in ADDRESSES.values()]
    found = [key.get_secret_value() for key in keys if key]
    return (*found, *(word for url in (*urls, settings.store) for word in passwords(url)))


# files


def user_file() -> Path | None:
    """Return where the user's own settings are, whether or not there is such a file.

    Raises ValueError if `WANGCHUAN_CONFIG` names a file that is not there.
    """
    named = os.environ.get(PREFIX + "CONFIG")
    if named:
        if not Path(named).is_file():
            raise ValueError(f"{PREFIX}CONFIG names {named}, which is no file")
        return Path(named)
    folder = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    if folder.is_absolute():  # a relative one would be a stranger's
        return folder / "wangchuan" / FILE
    try:
        return _config_folder(Path.home()) / "wangchuan" / FILE
    except RuntimeError:  # there is no home
        return None


def _config_folder(home: Path) -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    return home / ("Library/Application Support" if sys.platform == "darwin" else ".config")


def project_settings() -> dict[str, Any]:
    """Return the settings of the working directory's file; warn of those it may not set."""
    file, own = Path(FILE), user_file()
    if not file.is_file() or (own and own.is_file() and own.samefile(file)):
        return {}
    noted = _noted(file)
    for name in sorted(noted.keys() - HARMLESS):
        warnings.warn(
            f"{file.absolute()} may not set {name}, which is ignored: a project's file can be a"
            f" stranger's; if it is yours to set, put it into {own or 'your own file'} or"
            f" {PREFIX}{name.upper()}",
            stacklevel=1,  # said once, whoever asks
        )
    return {name: value for name, value in noted.items() if name in HARMLESS}


def origins() -> dict[str, str]:
    """Return for each setting that is not at its default where its value comes from."""
    return {name: where for where, layer in reversed(_layers().items()) for name in layer}


def _layers() -> dict[str, dict[str, Any]]:
    """Return the given settings by where they come from, in order of precedence."""
    own = user_file()
    noted = _noted(own) if own and own.is_file() else {}
    return {"environment": _environment(), "file": noted, "project": project_settings()}


def _environment() -> dict[str, Any]:
    """Return the settings of the environment; warn of variables that name no setting."""
    names = set(Settings.model_fields)
    _warn_of_near_misses(names)
    given = {key.lower().removeprefix(PREFIX.lower()): key for key in os.environ
             if key.lower().startswith(PREFIX.lower())}  # fmt: skip
    return {name: os.environ[key] for name, key in given.items() if name in names}


def _noted(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{file}: {error}") from error


def _laid_over(layers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return layers as one, the first on top, with no key for another address than its own."""
    found = {name: value for layer in reversed(layers) for name, value in layer.items()}
    for key, address in ADDRESSES.items():
        keyed = [layer for layer in layers if key in layer]
        fits = [one for one in keyed if _same(one.get(address, found.get(address)), found, address)]
        if keyed and not fits:
            del found[key]
            warnings.warn(
                f"{key} is not used: it was set beside another {address}; set it where that is set",
                stacklevel=2,
            )
        elif keyed:
            found[key] = fits[0][key]
    return found


def _same(url: Any, found: dict[str, Any], address: str) -> bool:
    return str(url).rstrip("/") == str(found.get(address)).rstrip("/")


def _warn_of_near_misses(names: set[str]) -> None:
    """Warn of variables that carry our prefix but name no setting."""
    for variable in sorted(os.environ):
        key = variable.removeprefix(PREFIX)
        if variable == key or key in OUTSIDE or key.lower() in names:
            continue
        near = difflib.get_close_matches(key.lower(), names, n=1)
        hint = f"; did you mean {PREFIX}{near[0].upper()}?" if near else ""
        warnings.warn(f"{variable} is not a setting of Wangchuan{hint}", stacklevel=2)
