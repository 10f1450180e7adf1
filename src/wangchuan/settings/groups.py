"""The settings by what they are about: names, defaults, bounds and meanings, each in one place.

`Settings` has all of them by their flat names; a part that needs a few takes their group, by
`settings.part(Queue)`, and knows of no others. The first line about a group heads its table in the
docs.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from wangchuan.redaction import redacted


class Group(BaseModel):
    """A few settings that belong together; immutable."""

    model_config = ConfigDict(frozen=True, protected_namespaces=(), defer_build=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            yield name, redacted(value) if isinstance(value, str) else value


class Storage(Group):
    """Where memories are kept, and how safely."""

    root: Path = Field(Path("memory_data"), description="Folder that holds one folder per agent.")
    store: str | None = Field(
        None,
        pattern=r"^postgres(ql)?://|\.toml$",
        description="A PostgreSQL (`postgresql://user@host/database`), or a file that names"
        " several (`cells.toml`), that keeps the agents instead of the folders of `root`; see"
        " `operations.md`.",
    )
    consistency: Literal["strong", "eventual"] = Field(
        "strong",
        description="`eventual`: recalls and searches may be answered by a replica of the store,"
        " which may be a moment behind.",
    )
    durability: Literal["full", "normal"] = Field(
        "full",
        description="`full`: what was accepted survives power loss; `normal`: it survives a crash"
        " of the process.",
    )
    max_open_agents: int = Field(
        32, ge=1, description="Databases a host keeps open at once; the least recent is closed."
    )


class Fading(Group):
    """How memories are attended and fade."""

    focus_limit: int = Field(
        5, ge=1, le=1000, description="How many memories are attended at once (maxFocusCount)."
    )
    focus_refresh_on_mention: bool = Field(
        True,
        description="Whether focus memories that share a keyword with what is new move up first.",
    )
    decay_rate: float = Field(
        0.97,
        gt=0,
        le=1,
        description="What a link keeps of its strength at each scan; 1: nothing ever fades.",
    )
    link_initial_strength: float = Field(
        0.5,
        gt=0,
        le=1,
        description="Strength of a new link between neighbouring or related segments.",
    )
    related_links: int = Field(
        2,
        ge=0,
        le=10,
        description="How many living memories outside the focus, at most, a new one is linked with"
        " because they share telling words; 0: none.",
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
    strategy: Literal["scan", "slots", "every"] = Field(
        "scan",
        description="Which memories a pass scans: `scan`, those whose turn it is, the more often"
        " scanned ones more rarely (B); `slots`, the same in a fixed number of slots (A); `every`,"
        " all of them.",
    )
    max_nodes: int = Field(10_000, ge=2, description="Slots of strategy `slots`.")
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
        0.7,
        gt=0,
        le=1,
        description="Stored text is rewritten when its target falls to this share of its length."
        " A model's text is shown until then; offline, what is shown always has the target length.",
    )


class Models(Group):
    """Which models are asked, and at what cost."""

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


class Queue(Group):
    """How jobs wait, take turns and are tried again."""

    max_queue_size: int = Field(
        1000, ge=1, description="Remembers that may wait per agent; more are rejected."
    )
    workers: int = Field(2, ge=1, le=64, description="Worker threads of a host.")
    time_slice_ms: int = Field(
        30_000,
        ge=0,
        description="Longest that one agent compresses while others wait to do so, in milliseconds;"
        " all other work comes in between. So long a failing compression is tried again.",
    )
    max_retries: int = Field(
        15, ge=0, le=100, description="Retries of a failed model call, after the first try."
    )
    worker_timeout_ms: int = Field(
        300_000, ge=1, description="Longest wait for one model call, in milliseconds."
    )
    close_patience: float = Field(
        10.0,
        ge=0,
        description="Seconds that closing waits for a model call under way, or for one about"
        " messages that were just accepted; 0: for none.",
    )


class Learning(Group):
    """What is learned from what is remembered."""

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


class Retention(Group):
    """What is kept for a time only."""

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
    max_trash: int = Field(
        0,
        ge=0,
        description="Forgotten memories that strategy `slots` keeps, the newest; the rest goes for"
        " good, with messages and jobs of which nothing else is left. 0: four for each slot.",
    )
    max_journal: int = Field(
        0,
        ge=0,
        description="Journal entries about no memory in particular, or about the use of facts, that"
        " strategy `slots` keeps, the newest. 0: twenty for each slot.",
    )


class Finding(Group):
    """How recall and search answer."""

    default_search_depth: int = Field(2, ge=0, description="Hops of a recall that names no depth.")
    max_search_results: int = Field(
        100, ge=0, description="Most memories one recall returns; 0 means no limit."
    )
    recall_patience: float = Field(
        2.0, ge=0, description="Seconds a recall waits for earlier remembers to be digested."
    )
    vector_floor: float = Field(
        0.4,
        ge=-1,
        le=1,
        description="Cosine from which meaning alone, with no word in common, is relevant.",
    )


class Notebook(Group):
    """The pages that an agent works from."""

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


class Conversation(Group):
    """How much a `Chat` takes in."""

    context_max_tokens: int = Field(
        128_000, ge=1000, description="Estimated tokens that the model of a `Chat` can take in."
    )
    context_threshold_ratio: float = Field(
        0.8,
        gt=0,
        le=1,
        description="Share of them from which on a `Chat` lets its oldest messages go.",
    )


class Serving(Group):
    """How `wangchuan serve` listens, whom it lets wait, and where the proxy passes requests on."""

    server_host: str = Field("127.0.0.1", description="Address that the server listens at.")
    server_port: int = Field(8420, ge=0, le=65535, description="Port of the server; 0: any.")
    server_names: str = Field(
        "",
        description="Names, parted by commas, under which clients may know the server beside its"
        " address: what stands in the Host of their requests.",
    )
    server_concurrency: int = Field(
        64, ge=1, le=10_000, description="Operations under way at once; more wait."
    )
    server_patience: float = Field(
        5.0, ge=0, description="Seconds that an operation waits to begin before it is refused."
    )
    server_rate: float = Field(
        1000.0, gt=0, description="Requests a second that one token may make, in bursts of as many."
    )
    upstream_url: str | None = Field(
        None, description="Base URL, with `/v1`, of the OpenAI-compatible server behind the proxy."
    )
    upstream_key: SecretStr | None = Field(None, description="Key for that server.")
    upstream_anthropic_url: str | None = Field(
        None, description="Base URL, without `/v1`, of the Anthropic-compatible one."
    )
    upstream_anthropic_key: SecretStr | None = Field(None, description="Key for that server.")


class Activity(Group):
    """What makes memories active, and when they are cold."""

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
    theta_active: float = Field(3.8, description="A memory at least so active is active, not cold.")
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
        24, ge=0, description="Links, in and out, that it may have for that."
    )
    merge_overlap: float = Field(
        0.8, gt=0, le=1, description="Share of words two memories must have in common for that."
    )
    merge_closeness: float = Field(
        0.9, gt=0, le=1, description="Cosine of their vectors that does as well, with an embedder."
    )


GROUPS: tuple[type[Group], ...] = (
    Storage,
    Fading,
    Models,
    Queue,
    Learning,
    Retention,
    Finding,
    Notebook,
    Conversation,
    Activity,
    Serving,
)
