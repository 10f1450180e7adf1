"""What people do on the page, in both languages and a real browser; the store says it is so."""

from __future__ import annotations

import time
from typing import Any

import pytest
from server.page.conftest import Reader
from stage import PATIENCE

from wangchuan.errors import NotFound

SISTER = {"en": ("sister Mara peanuts", "Mara"), "zh": ("妹妹 花生", "花生")}


def until(holds: Any) -> None:
    """Wait for the store, which may be a moment behind the page."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def section(reader: Reader, name: str) -> Any:
    """Return the card with a title of this id."""
    return reader.page.locator("section", has=reader.page.locator(f"#{name}"))


def slide(slider: Any, to: float | str) -> None:
    """Move a slider as a hand does."""
    moved = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})) }"
    slider.evaluate(moved, str(to))


def told_of(reader: Reader, sentence: str, *words: str) -> str:
    """Return one of the library's sentences as the page has it, where it is told of `it`."""
    filled = {"1": reader.t("it"), **dict(zip(("change2", "3"), words, strict=False))}
    return reader.t(f"said.{sentence}", **filled)


# signing in


def test_a_link_signs_in_once_and_the_token_is_out_of_the_address(reader: Reader) -> None:
    token = reader.link()
    reader.page.goto(f"{reader.served.url}/#token={token}&to={reader.agent}")
    reader.text(reader.t("home.known"))
    assert "token" not in reader.page.url
    (cookie,) = reader.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert reader.served.tokens.signed_in(token) is None
    uses = {one.use for one in reader.served.tokens.list()}
    assert "session" in uses
    for fact in reader.memory.facts()[:3]:
        reader.text(fact.text)


def test_a_token_that_is_typed_signs_in_and_signing_out_ends_the_session(visitor: Any) -> None:
    for language in ("en", "zh"):
        reader = visitor(language)
        reader.page.goto(reader.served.url)
        reader.page.get_by_label(reader.t("door.token")).fill("wc_000000000000_no")
        reader.press("door.enter")
        reader.text(reader.t("door.refused"))
        assert len(reader.troubles) == 1  # the 401 that was wanted
        reader.troubles.clear()
        key = reader.served.token("*", rights="read", name=language)
        reader.page.get_by_label(reader.t("door.token")).fill(key)
        reader.press("door.enter")
        reader.text(reader.t("home.known"))
        sessions = [
            one for one in reader.served.tokens.list() if one.parent and one.name == language
        ]
        assert len(sessions) == 1
        reader.press("leave")
        reader.text(reader.t("door.what"))
        assert sessions[0].id not in {one.id for one in reader.served.tokens.list()}


def test_what_one_may_not_do_is_not_offered(reader: Reader) -> None:
    reader.enter("read", agents=(reader.agent,))
    options = reader.page.locator(".agent option").all_inner_texts()
    assert options == [reader.agent]
    memory = reader.memory
    fading, fact = memory.look.fading(1)[0].node.id, memory.facts()[0].id
    for view in ("facts", "facts/reviews", "forgetting", "journal", "time"):
        reader.see(view)
    for key in (f"memory/{fading}", f"memory/{fact}", "journal", "forgetting", "facts"):
        reader.see(key)
        reader.page.locator(".rows li, .card").first.wait_for()
        names = set(reader.page.locator("main button").all_inner_texts())
        offered = {reader.t(k) for k in ("keep", "restore", "forget", "erase", "undo", "facts.add")}
        assert not names & (offered | {reader.t("fact.correct"), reader.t("fact.promote")})
    reader.see("time")
    assert reader.page.get_by_text(reader.t("time.tab.whatif")).count() == 0


# finding


def test_a_search_shows_the_terms_of_each_score_and_the_words_as_they_were_said(
    reader: Reader,
) -> None:
    query, word = SISTER[reader.language]
    reader.enter()
    reader.page.get_by_role("searchbox").fill(query)
    reader.press("search.do")
    reader.text(reader.t("search.known"))
    found = reader.memory.search(query, limit=20).result(PATIENCE)
    learned = [hit for hit in found if hit.node and hit.node.kind in ("fact", "core", "system")]
    assert reader.page.locator(".hit").count() == len(found)
    assert word in reader.page.locator(".hit").first.inner_text()  # what is known comes first
    first = reader.page.locator(".hit").nth(len(learned))
    assert word in first.inner_text()
    assert reader.t("term.text") in first.inner_text()
    assert reader.t("search.score", n=f"{found[0].score:.2f}") in first.inner_text()
    assert first.locator("time").count() == 1  # when it was said
    reader.page.get_by_text(reader.t("search.meanings")).click()
    assert reader.page.get_by_text(reader.t("term.text.is")).is_visible()
    first.get_by_text(reader.t("search.source")).click()
    source = reader.memory.look.messages(found[0].node.id)[0].content  # type: ignore[union-attr]
    reader.text(source, first.locator(".talk .own"))


def test_nothing_is_an_answer_and_known_once_is_one_from_which_it_comes_back(
    reader: Reader,
) -> None:
    reader.enter()
    reader.see("search?q=zyxwvut")
    reader.text(reader.t("search.never"))
    memory = reader.memory
    odd = {"en": "The quokka sleeps in Perth.", "zh": "短尾矮袋鼠在珀斯睡觉。"}[reader.language]
    word = {"en": "quokka", "zh": "短尾矮袋鼠"}[reader.language]
    (node,) = memory.remember(odd).result(PATIENCE)
    memory.flush(PATIENCE)
    for hit in memory.search(word).result(PATIENCE):
        memory.forget(hit.node.id)  # type: ignore[union-attr]
    reader.see(f"search?q={word}")
    reader.text(reader.t("search.once"))
    reader.press("search.once.show")
    reader.page.locator(".hit").get_by_text(reader.t("lost.forgotten")).first.wait_for()
    reader.page.locator(f".hit a[href$='/{node}']").first.click()
    reader.press("restore", f"{reader.t('restore')}: {node}")
    reader.told("restored", text=odd)
    assert memory.look.node(node).content == odd  # type: ignore[union-attr]


# fading and forgetting


def test_why_it_fades_is_said_and_keeping_it_brings_the_whole_text_back(reader: Reader) -> None:
    reader.enter()
    explained = reader.memory.look.fading(1)[0]
    node = explained.node
    reader.page.locator("section", has=reader.page.locator("#fading")).locator(
        "a.memory"
    ).first.click()
    reader.text(reader.t("memory.why.fading"))
    why = section(reader, "why")
    assert reader.t("why.end.more", n=explained.passes_left) in why.inner_text()
    word, meaning = why.locator(".term button").first, why.get_by_text(reader.t("is.importance"))
    assert not meaning.is_visible()
    word.focus()
    assert meaning.is_visible()
    reader.page.keyboard.press("Escape")
    assert not meaning.is_visible()
    word.hover()
    assert meaning.is_visible()
    reader.page.locator(".curve path.line").first.wait_for()
    reader.served.clock.now += 120  # later than the page was opened
    reader.press("keep", f"{reader.t('keep')}: {node.id}")
    reader.told("restored", text=explained.original)
    whole = reader.memory.look.node(node.id)
    assert whole is not None
    assert len(whole.content) == node.original_length > len(node.content)
    reader.text(whole.content, section(reader, "left").locator(".words"))
    reader.text(whole.content, section(reader, "then").locator(".words"))


def test_the_trash_gives_back_what_was_forgotten(reader: Reader) -> None:
    one = next(one for one in reader.memory.look.forgotten() if one.node.content != one.original)
    gone = one.node
    reader.enter()
    reader.see("forgetting/trash")
    row = reader.page.locator(".rows > li", has=reader.page.locator(f"a[href$='/{gone.id}']"))
    assert one.original[:40] in row.inner_text()
    reader.text(gone.content, row.locator("q"))
    reader.press("restore", f"{reader.t('restore')}: {gone.id}")
    reader.told("restored", text=one.original)
    assert reader.memory.look.node(gone.id) is not None
    reader.see("forgetting")
    message = reader.page.locator(".told p")
    message.wait_for(state="detached", timeout=4000)  # with its view, before its time is over


def test_forgetting_offers_the_way_back_at_once(reader: Reader) -> None:
    node = reader.memory.look.nodes(limit=1, offset=25)[0]
    reader.enter()
    reader.see(f"memory/{node.id}")
    reader.settle()
    reader.press("forget")
    reader.told("forgot", text=node.content)
    until(lambda: reader.memory.look.node(node.id) is None)
    reader.text(reader.t("memory.gone"))
    reader.press("restore", within=reader.page.locator(".told"))
    reader.text(reader.t("memory.why"))
    assert reader.memory.look.node(node.id).content == node.content  # type: ignore[union-attr]


def test_a_change_is_undone_after_a_look_and_that_can_be_taken_back(reader: Reader) -> None:
    memory = reader.memory
    node = memory.look.nodes(limit=1, offset=30)[0]
    memory.forget(node.id)
    entry = next(one for one in memory.history(node.id) if one.kind == "forgotten")
    reader.enter()
    reader.see("journal")
    row = reader.page.locator(".rows > li", has_text=reader.t("entry", n=entry.seq))
    row.locator("button").first.click()
    dialog = reader.page.locator("dialog")
    reader.text(told_of(reader, "# comes back"), dialog)
    assert memory.look.node(node.id) is None  # a dry run
    reader.press("undo.do", within=dialog)
    reader.told("undo.done")
    assert memory.look.node(node.id) == node
    reader.press("undo.back", within=reader.page.locator(".told"))
    until(lambda: memory.look.node(node.id) is None)


def test_a_change_that_cannot_be_undone_says_why_and_offers_nothing(reader: Reader) -> None:
    agent = f"back-{reader.language}"  # nobody else changes anything here
    memory = reader.served.host.open(agent)
    (node,) = memory.remember("The lamp is green.").result(PATIENCE)
    for n in range(3):
        memory.remember(f"Remark {n} of the weather.").result(PATIENCE)
    memory.forget(node)
    memory.restore(node)
    kinds = {one.kind: one for one in memory.history(node)}
    forgotten, restored = kinds["forgotten"], kinds["restored"]
    reader.enter(agent=agent)
    reader.see("journal")
    row = reader.page.locator(".rows > li", has_text=reader.t("entry", n=forgotten.seq)).filter(
        has_text=reader.t("change.forgotten")
    )
    words = (reader.t("change.restored"), str(restored.seq))
    reader.text(told_of(reader, "# was * later, by entry @", *words), row)
    would = reader.t("journal.would")
    assert row.get_by_role("button").count() == 0
    assert would not in row.inner_text()
    trash = told_of(reader, "# goes back to the trash")
    reader.text(f"{would} {trash}", reader.page.locator(".rows"))


def test_merging_makes_one_of_two_that_say_the_same(reader: Reader) -> None:
    reader.enter(agent=f"twice-{reader.language}")
    memory = reader.memory
    (suggested,) = memory.merges()
    ids = [node.id for node in suggested.nodes]
    reader.see("forgetting/merges")
    reader.press("merge", f"{reader.t('merge')}: {', '.join(ids)}")
    reader.text(reader.t("merges.none"))
    assert [memory.look.node(one) for one in ids] == [None, None]
    (made,) = (node for node in memory.nodes() if node.content == suggested.nodes[0].content)
    reader.see(f"memory/{ids[0]}")
    reader.text(reader.t("said.merged into #", **{"1": made.content}))


def test_erasing_shows_what_goes_and_leaves_nothing(reader: Reader) -> None:
    memory = reader.memory
    secret = {"en": "The safe code is quince 9917.", "zh": "保险箱密码是木瓜九九一七。"}[
        reader.language
    ]
    (node, *_) = memory.remember(secret).result(PATIENCE)
    reader.enter()
    reader.see(f"memory/{node}")
    reader.settle()
    reader.press("erase")
    dialog = reader.page.locator("dialog")
    reader.text(secret, dialog)
    assert memory.look.node(node) is not None  # a preview
    reader.press("erase.do", within=dialog)
    reader.text(reader.t("erase.done"), dialog)
    assert memory.look.node(node) is None
    memory.remember("15:00").result(PATIENCE)  # the page hears of it, and the receipt stays
    reader.text("15:00", section(reader, "attended"))
    assert dialog.get_by_text(reader.t("erase.done")).is_visible()
    reader.see(f"memory/{node}")
    reader.text(reader.t("memory.none"))
    with pytest.raises(NotFound):
        memory.look.in_trash(node)
    assert not [m for m in memory.look.messages(limit=1000) if secret in m.content]
    assert not [
        h for h in memory.search(secret, forgotten=True).result(PATIENCE) if h.text == secret
    ]


# facts


def test_a_fact_is_added_corrected_and_remembers_what_it_was(reader: Reader) -> None:
    first, second = {
        "en": ("The user plays the oboe", "The user plays the bassoon"),
        "zh": ("主人吹双簧管", "主人吹大管"),
    }[reader.language]
    reader.enter()
    reader.see("facts")
    reader.press("facts.add")
    dialog = reader.page.locator("dialog")
    dialog.get_by_role("textbox").fill(first)
    dialog.get_by_role("checkbox").check()
    reader.press("save", within=dialog)
    reader.told("facts.added")
    fact = reader.memory.facts.saying(first)
    assert fact is not None
    assert (fact.kind, fact.verified, fact.source) == ("core", True, "user")
    row = reader.page.locator(".fact", has_text=first)
    reader.press("fact.correct", within=row)
    dialog.get_by_role("textbox").fill(second)
    reader.press("save", within=dialog)
    reader.told("fact.correct.done")
    reader.text(first, section(reader, "was"))  # the page of the new one
    made = reader.memory.facts.saying(second)
    assert made is not None
    assert [one.text for one in reader.memory.facts.history(made.id)] == [second, first]
    reader.see("facts")
    row = reader.page.locator(".fact", has_text=second)
    reader.press("fact.history", within=row)
    reader.text(first, row.locator(".lost"))


def test_a_fact_is_confirmed_and_made_core(reader: Reader) -> None:
    facts = [f for f in reader.memory.facts(kinds=["fact"]) if not f.verified and not f.review]
    fact = facts[0]
    reader.enter()
    reader.see(f"memory/{fact.id}")
    reader.press("fact.verify")
    reader.told("fact.verify.done")
    until(lambda: next(f for f in reader.memory.facts() if f.id == fact.id).verified)
    reader.press("fact.promote")
    reader.told("fact.promote.done")
    assert next(f for f in reader.memory.facts() if f.id == fact.id).kind == "core"


def test_reviews_are_decided_with_the_evidence_at_hand(reader: Reader) -> None:
    reader.enter()
    reader.text(reader.t("reviews.waiting")).click()
    kept, dropped = reader.memory.facts.pending()[:2]
    for fact, decision in ((kept, "keep"), (dropped, "delete")):
        row = reader.page.locator(".rows > li", has_text=fact.text).first
        row.locator(".talk .own").first.wait_for()
        reader.press(f"decide.{decision}", within=row)
        reader.told(f"decided.{decision}")
    waiting = {fact.id for fact in reader.memory.facts.pending()}
    assert not waiting & {kept.id, dropped.id}
    known = {fact.id for fact in reader.memory.facts()}
    assert kept.id in known
    assert dropped.id not in known


# the network, time, the rest


def test_the_network_is_drawn_listed_and_followed(reader: Reader) -> None:
    reader.enter()
    reader.see("network")
    reader.page.locator(".sea[data-ready=true]").wait_for()
    canvas = reader.page.locator("canvas")
    shades = canvas.evaluate(
        "c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size"
    )
    assert shades > 50
    pressed = reader.page.locator(".tabs [aria-pressed=true]")
    pressed.hover()
    colours = "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
    assert len(set(pressed.evaluate(colours))) == 2
    reader.press("network.list")
    network = reader.memory.look.network(80)
    rows = reader.page.locator("tbody tr")
    rows.first.wait_for()
    assert rows.count() == len(network.dots) == 80
    reader.press("more")
    reader.page.locator(f"tbody tr:nth-child({min(160, network.memories)})").wait_for()
    rows.first.locator("a").click()
    reader.page.get_by_role("link", name=reader.t("memory.network")).click()
    aside = reader.page.locator("aside.chosen")
    reader.text(network.dots[0].id, aside)
    assert aside.locator("li").count() > 0


def test_the_slider_shows_the_memory_as_it_was(reader: Reader) -> None:
    memory = reader.memory
    node = next(one.node for one in memory.look.fading(20) if len(memory.history(one.node.id)) > 2)
    reader.enter()
    reader.see("time")
    passes = memory.history.passes()
    place = next(n for n, one in enumerate(passes) if one.at > node.created_at + 3 * 86400)
    slide(reader.page.get_by_role("slider"), place)
    reader.text(reader.t("pass", n=passes[place].number))
    was = {one.id: one.content for one in memory.nodes(passes[place].at)}
    assert was[node.id] != node.content
    reader.text(was[node.id], reader.page.locator(".rows"))
    month = reader.page.get_by_role("button", name=reader.t("time.month"))
    assert month.get_attribute("title") == reader.t("time.none")
    reader.page.locator(f".rows a.memory[href*='/{node.id}?at=']").click()
    reader.text(was[node.id], section(reader, "then"))


def test_what_is_forgotten_said_its_text_when_it_was_made(reader: Reader) -> None:
    memory = reader.memory
    said = {"en": "The ferry leaves from pier nine.", "zh": "渡轮从九号码头出发。"}[reader.language]
    reader.served.clock.now += 0.75  # no whole second
    (node, *_) = memory.remember(said).result(PATIENCE)
    reader.served.clock.now += 20
    memory.forget(node)
    reader.enter()
    reader.see(f"memory/{node}")
    then = section(reader, "then")
    reader.text(reader.t("then.gone"), then)
    slide(then.get_by_role("slider"), 0)
    reader.text(said, then.locator(".words"))


def test_what_if_is_the_replay_and_changes_nothing(reader: Reader) -> None:
    reader.memory.flush(PATIENCE)  # what waits would change it
    before = reader.memory.stats()
    reader.enter()
    reader.see("time/whatif")
    reader.page.locator("input[name=decay_rate]").fill("0.9")
    reader.press("whatif.do", within=section(reader, "knobs"))
    reader.page.locator("#prospect").wait_for()
    told = reader.memory.history.replay(decay_rate=0.9)
    text = reader.page.locator("main").inner_text()
    assert reader.t("whatif.forgotten", n=len(told.forgotten)) in text
    assert reader.t("whatif.moved.more", n=len(told.shifts)) in text
    assert reader.page.locator(".curve path.line").count() == 4
    assert reader.memory.stats() == before


def test_the_notebook_shows_the_step_the_versions_and_the_sessions(reader: Reader) -> None:
    reader.enter()
    reader.see("notebook")
    task = reader.memory.notebook.task.read()
    assert task.current is not None
    reader.text(task.current.text, reader.page.locator("li[aria-current=step]"))
    reader.press("notebook.diff")
    added = reader.memory.notebook.knowledge.read().splitlines()[-1]
    reader.text(f"+{added}", reader.page.locator(".diff .added"))
    assert section(reader, "sessions").locator("li").count() == 1
    reader.text(reader.t("live"))
    reader.memory.notebook.task.done("7")  # elsewhere: the page hears of it
    now = reader.memory.notebook.task.read().current
    assert now is not None
    reader.text(now.text, reader.page.locator("li[aria-current=step]"))


def test_operations_tell_the_queue_and_that_the_memory_is_sound(reader: Reader) -> None:
    reader.enter()
    reader.see("operations")
    newest = reader.memory.jobs(limit=1)[0]
    reader.text(newest.id, reader.page.locator("section", has=reader.page.locator("#queue")))
    reader.press("doctor.do")
    reader.text(reader.t("doctor.sound"))
    stats = reader.memory.stats()
    assert f"{stats.messages:,}" in reader.page.locator("main").inner_text()


def test_what_happens_elsewhere_appears_without_asking(reader: Reader) -> None:
    reader.enter()
    reader.text(reader.t("live"))
    asked: list[str] = []
    said = {"en": "The heron came back today.", "zh": "今天苍鹭又回来了。"}[reader.language]
    reader.page.on("request", lambda request: asked.append(request.url))
    reader.memory.remember(said).result(PATIENCE)
    focus = reader.page.locator("section", has=reader.page.locator("#attended"))
    reader.text(said, focus)
    assert asked
    assert reader.memory.look.focus()[0].content == said
    reader.page.wait_for_timeout(400)
    asked.clear()
    reader.page.wait_for_timeout(600)
    assert asked == []  # no polling


def test_figures_are_told_as_people_write_them(reader: Reader) -> None:
    reader.enter()
    told = "import('/page/js/base.js').then((b) => [-0.001, -0.5, 2].map(b.hundredths))"
    assert reader.page.evaluate(told) == ["0.00", "-0.50", "2.00"]


def test_a_memory_of_which_nothing_is_left_is_named_by_what_it_said(reader: Reader) -> None:
    reader.enter()
    named = "import('/page/js/base.js').then((b) => [b.telling('…', '好！'), b.telling('a', 'b')])"
    assert reader.page.evaluate(named) == ["好！", "a"]
    apart = (
        "import('/page/js/base.js').then((b) => [['想起'], ['相关'], ['下文', '上文'], ['mention']]"
        ".map(b.isRelated))"
    )
    assert reader.page.evaluate(apart) == [True, True, False, False]


def test_the_language_and_the_light_are_chosen_and_kept(reader: Reader) -> None:
    other = {"en": "zh", "zh": "en"}[reader.language]
    reader.enter()
    reader.page.locator("select[name=language]").select_option(other)
    reader.page.locator("select[name=theme]").select_option("dark")
    reader.page.reload()
    reader.page.locator("nav.menu").wait_for()
    assert reader.page.locator("html").get_attribute("lang") == {"en": "en", "zh": "zh-CN"}[other]
    assert reader.page.locator("body").evaluate("e => getComputedStyle(e).colorScheme") == "dark"


def test_the_keyboard_alone_gets_from_the_door_to_a_memory(reader: Reader) -> None:
    reader.enter()
    page = reader.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    for _ in range(40):
        if page.evaluate("document.activeElement.className") == "memory":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    reader.text(reader.t("memory.past"))
    assert "/memory/mem_" in page.url
