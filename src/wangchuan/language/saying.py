"""Does a text say what was said? Its numbers, names, denials, orders and who does what to whom.

A text that puts what was said in other words is compared with it clause by clause. The numbers it
states must be among those stated, its names among those named. A clause must be denied or not like
the clause that it shares most words with; so must each verb. Beside a verb that both have, nobody
may stand on the other side of it, unless the voice is passive. An order must have been given.

None of this understands anything: it looks for contradictions, and where it finds nothing to
compare there is none. What was said is read once, however many texts are compared with it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from wangchuan.language.facts.shapes_zh import TRADE
from wangchuan.language.numerals import values
from wangchuan.language.terms import stem
from wangchuan.language.text import CONTROL, HAN, Word, words
from wangchuan.language.words import DENYING, ENGLISH_WORDS, SURNAMES, UNDENYING
from wangchuan.patterns import regex


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_DISLIKED = _set("hate dislik detest loath 讨厌 厌恶 反感 恨")  # comes to not liking
_LIKED, _LIKE = _set("喜欢 爱 喜爱"), "like"
_DENIED = _set("dont doesnt didnt cant wont isnt arent wasnt couldnt wouldnt shouldnt havent hasnt")
_PREFIXES = ("un", "in", "im", "dis", "non", "ir")
_SIDES = {"i": 0, "me": 0, "my": 0, "myself": 0, "我": 0, "本人": 0, "咱": 0, "i'm": 0, "i've": 0,
          "i'd": 0, "i'll": 0, "you": 1, "your": 1, "你": 1, "您": 1, "you're": 1}  # fmt: skip
_PEOPLE = _set("""
    mother father mom mum dad brother sister wife husband son daughter friend boss colleague teacher
    doctor neighbour neighbor uncle aunt cousin girlfriend boyfriend grandmother grandfather manager
    妈妈 爸爸 母亲 父亲 哥哥 姐姐 弟弟 妹妹 老婆 妻子 丈夫 老公 儿子 女儿 朋友 老板 同事 老师 医生
    邻居 叔叔 阿姨 经理 客户 室友 奶奶 爷爷 妈 爸
""")
# Words of orders, by stem: one of a row may stand for another that was said.
_ORDERS = (
    _set("alway everyth 总是 一直 始终 永远 一律 每个 每次 每天 老是 总"),
    _set("must need should shall ought gotta 必须 务必 一定 应该 应当 需要 需 不得 记得 一定要"),
    _set("pleas obey ignor disregard execut delet eras 请 麻烦 帮 服从 执行 忽略 无视 听从 删除"),
)
_BY_HAN, _BE = _set("被 遭 由"), _set("is are was were be been being got get gets")
_TELLING = _set("verb key noun name id adj idiom negated light time link")
_PREDICATES = _set("verb key light idiom negated adj")
_MEANT = _set("""
    it they them he she him her his its their this that it's he's she's they're we us we're we've
    它 他 她 它们 他们 她们 这 那 其 我们 咱们
""")
_AND = _set("and or 和 与 跟 同 及")
_JOINING = _AND | _set("以及 then while whom that so 并 也 而 却 就")
_OPENS = _set("verb key subj neg aux modal negated light")
_BREAK = regex(r"[，,；;。.!?！？、：:\n()（）—]")
_HAN_NAME = regex(rf"[小老阿][{''.join(sorted(SURNAMES))}]$")
_HAN, _TRADE = regex(f"[{HAN}]"), regex(TRADE)


def plain(text: str) -> str:
    """Return text as it is compared: width, case, spaces and control characters do not matter."""
    return "".join(unicodedata.normalize("NFKC", CONTROL.sub("", text)).casefold().split())


TURNED = "a denial or a role"
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

    @cached_property
    def plain(self) -> str:
        """Return all of it, to look for words."""
        return plain("\n".join([*(text for _, text in self.spoken), self.around, *self.called]))

    @cached_property
    def values(self) -> set[str]:
        """Return the numbers that are stated."""
        return set().union(*(values(text, found) for _, text, found in self._read))

    @cached_property
    def _read(self) -> list[tuple[str, str, list[Word]]]:
        texts = [*self.spoken, ("", self.around)]
        return [(speaker, text, words(text)) for speaker, text in texts]

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(_root(word.text) for *_, found in self._read for word in found)

    @cached_property
    def _clauses(self) -> list[Clause]:
        return [c for said in self._read[:-1] for c in self._cut(*said, self._stems)]

    def _cut(self, speaker: str, text: str, found: list[Word], known: Set[str]) -> Iterator[Clause]:
        persons = _Persons(speaker, self.called)
        for run in _runs(text, found):
            yield _clause(run, persons, known)

    @cached_property
    def _holding(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for n, clause in enumerate(self._clauses):
            for word in clause.said:
                found[word].append(n)
        return found

    @cached_property
    def _roles(self) -> set[Role]:
        return {role for clause in self._clauses for role in clause.roles}

    @cached_property
    def _done(self) -> set[str]:
        """Return what somebody does, where this is said of persons only."""
        unsure = {word for clause in self._clauses if clause.open for word in clause.said}
        return {verb for verb, _, does in self._roles if does} - unsure

    def contradiction(self, text: str, speaker: str = "user") -> str | None:
        """Return what of a text cannot come from what was said, in whose mouth "I" is `speaker`."""
        found = words(text)
        own = frozenset(_root(word.text) for word in found)
        if values(text, found) - self.values:
            return "a number"
        if any(_is_name(word) and not self._names(word.text) for word in found):
            return "a name"
        if any(own & order and not self._stems & order for order in _ORDERS):
            return "an order"
        turned = any(map(self._is_turned, self._cut(speaker, text, found, own | self._stems)))
        return TURNED if turned else None

    def _names(self, name: str) -> bool:
        name = plain(name).removesuffix("'s").removesuffix("’s")
        return name in self.plain or _root(name) in self._stems

    def _is_turned(self, clause: Clause) -> bool:
        """Tell whether a clause denies what was not denied, or the reverse, or turns roles."""
        if any(self._is_swapped(role, clause.roles) for role in clause.roles):
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
        turned = (verb, person, not does)
        if role in self._roles or turned in beside:
            return False
        return turned in self._roles or (does and verb in self._done)

    def _denials(self, word: str) -> set[bool]:
        if word.startswith("@"):
            return set()
        return {self._clauses[n].denied for n in self._holding.get(word, ())}


def _runs(text: str, found: Sequence[Word]) -> Iterator[list[Word]]:
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
        opens = [after.tag in _OPENS for after in ahead]
        return any(opens[:1]) or (any(opens) and ahead[0].tag == "name")
    return _denies(word) and any(_is_predicate(w) and w.tag != "light" for w in run)


def denies(text: str) -> bool:
    """Tell whether a text denies something."""
    return any(_denies(word) for word in words(text))


def _is_predicate(word: Word) -> bool:
    return word.tag in _PREDICATES or _root(word.text) == _LIKE


def _denies(word: Word) -> bool:
    lower = word.text.casefold()
    denying = lower in DENYING or lower in _DENIED or _root(lower) in _DISLIKED
    return word.tag in ("neg", "negated") or denying


@lru_cache(1 << 14)
def _root(text: str) -> str:
    """Return what a word is compared by."""
    lower = text.casefold().replace("’", "'").removesuffix("'s")
    if _HAN.search(lower):
        return _LIKE if lower in _LIKED else lower
    return stem(lower)


def _is_name(word: Word) -> bool:
    """Tell whether a word names somebody, something or an address."""
    lower = word.text.casefold()
    if _TRADE.fullmatch(lower):
        return False  # of the words no dictionary has, these name nobody
    if word.tag in ("name", "link", "id") or ("." in lower[1:-1] and lower not in ENGLISH_WORDS):
        return True
    if _HAN.search(lower):
        return bool(_HAN_NAME.match(lower)) and word.tag == "noun"
    return word.text[0].isupper() and word.tag == "noun" and lower not in ENGLISH_WORDS


@dataclass(frozen=True, slots=True)
class _Persons:
    """Whom "I", "you" and names mean in the mouth of somebody."""

    speaker: str
    called: Mapping[str, str]

    def of(self, run: Sequence[Word], n: int) -> str | None:
        """Return who the n-th word of a clause means; None if it is nobody, or an owner."""
        lower = run[n].text.casefold().replace("’", "'")
        after = run[n + 1].text if n + 1 < len(run) else ""
        if lower in ("my", "your") or lower.endswith("'s") or after == "的":
            return None
        if lower in _SIDES:
            return None if _HAN.search(lower) and after in _PEOPLE else self._side(lower)
        if lower in self.called:
            return "@" + self.called[lower]
        return "@" + lower if lower in _PEOPLE or _is_name(run[n]) else None

    def _side(self, lower: str) -> str:
        others = {*self.called.values()} - {self.speaker}
        other = others.pop() if len(others) == 1 else "you"
        return "@" + (self.speaker, other)[_SIDES[lower]]


def _clause(run: Sequence[Word], persons: _Persons, known: Set[str]) -> Clause:
    who = [persons.of(run, n) for n in range(len(run))]
    roots = [person or _root(word.text) for word, person in zip(run, who, strict=True)]
    denials = sum(_denies(w) for w, person in zip(run, who, strict=True) if not person)
    for n, root in enumerate(roots):
        bare = next((root[len(p):] for p in _PREFIXES if root.startswith(p)), "")  # fmt: skip
        if len(bare) > 3 and bare in known:
            roots[n], denials = bare, denials + 1
        elif root in _DISLIKED:
            roots[n] = _LIKE
    named = list(zip(run, who, roots, strict=True))
    denied = denials % 2 == 1
    return Clause(
        frozenset(
            root for w, person, root in named if person or w.tag in _TELLING or root == _LIKE
        ),
        frozenset(root for w, person, root in named if not person and _is_predicate(w)),
        denied,
        frozenset(_roles(run, who, roots)),
        denied or any(_is_predicate(word) or word.tag == "aux" for word in run),
        any(word.text.casefold() in _MEANT for word in run),
    )


def _roles(run: Sequence[Word], who: Sequence[str | None], roots: Sequence[str]) -> Iterator[Role]:
    """Yield who does each verb of a clause, and to whom it is done."""
    for n in range(len(run)):
        if who[n] is None and _is_verb(run, who, n):
            left = [(person, _lead(run, i)) for i, person in enumerate(who[:n]) if person]
            right = list(_until_verb(run, who, n + 1))
            passive = _is_passive(run, n)
            doers = [p for p, lead in left if lead in _BY_HAN]
            doers += [p for p, lead in right if lead == "by" and passive]
            if passive and not doers:
                continue  # by whom, or whether it is a state, is not said
            near = [p for p, lead in left if (lead is None or lead in _AND) and p not in doers]
            done = [p for p, _ in right if p not in doers]
            yield from ((roots[n], p, True) for p in doers or near)
            yield from ((roots[n], p, False) for p in [*done, *(near if doers else ())])


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
    placed = last is not None and (who[n - 1] is not None or last.tag in ("aux", "modal", "neg"))
    noun = word.tag == "noun" and placed and not word.text[0].isupper()
    return _is_predicate(word) or noun


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
