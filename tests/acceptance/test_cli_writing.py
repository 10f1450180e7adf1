"""Remembering, forgetting and restoring through the real command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acceptance.command import Run, document, together
from soak.figures import size

LINES = size("LINES", 300)
HOSTILE = "[red]alarm[/red] </script><script>alert(1)</script> <b>&amp; [记忆] of Mallory"


@pytest.mark.in_both
def test_chinese_said_on_the_command_line_comes_back_from_recall(run: Run) -> None:
    said = "我们决定登录模块用 JWT。"
    told = run("remember", said, "--agent", "小川")
    assert told.returncode == 0
    assert told.stdout.startswith("job_1 done: 1 new memory\n  mem_1 ")
    assert run("recall", "登录", "-a", "小川").stdout == f"[记忆] {said}\n"


def test_utf8_is_spoken_whatever_the_code_page(run: Run) -> None:
    env = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    assert run("remember", "年糕怕打雷，下雨天要陪它。", env=env).returncode == 0
    assert "年糕怕打雷" in run("recall", "年糕", env=env).stdout


def test_words_of_the_command_line_are_one_message_of_the_given_speaker(run: Run) -> None:
    run(
        "remember", "Olive", "only", "eats", "soft", "food.", "--role", "assistant", "--name", "Ana"
    )
    shown = document(run("show", "1", "--json"))
    assert shown["content"] == "Olive only eats soft food."
    assert [(m["role"], m["name"]) for m in shown["messages"]] == [("assistant", "Ana")]


def test_piped_text_is_remembered_with_and_without_a_dash(run: Run) -> None:
    assert run("remember", stdin="The kettle gave up today.").returncode == 0
    assert run("remember", "-", stdin="The bus was late today.").returncode == 0
    assert document(run("stats", "--json"))["messages"] == 2


@pytest.mark.in_both
def test_json_lines_and_lists_keep_ids_names_and_times(run: Run, tmp_path: Path) -> None:
    message = {"role": "user", "content": "Theo is allergic to shellfish.", "timestamp": 1.7e9}
    (tmp_path / "a.jsonl").write_text(json.dumps({**message, "id": "m-1"}) + "\n\n", "utf-8")
    (tmp_path / "b.json").write_text(json.dumps([{**message, "id": "m-2"}]), "utf-8")
    first = document(run("remember", "--file", "a.jsonl", "--json"))
    second = document(run("remember", "--file", "b.json", "--json"))
    assert [job["state"] for job in first["jobs"] + second["jobs"]] == ["done", "done"]
    shown = document(run("show", second["jobs"][0]["memories"][0]["id"], "--json"))
    assert shown["messages"][0]["id"] == "m-2"
    assert shown["messages"][0]["timestamp"] == 1.7e9


def test_a_file_with_one_object_is_a_list_of_one(run: Run, tmp_path: Path) -> None:
    message = {"role": "user", "content": "Theo is allergic to shellfish.", "id": "m-1"}
    (tmp_path / "one.json").write_text(json.dumps(message), "utf-8")
    (tmp_path / "bad.json").write_text(json.dumps({"role": "user"}), "utf-8")
    (tmp_path / "number.json").write_text("7", "utf-8")
    assert document(run("remember", "--file", "one.json", "--json"))["messages"] == 1
    assert run("remember", "--file", "bad.json").stderr.startswith("error: bad.json, message 1:")
    assert "messages were expected" in run("remember", "--file", "number.json").stderr
    assert document(run("stats", "--json"))["messages"] == 1


def test_what_was_stored_is_echoed_whole_and_shortened_only_for_a_screen(run: Run) -> None:
    said = "We decided that the login module of the booking site will use short-lived JWT tokens"
    assert run("remember", said).stdout.splitlines()[1] == f"  mem_1    {said}"
    told = run("remember", f"{said} everywhere", env={"COLUMNS": "60"}).stdout.splitlines()[1]
    assert told == f"  mem_2    {said}"[:59] + "…"


def test_many_messages_go_in_batches_and_each_is_one_pass(run: Run) -> None:
    lines = [
        json.dumps({"role": "user", "content": f"Remark number {n} of many."}) for n in range(7)
    ]
    told = document(run("remember", "--jsonl", "--batch", "3", "--json", stdin="\n".join(lines)))
    assert [len(job["memories"]) for job in told["jobs"]] == [3, 3, 1]
    assert document(run("stats", "--json"))["passes"] == 3


BAD_LINES = {
    "{oops": "not JSON",
    '{"role": "martian", "content": "x"}': "martian",
    '{"role": "user"}': "'content'",
    '"just text"': "object",
    "[" * 100_000: "not JSON",
}


def test_a_bad_line_is_named_and_nothing_is_stored(run: Run, tmp_path: Path) -> None:
    good = json.dumps({"role": "user", "content": "A perfectly good line."})
    for n, line in enumerate(BAD_LINES):
        (tmp_path / f"{n}.jsonl").write_text(f"{good}\n\n{line}\n", "utf-8")
    names = [f"{n}.jsonl" for n in range(len(BAD_LINES))]
    refusals = together(run, [("remember", "--batch", "1", "--file", name) for name in names])
    for name, reason, refused in zip(names, BAD_LINES.values(), refusals, strict=True):
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith(f"error: {name}, line 3:")
        assert reason in refused.stderr
    assert not (tmp_path / "memory_data").exists()


def test_what_is_not_utf8_is_refused_in_words(run: Run) -> None:
    refused = run("remember", stdin=b"caf\xe9")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "error: standard input is not UTF-8: byte 3" in refused.stderr


@pytest.mark.in_both
def test_what_was_only_queued_is_digested_by_whoever_opens_next(run: Run) -> None:
    told = document(run("remember", "The swifts are back today.", "--no-wait", "--json"))
    assert told["jobs"][0]["state"] in ("accepted", "done")
    assert "swifts" in run("recall", "swifts").stdout


def test_a_queue_with_one_place_loses_nothing(run: Run) -> None:
    lines = [json.dumps({"role": "user", "content": f"Parcel number {n} came."}) for n in range(12)]
    env = {"WANGCHUAN_MAX_QUEUE_SIZE": "1"}
    told = document(
        run("remember", "--jsonl", "--batch", "1", "--json", stdin="\n".join(lines), env=env)
    )
    assert len(told["jobs"]) == 12
    assert document(run("stats", "--json"))["messages"] == 12


@pytest.mark.slow
def test_many_piped_lines_are_all_stored_through_a_small_queue(run: Run) -> None:
    lines = [json.dumps({"role": "user", "content": f"Parcel {n} came."}) for n in range(LINES)]
    env = {"WANGCHUAN_MAX_QUEUE_SIZE": "4", "WANGCHUAN_DURABILITY": "normal"}
    done = run("remember", "--jsonl", "--batch", "1", "--json", stdin="\n".join(lines), env=env)
    told = document(done)
    assert [job["state"] for job in told["jobs"]] == ["done"] * LINES
    figures = document(run("stats", "--json"))
    assert (figures["messages"], figures["passes"]) == (LINES, LINES)
    assert figures["nodes"] + figures["forgotten"] >= LINES  # episodes are memories, too


def test_saying_nothing_is_refused_and_two_sources_are_a_usage_error(run: Run) -> None:
    assert run("remember", "  ").returncode == 1
    both = run("remember", "text", "--file", "also.txt")
    assert both.returncode == 2
    assert "either text or --file" in both.stderr


@pytest.mark.in_both
def test_forgetting_takes_bare_numbers_and_restoring_undoes_it(run: Run) -> None:
    run("remember", "Dana keeps bees on the roof.")
    assert run("forget", "1").stdout.startswith("forgot mem_1 ")
    assert "I once knew something about “bees”" in run("recall", "bees").stdout
    gone = document(run("forgotten", "--json"))
    assert [(one["id"], one["reason"]) for one in gone] == [("mem_1", "on request")]
    assert (
        document(run("restore", "mem_1", "--json"))[0]["content"] == "Dana keeps bees on the roof."
    )
    assert "bees" in run("recall", "bees").stdout
    kinds = [change["kind"] for change in document(run("history", "1", "--json"))]
    assert kinds == ["remembered", "forgotten", "restored"]


def test_all_that_was_forgotten_comes_back_the_last_first_and_no_more_than_asked(run: Run) -> None:
    run("remember", "Dana keeps bees on the roof.")
    run("remember", "The harbour of Porto was misty.")
    run("forget", "1", "2")
    assert run("restore").returncode == 2
    assert run("restore", "1", "--all").returncode == 2
    some = document(run("restore", "--all", "--limit", "1", "--json"))
    rest = document(run("restore", "--all", "--json"))
    assert sorted(node["id"] for node in [*some, *rest]) == ["mem_1", "mem_2"]
    assert len(some) == 1
    entry = document(run("history", "1", "--json"))[-1]["seq"]
    assert run("undo", str(entry)).returncode == 0
    assert [one["id"] for one in document(run("forgotten", "--json"))] == ["mem_1"]


def test_one_wrong_id_among_several_changes_nothing(run: Run) -> None:
    run("remember", "Dana keeps bees on the roof.")
    refused = run("forget", "1", "99")
    assert refused.returncode == 1
    assert "mem_99" in refused.stderr
    assert document(run("stats", "--json"))["forgotten"] == 0
    assert run("restore", "1").returncode == 1


def test_hostile_text_is_shown_literally_everywhere(run: Run) -> None:
    run("remember", HOSTILE)
    run("remember", stdin="bell \a escape \x1b[31m turn \u202e of Mallory\n")
    calls = [("show", "1"), ("show", "--graph"), ("recall", "alarm"), ("show", "2"), ("show",)]
    whole, tree, recalled, other, table = (done.stdout for done in together(run, calls))
    assert HOSTILE in whole
    assert "[red]alarm[/red]" in tree
    assert "[red]alarm[/red]" in table
    assert recalled == f"[记忆] {HOSTILE}\n"
    assert "\\x1b[31m" in other
    assert not set("\a\x1b\u202e") & set(whole + tree + other + table)


def test_hostile_text_cannot_leave_its_place_in_a_picture(run: Run, tmp_path: Path) -> None:
    run("remember", HOSTILE)
    run("show", "--html", "n.html")
    page = (tmp_path / "n.html").read_text("utf-8")
    assert "alert(1)</script>" not in page
    data = page.partition('id="network" type="application/json">')[2].partition("</script>")[0]
    assert json.loads(data)["dots"][0]["content"] == HOSTILE
