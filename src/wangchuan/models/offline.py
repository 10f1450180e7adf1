"""The model that is always there: no network, no weights, only tables.

A digest cuts what was said into segments, names each, and says in one word how each bears on the
nodes in focus; a compression makes texts fit a length; an observation takes the facts that are
plainly stated; a summary names what was talked about; a review goes by what a fact is about; a
compaction keeps the events of a long log that matter, and the state of the world is what such
events changed; in a chat it can only show what is remembered, and says so.  It never writes a word
of its own except the name of a relation, a few headings, and the few words that turn "I" into a
fact, which come from tables.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from wangchuan.language.attention import compacted, surroundings
from wangchuan.language.facts.claims import stored
from wangchuan.language.facts.comparing import compared
from wangchuan.language.facts.observer import Operation, observed
from wangchuan.language.facts.uses import used
from wangchuan.language.fit import fit
from wangchuan.language.labels import holds, keywords, phrase
from wangchuan.language.terms import terms
from wangchuan.language.text import language, segments
from wangchuan.models.seam import ByRule
from wangchuan.patterns import regex

if TYPE_CHECKING:
    from wangchuan.models.seam import Ask

# What a segment does, by the words that betray it: the first cue found names the relation.
_CUES: tuple[tuple[str, str, str], ...] = (
    (
        "询问",
        "question",
        r"[？?]\s*$|吗[。！]?$|为什么|怎么(?!都|也)|如何|请问"
        r"|^(?:what|how|why|when|where|who|which|can you|could you|do you|is there)\b",
    ),
    (
        "更正",
        "correction",
        r"不是.{1,20}而?是|更正|纠正|说错|记错|搞错|应该是"
        r"|\b(?:actually|correction|i was wrong|i meant|rather than|no longer)\b",
    ),
    (
        "决定",
        "decision",
        r"决定|定下|敲定|确定|选定|就这么办|采用"
        r"|\b(?:decided?|let's go with|we'll go with|settled on|agreed)\b",
    ),
    (
        "原因",
        "reason",
        r"因为|由于|原因|所以|因此|\b(?:because|since|due to|therefore|that's why)\b",
    ),
    (
        "转折",
        "contrast",
        r"但是|不过|可是|然而|虽然|其实|^但|，但|\b(?:but|however|although|though|instead)\b",
    ),
    ("举例", "example", r"比如|例如|譬如|举例|\b(?:for example|for instance|such as|e\.g)\b"),
    (
        "计划",
        "plan",
        r"打算|计划|准备|将要|(?:明天|下周|下个月|明年|周末|以后)\S{0,6}要"
        r"|\b(?:plan(?:ning)? to|going to|will|gonna|intend to|about to)\b|\b\w+'ll\b",
    ),
    (
        "感受",
        "feeling",
        r"喜欢|讨厌|开心|高兴|难过|生气|担心|害怕|爱|失望|感动|伤心|累"
        r"|\b(?:loves?d?|hates?d?|happy|sad|angry|afraid|worried|excited|tired|enjoy(?:ed)?)\b",
    ),
    ("补充", "addition", r"另外|此外|还有|而且|补充|\b(?:also|besides|moreover|in addition)\b"),
)
CUES = tuple((zh, en, regex(cue, re.IGNORECASE)) for zh, en, cue in _CUES)
SHARED = {"zh": "关于", "en": "about"}
OTHERWISE = {"zh": "提到", "en": "mention"}
TOPICS = 4  # sentences of a summary
LONGEST_PART = {True: 44, False: 90}  # characters of each, in Chinese and in English
REPLYING = ("assistant", "system", "tool")
ASKED = regex(r"[?？吗]\s*$")
SHOWING = {
    "zh": "没有可用的模型，我只能告诉你我记得什么：",
    "en": "There is no model to answer; this is what I remember:",
}
BLANK = {
    "zh": "没有可用的模型，关于这个我什么都不记得。",
    "en": "There is no model to answer, and I remember nothing about this.",
}
SAME = 0.8  # of their words, if two texts say the same
LASTING = ("personal", "preference", "promise")
PASSING = regex(
    r"今天|现在|最近|明天|昨天|这周|下周|刚才|暂时|打算|计划"
    r"|\b(?:today|now|currently|tomorrow|yesterday|this week|next week|tonight|plans? to)\b",
    re.IGNORECASE,
)


class OfflineModel:
    """A model that needs nothing but this package."""

    name = "offline"
    inline = True
    extractive = (
        True  # compressing only leaves words out, so it may start from the original every time
    )

    def complete(self, ask: Ask) -> dict[str, Any]:
        """Answer one question; raises NotImplementedError for an unknown routine."""
        routine = ROUTINES.get(ask.routine)
        if routine is None:
            raise NotImplementedError(f"the offline model has no routine {ask.routine!r}")
        return ByRule(routine(ask.data))


def digest(data: Mapping[str, Any]) -> dict[str, Any]:
    """Cut messages into segments, each with its phrase, keywords and relations to the focus.

    Reads `messages` (with `content`) and `focus` (with `content` and `keywords`).  A segment
    names its message by index and has one relation for each focus, in order.
    """
    focus = data.get("focus", ())
    return {
        "segments": [
            _digested(place, text, focus)
            for place, message in enumerate(data["messages"])
            for text in segments(message["content"])
        ]
    }


def _digested(message: int, text: str, focus: Any) -> dict[str, Any]:
    """Describe one segment."""
    return {
        "message": message,
        "text": text,
        "phrase": phrase(text),
        "keywords": keywords(text),
        "relations": _relations(text, focus),
    }


def _relations(text: str, focus: Any) -> list[str]:
    """Name the relation of a segment to each focus: by its own words, else by shared ones."""
    tongue = language(text)
    done = next(((zh, en) for zh, en, cue in CUES if cue.search(text)), None)
    if done:
        return [done[tongue == "en"]] * len(focus)
    shared = [any(holds(text, word) for word in item["keywords"]) for item in focus]
    return [SHARED[tongue] if yes else OTHERWISE[tongue] for yes in shared]


def compress(data: Mapping[str, Any]) -> dict[str, Any]:
    """Make each of `texts` fit its `length` in characters, with a new phrase and keywords."""
    return {"texts": [_compressed(**item) for item in data["texts"]]}


def _compressed(text: str, length: int, keywords: Any = (), **_: Any) -> dict[str, Any]:
    """Fit one text; keywords that the shorter text still holds stay."""
    content = fit(text, length)
    return {"content": content, "phrase": phrase(content), "keywords": _left(content, keywords)}


def _left(content: str, known: Any) -> list[str]:
    """Return the known keywords that a content still holds, or up to three of its own."""
    return [word for word in known if holds(content, word)] or keywords(content, 3)


def observe(data: Mapping[str, Any]) -> dict[str, Any]:
    """Say what a turn of talk does to the facts; see `wangchuan.language.facts.observer`."""
    names = {"user": data["user"], "agent": data["agent"]}
    around = {"before": data.get("before", ()), "at": data.get("at", ())}
    found = observed(data["said"], data["known"], **names, **around)
    return {"operations": [_operation(op) for op in found]}


def _operation(op: Operation) -> dict[str, Any]:
    tag = f"[{op.verb}:{op.id}]" if op.id else f"[{op.verb}]"
    line = tag if op.verb in ("BOOST", "DELETE") else f"{tag} {op.text}"
    return {"line": line, "topic": op.topic, "message": op.message}


def summarise(data: Mapping[str, Any]) -> dict[str, Any]:
    """Say what a piece of conversation was about, in the sentences of it that tell most.

    They are the user's, with the user named; replies stand for them only where he told nothing.
    A word that comes up again makes its sentences weightier. They keep their order.
    """
    said = data.get("said") or [("user", text) for text in data["texts"]]
    whole = "\n".join(text for _, text in said)
    zh = language(whole) == "zh"
    told = [(who in REPLYING, part) for who, text in said for part in segments(text)]
    told = [one for one in told if keywords(one[1]) and not ASKED.search(one[1])]
    told = [one for one in told if not one[0]] or told
    counts = Counter(word for _, part in told for word in set(keywords(part)))
    worth = {n: _worth(part, counts) for n, (_, part) in enumerate(told)}
    best = sorted(sorted(worth, key=lambda n: (-worth[n], n))[:TOPICS])
    parts = [_retold(*told[n], zh) for n in best] or [fit(whole, 20)]
    opening, joint = ("聊了", "；") if zh else ("talked about ", "; ")
    return {"summary": opening + joint.join(dict.fromkeys(filter(None, parts)))}


def _worth(part: str, counts: Counter[str]) -> float:
    """Return what a sentence is worth in a summary: the words that come up again, and its own."""
    found = keywords(part)
    return sum(min(counts[word], 3) for word in found) + min(len(found), 3)


def _retold(reply: bool, part: str, zh: bool) -> str:
    """Return a sentence as a summary has it, with its speaker named."""
    text = fit(part, LONGEST_PART[zh]).strip(" 。.!！，,")
    if reply or not text:
        return text
    return text.replace("我们", "主人他们").replace("我", "主人") if zh else f"the user: {text}"


def review(data: Mapping[str, Any]) -> dict[str, Any]:
    """Decide by what a fact is about: what lasts is promoted or kept, the rest left to fade."""
    lasting = is_core(data)
    if data["kind"] == "promotion":
        return {"thought": "", "decision": "[PROMOTE]" if lasting else "[KEEP]"}
    if data["newer"]:
        return {"thought": "", "decision": "[DELETE]"}
    return {"thought": "", "decision": "[KEEP]" if lasting or data["verified"] else ""}


def decide(data: Mapping[str, Any]) -> dict[str, Any]:
    """Answer small questions by the rules that know them; the rest stay unanswered."""
    found = {q.id: RULES[q.rule](q.data) for q in data["questions"] if q.rule in RULES}
    return {name: answer for name, answer in found.items() if answer is not None}


def is_used(data: Mapping[str, Any]) -> bool:
    """Tell whether a reply drew on a fact."""
    return used([data["fact"]], data["reply"], data["said"], data.get("names", ()))[0]


def is_core(data: Mapping[str, Any]) -> bool:
    """Tell whether a fact is of the kind that lasts.

    A plain sentence that answers no known question may merely have come up often. What is asked
    for "from now on" does not pass.
    """
    claims = stored(data["text"])
    known = data["topic"] != "personal" or claims
    standing = any(claim.slot == "standing" for claim in claims)
    passing = not standing and PASSING.search(data["text"])
    return bool(data["topic"] in LASTING and known and not passing)


def replaces(data: Mapping[str, Any]) -> bool:
    """Tell whether a new fact answers the same question as an old one, otherwise."""
    old, new = stored(data["old"]), stored(data["new"])
    pairs = [(a, b) for a in old for b in new if (a.who, a.slot, a.key) == (b.who, b.slot, b.key)]
    return any(compared(a, b) in ("other", "finer") for a, b in pairs)


def is_same(data: Mapping[str, Any]) -> bool:
    """Tell whether two texts say the same, by their words and numbers."""
    one, other = (frozenset(terms(data[name])) for name in ("one", "other"))
    apart = any(any(map(str.isdecimal, word)) for word in one ^ other)
    return not apart and len(one & other) >= SAME * max(1, len(one | other))


RULES: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "used": is_used,
    "core": is_core,
    "replaces": replaces,
    "same": is_same,
}


def compact(data: Mapping[str, Any]) -> dict[str, Any]:
    """Keep of `messages`, and of what was compacted `before`, the events that matter."""
    return {"memory": compacted(data["messages"], data["before"], data["target"])}


def world(data: Mapping[str, Any]) -> dict[str, Any]:
    """Add to `present` what `messages` tell about files, results and states."""
    return {"world_state": surroundings(data["present"], data["messages"], data["target"])}


def chat(data: Mapping[str, Any]) -> dict[str, Any]:
    """Show what is `remembered` about what was `said`, since there is nobody to answer."""
    tongue, shown = language(data["said"]), data["remembered"]
    text = f"{SHOWING[tongue]}\n{shown}" if shown else BLANK[tongue]
    return {"text": text, "offline": True}


ROUTINES: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "digest": digest,
    "compress": compress,
    "observe": observe,
    "summarise": summarise,
    "review": review,
    "decide": decide,
    "compact": compact,
    "world": world,
    "chat": chat,
}
