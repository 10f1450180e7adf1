"""What happens at each event of a coding agent."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock

from wangchuan import Memory
from wangchuan.hooks.events import Events, agent_of
from wangchuan.messages import as_block

Json = dict[str, Any]


@pytest.fixture
def events(memory: Memory, clock: FakeClock) -> Events:
    return Events(lambda *_: memory, clock, PATIENCE)


def happen(events: Events, name: str, **more: Any) -> Json:
    event = {"hook_event_name": name, "session_id": "s1", "cwd": "/work/project", **more}
    answer, rest = events.heard(event, {})
    rest()
    return answer


def remembered(memory: Memory) -> list[tuple[str, str, str | None]]:
    return [(m.role, m.content, m.session) for m in memory.look.messages()]


def block_of(answer: Json) -> str:
    return str(answer["hookSpecificOutput"]["additionalContext"])


def test_two_turns_make_four_messages_and_the_second_prompt_gets_the_first(
    events: Events, memory: Memory
) -> None:
    assert happen(events, "UserPromptSubmit", prompt="The bicycle is red.", prompt_id="p1") == {}
    happen(events, "Stop", last_assistant_message="Red, then.", prompt_id="p1")
    memory.flush(PATIENCE)
    answer = happen(events, "UserPromptSubmit", prompt="What about the bicycle?", prompt_id="p2")
    assert "The bicycle is red." in block_of(answer)
    assert "What about" not in block_of(answer)
    happen(events, "Stop", last_assistant_message="It is red.", prompt_id="p2")
    assert remembered(memory) == [
        ("user", "The bicycle is red.", "s1"),
        ("assistant", "Red, then.", "s1"),
        ("user", "What about the bicycle?", "s1"),
        ("assistant", "It is red.", "s1"),
    ]
    assert [m.id for m in memory.look.messages(limit=2)] == ["s1:p1:user", "s1:p1:assistant"]


def test_a_prompt_is_remembered_though_the_block_is_late(memory: Memory, clock: FakeClock) -> None:
    late = Events(lambda *_: memory, clock, patience=0.0)
    assert happen(late, "UserPromptSubmit", prompt="The bicycle is red.") == {}
    assert len(remembered(memory)) == 1


def test_an_event_that_comes_twice_changes_nothing(events: Events, memory: Memory) -> None:
    for _ in range(2):
        happen(events, "UserPromptSubmit", prompt="The bicycle is red.", turn_id="t1")
        happen(events, "Stop", last_assistant_message="Red, then.", turn_id="t1")
    assert len(remembered(memory)) == 2


def test_without_ids_of_the_client_a_turn_is_known_by_when_it_began(
    events: Events, memory: Memory, clock: FakeClock
) -> None:
    for _ in range(2):
        clock.now += 60
        happen(events, "UserPromptSubmit", prompt="Go on.")
        happen(events, "Stop", last_assistant_message="Done.")
    assert len(remembered(memory)) == 4


def test_what_the_client_adds_is_not_remembered(events: Events, memory: Memory) -> None:
    added = "<system-reminder>\nBe brief.\n</system-reminder>"
    happen(events, "UserPromptSubmit", prompt=f"{added}\n{as_block('old')}\nThe bicycle is red.")
    happen(events, "UserPromptSubmit", prompt=added)
    assert [content for _, content, _ in remembered(memory)] == ["The bicycle is red."]


def test_a_session_begins_with_what_always_holds(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(learn=True)
    memory.facts.add("The user is called Ann", kind="core")
    answer = happen(Events(lambda *_: memory, clock, PATIENCE), "SessionStart", source="startup")
    assert "The user is called Ann" in block_of(answer)


def test_other_events_change_nothing(events: Events, memory: Memory) -> None:
    assert happen(events, "PreToolUse", tool="x") == {}
    assert happen(events, "PreCompact") == {}
    assert remembered(memory) == []


def cursor(events: Events, name: str, turn: int, **more: Any) -> Json:
    """Let something happen in Cursor, with the fields that it documents for all events."""
    event = {
        "hook_event_name": name,
        "conversation_id": "c1",
        "generation_id": f"g{turn}",
        "model": "m",
        "cursor_version": "3.20.17",
        "workspace_roots": ["/work/project"],
        "user_email": None,
        "transcript_path": None,
        **more,
    }
    answer, rest = events.heard(event, {})
    rest()
    return answer


def test_cursor_tells_of_a_turn_in_pieces_and_takes_the_block_in_its_own_form(
    events: Events, memory: Memory
) -> None:
    started = {"session_id": "c1", "is_background_agent": False, "composer_mode": "agent"}
    assert cursor(events, "sessionStart", 0, **started) == {}
    said = {"prompt": "The bicycle is red.", "attachments": []}
    assert cursor(events, "beforeSubmitPrompt", 1, **said) == {}
    for _ in range(2):  # an event that comes twice changes nothing
        for text in ("I look at it.", "Red, then."):
            assert cursor(events, "afterAgentResponse", 1, text=text) == {}
    assert [content for _, content, _ in remembered(memory)] == [
        "The bicycle is red.",
        "I look at it.",
        "Red, then.",
    ]
    assert {session for *_, session in remembered(memory)} == {"c1"}
    memory.flush(PATIENCE)
    # What its checks of answers let through: nothing else may be in them.
    block = cursor(events, "beforeSubmitPrompt", 2, prompt="What about the bicycle?")
    assert set(block) == {"continue", "additional_context"}
    assert block["continue"] is True
    assert "The bicycle is red." in block["additional_context"]
    assert set(cursor(events, "sessionStart", 3, **started)) == {"additional_context"}
    assert cursor(events, "preCompact", 3, trigger="auto", context_usage_percent=85) == {}


def test_hooks_of_claude_code_that_cursor_runs_answer_as_cursor_wants(
    events: Events, memory: Memory
) -> None:
    cursor(events, "UserPromptSubmit", 1, prompt="The bicycle is red.")
    cursor(events, "beforeSubmitPrompt", 1, prompt="The bicycle is red.")
    assert len(remembered(memory)) == 1
    memory.flush(PATIENCE)
    answer = cursor(events, "UserPromptSubmit", 2, prompt="What about the bicycle?")
    assert "red" in answer["additional_context"]


def test_a_memory_belongs_to_the_folder_unless_an_agent_is_named() -> None:
    here, there = {"cwd": "/a/my project"}, {"cwd": "/b/my project"}
    assert agent_of(here, {}).startswith("my-project-")
    assert agent_of(here, {}) != agent_of(there, {})
    assert agent_of({"workspace_roots": ["/a/my project"]}, {}) == agent_of(here, {})
    assert agent_of(here, {"agent": "ann"}) == "ann"
