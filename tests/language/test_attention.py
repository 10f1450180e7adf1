"""What a line is worth, and which lines a compact memory keeps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wangchuan.language.attention import compacted, important, lines_of, surroundings
from wangchuan.language.scores import scored
from wangchuan.language.tokens import tokens

SCORES = {
    10: [
        "Fixed the KeyError in parse() by using get.",
        "Root cause: the cache was never invalidated.",
        "The crash is resolved now.",
        "修复了登录页的空指针。",
        "超时的根本原因是连接没有关闭。",
        "问题已解决：换用新的令牌。",
    ],
    8: [
        "Created src/login.py with the handler.",
        "I updated the README.md and the changelog.",
        "write_file wrote 12 lines",
        "config.toml was renamed.",
        "创建文件 src/login.py。",
        "修改了 settings.json 里的端口。",
        "src/old.py 已删除。",
    ],
    7: [
        "12 passed, 1 failed in 3.2s",
        "All tests pass.",
        "The build succeeded.",
        "Verified by hand: it works.",
        "测试全部通过。",
        "回归验证失败。",
        "覆盖率 93%",
    ],
    6: [
        "We decided to use JWT.",
        "It turns out the server sends UTC.",
        "决定采用 PostgreSQL。",
        "发现时区不对。",
    ],
    5: [
        "The worker is running on port 80.",
        "Deployed to staging.",
        "服务已重启。",
        "切换到 dev 分支。",
    ],
    2: [
        "Hmm, the parser looks odd.",
        "Let me fix the parser next.",
        "Maybe we should create a file for that.",
        "I need to run the tests and see them pass.",
        "我想想这个结构。",
        "接下来要修复登录页。",
        "也许应该修改 settings.json。",
        "要不要改写测试？",
    ],
}


@pytest.mark.parametrize(("score", "text"), [(s, t) for s, texts in SCORES.items() for t in texts])
def test_a_line_is_worth_what_it_tells(score: int, text: str) -> None:
    assert scored(text)[1] == score


def test_code_and_output_are_read_for_results_only() -> None:
    for text in ("def fixed(): return 1", "file.write(x)", "DEBUG solved packet 3", "decided = 1"):
        assert scored(text, output=True)[1] == 2
    assert scored("12 passed in 3 s", output=True) == ("test", 7)
    assert scored("File created successfully at: src/a.py", output=True) == ("file", 8)
    assert scored("modified:   src/a.py", output=True) == ("file", 8)


def said(*contents: str, role: str = "assistant") -> list[dict[str, Any]]:
    return [{"role": role, "content": content} for content in contents]


def padding(count: int) -> list[dict[str, Any]]:
    return said(*(f"Hmm, thought number {n} about nothing in particular." for n in range(count)))


def test_a_fix_is_told_with_its_problem_and_its_result_in_order() -> None:
    log = said(
        "The login crashed: KeyError 'token'.",
        "Let me look at it.",
        "Fixed it in src/login.py by checking the header.",
        "14 passed",
    )
    lines = compacted(padding(50) + log + padding(50)).splitlines()
    at = lines.index("- [10] The login crashed: KeyError 'token'. → Fixed it in src/login.py by"
                     " checking the header.")  # fmt: skip
    assert lines[at + 1] == "- [7] 14 passed"


def test_a_problem_nobody_solved_is_part_of_the_state() -> None:
    idle = said(*(f"嗯，关于第 {n} 件小事，再想一想，不着急。" for n in range(60)))
    text = compacted(idle + said("导入器报错：UnicodeDecodeError。", "再看看。"))
    assert "- [2] 未解决: 导入器报错：UnicodeDecodeError。" in text
    solved = compacted(idle + said("导入器报错：UnicodeDecodeError。", "已修复导入器。"))
    assert "未解决" not in solved


def test_of_what_was_said_twice_the_last_one_stays() -> None:
    log = said("12 passed", "Created a.py.", "12  passed.") + padding(60)
    text = compacted(log)
    assert text.count("12 passed") == 1
    assert text.index("Created a.py.") < text.index("passed")


def test_recent_details_are_kept_and_early_ones_are_not() -> None:
    text = compacted(
        said("Early on I wondered about owls.")
        + padding(300)
        + said("Lately I wonder about moles.")
    )
    assert "moles" in text
    assert "owls" not in text
    assert text.startswith("## Recent\n")


def test_what_was_compacted_before_is_kept_by_its_scores() -> None:
    first = compacted(said("Created early.py.", "We decided on JWT.") + padding(100))
    second = compacted(said("Created late.py.") + padding(100), first)
    assert second.index("- [8] Created early.py.") < second.index("- [8] Created late.py.")
    assert "- [6] We decided on JWT." in second
    free = "## Whatever a model wrote\nThe user likes owls.\n* The port is 80"
    third = compacted(said("Created late.py.") + padding(100), free)
    assert "- [7] The user likes owls." in third
    assert "- [7] The port is 80" in third


def test_a_short_log_comes_back_whole_and_an_empty_one_empty() -> None:
    assert compacted([]) == ""
    assert compacted([], "before") == "before"
    assert compacted(said("hello", role="user")) == "user: hello"
    assert compacted(said("  ")) == "assistant:"


def test_too_many_events_are_shortened_before_any_goes_and_the_oldest_go_first() -> None:
    log = said(*(f"Created module{n:03d}.py with a long explanation of all that is in it and why it"
                 f" had to be made exactly so, number {n}." for n in range(200)))  # fmt: skip
    text = compacted(log + padding(10), target=3000)
    assert all(f"module{n:03d}.py" in text for n in range(200))
    assert tokens(text) < tokens("\n".join(m["content"] for m in log)) / 1.5
    tight = compacted(log + padding(10), target=300)
    assert tokens(tight) <= 2 * 300 + 100
    assert "module199" in tight
    assert "module000" not in tight


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.text(max_size=80)), max_size=8
    )
)
@settings(max_examples=60)
def test_any_history_is_compacted_without_losing_an_event(history: list[tuple[str, str]]) -> None:
    messages = [{"role": role, "content": content} for role, content in history]
    text = compacted(messages + padding(40))
    for event in important(messages):
        assert event.text in text


def test_lines_know_their_order() -> None:
    lines = lines_of(said("a\n\n- b", "```\nc\n```"), "- [10] x\ny")
    assert [(n.place, n.text, n.score) for n in lines] == [
        (0, "x", 10), (1, "y", 7), (2, "a", 2), (3, "b", 2), (4, "c", 2)]  # fmt: skip
    assert lines[-1].kind == "code"


# the world


def test_the_world_keeps_its_words_and_gains_what_changed() -> None:
    present = "# 我的世界\n想怎么写就怎么写\n- 已创建 a.py"
    text = surroundings(
        present, said("已创建 a.py", "测试全部通过。", "我想想。", "服务已重启。"), 2000
    )
    assert text == f"{present}\n- 测试全部通过。\n- 服务已重启。"
    assert surroundings("", said("我想想。"), 2000) == ""
    assert surroundings("x", said("Deployed it."), 3) == "x"
