"""The block of memory an agent puts into its prompt.

It holds, in this order and under a budget of tokens: core memories, the facts that bear on the
query, episodes, and what was said, each with who said it and when. All but the core is chosen by
one measure, how much it holds of what the query names (`matter`): the best must hold enough, or
nothing was ever said of it and the block stays empty; others must come near the best. A question
about a day is answered with that day, one about what was just said with the last turns. Somebody
who asks of himself and is surely answered by nothing is told all facts, if they are few and most of
what is known, or those nearest in meaning. What was corrected is told with its correction.

The block stands between two marks, the first with a check of what follows, by which `remember`
recognises it and drops it when it comes back: what the system said itself is never learned from it.
Being put into a prompt is not a use and counts for nothing, except for what had gone cold and is
brought because nothing else answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wangchuan.facts.records import Facts, outdated_among
from wangchuan.finding.days import Days
from wangchuan.finding.exchange import WHO, Figure, is_reply
from wangchuan.finding.found import DROPPED, FORGOTTEN, Found
from wangchuan.finding.hits import MOST, SOON, Hit, Hits, putting_right, renewed, set_right
from wangchuan.finding.known import MEANT, SURE, Known
from wangchuan.finding.latest import Latest
from wangchuan.finding.layout import Layout, Section
from wangchuan.finding.matter import Matter
from wangchuan.finding.query import Query
from wangchuan.finding.recall import folded
from wangchuan.finding.search import Search
from wangchuan.finding.telling import Telling, question_of
from wangchuan.finding.traces import once_known
from wangchuan.finding.vectors import Vectors
from wangchuan.finding.wish import DEFAULT_TOKENS, Wish
from wangchuan.ids import name_of
from wangchuan.language.dates.coming import as_of
from wangchuan.language.dates.spans import Span, spans
from wangchuan.language.kinds import is_general
from wangchuan.language.labels import keywords
from wangchuan.language.terms import terms
from wangchuan.language.text import Word, language, words
from wangchuan.living.lens import Lens
from wangchuan.network.activity import COLD
from wangchuan.patterns import regex
from wangchuan.storage import MessageRecord, NodeRecord, Transaction
from wangchuan.types import Block, Part

MOST_CORE, MOST_FACTS, MOST_EPISODES = 20, 10, 5
MOST_TOLD = 20  # facts that are few enough to be told whole
PER_HIT = 40  # tokens of the budget for which one hit is looked at
MOST_HITS = 100
AROUND = 4  # messages after one that are of the same topic, where people ask for the last time
MESSAGES_OF_DAYS = 0.6  # share of the room for what was said at a time; the rest is for episodes
MOST_LATELY = 2000  # messages that are looked at for a part of a topic's name
FEW = 4  # messages: a character in more of them tells no topic

JUST = regex(r"刚才|刚刚|\b(?:just now|a (?:moment|minute) ago)\b", re.IGNORECASE)
LATELY = regex(
    r"上次|上回|最近聊|之前[聊说谈]"
    r"|\b(?:last time|the other day|earlier|recently|previously|last)\b",
    re.IGNORECASE,
)
ASKS = regex(
    r"[?？吗]|什么|哪|谁|几|记得|聊|\b(?:what|wh(?:o|en|ere|ich|y)|how|did|remember|remind)\b",
    re.IGNORECASE,
)
TALKED = regex(
    r"聊|说|讲|告诉|谈|\b(?:talk|t(?:ell|old)|sa(?:y|id)|discuss|mention|chat)", re.IGNORECASE
)
ADVICE = regex(
    r"[能该]|要不要|推荐|建议|帮我|\b(?:should|shall|can|could|may|would|recommend|suggest)\b",
    re.IGNORECASE,
)
PAST = regex(r"[了过昨前上]|\b(?:did|was|were|had|happened|ago|last|yesterday)\b", re.IGNORECASE)
ADDRESSED = regex(r"你|\byou\b", re.IGNORECASE)
PERSONAL = regex(r"[我咱家]|\b(?:I|me|my|mine|we|us|our)\b", re.IGNORECASE)
# Tags of words that name nothing in particular.
NAMELESS = frozenset({
    "pron", "part", "func", "ask", "verb", "time", "adv", "light", "modal", "generic", "aux", "num",
    "unit", "neg", "adj", "idiom", "filler", "subj", "det", "key",
})  # fmt: skip


@dataclass
class Context:
    """Builds the block for one moment of one memory."""

    tx: Transaction
    lens: Lens
    facts: Facts
    vectors: Vectors | None
    wish: Wish
    warmed: tuple[int, ...] = ()  # nodes that had gone cold and are in the block
    corrected: dict[int, MessageRecord] = field(default_factory=dict)  # by what they put right
    is_sure: bool = False  # whether something that was said holds nearly all that is asked

    def block(self) -> Block:
        """Return the block, empty if there is nothing to say."""
        self.tx.ahead(
            lambda tx: tx.facts.of_kinds(["system", "core"], MOST_CORE),
            lambda tx: tx.facts.of_kinds(["fact"], MEANT),
            lambda tx: tx.messages.speakers(),
            lambda tx: tx.messages.newest(),
            lambda tx: tx.messages.last(),
            lambda tx: tx.nodes.highest(),
            lambda tx: Days(tx, self.spans).messages(),
        )
        core = _learned(self.tx.facts.of_kinds(["system", "core"], MOST_CORE), self.now)
        facts, disputed = self._undisputed(self._about("fact", MOST_FACTS))
        said = self._said(facts, answered=bool(facts or disputed))
        if not (self.is_sure or self.known.is_sure(facts)) and self._may_be_known():
            facts = self._filled(facts)
        return Layout(self.wish, self.tongue, self.matter.worth.keys()).block(
            [Section("core", core), Section("fact", _learned(facts, self.now) + disputed), *said]
        )

    # what is asked

    @cached_property
    def now(self) -> float:
        """Return the moment of the block."""
        return self.lens.clock()

    @cached_property
    def tongue(self) -> str:
        """Return the language of the query, or else of what was said last."""
        if self.wish.text:
            return language(self.wish.text)
        kinds = ["system", "core", "fact"]
        known = " ".join(record.text for record in self.tx.facts.of_kinds(kinds, MOST_CORE))
        last = self.tx.messages.last()
        return language(known or (last.content if last else ""))

    @cached_property
    def spans(self) -> list[Span]:
        """Return the past times that the query asks about; today only if it asks what was said."""
        query = self.wish.text
        talked = bool(TALKED.search(query))
        found = spans(query, self.now) if talked or PAST.search(query) else []
        return [s for s in found if s.last <= self.now or (talked and s.first <= self.now)]

    @cached_property
    def days(self) -> Days:
        """Return what was said at these times."""
        return Days(self.tx, self.spans)

    @cached_property
    def matter(self) -> Matter:
        """Return what the query is about, beside the time it asks about."""
        text = self.wish.text
        for span in reversed(self.spans):
            text = text[: span.start] + " " + text[span.end :]
        return Matter.of(self.tx, self.lens.settings, LATELY.sub(" ", JUST.sub(" ", text)))

    @cached_property
    def figure(self) -> Figure:
        """Return the time or number that the query asks for."""
        return Figure(self.wish.text, self.now)

    @cached_property
    def known(self) -> Known:
        """Return what was learned, as seen from the query."""
        closeness = self.vectors.closeness if self.vectors else None
        wish = self.wish
        return Known(self.tx, self.facts, self.figure, self.matter, wish.since, closeness)

    @cached_property
    def latest(self) -> Latest:
        """Return what was said later on the matter of statements."""
        return Latest(self.tx, self.matter, self.figure)

    @cached_property
    def telling(self) -> Telling:
        """Return how messages are told here."""
        return Telling(self.tx, self.lens, self.tongue, self.matter.worth.keys())

    # what was learned

    def _about(self, kind: str, most: int) -> list[NodeRecord]:
        if self.wish.query is None:
            return self.tx.facts.of_kinds([kind], most)
        return self.known.about(kind, most) if self.matter.worth else []

    def _filled(self, facts: list[NodeRecord]) -> list[NodeRecord]:
        """Return facts with all others where these are few, or with the nearest in meaning."""
        advised = bool(ADVICE.search(self.wish.text))  # when to leave may hang on anything
        more = self.known.foremost("fact", MOST_TOLD, stating=not advised)
        return list({record.n: record for record in [*facts, *more]}.values())

    def _undisputed(self, facts: list[NodeRecord]) -> tuple[list[NodeRecord], list[Part]]:
        """Return the facts that stand, and what takes the place of the others.

        If the speaker put right what a fact came from, and nothing was learned of that, his words
        are told instead.
        """
        told: dict[int, Part | None] = {}
        known, came_from = {record.n for record in facts}, _came_from(self.tx, facts)
        for record in facts:
            for said, later in self._replaced(came_from[record.n]):
                learned = {n for _, n in self.tx.facts.learned_from([later.seq])} & known
                part = self.telling.part(said, {}, None, later)
                told[record.n] = part if not learned else None  # else a fact takes its place
        parts = list(dict.fromkeys(part for part in told.values() if part))
        return [record for record in facts if record.n not in told], parts

    def _replaced(self, evidence: list[MessageRecord]) -> list[tuple[MessageRecord, MessageRecord]]:
        """Return what a fact came from, with what was said later in its place, if anything was."""
        since = self.latest.of(evidence)
        for said in evidence:
            soon = self.tx.messages.between(said.seq + 1, said.seq + SOON)
            if later := putting_right(said, [one for one in soon if one.role == "user"]):
                since[said.seq] = later
        return [(said, since[said.seq]) for said in evidence if said.seq in since]

    def _may_be_known(self) -> bool:
        """Tell whether any fact may answer, in whatever words.

        Somebody asks of himself, for advice, or for a kind of thing, and names nobody unknown.
        """
        query = self.wish.text
        if not (ASKS.search(query) or ADVICE.search(query)) or self.matter.is_of_stranger:
            return False
        said = words(query)
        nameless = bool(said) and all(map(_is_nameless, said))
        general = self.matter.worth and self.matter.is_general(
            lambda term: bool(self.tx.index.facts_holding(term, 1))
        )
        return bool(PERSONAL.search(query) or ADVICE.search(query) or nameless or general)

    # what was said

    def _said(self, facts: list[NodeRecord], *, answered: bool) -> list[Section]:
        """Return episodes, and what comes to mind beside some facts."""
        if self.wish.query is None:
            episodes = self.tx.facts.of_kinds(["episode"], MOST_EPISODES)
            said = self.telling.parts(_attended(self.tx))
            return [Section("episode", _learned(episodes)), Section("said", said)]
        near, rest = self._near(self._found(), facts)
        if not (near or rest or answered or self.spans) and ASKS.search(self.wish.text):
            near, rest = self._by_kinds() or (near, rest)
        if JUST.search(self.wish.text):
            return [self._in_order(self.days.just_said())]
        within = [hit for hit in near if self.days.hold(hit.record.said_at)]
        if self.spans and not within:
            return self._of_days(near)
        if self.spans:
            near = within
        elif LATELY.search(self.wish.text):
            best = MOST * max((hit.share for hit in near), default=0.0)
            return self._last_time(near + [hit for hit in rest if near and hit.share >= best])
        near = renewed(near, self.latest.of(hit.record for hit in near))
        if facts and not (self.matter.naming or WHO.search(self.wish.text)):
            near = _sources(self.tx, facts, near) or near
        told = self._told(near)
        if rest and not near:  # something was said of it, but not what is asked for
            return []
        if not told:
            about = _learned(self._about("episode", MOST_EPISODES))
            lost = [] if answered or about else self._cold_or_lost()
            return [Section("episode", about), Section("said", lost)]
        large = self.wish.max_tokens > DEFAULT_TOKENS
        more = self._told(set_right(self.tx, self.matter, rest)) if large else {}
        found = Section("said", list(told.values()), _newest_first(told), list(more.values()))
        return [found]

    def _by_kinds(self) -> tuple[list[Hit], list[Hit]] | None:
        """Return what answers in other words for the same kinds of things, if there are any."""
        wider = self.matter.widened(self.tx)
        if wider.alike == self.matter.alike:
            return None
        self.matter = wider
        return self._near(self._found())

    def _found(self, *, forgotten: bool = False) -> list[Found]:
        """Return what search finds, without the question itself.

        Nor what was corrected since, unless something was said in its place: that is told instead.
        """
        wish = self.wish
        limit = min(MOST_HITS, max(MOST_FACTS, wish.max_tokens // PER_HIT))
        since = None if wish.since == float("-inf") else wish.since
        options = {"limit": limit, "kinds": ["segment"], "forgotten": forgotten, "since": since}
        options |= {"cold": forgotten}
        nearest = self.vectors.nearest if self.vectors else None
        alike = [term for others in self.matter.alike.values() for term in others]
        query = Query.of(" ".join([wish.text, *alike]), self.now, **options)
        found = list(Search(self.tx, self.lens, query, nearest).found())
        said = [one for one in found if one.record.content.strip() != wish.text.strip()]
        old = outdated_among(self.tx, [one.record.seq for one in said], self.matter.worth)
        self.corrected |= self._corrections(old)
        return [one for one in said if one.record.seq not in old.keys() - self.corrected.keys()]

    def _corrections(self, old: Mapping[int, Collection[int]]) -> dict[int, MessageRecord]:
        """Return the last message that put right what was learned from each of some messages."""
        facts = {n for some in old.values() for n in some}
        last = dict(self.tx.facts.sources_of_latest(facts)) if facts else {}
        said = {r.seq: r for r in self.tx.messages.of(last.values()) if r.content.strip()}
        found = {n: [last[f] for f in some if last.get(f, 0) > n] for n, some in old.items()}
        return {n: said[max(some)] for n, some in found.items() if some and max(some) in said}

    def _near(
        self, found: list[Found], facts: Iterable[NodeRecord] = ()
    ) -> tuple[list[Hit], list[Hit]]:
        """Return the hits that answer, and others; replies, too, if it is asked what was said.

        What was corrected is told with its correction, unless a fact tells that already.
        """
        replies = bool(TALKED.search(self.wish.text) or ADDRESSED.search(self.wish.text))
        near, rest = Hits(self.tx, self.matter, self.figure, self._meant(), replies).near(found)
        self.is_sure = any(hit.share >= SURE for hit in near)
        known, learned = {fact.n for fact in facts}, self.tx.facts.learned_from
        later = {record.seq for record in self.corrected.values()}
        told = {m for m, n in learned(later) if n in known} if later and known else set()
        old = {n for n, record in self.corrected.items() if record.seq in told}
        near = [hit for hit in near if hit.record.seq not in old]
        left = [hit for hit in rest if hit.record.seq not in self.corrected]
        return renewed(near, self.corrected), left

    def _meant(self) -> dict[int, float]:
        """Return the messages that are near in meaning, each worth an answer at least."""
        if self.vectors is None or not self.matter.worth:
            return {}
        floor, least = self.lens.settings.vector_floor, self.matter.least
        near = self.vectors.nearest(self.tx, self.wish.text, MOST_FACTS)
        return {message: max(close, least) for message, close in near if close >= floor}

    def _told(self, hits: Iterable[Hit]) -> dict[Hit, Part]:
        """Return hits as parts, in the same order; those that tell nothing are left out."""
        hits = list(hits)
        made = self.telling.made({turn for hit in hits for turn in hit.beside})
        made |= {hit.record.seq: hit.found.made for hit in hits}
        tell = self.telling.part
        parts = {hit: tell(hit.record, made, hit.before, hit.later, hit.after) for hit in hits}
        return {hit: part for hit, part in parts.items() if part}

    # a time

    def _in_order(self, messages: Sequence[int], hits: Iterable[Hit] = ()) -> Section:
        """Return messages as they followed one another, the last ones taken first, then hits."""
        parts = self.telling.parts(messages)
        more = dict.fromkeys(part for part in self._told(hits).values() if part not in parts)
        return Section("said", [*reversed(parts), *more], [*parts, *more])

    def _of_days(self, near: list[Hit]) -> list[Section]:
        """Return the episodes of the time asked for, and what was said then, the most telling."""
        messages = self.days.messages()
        said = self._in_order(messages)
        on_topic = list(self._told(near).values())
        said.parts = [*self.days.most_telling(said.shown), *on_topic]
        said.shown += on_topic
        said.room = MESSAGES_OF_DAYS
        return [said, Section("episode", _learned(self.days.episodes_of(messages)))]

    def _last_time(self, near: list[Hit]) -> list[Section]:
        """Return the last conversation on a topic, as far as it was on it; else the last ones.

        Of what may be on it, by a part of its name, nobody knows which: all of it is told.
        """
        on_it = [hit.record for hit in near] or (self._alike() if self._is_of_talk else [])
        if not on_it or all(map(is_reply, on_it)):
            return self._anything()
        last = max(record.talk for record in on_it)
        of_it = {r.seq: r.talk for r in on_it if r.talk == last or not near}
        wanted = {n + far: talk for n, talk in of_it.items() for far in range(-1, AROUND)}
        around = [r for r in self.tx.messages.of(wanted) if r.talk == wanted[r.seq]]
        said = [r.seq for r in around if r.seq in of_it or not _closes(r, of_it)]
        others = [hit for hit in near if hit.record.talk != last]
        return [self._in_order(sorted(said), others)]

    def _anything(self) -> list[Section]:
        """Return what may be the topic, by no word of its name: episodes that hold some of it.

        Or else all that was most telling lately, for a reader who knows what belongs to it.
        """
        episodes = self._about("episode", MOST_EPISODES)
        if not self.matter.worth:  # no topic is named: the last ones
            episodes = self.tx.facts.of_kinds(["episode"], MOST_EPISODES)
        if episodes or not self._is_of_talk:
            return [Section("episode", _learned(episodes))]
        said = self._in_order([record.seq for record in self._lately])
        said.parts = self.days.most_telling(said.shown)[:MOST_HITS]
        return [said]

    @property
    def _is_of_talk(self) -> bool:
        """Tell whether it is asked what was said, and not when something was done."""
        return bool(TALKED.search(self.wish.text)) or not self.figure.is_asked

    @cached_property
    def _lately(self) -> list[MessageRecord]:
        """Return what users said lately, each thing once, the last time."""
        newest = self.tx.messages.newest()
        lately = self.tx.messages.between(newest - MOST_LATELY, newest)
        said = {record.content: record for record in lately if record.role == "user"}
        return sorted(said.values(), key=lambda record: record.seq)

    def _alike(self) -> list[MessageRecord]:
        """Return what users said lately with a rare word that has a character of a topic.

        棋社 for 下棋. Who asks for the last time says that there was one, so a part of its name
        will do.
        """
        named = self.matter.naming or self.matter.worth
        topic = {c for term in named for c in term if language(c) == "zh"}
        holding: dict[str, list[MessageRecord]] = {}
        for record in (r for r in self._lately if not topic.isdisjoint(r.content)):
            for term in {t for t in terms(record.content) if not topic.isdisjoint(t)}:
                holding.setdefault(term, []).append(record)
        few = {term: some for term, some in holding.items() if len(some) <= FEW}
        rarest = min(map(len, few.values()), default=0)
        on_it = [record for some in few.values() if len(some) == rarest for record in some]
        return list(dict.fromkeys(on_it))

    # what is not at hand

    def _cold_or_lost(self) -> list[Part]:
        """Return what had gone cold and answers; else say what was known once, if anything was."""
        near, _ = self._near(self._found(forgotten=True))
        cold = [hit for hit in near if hit.found.lost == COLD]
        if told := self._told(cold):
            self.warmed = tuple(node.n for hit in cold for node in hit.found.alive)
            return list(told.values())
        gone = [hit.found for hit in near if hit.found.lost in (DROPPED, FORGOTTEN)]
        lost = "\n".join(one.record.content for one in gone)
        words = [word for word in keywords(self.wish.text) if folded(word) in folded(lost)]
        return [_lost(once_known(words, language(lost)))] if words else []


def _attended(tx: Transaction) -> list[int]:
    """Return the messages whose nodes are being attended."""
    records = [tx.nodes.get(n) for n in tx.links.focus()]
    return [record.message for record in records if record and record.message]


def _came_from(tx: Transaction, facts: list[NodeRecord]) -> dict[int, list[MessageRecord]]:
    """Return what facts came from, by their numbers; what was said after that is sent for."""
    tx.ahead(*(lambda soon, n=fact.n: soon.facts.evidence_of(n) for fact in facts))
    evidence = {fact.n: tx.facts.evidence_of(fact.n) for fact in facts}
    tx.ahead(*(lambda soon, some=some: soon.messages.of(some) for some in evidence.values()))
    found = {n: tx.messages.of(some) for n, some in evidence.items()}
    said = {message.seq for some in found.values() for message in some}
    tx.ahead(*(lambda soon, n=n: soon.messages.between(n + 1, n + SOON) for n in said))
    return found


def _sources(tx: Transaction, facts: list[NodeRecord], hits: list[Hit]) -> list[Hit]:
    """Return the hits that facts were learned from.

    Where only kinds of things are asked about, which anybody has, others tell of others.
    """
    sources = {n for fact in facts for n in tx.facts.evidence_of(fact.n)}
    return [hit for hit in hits if hit.record.seq in sources]


def _closes(record: MessageRecord, on_it: Collection[int]) -> bool:
    """Tell whether a turn right before others replies to something else, and asks nothing."""
    last = record.seq + 1 in on_it and record.seq - 1 not in on_it
    return last and is_reply(record) and not question_of(record.content)


def _is_nameless(word: Word) -> bool:
    """Tell whether a word names nothing in particular, or a kind of thing."""
    return word.tag in NAMELESS or is_general(word.text)


def _newest_first(told: dict[Hit, Part]) -> list[Part]:
    """Return parts as they are shown: those that hold most of the topic, the newest first."""
    most = MOST * max((hit.share for hit in told), default=0.0)
    hits = sorted(told, key=lambda hit: (hit.share < most, -(hit.later or hit.record).seq))
    return [told[hit] for hit in hits]


def _learned(records: Iterable[NodeRecord], now: float | None = None) -> list[Part]:
    """Return facts, core memories or episodes as parts; with the time, it says what is past."""
    parts = []
    for record in records:
        content = " ".join(record.text.split())
        text = content if now is None else as_of(content, now)
        parts.append(Part(record.kind, text, content, name_of(record.n), record.created_at))
    return parts


def _lost(sentence: str) -> Part:
    return Part("lost", sentence, sentence)
