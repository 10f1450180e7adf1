"""Review: is a fact worth promoting, or worth keeping (MemoryReviewer)?

Up to three rounds: each ends with a decision or with a word to search for, whose results are shown
in the next round. Two decisions at once are none, and so is a promotion where decay is reviewed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.language.text import language
from wangchuan.models.deciding import CHOICE, Question
from wangchuan.models.seam import TEXT, Ask, object_of
from wangchuan.routines.framing import WARNING, framed
from wangchuan.routines.replies import as_mapping, as_text, first_of
from wangchuan.types import value

ROUTINE = "review"
ROUNDS, RELATED = 3, 5
PROMOTE, KEEP, DELETE = "PROMOTE", "KEEP", "DELETE"
DECISIONS = {"promotion": (PROMOTE, KEEP, DELETE), "decay": (KEEP, DELETE)}
LONGEST_SEARCH = 100
_TAG = re.compile(r"\[(PROMOTE|KEEP|DELETE|SEARCH)(?::([^[\]\n]*))?\]")

QUESTIONS = {
    ("promotion", "zh"): (
        "判断这条记忆是否应升级为核心记忆。核心记忆是长期稳定的重要事实：姓名、生日、"
        "长期稳定的喜好、重要约定。不是核心记忆的：临时状态（“今天很累”）、短期计划、"
        "只是最近话题多的事。决定：[PROMOTE] 升级，[KEEP] 保持不变，[DELETE] 删除。"
    ),
    ("promotion", "en"): (
        "Should this memory become a core memory? Core memories are important facts that stay:"
        " name, birthday, lasting preferences, important agreements. Not core: a passing state"
        ' ("is tired today"), a short-term plan, a topic that merely came up often lately.'
        " Decide: [PROMOTE], [KEEP] as it is, or [DELETE]."
    ),
    ("decay", "zh"): (
        "这条记忆正在淡去。它是否还有价值？是否有更新的记忆替代了它？删除它会不会忘记重要的事？"
        "决定：[KEEP] 保留，[DELETE] 删除。"
    ),
    ("decay", "en"): (
        "This memory is fading. Is it still worth something? Has a newer memory replaced it? Would"
        " deleting it forget something important? Decide: [KEEP] or [DELETE]."
    ),
}
HOW = {
    "zh": "需要更多记忆时，可以用 [SEARCH:关键词]（最多三轮）。"
    "先在 thought 里思考，再把一个操作放进 decision，只输出 JSON。",
    "en": "To see more memories, use [SEARCH:word] (three rounds at most). Think in `thought`, then"
    " put one operation into `decision`; output JSON only.",
}
SCHEMA = object_of(thought=TEXT, decision=TEXT)


@value
class Case:
    """The fact that a reviewer is shown, with its surroundings."""

    kind: str  # promotion or decay
    text: str
    facts: Mapping[str, Any]  # topic, verified, newer (whether a newer fact took its place)
    related: Sequence[str]
    searched: Sequence[tuple[str, Sequence[str]]] = ()


@value
class Verdict:
    """A decision, a word to search for, or neither."""

    decision: str | None = None
    search: str | None = None


def ask(case: Case) -> Ask:
    """Return the question for one round."""
    tongue = language(case.text)
    shown = {
        "memory": case.text,
        "related": list(case.related),
        "searched": [{"for": word, "found": list(found)} for word, found in case.searched],
        "round": len(case.searched) + 1,
    }
    return Ask(
        ROUTINE,
        {"kind": case.kind, "text": case.text, **case.facts},
        instructions=f"{QUESTIONS[case.kind, tongue]}{HOW[tongue]} {WARNING[tongue]}",
        prompt=framed(shown),
        schema=SCHEMA,
        most_tokens=600,
        small=(_question(case, tongue),),
    )


def _question(case: Case, tongue: str) -> Question:
    """Return the review as one small question, for a model that answers such."""
    asks, options = QUESTIONS[case.kind, tongue], DECISIONS[case.kind]
    return Question("decision", asks, CHOICE, options, "core", dict(case.facts))


def read(answer: Any, case: Case) -> Verdict:
    """Return the decision of an answer, or raise UnusableAnswer."""
    fields = as_mapping(answer)
    if not fields and not isinstance(answer, str):
        raise UnusableAnswer("review: the answer holds no decision")
    given = first_of(fields or {"decision": answer}, ("decision", "action", "operation"))
    chosen = given.get("choice") if isinstance(given, Mapping) else None
    text = f"[{chosen}]" if chosen else as_text(given)
    tags = {(m[1], (m[2] or "").strip()) for m in _TAG.finditer(text)}
    decided = {verb for verb, _ in tags if verb in DECISIONS[case.kind]}
    if len({verb for verb, _ in tags if verb != "SEARCH"}) > 1:
        return Verdict()
    if decided == {DELETE} and case.facts.get("verified") and not case.facts.get("newer"):
        return Verdict()  # a confirmed fact ends by words, not by a judgement
    if decided:
        return Verdict(decision=decided.pop())
    words = [word for verb, word in tags if verb == "SEARCH" and word]
    return Verdict(search=words[0][:LONGEST_SEARCH]) if len(words) == 1 else Verdict()
