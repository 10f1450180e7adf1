"""Judge: does a condition of a task hold, as far as the page of the task tells?"""

from __future__ import annotations

from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.models.seam import FLAG, Ask, object_of
from wangchuan.routines.framing import WARNING, framed
from wangchuan.routines.replies import as_mapping, first_of

ROUTINE = "judge"
INSTRUCTIONS = (
    "你判断一个条件是否成立。condition 是条件，task 是任务的当前状态。只根据 task 里写的判断；"
    '看不出成立就是不成立。只输出 JSON：{"holds": true} 或 {"holds": false}。'
)
SCHEMA = object_of(holds=FLAG)


def ask(condition: str, task: str) -> Ask:
    """Return the question whether a condition holds."""
    data = {"condition": condition, "task": task}
    instructions = f"{INSTRUCTIONS}{WARNING['zh']}"
    return Ask(ROUTINE, data, instructions, framed(data), SCHEMA, most_tokens=50)


def read(answer: Any) -> bool:
    """Return the judgement of an answer, or raise UnusableAnswer."""
    found = first_of(as_mapping(answer), ("holds", "answer", "result", "成立"))
    if not isinstance(found, bool):
        raise UnusableAnswer("judge: neither true nor false came back")
    return found
