"""Looking at what the demo left, through the real command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from acceptance.command import Demo, Run, document, together

THREE = "Dana keeps bees. Theo walks to Lisbon. Olive hides from the vacuum cleaner."
LISTS = ("show", "focus", "fading", "forgotten", "agents", "settings")
WHOLE = ("agents", "settings")  # about no agent in particular
READING = (
    *((name,) for name in ("recall", "focus", "fading", "forgotten", "stats", "doctor")),
    *((name, "1") for name in ("show", "links", "forget", "restore")),
    ("show", "--graph", "--html", "n.html"),
)


@pytest.mark.in_both
def test_looking_at_an_agent_that_is_not_there_makes_nothing(
    run: Run, tmp_path: Path, kept_at: Path | str
) -> None:
    where = str(kept_at) if isinstance(kept_at, Path) else "dbname=own_"
    for refused in together(run, [(*args, "--agent", "nobody") for args in READING]):
        assert (refused.returncode, refused.stdout) == (1, ""), refused.args
        assert "no agent 'nobody'" in refused.stderr
        assert where in refused.stderr
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
    calls = [(name,) if name in WHOLE else (name, "-a", "rivera") for name in LISTS]
    arrays = together(demo.run, [(*call, "--json") for call in calls])
    tables = together(demo.run, calls)
    for name, array, table in zip(LISTS, arrays, tables, strict=True):
        found = document(array)
        assert isinstance(found, list), name
        assert len(table.stdout.splitlines()) > len(found) > 0, name


def test_the_list_of_memories_is_the_newest_with_the_newest_last(demo: Demo) -> None:
    everything = document(demo.run("show", "-a", "rivera", "--limit", "1000", "--json"))
    newest = document(demo.run("show", "-a", "rivera", "--limit", "3", "--json"))
    assert newest == everything[-3:]
    assert all(0 < memory["kept"] <= 1 for memory in everything)
    said = [memory for memory in newest if memory["kind"] == "segment"]
    assert {memory["state"] for memory in said} == {"in focus"}


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
    leading = document(demo.run("links", noticed, "-a", "rivera", "--incoming", "--json"))
    assert {link["target"] for link in leading} == {noticed}
    told = demo.run("links", noticed, "-a", "rivera", "--incoming").stdout
    assert all(link["source"] in told for link in leading)


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
    found = re.search(r" explain (mem_\d+) --agent rivera", demo.done.stdout)
    assert found
    return found[1]


def test_the_tree_begins_with_the_focus_and_marks_what_dangles(demo: Demo) -> None:
    lines = demo.run("show", "--graph", "-a", "rivera", "-n", "200").stdout.splitlines()
    assert lines[0].startswith("rivera")
    assert len([line for line in lines if line[4:].startswith("● mem_")]) == 5
    assert any("forgotten (mem_" in line for line in lines)


def test_the_file_of_the_network_is_whole_in_itself_and_the_same_every_time(demo: Demo) -> None:
    for name in ("one", "two"):
        drawn = demo.run("show", "--html", f"{name}.html", "-a", "小川")
        assert drawn.returncode == 0, drawn.stderr
    text = (demo.folder / "one.html").read_text("utf-8")
    assert text == (demo.folder / "two.html").read_text("utf-8")
    assert not re.findall(r"(?:src|href)=", text.partition("<script>")[0])
    network = json.loads(
        re.findall(r'id="network" type="application/json">(.*?)</script>', text)[0]
    )
    assert sum(dot["in_focus"] for dot in network["dots"]) == 5
    assert network["stubs"]


def test_a_picture_of_many_memories_is_bounded(demo: Demo) -> None:
    network = document(demo.run("show", "--graph", "-n", "7", "-a", "小川", "--json"))
    assert len(network["dots"]) == 7
    assert network["memories"] > 7


def test_settings_tell_where_they_come_from(run: Run, tmp_path: Path) -> None:
    (tmp_path / "wangchuan.toml").write_text("workers = 3\n", "utf-8")
    own = tmp_path / "own" / "wangchuan" / "wangchuan.toml"
    own.parent.mkdir(parents=True)
    own.write_text("keep_trash_days = 9\n", "utf-8")
    env = {"WANGCHUAN_DECAY_RATE": "0.9", "XDG_CONFIG_HOME": str(tmp_path / "own")}
    found = document(run("settings", "--json", env=env))
    by_name = {setting["name"]: (setting["value"], setting["from"]) for setting in found}
    assert by_name["workers"] == (3, "project")
    assert by_name["keep_trash_days"] == (9, "file")
    assert by_name["decay_rate"] == (0.9, "environment")
    assert by_name["focus_limit"] == (5, "default")
    assert all(setting["description"] for setting in found)


def test_what_the_file_of_a_project_sets_is_told_and_what_it_may_not_is_ignored(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "wangchuan.toml").write_text(
        'workers = 3\nmodel_url = "http://127.0.0.1:9/v1"\nkeep_messages_days = 1\n', "utf-8"
    )
    told = run("remember", "Dana keeps bees on the roof.", env={"WANGCHUAN_MODEL_KEY": "sesame"})
    assert told.returncode == 0
    assert "wangchuan.toml of this folder sets workers = 3" in told.stderr
    for name in ("model_url", "keep_messages_days"):
        assert told.stderr.count(f"may not set {name}, which is ignored") == 1
    assert f"WANGCHUAN_{name.upper()}" in told.stderr
    assert "Dana" in run("recall", "bees").stdout
    (tmp_path / "wangchuan.toml").write_text("workers = [", "utf-8")
    refused = run("stats")
    assert refused.returncode == 1
    assert "error: the settings cannot be read: wangchuan.toml" in refused.stderr


def test_settings_show_no_key_and_no_password(run: Run) -> None:
    env = {"WANGCHUAN_MODEL_KEY": "sesame", "WANGCHUAN_MODEL_URL": "http://ann:s3same@127.0.0.1:9/"}
    for args in (("settings",), ("settings", "--json"), ("doctor", "--model")):
        told = run(*args, env=env)
        assert "127.0.0.1:9" in told.stdout
        assert "s3same" not in told.stdout + told.stderr
        assert "sesame" not in told.stdout + told.stderr


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
    assert "\x1b" not in quiet


NARROW = (("show",), ("focus",), ("fading",), ("forgotten",))


@pytest.mark.parametrize("width", [60, 40])
def test_ids_are_whole_on_narrow_screens(demo: Demo, width: int) -> None:
    held = re.findall(r"mem_\w*", demo.run("focus", "-a", "rivera").stdout)[0]
    calls = [(*args, "-a", "rivera") for args in (*NARROW, ("links", held))]
    whole = together(demo.run, calls)
    narrow = together(lambda *a: demo.run(*a, env={"COLUMNS": str(width)}), calls)
    for one, other in zip(whole, narrow, strict=True):
        ids = [re.findall(r"mem_\w*", done.stdout) for done in (one, other)]
        assert ids[0] == ids[1] != [], other.stdout
        assert max(len(line) for line in other.stdout.splitlines()) <= width
    assert "too narrow for:" in narrow[0].stderr


def test_names_of_agents_and_settings_are_whole_on_narrow_screens(demo: Demo) -> None:
    agents, settings = together(
        lambda *args: demo.run(*args, env={"COLUMNS": "40"}), [("agents",), ("settings",)]
    )
    assert "rivera" in agents.stdout
    assert "\ndefault_search_depth" in settings.stdout


def test_a_deep_tree_keeps_room_for_words(run: Run) -> None:
    lines = [json.dumps({"role": "user", "content": f"Step {n} of the way."}) for n in range(30)]
    run("remember", "--jsonl", "--batch", "30", stdin="\n".join(lines))
    tree = run("show", "--graph", env={"COLUMNS": "40"}).stdout
    assert len(set(re.findall(r"mem_\d+ \w+", tree))) == 30


# the names of links


def test_english_speakers_read_english_names_and_documents_keep_the_stored(run: Run) -> None:
    run("remember", THREE)
    calls = [("links", "2"), ("explain", "2"), ("show", "--graph"), ("history", "2")]
    told = [done.stdout for done in together(run, calls)]
    assert "before" in told[0]
    assert "(after)" in told[1]
    assert not re.search("上文|下文", "".join(told))
    stored = document(run("links", "2", "--json"))
    assert {link["relation"] for link in stored} >= {"上文", "下文"}
    assert "上文" in run("show", "--graph", "--json").stdout


def test_trees_for_english_speakers_have_english_names(demo: Demo) -> None:
    for agent, found in (("rivera", False), ("小川", True)):
        shown = demo.run("show", "--graph", "-n", "200", "-a", agent).stdout
        assert ("下文" in shown or "上文" in shown) == found
    english, _, chinese = demo.done.stdout.partition("小川 (Chinese)")
    assert "(上文)" in chinese
    assert "上文" not in english


def test_a_name_that_was_read_can_be_asked_for(run: Run) -> None:
    run("remember", THREE)
    shown, stored = (run("recall", "-r", name, "-d", "9").stdout for name in ("before", "上文"))
    assert shown == stored != ""


# what goes wrong


def test_a_file_that_cannot_be_written_is_named_with_the_reason(demo: Demo) -> None:
    (demo.folder / "taken.html").mkdir(exist_ok=True)
    nowhere = demo.run("show", "--html", "/nonexistent/x.html", "-a", "rivera")
    taken = demo.run("show", "--html", "taken.html", "-a", "rivera")
    assert (nowhere.returncode, taken.returncode) == (1, 1)
    assert nowhere.stderr == (
        "error: cannot write /nonexistent/x.html: the folder /nonexistent does not exist\n"
    )
    assert taken.stderr == "error: cannot write taken.html: Is a directory\n"


@pytest.mark.in_both
def test_what_is_forgotten_can_be_restored_with_the_command_that_is_suggested(run: Run) -> None:
    run("remember", "Dana keeps bees on the roof.", "-a", "rivera")
    run("forget", "1", "-a", "rivera")
    refused = run("explain", "1", "-a", "rivera")
    told = re.fullmatch(r"error: mem_1 is forgotten; `wangchuan (.+)` brings.*\n", refused.stderr)
    assert told, refused.stderr
    assert told[1] == "restore 1 --agent rivera"
    assert run(*told[1].split()).returncode == 0


def test_the_documents_hold_chinese_as_it_is_written(demo: Demo) -> None:
    told = demo.run("focus", "-a", "小川", "--json").stdout
    assert "\\u" not in told
    assert json.loads(told)[0]["content"] in told


@pytest.mark.in_both
def test_show_and_explain_agree_whatever_rules_held_when_it_was_said(run: Run) -> None:
    lines = "\n".join(
        json.dumps({"role": "user", "content": f"Bee hive {n} hums."}) for n in range(8)
    )
    told = ("remember", "--jsonl", "--batch", "1")
    assert run(*told, stdin=lines, env={"WANGCHUAN_DECAY_RATE": "0.5"}).returncode == 0
    shown, explained = (document(run(what, "1", "--json")) for what in ("show", "explain"))
    listed = next(one for one in document(run("show", "--json")) if one["id"] == "mem_1")
    assert shown["importance"] == explained["importance"] == listed["importance"]
