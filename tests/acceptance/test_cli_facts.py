"""Facts, episodes, the block, reviews and chat through the real command."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from acceptance.command import Run, document, together
from faults import Server, sends
from stage import PATIENCE

from wangchuan import Memory

DAY = 86_400.0


@pytest.fixture
def anna(run: Run) -> Run:
    """A command whose agent has been told three facts."""
    assert run("remember", "My name is Anna. I live in Berlin. I like ramen.").returncode == 0
    return run


def texts(run: Run, *args: str) -> list[str]:
    return [fact["text"] for fact in document(run("facts", *args, "--json"))]


# facts


@pytest.mark.in_both
def test_facts_are_listed_right_after_they_were_said(anna: Run) -> None:
    told = anna("facts")
    assert [line.split()[0] for line in told.stdout.splitlines()] == [
        "id",
        "mem_6",
        "mem_5",
        "mem_4",
    ]
    assert "The user lives in Berlin" in told.stdout
    assert told.stderr == ""


def test_words_after_facts_are_what_they_bear_on(anna: Run) -> None:
    assert texts(anna, "where", "is", "Berlin") == ["The user lives in Berlin"]
    assert texts(anna, "list", "ramen") == ["The user likes ramen"]
    none = anna("facts", "submarine")
    assert (none.returncode, none.stdout) == (0, "")
    assert none.stderr == "nothing of that kind is known\n"


def test_kinds_are_chosen_and_checked(anna: Run) -> None:
    fact, core, both, wrong = together(
        anna,
        [
            ("facts", "--kind", "fact", "--json"),
            ("facts", "--kind", "core", "--json"),
            ("facts", "--kind", "core", "--kind", "fact", "-n", "2", "--json"),
            ("facts", "--kind", "nonsense"),
        ],
    )
    assert [len(document(done)) for done in (fact, core, both)] == [3, 0, 2]
    assert wrong.returncode == 2
    assert "kinds are fact, core, system, episode, not nonsense" in wrong.stderr


@pytest.mark.in_both
def test_a_fact_is_added_by_hand_corrected_confirmed_and_has_a_history(run: Run) -> None:
    added = document(run("facts", "add", "主人住在杭州", "--json"))
    assert (added["id"], added["verified"], added["source"]) == ("mem_1", True, "user")
    assert run("facts", "correct", "1", "主人住在上海").stdout == "corrected: mem_2  主人住在上海\n"
    assert texts(run) == ["主人住在上海"]
    told = document(run("facts", "history", "mem_2", "--json"))
    assert [(fact["text"], fact["successor"]) for fact in told] == [
        ("主人住在上海", None),
        ("主人住在杭州", "mem_2"),
    ]
    assert "replaced by mem_2" in run("facts", "history", "2").stdout
    gone = document(run("forgotten", "--json"))
    assert [one["reason"] for one in gone] == ["superseded by mem_2"]


def test_a_fact_that_is_known_is_confirmed_instead_of_doubled(run: Run) -> None:
    assert run("facts", "add", "The user has a cat").stdout == "added mem_1  The user has a cat\n"
    again = run("facts", "add", "The user has a cat")
    assert again.stdout == "known already: confirmed mem_1  The user has a cat\n"
    same = run("facts", "correct", "1", "The user has a cat")
    assert same.stdout == "says that already: confirmed mem_1  The user has a cat\n"
    assert texts(run) == ["The user has a cat"]


def test_what_was_learned_can_be_confirmed(anna: Run) -> None:
    assert "confirmed" not in anna("facts", "Berlin").stdout
    assert anna("facts", "verify", "5").stdout == "confirmed mem_5  The user lives in Berlin\n"
    assert "confirmed" in anna("facts", "Berlin").stdout


def test_a_fact_can_be_piped_in(run: Run) -> None:
    assert run("facts", "add", "-", stdin="The user plays\nthe cello\n").returncode == 0
    assert texts(run) == ["The user plays the cello"]


def test_a_fact_that_nobody_said_is_found_by_search(run: Run) -> None:
    run("facts", "add", "The user plays the cello")
    told = run("search", "cello", "--explain")
    assert told.returncode == 0, told.stderr
    assert "The user plays the cello" in told.stdout
    assert "fact 0." in told.stdout


def test_what_is_no_fact_is_refused_in_words(anna: Run) -> None:
    segment, absent, empty, nobody = together(
        anna,
        [
            ("facts", "verify", "1"),
            ("facts", "correct", "99", "x"),
            ("facts", "add", " "),
            ("facts", "--agent", "nobody"),
        ],
    )
    assert "mem_1 is not the id of a fact" in segment.stderr
    assert "mem_99 is not the id of a fact" in absent.stderr
    assert "a fact is a text that says something" in empty.stderr
    assert "no agent 'nobody'" in nobody.stderr
    assert {done.returncode for done in (segment, absent, empty, nobody)} == {1}


def test_nobody_can_set_a_weight(anna: Run) -> None:
    tried = [
        anna(*command, option, "9", "x")
        for command in (("facts", "add"), ("facts", "correct", "5"), ("facts", "verify", "5"))
        for option in ("--weight", "--importance", "--score")
    ]
    assert {done.returncode for done in tried} == {2}
    assert {fact["weight"] for fact in document(anna("facts", "--json"))} == {1.5}


def test_the_group_explains_itself(run: Run) -> None:
    told = run("facts", "--help").stdout
    for command in ("list", "add", "correct", "verify", "history"):
        assert f"\n  {command} " in told


# episodes and the block


def test_a_full_working_memory_becomes_an_episode(run: Run) -> None:
    small = {"WANGCHUAN_WORKING_MESSAGES": "4", "WANGCHUAN_EPISODE_MESSAGES": "2"}
    lines = "".join(
        f'{{"role": "user", "content": "The {what} was good."}}\n'
        for what in ("ramen", "curry", "sushi", "pizza", "salad")
    )
    assert run("remember", "--jsonl", "--batch", "1", stdin=lines, env=small).returncode == 0
    told = run("episodes", env=small)
    assert "talked about" in told.stdout
    assert "working memory: 3 of 4 messages" in told.stderr
    (episode,) = document(run("episodes", "ramen", "--json", env=small))
    assert (episode["kind"], episode["weight"]) == ("episode", 1.0)
    assert episode["sources"] == ["msg_1", "msg_2"]
    assert document(run("episodes", "submarine", "--json", env=small)) == []


@pytest.mark.in_both
def test_the_block_holds_what_bears_on_the_words_and_fits(anna: Run) -> None:
    block = anna("context", "what", "of", "Berlin?").stdout
    assert block.startswith('<wangchuan-memory id="')
    assert block.splitlines()[1:3] == ["## Facts", "- The user lives in Berlin"]
    assert "likes ramen" not in block
    mine = anna("context", "where", "do", "I", "live?").stdout.splitlines()
    assert mine[2] == "- The user lives in Berlin"
    assert "- The user likes ramen" not in mine
    small, none, told = together(
        anna,
        [
            ("context", "--max-tokens", "30"),
            ("context", "--max-tokens", "0"),
            ("context", "Berlin", "--json"),
        ],
    )
    assert 0 < len(small.stdout) < len(anna("context").stdout)
    assert (none.stdout, none.stderr) == (
        "",
        "nothing remembered bears on this, or it does not fit\n",
    )
    assert document(told)["max_tokens"] == 1000


# reviews

PERSON = {"WANGCHUAN_REVIEWER": "person"}


def test_without_a_model_rules_decide_on_a_fact_in_the_turn_that_makes_it_due(run: Run) -> None:
    for _ in range(5):
        run("remember", "I live in Berlin.")
    told = run("review")
    assert "nothing waits for a review" in told.stderr
    assert "rules decide at once; WANGCHUAN_REVIEWER=person" in told.stderr
    (core,) = document(run("facts", "--json"))
    assert (core["kind"], core["text"]) == ("core", "The user lives in Berlin")


def test_what_always_holds_is_added_or_made_core(run: Run) -> None:
    added = document(run("facts", "add", "--kind", "core", "Answer in German.", "--json"))
    plain = document(run("facts", "add", "The user likes tea.", "--json"))
    assert (added["kind"], plain["kind"]) == ("core", "fact")
    assert "core now" in run("facts", "promote", plain["id"]).stdout
    assert len(document(run("facts", "--kind", "core", "--json"))) == 2


def test_a_fact_stated_often_waits_for_a_person_who_promotes_it(run: Run) -> None:
    for _ in range(5):
        run("remember", "I live in Berlin.", env=PERSON)
    told = run("review", env=PERSON)
    assert "may become core: review" in told.stdout
    assert "wangchuan review --keep ID" in told.stderr
    (waiting,) = document(run("review", "--json", env=PERSON))["waiting"]
    assert waiting["weight"] >= 2.5
    decided = run("review", "--promote", waiting["id"], env=PERSON)
    assert decided.stdout == f"promote {waiting['id']}\n"
    assert "nothing waits for a review" in decided.stderr
    (core,) = document(run("facts", "--kind", "core", "--json"))
    assert (core["text"], core["weight"] >= 3.0) == ("The user lives in Berlin", True)


@pytest.fixture
def faded(kept_at: Path | str, run: Run) -> Run:
    """A command whose agent learned two facts a month ago, and has been opened since."""
    then = time.time() - 31 * DAY
    with Memory.open("default", root=kept_at, clock=lambda: then) as memory:
        memory.facts.add("The user lives in Berlin")
        memory.facts.add("The user has a blue bicycle")
    assert run("remember", "Hello again, it has been a while.", env=PERSON).returncode == 0
    return run


def test_a_fading_fact_waits_and_is_kept_or_deleted(faded: Run) -> None:
    waiting = document(faded("review", "--json", env=PERSON))["waiting"]
    assert {fact["review"] for fact in waiting} == {"decay"}
    assert all(0.3 < fact["weight"] < 0.5 for fact in waiting)
    told = document(faded("review", "--keep", "1", "--delete", "2", "--json", env=PERSON))
    assert told["decided"] == [
        {"id": "mem_1", "decision": "keep"},
        {"id": "mem_2", "decision": "delete"},
    ]
    (kept,) = document(faded("facts", "--json", env=PERSON))
    assert (kept["id"], kept["weight"], kept["review"]) == ("mem_1", 0.5, None)


def test_if_one_decision_cannot_be_made_none_is(faded: Run) -> None:
    promoted, absent, twice = together(
        lambda *args: faded(*args, env=PERSON),
        [
            ("review", "--delete", "2", "--promote", "1"),
            ("review", "--delete", "2", "--keep", "99"),
            ("review", "--delete", "2", "--keep", "2"),
        ],
    )
    assert "mem_1 is fading: keep or delete it; nothing was decided" in promoted.stderr
    assert "mem_99 does not wait for a review; nothing was decided" in absent.stderr
    assert "two decisions on one fact; nothing was decided" in twice.stderr
    assert len(document(faded("review", "--json", env=PERSON))["waiting"]) == 2


def test_where_nobody_waits_for_a_person_review_says_so(anna: Run) -> None:
    told = anna("review")
    assert (told.returncode, told.stdout) == (0, "")
    assert "nothing waits for a review" in told.stderr
    assert "WANGCHUAN_REVIEWER=person leaves it to you" in told.stderr


# chat


def test_lines_piped_in_are_turns_and_are_remembered(run: Run) -> None:
    told = run("chat", stdin="I live in Berlin.\n\nWhere do I live?\n/bye\nNever said.\n")
    assert told.returncode == 0
    assert "talking with default (no model); leave with Ctrl-D" in told.stderr
    assert told.stdout.count("There is no model to answer") == 2
    assert document(run("stats", "--json"))["messages"] == 2
    assert texts(run) == ["The user lives in Berlin"]
    again = run("chat", stdin="Where do I live?\n", env={"PYTHONIOENCODING": "cp1252"})
    assert "- The user lives in Berlin" in again.stdout


def test_chinese_is_talked_in_chinese_whatever_the_code_page(run: Run) -> None:
    run("facts", "add", "主人住在杭州")
    run("facts", "add", "主人对花生过敏")
    env = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    told = run("chat", stdin="\ufeff我对什么过敏？\n", env=env)
    assert told.stdout.startswith("没有可用的模型，我只能告诉你我记得什么：")
    assert "主人对花生过敏" in told.stdout


def test_bytes_that_are_no_text_end_the_talk_and_lose_nothing_before(run: Run) -> None:
    told = run("chat", stdin=b"The code is 4711.\n\xff\xfe\n")
    assert told.returncode == 1
    assert "line 2, is not UTF-8" in told.stderr
    assert document(run("stats", "--json"))["messages"] == 1


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def named(server: Server) -> dict[str, str]:
    short = {"WANGCHUAN_CLOSE_PATIENCE": "1"}  # for calls that will not be answered
    return {"WANGCHUAN_MODEL_URL": server.url, "WANGCHUAN_MODEL_NAME": "tiny", **short}


def test_with_a_model_its_words_are_printed_and_remembered(run: Run, server: Server) -> None:
    def answer(request):  # type: ignore[no-untyped-def]
        if "response_format" in request.asked:
            request.send(b"", 500)
        else:
            request.say("You told me: " + request.asked["messages"][-1]["content"])

    server.answer = answer
    run("facts", "add", "The user lives in Berlin")
    env = {**named(server), "WANGCHUAN_LEARN": "false"}
    # The digest will not be answered, so the command waits its full patience at the end.
    told = run("chat", "--system", "Be kind.", stdin="I live in Berlin.\n", env=env)
    assert told.returncode == 0
    assert told.stdout == "You told me: I live in Berlin.\n"
    assert "talking with default (tiny)" in told.stderr
    assert "learning from it goes on with the next command" in told.stderr
    system = next(r for r in server.requests if "response_format" not in r)["messages"][0]
    assert system["content"].startswith("Be kind.\n\n")
    assert "- The user lives in Berlin" in system["content"]
    assert document(run("stats", "--json"))["messages"] == 2


def test_a_model_that_fails_is_said_to_and_what_was_said_is_kept(run: Run, server: Server) -> None:
    server.answer = sends(b"oops", 500)
    told = run("chat", stdin="Keep this.\n", env=named(server))
    assert told.returncode == 1
    assert told.stdout == ""
    assert "HTTP 500" in told.stderr
    assert "what you said is remembered" in told.stderr
    assert "Keep this." in run("recall", "keep").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_in_a_terminal_lines_are_asked_for_until_the_end_of_input(tmp_path: Path) -> None:
    import pty

    outside, inside = pty.openpty()
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("WANGCHUAN")}
    process = subprocess.Popen(
        [sys.executable, "-m", "wangchuan.cli", "chat"],
        cwd=tmp_path,
        stdin=inside,
        stdout=inside,
        stderr=subprocess.PIPE,
        env={**inherited, "TERM": "dumb"},
    )
    os.close(inside)
    try:
        seen = _shown_until(outside, "> ")
        os.write(outside, b"I live in Berlin.\n")
        seen += _shown_until(outside, "> ")
        os.write(outside, b"\x04")
        _, told = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        os.close(outside)
    assert process.returncode == 0, told.decode()
    assert "There is no model to answer" in seen
    with Memory.open("default", root=tmp_path / "memory_data") as memory:
        assert memory.stats().messages == 1


def _shown_until(terminal: int, end: str) -> str:
    """Return what a terminal shows up to a prompt."""
    shown = ""
    while not shown.endswith(end):
        assert select.select([terminal], [], [], 30)[0], shown
        shown += os.read(terminal, 1 << 12).decode()
    return shown
