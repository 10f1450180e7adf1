"""The documentation is true: snippets run, every command and setting is described.

`python tests/test_docs.py` writes docs/settings.md anew.
"""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest
from acceptance.command import wangchuan
from test_surface import FLOOR

from wangchuan import __version__
from wangchuan.network.ageing import INITIAL, falls_below, is_gone
from wangchuan.network.fading import Fade, Rules, decayed, pass_of, scans_within
from wangchuan.network.relating import MOST_LINKS
from wangchuan.settings.fields import HARMLESS
from wangchuan.settings.groups import GROUPS
from wangchuan.settings.judge import model_of

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh-CN.md")


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.S)


def run(code: str, folder: Path) -> str:
    done = wangchuan(folder, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("page", READMES)
def test_the_first_snippet_prints_what_the_readme_says_and_again_when_rerun(
    tmp_path: Path, page: str
) -> None:
    code, expected = blocks(page, "python")[0], blocks(page, "text")[0]
    assert run(code, tmp_path) == expected
    assert expected.strip() in run(code, tmp_path)


@pytest.mark.parametrize("page", READMES)
@pytest.mark.parametrize("number", range(1, len(blocks("README.md", "python"))))
def test_the_other_snippets_run_and_say_what_their_comments_promise(
    tmp_path: Path, page: str, number: int
) -> None:
    code = blocks(page, "python")[number]
    printed = run(code, tmp_path)
    assert all(promise in printed for promise in promised(code)), printed
    assert printed


def promised(code: str) -> list[str]:
    return re.findall(r"print\(.*\) +# (?:…+ )?(.+)", code)


@pytest.mark.parametrize("page", READMES)
def test_what_was_erased_in_one_snippet_does_not_keep_another_from_exporting(
    tmp_path: Path, page: str
) -> None:
    same = [code for code in blocks(page, "python") if '"agent_005"' in code]
    assert ".erase(" in same[0]
    assert "import_(" in same[-1]
    for code in same:
        printed = run(code, tmp_path)
        assert all(promise in printed for promise in promised(code)), printed


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
    done = wangchuan(ROOT, "--help", env={"NO_COLOR": "1", "COLUMNS": "100"})
    commands = re.findall(r"^[│ ]*([a-z]+)  +[A-Z]", done.stdout, flags=re.M)
    assert len(commands) >= 16, done.stdout
    text = (ROOT / page).read_text("utf-8")
    assert [name for name in commands if f"`{name}`" not in text] == []


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Arguments (`Memory.open(..., settings={...})`) win over environment variables"
        " (`WANGCHUAN_` and the name in capitals), these over your own file, that over the file of"
        " the working directory, that over the defaults. `wangchuan settings` shows what holds and"
        " where it comes from. This page is written by `python tests/test_docs.py`.",
        "",
        "Your own file is `wangchuan/wangchuan.toml` in `$XDG_CONFIG_HOME`, else in `~/.config`"
        " (macOS: `~/Library/Application Support`, Windows: `%APPDATA%`), or the file that"
        " `WANGCHUAN_CONFIG` names. The file `wangchuan.toml` of the working directory may come"
        " with somebody else's project, so it can set only what is marked *project* below; the"
        " command line says what it sets, and warns of what it may not. If it is yours, name it:"
        " `WANGCHUAN_CONFIG=wangchuan.toml`. A key goes only to the address that is set in the"
        " same place; one that is set without an address goes to whichever holds.",
        "",
    ]
    for group in GROUPS:
        lines += [
            f"## {group.__name__}",
            "",
            group.__doc__ or "",
            "",
            "| name | default | bounds | meaning | |",
            "|---|---|---|---|---|",
            *map(setting_row, model_of(group).model_json_schema()["properties"].items()),
            "",
        ]
    return "\n".join(lines)


def setting_row(item: tuple[str, dict[str, object]]) -> str:
    name, field = item
    shown = f"| `{name}` | `{field['default']}` | {bounds(field)} | {field['description']} |"
    return f"{shown} {'project' if name in HARMLESS else ''} |"


def bounds(field: dict[str, object]) -> str:
    signs = {"minimum": "≥", "maximum": "≤", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}
    found = [f"{sign} {field[key]}" for key, sign in signs.items() if key in field]
    return ", ".join(found) or " / ".join(f"`{v}`" for v in field.get("enum", ()))  # type: ignore[attr-defined]


def test_the_settings_page_is_the_code() -> None:
    assert (ROOT / "docs" / "settings.md").read_text("utf-8") == settings_page()


def test_the_architecture_names_every_part_in_its_layer() -> None:
    package = ROOT / "src" / "wangchuan"
    parts = {p.name + "/" * p.is_dir() for p in package.iterdir() if not p.name.startswith("_")}
    rows = re.findall(
        r"^\| (\d+) \| ([^|]+) \|", (ROOT / "docs/architecture.md").read_text("utf-8"), flags=re.M
    )
    stated = {name: int(layer) for layer, names in rows for name in re.findall(r"`(.+?)`", names)}
    assert stated.keys() == parts - {"py.typed"}
    assert stated == {name: FLOOR[name.removesuffix(".py").rstrip("/")] for name in stated}


def test_the_example_of_search_runs(tmp_path: Path) -> None:
    (code,) = blocks("docs/search.md", "python")
    assert run(code, tmp_path).startswith("The dentist moved my appointment to Friday. 0.7")


def test_the_numbers_of_search_are_those_of_the_code() -> None:
    rows = re.findall(
        r"^\| `([a-z.]+)\.([A-Z_0-9]+)` \| `(.+?)` \|",
        (ROOT / "docs" / "search.md").read_text("utf-8"),
        flags=re.M,
    )
    stated = {(module, name): value for module, name, value in rows}
    for (module, name), value in stated.items():
        assert repr(getattr(import_module(f"wangchuan.{module}"), name)) == value, name
    own = (
        "network.ranking",
        *map("finding.{}".format, ("search", "words", "candidates", "learned")),
    )
    assert set().union(*map(weights, own)) <= stated.keys()


def weights(module: str) -> set[tuple[str, str]]:
    """The numbers, and tables of numbers, that a module names by itself."""
    internal = {"CHUNK", "SHORT"}  # how much is read or kept at once: it changes no answer
    found = ast.parse(
        (ROOT / "src/wangchuan" / f"{module.replace('.', '/')}.py").read_text("utf-8")
    )
    targets = [t for node in found.body if isinstance(node, ast.Assign) for t in node.targets]
    names = {name.id for t in targets for name in ast.walk(t) if isinstance(name, ast.Name)}
    value = import_module(f"wangchuan.{module}")
    chosen = {n for n in names if isinstance(getattr(value, n), int | float | dict)} - internal
    return {(module, name) for name in chosen}


@pytest.mark.parametrize("readme", READMES)
def test_things_last_as_long_as_the_readmes_say(readme: str) -> None:
    text = (ROOT / readme).read_text("utf-8")
    talk = Fade([1.0] * 10, 100, 100, Rules())  # five in focus before it, five after
    loses, halves, dies = (
        talk.first(happens) or 0
        for happens in (lambda s: talk.limit(s) < 100, lambda s: talk.limit(s) < 50, talk.forgets)
    )
    turns = [pass_of(scan, Rules()) for scan in (loses, halves, dies)]
    days = range(1, 200)
    fact = next(d for d in days if falls_below("fact", INITIAL["fact"], d) == "gone")
    episode = next(d for d in days if is_gone("episode", INITIAL["episode"], d))
    section = text[text.index("一次 `remember`" if "zh" in readme else "A turn is one") :][:1500]
    stated = re.findall(r"\d+(?:,\d{3})*", section)
    expected = [turns[0] - 1, turns[1], turns[2], 100, fact, episode]
    assert stated[:6] == [f"{number:,}" for number in expected]
    assert str(dies) in stated


def test_a_topic_that_comes_up_every_hundred_turns_stays_whole() -> None:
    """As related links hold it: one of one half each time, at most 24 at once."""
    rules, links = Rules(), [(1.0, 0)] * 10
    for turn in range(100, 10_001, 100):
        scans = scans_within(turn, rules)
        assert sum(decayed(s, scans - at, rules) for s, at in links) >= 1
        whole = [link for link in links if decayed(link[0], scans - link[1], rules)]
        links = whole if len(whole) >= MOST_LINKS else [*whole, (0.5, scans)]


CORE = ("agent", "answers", "erasing", "faces", "facts", "history", "host", "ids", "jobs")
CORE += ("lifecycle", "living", "memory", "models", "network", "notebook", "routines", "storage")
OF_OTHERS = {"http", "ids", "mcp", "postgres", "sqlite"}  # names that others gave


def forms(word: str) -> set[str]:
    """Return the forms of a word that name the same: number, the noun of a verb."""
    stem = word.removesuffix("ing")
    doubled = stem[:-1] if stem[-2:-1] == stem[-1:] else stem
    return {word, word.removesuffix("s"), f"{word}s", stem, f"{stem}e", doubled, f"{stem}er"} - {""}


def test_every_module_of_the_core_is_named_by_a_word_of_the_glossary() -> None:
    lines = (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines()
    heads = [line.split("|")[1].lower() for line in lines if line.startswith("| ")]
    known = {form for head in heads for word in re.findall(r"[a-z]+", head) for form in forms(word)}
    package = ROOT / "src" / "wangchuan"
    inside = [path.relative_to(package) for path in package.rglob("*.py")]
    core = [p for p in inside if p.parts[0].removesuffix(".py") in CORE and p.stem != "__init__"]
    assert len(core) > 100
    words = [(p, word) for p in core for word in p.stem.split("_")]
    assert [p for p, word in words if not forms(word) & known | OF_OTHERS & {word}] == []


@pytest.mark.parametrize("page", ["docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md"])
def test_every_module_that_a_page_names_is_there(page: str) -> None:
    package = ROOT / "src" / "wangchuan"
    named = set(
        re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.(?:py|sql))?)`", (ROOT / page).read_text("utf-8"))
    )
    assert len(named) > 5
    assert [n for n in sorted(named) if not ((package / n).exists() or (ROOT / n).exists())] == []


def test_the_changelog_knows_the_version() -> None:
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


if __name__ == "__main__":
    (ROOT / "docs" / "settings.md").write_text(settings_page(), "utf-8")
