"""Settings: bounds named in messages, sources in order, near misses pointed out."""

from __future__ import annotations

import re
import traceback
from contextlib import suppress
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from wangchuan import InvalidInput, Memory, Settings
from wangchuan.settings import judge
from wangchuan.settings.fields import HARMLESS, load, origins, user_file
from wangchuan.settings.groups import GROUPS, Models, Queue

PARAMETERS = {
    "focus_limit": 5,
    "decay_rate": 0.97,
    "link_initial_strength": 0.5,
    "delete_threshold": 5,
    "link_break_threshold": 0.01,
    "time_slice_ms": 30_000,
    "max_retries": 15,
    "default_search_depth": 2,
    "compression_batch_size": 100,
    "max_nodes": 10_000,
    "worker_timeout_ms": 300_000,
    "max_search_results": 100,
    "max_queue_size": 1000,
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("name", "value"), PARAMETERS.items())
def test_every_parameter_of_the_documents_has_its_default(name: str, value: float) -> None:
    assert getattr(Settings(), name) == value


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("decay_rate", 0, "greater than 0"),
        ("decay_rate", 1.1, "less than or equal to 1"),
        ("decay_rate", -1, "greater than 0"),
        ("decay_rate", float("nan"), "finite"),
        ("decay_rate", "fast", "valid number"),
        ("delete_threshold", -1, "greater than or equal to 0"),
        ("focus_limit", 0, "greater than or equal to 1"),
        ("focus_limit", -1, "greater than or equal to 1"),
        ("focus_limit", 10**6, "less than or equal to 1000"),
        ("link_break_threshold", 0.5, "less than link_initial_strength"),
        ("max_retries", -1, "greater than or equal to 0"),
        ("max_search_results", -1, "greater than or equal to 0"),
        ("max_queue_size", 0, "greater than or equal to 1"),
        ("durability", "maybe", "'full' or 'normal'"),
        ("no_such_thing", 1, "no_such_thing"),
    ],
)
def test_a_value_out_of_bounds_is_refused_with_the_bound(
    name: str, value: Any, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        Settings(**{name: value})
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("decay_rate", 1.0), ("max_retries", 0), ("max_search_results", 0), ("time_slice_ms", 0)],
)
def test_values_at_the_edge_are_taken(name: str, value: float) -> None:
    assert getattr(Settings(**{name: value}), name) == value


def test_slots_must_outnumber_the_focus() -> None:
    with pytest.raises(InvalidInput, match="greater than focus_limit"):
        Settings(strategy="slots", max_nodes=5)
    assert Settings(max_nodes=5).max_nodes == 5  # not used by the other strategy


def configure(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> Path:
    """Write a user's own file of settings."""
    file = folder / "own" / "wangchuan" / "wangchuan.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "own"))
    return file


def test_arguments_win_over_the_environment_that_over_the_file_and_that_over_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, tmp_path, "decay_rate = 0.9\nfocus_limit = 7\nworkers = 3\n")
    (tmp_path / "wangchuan.toml").write_text("workers = 2\ndefault_search_depth = 4\n")
    monkeypatch.setenv("WANGCHUAN_FOCUS_LIMIT", "8")
    found = Settings(max_nodes=99)
    assert (found.decay_rate, found.focus_limit, found.max_nodes) == (0.9, 8, 99)
    assert (found.workers, found.default_search_depth) == (3, 4)
    monkeypatch.setenv("WANGCHUAN_WORKERS", "4")
    assert (Settings().workers, Settings(workers=5).workers) == (4, 5)
    monkeypatch.setenv("WANGCHUAN_CONFIG", str(tmp_path / "other.toml"))
    (tmp_path / "other.toml").write_text("decay_rate = 0.8\n")
    assert Settings().decay_rate == 0.8


def test_a_file_that_says_things_twice_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = configure(monkeypatch, tmp_path, "decay_rate = 0.9\ndecay_rate = 0.8\n")
    with pytest.raises(InvalidInput, match=r"own/wangchuan/wangchuan\.toml: .*overwrite"):
        load()
    for text in ("a = " + "[" * 5000, "\udcff"):
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(InvalidInput, match="cannot be read"):
            load()


def test_a_named_file_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANGCHUAN_CONFIG", "nowhere.toml")
    with pytest.raises(InvalidInput, match=r"WANGCHUAN_CONFIG names nowhere\.toml"):
        load()


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {}, "home/.config/wangchuan/wangchuan.toml"),
        ("linux", {"XDG_CONFIG_HOME": "{}/x"}, "x/wangchuan/wangchuan.toml"),
        ("linux", {"XDG_CONFIG_HOME": "relative"}, "home/.config/wangchuan/wangchuan.toml"),
        ("darwin", {}, "home/Library/Application Support/wangchuan/wangchuan.toml"),
        ("win32", {"APPDATA": "{}/data"}, "data/wangchuan/wangchuan.toml"),
        ("win32", {}, "home/AppData/Roaming/wangchuan/wangchuan.toml"),
    ],
)
def test_a_users_own_file_lies_where_the_platform_keeps_such_files(
    platform: str,
    variables: dict[str, str],
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("wangchuan.settings.fields.sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp_path))
    assert user_file() == tmp_path / place


# the file of a project

OWNERS = re.findall(
    r"\w+",
    """
    root store consistency
    work_dir model_url model_name model_key embedder embedding_url embedding_name
    embedding_key compact_model_url compact_model_name compact_model_key inject_world_state
    durability max_queue_size keep_messages_days keep_trash_days keep_journal_days max_trash
    max_journal learn user_name
    agent_name working_messages episode_messages reviewer reviews_per_run focus_limit
    focus_refresh_on_mention decay_rate link_initial_strength related_links
    link_break_threshold delete_threshold length_base dangling_counts strategy max_nodes
    slot_sample compression_step server_host server_port server_names server_concurrency
    server_patience server_rate upstream_url upstream_key upstream_anthropic_url
    upstream_anthropic_key
    task_protects activity_in_degree activity_out_degree activity_access activity_traverse
    activity_recent_access activity_recent_link activity_age activity_access_hours
    activity_link_hours activity_age_days theta_active theta_delete long_unaccessed_days
    tick_hours merge_cold_days merge_max_degree merge_overlap merge_closeness model_concurrency
    model_window_tokens model_calls_per_day model_tokens_per_day max_retries worker_timeout_ms
    compression_batch_size time_slice_ms recall_patience close_patience max_open_agents
    compact_window_tokens
    context_max_tokens context_threshold_ratio task_max_steps task_max_depth
    """,
)  # where words and files go; what is kept; how it fades; what it costs


def test_for_every_setting_it_is_decided_who_may_set_it() -> None:
    """A new setting has to be put here, or among the harmless ones."""
    assert set(OWNERS) | HARMLESS == set(Settings.model_fields)
    assert not set(OWNERS) & HARMLESS


@pytest.mark.parametrize("name", OWNERS)
def test_the_file_of_a_project_cannot_set_what_is_the_owners(name: str, tmp_path: Path) -> None:
    values = {str: '"http://stranger.example"', bool: "false"}
    value = values.get(type(getattr(Settings(), name)), "1")
    (tmp_path / "wangchuan.toml").write_text(f"{name} = {value}\n")
    with pytest.warns(UserWarning, match=f"may not set {name}, which is ignored.* put it into"):
        found = Settings()
    assert getattr(found, name) == Settings.model_fields[name].default


def test_a_strangers_project_gets_neither_words_nor_key_nor_destroys_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANGCHUAN_MODEL_KEY", "sesame")
    (tmp_path / "wangchuan.toml").write_text(
        'model_url = "http://127.0.0.1:9/v1"\nkeep_messages_days = 1\nroot = "/tmp/theirs"\n'
        "no_such_setting = 1\n"
    )
    with pytest.warns(UserWarning, match="may not set") as told:
        found = load()
    assert (found.model_url, found.keep_messages_days) == (None, 0)
    assert found.root == Path("memory_data")
    names = ["keep_messages_days", "model_url", "no_such_setting", "root"]
    assert [str(w.message).split("may not set ")[1].split(",")[0] for w in told] == names


def test_the_file_of_the_working_directory_is_the_users_if_they_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wangchuan.toml").write_text("decay_rate = 0.9\n")
    monkeypatch.setenv("WANGCHUAN_CONFIG", "wangchuan.toml")
    assert Settings().decay_rate == 0.9
    assert origins() == {"decay_rate": "file"}


def test_where_settings_come_from_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, tmp_path, "decay_rate = 0.9\nfocus_limit = 7\n")
    (tmp_path / "wangchuan.toml").write_text("workers = 2\n")
    monkeypatch.setenv("WANGCHUAN_FOCUS_LIMIT", "8")
    expected = {"decay_rate": "file", "focus_limit": "environment", "workers": "project"}
    assert origins() == expected


# keys

THERE, ELSEWHERE = "https://there.example/v1", "http://elsewhere.example/v1"


@pytest.mark.parametrize("part", ["model", "embedding", "compact_model"])
def test_a_key_goes_only_to_the_address_it_was_set_beside(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def key_of(**given: str) -> str | None:
        found = getattr(
            load({f"{part}_{name}": value for name, value in given.items()}), f"{part}_key"
        )
        return found.get_secret_value() if found else None

    configure(monkeypatch, tmp_path, f'{part}_url = "{THERE}"\n{part}_key = "sesame"\n')
    assert key_of() == "sesame"
    assert key_of(url=THERE + "/") == "sesame"
    assert key_of(url=ELSEWHERE, key="other") == "other"
    with pytest.warns(UserWarning, match=f"{part}_key is not used"):
        assert key_of(url=ELSEWHERE) is None
    monkeypatch.setenv(f"WANGCHUAN_{part.upper()}_URL", ELSEWHERE)
    with pytest.warns(UserWarning, match=f"{part}_key is not used"):
        assert key_of() is None
    assert key_of(url=THERE) == "sesame"
    monkeypatch.setenv(f"WANGCHUAN_{part.upper()}_KEY", "of elsewhere")
    assert key_of() == "of elsewhere"
    assert key_of(url=THERE) == "sesame"


def test_a_key_in_the_environment_goes_to_the_address_in_the_users_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, tmp_path, f'model_url = "{THERE}"\n')
    monkeypatch.setenv("WANGCHUAN_MODEL_KEY", "sesame")
    found = load().model_key
    assert found is not None
    assert found.get_secret_value() == "sesame"


@pytest.mark.parametrize(
    "given",
    [
        {"model_key": 12345678},
        {"model_keys": "12345678"},
        {"model_url": "ftp://ann:12345678@there.example"},
        {"model_url": "https://ann:12345678@there.example", "decay_rate": 2},
        {"user_name": "Authorization: Bearer 12345678" * 9},
    ],
)
def test_a_fault_does_not_tell_a_key_or_password(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        load(given)
    told = "".join(traceback.format_exception(caught.value))
    assert "12345678" not in told.split("load(given)")[-1]


def test_settings_are_shown_without_passwords() -> None:
    shown = repr(Settings(model_url="https://ann:12345678@there.example", model_key="sesame"))
    assert "12345678" not in shown
    assert "sesame" not in shown
    assert "https://***@there.example" in shown


def test_near_misses_in_the_environment_are_pointed_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WANGCHUAN_DECAYRATE", "0.9")
    with pytest.warns(UserWarning, match="did you mean WANGCHUAN_DECAY_RATE"):
        Settings()


def test_settings_come_as_values_or_as_a_mapping(tmp_path: Path) -> None:
    given = Settings(decay_rate=0.9)
    assert load(given) is given
    assert load(given, root=tmp_path).decay_rate == 0.9
    assert load({"decay_rate": 0.9}, root=None).root == Path("memory_data")


def test_a_bad_setting_opens_nothing(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="decay_rate = 2: Input should be less"):
        Memory.open("a", root=tmp_path / "root", settings={"decay_rate": 2})
    assert not (tmp_path / "root").exists()


@pytest.mark.parametrize("given", [5, "decay_rate=0.9", ["decay_rate"], ()])
def test_settings_that_are_none_are_refused(tmp_path: Path, given: Any) -> None:
    with pytest.raises(InvalidInput, match="settings are a dict of names and values"):
        Memory.open("a", root=tmp_path / "root", settings=given)
    assert not (tmp_path / "root").exists()


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ({"root": 5}, "root must be a path, not 5"),
        ({"clock": 5}, "clock must return seconds since 1970 when called: 5"),
        ({"model": 5}, "model must have a method `complete`: 5"),
        ({"embedder": "x"}, "embedder must have a method `embed`: 'x'"),
    ],
)
def test_parts_that_cannot_work_are_refused(part: dict[str, Any], fault: str) -> None:
    with pytest.raises(InvalidInput, match=fault):
        Memory.open("a", **part)


def test_every_setting_stands_in_one_group() -> None:
    names = [name for group in GROUPS for name in group.model_fields]
    assert names == [*Settings.model_fields]
    assert len(names) == len(set(names))


def test_a_part_of_the_settings_has_the_values_of_its_group_and_no_others() -> None:
    given = Settings(max_queue_size=7, decay_rate=0.5)
    queue = given.part(Queue)
    assert queue.max_queue_size == 7
    assert queue == Queue(max_queue_size=7)
    assert not hasattr(queue, "decay_rate")
    with pytest.raises(FrozenInstanceError, match="frozen"):
        queue.workers = 3


def test_a_part_tells_no_password_of_an_address() -> None:
    given = Settings(model_url="http://me:sesame@localhost/v1").part(Models)
    assert "sesame" not in repr(given)


NUMBERS = [None, True, 0, 1, -1, 7, 10**6, 0.0, 0.5, 1.0, 24.5, -0.1, float("nan"), float("inf")]
WORDS = ["", "none", "full", "https://there.example", "7", Path("x"), Path("a\0b"), b"x", [1], {}]


@pytest.mark.parametrize("name", Settings.model_fields)
def test_what_is_taken_as_plainly_right_is_what_pydantic_makes_of_it(name: str) -> None:
    one, taken = Settings.model_fields[name], []
    for given in [*NUMBERS, *WORDS]:
        with suppress(ValueError):
            taken += [given] if one.holds(given) else []
    for given in taken:
        found = judge.judged(Settings, {name: given})[name]
        assert (type(found), found) == (type(given), given)
    default = judge.judged(Settings, {})[name]
    assert (type(default), default) == (type(one.value), one.value)
