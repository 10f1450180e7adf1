"""Export, import and backup through the real command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acceptance.command import Demo, Run, document, together

pytestmark = pytest.mark.in_both


def test_an_export_piped_into_an_import_is_the_same_memory(demo: Demo, run: Run) -> None:
    first = demo.run("export", "-a", "小川")
    assert first.returncode == 0, first.stderr
    came = document(run("import", "-", "-a", "小川", "--json", stdin=first.stdout))
    header = json.loads(first.stdout.partition("\n")[0])
    assert came["records"]["message"] == header["counts"]["message"] > 5
    calls = [("show", "-a", "小川", "-n", "999", "--json"), ("forgotten", "-a", "小川", "--json")]
    for here, there in zip(together(run, calls), together(demo.run, calls), strict=True):
        assert document(here) == document(there)
    examined = [
        json.loads(where("doctor", "-a", "小川", "--json").stdout) for where in (run, demo.run)
    ]
    here, there = (report["agents"][0]["problems"] for report in examined)
    assert here == there


def test_files_are_written_in_every_format_and_told_of(demo: Demo, tmp_path: Path) -> None:
    beginnings = {"jsonl": '{"format":', "markdown": "# Memory of rivera", "turtle": "@prefix rdf:"}
    for form, beginning in beginnings.items():
        path = tmp_path / f"rivera.{form}"
        done = demo.run("export", str(path), "-f", form, "-a", "rivera", "--json")
        assert document(done)["bytes"] == path.stat().st_size
        assert path.read_text("utf-8").startswith(beginning)
        piped = demo.run("export", "-f", form, "-a", "rivera")
        assert piped.stdout == path.read_text("utf-8")


def test_the_suffix_chooses_the_format_and_a_bad_place_is_named(demo: Demo, tmp_path: Path) -> None:
    page = tmp_path / "notes.md"
    assert (
        f"exported rivera to {page} (markdown, "
        in demo.run("export", str(page), "-a", "rivera").stderr
    )
    assert page.read_text("utf-8").startswith("# Memory of rivera")
    absent = tmp_path / "absent" / "a.ttl"
    nowhere, folder, told = together(
        demo.run,
        [
            ("export", str(absent), "-a", "rivera"),
            ("export", str(tmp_path), "-a", "rivera"),
            ("export", "--help"),
        ],
    )
    assert (nowhere.returncode, folder.returncode) == (1, 1)
    assert nowhere.stderr == (
        f"error: cannot write {absent}: there is no folder {absent.parent}; make it first\n"
    )
    assert folder.stderr.startswith(f"error: {tmp_path} is a folder; name a file in it")
    assert ".ttl turtle" in " ".join(told.stdout.split())


def test_an_import_tells_what_is_wrong_and_makes_no_agent(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text(
        '{"format":"wangchuan-memory","version":1,"agent":"a","last_node":0,"counts":{}}\n{"record"'
    )
    refused = run("import", "bad.jsonl")
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: line 2: not JSON")
    assert not (tmp_path / "memory_data" / "default").exists()
    missing = run("import", "nothing.jsonl")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "cannot read nothing.jsonl" in missing.stderr


def test_memories_of_another_system_come_in(run: Run, tmp_path: Path) -> None:
    kept = {"results": [{"id": "1", "memory": "Likes green tea", "created_at": "2025-01-01"}]}
    (tmp_path / "mem0.json").write_text(json.dumps(kept))
    told = run("import", "mem0.json")
    assert told.returncode == 0
    assert "1 fact" in told.stderr
    assert "Likes green tea" in run("export", "-f", "markdown").stdout


def test_a_backup_opens_elsewhere_and_is_not_overwritten(demo: Demo, tmp_path: Path) -> None:
    path = Path(document(demo.run("backup", str(tmp_path), "-a", "rivera", "--json"))["path"])
    assert path == tmp_path / "rivera"
    again = demo.run("backup", str(tmp_path), "-a", "rivera")
    assert again.returncode == 1
    assert "holds a memory already" in again.stderr


def test_agents_that_are_not_there_cannot_be_exported(run: Run, tmp_path: Path) -> None:
    for done in together(run, [("export",), ("backup", "copy"), ("export", "-", "--json")]):
        assert done.returncode in (1, 2)
        assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []
