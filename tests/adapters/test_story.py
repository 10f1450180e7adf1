"""Three runs of every framework's example, each a process of its own, in both languages.

The first tells something, the second answers from memory, the third answers the new value after a
correction. Then it is forgotten, and erased.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from story import UNKNOWN, blocks

from wangchuan import Memory
from wangchuan.messages import BLOCK_CLOSE

NAME = os.environ["TEST_ADAPTER"]
STORY = Path(__file__).with_name("story.py")
AGENT = {"google-adk": "app+ada"}.get(NAME, "ada")
PAGES = NAME == "anthropic"  # Claude writes pages, and remembers nothing by itself
TOLD = {"en": "I live in Porto, by the river.", "zh": "我住在成都。"}
ASKED = {"en": "Where do I live?", "zh": "我住在哪里？"}
CORRECTED = {"en": "I have moved: I live in Ghent now.", "zh": "我搬家了，现在住在杭州。"}
OLD, NEW = {"en": "Porto", "zh": "成都"}, {"en": "Ghent", "zh": "杭州"}

if NAME in ("pydantic-ai-harness", "coming-from"):
    pytest.skip("it has no example of its own", allow_module_level=True)


def run(folder: Path, session: str, *said: dict[str, str]) -> dict[str, list[str]]:
    given = {language: [one[language] for one in said] for language in TOLD}
    done = subprocess.run(
        [sys.executable, str(STORY), NAME, session, json.dumps(given)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    replies: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return replies


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("story")
    first = run(folder, "one", TOLD)
    second = run(folder, "two", ASKED)
    third = run(folder, "three", CORRECTED, ASKED)
    return folder, (first, second, third)


@pytest.fixture(params=list(TOLD))
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def ada(story: tuple[Path, Any], language: str) -> Iterator[Memory]:
    home = story[0] / language
    work = {"work_dir": home, "mode": "full"} if PAGES else {}
    with Memory.open(AGENT, root=home / "memory_data", **work) as memory:
        assert memory.flush(600)
        yield memory


def test_the_other_examples_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for code in blocks(NAME)[1:]:
        if "harness" not in code:  # that is another environment
            exec(compile(code, NAME, "exec"), {})


def test_a_new_process_answers_what_an_earlier_one_was_told(
    story: tuple[Path, Any], language: str
) -> None:
    assert story[1][1][language] == [OLD[language]]


def test_after_a_correction_the_new_value_is_answered(
    story: tuple[Path, Any], language: str
) -> None:
    assert story[1][2][language][-1] == NEW[language]


@pytest.mark.skipif(PAGES, reason="pages, not messages")
def test_everything_was_remembered_once_and_no_block_was(ada: Memory, language: str) -> None:
    said = [message.content for message in ada.look.messages() if message.role == "user"]
    order = (TOLD, ASKED, CORRECTED, ASKED)
    assert said == [one[language] for one in order]
    answered = [message.content for message in ada.look.messages() if message.role == "assistant"]
    assert len(answered) == (0 if NAME == "llama-index" else len(order))
    assert not any(BLOCK_CLOSE in message.content for message in ada.look.messages())
    assert {len(message.content) < 60 for message in ada.look.messages()} == {True}


def holding(folder: Path, word: str) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path) for path in files if word.encode() in path.read_bytes()]


@pytest.mark.skipif(PAGES, reason="a page is deleted, not forgotten")
def test_forgotten_it_is_not_told_and_erased_it_is_gone(
    story: tuple[Path, Any], language: str
) -> None:
    home = story[0] / language
    places = (OLD[language], NEW[language])
    with Memory.open(AGENT, root=home / "memory_data") as memory:
        assert memory.flush(600)
        for node in [*memory.nodes(), *memory.facts()]:
            text = getattr(node, "content", None) or getattr(node, "text", "")
            if any(place in text for place in places) and memory.look.node(node.id):
                memory.forget(node.id)
    assert run(story[0], "four", ASKED)[language] == [UNKNOWN]
    with Memory.open(AGENT, root=home / "memory_data") as memory:
        with memory.items.batch() as items:  # the sessions that a framework keeps
            for item in items.search():
                items.drop(item.namespace, item.key)
        found = [m.id for m in memory.look.messages() if any(p in m.content for p in places)]
        assert found
        memory.erase(message_ids=found)
        left = [m.content for m in memory.look.messages()]
    assert not any(place in text for text in left for place in places)
    assert [holding(home, place) for place in places] == [[], []]


@pytest.mark.skipif(not PAGES, reason="memories are forgotten")
def test_a_page_that_is_deleted_is_gone(
    story: tuple[Path, Any], ada: Memory, language: str
) -> None:
    assert ada.notebook.pages.paths() == ["home.md"]
    ada.notebook.pages.delete("home.md")
    assert holding(story[0] / language, NEW[language]) == []
    assert holding(story[0] / language, OLD[language]) == []
