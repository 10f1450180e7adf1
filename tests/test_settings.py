"""Settings: bounds named in messages, sources in order, near misses pointed out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from wangchuan import InvalidInput, Memory, Settings
from wangchuan.settings import load

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
    with pytest.raises(ValidationError, match=message) as caught:
        Settings(**{name: value})
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("decay_rate", 1.0), ("max_retries", 0), ("max_search_results", 0), ("time_slice_ms", 0)],
)
def test_values_at_the_edge_are_taken(name: str, value: float) -> None:
    assert getattr(Settings(**{name: value}), name) == value


def test_slots_must_outnumber_the_focus() -> None:
    with pytest.raises(ValidationError, match="greater than focus_limit"):
        Settings(strategy="slots", max_nodes=5)
    assert Settings(max_nodes=5).max_nodes == 5  # not used by the other strategy


def test_arguments_win_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wangchuan.toml").write_text("decay_rate = 0.9\nfocus_limit = 7\nworkers = 3\n")
    monkeypatch.setenv("WANGCHUAN_FOCUS_LIMIT", "8")
    monkeypatch.setenv("WANGCHUAN_WORKERS", "4")
    found = Settings(workers=5)
    assert (found.decay_rate, found.focus_limit, found.workers) == (0.9, 8, 5)
    monkeypatch.setenv("WANGCHUAN_CONFIG", str(tmp_path / "other.toml"))
    (tmp_path / "other.toml").write_text("decay_rate = 0.8\n")
    assert Settings().decay_rate == 0.8


def test_a_file_that_says_things_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "wangchuan.toml").write_text("decay_rate = 0.9\ndecay_rate = 0.8\n")
    with pytest.raises(ValueError, match="overwrite"):
        Settings()


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
        ({"root": 5}, "root must be the path of a folder, not 5"),
        ({"clock": 5}, "clock must return seconds since 1970 when called: 5"),
        ({"model": 5}, "model must have a method `complete`: 5"),
        ({"embedder": "x"}, "embedder must have a method `embed`: 'x'"),
    ],
)
def test_parts_that_cannot_work_are_refused(part: dict[str, Any], fault: str) -> None:
    with pytest.raises(InvalidInput, match=fault):
        Memory.open("a", **part)
