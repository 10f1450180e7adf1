"""The settings by what they are about: names, defaults, bounds and meanings, each in one place.

`Settings` has all of them by their flat names; a part that needs a few takes their group, by
`settings.part(Queue)`, and knows of no others. The first line about a group heads its table in the
docs.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wangchuan.settings.group import Group, setting

if TYPE_CHECKING:
    from pydantic import SecretStr


class Storage(Group):
    """Where memories are kept, and how safely."""

    root: Path = setting(Path("memory_data"), description="Folder that holds one folder per agent.")
    store: str | None = setting(
        None,
        pattern=r"^postgres(ql)?://|\.toml$",
        description="A PostgreSQL (`postgresql://user@host/database`), or a file that names"
        " several (`cells.toml`), that keeps the agents instead of the folders of `root`; see"
        " `operations.md`.",
    )
    consistency: Literal["strong", "eventual"] = setting(
        "strong",
        description="`eventual`: recalls and searches may be answered by a replica of the store,"
        " which may be a moment behind.",
    )
    durability: Literal["full", "normal"] = setting(
        "full",
        description="`full`: what was accepted survives power loss; `normal`: it survives a crash"
        " of the process.",
    )
    max_open_agents: int = setting(
        32, ge=1, description="Databases a host keeps open at once; the least recent is closed."
    )


class Fading(Group):
    """How memories are attended and fade."""

    focus_limit: int = setting(
        5, ge=1, le=1000, description="How many memories are attended at once (maxFocusCount)."
    )
    focus_refresh_on_mention: bool = setting(
        True,
        description="Whether focus memories that share a keyword with what is new move up first.",
    )
    decay_rate: float = setting(
        0.97,
        gt=0,
        le=1,
        description="What a link keeps of its strength at each scan; 1: nothing ever fades.",
    )
    link_initial_strength: float = setting(
        0.5,
        gt=0,
        le=1,
        description="Strength of a new link between neighbouring or related segments.",
    )
    related_links: int = setting(
        2,
        ge=0,
        le=10,
        description="How many living memories outside the focus, at most, a new one is linked with"
        " because they share telling words; 0: none.",
    )
    link_break_threshold: float = setting(
        0.01, ge=0, lt=1, description="A link weaker than this is broken."
    )
    delete_threshold: float = setting(
        5,
        ge=0,
        description="A memory whose target length is below this many characters is forgotten.",
    )
    length_base: Literal["original", "current"] = setting(
        "original", description="The length that importance is a share of."
    )
    dangling_counts: bool = setting(
        True, description="Whether links to forgotten memories still count in importance."
    )
    strategy: Literal["scan", "slots", "every"] = setting(
        "scan",
        description="Which memories a pass scans: `scan`, those whose turn it is, the more often"
        " scanned ones more rarely (B); `slots`, the same in a fixed number of slots (A); `every`,"
        " all of them.",
    )
    max_nodes: int = setting(10_000, ge=2, description="Slots of strategy `slots`.")
    slot_sample: int = setting(
        32,
        ge=1,
        le=10_000,
        description="Memories sampled to find the least important one (`slots`).",
    )
    compression_batch_size: int = setting(
        100, ge=1, description="Memories rewritten at most after one pass; the rest follow later."
    )
    compression_step: float = setting(
        0.7,
        gt=0,
        le=1,
        description="Stored text is rewritten when its target falls to this share of its length."
        " A model's text is shown until then; offline, what is shown always has the target length.",
    )


class Models(Group):
    """Which models are asked, and at what cost."""

    model_url: str | None = setting(
        None,
        pattern=r"^https?://",
        description="Base URL of an OpenAI-compatible server, such as http://localhost:11434/v1;"
        " unset: the built-in offline model.",
    )
    model_name: str = setting("default", min_length=1, description="Name of the model there.")
    model_key: "SecretStr | None" = setting(
        None, description="Key for that server, if it wants one."
    )
    model_concurrency: int = setting(
        2, ge=1, le=64, description="Model calls in flight at once, over all agents of a host."
    )
    model_window_tokens: int = setting(
        3000, ge=200, description="Estimated tokens of messages digested in one call."
    )
    model_calls_per_day: int = setting(
        0, ge=0, description="Model calls per agent and day (UTC); 0 means no limit."
    )
    model_tokens_per_day: int = setting(
        0, ge=0, description="Tokens, sent and received, per agent and day (UTC); 0: no limit."
    )
    embedder: Literal["none", "local", "http"] = setting(
        "none",
        description="What makes vectors for search: nothing, the local one of the extra `local`,"
        " or the server at `embedding_url`.",
    )
    embedding_url: str | None = setting(
        None,
        pattern=r"^https?://",
        description="Base URL of an OpenAI-compatible server of embeddings.",
    )
    embedding_name: str = setting("default", min_length=1, description="Name of the model there.")
    embedding_key: "SecretStr | None" = setting(None, description="Key for it, if it wants one.")


class Queue(Group):
    """How jobs wait, take turns and are tried again."""

    max_queue_size: int = setting(
        1000, ge=1, description="Remembers that may wait per agent; more are rejected."
    )
    workers: int = setting(2, ge=1, le=64, description="Worker threads of a host.")
    time_slice_ms: int = setting(
        30_000,
        ge=0,
        description="Longest that one agent compresses while others wait to do so, in milliseconds;"
        " all other work comes in between. So long a failing compression is tried again.",
    )
    max_retries: int = setting(
        15, ge=0, le=100, description="Retries of a failed model call, after the first try."
    )
    worker_timeout_ms: int = setting(
        300_000, ge=1, description="Longest wait for one model call, in milliseconds."
    )
    close_patience: float = setting(
        10.0,
        ge=0,
        description="Seconds that closing waits for a model call under way, or for one about"
        " messages that were just accepted; 0: for none.",
    )


class Learning(Group):
    """What is learned from what is remembered."""

    learn: bool = setting(
        True, description="Whether facts and episodes are learned from what is remembered."
    )
    user_name: str = setting(
        "主人", min_length=1, max_length=40, description="What facts call the user."
    )
    agent_name: str = setting(
        "小祥", min_length=1, max_length=40, description="What facts call the agent."
    )
    working_messages: int = setting(
        30, ge=2, le=10_000, description="Messages of the working memory; more become an episode."
    )
    episode_messages: int = setting(
        16, ge=1, le=10_000, description="Oldest messages that become one episode."
    )
    reviewer: Literal["auto", "rules", "person", "none"] = setting(
        "auto",
        description="Who reviews facts: the model (`auto`; rules without one), rules, a person, or"
        " nobody.",
    )
    reviews_per_run: int = setting(20, ge=1, description="Reviews made at most in one go.")


class Retention(Group):
    """What is kept for a time only."""

    keep_messages_days: int = setting(
        0,
        ge=0,
        description="Days after which the words of digested messages are destroyed; the memories"
        " made of them stay. 0: never.",
    )
    keep_trash_days: int = setting(
        0, ge=0, description="Days after which forgotten memories are erased for good; 0: never."
    )
    keep_journal_days: int = setting(
        0,
        ge=0,
        description="Days after which the journal keeps only what happened when, no texts;"
        " 0: never.",
    )
    max_trash: int = setting(
        0,
        ge=0,
        description="Forgotten memories that strategy `slots` keeps, the newest; the rest goes for"
        " good, with messages and jobs of which nothing else is left. 0: four for each slot.",
    )
    max_journal: int = setting(
        0,
        ge=0,
        description="Journal entries about no memory in particular, or about the use of facts, that"
        " strategy `slots` keeps, the newest. 0: twenty for each slot.",
    )


class Finding(Group):
    """How recall and search answer."""

    default_search_depth: int = setting(
        2, ge=0, description="Hops of a recall that names no depth."
    )
    max_search_results: int = setting(
        100, ge=0, description="Most memories one recall returns; 0 means no limit."
    )
    recall_patience: float = setting(
        2.0, ge=0, description="Seconds a recall waits for earlier remembers to be digested."
    )
    vector_floor: float = setting(
        0.4,
        ge=-1,
        le=1,
        description="Cosine from which meaning alone, with no word in common, is relevant.",
    )


class Notebook(Group):
    """The pages that an agent works from."""

    work_dir: Path | None = setting(
        None, description="Folder in which the notebook's pages are kept; unset: no notebook."
    )
    notebook_mode: Literal["full", "minimal"] = setting(
        "full",
        description="`full`: task, world, sessions and knowledge; `minimal`: only the compact"
        " memory is ever written.",
    )
    compact_threshold_tokens: int = setting(
        70_000, ge=0, description="A history of more than so many tokens should be compacted."
    )
    compact_target_tokens: int = setting(
        8000, ge=200, description="Estimated tokens that a compact memory may have."
    )
    compact_window_tokens: int = setting(
        0,
        ge=0,
        description="History per question, for models with a small window; 0: all in one question.",
    )
    compact_model_url: str | None = setting(
        None,
        pattern=r"^https?://",
        description="A server of its own for compaction, such as https://openrouter.ai/api/v1;"
        " unset: the agent's model.",
    )
    compact_model_name: str = setting(
        "default",
        min_length=1,
        description="Name of the model there, such as google/gemini-2.0-flash-001.",
    )
    compact_model_key: "SecretStr | None" = setting(None, description="Key for that server.")
    inject_world_state: bool = setting(
        False, description="Whether the notebook's prompt also holds the state of the world."
    )
    task_max_steps: int = setting(1000, ge=1, description="Steps of a task that one run may make.")
    task_max_depth: int = setting(20, ge=1, le=100, description="How deep TODOs may be nested.")
    task_protects: bool = setting(
        True, description="Whether memories touched while a task is open do not fade until it ends."
    )


class Conversation(Group):
    """How much a `Chat` takes in."""

    context_max_tokens: int = setting(
        128_000, ge=1000, description="Estimated tokens that the model of a `Chat` can take in."
    )
    context_threshold_ratio: float = setting(
        0.8,
        gt=0,
        le=1,
        description="Share of them from which on a `Chat` lets its oldest messages go.",
    )


class Serving(Group):
    """How `wangchuan serve` listens, whom it lets wait, and where the proxy passes requests on."""

    server_host: str = setting("127.0.0.1", description="Address that the server listens at.")
    server_port: int = setting(8420, ge=0, le=65535, description="Port of the server; 0: any.")
    server_names: str = setting(
        "",
        description="Names, parted by commas, under which clients may know the server beside its"
        " address: what stands in the Host of their requests.",
    )
    server_concurrency: int = setting(
        64, ge=1, le=10_000, description="Operations under way at once; more wait."
    )
    server_patience: float = setting(
        5.0, ge=0, description="Seconds that an operation waits to begin before it is refused."
    )
    server_rate: float = setting(
        1000.0, gt=0, description="Requests a second that one token may make, in bursts of as many."
    )
    upstream_url: str | None = setting(
        None, description="Base URL, with `/v1`, of the OpenAI-compatible server behind the proxy."
    )
    upstream_key: "SecretStr | None" = setting(None, description="Key for that server.")
    upstream_anthropic_url: str | None = setting(
        None, description="Base URL, without `/v1`, of the Anthropic-compatible one."
    )
    upstream_anthropic_key: "SecretStr | None" = setting(None, description="Key for that server.")


class Activity(Group):
    """What makes memories active, and when they are cold."""

    activity_in_degree: float = setting(
        1.0, ge=0, description="Activity: weight of how many memories lead to one (A)."
    )
    activity_out_degree: float = setting(
        0.8, ge=0, description="Activity: weight of how many memories it leads to (B)."
    )
    activity_access: float = setting(
        1.2, ge=0, description="Activity: weight of how often it was returned (C)."
    )
    activity_traverse: float = setting(
        0.8, ge=0, description="Activity: weight of how often it was passed on the way (D)."
    )
    activity_recent_access: float = setting(
        1.5, ge=0, description="Activity: weight of having been returned lately (E)."
    )
    activity_recent_link: float = setting(
        1.0, ge=0, description="Activity: weight of having been passed lately (F)."
    )
    activity_age: float = setting(0.3, ge=0, description="Activity: what age takes away (G).")
    activity_access_hours: float = setting(
        24, gt=0, description="Activity: hours in which a return loses 63 % of its recency."
    )
    activity_link_hours: float = setting(
        72, gt=0, description="Activity: hours in which a passing loses 63 % of its recency."
    )
    activity_age_days: float = setting(
        30, gt=0, description="Activity: days of age that cost `activity_age` once."
    )
    theta_active: float = setting(
        3.8, description="A memory at least so active is active, not cold."
    )
    theta_delete: float = setting(
        0.0,
        description="One at most so active, unlinked and unaccessed may be marked for deletion.",
    )
    long_unaccessed_days: float = setting(
        30, ge=0, description="Days without access before that mark."
    )
    tick_hours: float = setting(
        12, ge=6, le=24, description="Hours between two ticks, which settle what is active or cold."
    )
    merge_cold_days: float = setting(
        7, ge=0, description="Days a memory is cold before a merge is suggested."
    )
    merge_max_degree: int = setting(
        24, ge=0, description="Links, in and out, that it may have for that."
    )
    merge_overlap: float = setting(
        0.8, gt=0, le=1, description="Share of words two memories must have in common for that."
    )
    merge_closeness: float = setting(
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
