"""Observe: what a turn of talk does to the facts (后台小祥, the KnowledgeMonitor).

A model is shown the dialogue and the related facts with their ids, and answers with operations in
the notation of the document, one each: `[ADD] text`, `[UPDATE:mem_1] text`, `[BOOST:mem_1]`,
`[DELETE:mem_1]`, `[SKIP]`. They are read strictly, from the model's own answer only: another
notation, an id it was not shown, a number in the wrong place or what nobody said is no operation.
A new fact must be true to the dialogue. A fact ends only if the user says that it is over, and one
that is verified or core is corrected only by what the user states: a question changes nothing.
What an answer adds or corrects is called new_1, new_2, … in the rest of it, so that it can follow
a dialogue that takes back what it said before.
An answer of nothing but such is no use: it is asked for again, and then the rules take over.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.language.changes import says_changed
from wangchuan.language.facts.claims import POLICIES
from wangchuan.language.facts.observer import Known, observed, slot_of
from wangchuan.language.facts.utterances import asserted
from wangchuan.language.saying import denies
from wangchuan.language.terms import terms
from wangchuan.language.text import language, words
from wangchuan.language.tokens import tokens
from wangchuan.models.seam import Ask
from wangchuan.routines.framing import WARNING, framed
from wangchuan.routines.grounding import Said, Spoken, heard, is_true_to, share_within
from wangchuan.routines.replies import as_mapping, as_text, items_of

ROUTINE = "observe"
LONGEST = 500  # characters of one fact
MOST = 50  # operations of one answer
GROUNDED = 1 / 3  # share of a new fact's words that the dialogue must hold
NAMING = frozenset({"name", "noun", "id", "num"})  # words that say what a fact is about
_LINE = re.compile(
    r"\[(ADD|UPDATE|BOOST|DELETE|SKIP)(?::((?:mem|new)_[0-9]{1,18}))?\](.*)", re.DOTALL
)
_FORGET = re.compile(
    r"忘掉|忘记|忘了|删掉|删除|别再?记|不要再?记|\b(?:forget|delete|erase|remove)\b", re.IGNORECASE
)
_FORGET_ALL = re.compile(
    r"(?:忘掉|忘记|忘了|删掉|删除|清空).{0,8}(?:一切|所有|全部)|(?:一切|所有|全部).{0,12}(?:忘掉|删掉|删除|清空)"
    r"|\b(?:forget|delete|erase)\b.{0,12}\b(?:everything|all)\b",
    re.IGNORECASE,
)
_TAG = re.compile(r"\[(?:ADD|UPDATE|BOOST|DELETE|SKIP)\b", re.IGNORECASE)
SKIP = "SKIP"
_WITH_ID = {"ADD": False, "UPDATE": True, "BOOST": True, "DELETE": True, "SKIP": False}
_WITH_TEXT = {"ADD": True, "UPDATE": True, "BOOST": False, "DELETE": False, "SKIP": False}

INSTRUCTIONS = {
    "zh": (
        "你是{agent}的后台程序，负责维护关于{user}的事实记忆。你会看到当前对话，以及检索到的记忆"
        "（带 ID）。用下面的操作回答，每项一条，放在 operations 里：\n"
        "[ADD] 内容 → 添加新的事实\n[UPDATE:mem_id] 内容 → 更正已有记忆（删旧加新）\n"
        "[BOOST:mem_id] → 这条记忆真正影响了{agent}的回复\n[DELETE:mem_id] → 错误或过时\n"
        "[SKIP] → 什么都不做\n判断原则：\n"
        "1. 看似冲突不一定要删除，可能只是时间变化："
        "“{user}十天前很紧张”和“{user}现在很放松”并不冲突。\n"
        "2. 只有真正影响了回复的记忆才算被使用：检索到“{user}喜欢猫”而在聊天气，不算；"
        "检索到“{user}很紧张”而{agent}说“别这么绷着”，算。\n"
        "3. {user}纠正了错误的记忆时，用 UPDATE 换掉旧的。"
        "对话里前面说的事后面变了，两条都写：先 [ADD] 旧的，再 [UPDATE:new_1] 新的"
        "（new_1 是本次回答里第一条新写的内容）。\n"
        "只记{user}自己明确说出的、关于{user}的事实；假设、提问、玩笑、引用和别人的事不记。"
        "只能使用给出的 ID。没有可做的就用 [SKIP]。只输出 JSON。"
    ),
    "en": (
        "You are the background process of {agent} and keep the facts about {user}. You are shown"
        " the dialogue and the memories that were retrieved, with their ids. Answer with"
        " operations, one each, in `operations`:\n"
        "[ADD] text → a new fact\n[UPDATE:mem_id] text → corrects a memory (old out, new in)\n"
        "[BOOST:mem_id] → this memory really influenced the reply of {agent}\n"
        "[DELETE:mem_id] → wrong or outdated\n[SKIP] → nothing\nPrinciples:\n"
        '1. What seems to conflict may be change over time: "{user} was nervous ten days ago" and'
        ' "{user} is relaxed now" do not conflict.\n'
        '2. Only what really influenced the reply was used: "{user} likes cats" while talking'
        ' about the weather was not; "{user} is nervous" when {agent} says "don\'t be so tense"'
        " was.\n3. When {user} corrects a memory, UPDATE the old one. When something said"
        " early in the dialogue changes later in it, give both: [ADD] the old, then [UPDATE:new_1]"
        " the new (new_1 is the first text this answer brings).\n"
        "Keep only what {user} plainly says about themselves; no hypotheticals, questions, jokes,"
        " quotes or other people's affairs. Use only the ids given. If there is nothing to do,"
        " [SKIP]. Output JSON only."
    ),
}
SCHEMA = {
    "type": "object",
    "properties": {"operations": {"type": "array", "items": {"type": "string"}}},
    "required": ["operations"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One checked operation; `message` is the place of the message it came from, if known.

    `makes` is what the fact it brings is called by operations that follow.
    """

    verb: str
    id: str | None = None
    text: str = ""
    topic: str = "other"
    message: int | None = None
    makes: str | None = None


def ask(said: Sequence[Spoken], known: Sequence[Known], user: str, agent: str) -> Ask:
    """Return the question what a dialogue does to the facts."""
    tongue = language("\n".join(content for _, _, content in said))
    called = {"user": user, "assistant": agent}
    dialogue = [{"who": name or called.get(role, role), "said": text} for role, name, text in said]
    memories = [f"[{fact.id}] {fact.text}" for fact in known]
    asked = framed({"dialogue": dialogue, "memories": memories})
    instructions = INSTRUCTIONS[tongue].format(user=user, agent=agent)
    return Ask(
        ROUTINE,
        {"said": list(said), "known": list(known), "user": user, "agent": agent},
        instructions=f"{instructions} {WARNING[tongue]}",
        prompt=asked,
        schema=SCHEMA,
        most_tokens=400 + tokens(asked) // 2,
    )


def read(answer: Any, asked: Ask) -> list[Operation]:
    """Return the operations of an answer, or raise UnusableAnswer if it is none.

    An answer that wants to do something, but nothing that concerns what was said, is none. One
    that would end or correct what it may not is left at that.
    """
    if not isinstance(answer, list) and not _holds_list(answer):
        raise UnusableAnswer("observe: the answer holds no operations")
    given = items_of(answer, ("operations", "ops", "actions"))
    found = _numbered(op for op in map(_operation, given[:MOST]) if op)
    allowed = _allowed([op for op in found if op.verb != SKIP], asked)
    if given and not allowed and not any(_is_settled(op, asked) for op in found):
        raise UnusableAnswer("observe: nothing in the answer is an operation on what was said")
    return _settled(op for op in allowed if _is_one_fact(op.text))


def _is_settled(op: Operation, asked: Ask) -> bool:
    """Tell whether an operation is an answer even if it is refused: no other is to be had."""
    deleting = op.verb == "DELETE"
    protected = {fact.id for fact in asked.data["known"] if deleting or fact.firm}
    return op.verb == SKIP or op.id in protected


def _holds_list(answer: Any) -> bool:
    return any(isinstance(value, list) for value in as_mapping(answer).values())


def _is_one_fact(text: str) -> bool:
    """Tell whether a text can be a fact: not too long, and with no second operation in it."""
    return len(text) <= LONGEST and not _TAG.search(text)


def _operation(item: Any) -> Operation | None:
    """Return one operation, or None for what is not exactly one."""
    fields = as_mapping(item) or {"line": item}
    match = _LINE.fullmatch(as_text(fields.get("line")))
    if match is None:
        return None
    verb, id_, text = match[1], match[2], " ".join(match[3].split())
    if _WITH_ID[verb] != bool(id_) or _WITH_TEXT[verb] != bool(text):
        return None
    message, topic = fields.get("message"), as_text(fields.get("topic"))
    place = message if isinstance(message, int) else None
    return Operation(verb, id_, text, topic or topic_of(text), place)


def _numbered(found: Iterable[Operation]) -> list[Operation]:
    """Say of operations that bring a fact what it is called in the rest of the answer."""
    count = itertools.count(1)
    return [replace(op, makes=f"new_{next(count)}") if _WITH_TEXT[op.verb] else op for op in found]


def _allowed(found: Sequence[Operation], asked: Ask) -> list[Operation]:
    """Return the operations that concern what was shown and say what was said."""
    turn = _Turn(asked)
    shown = {None: None, **{fact.id: fact for fact in asked.data["known"]}}
    allowed = []
    for op in found:
        if op.id in shown and turn.allows(op, shown[op.id]):
            allowed.append(op)
            shown[op.makes] = None
    return allowed


class _Turn:
    """What was said in a turn, to judge operations by."""

    def __init__(self, asked: Ask) -> None:
        data = asked.data
        self._asked = asked
        self._called = {data["user"]: "user", data["agent"]: "assistant"}
        self._spoken = [one for one in data["said"] if one[0] in ("user", "assistant")]

    def allows(self, op: Operation, fact: Known | None) -> bool:
        """Tell whether an operation says what was said and may touch the fact it names."""
        if self._by_own_words(op, fact):
            return True
        return (op.verb, op.id, op.text) in self._rules  # what rules read there was said, too

    def _by_own_words(self, op: Operation, fact: Known | None) -> bool:
        if op.text and not _is_said(op.text, self._said, fact):
            return False
        if fact is None or op.verb == "BOOST":
            return True
        if op.verb == "DELETE":
            return any(self._ends(one, fact) for one in self._statements)
        return not fact.firm or any(self._corrects(one, op, fact) for one in self._statements)

    @cached_property
    def _said(self) -> Said:
        return heard(self._spoken, self._called)

    @cached_property
    def _statements(self) -> list[str]:
        """Return the sentences in which the user states something."""
        own = [text for role, _, text in self._spoken if role == "user"]
        return ["，".join(filter(None, s)) for text in own for s in asserted(text)]

    @cached_property
    def _rules(self) -> set[tuple[str, str | None, str]]:
        """Return the operations that can be read without a model."""
        data = self._asked.data
        found = observed(data["said"], data["known"], user=data["user"], agent=data["agent"])
        bare = ("DELETE", "BOOST")
        ops = {(o.verb, o.id, "" if o.verb in bare else " ".join(o.text.split())) for o in found}
        return ops | {("DELETE", o.id, "") for o in found if o.verb == "UPDATE"}

    def _ends(self, statement: str, fact: Known) -> bool:
        """Tell whether the user says that a fact is over, or wants it forgotten."""
        if _FORGET_ALL.search(statement):
            return True
        shared = self._shared(statement, fact)
        if says_changed(statement) or _FORGET.search(statement):
            return bool(shared)
        most = len(set(terms(fact.text)) - self._names) // 2 if fact.firm else 0
        return denies(statement) and len(shared) > most

    def _corrects(self, statement: str, op: Operation, fact: Known) -> bool:
        """Tell whether the user states what corrects a fact, beside what it is about."""
        said = heard([("user", None, statement)], self._called)
        if not _is_said(op.text, said, fact):
            return False
        same = slot_of(op.text) is not None and slot_of(op.text) == slot_of(fact.text)
        return same or bool(self._shared(statement, fact))

    @cached_property
    def _names(self) -> set[str]:
        return {*terms(" ".join(self._called)), "user", "主人", "用户"}

    def _shared(self, statement: str, fact: Known) -> set[str]:
        """Return what a statement shares with a fact: its things, or its last verb."""
        found = words(fact.text)
        naming = [w for n, w in enumerate(found) if w.tag in NAMING or (w.tag == "verb" and not
                  any(other.tag in NAMING for other in found[n + 1 :]))]  # fmt: skip
        about = set(terms(" ".join(word.text for word in naming)))
        return about & set(terms(statement)) - self._names


def _is_said(text: str, said: Said, fact: Known | None) -> bool:
    """Tell whether a text is true to what was said; the fact it corrects may lend it names."""
    if fact is None:
        return is_true_to(said, text, GROUNDED)
    names = " ".join(word.text for word in words(fact.text) if word.tag in ("name", "noun"))
    lent = replace(said, around=names)
    return share_within(text, said.plain, said.values) >= GROUNDED and is_true_to(
        lent, text, GROUNDED
    )


def _settled(found: Iterable[Operation]) -> list[Operation]:
    """Return one operation per id, the strongest: a correction, then a deletion, then a use."""
    strength = {"UPDATE": 0, "DELETE": 1, "BOOST": 2}
    chosen: dict[str, Operation] = {}
    for op in found:
        key = op.id or f"+{op.text}"
        if key not in chosen or strength.get(op.verb, 9) < strength.get(chosen[key].verb, 9):
            chosen[key] = op
    return list(chosen.values())


def topic_of(text: str) -> str:
    """Return what a fact is about, judging by the question it answers."""
    slot = slot_of(text)
    return POLICIES[slot[1]].topic if slot and slot[1] in POLICIES else "other"
