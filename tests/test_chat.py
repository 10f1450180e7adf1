"""Chat: what the model is shown, what is remembered and when, and what leaves the window."""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import Open
from faults import SAID, Server, says, sends
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stage import PATIENCE, FakeClock

from wangchuan import Chat, Closed, InvalidInput, Memory, Message, ModelError, QueueFull, Receipt
from wangchuan.chat import PER_MESSAGE
from wangchuan.language.dates.spans import today
from wangchuan.language.tokens import tokens
from wangchuan.messages import BLOCK_CLOSE, BLOCK_OPEN, as_block
from wangchuan.settings.fields import Settings

Messages = list[dict[str, str]]


class Echo:
    """Replies with what was said last, and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[Messages] = []

    def __call__(self, messages: Messages) -> str:
        self.shown.append(messages)
        return f"Re: {messages[-1]['content']}"


@pytest.fixture
def echo() -> Echo:
    return Echo()


@pytest.fixture
def learning(open_memory: Open) -> Memory:
    """A memory that learns, with the offline model."""
    return open_memory(learn=True, model=None)


def accepted(memory: Memory) -> list[str]:
    """All messages the memory ever accepted, in their order."""
    with memory._agent.store() as store, store.read() as tx:
        last = tx.messages.last()
        return [m.content for m in tx.messages.between(1, last.seq)] if last else []


def remembers(memory: Memory) -> int:
    return memory.stats().passes


# what a model is shown


def test_the_window_is_shown_in_order_and_grows_by_turns(memory: Memory, echo: Echo) -> None:
    with Chat(memory, echo) as chat:
        assert chat.say("One.") == "Re: One."
        assert chat.say("Two.") == "Re: Two."
    assert [m["content"] for m in echo.shown[1] if m["role"] != "system"] == [
        "One.",
        "Re: One.",
        "Two.",
    ]
    assert [m.role for m in chat.messages] == ["user", "assistant", "user", "assistant"]


def test_what_is_remembered_stands_in_the_system_message(learning: Memory, echo: Echo) -> None:
    learning.facts.add("The user lives in Berlin")
    with Chat(learning, echo, system="You are kind.") as chat:
        chat.say("Where do I live?")
    (first, said) = echo.shown[0]
    assert first["role"] == "system"
    assert first["content"].startswith("You are kind.\n\nToday is ")
    assert ".\n\nBetween the two marks" in first["content"]
    assert '">\n## Facts\n- The user lives in Berlin' in first["content"]
    assert first["content"].endswith(BLOCK_CLOSE)
    assert said == {"role": "user", "content": "Where do I live?"}


def test_chinese_is_introduced_in_chinese(learning: Memory, echo: Echo) -> None:
    for fact in ("主人住在杭州", "主人对花生过敏"):
        learning.facts.add(fact)
    with Chat(learning, echo) as chat:
        chat.say("我对什么过敏？")
    assert echo.shown[0][0]["content"].startswith("今天是")
    assert "\n\n下面两个标记之间是你的记忆" in echo.shown[0][0]["content"]
    assert "主人对花生过敏" in echo.shown[0][0]["content"]


def test_the_model_is_told_what_day_it_is(memory: Memory, echo: Echo, clock: FakeClock) -> None:
    clock.now = datetime(2026, 3, 2, 12).timestamp()
    with Chat(memory, echo) as chat:
        chat.say("Hello.")
        chat.say("你好。")
    assert echo.shown[0] == [
        {"role": "system", "content": "Today is Monday, 2 March 2026."},
        {"role": "user", "content": "Hello."},
    ]
    assert echo.shown[1][0]["content"] == "今天是2026年3月2日，星期一。"


def test_messages_of_one_role_are_joined_because_models_want_turns(memory: Memory) -> None:
    shown: list[Messages] = []

    def fails_once(messages: Messages) -> str:
        shown.append(messages)
        if len(shown) == 1:
            raise ModelError("away")
        return "Yes."

    with Chat(memory, fails_once) as chat:
        with pytest.raises(ModelError):
            chat.say("One.")
        chat.say("Two.")
    assert [m["role"] for m in shown[1] if m["role"] != "system"] == ["user"]
    assert shown[1][-1]["content"] == "One.\n\nTwo."


# what is remembered


def test_a_finished_turn_is_accepted_whole_before_say_returns(memory: Memory, echo: Echo) -> None:
    chat = Chat(memory, echo)
    chat.say("One.")
    assert accepted(memory) == ["One.", "Re: One."]
    chat.say("Two.")
    memory.flush(PATIENCE)
    assert remembers(memory) == 2  # one pass a turn, not one a message


def test_the_block_is_never_remembered_even_if_the_model_repeats_it(learning: Memory) -> None:
    learning.facts.add("The user lives in Berlin")
    with Chat(learning, lambda messages: messages[0]["content"] + "\nBerlin.") as chat:
        assert BLOCK_OPEN in chat.say("Where do I live?")
    assert BLOCK_OPEN not in "".join(accepted(learning))
    assert accepted(learning)[1].endswith("Berlin.")
    assert BLOCK_OPEN not in "".join(message.content for message in chat.messages)


def test_facts_are_observed_from_the_turns(learning: Memory, echo: Echo) -> None:
    with Chat(learning, echo) as chat:
        chat.say("I live in Berlin.")
        assert learning.flush(PATIENCE)
        chat.say("Where do I live?")
    assert [fact.text for fact in learning.facts()] == ["The user lives in Berlin"]
    assert "The user lives in Berlin" in echo.shown[1][0]["content"]


def test_a_kill_after_a_turn_loses_nothing(tmp_path: Path) -> None:
    script = (
        "import os\n"
        "from wangchuan import Chat, Memory\n"
        f"chat = Chat(Memory.open('a', root={str(tmp_path)!r}), lambda messages: 'Noted.')\n"
        "chat.say('The code is 4711.')\n"
        "os._exit(9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], timeout=PATIENCE, check=False)
    assert done.returncode == 9
    with Memory.open("a", root=tmp_path) as memory:
        assert accepted(memory) == ["The code is 4711.", "Noted."]
        assert [m.content for m in Chat(memory, lambda _: "").messages] == accepted(memory)


@pytest.mark.parametrize("fault", [ModelError, RuntimeError, KeyboardInterrupt])
def test_what_was_said_is_kept_when_the_reply_fails(
    memory: Memory, fault: type[BaseException]
) -> None:
    def fail(_: Messages) -> str:
        raise fault

    chat = Chat(memory, fail)
    with pytest.raises(fault):
        chat.say("Do not lose me.")
    assert accepted(memory) == ["Do not lose me."]


def test_saying_the_same_again_after_a_failure_asks_again_and_is_kept_once(
    memory: Memory, echo: Echo
) -> None:
    replies: Iterator[Callable[[Messages], str]] = iter([_fail, _fail, echo, echo])
    with Chat(memory, lambda messages: next(replies)(messages)) as chat:
        for _ in range(2):
            with pytest.raises(ModelError):
                chat.say("Hello?")
        assert chat.say("Hello?") == "Re: Hello?"
        assert chat.say("Hello?") == "Re: Hello?"  # this time it is said again
    assert accepted(memory) == ["Hello?", "Re: Hello?", "Hello?", "Re: Hello?"]


def _fail(_: Messages) -> str:
    raise ModelError("away")


@pytest.mark.parametrize("reply", [None, 5, b"bytes", "", " \n"])
def test_a_reply_that_is_no_text_is_refused_and_what_was_said_kept(
    memory: Memory, reply: Any
) -> None:
    chat = Chat(memory, lambda _: reply)
    with pytest.raises(InvalidInput, match="what the assistant says must be a text"):
        chat.say("Hello.")
    assert accepted(memory) == ["Hello."]


@pytest.mark.parametrize("text", ["", "  \n", as_block("x"), None, 7, ["Hello."]])
def test_saying_nothing_is_refused_and_changes_nothing(
    memory: Memory, echo: Echo, text: Any
) -> None:
    chat = Chat(memory, echo)
    with pytest.raises(InvalidInput, match="what the user says must be a text"):
        chat.say(text)
    assert (chat.messages, echo.shown, accepted(memory)) == ([], [], [])


def test_a_reply_must_be_callable(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="reply must be callable, not str"):
        Chat(memory, "hello")  # type: ignore[arg-type]


def test_messages_keep_the_time_they_were_said_at(
    memory: Memory, echo: Echo, clock: FakeClock
) -> None:
    with Chat(memory, echo, eager=False) as chat:
        began = clock.now
        chat.say("One.")
        clock.now += 60
        chat.say("Two.")
        clock.now += 600
    with memory._agent.store() as store, store.read() as tx:
        times = [m.said_at - began for m in tx.messages.between(1, 9)]
    assert times == [0, 0, 60, 60]


def test_turns_of_several_threads_do_not_mix(memory: Memory) -> None:
    def slow(messages: Messages) -> str:
        for _ in range(20):
            time.sleep(0)  # whoever may run, runs
        return "Re: " + messages[-1]["content"]

    with Chat(memory, slow) as chat:
        threads = [threading.Thread(target=chat.say, args=(f"Turn {n}.",)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    said = accepted(memory)
    assert sorted(said[::2]) == sorted(f"Turn {n}." for n in range(8))
    assert said[1::2] == [f"Re: {text}" for text in said[::2]]


# handing over late, as the documents have it


def test_not_eager_nothing_is_handed_over_before_it_leaves_or_the_chat_ends(
    memory: Memory, echo: Echo
) -> None:
    with Chat(memory, echo, eager=False) as chat:
        chat.say("One.")
        chat.say("Two.")
        assert accepted(memory) == []
    assert accepted(memory) == ["One.", "Re: One.", "Two.", "Re: Two."]


def test_not_eager_the_excess_is_handed_over_at_the_threshold(
    open_memory: Open, echo: Echo
) -> None:
    memory = open_memory(context_max_tokens=1000)
    chat = Chat(memory, echo, eager=False)
    for n in range(6):
        chat.say(f"{n}" * 300)  # about 100 tokens, and as many to repeat them
    gone = accepted(memory)
    assert gone[0] == "0" * 300
    assert len(gone) % 2 == 0
    assert [m.content for m in chat.messages[:1]] == [f"{len(gone) // 2}" * 300]
    assert len(gone) + len(chat.messages) == 12


def test_an_exception_in_the_block_still_hands_over_the_rest(memory: Memory, echo: Echo) -> None:
    def talk() -> None:
        with Chat(memory, echo, eager=False) as chat:
            chat.say("One.")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        talk()
    assert accepted(memory) == ["One.", "Re: One."]


def test_a_closed_chat_says_so_and_closing_twice_is_nothing(memory: Memory, echo: Echo) -> None:
    chat = Chat(memory, echo)
    chat.close()
    chat.close()
    with pytest.raises(Closed, match="this chat is closed"):
        chat.say("Hello?")
    assert memory.stats().messages == 0  # and the memory is still open


# the window


def test_the_documents_threshold_is_80_percent_of_128000(memory: Memory) -> None:
    found = Settings()
    assert (found.context_max_tokens, found.context_threshold_ratio) == (128_000, 0.8)
    assert Chat(memory)._room() == 102_400


def length(messages: Messages) -> int:
    return sum(tokens(m["content"]) + PER_MESSAGE for m in messages)


@given(lengths=st.lists(st.integers(1, 900), min_size=1, max_size=15), eager=st.booleans())
@settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_the_prompt_stays_below_the_threshold_and_nothing_is_lost(
    open_memory: Open, lengths: list[int], eager: bool
) -> None:
    memory = open_memory(f"agent_{next(AGENTS)}", context_max_tokens=1000)
    echo, said = Echo(), [f"{n:03}" + "x" * size for n, size in enumerate(lengths)]
    with Chat(memory, echo, eager=eager) as chat:
        for text in said:
            chat.say(text)
            owed = chat.messages[chat._accepted :]
            assert accepted(memory) + [m.content for m in owed] == both(said, text)
            shown = echo.shown[-1]
            turns = [m for m in shown if m["role"] != "system"]
            assert length(shown) < 800 or len(turns) == 1
            assert turns[0]["role"] == "user"
            assert turns[-1] == {"role": "user", "content": text}
    assert accepted(memory) == both(said, said[-1])


AGENTS = itertools.count()


def both(said: list[str], last: str) -> list[str]:
    """What was said up to something, with the replies."""
    return [line for text in said[: said.index(last) + 1] for line in (text, f"Re: {text}")]


def test_what_was_just_said_is_shown_even_if_it_is_too_long(open_memory: Open, echo: Echo) -> None:
    memory = open_memory(context_max_tokens=1000)
    chat = Chat(memory, echo)
    chat.say("Short.")
    long = "long " * 2000
    chat.say(long)
    assert [m["content"] for m in echo.shown[-1] if m["role"] != "system"] == [long]
    assert accepted(memory)[:2] == ["Short.", "Re: Short."]


def test_the_block_takes_at_most_a_quarter_of_the_room(open_memory: Open, echo: Echo) -> None:
    memory = open_memory(learn=True, model=None, context_max_tokens=1000)
    for n in range(40):
        memory.facts.add(f"The user likes soup number {n} with a very long name")
    with Chat(memory, echo) as chat:
        chat.say("Which soup do I like?")
    block = echo.shown[0][0]["content"].partition(BLOCK_OPEN)[2]
    assert 50 < tokens(block) <= 200


def test_a_full_queue_keeps_messages_in_the_window_until_there_is_room(
    memory: Memory, echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = Chat(memory, echo)
    with monkeypatch.context() as patched:
        patched.setattr(memory, "remember", lambda _: Receipt.rejected("full"))
        assert chat.say("One.") == "Re: One."
        with pytest.raises(QueueFull, match="not remembered yet"):
            chat.close()
    chat.say("Two.")
    assert accepted(memory) == ["One.", "Re: One.", "Two.", "Re: Two."]


def test_nothing_leaves_the_window_that_the_memory_did_not_take(
    open_memory: Open, echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(context_max_tokens=1000)
    chat = Chat(memory, echo, eager=False)
    monkeypatch.setattr(memory, "remember", lambda _: Receipt.rejected("full"))
    for n in range(8):
        chat.say(f"{n}" * 300)
    assert len(chat.messages) == 16


# going on


def test_a_new_chat_goes_on_where_the_last_one_stopped(
    learning: Memory, echo: Echo, clock: FakeClock
) -> None:
    Chat(learning, echo).say("One.")
    clock.now += 3500
    chat = Chat(learning, echo)
    chat.say("Two.")
    assert [m["content"] for m in echo.shown[1] if m["role"] != "system"] == [
        "One.",
        "Re: One.",
        "Two.",
    ]
    assert accepted(learning) == ["One.", "Re: One.", "Two.", "Re: Two."]


def test_after_an_hour_of_silence_or_when_asked_a_chat_begins_afresh(
    learning: Memory, echo: Echo, clock: FakeClock
) -> None:
    Chat(learning, echo).say("One.")
    assert Chat(learning, echo, resume=False).messages == []
    clock.now += 3601
    assert Chat(learning, echo).messages == []


def test_only_what_was_said_by_the_two_is_gone_on_with(learning: Memory, echo: Echo) -> None:
    roles = ("system", "user", "tool", "assistant", "user")
    learning.remember([Message(role, f"I am {role}.") for role in roles])
    learning.remember({"role": "user", "content": " "})
    assert [m.role for m in Chat(learning, echo).messages] == ["user", "assistant", "user"]


def accepted_after(root: Path) -> list[str]:
    """What was accepted, up to a colon, by a memory that is closed."""
    with Memory.open("a", root=root, settings={"learn": False}) as memory:
        return [text.partition(":")[0] for text in accepted(memory)]


# without a model, and with the one of the settings


def test_without_a_model_it_shows_what_it_remembers_and_says_so(learning: Memory) -> None:
    with Chat(learning) as chat:
        assert chat.say("我对什么过敏？") == "没有可用的模型，关于这个我什么都不记得。"
        for fact in ("主人住在杭州", "主人对花生过敏"):
            learning.facts.add(fact)
        assert chat.say("我对什么过敏？").startswith(
            "没有可用的模型，我只能告诉你我记得什么：\n## 相关事实\n- 主人对花生过敏"
        )
        assert "There is no model to answer" in chat.say("What about cats?")
        assert BLOCK_OPEN not in chat.say("我对什么过敏？")


def test_what_the_offline_model_shows_is_not_remembered(learning: Memory) -> None:
    learning.facts.add("The user lives in Berlin")
    with Chat(learning) as chat:
        for _ in range(3):
            assert "lives in Berlin" in chat.say("Where do I live?")
    assert accepted(learning) == ["Where do I live?"] * 3
    assert learning.flush(PATIENCE)
    assert [fact.weight for fact in learning.facts()] == [1.5]


@pytest.fixture
def served(tmp_path: Path, server: Server) -> Iterator[Memory]:
    """A memory whose settings name the server; what it is asked beside talk gets no answer."""

    def answer(request: Any) -> None:
        if "response_format" in request.asked:
            request.send(b"", 500)
        else:
            request.say("<think>Who is Anna?</think>\nAnna is well.")

    server.answer = answer
    chosen = {"model_url": server.url, "model_name": "tiny", "learn": False}
    with Memory.open("a", root=tmp_path, settings=chosen) as memory:
        yield memory


def test_the_server_of_the_settings_is_asked_in_plain_words(served: Memory, server: Server) -> None:
    with Chat(served, system="Be brief.") as chat:
        assert chat.say(SAID) == "Anna is well."
    asked = next(r for r in server.requests if "response_format" not in r)
    assert asked == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": f"Be brief.\n\n{today(time.time(), 'en')}"},
            {"role": "user", "content": SAID},
        ],
        "stream": False,
    }
    assert accepted(served) == [SAID, "Anna is well."]


def test_replies_are_counted_with_what_models_cost(served: Memory, server: Server) -> None:
    Chat(served).say(SAID)
    usage = served.stats().usage["chat"]
    assert (usage.calls, usage.failures) == (1, 0)
    assert (usage.prompt_tokens, usage.completion_tokens) == (11, 7)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (sends(b"", 500), "HTTP 500"),
        (sends(b'{"error": "no key"}', 401), "refused the key"),
        (says(""), "empty"),
        (says("<think>only"), "empty"),
        (says(None), "no content"),
        (sends(b"[]"), "no object"),
    ],
)
def test_a_server_that_fails_is_a_model_error_and_loses_nothing(
    served: Memory, server: Server, answer: Any, told: str
) -> None:
    server.answer = answer
    chat = Chat(served)
    with pytest.raises(ModelError, match=told):
        chat.say("Keep me.")
    assert accepted(served) == ["Keep me."]
    assert served.stats().usage["chat"].failures == 1


def test_a_spent_budget_shows_what_is_remembered(tmp_path: Path, server: Server) -> None:
    server.answer = says("Anna is well.")
    chosen = {"model_url": server.url, "model_calls_per_day": 1, "learn": False}
    with Memory.open("a", root=tmp_path, settings=chosen) as memory:
        chat = Chat(memory)
        replies = [chat.say(f"Turn {n}: how is Anna?") for n in range(3)]
    assert replies[0] == "Anna is well."
    assert [reply.partition(";")[0].partition(",")[0] for reply in replies[1:]] == [
        "There is no model to answer"
    ] * 2
    assert accepted_after(tmp_path) == ["Turn 0", "Anna is well.", "Turn 1", "Turn 2"]


# one colour: piece by piece, and awaited


def pieces(_: Any) -> Iterator[str]:
    yield from ("Anna ", "is ", "well.")


def test_a_reply_that_yields_is_passed_on_and_remembered_whole(memory: Memory) -> None:
    chat = Chat(memory, pieces)
    assert list(chat.stream("How is Anna?")) == ["Anna ", "is ", "well."]
    assert chat.say("And today?") == "Anna is well."
    assert accepted(memory) == ["How is Anna?", "Anna is well.", "And today?", "Anna is well."]


def test_a_stream_that_is_left_keeps_what_was_said(memory: Memory) -> None:
    chat = Chat(memory, pieces)
    stream = chat.stream("How is Anna?")
    assert next(iter(stream)) == "Anna "
    stream.close()
    assert accepted(memory) == ["How is Anna?"]
    assert chat.say("How is Anna?") == "Anna is well."  # the turn is free again


def test_turns_can_be_awaited_and_streamed_in_an_event_loop(tmp_path: Path) -> None:
    async def talk() -> tuple[str, list[str]]:
        async with Memory.open("a", root=tmp_path) as memory, Chat(memory, pieces) as chat:
            reply = await chat.ask("How is Anna?")
            return reply, [piece async for piece in chat.stream("And today?")]

    assert asyncio.run(talk()) == ("Anna is well.", ["Anna ", "is ", "well."])
    assert len(accepted_after(tmp_path)) == 4


def test_who_awaits_a_turn_is_told_what_went_wrong(memory: Memory) -> None:
    chat = Chat(memory, lambda _: 7)  # type: ignore[arg-type,return-value]
    with pytest.raises(InvalidInput, match="must be a text, not int"):
        chat.ask("How is Anna?").result(PATIENCE)
