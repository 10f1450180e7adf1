"""Observe: what a turn of talk does to the facts (后台小祥, the KnowledgeMonitor).

A model is shown the dialogue, what was said just before it, the day, and the facts that a reply may
have drawn on, with their ids. It answers with operations in the notation of the document, one each:
`[ADD] text`, `[UPDATE:mem_1] text`, `[BOOST:mem_1]`, `[DELETE:mem_1]`, `[SKIP]`; as a list, as
plain lines or as fields, with whatever brackets, bullets and prose come with them. New facts of an
answer are called new_1, new_2, … in the rest of it.

The model judges: a fact may follow from the talk without being put in its words. The rest is
checked. An id must have been shown. A name, a number, a date or an order must occur in the talk or
in the facts shown. A text in the words of the talk must not turn them round. An order to the agent
must have been given in these words. A fact ends only if the user says that it is over; a verified
or core fact is corrected only by words that the user states. An operation that fails is left out,
alone, and not asked for again. Where all of them fail, the rules read the turn. An answer in which
no operation can be read is asked for once more before that.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.language.changes import changes, says_changed
from wangchuan.language.clauses import denies
from wangchuan.language.dates.coming import dated, day_of
from wangchuan.language.facts.claims import POLICIES, Claim, stored
from wangchuan.language.facts.observer import ENGLISH, Known, observed, slot_of
from wangchuan.language.facts.sense_en import inside
from wangchuan.language.facts.utterances import asserted
from wangchuan.language.numerals import values
from wangchuan.language.saying import TURNED
from wangchuan.language.terms import terms
from wangchuan.language.text import Word, language, words
from wangchuan.language.tokens import tokens
from wangchuan.models.offline import observe as by_rules
from wangchuan.models.parsing import parsed
from wangchuan.models.seam import TEXT, Ask, ByRule, list_of, object_of
from wangchuan.routines.framing import WARNING, framed
from wangchuan.routines.grounding import (
    TELLING,
    Said,
    Spoken,
    follows,
    heard,
    plain,
    share_within,
)
from wangchuan.routines.replies import as_list, as_text, first_of, items_of
from wangchuan.types import value

ROUTINE = "observe"
LONGEST = 500  # characters of one fact
MOST = 50  # operations of one answer
NAMING = frozenset({"name", "noun", "id", "num"})  # words that say what a fact is about
_VERBS = "ADD|UPDATE|BOOST|DELETE|SKIP"
_ID = r"(?:(?:mem|new)[_-])?[0-9]{1,18}"
_LINE = re.compile(  # of NFKC text
    r"(?:[^\[【(<:\n]{0,30}(?:如下|following)\s?:)?"
    r"(?:[\s>*•·#`|→\-]|\(?[\d一二三四五六七八九十]{1,2}[.)、]"
    r"|(?:operations?|操作|结论|answer)\s?\d?\s?:){0,12}"
    rf"(?:[\[【(<]\W{{0,3}}({_VERBS})(?:\s?[:_ (]\s?\W?({_ID})\W?)?\W{{0,3}}[\]】)>]"
    rf"|({_VERBS})(?:\s?[:( ]\s?[\"']?({_ID})[\"']?\)?)?(?=\s?(?::|\Z|\([\"'“])))"
    r"[*`\s:\-—→>|]{0,8}(.*)",
    re.DOTALL | re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"'“「`(（](.{1,500})[\"'”」`)）]", re.DOTALL)
_BEHIND = re.compile(rf"\s?(?:</(?:{_VERBS})>|\|)\Z", re.IGNORECASE)
_FORGET = re.compile(
    r"忘掉|忘记|忘了|删掉|删除|别再?记|不要再?记|\b(?:forget|delete|erase|remove)\b", re.IGNORECASE
)
_KEEP = re.compile(  # in front of a word of forgetting: nobody is asked to, or somebody else did
    r"(?:[别不没勿]|\b(?:never|not|\w+n'?t|cannot)\b).{0,20}\Z"
    r"|(?<![把将让])[我他她]们?(?!的|[^，。]{0,20}[你您请])[^，。]{0,20}\Z"
    r"|\b(?:i|we|he|she|they)\b(?!.{0,20}\b(?:you|please)\b).{0,20}\Z",
    re.IGNORECASE,
)
_FORGET_ALL = re.compile(
    r"(?:忘掉|忘记|忘了|删掉|删除|清空).{0,8}(?:一切|所有|全部)|(?:一切|所有|全部).{0,12}(?:忘掉|删掉|删除|清空)"
    r"|\b(?:forget|delete|erase)\b.{0,12}\b(?:everything|all)\b",
    re.IGNORECASE,
)
_TAG = re.compile(rf"[\[［【](?:{_VERBS})\b", re.IGNORECASE)
SKIP = "SKIP"
BIDDEN = 0.5  # the share of an order to the agent that must have been said
NAMED = frozenset({"name", "nickname", "surname", "called", "kin"})  # slots that a name answers
_WITH_ID = {"ADD": False, "UPDATE": True, "BOOST": True, "DELETE": True, "SKIP": False}
_WITH_TEXT = {"ADD": True, "UPDATE": True, "BOOST": False, "DELETE": False, "SKIP": False}

INSTRUCTIONS = {
    "zh": (
        "你是{agent}的后台程序，负责维护与{user}谈到的事实。你会看到当前对话，以及检索到的记忆"
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
        "记对话所谈的事实：关于{user}的，也包括项目、决定（“决定用 JWT”）、客户、日期、"
        "以及{user}身边的人和他们与{user}的关系。每条写明是谁的事："
        "“{user}的女儿8岁”，不是“{user}8岁”。长期的要求（“以后都用公制”）写成“{user}要求：以后都用公制”。"
        "可以由对话推出（“不碰肉”→“{user}吃素”），但不要编造名字、数字和日期。"
        "时间写成日期：今天是 {today}，“明天”写成那一天。before 是此前的话，只用来理解。"
        "假设、提问、玩笑和引用不记。只能使用给出的 ID。没有可做的就用 [SKIP]。"
    ),
    "en": (
        "You are the background process of {agent} and keep the facts of its talk with {user}. "
        "You are shown"
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
        "Keep the facts the talk is about: those of {user}, and projects, decisions"
        ' ("decided on JWT"), customers, dates, and the people around {user} with their relation.'
        ' Say whose fact it is: "{user}\'s daughter is 8", not "{user} is 8". A standing request'
        ' ("always use metric") is written "{user} asks: always use metric". What follows from the'
        ' talk may be inferred ("I never touch meat" → "{user} is a vegetarian"); names, numbers'
        " and dates are never made up. Write times as dates: today is {today}, and tomorrow is "
        "the day"
        " after. `before` is what was said earlier, only to understand the rest. No hypotheticals,"
        " questions, jokes or quotes. Use only the ids given. If there is nothing to do, [SKIP]."
    ),
}
SHOWN = 4  # messages before those that are asked about
SCHEMA = object_of(operations=list_of(TEXT))


@value
class Operation:
    """One checked operation; `message` is the place of the message it came from, if known.

    `makes` is the name by which later operations call the new fact.
    """

    verb: str
    id: str | None = None
    text: str = ""
    topic: str = "other"
    message: int | None = None
    makes: str | None = None


def ask(
    said: Sequence[Spoken],
    known: Sequence[Known],
    user: str,
    agent: str,
    before: Sequence[Spoken] = (),
    at: Sequence[float] = (),
) -> Ask:
    """Return the question what a dialogue does to the facts; `at` is when each message was said."""
    tongue = language("\n".join(content for _, _, content in said))
    called = {"user": user, "agent": agent}
    if tongue == "en":  # names that are only defaults follow the language of the talk
        called = {role: inside(ENGLISH.get(name, name)) for role, name in called.items()}
    roles = {"user": called["user"], "assistant": called["agent"]}

    def shown(spoken: Sequence[Spoken]) -> list[dict[str, str]]:
        return [{"who": name or roles.get(role, role), "said": text} for role, name, text in spoken]

    def prompt() -> str:
        memories = [f"[{fact.id}] {fact.text}" for fact in known]
        earlier = {"before": shown(before[-SHOWN:])} if before else {}
        return framed({**earlier, "dialogue": shown(said), "memories": memories})

    today = day_of("today", at[-1]) if at else ""
    instructions = INSTRUCTIONS[tongue].format(**called, today=today or "?")
    return Ask(
        ROUTINE,
        {"said": list(said), "known": list(known), "user": user, "agent": agent,
         "before": list(before), "at": list(at)},
        instructions=f"{instructions} {WARNING[tongue]}",
        prompt=prompt,
        schema=SCHEMA,
        most_tokens=lambda: 400 + tokens(prompt()) // 2,
        lines=True,
    )  # fmt: skip


def read(answer: Any, asked: Ask) -> list[Operation]:
    """Return the operations of an answer that hold, or raise UnusableAnswer if it has none.

    An operation that touches or says what it may not is left out, and not asked for again.
    """
    given = _given(answer)
    found = _numbered(op for item in given[:MOST] for op in _operations(item))
    if not found:
        raise UnusableAnswer("observe: the answer holds no operations")
    wanted = [op for op in found if op.verb != SKIP]
    said = wanted if isinstance(answer, ByRule) else _allowed(wanted, asked)
    allowed = [op for op in said if _is_one_fact(op.text)]
    if wanted and found == wanted and not allowed:  # plain statements are not lost
        lines = by_rules(asked.data)["operations"]
        allowed = _numbered(op for line in lines for op in _operations(line))
    return _settled(_dated(op, asked) for op in allowed)


_LISTS = ("operations", "ops", "actions", "result", "results", "data", "output", "answer")
_NOTHING = [f"[{SKIP}]"]  # what an empty list says


def _given(answer: Any) -> list[Any]:
    """Return what may be operations in an answer: the items of a list, fields, or lines."""
    if isinstance(answer, str):
        data = _loaded(answer)
        if any(_operations(item) for item in data):
            each = [_loaded(line) for line in answer.splitlines()]  # one object a line
            return [item for some in each for item in some] if all(each) else data
        return [s for s in answer.splitlines() if _LINE.match(_plain(s))]
    if isinstance(answer, Mapping) and not _operations(answer):
        inner = first_of(answer, _LISTS)
        if isinstance(inner, str | Mapping):
            return _given(inner)
        found = items_of(answer, _LISTS) or (_NOTHING if [] in answer.values() else [])
        return found or list(_by_verb(answer))
    whole = isinstance(answer, Mapping) or _is_pair(answer)
    return [answer] if whole else _NOTHING if answer == [] else as_list(answer)


def _by_verb(answer: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield the operations of an answer that has them under their verbs."""
    for verb in (verb for verb in answer if verb.upper() in _WITH_ID):
        for item in as_list(answer[verb]) or [answer[verb]]:
            yield {"op": verb, **item} if isinstance(item, Mapping) else {verb: item}


def _loaded(text: str) -> list[Any]:
    """Return what may be operations in the data of a text; none if it holds no data."""
    try:
        return _given(parsed(text))
    except UnusableAnswer:
        return []


def _is_pair(item: Any) -> bool:
    """Tell whether a list is itself an operation: ["ADD", text], ["UPDATE", id, text]."""
    whole = isinstance(item, list) and 2 <= len(item) <= 3 and all(isinstance(x, str) for x in item)
    return whole and item[0].strip("[]").upper() in _WITH_ID


def _operations(item: Any) -> list[Operation]:
    """Return the operation an item is, in whatever form; none for what is not exactly one."""
    if isinstance(item, Mapping):
        return _of_fields(item)
    if _is_pair(item):
        verb = item[0].strip("[]").upper()
        parts = [*item[1:], ""] if _WITH_ID[verb] else [None, *item[1:]]
        return _of_fields({"op": verb, "id": parts[0], "text": parts[1]})
    return _of_line(as_text(item))


_OP, _IDS = ("op", "operation", "action", "verb", "type"), ("id", "mem_id", "memory_id", "target")
_TEXTS = ("text", "content", "fact", "memory", "value", "内容")


def _of_fields(fields: Mapping[str, Any]) -> list[Operation]:
    """Return the operation that fields spell out, or that one of them is a line of."""
    given = first_of(fields, _OP)
    if isinstance(given, Mapping):
        return _of_fields(given)
    verb = as_text(given).strip("[]").upper()
    if verb in _WITH_ID:
        names = _IDS if _WITH_TEXT[verb] else (*_IDS, "memory")
        id_, text = first_of(fields, names), as_text(first_of(fields, _TEXTS))
        named = f":{id_}" if id_ is not None and _WITH_ID[verb] else ""
        line = f"[{verb}{named}] {text if _WITH_TEXT[verb] else ''}"
    elif len(fields) == 1 and (verb := next(iter(fields)).upper()) in _WITH_ID:
        line = _of_pair(verb, fields[next(iter(fields))])
    else:
        line = as_text(first_of(fields, ("line", *_OP)))
    message, topic = fields.get("message"), as_text(fields.get("topic"))
    place = message if isinstance(message, int) else None
    return [replace(op, topic=topic or op.topic, message=place) for op in _of_line(line)]


def _of_pair(verb: str, value: Any) -> str:
    """Write {"ADD": text} and {"BOOST": id} as a line."""
    text = as_text(value)
    return f"[{verb}] {text}" if verb == "ADD" else f"[{verb}:{text}]"


def _plain(line: str) -> str:
    """Return a line with the brackets, letters and colons of half width, its text as it is."""
    return "".join(
        unicodedata.normalize("NFKC", c)
        if c in "［］：（）＜＞" or "Ａ" <= c <= "ｚ" or c == "＿"
        else c
        for c in line
    )


def _of_line(line: str) -> list[Operation]:
    """Return the operation a line is; none for what is not exactly one."""
    match = _LINE.fullmatch(_plain(line))
    if match is None:
        return []
    verb, id_ = (match[1] or match[3]).upper(), match[2] or match[4]
    text = _BEHIND.sub("", " ".join(line[match.start(5) :].split())).strip(" *`")
    while quoted := _QUOTED.fullmatch(text):
        text = quoted[1].strip()
    text = text if _WITH_TEXT[verb] else ""
    id_ = f"mem_{id_}" if id_ and id_.isdigit() else id_ and id_.lower().replace("-", "_")
    if _WITH_ID[verb] != bool(id_) or _WITH_TEXT[verb] != bool(text):
        return []
    return [Operation(verb, id_, text, topic_of(text))]


def _dated(op: Operation, asked: Ask) -> Operation:
    """Write the dates that words for near days mean where a fact was said."""
    at, said = asked.data["at"], asked.data["said"]
    own = [n for n, one in enumerate(said) if one[0] == "user"] or [len(said) - 1]
    place = op.message if op.message is not None and 0 <= op.message < len(at) else own[-1]
    return replace(op, text=dated(op.text, at[place])) if op.text and at else op


def _is_one_fact(text: str) -> bool:
    """Tell whether a text can be a fact: not too long, and with no second operation in it."""
    return len(text) <= LONGEST and not _TAG.search(text)


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
    """The messages of a turn, to judge operations by."""

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
        if op.text and not self._follows(op.text):
            return False
        if fact is None or op.verb == "BOOST":
            return True
        if op.verb == "DELETE":
            return any(self._ends(one, fact) for one in self._statements)
        return not fact.firm or any(self._corrects(one, op, fact) for one in self._statements)

    def _follows(self, text: str) -> bool:
        """Tell whether a text can follow from the talk: nothing in it is made up or turned."""
        named = [plain(claim.raw) for claim in stored(text) if _is_named(claim)]
        told = all(name in self._said.plain for name in named) and self._is_bidden(text)
        return told and bool(terms(text)) and bool(self._statements) and follows(self._said, text)

    def _is_bidden(self, text: str) -> bool:
        """Tell whether what the agent is to do, by a text, was said."""
        wishes = [claim.raw for claim in stored(text) if claim.slot == "standing"]
        named = {word.text.casefold().removesuffix("'s") for word in words(text)}
        if named & self._agent:
            wishes.append(text)
        spoken = [*self._spoken, *self._asked.data["before"]]
        said = "\n".join(said for role, _, said in spoken if role in ("user", "assistant"))
        return all(share_within(w, plain(said), values(said)) >= BIDDEN for w in wishes)

    @cached_property
    def _said(self) -> Said:
        """Return what was said, and around it what was shown, and the dates of the days named."""
        data = self._asked.data
        earlier = [text for _, _, text in data["before"]]
        days = [dated(text, at) for (_, _, text), at in zip(data["said"], data["at"], strict=False)]
        today = [day_of("today", at) for at in data["at"][-1:]]
        around = [*earlier, *(fact.text for fact in data["known"]), *days, *today]
        return heard(self._spoken, self._called, "\n".join(around))

    @cached_property
    def _statements(self) -> list[str]:
        """Return the sentences in which the user states something."""
        own = [text for role, _, text in self._spoken if role == "user"]
        return ["，".join(filter(None, s)) for text in own for s in asserted(text)]

    @cached_property
    def _rules(self) -> set[tuple[str, str | None, str]]:
        """Return the operations that can be read without a model."""
        data = self._asked.data
        names = {"user": data["user"], "agent": data["agent"]}
        around = {"before": data["before"], "at": data["at"]}
        found = observed(data["said"], data["known"], **names, **around)
        bare = ("DELETE", "BOOST")
        ops = {(o.verb, o.id, "" if o.verb in bare else " ".join(o.text.split())) for o in found}
        return ops | {("DELETE", o.id, "") for o in found if o.verb == "UPDATE"}

    def _ends(self, statement: str, fact: Known) -> bool:
        """Tell whether the user says that a fact is over, or wants it forgotten."""
        shared = self._shared(statement, fact)
        if _FORGET.search(statement):
            all_of_it = bool(_FORGET_ALL.search(statement))
            return _wants_forgotten(statement) and (all_of_it or bool(shared))
        if not fact.firm:
            return bool(shared) and (says_changed(statement) or denies(statement))
        said = heard([("user", None, statement)], self._called)
        denied = denies(statement) and said.contradiction(fact.text) == TURNED
        whole = self._repeats(statement, fact) and all(
            said.holds(word) for word in words(fact.text) if word.tag == "verb"
        )
        left = (denied and whole) or _is_left(statement, shared)
        return left and not said.is_of_others(fact.text)

    def _repeats(self, statement: str, fact: Known) -> bool:
        """Tell whether a statement holds more than half of a fact."""
        told = set(terms(fact.text)) - self._names
        return len(told & set(terms(statement))) > len(told) // 2

    def _corrects(self, statement: str, op: Operation, fact: Known) -> bool:
        """Tell whether the user states, in these words, what corrects a fact."""
        said = heard([("user", None, statement)], self._called)
        names = " ".join(word.text for word in words(fact.text) if word.tag in ("name", "noun"))
        if replace(said, around=names).contradiction(op.text) is not None:
            return False
        slots = slot_of(op.text), slot_of(fact.text)
        same = slots[0] is not None and slots[0] == slots[1]
        new = self._new(op.text, fact, same)
        if not all(map(said.holds, new)) or not (new or denies(op.text)):
            return False
        kinds = [slot and slot[:2] for slot in slots]
        if None in kinds:
            near = bool(self._shared(op.text, fact)) or says_changed(statement)
        else:
            near = kinds[0] == kinds[1]
        return same or (near and bool(self._shared(statement, fact)))

    def _new(self, text: str, fact: Known, same: bool) -> list[Word]:
        """Return the words of a text that tell more than a fact; a verb may be the question's."""
        before, aside = plain(fact.text), ("neg", "negated", *(("verb", "key") if same else ()))
        found = [w for w in words(text) if w.weight >= TELLING and w.tag not in aside]
        names = {*self._names, *(name.casefold() for name in self._called)}
        new = [w for w in found if plain(w.text) not in before]
        return [w for w in new if w.text.casefold().removesuffix("'s") not in names]

    @cached_property
    def _agent(self) -> set[str]:
        named = {name.casefold() for name, role in self._called.items() if role == "assistant"}
        return {*named, "assistant", "助手"}

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


def _is_named(claim: Claim) -> bool:
    """Tell whether a claim says which one by a name: somebody, or the make of a thing."""
    make = claim.slot == "possession" and claim.value == "has" and claim.key not in claim.raw
    return make or claim.slot in NAMED


def _wants_forgotten(statement: str) -> bool:
    """Tell whether a statement asks to forget something, and nobody just forgot or should not."""
    fronts = (statement[: found.start()] for found in _FORGET.finditer(statement))
    return any(not _KEEP.search(re.split("[,，。;；]", front)[-1]) for front in fronts)


def _is_left(statement: str, shared: set[str]) -> bool:
    """Tell whether a verb of change stands right by what a statement shares with a fact."""
    found = [w for w in words(statement) if w.weight >= TELLING]
    for start, end in changes(statement):
        verb = next(
            (w for w in found if w.start <= start < w.end and w.tag in ("verb", "key")), None
        )
        if verb:
            before = [w.text for w in found if w.end <= min(start, verb.start)][-1:]
            after = [w.text for w in found if w.start >= max(end, verb.end)][:1]
            if shared & set(terms(" ".join(before + after))):
                return True
    return False


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
