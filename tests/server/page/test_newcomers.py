"""Where people who had not seen the page before stumbled, and no longer do."""

from __future__ import annotations

import re
from typing import Any

import pytest
from server.page.conftest import Reader
from server.page.test_journeys import section, slide, until
from stage import PATIENCE

SAID = {
    "en": "Ottoline repairs clocks in a shed by the weir.",
    "zh": "司徒师傅在堤坝边的棚子里修钟。",
}
NAME = {"en": "Ottoline", "zh": "司徒师傅"}
NAMED = {"en": "kestrel", "zh": "红隼"}
LONG = {
    "en": "The ferry to the island goes at seven, at nine and at noon; who misses it waits.",
    "zh": "去岛上的渡轮七点、九点和正午各有一班，错过的人就得等着。",
}


def gone_from(reader: Reader, node: str) -> bool:
    return reader.memory.look.node(node) is None


def middle_of(spot: Any) -> tuple[float, float]:
    box = spot.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_person_without_facts_is_answered_by_what_was_said(reader: Reader) -> None:
    name, said = NAME[reader.language], SAID[reader.language]
    reader.memory.remember(said).result(PATIENCE)
    reader.memory.flush(PATIENCE)
    for fact in reader.memory.facts(name):
        reader.memory.forget(fact.id)
    reader.enter()
    screens = {"home": reader.agent, "facts": reader.t("menu.facts")}
    for view, title in screens.items():  # from either, one step
        reader.see(view)
        reader.page.locator("main h1", has_text=title).wait_for()
        box = reader.page.get_by_role("searchbox")
        box.fill(name)
        box.press("Enter")
        reader.text(reader.t("search.said"))
        assert said in reader.page.locator(".hit").first.inner_text()
    reader.text(reader.t("facts.none"))
    reader.see("facts")  # and back, where nothing is asked
    reader.page.locator(".fact").first.wait_for()
    assert reader.page.get_by_role("searchbox").input_value() == ""


def test_a_date_that_is_asked_for_is_told_apart_from_the_entry_before_it(reader: Reader) -> None:
    memory = reader.memory
    week = reader.served.clock.now - 7 * 86_400
    node = min(memory.nodes(), key=lambda one: one.created_at).id
    reader.enter()
    reader.see(f"memory/{node}")
    then = section(reader, "then")
    told, stood = then.locator(".scrubber b"), then.locator(".scrubber p .meta")
    entries = memory.history(node)
    first = [one for one in entries if one.at == entries[0].at][-1]  # of one time, the last is told
    reader.settle()
    slide(then.get_by_role("slider"), 0)
    until(lambda: reader.t("pass", n=first.passes) in told.inner_text())
    assert stood.inner_text() == ""
    reader.press("time.now", within=then)
    reader.press("time.week", within=then)
    until(lambda: stood.inner_text())
    assert reader.t("pass", n="") not in told.inner_text()  # a date, and nothing of another time
    date = told.inner_text()
    entry = [one for one in memory.history(node) if one.at <= week][-1]
    assert reader.t("pass", n=entry.passes) in stood.inner_text()
    assert date not in stood.inner_text()


def test_a_double_click_does_not_undo_itself_nor_reach_the_next_row(reader: Reader) -> None:
    memory, mouse = reader.memory, reader.page.mouse
    node = memory.look.nodes(limit=1, offset=20)[0].id
    reader.enter()
    reader.see(f"memory/{node}")
    forget = reader.page.get_by_role("button", name=reader.t("forget"), exact=True)
    forget.wait_for()
    reader.settle()
    place = middle_of(forget)
    mouse.click(*place)
    reader.text(reader.t("memory.gone"))
    restore = reader.page.get_by_role("button", name=f"{reader.t('restore')}: {node}")
    assert abs(middle_of(restore)[0] - place[0]) > 100  # not where the other one was
    reader.see("forgetting/trash")
    reader.page.locator("main h1", has_text=reader.t("menu.forgetting")).wait_for()
    first, second = (one.node.id for one in memory.look.forgotten(2))
    row = reader.page.get_by_role("button", name=f"{reader.t('restore')}: {first}", exact=True)
    row.wait_for()
    reader.settle()
    mouse.click(*middle_of(row))
    row.wait_for(state="detached")
    mouse.down(click_count=2)  # the second half of a double click meets the row below
    mouse.up(click_count=2)
    reader.page.wait_for_timeout(300)
    assert (gone_from(reader, first), gone_from(reader, second)) == (False, True)


def test_a_whole_memory_is_named_by_all_its_words(reader: Reader) -> None:
    memory, line = reader.memory, LONG[reader.language]
    some, many = line * (100 // len(line)), (line + " ") * (900 // len(line))
    short, *_ = memory.remember(some).result(PATIENCE)
    memory.flush(PATIENCE)
    node = memory.look.node(short)
    assert node is not None
    assert node.phrase != node.content  # there is a name that leaves words out
    reader.enter()
    reader.text(node.content, section(reader, "attended"))
    reader.see(f"memory/{short}")
    until(lambda: reader.page.locator("h1").inner_text() == node.content)
    fact = memory.facts.add(many.strip(), kind="core")
    reader.see("facts")
    link = reader.page.locator(f"a.memory[href$='/{fact.id}']")
    seen = link.bounding_box()
    assert link.text_content() == link.get_attribute("title") == fact.text
    assert seen is not None
    reader.page.keyboard.press("Tab")
    link.focus()
    whole = link.bounding_box()
    assert whole is not None
    assert whole["height"] > seen["height"]


def test_what_is_told_covers_no_button_of_the_view(reader: Reader) -> None:
    memory = reader.memory
    for node in memory.look.nodes(limit=3, offset=32):
        memory.forget(node.id)
    reader.enter()
    reader.see("journal")
    undo = reader.page.locator(".rows button")
    undo.first.click()
    reader.press("undo.do", within=reader.page.locator("dialog"))
    reader.told("undo.done")
    message = reader.page.locator(".told p").bounding_box()
    view = reader.page.locator("main").bounding_box()
    assert message["x"] + message["width"] <= view["x"]


@pytest.mark.parametrize("size", [(1280, 860), (1000, 560), (360, 720)])
def test_the_chosen_memory_covers_none_of_the_networks_buttons(
    visitor: Any, size: tuple[int, int]
) -> None:
    reader: Reader = visitor("en", viewport={"width": size[0], "height": size[1]})
    reader.enter()
    node = max(reader.memory.look.network(40).dots, key=lambda dot: dot.importance).id
    reader.see(f"network/{node}")
    reader.page.locator(".sea[data-ready=true]").wait_for()
    reader.page.locator("aside.chosen li").first.wait_for()
    buttons = reader.page.locator(".zoom button").all()
    assert len(buttons) == 3
    for button in buttons:
        button.click()  # what covers it would take the click


def test_there_is_more_than_the_first_twenty_hits(reader: Reader) -> None:
    reader.agent = f"many-{reader.language}"
    memory = reader.memory
    said = {"en": "A kestrel over field {}.", "zh": "红隼飞过第{}块田。"}[reader.language]
    memory.remember([said.format(n) for n in range(45)]).result(PATIENCE)
    reader.enter()
    reader.see(f"search?q={NAMED[reader.language]}")
    for shown in (20, 40):
        until(lambda shown=shown: reader.page.locator(".hit").count() >= shown)
        assert reader.page.locator(".hit").count() < shown + 20
        reader.press("more")
    until(lambda: reader.page.locator(".hit").count() >= 45)


def test_all_agents_of_a_large_host_are_there(visitor: Any) -> None:
    reader: Reader = visitor("en")
    asked: list[str] = []

    def many(route: Any) -> None:  # as the server answers, two pages of it
        asked.append(route.request.url)
        first = "cursor" not in route.request.url
        named = ["a-1", "a-2"] if first else ["rivera"]
        route.fulfill(json={"items": named, "next": "2" if first else None})

    reader.page.route("**/v1/agents?*", many)
    reader.enter()
    assert len(asked) == 2
    assert reader.page.locator(".agent select").input_value() == "rivera"
    assert reader.page.locator("h1").inner_text() == "rivera"


def test_the_network_of_what_is_forgotten_leads_to_what_became_of_it(reader: Reader) -> None:
    gone = next(one.node.id for one in reader.memory.look.forgotten())
    reader.enter()
    reader.see(f"network/{gone}")
    reader.text(reader.t("network.gone"))
    reader.page.get_by_role("link", name=reader.t("network.what")).click()
    reader.text(reader.t("memory.gone"))


def test_an_agent_that_is_empty_or_gone_says_so_and_leads_on(visitor: Any) -> None:
    for language in ("en", "zh"):
        reader: Reader = visitor(language)
        agent = f"new-{language}"
        reader.served.host.open(agent).close()
        reader.enter(agent=agent)
        reader.text(reader.t("home.empty"))
        reader.served.host.erase(agent)
        reader.see("journal")
        reader.text(reader.t("agent.none"))
        assert agent not in reader.page.locator(".agent option").all_inner_texts()
        assert reader.troubles  # the browser's own note of the answer that it is gone
        reader.troubles.clear()
        reader.page.locator("main a.button").click()
        reader.text(reader.t("home.known"))


# What a third newcomer hesitated at.

PERSON = {"en": "Dana", "zh": "林悦"}
KNOWN_OF = {"en": "Ottoline's shed has a tin roof", "zh": "司徒师傅的棚子是铁皮顶"}
OFTEN = {"en": "Ottoline mended clock number {}.", "zh": "司徒师傅修好了第{}座钟。"}
# What stands on the page, but for ids that only accompany a text.
SHOWN = """() => { const copy = document.querySelector("main").cloneNode(true);
  copy.querySelectorAll("code").forEach((one) => one.remove()); return copy.textContent }"""
# Notes what a canvas draws: dots (their rims are drawn; those of 3 end a broken link) and texts.
DRAWN = """(() => {
  const drawn = (self.drawn = { dots: [], texts: [] });
  const of = CanvasRenderingContext2D.prototype;
  const before = (name, act) => {
    const own = of[name];
    of[name] = function (...given) { act(this, given); return own.apply(this, given); };
  };
  let last = null;
  before("clearRect", () => { drawn.dots = []; drawn.texts = []; });
  before("beginPath", () => { last = null; });
  before("arc", (_, [x, y, size]) => { last = [x, y, size]; });
  before("stroke", () => { if (last && last[2] !== 3) drawn.dots.push(last); });
  const wide = (on, text) => on.measureText(text).width;
  before("fillText", (on, [text, x, y]) => drawn.texts.push([text, x, y, wide(on, text)]));
})()"""


# The texts of a curve that go beyond its edges.
OUTSIDE = """(curve) => { const of = (one) => one.getBoundingClientRect();
  const all = of(curve.querySelector("svg")), texts = [...curve.querySelectorAll("text")];
  return texts.filter((one) => of(one).left < all.left || of(one).right > all.right)
    .map((one) => one.textContent) }"""


def covered(drawn: dict[str, list[Any]]) -> list[str]:
    """Return the texts that lie over a dot; of their height, what small letters take."""
    found = []
    for text, x, y, width in drawn["texts"]:
        for dx, dy, size in drawn["dots"]:
            near = min(max(dx, x - width / 2), x + width / 2), min(max(dy, y - 3), y + 3)
            if (near[0] - dx) ** 2 + (near[1] - dy) ** 2 < (size - 1) ** 2:
                found.append(text)
    return found


def test_keeping_it_whole_is_explained_where_it_is_offered(reader: Reader) -> None:
    fading = reader.memory.look.fading(1)[0].node.id
    reader.enter()
    for view in (f"memory/{fading}", "forgetting"):
        reader.see(view)
        offered = reader.page.get_by_role("button", name=reader.t("keep"))
        offered.first.wait_for()
        assert reader.t("keep.is") in reader.page.locator("main").inner_text()
    reader.enter("read", agents=(reader.agent,))  # who may not do it is told nothing of it
    reader.see(f"memory/{fading}")
    reader.text(reader.t("memory.why.fading"))
    assert reader.t("keep.is") not in reader.page.locator("main").inner_text()


def test_memories_are_named_by_their_words_wherever_they_are_told_of(reader: Reader) -> None:
    memory, said = reader.memory, SAID[reader.language]
    held = memory.restore(memory.look.fading(1)[0].node.id)
    old = memory.facts.add(f"{said} (1)")
    new = memory.facts.correct(old.id, f"{said} (2)")
    attended = memory.look.focus()[0]
    assert any(link.source == attended.id for link in memory.explain(held.id).support)
    reader.enter()
    for view, words in {
        f"memory/{held.id}": attended.content,
        f"memory/{old.id}": new.text,
        "forgetting/trash": new.text,
        "journal": said,
    }.items():
        reader.see(view)
        begins = words[:15]  # of a long one, only the beginning
        reader.page.locator("main q a, main a.memory", has_text=begins).first.wait_for()
        reader.settle()
        until(lambda: not re.findall(r"mem_\d+", reader.page.evaluate(SHOWN)))
    reader.see(f"memory/{held.id}")
    link = section(reader, "why").locator("li a", has_text=attended.content[:15])
    link.first.click()
    reader.text(attended.content, reader.page.locator("h1"))


def test_what_is_once_known_is_named_by_what_it_said(reader: Reader) -> None:
    reader.agent = f"once-{reader.language}"
    memory, said = reader.memory, SAID[reader.language]
    gone, *_ = memory.remember(said).result(PATIENCE)
    stays, *_ = memory.remember(LONG[reader.language]).result(PATIENCE)
    memory.forget(gone)
    reader.enter()
    reader.see(f"memory/{stays}")
    leads = section(reader, "leads")
    reader.text(said[:30], leads.locator(".lost"))
    assert gone not in leads.inner_text()
    reader.see(f"network/{stays}")
    reader.text(said[:30], reader.page.locator("aside.chosen .lost"))


def test_the_curve_shows_the_whole_of_an_importance(reader: Reader) -> None:
    memory = reader.memory
    node = memory.restore(memory.look.fading(1)[0].node.id).id
    stands = memory.look.course(node).stands
    most = max(one.importance for one in stands if one.importance is not None)
    assert most > 2
    reader.enter()
    reader.see(f"memory/{node}")
    curve = reader.page.locator(".curve")
    curve.locator("path.two").wait_for(state="attached")  # a level line has no height
    assert f"{most:.2f}".rstrip("0").rstrip(".") in curve.locator(".other").all_text_contents()
    drawn = curve.locator("path.two").get_attribute("d") or ""
    heights = {float(y) for _, y in re.findall(r"([\d.]+) ([\d.]+)", drawn)}
    top = min(
        float(y)
        for y in curve.locator(".grid line").evaluate_all(
            "all => all.map((one) => one.getAttribute('y1'))"
        )
    )
    assert min(heights) == pytest.approx(top, abs=0.1)
    for width in (1280, 390, 360):  # no figure beside the lines is cut
        reader.page.set_viewport_size({"width": width, "height": 844})
        assert curve.evaluate(OUTSIDE) == []


def test_a_bar_is_as_long_as_the_figure_beside_it(reader: Reader) -> None:
    reader.enter()
    reader.see(f"search?q={PERSON[reader.language]}")
    reader.page.locator(".hit").first.wait_for()
    figures = reader.page.locator(".hit .terms dd").evaluate_all(
        "all => all.map((one) => { const bar = one.querySelector('.bar');"
        " return [bar.firstElementChild.offsetWidth / bar.offsetWidth, Number(one.innerText)] })"
    )
    assert min(figure for _, figure in figures) < 0.3
    assert all(length == pytest.approx(figure, abs=0.02) for length, figure in figures)
    reader.page.get_by_text(reader.t("search.meanings")).click()
    assert reader.page.get_by_text(reader.t("is.score")).is_visible()
    assert reader.page.get_by_text(reader.t("term.step.is")).is_visible()


TORN = {"en": ("Say: ", "weathervane "), "zh": ("看：", "花生、")}


def test_texts_end_with_whole_words(reader: Reader) -> None:
    begin, word = TORN[reader.language]
    reader.agent = f"torn-{reader.language}"
    memory = reader.memory
    fact = memory.facts.add((begin + 150 * word).strip())
    memory.forget(fact.id)
    reader.enter()
    whole = re.compile(rf"{begin}({re.escape(word)})*{re.escape(word.rstrip(' 、'))}、?…")
    reader.see(f"memory/{fact.id}")
    assert whole.fullmatch(reader.page.locator("h1").inner_text())
    reader.see("journal")
    reader.page.locator(".rows .memory").first.wait_for()
    shown = reader.page.locator(".rows .memory").first.inner_text()
    assert whole.fullmatch(shown), shown


@pytest.mark.parametrize("width", [1280, 700])
def test_no_label_of_the_network_covers_a_dot(visitor: Any, width: int) -> None:
    for language in ("en", "zh"):
        reader: Reader = visitor(language, viewport={"width": width, "height": 860})
        reader.page.add_init_script(DRAWN)
        reader.enter()
        reader.see("network")
        reader.page.locator(".sea[data-ready=true]").wait_for()
        drawn = reader.page.evaluate("self.drawn")
        assert len(drawn["dots"]) == len(reader.memory.look.network(80).dots)
        assert len(drawn["texts"]) > 10
        assert covered(drawn) == []


@pytest.mark.parametrize("width", [390, 360])
def test_all_of_the_menu_is_seen_on_a_narrow_screen(visitor: Any, width: int) -> None:
    for language in ("en", "zh"):
        reader: Reader = visitor(language, viewport={"width": width, "height": 844})
        reader.enter()
        links = reader.page.locator("nav.menu li a")
        assert links.count() == 9
        for link in links.all():
            box = link.bounding_box()
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width
        assert reader.page.locator("nav.menu").bounding_box()["height"] < 200


def test_a_search_for_a_person_begins_with_what_is_known_of_them(reader: Reader) -> None:
    name = NAME[reader.language]
    reader.agent = f"person-{reader.language}"
    memory = reader.memory
    memory.remember([OFTEN[reader.language].format(n) for n in range(25)]).result(PATIENCE)
    memory.flush(PATIENCE)
    fact = memory.facts.add(KNOWN_OF[reader.language])
    for other in memory.facts(name):
        if other.id != fact.id:
            memory.forget(other.id)
    reader.enter()
    reader.see(f"search?q={name}")
    reader.page.locator(".hit").first.wait_for()
    reader.text(fact.text)
    card, words = (
        reader.page.locator(f"main .lines{one}").first.bounding_box() for one in ("", " a")
    )
    assert words["x"] > card["x"] + 8  # words do not lie on the edge of their card
    main = reader.page.locator("main").inner_text()
    known, said = (main.index(reader.t(f"search.{one}")) for one in ("known", "said"))
    assert known < main.index(fact.text) < said
    memory.forget(fact.id)
    reader.see(f"search?q={name}&again")  # nothing is known: that is said, and where all of it is
    reader.text(reader.t("search.known.none"))
    reader.page.get_by_role("link", name=reader.t("search.all")).click()
    reader.page.locator("main h1", has_text=reader.t("menu.facts")).wait_for()


def test_looking_is_no_use(reader: Reader) -> None:
    reader.agent = f"looked-{reader.language}"
    memory = reader.memory
    node, *_ = memory.remember(SAID[reader.language]).result(PATIENCE)
    reader.enter()
    for view in ("search", "facts"):
        reader.see(f"{view}?q={NAME[reader.language]}")
        reader.page.locator(".hit").first.wait_for()
        reader.settle()
    memory.search(NAME[reader.language]).result(PATIENCE)  # that is one
    until(lambda: memory.explain(node).signals["access_count"])
    assert memory.explain(node).signals["access_count"] == 1
