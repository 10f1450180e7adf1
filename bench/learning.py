"""What facts cost as they become many: observing, finding and putting them into a prompt.

The same memory with 1,000 and with 10,000 facts, asked in turn in one run; the larger one may cost
twice the smaller. All facts share their commonest words, as facts about one person do.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.core import compared, table
from wangchuan import Host, Memory
from wangchuan.facts.records import Learned

SIZES = (1_000, 10_000)
CHUNK = 10  # facts in one transaction, as learning makes few at a time
THINGS = ("tea", "ferries", "old maps", "blue folders", "tomatoes", "chess", "rain", "bicycles")
PLACES = ("Lyon", "Berlin", "Oslo", "Rome", "Turin", "Ghent", "Split", "Basel")
DINGE = ("茶", "渡船", "旧地图", "蓝色文件夹", "番茄", "象棋", "下雨天", "自行车")
SHAPES = (
    "The user likes {thing} number {i}",
    "The user met friend {i} in {place}",
    "主人喜欢第{i}号{ding}",
    "The user's cousin {i} lives in {place}",
    "主人在第{i}天去看了{ding}",
)
QUESTIONS = (
    "Do I like {thing}?",
    "Who lives in {place}?",
    "我喜欢{ding}吗",
    "What about friend {i}?",
    "第{i}天我们聊了{ding}",
)


def worded(shapes: tuple[str, ...], i: int) -> str:
    filling = {"thing": THINGS[i % 8], "place": PLACES[i // 3 % 8], "ding": DINGE[i // 5 % 8]}
    return shapes[i % len(shapes)].format(i=i, **filling)


def stocked(host: Host, size: int) -> Memory:
    """A memory of so many facts, and a little talk."""
    memory = host.open(f"facts{size}")
    for first in range(0, size, CHUNK):
        with memory._agent.store() as store, store.write() as tx:
            for i in range(first, first + CHUNK):
                memory._agent.facts.add(tx, Learned(worded(SHAPES, i)))
    for i in range(20):
        memory.remember(worded(QUESTIONS, i))
    memory.flush(60)
    return memory


def shown(memory: Memory, i: int) -> None:
    """Find the facts that an observer of one turn is shown."""
    agent = memory._agent
    said = [("user", None, worded(QUESTIONS, i)), ("assistant", None, worded(SHAPES, i + 7))]
    with agent.store() as store, store.read() as tx:
        agent.learning._known(tx, said)


def told(memory: Memory, i: int) -> None:
    memory.remember(worded(QUESTIONS, i)).result(60)
    memory.flush(60)


CALLS = (
    ("the facts an observer is shown", shown),
    ("facts(query)", lambda m, i: m.facts(worded(QUESTIONS, i), limit=10)),
    ("facts(), the newest ten", lambda m, _: m.facts(limit=10)),
    ("context(query)", lambda m, i: m.context(worded(QUESTIONS, i)).result(60)),
    ("context()", lambda m, _: m.context().result(60)),
    ("remember until digested and observed", told),
)


def run() -> tuple[str, bool]:
    rows, good = [], True
    with tempfile.TemporaryDirectory() as name:
        settings = {"durability": "normal"}
        with Host(Path(name), settings=settings) as host:
            memories = {size: stocked(host, size) for size in SIZES}
            for what, call in CALLS:
                found, kept = compared(memories, what, call)
                rows, good = rows + found, good and kept
    return table(("call", "facts", "p50", "ratio (bar: 2)"), rows), good
