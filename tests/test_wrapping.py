"""What stands around the words of a person: our blocks, and what clients add."""

from __future__ import annotations

import html
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.messages import as_block, as_written, without_blocks

BODY = '## 相关事实\n- 2026-03-02 主人：「喜欢 <b>茶</b> & "咖啡"」\n> quoted \\ it\'s'


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def in_json(text: str) -> str:
    return json.dumps(text)[1:-1]


def in_plain_json(text: str) -> str:
    return (
        json.dumps(text, ensure_ascii=False)[1:-1].replace("<", "\\u003c").replace(">", "\\u003e")
    )


WRAPPINGS: list[Callable[[str], str]] = [
    str,
    html.escape,
    lambda text: html.escape(html.escape(text)),
    lambda text: html.escape(text, quote=False),
    quoted,
    in_json,
    in_plain_json,
    lambda text: in_json(in_json(text)),
    lambda text: quoted(html.escape(text)),
    lambda text: html.escape(quoted(text)),
    lambda text: in_json(html.escape(text)),
    lambda text: f'<entry source="wangchuan">\n{text}\n</entry>',
    lambda text: text.replace("\n", "\r\n    "),
]


@pytest.mark.parametrize("wrap", WRAPPINGS)
def test_our_block_is_recognised_however_it_was_wrapped(wrap: Callable[[str], str]) -> None:
    assert without_blocks(wrap(as_block(BODY))).strip() == ""
    text = f"Before it.\n{wrap(as_block(BODY))}\nAfter it."
    left = without_blocks(text)
    assert left.split() == ["Before", "it.", "After", "it."]


@given(st.text(), st.sampled_from(WRAPPINGS))
def test_any_text_of_ours_is_recognised_in_any_wrapping(
    body: str, wrap: Callable[[str], str]
) -> None:
    assert without_blocks(wrap(as_block(body))).strip() == ""


@pytest.mark.parametrize("wrap", WRAPPINGS[:11])
def test_what_a_person_changed_or_wrote_between_marks_stays(wrap: Callable[[str], str]) -> None:
    text = wrap(as_block(BODY).replace("主人", "我"))
    assert without_blocks(text) == text


def test_marks_in_a_memory_in_any_form_are_harmless() -> None:
    for wrap in WRAPPINGS:
        block = as_block(f"a {wrap(as_block('b'))} c")
        assert without_blocks(f"{block}!") == "!"


REMINDER = "<system-reminder>\nBe brief. <b>Never</b> mention this.\n</system-reminder>"
CATALOGUE = '<tools>\n[{"name": "search", "parameters": {"type": "object"}}]\n</tools>'
CLINE = (
    "<environment_details>\n# VSCode Visible Files\na.py\n```\ncode\n```\n</environment_details>"
)


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        (f"{REMINDER}\nWhat is for tea?", "What is for tea?"),
        (f"What is for tea?\n\n{REMINDER}", "What is for tea?"),
        (f"One.\n{REMINDER}{REMINDER}\nTwo.", "One.\n\nTwo."),
        (f"{REMINDER}", ""),
        ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", ""),
        ("<user_instructions>\nUse tabs.\n</user_instructions>\n今天吃什么？", "今天吃什么？"),
        (f"<task>\nFix the login.\n</task>\n{CLINE}", "Fix the login."),
        ("<additional_data>\nx\n</additional_data>\n<user_query>\nWhy?\n</user_query>", "Why?"),
        (f"{CATALOGUE}\nSearch for tea.", "Search for tea."),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>", ""),
        ("### Task:\nAnswer with the context.\n<context>\ntea\n</context>\n\n"
         "<user_query>\nWhy tea?\n</user_query>", "Why tea?"),
        ("### Task:\nAnswer with the context.\n<context>\ntea\n</context>\n\nWhy tea?", "Why tea?"),
        ("### Task:\nGenerate a title.\n### Chat History:\n<chat_history>\ntea\n</chat_history>",
         ""),
        ('Query: History:\nUSER: """tea"""\nQuery: tea', ""),
        ("<memory>\n<entry source=\"wangchuan\">The user likes tea.</entry>\n</memory>\nMore tea!",
         "More tea!"),
        ("<system-reminder>a <system-reminder>b</system-reminder> c</system-reminder>d", "d"),
        (f"{as_block('x')}\n{REMINDER}\nTea.", "Tea."),
        ("a\r\n<system-reminder>\r\nx\r\n</system-reminder>\r\nb", "a\n\nb"),
    ],
)  # fmt: skip
def test_what_clients_add_is_taken_out(sent: str, written: str) -> None:
    assert as_written(sent) == written


@pytest.mark.parametrize(
    "written",
    [
        "Why does Claude see <system-reminder>x</system-reminder> in my prompt?",
        "This is what it sends:\n```\n<system-reminder>\nx\n</system-reminder>\n```\nWhy?",
        "<system-reminder> is a tag that is never closed",
        "<tools>\nhammer, saw\n</tools>\nWhich one?",
        "<context>\nAn article.\n</context>\nSum it up.",
        "<memory>\nMy own words.\n</memory>",
        "### Task:\nWrite me a poem.",
        "Write a parser for <task> tags",
        "</system-reminder> came first\n<system-reminder>",
        "我说：<system-reminder>不要</system-reminder>",
    ],
)
def test_what_a_person_wrote_stays(written: str) -> None:
    assert as_written(written) == written


@given(st.text())
def test_text_without_tags_is_left_alone(text: str) -> None:
    if "<" not in text and not text.lstrip().startswith(
        ("### Task:", "Query: History:", "# AGENTS")
    ):
        assert as_written(text) == text.replace("\r\n", "\n").strip()


def test_many_tags_take_time_in_proportion() -> None:
    text = "<system-reminder>\n" * 20_000 + "</tools>\n" * 20_000
    assert as_written(text) == text.strip()
    nested = "<system-reminder>\n" * 20_000 + "</system-reminder>\n" * 20_000
    assert as_written(nested) == ""


def test_what_a_framework_puts_around_a_block_goes_with_it() -> None:
    shown = f"<memory>\n<wangchuan>\n{as_block(BODY)}\n</wangchuan>\n</memory>\nMore tea!"
    assert as_written(shown) == "More tea!"
