"""All settings, read in one place.

Precedence: arguments, then environment variables (`WANGCHUAN_DECAY_RATE=0.95`), then the user's
own file (`user_file`), then `wangchuan.toml` of the working directory, then the defaults below. The
names are those of the design documents in snake case; a value outside its bound is refused with a
message that names the bound.

The working directory may be a stranger's, such as a repository that was just cloned. So its file
can set only what is `HARMLESS`: nothing that says where words and keys go, what is kept for how
long, how memories fade, where files are written or what it costs. And a key that was set beside an
address goes to that address only, whatever other address is set elsewhere.
"""

from __future__ import annotations

import difflib
import os
import sys
import tomllib
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from wangchuan.arguments import a_path, shown
from wangchuan.errors import InvalidInput
from wangchuan.settings.redaction import HIDDEN, passwords, redacted

PREFIX, FILE = "WANGCHUAN_", "wangchuan.toml"
OUTSIDE = {"AGENT", "CONFIG"}  # variables with the prefix that are not settings
ADDRESSES = {
    "model_key": "model_url",
    "embedding_key": "embedding_url",
    "compact_model_key": "compact_model_url",
}  # the address that each key is for
HARMLESS = {
    "compact_target_tokens",
    "compact_threshold_tokens",
    "default_search_depth",
    "max_search_results",
    "notebook_mode",
    "vector_floor",
    "workers",
}  # what a project's file may set; a test asks for a decision about every setting


class Settings(BaseSettings):
    """The settings of a host and its agents; immutable once built."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        validate_default=True,
        hide_input_in_errors=True,  # it may be a key
    )

    root: Path = Field(Path("memory_data"), description="Folder that holds one folder per agent.")

    focus_limit: int = Field(
        5, ge=1, le=1000, description="How many memories are attended at once (maxFocusCount)."
    )
    focus_refresh_on_mention: bool = Field(
        True,
        description="Whether focus memories that share a keyword with what is new move up first.",
    )
    decay_rate: float = Field(
        0.97, gt=0, le=1, description="What a link keeps of its strength at each pass."
    )
    link_initial_strength: float = Field(
        0.5, gt=0, le=1, description="Strength of a new link between neighbouring segments."
    )
    link_break_threshold: float = Field(
        0.01, ge=0, lt=1, description="A link weaker than this is broken."
    )
    delete_threshold: float = Field(
        5,
        ge=0,
        description="A memory whose target length is below this many characters is forgotten.",
    )
    length_base: Literal["original", "current"] = Field(
        "original", description="The length that importance is a share of."
    )
    dangling_counts: bool = Field(
        True, description="Whether links to forgotten memories still count in importance."
    )

    strategy: Literal["scan", "slots"] = Field(
        "scan",
        description="Compression strategy: by scan count (B), or a fixed number of slots (A).",
    )
    max_nodes: int = Field(
        10_000, ge=2, description="Slots of strategy `slots`; ignored by `scan`."
    )
    slot_sample: int = Field(
        32,
        ge=1,
        le=10_000,
        description="Memories sampled to find the least important one (`slots`).",
    )
    compression_batch_size: int = Field(
        100, ge=1, description="Memories rewritten at most after one pass; the rest follow later."
    )
    compression_step: float = Field(
        0.8,
        gt=0,
        le=1,
        description="Stored text is rewritten when its target falls to this share of its length;"
        " what is shown always has the target length.",
    )
    time_slice_ms: int = Field(
        30_000, ge=0, description="Longest turn of one agent while others wait, in milliseconds."
    )

    model_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description="Base URL of an OpenAI-compatible server, such as http://localhost:11434/v1;"
        " unset: the built-in offline model.",
    )
    model_name: str = Field("default", min_length=1, description="Name of the model there.")
    model_key: SecretStr | None = Field(None, description="Key for that server, if it wants one.")
    model_concurrency: int = Field(
        2, ge=1, le=64, description="Model calls in flight at once, over all agents of a host."
    )
    model_window_tokens: int = Field(
        3000, ge=200, description="Estimated tokens of messages digested in one call."
    )
    model_calls_per_day: int = Field(
        0, ge=0, description="Model calls per agent and day (UTC); 0 means no limit."
    )
    model_tokens_per_day: int = Field(
        0, ge=0, description="Tokens, sent and received, per agent and day (UTC); 0: no limit."
    )
    max_retries: int = Field(
        15, ge=0, le=100, description="Retries of a failed model call, after the first try."
    )
    worker_timeout_ms: int = Field(
        300_000, ge=1, description="Longest wait for one model call, in milliseconds."
    )

    embedder: Literal["none", "local", "http"] = Field(
        "none",
        description="What makes vectors for search: nothing, the local one of the extra `local`,"
        " or the server at `embedding_url`.",
    )
    embedding_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description="Base URL of an OpenAI-compatible server of embeddings.",
    )
    embedding_name: str = Field("default", min_length=1, description="Name of the model there.")
    embedding_key: SecretStr | None = Field(None, description="Key for it, if it wants one.")
    vector_floor: float = Field(
        0.4,
        ge=-1,
        le=1,
        description="Cosine from which meaning alone, with no word in common, is relevant.",
    )

    learn: bool = Field(
        True, description="Whether facts and episodes are learned from what is remembered."
    )
    user_name: str = Field(
        "主人", min_length=1, max_length=40, description="What facts call the user."
    )
    agent_name: str = Field(
        "小祥", min_length=1, max_length=40, description="What facts call the agent."
    )
    working_messages: int = Field(
        30, ge=2, le=10_000, description="Messages of the working memory; more become an episode."
    )
    episode_messages: int = Field(
        16, ge=1, le=10_000, description="Oldest messages that become one episode."
    )
    reviewer: Literal["auto", "rules", "person", "none"] = Field(
        "auto",
        description="Who reviews facts: the model (`auto`; rules without one), rules, a person, or"
        " nobody.",
    )
    reviews_per_run: int = Field(20, ge=1, description="Reviews made at most in one go.")

    keep_messages_days: int = Field(
        0,
        ge=0,
        description="Days after which the words of digested messages are destroyed; the memories"
        " made of them stay. 0: never.",
    )
    keep_trash_days: int = Field(
        0, ge=0, description="Days after which forgotten memories are erased for good; 0: never."
    )
    keep_journal_days: int = Field(
        0,
        ge=0,
        description="Days after which the journal keeps only what happened when, no texts;"
        " 0: never.",
    )

    default_search_depth: int = Field(2, ge=0, description="Hops of a recall that names no depth.")
    max_search_results: int = Field(
        100, ge=0, description="Most memories one recall returns; 0 means no limit."
    )
    recall_patience: float = Field(
        2.0, ge=0, description="Seconds a recall waits for earlier remembers to be digested."
    )

    max_queue_size: int = Field(
        1000, ge=1, description="Remembers that may wait per agent; more are rejected."
    )
    workers: int = Field(2, ge=1, le=64, description="Worker threads of a host.")
    max_open_agents: int = Field(
        32, ge=1, description="Databases a host keeps open at once; the least recent is closed."
    )
    durability: Literal["full", "normal"] = Field(
        "full",
        description="`full`: what was accepted survives power loss; `normal`: it survives a crash"
        " of the process.",
    )

    work_dir: Path | None = Field(
        None, description="Folder in which the notebook's pages are kept; unset: no notebook."
    )
    notebook_mode: Literal["full", "minimal"] = Field(
        "full",
        description="`full`: task, world, sessions and knowledge; `minimal`: only the compact"
        " memory is ever written.",
    )
    compact_threshold_tokens: int = Field(
        70_000, ge=0, description="A history of more than so many tokens should be compacted."
    )
    compact_target_tokens: int = Field(
        8000, ge=200, description="Estimated tokens that a compact memory may have."
    )
    compact_window_tokens: int = Field(
        0,
        ge=0,
        description="History per question, for models with a small window; 0: all in one question.",
    )
    compact_model_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description="A server of its own for compaction, such as https://openrouter.ai/api/v1;"
        " unset: the agent's model.",
    )
    compact_model_name: str = Field(
        "default",
        min_length=1,
        description="Name of the model there, such as google/gemini-2.0-flash-001.",
    )
    compact_model_key: SecretStr | None = Field(None, description="Key for that server.")
    inject_world_state: bool = Field(
        False, description="Whether the notebook's prompt also holds the state of the world."
    )
    task_max_steps: int = Field(1000, ge=1, description="Steps of a task that one run may make.")
    task_max_depth: int = Field(20, ge=1, le=100, description="How deep TODOs may be nested.")
    task_protects: bool = Field(
        True, description="Whether memories touched while a task is open do not fade until it ends."
    )

    context_max_tokens: int = Field(
        128_000, ge=1000, description="Estimated tokens that the model of a `Chat` can take in."
    )
    context_threshold_ratio: float = Field(
        0.8,
        gt=0,
        le=1,
        description="Share of them from which on a `Chat` lets its oldest messages go.",
    )

    activity_in_degree: float = Field(
        1.0, ge=0, description="Activity: weight of how many memories lead to one (A)."
    )
    activity_out_degree: float = Field(
        0.8, ge=0, description="Activity: weight of how many memories it leads to (B)."
    )
    activity_access: float = Field(
        1.2, ge=0, description="Activity: weight of how often it was returned (C)."
    )
    activity_traverse: float = Field(
        0.8, ge=0, description="Activity: weight of how often it was passed on the way (D)."
    )
    activity_recent_access: float = Field(
        1.5, ge=0, description="Activity: weight of having been returned lately (E)."
    )
    activity_recent_link: float = Field(
        1.0, ge=0, description="Activity: weight of having been passed lately (F)."
    )
    activity_age: float = Field(0.3, ge=0, description="Activity: what age takes away (G).")
    activity_access_hours: float = Field(
        24, gt=0, description="Activity: hours in which a return loses 63 % of its recency."
    )
    activity_link_hours: float = Field(
        72, gt=0, description="Activity: hours in which a passing loses 63 % of its recency."
    )
    activity_age_days: float = Field(
        30, gt=0, description="Activity: days of age that cost `activity_age` once."
    )
    theta_active: float = Field(1.0, description="A memory at least so active is active, not cold.")
    theta_delete: float = Field(
        0.0,
        description="One at most so active, unlinked and unaccessed may be marked for deletion.",
    )
    long_unaccessed_days: float = Field(
        30, ge=0, description="Days without access before that mark."
    )
    tick_hours: float = Field(
        12, ge=6, le=24, description="Hours between two ticks, which settle what is active or cold."
    )
    merge_cold_days: float = Field(
        7, ge=0, description="Days a memory is cold before a merge is suggested."
    )
    merge_max_degree: int = Field(
        2, ge=0, description="Links, in and out, that it may have for that."
    )
    merge_overlap: float = Field(
        0.8, gt=0, le=1, description="Share of words two memories must have in common for that."
    )
    merge_closeness: float = Field(
        0.9, gt=0, le=1, description="Cosine of their vectors that does as well, with an embedder."
    )

    def __init__(self, **values: Any) -> None:
        """Take settings from these arguments and, for the others, from where they are found.

        Raises InvalidInput with every fault and its bound.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise InvalidInput("; ".join(map(_fault, error.errors()))) from error
        except Exception as error:  # a file that cannot be read, or a stranger's own `==`
            raise InvalidInput(f"the settings cannot be read: {error}") from error

    @field_validator("root", "work_dir", mode="before")
    @classmethod
    def _is_a_path(cls, given: Any) -> Any:
        return None if given is None else a_path(given, "it")

    @model_validator(mode="after")
    def _bounds_between_settings(self) -> Self:
        if self.link_break_threshold >= self.link_initial_strength:
            raise ValueError(
                f"link_break_threshold ({self.link_break_threshold}) must be less than"
                f" link_initial_strength ({self.link_initial_strength})"
            )
        if self.episode_messages > self.working_messages:
            raise ValueError(
                f"episode_messages ({self.episode_messages}) must not exceed"
                f" working_messages ({self.working_messages})"
            )
        if self.embedder == "http" and self.embedding_url is None:
            raise ValueError("embedder = http needs embedding_url, such as http://localhost/v1")
        if self.strategy == "slots" and self.max_nodes <= self.focus_limit:
            raise ValueError(
                f"max_nodes ({self.max_nodes}) must be greater than"
                f" focus_limit ({self.focus_limit})"
            )
        if self.theta_delete >= self.theta_active:
            raise ValueError(
                f"theta_delete ({self.theta_delete}) must be less than"
                f" theta_active ({self.theta_active})"
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (pydantic passes it by name)
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: arguments, environment, the user's file, the project's file."""
        _warn_of_near_misses(set(cls.model_fields))
        layers = [init_settings(), *_layers(env_settings()).values()]
        return (InitSettingsSource(settings_cls, _laid_over(layers)),)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            yield name, redacted(value) if isinstance(value, str) else value


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
    return Settings(**{**values, **overrides})


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
    return (*found, *(word for url in urls for word in passwords(url)))


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
    """Return what the file of the working directory sets; warn of what it may not set."""
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
    layers = _layers(EnvSettingsSource(Settings)())
    return {name: where for where, layer in reversed(layers.items()) for name in layer}


def _layers(environment: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what is set, by where it comes from, in order of precedence."""
    own = user_file()
    noted = _noted(own) if own and own.is_file() else {}
    return {"environment": environment, "file": noted, "project": project_settings()}


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
