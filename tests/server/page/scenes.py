"""Memories to look at: two lives of a month, told by the offline model on a clock of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from server.served import Served
from stage import PATIENCE, FakeClock

from wangchuan import Memory
from wangchuan.cli.stories import Story, spoken, told_in
from wangchuan.models.offline import OfflineModel

DAY = 86_400
BEGUN = 1_777_600_000.0  # the first of May 2026

TOLD = {
    "en": [
        "My sister Mara lives in Lisbon and is allergic to peanuts.",
        "I promise to send Theo the photos by Friday.",
        "I prefer green tea in the morning.",
        "My daughter Iris started school in Bristol.",
    ],
    "zh": [
        "我妹妹小满住在成都，对花生过敏。",
        "我答应周五之前把照片发给赵工。",
        "我早上喜欢喝绿茶。",
        "我女儿今年在杭州上小学。",
    ],
}
TWICE = {
    "en": "The boat shed key hangs behind the kitchen door.",
    "zh": "船库的钥匙挂在厨房的门后面。",
}
STATED = {
    "en": ("Dana's studio is called North Light", "Answer in short sentences"),
    "zh": ("林悦的公司做在线教育", "回答要简短"),
}


def tell(memory: Memory, clock: FakeClock, messages: Any, hours: float = 5) -> None:
    memory.remember(messages).result(PATIENCE)
    clock.now += hours * 3600


def lived(memory: Memory, clock: FakeClock, story: Story, language: str) -> None:
    """Let a memory live some months."""
    first, rest = spoken(story.first_talk), spoken(story.exchanges)
    tell(memory, clock, first, hours=20)
    for at in range(0, len(rest), 2):
        tell(memory, clock, rest[at : at + 2])
    memory.tick(PATIENCE)  # what is cold has been so for long when it is looked at
    for text in TOLD[language]:
        tell(memory, clock, text, hours=9)
    for remark in story.days():
        tell(memory, clock, remark, hours=15)
    memory.flush(PATIENCE)
    core, rule = STATED[language]
    memory.facts.add(core, kind="core")
    memory.facts.add(rule, kind="system")


def doubled(memory: Memory, clock: FakeClock, text: str) -> None:
    """Say something twice, and leave it alone until it is cold."""
    for said in (text, text, *(f"remark {n}" for n in range(6))):
        tell(memory, clock, said, hours=0)
    memory.flush(PATIENCE)
    for _ in range(2):  # found cold, and cold for long
        clock.now += 30 * DAY
        memory.tick(PATIENCE)


def noted(memory: Memory, language: str) -> None:
    """Give a memory a notebook with something on every page."""
    chinese = language == "zh"
    book = memory.notebook
    steps = ["读旧代码", "写登录接口", "压测"] if chinese else ["Read the code", "Write it", "Test"]
    book.task.begin("重写登录模块" if chinese else "Rewrite the login", steps)
    book.task.done("读完了" if chinese else "read")
    book.knowledge.write("先问再写。\n" if chinese else "Ask first.\n", reason="begun")
    book.knowledge.write(
        "先问再写。\n写完要测。\n" if chinese else "Ask first.\nThen test.\n", reason="learned"
    )
    book.write_world("测试环境周三上线。" if chinese else "Staging goes live on Wednesday.")
    book.end_session(
        "登录多久过期？" if chinese else "How long do tokens last?", "15 min", rounds=2
    )


def scene(root: Path) -> Served:
    """Return a server with agents that have lived: 小川 (zh), rivera (en), and two that repeat."""
    clock = FakeClock(BEGUN)
    served = Served(
        root,
        OfflineModel(),
        clock,
        learn=True,
        strategy="every",
        reviewer="person",
        work_dir=str(root / "work"),
    )
    for language, text in TWICE.items():
        clock.now = BEGUN - 90 * DAY
        with served.host.open(f"twice-{language}") as memory:
            doubled(memory, clock, text)
    ended = BEGUN
    for story in told_in("en"):
        language = "zh" if story.agent == "小川" else "en"
        with served.host.open(story.agent) as memory:
            clock.now = BEGUN
            lived(memory, clock, story, language)
            noted(memory, language)
            memory.facts.age(PATIENCE)
            memory.tick(PATIENCE)
            ended = max(ended, clock.now)
    clock.now = ended
    return served
