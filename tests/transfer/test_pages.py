"""Markdown and Turtle: what people and other tools see of a memory."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from conftest import Open
from hypothesis import given
from hypothesis import strategies as st
from stage import PATIENCE, FakeClock
from transfer.packing import NAME, SETTINGS, rich_memory
from transfer.reading_turtle import triples

from wangchuan import Host, Memory
from wangchuan.transfer.markdown import escaped, in_line, quoted
from wangchuan.transfer.turtle import literal

GOLDEN = Path(__file__).parent / "golden"
NEW_GOLDEN = "NEW_GOLDEN" in os.environ  # to write them anew, and look at what changed
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def shown(memory: Memory) -> dict[str, str]:
    found = {}
    for form in ("markdown", "turtle"):
        stream = io.BytesIO()
        memory.export(stream, format=form)
        found[form] = stream.getvalue().decode()
    return found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The memory in which everything has happened, in both formats."""
    root, clock = tmp_path_factory.mktemp("rich"), FakeClock()
    rich_memory(root, clock)
    with Memory.open(NAME, root=root, clock=clock, settings=SETTINGS) as memory:
        assert memory.flush(PATIENCE)
        return shown(memory)


@pytest.mark.parametrize(("form", "name"), [("markdown", "small.md"), ("turtle", "small.ttl")])
def test_the_pages_are_as_they_were_looked_at(
    open_memory: Open, clock: FakeClock, form: str, name: str
) -> None:
    memory = open_memory()
    said = {"role": "user", "name": "Ann *A*", "content": "# Gate\n门是“绿”的。 #门", "id": "a_1"}
    memory.remember([said, {"role": "assistant", "content": "<b>Noted</b> \\o/"}]).result(PATIENCE)
    clock.now += 86_400
    memory.remember("The key is behind the gate.").result(PATIENCE)
    assert memory.flush(PATIENCE)
    liked = memory.facts.add("I like tea")
    memory.facts.correct(liked.id, 'I like "coffee"')
    memory.forget("mem_1")
    page = shown(memory)[form]
    if NEW_GOLDEN:
        (GOLDEN / name).write_text(page, "utf-8")
    assert page == (GOLDEN / name).read_text("utf-8")


# Markdown


def test_the_only_headings_are_ours_and_the_forgotten_come_last(pages: dict[str, str]) -> None:
    headings = re.findall(r"^(#+ .*)$", pages["markdown"], flags=re.M)
    ours = r"# Memory of .*|## (What was said|Facts|Episodes|Forgotten)|### \S+, conversation \d+"
    assert all(re.fullmatch(ours, heading) for heading in headings), headings
    assert headings[-1] == "## Forgotten"
    assert "# 好的" in pages["markdown"].replace("\\", "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# heading", "\\# heading"),
        ("   ## heading", "\\## heading"),
        ("===", "\\==="),
        ("---", "\\---"),
        ("- item", "\\- item"),
        ("+ item", "\\+ item"),
        ("12. item", "12\\. item"),
        ("12) item", "12\\) item"),
        ("> quote", "&gt; quote"),
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("&lt;", "&amp;lt;"),
        ("![a](b)", "!\\[a\\](b)"),
        ("`code` *b* _c_ | ~~d~~ $x$", "\\`code\\` \\*b\\* \\_c\\_ \\| \\~\\~d\\~\\~ \\$x\\$"),
        ("back\\slash", "back\\\\slash"),
        ("see https://a.example", "see https\u200b://a.example"),
        ("a\x1b[2Jb\u202ec", "a\ufffd\\[2Jb\ufffdc"),
        ("a - b # c 1. d", "a - b # c 1. d"),
        ("我喜欢“茶”。", "我喜欢“茶”。"),
    ],
)
def test_what_markdown_would_act_on_is_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


@given(anything)
def test_no_text_leaves_its_quotation(text: str) -> None:
    lines = "\n".join(quoted(text)).split("\n")
    assert all(line == ">" or line.startswith("> ") for line in lines)
    for line in lines:
        inner = line[2:]
        assert not re.match(r"\s*(#|[-+=*]|\d+[.)]|>|`|~|<)", inner), inner
        assert "<" not in inner


@given(anything)
def test_an_item_of_a_list_is_one_line(text: str) -> None:
    assert len(in_line(text).splitlines()) <= 1


# Turtle


def test_the_document_reads_as_triples_of_the_network(pages: dict[str, str]) -> None:
    found = triples(pages["turtle"])
    base = "urn:wangchuan:"
    nodes = {s for s, p, o in found if o == f"{base}memory#Node" and p.endswith("#type")}
    assert len(nodes) > 5
    contents = {s: o for s, p, o in found if p == f"{base}memory#content"}
    assert contents.keys() == nodes
    linked = {(s, o) for s, p, o in found if p == f"{base}memory#link"}
    own = f"{base}agent:{NAME}:"
    named = {f"{own}link:{s.rsplit(':')[-1]}:{o.rsplit(':')[-1]}" for s, o in linked}
    strengths = {s: float(o) for s, p, o in found if p == f"{base}memory#strength"}
    assert strengths.keys() == named
    assert all(0 < strength <= 1 for strength in strengths.values())
    members = [o for s, p, o in found if p == f"{base}memory#member"]
    orders = {s: o for s, p, o in found if p == f"{base}memory#order"}
    assert [orders[member] for member in members] == [str(n + 1) for n in range(len(members))]
    assert len(found) == len(set(found))


@given(anything)
def test_any_text_is_a_turtle_string(text: str) -> None:
    assert triples(f"@prefix a: <urn:a:> .\na:b a:c {literal(text)} .") == [
        ("urn:a:b", "urn:a:c", text)
    ]


def test_an_agent_of_any_name_gives_valid_names(tmp_path: Path) -> None:
    with Host(tmp_path, clock=FakeClock()) as host, host.open("小川+1@x.y") as memory:
        memory.remember("One.").result(PATIENCE)
        stream = io.BytesIO()
        memory.export(stream, format="turtle")
    subjects = {subject for subject, _, _ in triples(stream.getvalue().decode())}
    assert "urn:wangchuan:agent:%E5%B0%8F%E5%B7%9D%2B1%40x.y:node:mem_1" in subjects
