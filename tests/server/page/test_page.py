"""The page itself: its files, its words, who gets in, and that strangers' words stay words."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from server.page.conftest import Reader
from server.served import Served
from stage import PATIENCE

from wangchuan.events import NAMES
from wangchuan.models.offline import CUES, OTHERWISE, SHARED
from wangchuan.server.page.export import exported
from wangchuan.server.page.files import all_files
from wangchuan.server.tokens import SESSION_SECONDS
from wangchuan.server.whereabouts import Whereabouts

ROOT = Path(__file__).parents[3]
LARGEST = 200_000  # bytes of the whole page, and of any answer to it
VENDOR = files("wangchuan.server.page").joinpath("static/vendor")

# files and words


def test_what_others_wrote_is_as_they_published_it_and_has_its_licence() -> None:
    listed = json.loads(VENDOR.joinpath("vendor.json").read_text("utf-8"))["files"]
    there = {one.name for one in VENDOR.iterdir() if one.name.endswith(".js")}
    assert there == {row["file"] for row in listed}
    for row in listed:
        content = VENDOR.joinpath(row["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == row["sha256"], row["file"]
        assert row["licence"] in ("MIT", "ISC", "Apache-2.0")
        assert len(VENDOR.joinpath(row["text"]).read_text("utf-8")) > 500


def test_the_page_is_small_and_asks_nobody_else() -> None:
    beside = ("vendor/vendor.json", "js/alone.js")  # a list, and what only an exported file holds
    loaded = {
        path: file
        for path, file in all_files().items()
        if "LICENSE" not in path and path not in beside
    }
    both = sum(len(file.content) for file in loaded.values())
    assert both - len(loaded["zh.json"].content) < LARGEST
    for path, file in loaded.items():
        if path.startswith("vendor/") or path == "icon.svg":
            continue
        assert not re.findall(r"https?://", file.text), path
        assert not re.search(
            r"innerHTML|insertAdjacent|document\.write|dangerously|\beval\(", file.text
        )
        assert path.startswith("vendor/") or len(file.text.splitlines()) <= 600


def test_both_languages_say_all_that_is_asked_for_and_no_more() -> None:
    found = all_files()
    english, chinese = (json.loads(found[f"{name}.json"].content) for name in ("en", "zh"))
    assert list(english) == list(chinese)
    for key, text in english.items():
        for form in (r"\{\w+\}", r"\|\w+\]"):  # what is filled in, and what is explained
            assert set(re.findall(form, text)) == set(re.findall(form, chinese[key])), key
    scripts = "\n".join(file.text for path, file in found.items() if path.startswith("js/"))
    asked = set(re.findall(r"\bt\(\"([\w.]+)\"", scripts))
    assert asked <= set(english)
    glossary = (ROOT / "docs" / "glossary.md").read_text("utf-8").lower()
    words = {key[5:]: text for key, text in english.items() if key.startswith("word.")}
    assert {f"is.{word}" for word in words} == {key for key in english if key.startswith("is.")}
    assert set(re.findall(r"\|(\w+)\]", "".join(english.values()))) <= set(words)
    assert [word for word in words if word not in glossary] == []
    heard = re.search(r"const NAMES = \[(.*?)\]", found["js/api.js"].text, re.DOTALL)
    assert heard
    assert tuple(re.findall(r"\w+", heard[1])) == NAMES
    spoken = {text for text in english.values() if re.search("[一-鿿]", text)}
    assert spoken == set()


def test_the_names_that_the_offline_model_gives_links_are_read_in_both_languages() -> None:
    found = all_files()
    english, chinese = (json.loads(found[f"{name}.json"].content) for name in ("en", "zh"))
    named = [(zh, en) for zh, en, _ in CUES]
    for zh, en in (*named, *((one["zh"], one["en"]) for one in (SHARED, OTHERWISE))):
        assert f'{zh}: "{en}"' in found["js/base.js"].text
        assert (english[f"relation.{en}"], chinese[f"relation.{en}"]) == (en, zh)


# who gets in


def test_a_session_ends_with_its_token_or_after_its_time(lived: Served) -> None:
    key = lived.token("rivera", rights="read", name="Ann")
    session = lived.tokens.signed_in(key)
    assert session is not None
    assert lived.tokens.principal(session) == lived.tokens.principal(key)
    assert lived.tokens.signed_in(session) is None  # no session of a session
    lived.tokens.revoke(key)
    assert lived.tokens.principal(session) is None
    once = lived.token("rivera", rights="read", use="once")
    assert lived.tokens.principal(once) is None  # it opens a session and nothing else
    session = lived.tokens.signed_in(once)
    assert session is not None
    assert lived.tokens.signed_in(once) is None
    before = lived.clock.now
    lived.clock.now += SESSION_SECONDS + 1
    assert lived.tokens.principal(session) is None
    lived.token("rivera")
    assert session.split("_")[1] not in {one.id for one in lived.tokens.list()}
    lived.clock.now = before


def test_the_cookie_counts_for_nothing_in_what_other_pages_ask_for(lived: Served) -> None:
    once = lived.token(rights="read,write", use="once")
    body = {"token": once}
    answer = lived.ask("POST", "/page/sign-in", body, token=None)
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict"} <= {part.strip() for part in cookie.split(";")}
    sent = {"Cookie": cookie.partition(";")[0]}
    assert lived.ask("GET", "/v1/me", token=None, headers=sent).json["rights"] == ["read", "write"]
    for site in ("same-site", "cross-site"):
        other = {**sent, "Sec-Fetch-Site": site}
        assert lived.ask("GET", "/v1/me", token=None, headers=other).status == 401
    elsewhere = {**sent, "Origin": "http://127.0.0.1:1"}
    path = "/v1/agents/rivera/flush"
    assert lived.ask("POST", path, {}, token=None, headers=elsewhere).status == 403
    assert lived.ask("POST", "/page/sign-in", body, token=None).status == 401
    assert lived.ask("GET", "/page/session", token=None).json == {"me": None}
    lived.ask("POST", "/page/sign-out", {}, token=None, headers=sent)
    assert lived.ask("GET", "/v1/me", token=None, headers=sent).status == 401


def test_files_are_served_with_the_policy_and_nothing_beside_them(lived: Served) -> None:
    page = lived.ask("GET", "/", token=None)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    script = lived.ask("GET", "/page/js/app.js", token=None)
    assert script.headers["content-type"].startswith("text/javascript")
    again = {"If-None-Match": script.headers["etag"]}
    assert lived.ask("GET", "/page/js/app.js", token=None, headers=again).status == 304
    for path in ("../files.py", "%2e%2e/files.py", "js", "", "js/none.js"):
        assert lived.ask("GET", f"/page/{path}", token=None).status == 404, path


def test_a_server_is_found_by_its_root_while_it_runs(tmp_path: Path) -> None:
    assert Whereabouts(tmp_path).url() is None
    with Whereabouts(tmp_path) as here:
        here.announce("http://127.0.0.1:9")
        assert Whereabouts(tmp_path).url() == "http://127.0.0.1:9"
        with Whereabouts(tmp_path) as second:  # the first is the one to be found
            second.announce("http://127.0.0.1:10")
            assert Whereabouts(tmp_path).url() == "http://127.0.0.1:9"
    assert Whereabouts(tmp_path).url() is None


# strangers' words

HOSTILE = [
    "<script>document.title='pwned'</script>",
    "<img src=x onerror=\"document.title='pwned'\">",
    "<svg onload=document.title='pwned'><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "javascript:document.title='pwned'",
    "</script></textarea></style><iframe srcdoc='<script>parent.pwned=1</script>'>",
    "\u202eright to left\u202c \u2066isolated of Mallory",
    "{{constructor.constructor('document.title=1')()}} ${document.title} <!-- -->",
    "mem_1 is no longer there' OR 1=1; -- \\u003cscript\\u003e",
    "W" * 100_000,
]
VIEWS = (
    "home", "search?q=Mallory", "search?q=script", "facts", "facts/reviews", "facts/episodes",
    "network", "time", "time/whatif", "forgetting", "forgetting/trash", "forgetting/merges",
    "journal", "notebook", "operations", "words",
)  # fmt: skip


@pytest.fixture(scope="module")
def evil(lived: Served) -> str:
    """An agent full of what strangers say."""
    agent = "evil"
    with lived.host.open(agent) as memory:
        for n, text in enumerate(HOSTILE):
            message = {"role": "user", "name": HOSTILE[1], "content": text, "id": f"<b>{n}</b>"}
            memory.remember(message, session=HOSTILE[0]).result(PATIENCE)
            memory.facts.add(text[:200], kind="core" if n % 2 else "fact")
        nodes = memory.nodes(limit=4)
        memory.forget(nodes[1].id)
        book = memory.notebook
        book.task.begin(HOSTILE[0], HOSTILE[:3], rules=[HOSTILE[1]])
        book.knowledge.write(f"{HOSTILE[1]}\n", reason=HOSTILE[0], author=HOSTILE[2][:40])
        book.knowledge.write(f"{HOSTILE[2]}\n", reason=HOSTILE[1])
        book.write_world("\n".join(HOSTILE[:6]))
        book.end_session(HOSTILE[0], HOSTILE[2])
        memory.flush(PATIENCE)
    return agent


def test_what_strangers_say_is_shown_as_text_everywhere(reader: Reader, evil: str) -> None:
    reader.enter(agent=evil)
    page = reader.page
    sizes: list[int] = []
    page.on("response", lambda r: sizes.append(int(r.headers.get("content-length") or 0)))
    ids = [node.id for node in reader.memory.nodes()][:12]
    gone = reader.memory.look.forgotten(1)[0].node.id
    shown = ""
    for view in (
        *VIEWS,
        *(f"memory/{one}" for one in (*ids[:4], ids[-1], gone)),
        f"network/{ids[0]}",
    ):
        reader.see(view)
        page.locator("main .card, main .sea, main .rows, main .quiet").first.wait_for()
        page.wait_for_timeout(60)
        shown += page.locator("main").inner_text()
    for text in HOSTILE[:4]:
        assert text in shown
    assert page.evaluate("document.querySelectorAll('script').length") == 4
    assert page.evaluate("document.querySelectorAll('img, iframe, object, embed').length") == 0
    assert page.evaluate("'pwned' in window") is False
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    assert max(sizes) < LARGEST
    assert "pwned'" not in page.title()


def test_the_file_of_the_network_is_whole_in_itself_and_holds_words_as_words(
    visitor: Any, lived: Served, evil: str, tmp_path: Path
) -> None:
    with lived.host.open(evil) as memory:
        network = memory.look.network(50)
    page_text = exported(network)
    assert page_text == exported(network)
    (tmp_path / "network.html").write_text(page_text, "utf-8")
    reader = visitor("zh")
    asked: list[str] = []
    reader.page.on("request", lambda request: asked.append(request.url))
    reader.page.goto(f"file://{quote(str(tmp_path / 'network.html'))}")
    reader.page.locator(".sea[data-ready=true]").wait_for()
    reader.press("network.list")
    reader.page.locator("tbody tr").first.wait_for()
    assert reader.page.locator("tbody tr").count() == len(network.dots)
    assert HOSTILE[0] in reader.page.locator("tbody").inner_text()
    assert len(asked) == 1
    assert reader.page.evaluate("'pwned' in window") is False


# for everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_view(visitor: Any, scheme: str) -> None:
    script = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    reader = visitor("en" if scheme == "light" else "zh", color_scheme=scheme)
    reader.page.goto(reader.served.url)
    reader.page.locator("form").wait_for()
    serious = axe(reader, script)
    reader.enter()
    memory = reader.memory
    fading, gone = memory.look.fading(1)[0].node.id, memory.look.forgotten(1)[0].node.id
    fact = memory.facts(kinds=["fact"])[0].id
    for view in (
        *VIEWS,
        f"memory/{fading}",
        f"memory/{gone}",
        f"memory/{fact}",
        f"network/{fading}",
    ):
        reader.see(view)
        reader.page.locator("main .card, main .sea, main .rows, main .quiet").first.wait_for()
        reader.page.wait_for_timeout(50)
        serious |= {f"{view}: {one}" for one in axe(reader, script)}
    reader.see(f"memory/{fading}")
    reader.press("erase")
    reader.page.locator("dialog .lines").first.wait_for()
    serious |= {f"erase: {one}" for one in axe(reader, script)}
    assert serious == set()


def axe(reader: Reader, script: str) -> set[str]:
    reader.page.evaluate(script)
    found = reader.page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return {
        f"{one['id']} {one['nodes'][0]['html'][:120]} {one['nodes'][0].get('failureSummary', '')}"
        for one in found
        if one["impact"] in ("serious", "critical")
    }


def test_narrow_screens_have_all_of_it_within_their_width(visitor: Any) -> None:
    for language in ("en", "zh"):
        reader = visitor(language, viewport={"width": 360, "height": 720}).enter()
        for view in VIEWS:
            reader.see(view)
            reader.page.locator("main .card, main .sea, main .rows, main .quiet").first.wait_for()
            wide = reader.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, view
