"""Does a text say what was said? Its numbers, names, denials, orders and who does what to whom.

A text that puts what was said in other words is compared with it clause by clause. The numbers it
states must be among those stated, its names among those named. A clause must be denied or not like
the clause that it shares most words with; so must each verb. Beside a verb that both have, nobody
may stand on the other side of it, unless the voice is passive. An order must have been given.

None of this understands anything: it looks for contradictions, and where it finds nothing to
compare there is none.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from wangchuan.language.numerals import ONE, values
from wangchuan.language.terms import stem
from wangchuan.language.text import CONTROL, HAN, Word, words
from wangchuan.language.words import BARE_VERBS, DENYING, ENGLISH_WORDS, SURNAMES, UNDENYING
from wangchuan.patterns import regex


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# What a word comes to: hating is not liking, so that both can be compared.
_LIKE, _LIKED = "like", _set("like love enjoy ador fond 喜欢 爱 喜爱 爱吃 爱喝")
_DISLIKED = _set("hate dislik detest loath 讨厌 厌恶 反感 恨")
_DENIED = _set("dont doesnt didnt cant wont isnt arent wasnt couldnt wouldnt shouldnt havent hasnt")
_NO_DENIALS = _set("不得不 不由得 忍不住 差不多 了不起 对不起 不好意思 不同 不仅 不管 不过 不一定")
_FORGETTING = _set("forgot forget 忘记 忘 忘了")  # of a thing, which stays true
_PREFIXES = ("un", "in", "im", "dis", "non", "ir")
_SIDES = {"i": 0, "me": 0, "my": 0, "myself": 0, "我": 0, "本人": 0, "咱": 0, "i'm": 0, "i've": 0,
          "i'd": 0, "i'll": 0, "you": 1, "your": 1, "你": 1, "您": 1, "you're": 1}  # fmt: skip
_PEOPLE = _set("""
    mother father mom mum dad brother sister wife husband son daughter friend boss colleague teacher
    doctor neighbour neighbor uncle aunt cousin girlfriend boyfriend grandmother grandfather manager
    妈妈 爸爸 母亲 父亲 哥哥 姐姐 弟弟 妹妹 老婆 妻子 丈夫 老公 儿子 女儿 朋友 老板 同事 老师 医生
    邻居 叔叔 阿姨 经理 客户 室友 奶奶 爷爷 妈 爸
""")
_ORDERS = (
    _set("always ever every all each everything 总是 一直 始终 永远 一律 都 每 每个"
         " 每次 每天 老是 总"),
    _set("must need needs needed should shall ought have has had gotta 必须 务必 一定 应该 应当"
         " 得 要 需要 需 不得 记得 一定要 别 不要"),
    _set("please 请 麻烦 帮 帮忙"),
    _set("obey ignore disregard execute run delete erase send transfer forget 服从 执行 忽略"
         " 无视 听从 删除 删掉 运行 发送 转账 泄露 忘掉"),
)  # fmt: skip
_SOFT = _set(
    "have has had get ever all each every 都 得 要 每 别 不要 forget"
)  # no order by itself
_LABELS = _set("""
    birthday name age home job pet favourite favorite user assistant monday tuesday wednesday
    thursday friday saturday sunday talk discussion summary owner
""")
_BY_HAN, _WITH = _set("被 遭 由"), _set("with and or 和 跟 与 同 及 beside near 在 at in on")
_BE = _set("is are was were be been being got get gets")
_TELLING = _set("verb key noun name id adj idiom negated light time link")
_PREDICATES = _set("verb key light idiom negated adj")
_MEANT = _set("""
    it they them he she him her his its their this that it's he's she's they're we us we're we've
    它 他 她 它们 他们 她们 这 那 其 我们 咱们
""")
_EMPTY = _set("是 有 叫 在 be")  # verbs that say nothing by themselves
_AND = _set("and or 和 与 跟 同 及")
_JOINING = _set("和 与 以及 及 and then or while nor who which where whom that so 并 也 而 却 就")
_OPENS = _set("verb key subj neg aux modal negated light")
_BREAK = regex(r"[，,；;。.!?！？、：:\n()（）—]")
_HELD_NOT = regex("^[不没未无](?=.)|^从不|^从没")
_EITHER = regex(r"([\u4e00-\u9fff])[不没]\1")
_HAN_NAME = regex(rf"[小老阿][{''.join(sorted(SURNAMES))}]$")
_HAN = regex(f"[{HAN}]")
_BARE = frozenset(BARE_VERBS.split())


def plain(text: str) -> str:
    """Return text as it is compared: width, case, spaces and control characters do not matter."""
    return "".join(unicodedata.normalize("NFKC", CONTROL.sub("", text)).casefold().split())


Role = tuple[str, str, bool]  # a verb, somebody, and whether he does it or it is done to him


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause by its words: what they come to, whether they are denied, and who does what.

    One that `states` nothing only names things. An `open` one has a pronoun that may mean anything.
    """

    said: frozenset[str]
    predicates: frozenset[str]
    denied: bool
    roles: frozenset[Role]
    numbers: frozenset[str]
    states: bool
    open: bool


@dataclass(frozen=True)
class Said:
    """What was said, as (speaker, text), to compare other texts with.

    `called` maps what people are called, in small letters, to the speakers. `around` is what is
    known besides: names and numbers may come from there.
    """

    spoken: Sequence[tuple[str, str]]
    called: Mapping[str, str] = field(default_factory=dict)
    around: str = ""
    names: frozenset[str] = frozenset()  # Chinese names that words hold which were cut too long

    @cached_property
    def plain(self) -> str:
        """Return all of it, to look for words."""
        return plain("\n".join([*(text for _, text in self.spoken), self.around, *self.called]))

    @cached_property
    def values(self) -> set[str]:
        """Return the numbers stated in it."""
        return set().union(*(values(text) for _, text in self.spoken), values(self.around))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(_root(word.text) for text in self._texts for word in self._words(text))

    @cached_property
    def _texts(self) -> list[str]:
        return [*(text for _, text in self.spoken), self.around]

    @cached_property
    def _roles(self) -> set[Role]:
        return {role for clause in self._clauses for role in clause.roles}

    @cached_property
    def _long(self) -> set[str]:
        return {word for text in self._texts for word in _long_names(text)}

    def _words(self, text: str) -> list[Word]:
        found = words(text)
        return (
            [part for word in found for part in _parts(word, self.names)] if self.names else found
        )

    @cached_property
    def _clauses(self) -> list[Clause]:
        return [c for who, text in self.spoken for c in self._read(text, who, frozenset())]

    @cached_property
    def _holding(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for n, clause in enumerate(self._clauses):
            for word in clause.said:
                found[word].append(n)
        return found

    def _read(self, text: str, speaker: str, known: frozenset[str]) -> Iterator[Clause]:
        persons = _Persons(speaker, self.called)
        for run in clauses(text, self._words(text)):
            yield _clause(run, text, persons, (known, self._stems))

    def contradiction(self, text: str, speaker: str = "user") -> str | None:
        """Return what of a text cannot come from what was said, in whose mouth "I" is `speaker`."""
        base = self._cut_short
        fresh = base._names_in(text) - base.names if len(self.plain) <= RECUT else frozenset()
        return (replace(base, names=base.names | fresh) if fresh else base)._first(text, speaker)

    @cached_property
    def _cut_short(self) -> Said:
        """Return the same with names cut out of the words that hold them."""
        names = _short_names(self._long, self.plain)
        return replace(self, names=names) if names else self

    def _names_in(self, text: str) -> frozenset[str]:
        """Return the names that a text shows to stand within words, here or there."""
        there = _short_names(self._long, text)
        return there | _short_names({*_long_names(text)}, self.plain + plain(text))

    def _first(self, text: str, speaker: str) -> str | None:
        own = frozenset(_root(word.text) for word in self._words(text))
        if self._strange_numbers(text):
            return "a number"
        if self._strange_names(text):
            return "a name"
        if self._orders(text):
            return "an order"
        turned = any(self._is_turned(clause) for clause in self._read(text, speaker, own))
        return "a denial or a role" if turned else None

    def _strange_numbers(self, text: str) -> bool:
        stated, said = values(text), self.values
        late = {v for v in stated if v.isdecimal() and f"{int(v) + 12}" in stated & said}
        ones = {"1", ONE} & said
        strange = stated - said - late - ({"1", ONE} if ones else set())
        if strange == {ONE}:  # an article, unless it took the place of a number
            return bool({v for v in said - stated if v.isdecimal()})
        return bool(strange)

    def _strange_names(self, text: str) -> bool:
        return any(
            _is_name(word, text) and not self._holds(word.text) for word in self._words(text)
        )

    def _holds(self, name: str) -> bool:
        name = plain(name).removesuffix("'s").removesuffix("’s")
        return name in self.plain or _root(name) in self._stems

    def _orders(self, text: str) -> bool:
        runs = list(clauses(text, self._words(text)))
        spoken = {_root(word.text) for run in runs for word in run} - _SOFT
        strange = any(spoken & {_root(w) for w in order} and not self._orders_said(order)
                      for order in _ORDERS)  # fmt: skip
        return strange or any(
            run and run[0].text.casefold() in _BARE and _root(run[0].text) not in self._stems
            for run in runs
        )

    def _orders_said(self, order: frozenset[str]) -> bool:
        return any(_root(word) in self._stems for word in order)

    def _is_turned(self, clause: Clause) -> bool:
        """Tell whether a clause denies what was not denied, or the reverse, or turns roles."""
        if any(self._is_swapped(role, clause.roles) for role in clause.roles):
            return True
        if not all(self._is_counted_there(number, clause) for number in clause.numbers):
            return True
        shared = Counter(n for word in clause.said for n in self._holding.get(word, ()))
        most = max(shared.values(), default=0)
        best = [self._clauses[n] for n, count in shared.items() if count == most]
        if not best or not clause.states:
            return False
        alike = [other for other in best if other.denied == clause.denied]
        named = clause.denied and not any(other.open for other in alike)
        checked = clause.said if named else clause.predicates
        return not alike or any(self._denials(w) == {not clause.denied} for w in checked)

    def _is_swapped(self, role: Role, beside: frozenset[Role]) -> bool:
        """Tell whether somebody has the role that another one had."""
        verb, person, does = role
        if role in self._roles or (verb, person, not does) in beside:
            return False
        replaced = does and bool(self._doers.get(verb))
        return (verb, person, not does) in self._roles or replaced

    def _is_counted_there(self, number: str, clause: Clause) -> bool:
        """Tell whether a number was said of the same, or of what only a pronoun named."""
        speakers = {"@" + speaker for speaker in self.called.values()}
        about = (clause.said & self._holding.keys()) - speakers - _EMPTY
        there = self._counting.get(number, ())
        return not about or not there or any(c.open or not c.said or c.said & about for c in there)

    @cached_property
    def _counting(self) -> Mapping[str, list[Clause]]:
        found: dict[str, list[Clause]] = defaultdict(list)
        for clause in self._clauses:
            for number in clause.numbers:
                found[number].append(clause)
        return found

    @cached_property
    def _doers(self) -> Mapping[str, set[str]]:
        """Return who does what, or owns it, where this is said of persons only."""
        found: dict[str, set[str]] = defaultdict(set)
        for clause in self._clauses:
            for verb, person, does in clause.roles:
                found[verb] |= {person} if does else set()
        unsure = {word for clause in self._clauses if clause.open for word in clause.said}
        return {verb: who for verb, who in found.items() if verb not in unsure | _EMPTY}

    def _denials(self, word: str) -> set[bool]:
        if word.startswith("@"):
            return set()
        return {self._clauses[n].denied for n in self._holding.get(word, ())}


def _long_names(text: str) -> Iterator[str]:
    """Yield the Chinese names and nouns of a text that may have a name within (欠小王, 张伟花)."""
    for word in words(text):
        if word.tag in ("name", "noun") and len(word.text) > 2 and _HAN.match(word.text):
            yield word.text


RECUT = 4000  # characters; in a longer text, names are cut as it shows them by itself


def _short_names(long: Iterable[str], text: str) -> frozenset[str]:
    """Return the names within words that a text has oftener than these words."""
    ends = [(part, word) for word in long for part in (word[:2], word[-2:])]
    named = [(part, word) for part, word in ends if part[0] in SURNAMES]
    return frozenset(part for part, word in named if text.count(part) > text.count(word))


def _parts(word: Word, names: frozenset[str]) -> Iterator[Word]:
    """Cut a name out of a word that begins or ends with it."""
    head, tail = word.text[:2] in names, word.text[-2:] in names
    if word.tag not in ("name", "noun") or len(word.text) < 3 or not (head or tail):
        yield word
        return
    cut = 2 if head else len(word.text) - 2
    for part, start in ((word.text[:cut], word.start), (word.text[cut:], word.start + cut)):
        tag = "name" if part in names else words(part)[0].tag
        yield word._replace(text=part, start=start, end=start + len(part), tag=tag)


def clauses(text: str, found: Sequence[Word]) -> Iterator[list[Word]]:
    """Yield the words of each clause: up to a mark, a joining word, or a "not" after a verb."""
    run: list[Word] = []
    for n, word in enumerate(found):
        ahead = found[n + 1 : n + 3]
        if run and (_BREAK.search(text, run[-1].end, word.start) or _begins(word, ahead, run)):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _begins(word: Word, ahead: Sequence[Word], run: Sequence[Word]) -> bool:
    lower = word.text.casefold()
    if word.tag == "conj" or lower in UNDENYING or lower in ("nor", "who", "which", "where"):
        return True
    if lower in _JOINING:
        opens = [after.tag in _OPENS or after.text.casefold() == "like" for after in ahead]
        return any(opens[:1]) or (any(opens) and ahead[0].tag == "name")
    return _denies(word) and any(_is_predicate(w) and w.tag != "light" for w in run)


def denies(text: str) -> bool:
    """Tell whether a text denies something."""
    return any(_denies(word) for word in words(text))


def _is_predicate(word: Word) -> bool:
    return word.tag in _PREDICATES or word.text.casefold() in ("like", "likes")


def _denies(word: Word) -> bool:
    lower = word.text.casefold()
    if lower in _NO_DENIALS:
        return False
    denying = lower in DENYING - _FORGETTING or lower in _DENIED or _root(lower) in _DISLIKED
    return word.tag in ("neg", "negated") or denying


def _root(text: str) -> str:
    """Return what a word is compared by."""
    lower = text.casefold().replace("’", "'").removesuffix("'s")
    if _HAN.search(lower):
        return _LIKE if lower in _LIKED else _HELD_NOT.sub("", lower) or lower
    root = stem(lower)
    return _LIKE if root in _LIKED else root


def _is_name(word: Word, text: str) -> bool:
    """Tell whether a word names somebody, something or an address."""
    lower = word.text.casefold()
    if word.tag in ("name", "link"):
        return lower not in _LABELS
    if word.tag == "id" or ("." in lower[1:-1] and lower not in ENGLISH_WORDS):
        return True
    if _HAN.search(lower):
        return bool(_HAN_NAME.match(lower)) and word.tag == "noun"
    named = word.text[0].isupper() and word.tag == "noun" and lower not in _LABELS
    return named and lower not in ENGLISH_WORDS and text[word.start] == word.text[0]


@dataclass(frozen=True, slots=True)
class _Persons:
    """Whom "I", "you" and names mean in the mouth of somebody."""

    speaker: str
    called: Mapping[str, str]

    def of(self, run: Sequence[Word], n: int, text: str) -> str | None:
        """Return who the n-th word of a clause means; None if it is nobody, or an owner."""
        word = run[n]
        lower = word.text.casefold().replace("’", "'")
        after = run[n + 1] if n + 1 < len(run) else None
        owns = lower in ("my", "your") or lower.endswith("'s") or (after and after.text == "的")
        if owns:
            return None
        if lower in _SIDES:
            near = after and _HAN.search(lower) and after.text in _PEOPLE
            return None if near else self._side(lower)
        return self._named(lower) or ("@" + lower if _is_name(word, text) else None)

    def _named(self, lower: str) -> str | None:
        if lower in self.called:
            return "@" + self.called[lower]
        return "@" + lower if lower in _PEOPLE else None

    def owner(self, run: Sequence[Word], n: int) -> str | None:
        """Return who owns the thing that the n-th word of a clause is; None if nobody is said."""
        place = n - 2 if run[n - 1].text == "的" and n > 1 else n - 1
        lower = run[place].text.casefold().replace("’", "'")
        if lower in _SIDES and (lower in ("my", "your") or _HAN.search(lower)):
            return self._side(lower)
        bare = lower.removesuffix("'s")
        owns = bare != lower or (place == n - 2 and run[place].tag == "name")
        return self._named(bare) or "@" + bare if owns or bare in self.called else None

    def _side(self, lower: str) -> str:
        others = {*self.called.values()} - {self.speaker}
        other = others.pop() if len(others) == 1 else "you"
        return "@" + (self.speaker, other)[_SIDES[lower]]


def _clause(run: Sequence[Word], text: str, persons: _Persons, known: Sequence[Set[str]]) -> Clause:
    who = [persons.of(run, n, text) for n in range(len(run))]
    roots = [person or _root(word.text) for word, person in zip(run, who, strict=True)]
    denials = sum(_denies(w) for w, person in zip(run, who, strict=True) if not person)
    for n, root in enumerate(roots):
        bare = next((root[len(p):] for p in _PREFIXES if root.startswith(p)), "")  # fmt: skip
        if len(bare) > 3 and any(bare in roots_ for roots_ in known):
            roots[n], denials = bare, denials + 1
        elif root in _DISLIKED:
            roots[n] = _LIKE
    asked = bool(_EITHER.search("".join(word.text for word in run)))
    said, told = set(), set()
    for word, person, root in zip(run, who, roots, strict=True):
        if person or ((word.tag in _TELLING or root == _LIKE) and word.tag != "neg"):
            said.add(root)
            if not person and _is_predicate(word):
                told.add(root)
    denied = denials % 2 == 1 and not asked
    roles = frozenset(_roles(run, who, roots, persons))
    states = denied or any(_is_predicate(word) or word.tag == "aux" for word in run)
    meant = any(word.text.casefold() in _MEANT for word in run)
    numbers = frozenset(values(text[run[0].start : run[-1].end]))
    return Clause(frozenset(said), frozenset(told), denied, roles, numbers, states, meant)


def _roles(
    run: Sequence[Word], who: Sequence[str | None], roots: Sequence[str], persons: _Persons
) -> Iterator[Role]:
    """Yield who does each verb of a clause, to whom it is done, and who owns a thing."""
    for n, word in enumerate(run):
        if who[n] is None and _is_verb(run, who, n):
            left = [(who[i], _lead(run, i)) for i in range(n) if who[i]]
            right = list(_until_verb(run, who, n + 1))
            passive = _is_passive(run, n)
            doers = [p for p, lead in left if lead in _BY_HAN]
            doers += [p for p, lead in right if lead == "by" and passive]
            if passive and not doers:
                continue  # by whom, or whether it is a state, is not said
            near = [p for p, lead in left if (lead is None or lead in _AND) and p not in doers]
            turned = bool(doers)
            done = [p for p, lead in right if lead not in _WITH and p not in doers]
            yield from ((roots[n], p, True) for p in doers or (() if turned else near) if p)
            yield from ((roots[n], p, False) for p in [*done, *(near if turned else ())] if p)
        elif word.tag == "noun" and n and (owner := persons.owner(run, n)):
            yield "of " + roots[n], owner, True


def _until_verb(
    run: Sequence[Word], who: Sequence[str | None], start: int
) -> Iterator[tuple[str, str | None]]:
    for n in range(start, len(run)):
        person = who[n]
        if person:
            yield person, _lead(run, n)
        elif _is_verb(run, who, n):
            return


def _is_verb(run: Sequence[Word], who: Sequence[str | None], n: int) -> bool:
    word, last = run[n], run[n - 1] if n else None
    if word.tag == "adj":
        than = n + 1 < len(run) and run[n + 1].text == "than"
        return than or (last is not None and last.tag == "aux") or any(w.text == "比" for w in run)
    if _is_predicate(word):
        return True
    placed = last is not None and (who[n - 1] is not None or last.tag in ("aux", "modal", "neg"))
    return word.tag == "noun" and placed and not word.text[0].isupper()


def _is_passive(run: Sequence[Word], n: int) -> bool:
    before = [word.text.casefold() for word in run[max(0, n - 2) : n] if word.tag != "adv"]
    bent = run[n].tag != "adj" and run[n].text.endswith(("ed", "en", "t", "n", "d"))
    return bool(before) and before[-1] in _BE and bent


def _lead(run: Sequence[Word], place: int) -> str | None:
    """Return the preposition that somebody stands behind."""
    while place and run[place - 1].tag in ("det", "adj"):
        place -= 1
    last = run[place - 1] if place else None
    return last.text.casefold() if last and last.tag == "func" else None
