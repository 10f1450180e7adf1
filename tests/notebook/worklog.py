"""A long working log of our own making, and a checker that knows every event in it.

The log of an agent at work for a day: errors and fixes, files, tests, decisions, states, a great
deal of thinking aloud, source code and the output of tools. Each event names something that occurs
nowhere else, so that whether it was kept can be told by looking for its words.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from wangchuan.language.tokens import tokens

PARTS = {
    "en": ["parser", "router", "ledger", "mailer", "planner", "importer", "renderer", "indexer"],
    "zh": ["解析器", "路由", "账本", "邮件", "计划", "导入器", "渲染器", "索引"],
}
ERRORS = ["KeyError", "TimeoutError", "UnicodeDecodeError", "IndexError", "PermissionError"]
EVENTS = {
    "en": {
        10: [
            "Fixed the {error} in {name}.py: the {part} now checks for an empty header first.",
            "Root cause of {name} was a stale cache; clearing it on start solved the {error}.",
            "Resolved {name}: the {part} closed its socket twice, a guard prevents that now.",
        ],
        8: [
            "Created src/{part}/{name}.py with the new entry point.",
            "Updated config/{name}.toml: the timeout is {number} seconds now.",
            "Renamed docs/{name}.md and removed the old copy from the folder.",
        ],
        7: [
            "Tests of {name}: {number} passed, 2 failed.",
            "pytest tests/test_{name}.py passed after the change.",
            "Verified {name} by hand on staging: it works.",
        ],
    },
    "zh": {
        10: [
            "修复了 {name}.py 的 {error}：{part}现在先检查空的表头。",
            "{name} 的根本原因是缓存过期，启动时清空缓存后解决。",
            "解决了 {name}：{part}把连接关了两次，加了保护。",
        ],
        8: [
            "创建文件 src/{name}.py，作为新的入口。",
            "修改了 config/{name}.toml，超时改为 {number} 秒。",
            "已重命名 docs/{name}.md，并删除旧文件。",
        ],
        7: [
            "测试 {name}：{number} 个通过，2 个失败。",
            "tests/test_{name}.py 回归测试通过。",
            "在预发环境验证 {name}，结果正常。",
        ],
    },
}
LESSER = {
    "en": [
        "We decided to keep the {part} in one process for now.",
        "The {part} service was restarted on port {number}.",
        "Switched to the branch feature/{part}-{number}.",
    ],
    "zh": [
        "我们决定{part}先放在一个进程里。",
        "{part}服务已在 {number} 端口重启。",
        "切换到分支 feature/{number}。",
    ],
}
THOUGHTS = {
    "en": [
        "Let me think about how the {part} and the {other} share their buffers before I touch it.",
        "Maybe I should fix the {part} first, but the {other} looks more suspicious to me.",
        "Hmm, the {part} could be slow because of the {other}, or it might be something else.",
        "I will try to create a file for the {other} later, if we still want it at all.",
        "Looking at the {part} again, nothing about the {other} strikes me as unusual.",
        "If we write a test for the {part}, it might pass for the wrong reasons.",
    ],
    "zh": [
        "让我想想{part}和{other}怎么共用缓冲区，再动手。",
        "也许应该先修复{part}，不过{other}看起来更可疑。",
        "{part}可能是因为{other}才慢，也可能是别的原因。",
        "接下来打算给{other}创建一个文件，如果还需要的话。",
        "再看一遍{part}，{other}没有什么特别的地方。",
        "如果给{part}写一个测试，也许会因为别的原因通过。",
    ],
}
CODE = """```python
def {part}_{number}(rows, *, limit={number}):
    fixed = [row for row in rows if row.get("error") is None]
    with open("out.txt", "w") as file:  # write the file
        file.write("\\n".join(map(str, fixed[:limit])))
    return fixed
```"""
OUTPUT = "\n".join(
    f"{n:04d} DEBUG {{part}} handled packet {n}{{number}} in 3 ms" for n in range(20)
)


@dataclass
class WorkLog:
    """Messages, and the events they tell of: their score and what they name."""

    messages: list[dict[str, str]] = field(default_factory=list)
    events: list[tuple[int, str, str]] = field(default_factory=list)  # score, name, text

    @property
    def tokens(self) -> int:
        return sum(tokens(message["content"]) for message in self.messages)

    def missing(self, text: str) -> list[tuple[int, str, str]]:
        """Return the events whose name a text does not say."""
        return [event for event in self.events if event[1] not in text]


def worklog(tongue: str, size: int, every: int, seed: int = 7) -> WorkLog:
    """Make a log of about `size` tokens with an important event in every so many messages."""
    chance, log = random.Random(seed), WorkLog()
    while log.tokens < size:
        words = {
            "part": chance.choice(PARTS[tongue]),
            "other": chance.choice(PARTS[tongue]),
            "number": str(chance.randint(10, 99)),
            "error": chance.choice(ERRORS),
            "name": f"case{len(log.events):04d}",
        }
        log.messages.append({"role": "assistant", "content": _said(tongue, words, chance)})
        if len(log.messages) % 5 == 0:
            log.messages.append({"role": "tool", "content": OUTPUT.format(**words)})
        if len(log.messages) % every == 0:
            _plant(log, tongue, words, chance)
    return log


def _said(tongue: str, words: dict[str, str], chance: random.Random) -> str:
    lines = [chance.choice(THOUGHTS[tongue]).format(**words) for _ in range(6)]
    if chance.random() < 0.2:
        lines.append(CODE.format(**{**words, "part": "part"}))
    if chance.random() < 0.2:
        lines.append(chance.choice(LESSER[tongue]).format(**words))
    return "\n".join(lines)


def _plant(log: WorkLog, tongue: str, words: dict[str, str], chance: random.Random) -> None:
    score = chance.choice([10, 8, 7])
    text = chance.choice(EVENTS[tongue][score]).format(**words)
    before = (
        f"The {words['part']} crashed: {words['error']}."
        if tongue == "en"
        else f"{words['part']}报错：{words['error']}。"
    )
    log.messages.append(
        {"role": "assistant", "content": f"{before}\n{text}" if score == 10 else text}
    )
    log.events.append((score, words["name"], text))
