"""What strangers get: the same bytes from every build, extras with pages, examples that run."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from adapters.coming_from import OURS, PAGES, calls, column
from server.test_proxy import Upstream
from stage import PATIENCE

from wangchuan import Host, Memory

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FRAMEWORKS = ROOT / "docs" / "integrations"


def built(folder: Path, of: str) -> bytes:
    """Build a distribution of a copy of the repository, with other times and another place."""
    for name in ("src", "docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (*ROOT.glob("*.md"), ROOT / "pyproject.toml", ROOT / "LICENSE"):
        shutil.copyfile(path, folder / path.name)
    command = [sys.executable, "-m", "hatchling", "build", "-t", of, "-d", str(folder / "dist")]
    clean = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
    subprocess.run(command, cwd=folder, check=True, timeout=PATIENCE, env=clean)
    (made,) = (folder / "dist").iterdir()
    return made.read_bytes()


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_two_builds_are_the_same_to_the_byte(tmp_path: Path, kind: str) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "another").mkdir()
    assert built(tmp_path / "one", kind) == built(tmp_path / "another", kind)


def test_every_framework_has_an_extra_a_page_and_a_place_on_the_site() -> None:
    extras = {*PROJECT["optional-dependencies"]} - {"dev", "docs", "local", "postgres", "server"}
    page = {"pydantic-ai-harness": "pydantic-ai"}
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    for extra in extras:
        named = page.get(extra, extra)
        assert f"wangchuan[{extra}]" in (FRAMEWORKS / f"{named}.md").read_text("utf-8"), extra
        assert f"docs/integrations/{named}.md" in site
        assert (ROOT / f"src/wangchuan/integrations/{extra.replace('-', '_')}.py").is_file()


def test_adapters_are_thin_and_only_they_know_their_framework() -> None:
    shared = {"__init__", "talk", "filters", "commands"}
    for path in (ROOT / "src/wangchuan/integrations").glob("*.py"):
        text = path.read_text("utf-8")
        assert path.stem in shared or len(text.splitlines()) <= 120, path.stem
        known = set(re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)) - {"wangchuan"}
        outside = known - set(sys.stdlib_module_names)
        assert not (outside and path.stem in {*shared, "plain"}), (path.stem, outside)


def example(name: str, folder: Path, said: str = "", **environ: str) -> str:
    """Run an example in an empty folder, and return what it prints."""
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py")]
    environ = {**os.environ, "PYTHONIOENCODING": "utf-8", **environ}
    done = subprocess.run(
        command,
        cwd=folder,
        input=said,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env=environ,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["first", "many_users", "diary"])
def test_examples_that_need_nobody_run(tmp_path: Path, name: str) -> None:
    said = "My cat is called Mimi.\nWhat is my cat called?\n\n"
    assert "Mimi" in example(name, tmp_path, said if name == "diary" else "")


@pytest.mark.parametrize("name", ["openai_loop", "anthropic_loop"])
def test_examples_with_a_model_run_with_one_that_is_made_up(tmp_path: Path, name: str) -> None:
    upstream = Upstream()
    places = {"OPENAI_BASE_URL": f"{upstream.url}/v1", "ANTHROPIC_BASE_URL": upstream.url}
    keys = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
    assert "Tea it is" in example(name, tmp_path, "My cat is called Mimi.\n\n", **places, **keys)
    example(name, tmp_path, "What is my cat called?\n\n", **places, **keys)
    upstream.shutdown()
    upstream.server_close()
    assert "Mimi" in str(upstream.bodies[-1]["messages"])  # another process, from memory


def test_every_example_is_run() -> None:
    tried = {"first", "many_users", "diary", "openai_loop", "anthropic_loop"}
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == tried


def test_the_site_is_built_and_no_link_of_it_leads_nowhere(tmp_path: Path) -> None:
    site = [sys.executable, str(ROOT / "docs" / "site.py"), "build", "--strict", "-d"]
    done = subprocess.run(
        [*site, str(tmp_path)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    for page in ("index", "docs/reference", "README.zh-CN", "docs/coming-from.zh-CN"):
        found = [tmp_path / page / "index.html", tmp_path / f"{page}.html"]
        assert any(one.is_file() for one in found), page
    reference = (tmp_path / "docs" / "reference" / "index.html").read_text("utf-8")
    assert "wangchuan.Memory.remember" in reference


@pytest.mark.parametrize("page", PAGES)
def test_our_calls_on_the_page_for_those_who_come_from_others_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / page).read_text("utf-8")
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, page, "exec"), {})
    done = set[str]()
    with Memory.open("ada", root="memory_data") as memory:
        memory.remember("tea 茶").result(PATIENCE)
        known = {"messages": "Ada drinks tea.", "said": "tea?", "memory": memory, "Memory": Memory}
        for call in (ast.unparse(one) for one in calls(column(page, OURS))):
            (node,) = memory.remember(f"thing number {len(done)}").result(PATIENCE)
            fact = memory.facts.add(f"Dog number {len(done)} is called Rex").id
            memory.forget(memory.remember("gone").result(PATIENCE)[0])
            given = {"id": node, "seq": memory.history.latest(1)[0].seq, "root": "elsewhere"}
            given |= {"Host": lambda root: Host(root)}
            if "erase('ada')" in call:
                Memory.open("ada", root="elsewhere").close()
            code = call.replace("at=...", "at=1.0").replace("correct()", f"correct({fact!r}, 'x')")
            eval(code, {**known, **given})
            done.add(call.partition("(")[0])
    assert len(done) >= 10


def test_every_page_that_is_linked_is_there() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
