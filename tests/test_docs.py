"""The documentation is true: snippets run, every command and setting is described.

`python tests/test_docs.py` writes docs/settings.md anew.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from wangchuan import Settings, __version__

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh-CN.md")


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.S)


def run(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        timeout=60,
        check=False,
        env={**__import__("os").environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return done.stdout.decode()


@pytest.mark.parametrize("page", READMES)
def test_the_first_snippet_prints_what_the_readme_says_and_again_when_rerun(
    tmp_path: Path, page: str
) -> None:
    code, expected = blocks(page, "python")[0], blocks(page, "text")[0]
    assert run(code, tmp_path) == expected
    assert expected.strip() in run(code, tmp_path)


@pytest.mark.parametrize("page", READMES)
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_the_other_snippets_run_and_say_what_their_comments_promise(
    tmp_path: Path, page: str, number: int
) -> None:
    code = blocks(page, "python")[number]
    printed = run(code, tmp_path)
    promised = re.findall(r"print\(.*\) +# (?:…+ )?(.+)", code)
    assert all(promise in printed for promise in promised), printed
    assert printed


def test_both_readmes_have_the_same_shape() -> None:
    english, chinese = ((ROOT / page).read_text("utf-8") for page in READMES)
    for pattern in (r"^#+ ", r"^```\w+", r"^\| ", r"\]\(docs/[a-z]+\.md\)"):
        counts = [len(re.findall(pattern, text, flags=re.M)) for text in (english, chinese)]
        assert counts[0] == counts[1] > 0, pattern


@pytest.mark.parametrize("page", READMES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text("utf-8")):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("page", READMES)
def test_every_command_is_in_the_readme(page: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "wangchuan.cli", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**__import__("os").environ, "NO_COLOR": "1", "COLUMNS": "100"},
    )
    commands = re.findall(r"^[│ ]*([a-z]+)  +[A-Z]", done.stdout, flags=re.M)
    assert len(commands) >= 16, done.stdout
    text = (ROOT / page).read_text("utf-8")
    assert [name for name in commands if f"`{name}`" not in text] == []


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Arguments (`Memory.open(..., settings={...})`) win over environment variables"
        " (`WANGCHUAN_` and the name in capitals), these over the file `wangchuan.toml` in the"
        " working directory (or the one named by `WANGCHUAN_CONFIG`), that over the defaults."
        " `wangchuan settings` shows what holds and where it comes from. This page is written by"
        " `python tests/test_docs.py`.",
        "",
        "| name | default | bounds | meaning |",
        "|---|---|---|---|",
    ]
    schema = Settings.model_json_schema()["properties"]
    for name, field in schema.items():
        lines.append(
            f"| `{name}` | `{field['default']}` | {bounds(field)} | {field['description']} |"
        )
    return "\n".join(lines) + "\n"


def bounds(field: dict[str, object]) -> str:
    signs = {"minimum": "≥", "maximum": "≤", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}
    found = [f"{sign} {field[key]}" for key, sign in signs.items() if key in field]
    return ", ".join(found) or " / ".join(f"`{v}`" for v in field.get("enum", ()))  # type: ignore[attr-defined]


def test_the_settings_page_is_the_code() -> None:
    assert (ROOT / "docs" / "settings.md").read_text("utf-8") == settings_page()


def test_the_changelog_knows_the_version() -> None:
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


if __name__ == "__main__":
    (ROOT / "docs" / "settings.md").write_text(settings_page(), "utf-8")
