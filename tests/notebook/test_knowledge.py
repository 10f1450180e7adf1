"""Knowledge: versions, trials, functions and packages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from notebook.papers import desk_of, morning

from wangchuan.errors import InvalidInput, NotFound, StorageError
from wangchuan.notebook.knowledge import Knowledge
from wangchuan.notebook.trials import Arm, Trial


def knowledge_in(folder: Path, agent: str = "agent_001", **more: Any) -> Knowledge:
    notes = folder / ".notes" / agent
    return Knowledge(notes, desk_of(folder, agent), morning, **more)


@pytest.fixture
def knowledge(tmp_path: Path) -> Knowledge:
    return knowledge_in(tmp_path)


def main_page(folder: Path) -> Path:
    return folder / ".notes" / "agent_001" / "agent_knowledge.md"


def test_every_change_is_a_version_with_author_time_and_reason(knowledge: Knowledge) -> None:
    knowledge.write("先读再写。\n", reason="learnt")
    knowledge.write("先读再写，再检查。\n", author="Anna", reason="too many slips")
    first, second = knowledge.versions()
    assert (first.author, first.reason, first.at) == ("agent_001", "learnt", morning())
    assert (second.number, second.author, second.reason) == (2, "Anna", "too many slips")
    assert knowledge.read() == "先读再写，再检查。\n"
    assert knowledge.diff(1, 2).splitlines()[2:] == [
        "@@ -1 +1 @@",
        "-先读再写。",
        "+先读再写，再检查。",
    ]


def test_the_same_words_again_are_no_version_and_a_change_needs_a_reason(
    knowledge: Knowledge,
) -> None:
    knowledge.write("a", reason="x")
    knowledge.write("a", reason="again")
    assert len(knowledge.versions()) == 1
    with pytest.raises(InvalidInput, match="an author and a reason"):
        knowledge.write("b", reason=" ")
    with pytest.raises(InvalidInput, match="knowledge must be text"):
        knowledge.write(b"b", reason="x")  # type: ignore[arg-type]
    assert knowledge.read() == "a"


def test_rolling_back_is_a_new_version(knowledge: Knowledge) -> None:
    for text in ("one", "two", "three"):
        knowledge.write(text, reason="x")
    made = knowledge.rollback(1, author="Anna")
    assert (made.number, made.text, made.reason) == (4, "one", "back to version 1")
    assert knowledge.read() == "one"
    with pytest.raises(NotFound, match="no version 9"):
        knowledge.rollback(9)


def test_what_was_written_by_hand_becomes_a_version_before_anything_else(
    knowledge: Knowledge, tmp_path: Path
) -> None:
    main_page(tmp_path).parent.mkdir(parents=True)
    main_page(tmp_path).write_bytes("\ufeffby hand\r\n".encode())
    knowledge.write("by the agent", reason="x")
    main_page(tmp_path).write_text("by hand again", "utf-8")
    authors = [(v.author, v.text) for v in knowledge.versions()]
    assert authors == [
        ("hand", "\ufeffby hand\r\n"),
        ("agent_001", "by the agent"),
        ("hand", "by hand again"),
    ]


def test_pages_and_the_content_for_a_prompt(knowledge: Knowledge, tmp_path: Path) -> None:
    assert (knowledge.pages(), knowledge.content(), knowledge.read()) == ([], "", "")
    knowledge.write("main\n", reason="x")
    knowledge.write("of the house\n", page="house/style", reason="x")
    by_hand = tmp_path / ".notes" / "agent_001" / "knowledge" / "my notes.md"
    by_hand.write_bytes("\ufeffdropped\r\nhere".encode())
    assert knowledge.pages() == ["agent_knowledge", "house/style", "my notes"]
    assert knowledge.content() == "main\n\nof the house\n\ndropped\nhere"


@pytest.mark.parametrize(
    "name", ["../x", "/etc/passwd", "a/../b", ".hidden", "", "a//b", "x\x00", "a\\b", "C:x",
             "a/b/c/d/e", "y" * 300, "task_process", "x/world_state", "x/functions", "a "],
)  # fmt: skip
def test_a_page_has_a_name_that_leads_nowhere_else(knowledge: Knowledge, name: str) -> None:
    with pytest.raises(InvalidInput, match="knowledge"):
        knowledge.write("x", page=name, reason="x")


def test_damaged_versions_are_told_by_file_and_line(knowledge: Knowledge, tmp_path: Path) -> None:
    knowledge.write("a", reason="x")
    log = tmp_path / ".notes" / "agent_001" / "versions" / "agent_knowledge.jsonl"
    log.write_text(log.read_text("utf-8") + "{half", "utf-8")
    with pytest.raises(StorageError, match="line 2 is not a version"):
        knowledge.versions()
    assert knowledge.read() == "a"


def test_in_minimal_mode_knowledge_is_read_and_never_written(tmp_path: Path) -> None:
    knowledge_in(tmp_path).write("a", reason="x")
    before = sorted(path for path in tmp_path.rglob("*"))
    reader = knowledge_in(tmp_path, writable=False)
    assert reader.content("key") == "a"
    for act in (
        lambda: reader.write("b", reason="x"),
        lambda: reader.rollback(1),
        lambda: reader.declare(defined_by_hand),
        lambda: reader.try_out("t", 1, 2),
        lambda: reader.versions(),
    ):
        with pytest.raises(InvalidInput, match="minimal mode"):
            act()
    assert sorted(path for path in tmp_path.rglob("*")) == before


# functions


def read_file(path: str, limit: int = 3, *, mode: Literal["text", "bytes"] = "text") -> str:
    """Read a file."""
    return f"{path}{limit}{mode}"


defined_by_hand = {
    "type": "function",
    "function": {"name": "search", "description": "Look up.", "parameters": {"type": "object"}},
}


def test_functions_are_declared_from_callables_and_from_schemas(knowledge: Knowledge) -> None:
    found = knowledge.declare(read_file)
    assert (found["name"], found["description"]) == ("read_file", "Read a file.")
    assert found["parameters"]["required"] == ["path"]
    assert found["parameters"]["properties"]["mode"]["enum"] == ["text", "bytes"]
    knowledge.declare(defined_by_hand)
    knowledge.declare({"name": "search", "description": "Look up better."}, reason="clearer")
    assert [f["name"] for f in knowledge.functions()] == ["read_file", "search"]
    assert knowledge.functions()[1]["description"] == "Look up better."
    assert [v.reason for v in knowledge.versions("functions")] == [
        "declared",
        "declared",
        "clearer",
    ]


@pytest.mark.parametrize("odd", [3, {}, {"name": ""}, {"name": "x", "parameters": 3},
                                 {"name": "x", "parameters": {"a": object()}}])  # fmt: skip
def test_what_is_no_function_is_refused(knowledge: Knowledge, odd: Any) -> None:
    with pytest.raises(InvalidInput, match=r"function|schema"):
        knowledge.declare(odd)
    assert knowledge.functions() == []


def test_functions_that_are_no_json_are_told(knowledge: Knowledge, tmp_path: Path) -> None:
    page = tmp_path / ".notes" / "agent_001" / "functions.json"
    page.parent.mkdir(parents=True)
    page.write_text("[", "utf-8")
    with pytest.raises(StorageError, match=r"functions\.json is no JSON list"):
        knowledge.functions()
    with pytest.raises(InvalidInput, match="declare"):
        knowledge.write("{}", page="functions", reason="x")


# trials


def test_a_key_is_always_given_the_same_side_and_about_half_each(knowledge: Knowledge) -> None:
    knowledge.write("polite", reason="x")
    knowledge.write("short", reason="x")
    trial = knowledge.try_out("tone", 1, 2)
    keys = [f"user {n}" for n in range(400)]
    shown = [knowledge.content(key) for key in keys[:20]]
    assert shown == [knowledge.content(key) for key in keys[:20]]
    assert set(shown) == {"polite", "short"}
    assert 150 < sum(trial.arm_of(key) == "a" for key in keys) < 250
    assert knowledge.content() == "short"  # without a key, the page as it is


def test_outcomes_are_counted_and_summed_up(knowledge: Knowledge) -> None:
    knowledge.write("a", reason="x")
    knowledge.write("b", reason="x")
    knowledge.try_out("tone", 1, 2)
    assert knowledge.trials.get("tone").verdict == "undecided"
    for n in range(120):
        key = f"user {n}"
        knowledge.trials.count("tone", key, good=knowledge.content(key) == "b" or n % 4 == 0)
    trial = knowledge.trials.get("tone")
    assert trial.a.count + trial.b.count == 120
    assert trial.b.rate == 1.0
    assert trial.a.rate is not None
    assert trial.a.rate < 0.5
    assert trial.verdict == "b"
    knowledge.trials.end("tone")
    assert knowledge.content("user 1") == "b"
    with pytest.raises(InvalidInput, match="has ended"):
        knowledge.trials.count("tone", "user 1", good=True)


def test_trials_that_make_no_sense_are_refused(knowledge: Knowledge, tmp_path: Path) -> None:
    knowledge.write("a", reason="x")
    knowledge.write("b", reason="x")
    knowledge.try_out("tone", 1, 2)
    with pytest.raises(InvalidInput, match="already"):
        knowledge.try_out("tone", 1, 2)
    with pytest.raises(InvalidInput, match="two different"):
        knowledge.try_out("same", 1, 1)
    with pytest.raises(NotFound, match="no version 7"):
        knowledge.try_out("other", 1, 7)
    with pytest.raises(InvalidInput, match="cannot name a trial"):
        knowledge.try_out("../x", 1, 2)
    with pytest.raises(NotFound, match="no trial is called 'x'"):
        knowledge.trials.count("x", "k", good=True)
    (tmp_path / ".notes" / "agent_001" / "trials.json").write_text('{"t": 3}', "utf-8")
    with pytest.raises(StorageError, match="holds no trials"):
        knowledge.trials.all()


def test_the_interval_is_wilsons() -> None:
    assert Arm(1).interval == (0.0, 1.0)
    low, high = Arm(1, good=8, bad=2).interval
    assert (round(low, 3), round(high, 3)) == (0.49, 0.943)
    assert Trial("t", "p", Arm(1, good=90, bad=10), Arm(2, good=10, bad=90)).verdict == "a"


# packages


@pytest.fixture
def package(knowledge: Knowledge) -> str:
    knowledge.write("先读再写。", reason="x")
    knowledge.write("四个空格。", page="style", reason="x")
    knowledge.declare(read_file)
    return knowledge.pack("writing", version="2")


def test_a_package_is_installed_into_another_agent_below_its_own_name(
    package: str, tmp_path: Path
) -> None:
    other = knowledge_in(tmp_path, "agent_002")
    other.write("mine", reason="x")
    assert other.install(package) == ["writing/agent_knowledge", "writing/style"]
    assert other.read() == "mine"
    assert other.content() == "mine\n\n先读再写。\n\n四个空格。"
    assert [f["name"] for f in other.functions()] == ["writing.read_file"]
    (version,) = other.versions("writing/style")
    assert (version.author, version.reason) == ("package writing", "version 2 of agent_001")
    assert other.install(package, name="w2") == ["w2/agent_knowledge", "w2/style"]


def test_a_package_has_a_manifest_and_checksums_and_nothing_of_the_instance_layer(
    package: str, tmp_path: Path
) -> None:
    document = json.loads(package)
    assert document["format"] == "wangchuan-knowledge/1"
    assert (document["name"], document["version"]) == ("writing", "2")
    assert (document["agent"], document["at"]) == ("agent_001", morning())
    assert sorted(document["pages"]) == ["agent_knowledge", "style"]
    assert all(len(page["sha256"]) == 64 for page in document["pages"].values())
    notes = tmp_path / ".notes" / "agent_001"
    (notes / "task_process.md").write_text("secret task", "utf-8")
    (notes / "world_state.md").write_text("secret world", "utf-8")
    knowledge = knowledge_in(tmp_path)
    assert "secret" not in knowledge.pack("writing")
    with pytest.raises(InvalidInput, match="not knowledge"):
        knowledge.pack("writing", ["task_process"])
    with pytest.raises(NotFound, match="no page 'nothing'"):
        knowledge.pack("writing", ["nothing"])


def damaged(package: str, **changes: Any) -> str:
    return json.dumps({**json.loads(package), **changes}, ensure_ascii=False)


def test_a_package_that_is_not_sound_changes_nothing(package: str, tmp_path: Path) -> None:
    other = knowledge_in(tmp_path, "agent_002")
    page = {"sha256": "0" * 64, "text": "tampered"}
    good = json.loads(package)["pages"]["style"]
    for bad, why in [
        (package.replace("四个空格", "两个空格"), "not what was packed"),
        (package.replace("Read a file.", "Delete it."), "functions .* not what was packed"),
        (damaged(package, pages={"a": page}), "not what was packed"),
        (damaged(package, pages={"../../x": good}), "cannot name"),
        (damaged(package, pages={"task_process": good}), "not knowledge"),
        (damaged(package, pages=3), "damaged"),
        (damaged(package, pages={"a": "text"}), "damaged"),
        (damaged(package, functions={"list": [3], "sha256": ""}), "no definitions"),
        (damaged(package, at="soon"), "damaged"),
        (damaged(package, format="zip"), "no package"),
        ("[]", "no package"),
        ("{", "no package"),
        ("[" * 100_000, "no package"),
        ("x" * (11 << 20), "characters"),
    ]:
        with pytest.raises(InvalidInput, match=why):
            other.install(bad)
    with pytest.raises(InvalidInput, match="cannot name a package"):
        other.install(package, name="../x")
    assert not (tmp_path / ".notes" / "agent_002").exists()
