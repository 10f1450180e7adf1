"""Where people who had not seen the page before stumbled, and no longer do."""

from __future__ import annotations

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
