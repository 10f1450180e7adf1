"""The prompt in the documented order, and the compact page."""

from __future__ import annotations

from pathlib import Path

from notebook.papers import desk_of, golden

from wangchuan.notebook.compact import CompactPage
from wangchuan.notebook.places import MAP, Places
from wangchuan.notebook.prompt import built, is_ours

BASE, KNOWLEDGE = "你是写作助手。", "# 知识\n先读再写。"
TASK = "# Task Process\n\n## 当前状态\n- 指令指针: 1\n- 阶段: executing\n"


def test_the_prompt_of_full_mode_is_to_the_letter() -> None:
    session = golden("session").rstrip("\n")
    assert built(BASE, KNOWLEDGE, task=TASK, sessions=[session]) + "\n" == golden("prompt_full")


def test_the_prompt_of_minimal_mode_is_to_the_letter() -> None:
    assert built(BASE, KNOWLEDGE, compact="登录模块用 JWT。") + "\n" == golden("prompt_minimal")


def test_what_is_empty_is_left_out() -> None:
    assert built(BASE, "") == BASE
    assert built("", KNOWLEDGE) == KNOWLEDGE
    assert built(BASE + "\n", KNOWLEDGE) == f"{BASE}\n{KNOWLEDGE}"
    assert built(BASE, "", world="晴") == f"{BASE}\n## 世界状态\n晴"


def test_the_task_is_cut_at_exactly_5000_characters() -> None:
    for length in (4999, 5000):
        assert built("", "", task="字" * length) == "\n## 任务状态\n" + "字" * length
    for length in (5001, 6000):
        assert built("", "", task="字" * length) == "\n## 任务状态\n" + "字" * 5000


def test_an_emoji_at_the_cut_stays_whole() -> None:
    kept = built("", "", task="字" * 4999 + "😀😀")
    assert kept.endswith("字😀")
    assert kept.encode("utf-8").decode("utf-8") == kept


def test_what_we_wrote_is_recognised_as_ours() -> None:
    assert is_ours(built(BASE, KNOWLEDGE, compact="x"))
    assert not is_ours(BASE)
    assert not is_ours("我们谈到了“## 历史记忆”这个标题。")


def test_the_map_has_one_place_for_everything() -> None:
    assert len({artefact.name for artefact in MAP}) == len(MAP)
    for artefact in MAP:
        assert artefact.side in ("subject", "world")
        assert set(artefact.times) <= {"state", "event"}
        assert artefact.times
        assert artefact.layer in ("type", "instance")
        assert set(artefact.modes) <= {"minimal", "full"}
    cells = {
        (a.side, a.layer): {b.name for b in MAP if (b.side, b.layer) == (a.side, a.layer)}
        for a in MAP
    }
    assert cells["world", "type"] == {"prompt templates"}
    assert not any(a.explicit for a in MAP if (a.side, a.layer) == ("world", "type"))
    assert cells["world", "instance"] == {"world state", "sessions"}
    assert "task process" in cells["subject", "instance"]
    assert {"agent knowledge", "knowledge files", "functions"} <= cells["subject", "type"]


# the compact page


def compact_of(folder: Path, agent: str = "agent_001") -> CompactPage:
    return CompactPage(Places(folder, agent), desk_of(folder, agent))


def test_the_compact_page_is_written_and_read(tmp_path: Path) -> None:
    page = compact_of(tmp_path)
    assert page.read() == ""
    page.write("## 状态\n- 登录模块用 JWT。")
    assert (tmp_path / ".compact_memory.md").read_text("utf-8") == golden("compact_memory")
    assert page.read() == "## 状态\n- 登录模块用 JWT。"
    (tmp_path / ".compact_memory.md").write_bytes("\ufeffby hand\r\nwith care".encode())
    assert page.read() == "by hand\nwith care"
    page.write("new")
    assert page.read() == "new"


def test_two_agents_in_one_folder_keep_their_memories_apart(tmp_path: Path) -> None:
    first, second = compact_of(tmp_path), compact_of(tmp_path, "agent_002")
    first.write("mine")
    assert second.read() == ""
    second.write("other")
    assert (first.read(), second.read()) == ("mine", "other")
    (tmp_path / ".compact_memory.md").unlink()
    assert second.read() == "other"
    second.write("newer")
    assert (first.read(), second.read()) == ("", "newer")
