"""The block that tells an agent what it knows, in the order and under the headings agreed."""

from __future__ import annotations

from collections.abc import Sequence

COMPACT, TASK, HISTORY, WORLD = "历史记忆", "任务状态", "个人历史", "世界状态"
TASK_LENGTH, OWN_SESSIONS = 5000, 3  # characters of the task process; sessions shown
HEADINGS = tuple(f"\n## {name}\n" for name in (COMPACT, TASK, HISTORY, WORLD))


def built(
    base: str,
    knowledge: str,
    *,
    compact: str = "",
    task: str = "",
    sessions: Sequence[str] = (),
    world: str = "",
) -> str:
    """Return the prompt; what is empty is left out."""
    prompt = base
    if knowledge:
        prompt += ("\n" if base and not base.endswith("\n") else "") + knowledge
    parts = (
        (COMPACT, compact),
        (TASK, task[:TASK_LENGTH]),
        (HISTORY, "\n\n".join(sessions)),
        (WORLD, world),
    )
    return prompt + "".join(f"\n## {name}\n{text}" for name, text in parts if text)


def is_ours(text: str) -> bool:
    """Tell whether a text holds what this module wrote, and so is nothing new."""
    return any(heading in text for heading in HEADINGS)
