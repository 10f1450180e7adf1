"""Looking at what the demo left, through the real command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from acceptance.command import Demo, Run, document, together

LISTS = ("show", "focus", "fading", "forgotten", "agents", "settings")
READING = (
    *((name,) for name in ("recall", "focus", "fading", "forgotten", "stats", "doctor")),
    *((name, "1") for name in ("show", "links", "forget", "restore")),
    ("show", "--graph", "--svg", "n.svg"),
)


def test_looking_at_an_agent_that_is_not_there_makes_nothing(run: Run, tmp_path: Path) -> None:
    for refused in together(run, [(*args, "--agent", "nobody") for args in READING]):
        assert (refused.returncode, refused.stdout) == (1, ""), refused.args
        assert "no agent 'nobody'" in refused.stderr
        assert str(tmp_path / "memory_data") in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_missing_agent_is_told_beside_those_that_are_there(demo: Demo) -> None:
    refused = demo.run("stats", "-a", "nobody")
    assert refused.returncode == 1
    assert "agents there: rivera, 小川" in refused.stderr


def test_the_agent_may_come_from_the_environment_without_a_warning(demo: Demo) -> None:
    told = demo.run("stats", "--json", env={"WANGCHUAN_AGENT": "rivera"})
    assert document(told)["agent"] == "rivera"
    assert told.stderr == ""


def test_lists_are_tables_in_words_and_arrays_in_json(demo: Demo) -> None:
    arrays = together(demo.run, [(name, "-a", "rivera", "--json") for name in LISTS])
    tables = together(demo.run, [(name, "-a", "rivera") for name in LISTS])
    for name, array, table in zip(LISTS, arrays, tables, strict=True):
        found = document(array)
        assert isinstance(found, list), name
        assert len(table.stdout.splitlines()) > len(found) > 0, name


def test_the_list_of_memories_is_the_newest_with_the_newest_last(demo: Demo) -> None:
    everything = document(demo.run("show", "-a", "rivera", "--limit", "1000", "--json"))
    newest = document(demo.run("show", "-a", "rivera", "--limit", "3", "--json"))
    assert newest == everything[-3:]
    assert all(0 < memory["kept"] <= 1 for memory in everything)
    assert {memory["state"] for memory in newest} == {"in focus"}


def test_one_memory_is_shown_with_the_message_it_came_from(demo: Demo) -> None:
    fading = document(demo.run("fading", "-a", "rivera", "--json"))[0]
    told = demo.run("show", fading["id"].removeprefix("mem_"), "-a", "rivera").stdout
    whole = document(demo.run("show", fading["id"], "-a", "rivera", "--json"))["messages"][0]
    assert len(whole["content"]) > len(fading["content"])
    assert whole["content"] in told


def test_fading_memories_come_in_the_order_of_their_end(demo: Demo) -> None:
    found = document(demo.run("fading", "-a", "rivera", "--json", "--limit", "5"))
    left = [memory["passes_left"] for memory in found]
    assert len(left) == 5
    assert left == sorted(left)


def test_links_tell_what_dangles(demo: Demo) -> None:
    noticed = _gap(demo)
    links = document(demo.run("links", noticed, "-a", "rivera", "--json"))
    assert any(link["dangling"] for link in links)
    told = demo.run("links", noticed, "-a", "rivera")
    assert "forgotten" in told.stdout
    assert "restore" in told.stderr


def test_an_explanation_is_the_sum_of_its_links(demo: Demo) -> None:
    told = document(demo.run("explain", _gap(demo), "-a", "rivera", "--json"))
    strengths = [link["strength"] for link in told["links"] + told["support"]]
    assert told["importance"] == pytest.approx(sum(strengths))
    drawn = demo.run("explain", _gap(demo), "-a", "rivera").stdout
    assert drawn.count("█") > len(strengths)
    assert f"importance {told['importance']:.2f}" in drawn


def test_the_past_of_a_faded_memory_names_its_compressions(demo: Demo) -> None:
    kinds = [c["kind"] for c in document(demo.run("history", _gap(demo), "-a", "rivera", "--json"))]
    assert kinds[0] == "remembered"
    assert "compressed" in kinds
    assert "compressed" in demo.run("history", _gap(demo), "-a", "rivera").stdout


def _gap(demo: Demo) -> str:
    """Return the memory that the demo's farewell suggests to explain."""
    found = re.search(r"wangchuan explain (mem_\d+) --agent rivera", demo.done.stdout)
    assert found
    return found[1]


def test_the_tree_begins_with_the_focus_and_marks_what_dangles(demo: Demo) -> None:
    lines = demo.run("show", "--graph", "-a", "rivera", "-n", "200").stdout.splitlines()
    assert lines[0].startswith("rivera")
    assert len([line for line in lines if line[4:].startswith("● mem_")]) == 5
    assert any("forgotten (mem_" in line for line in lines)


def test_pictures_are_whole_in_themselves_and_the_same_every_time(demo: Demo) -> None:
    for name in ("one", "two"):
        drawn = demo.run("show", "--svg", f"{name}.svg", "--html", f"{name}.html", "-a", "小川")
        assert drawn.returncode == 0, drawn.stderr
    for suffix in (".svg", ".html"):
        text = (demo.folder / f"one{suffix}").read_text("utf-8")
        assert text == (demo.folder / f"two{suffix}").read_text("utf-8")
        assert re.findall(r"https?://[^\"'\s]+", text) == ["http://www.w3.org/2000/svg"]
        assert text.count('class="dot focus"') == 5
        assert 'class="stub"' in text


def test_a_picture_of_many_memories_is_bounded(demo: Demo) -> None:
    network = document(demo.run("show", "--graph", "-n", "7", "-a", "小川", "--json"))
    assert len(network["dots"]) == 7
    assert network["memories"] > 7


def test_settings_tell_where_they_come_from(run: Run, tmp_path: Path) -> None:
    (tmp_path / "wangchuan.toml").write_text("workers = 3\n", "utf-8")
    found = document(run("settings", "--json", env={"WANGCHUAN_DECAY_RATE": "0.9"}))
    by_name = {setting["name"]: (setting["value"], setting["from"]) for setting in found}
    assert by_name["workers"] == (3, "file")
    assert by_name["decay_rate"] == (0.9, "environment")
    assert by_name["focus_limit"] == (5, "default")
    assert all(setting["description"] for setting in found)


def test_a_setting_out_of_bounds_is_told_in_words(run: Run) -> None:
    refused = run("settings", env={"WANGCHUAN_DECAY_RATE": "2"})
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: setting decay_rate = '2'")


def test_figures_agree_between_the_words_and_the_document(demo: Demo) -> None:
    figures = document(demo.run("stats", "-a", "小川", "--json"))
    agents = document(demo.run("agents", "--json"))
    assert {one["agent"]: one["memories"] for one in agents}["小川"] == figures["nodes"]
    assert f"memories   {figures['nodes']}," in demo.run("stats", "-a", "小川").stdout


def test_nothing_found_is_a_hint_beside_an_empty_answer(run: Run) -> None:
    run("remember", "Dana keeps bees on the roof.")
    told = run("recall", "submarines")
    assert (told.returncode, told.stdout) == (0, "")
    assert "nothing comes to mind" in told.stderr


def test_recall_can_be_held_to_relations_and_depth(demo: Demo) -> None:
    near = document(demo.run("recall", "-a", "rivera", "--depth", "0", "--json"))
    assert near["text"].count("[记忆]") == 5
    named = demo.run("recall", "-a", "rivera", "--relation", "no such relation")
    assert (named.returncode, named.stdout) == (0, "")


def test_colour_is_for_terminals_only(demo: Demo) -> None:
    assert "\x1b" not in demo.run("show", "-a", "小川").stdout
    forced = {"FORCE_COLOR": "1"}
    assert "\x1b[1m" in demo.run("show", "-a", "小川", env=forced).stdout
    quiet = demo.run("show", "-a", "小川", env={**forced, "NO_COLOR": "1"}).stdout
    assert not re.search(r"\x1b\[[\d;]*3\dm", quiet)


def test_the_documents_hold_chinese_as_it_is_written(demo: Demo) -> None:
    told = demo.run("focus", "-a", "小川", "--json").stdout
    assert "\\u" not in told
    assert json.loads(told)[0]["content"] in told
