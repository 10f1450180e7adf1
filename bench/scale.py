"""What search costs in a large memory: ten thousand living memories beside a hundred thousand.

Both are told generated messages (peer_words.py) under `decay_rate=1`, so that nothing fades, and
then asked the same in turn. Vectors are made by the embedder of `bench peers`, which costs next to
nothing: what is measured is search and not a model.
"""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.bm25 import BM25
from bench.core import ms, table
from bench.peer_vectors import DIMENSIONS, Embedder
from bench.peer_words import Message, messages, queries
from bench.retrieval import NOT_INSTALLED, percentile
from wangchuan import Host, Memory
from wangchuan.network.ranking import POSTINGS

SIZES = (10_000, 100_000)
BATCH = 50  # messages in one remember
ASKED = 400  # questions, the same at both sizes
WARM = 20  # of them that do not count
BAR = 2
SETTINGS = {"decay_rate": 1.0, "learn": False, "durability": "normal", "max_queue_size": 100_000}
PATIENCE = 3600  # seconds
VECTORS = "words and vectors"


def filled(host: Host, texts: list[str]) -> Memory:
    """A memory that was told all texts, some at a time."""
    memory = host.open(f"size{len(texts)}")
    for start in range(0, len(texts), BATCH):
        memory.remember([{"role": "user", "content": t} for t in texts[start : start + BATCH]])
    digested(memory)
    return memory


def digested(memory: Memory) -> None:
    if not memory.flush(PATIENCE):
        raise TimeoutError(f"not digested after {PATIENCE} s")


def asked(memories: dict[int, Memory], questions: list[tuple[str, str]]) -> dict[int, Any]:
    """Ask all memories the same in turn; return for each the first time, the others, the found."""
    times: dict[int, list[float]] = {size: [] for size in memories}
    found: dict[int, int] = dict.fromkeys(memories, 0)
    gc.collect()
    for question, source in questions:
        for size, memory in memories.items():
            began = time.process_time()
            hits = memory.search(question).result(60)
            times[size].append(time.process_time() - began)
            found[size] += any(hit.sources[0].content == source for hit in hits)
    return {size: (times[size][0], times[size][WARM:], found[size]) for size in memories}


def plainly_found(said: list[Message], questions: list[tuple[str, str]]) -> int:
    """Return how many of the sources BM25 finds that reads everything."""
    index = BM25([message.text for message in said])
    return sum(
        any(said[number].text == source for number in index.ranked(question)[:10])
        for question, source in questions
    )


def rows(
    what: str,
    memories: dict[int, Memory],
    questions: list[tuple[str, str]],
    plain: dict[int, int],
) -> tuple[list[tuple[object, ...]], bool]:
    """The rows of one way to search; good if the largest costs few times the smallest."""
    figures, lines = asked(memories, questions), []
    small = percentile(figures[min(figures)][1], 95)
    for size, (first, seconds, found) in figures.items():
        p50, p95 = statistics.median(seconds), percentile(seconds, 95)
        shares = [f"{100 * n / len(questions):.0f} %" for n in (found, plain[size])]
        living = f"{memories[size].stats().nodes:,}"
        lines.append((what, living, ms(first), ms(p50), ms(p95), f"{p95 / small:.2f}", *shares))
    return lines, percentile(figures[max(figures)][1], 95) <= BAR * small


def measured(folder: Path, sizes: tuple[int, ...] = SIZES, count: int = ASKED) -> tuple[str, bool]:
    said = messages(max(sizes))
    questions = queries(said[: min(sizes)], count)  # of what all were told
    plain = {size: plainly_found(said[:size], questions) for size in sizes}
    with Host(folder, settings=SETTINGS) as host:
        memories = {size: filled(host, [m.text for m in said[:size]]) for size in sizes}
        lines, good = rows("words", memories, questions, plain)
    head = ("search", "living memories", "first", "p50", "p95", f"ratio of p95 (bar: {BAR})")
    head = (*head, "found", "found by BM25")
    if find_spec("numpy") is None:
        missing = (VECTORS, NOT_INSTALLED, *["–"] * (len(head) - 2))
        return table(head, [*lines, missing]), good
    with Host(folder, settings=SETTINGS, embedder=Embedder()) as host:
        memories = {size: host.open(f"size{size}") for size in sizes}
        for memory in memories.values():
            digested(memory)  # vectors are made of what is there
        more, kept = rows(VECTORS, memories, questions, plain)
    return table(head, lines + more), good and kept


NOTES = f"""\
One call at a time with default arguments, {ASKED} questions of four words, of which {WARM} do not
count. Times are those of the processor, so that what else the machine does is not among them;
*first* is the first of all, which with vectors reads them from disk. Vectors have
{DIMENSIONS} dimensions; of more than 20,000 only the likely ones are multiplied. *found*: how often
the message a question was made of was among the ten first, beside plain BM25 that reads every
message. All questions are about the first {SIZES[0]:,} messages. Of every word search reads the
newest {POSTINGS:,} places, and of the rarest words those where two of them stand, which bounds its
cost: of a common word alone it finds what is new."""


def run() -> tuple[str, bool]:
    with tempfile.TemporaryDirectory() as folder:
        text, kept = measured(Path(folder))
    return f"{text}\n\n{NOTES}", kept
