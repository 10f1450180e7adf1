"""Clauses: who does what in a text, how it is denied or put, and of whom it tells.

A text is cut at its marks, at joining words, and before a "not" that follows a verb. Of each clause
is kept what another text can be compared with; `saying` does that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache

from wangchuan.language.facts.shapes_zh import TRADE
from wangchuan.language.numerals import values
from wangchuan.language.terms import stem
from wangchuan.language.text import HAN, Word, words
from wangchuan.language.words import BARE_VERBS, DENYING, ENGLISH_WORDS, SURNAMES, UNDENYING
from wangchuan.patterns import regex
from wangchuan.types import value


def set_of(listed: str) -> frozenset[str]:
    """Turn "word word …" into a set."""
    return frozenset(listed.split())


_DISLIKED = set_of("hate dislik detest loath 讨厌 厌恶 反感 恨")  # comes to not liking
_LIKED, _LIKE = set_of("喜欢 爱 喜爱"), "like"
_DENIED = set_of(
    "dont doesnt didnt cant wont isnt arent wasnt couldnt wouldnt shouldnt havent hasnt"
)
_PREFIXES = ("un", "in", "im", "dis", "non", "ir")
_SIDES = {"i": 0, "me": 0, "my": 0, "myself": 0, "我": 0, "本人": 0, "咱": 0, "i'm": 0, "i've": 0,
          "i'd": 0, "i'll": 0, "you": 1, "your": 1, "你": 1, "您": 1, "you're": 1}  # fmt: skip
PEOPLE = set_of("""
    mother father mom mum dad brother sister wife husband son daughter friend boss colleague teacher
    doctor neighbour neighbor uncle aunt cousin girlfriend boyfriend grandmother grandfather manager
    妈妈 爸爸 母亲 父亲 哥哥 姐姐 弟弟 妹妹 老婆 妻子 丈夫 老公 儿子 女儿 朋友 老板 同事 老师 医生
    邻居 叔叔 阿姨 经理 客户 室友 奶奶 爷爷 妈 爸 哥 姐 弟 妹 外公 外婆 同学 男友 女友 男朋友
    女朋友 grandma grandpa niece nephew partner
""")
_SAME = """
    mother mom mum | father dad | grandmother grandma | grandfather grandpa | neighbour neighbor
    | 妈妈 母亲 妈 | 爸爸 父亲 爸 | 妻子 老婆 | 丈夫 老公 | 哥哥 哥 | 姐姐 姐 | 弟弟 弟 | 妹妹 妹
    | 男朋友 男友 | 女朋友 女友
"""
_KIN = {other: row.split()[0] for row in _SAME.split("|") for other in row.split()[1:]}
TURNS = {"from": "to", "to": "from", "从": "到", "到": "从"}
_NAMING = set_of("called named nicknamed 叫 名叫 叫做")
_BARE, _DISPOSING = frozenset(BARE_VERBS.split()), set_of("把 将")
_FOR = set_of("for with by of and 给 跟 和 对 为 由")
_BY_HAN, _BE = set_of("被 遭 由"), set_of("is are was were be been being got get gets")
_TELLING = set_of("verb key noun name id adj idiom negated light time link")
_PREDICATES = set_of("verb key light idiom negated adj")
_MEANT = set_of("""
    it they them he she him her his its their this that it's he's she's they're we us we're we've
    there 它 他 她 它们 他们 她们 这 那 其 我们 咱们 那里 那边 那儿
""")
_POINTING = set_of("this that her his its their 这 那 其")  # pronouns, unless a noun follows
OTHERS = set_of("he she him her they them he's she's they're 他 她 他们 她们")  # not the speaker
ALL_OF_US = set_of("we us we're we've 我们 咱们")
_OWNING = {"my": 0, "our": 0, "your": 1}
_AND = set_of("and or 和 与 跟 同 及")
_JOINING = _AND | set_of("以及 then while whom that so 并 也 而 却 就")
_OPENS = set_of("verb key subj neg aux modal negated light")
_NOMINAL = set_of("noun name adj num time id unit")
_WORD = regex(r"\w")
_END = regex(r"[。!?！？\n;；…]|\.(?=\s|\Z)")
_ASKS = regex(r"[?？]|吗|问|是否|想知道|\b(?:asks?|asked|wonders?|wondered|whether)\b")
_SUPPOSES = regex(
    r"如果|要是|假如|倘若|若是|万一|除非|一旦|只要|的话"
    r"|\b(?:if|unless|whether|in case|provided|assuming|suppose|supposing|as long as)\b"
)
HANGING = 3  # clauses that may hang on a condition in front of them
_BREAK = regex(r"[，,；;。.!?！？、：:\n()（）—…]")
_HAN_NAME = regex(rf"[小老阿][{''.join(sorted(SURNAMES))}]$")
_GIVEN_NAME = regex(r"[小老阿大晓子]\w$")
_HAN, _TRADE = regex(f"[{HAN}]"), regex(TRADE)


Role = tuple[str, str, bool]  # a verb, somebody, and whether he does it or it is done to him


@value
class Form:
    """How a clause is put: in which sentence, whether that asks or supposes, and itself does."""

    sentence: int = 0
    asked: bool = False
    asking: bool = False
    supposing: bool = False
    supposed: bool = False


@value
class Clause:
    """A clause by its words: what they come to, whether they are denied, and who does what.

    One that `states` nothing only names things. An `open` one has pronouns that may mean anything.
    `people` are those it names, owners of things among them; `told` is what it says of those `whom`
    it tells of: not of what a verb or a preposition of place leads to;
    `ways` are things by what leads to them. `bids` is the verb of an order.
    """

    said: frozenset[str]
    predicates: frozenset[str]
    denied: bool
    roles: frozenset[Role]
    states: bool
    pronouns: frozenset[str]
    people: frozenset[str]
    whom: frozenset[str]
    told: frozenset[str]
    ways: frozenset[tuple[str, str]]
    bids: str | None
    form: Form

    @property
    def open(self) -> bool:
        """Tell whether it may speak of what another clause names."""
        return bool(self.pronouns)


def clauses(
    text: str, found: Sequence[Word], persons: Persons, known: Set[str]
) -> Iterator[Clause]:
    """Yield the clauses of a text; one without a subject has those of the one before it."""
    last = None
    for run, form in _formed(text, found):
        clause = _clause(run, persons, known, form)
        if last and last.form.sentence == form.sentence and _goes_on(run):
            people, whom = clause.people | last.people, clause.whom | last.whom
            pronouns = clause.pronouns | last.pronouns
            clause = replace(clause, people=people, whom=whom, pronouns=pronouns)
        yield clause
        last = clause


def _runs(text: str, found: Sequence[Word]) -> Iterator[list[Word]]:
    """Yield the words of each clause: up to a mark, a joining word, or a "not" after a verb."""
    run: list[Word] = []
    for n, word in enumerate(found):
        ahead = found[n + 1 : n + 6]
        if run and (_BREAK.search(text, run[-1].end, word.start) or _begins(word, ahead, run)):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _formed(text: str, found: Sequence[Word]) -> Iterator[tuple[list[Word], Form]]:
    """Yield the words of each clause, and how it is put."""
    ends = [match.end() for match in _END.finditer(text)] + [len(text)]
    since: int | None
    n, start, form, first, since = 0, 0, _form(text, 0, ends[0], 0), True, None
    for run in _runs(text, found):
        while ends[n] <= run[0].start:
            n, start, first, since = n + 1, ends[n], True, None
            form = _form(text, start, ends[n], n)
        last = _WORD.search(text, run[-1].end, ends[n]) is None
        asked = last or (first and run[0].tag in ("aux", "modal"))
        own = form.supposing and _SUPPOSES.search(text[run[0].start : run[-1].end].casefold())
        since = 0 if own else None if since is None else since + 1  # None: it is still to come
        supposed = form.supposing and (since is None or since < HANGING)
        yield run, replace(form, asked=form.asked and asked, supposed=supposed)
        first = False


def _form(text: str, start: int, end: int, n: int) -> Form:
    sentence = text[start:end].casefold().rstrip()
    put = sentence.endswith(("?", "？")) or "吗" in sentence[-3:]
    return Form(n, put, bool(_ASKS.search(sentence)), bool(_SUPPOSES.search(sentence)))


def _goes_on(run: Sequence[Word]) -> bool:
    """Tell whether a clause leaves its subject to the one before it."""
    rest = (w for w in run if w.text.casefold() not in _JOINING)
    opening = next((w for w in rest if w.tag not in ("conj", "adv", "part", "neg")), run[0])
    if opening.tag == "func":  # 在银行上班
        opening = next((w for w in run if w.tag in _PREDICATES | {"subj", "pron", "aux"}), opening)
    return opening.tag in _PREDICATES


def _begins(word: Word, ahead: Sequence[Word], run: Sequence[Word]) -> bool:
    lower = word.text.casefold()
    if word.tag == "conj" or lower in UNDENYING or lower in ("nor", "who", "which", "where"):
        return True
    if lower in _JOINING:
        opens = [after.tag in _OPENS for after in ahead]
        if any(opens[:1]) or (any(opens[:2]) and ahead[0].tag == "name"):
            return True
        after = next((w.tag for w in ahead if w.tag not in _NOMINAL and w.tag != "det"), "")
        return after in ("verb", "key", "light", "aux") and any(map(_states, run))
    return _denies(word) and any(_is_predicate(w) and w.tag != "light" for w in run)


def denies(text: str) -> bool:
    """Tell whether a text denies something."""
    return any(_denies(word) for word in words(text))


def _is_predicate(word: Word) -> bool:
    return word.tag in _PREDICATES or root_of(word.text) == _LIKE


def _states(word: Word) -> bool:
    return _is_predicate(word) or word.tag == "aux"


def _denies(word: Word) -> bool:
    lower = word.text.casefold()
    denying = lower in DENYING or lower in _DENIED or root_of(lower) in _DISLIKED
    return word.tag in ("neg", "negated") or denying


@lru_cache(1 << 14)
def root_of(text: str) -> str:
    """Return what a word is compared by."""
    lower = text.casefold().replace("’", "'").removesuffix("'s")
    if _HAN.search(lower):
        return _LIKE if lower in _LIKED else lower
    return stem(lower)


def roots_of(found: Sequence[Word]) -> frozenset[str]:
    """Return what words are compared by; a time before or after something is both (饭前, 前)."""
    roots = {root_of(word.text) for word in found}
    ends = {w.text[-1] for w in found if w.tag == "time" and len(w.text) == 2}
    return frozenset(roots | (ends & {"前", "后"}))


def names_in(found: Sequence[Word]) -> Iterator[str]:
    """Yield the words that name somebody or something, in small letters or not."""
    last = ""
    for word in found:
        called = last in _NAMING and word.tag in ("noun", "adj")
        beside = last in PEOPLE and _GIVEN_NAME.match(word.text)  # 女朋友小雪
        if _is_name(word) or called or (beside and word.tag == "noun"):
            yield word.text
        last = word.text.casefold()


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


@value
class Persons:
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
            return None if _HAN.search(lower) and after in PEOPLE else self._side(lower)
        if lower in self.called:
            return "@" + self.called[lower]
        return "@" + _KIN.get(lower, lower) if lower in PEOPLE or _is_name(run[n]) else None

    def owner(self, run: Sequence[Word], n: int) -> str | None:
        """Return whose thing follows the n-th word; None if it is somebody, or nobody's."""
        lower = run[n].text.casefold().replace("’", "'")
        behind = n + 1 < len(run) and run[n + 1].text == "的"
        if lower not in _OWNING and not lower.endswith("'s") and not behind:
            return None
        rest = (word for word in run[n + 1 :] if word.tag not in ("part", "det", "adj"))
        thing = next(rest, run[n])
        if thing.text.casefold().removesuffix("'s") in PEOPLE or _is_name(thing):
            return None
        if lower in _OWNING or lower in _SIDES:
            return self._side(lower)
        named = self.called.get(bare := lower.removesuffix("'s"))
        whose = named or (bare if bare in PEOPLE or _is_name(run[n]) else None)
        return whose and "@" + _KIN.get(whose, whose)

    def _side(self, lower: str) -> str:
        others = {*self.called.values()} - {self.speaker}
        other = others.pop() if len(others) == 1 else "you"
        side = _OWNING[lower] if lower in _OWNING else _SIDES[lower]
        return "@" + (self.speaker, other)[side]


def _clause(run: Sequence[Word], persons: Persons, known: Set[str], form: Form) -> Clause:
    who = [persons.of(run, n) for n in range(len(run))]
    roots = [person or root_of(word.text) for word, person in zip(run, who, strict=True)]
    denials = sum(_denies(w) for w, person in zip(run, who, strict=True) if not person)
    for n, root in enumerate(roots):
        bare = next((root[len(p):] for p in _PREFIXES if root.startswith(p)), "")  # fmt: skip
        if len(bare) > 3 and bare in known:
            roots[n], denials = bare, denials + 1
        elif root in _DISLIKED:
            roots[n] = _LIKE
    named = list(zip(run, who, roots, strict=True))
    denied = denials % 2 == 1
    said = frozenset(
        root for w, person, root in named if person or w.tag in _TELLING or root == _LIKE
    )
    owners = {persons.owner(run, n) for n in range(len(run))}
    people = frozenset(one for one in {*who, *owners} if one)
    aside = {root for w, _, root in named if w.tag == "light" or root in PEOPLE}
    aside |= {*people, *persons.called, *_measures(run, roots)}
    return Clause(
        said,
        frozenset(root for w, person, root in named if not person and _is_predicate(w)),
        denied,
        frozenset(_roles(run, who, roots)),
        denied or any(map(_states, run)),
        frozenset(_pronouns(run)),
        people,
        frozenset(_whom(run, who, persons)) | {one for one in owners if one},
        frozenset(said - aside) | {f"#{value}" for value in values("", run)},
        frozenset(_ways(run, roots)),
        _bid(run, form),
        form,
    )


def _whom(run: Sequence[Word], who: Sequence[str | None], persons: Persons) -> Iterator[str]:
    """Yield the people that a clause tells of: who speak, relatives, and names that lead it."""
    stated = False
    for n, (word, person) in enumerate(zip(run, who, strict=True)):
        stated = stated or (person is None and _states(word))
        if person:
            known = person[1:] in PEOPLE or person[1:] in (
                persons.speaker,
                *persons.called.values(),
            )
            if known or not stated or _lead(run, n) in _FOR:
                yield person


def _measures(run: Sequence[Word], roots: Sequence[str]) -> Iterator[str]:
    """Yield the words behind a number that say of what it is one: years old."""
    counted = False
    for word, root in zip(run, roots, strict=True):
        if counted and word.tag in ("time", "adj", "unit"):
            yield root
        else:
            counted = word.tag == "num"


def _pronouns(run: Sequence[Word]) -> Iterator[str]:
    """Yield the pronouns of a clause that stand for something."""
    for n, word in enumerate(run):
        lower, after = word.text.casefold(), run[n + 1] if n + 1 < len(run) else None
        points = lower in _POINTING and after is not None and after.tag in _NOMINAL
        if lower in _MEANT and not points:
            yield lower


def _ways(run: Sequence[Word], roots: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what is gone from, and what is gone to."""
    for n, word in enumerate(run):
        way = word.text.casefold() if word.tag == "func" else word.text[-1]
        rest = [m for m in range(n + 1, len(run)) if run[m].tag not in ("det", "adj", "part")]
        if way in TURNS and rest and run[rest[0]].tag in _NOMINAL:
            yield way, roots[rest[0]]


def _bid(run: Sequence[Word], form: Form) -> str | None:
    """Return the verb of a clause that orders something: it opens with it, and has no subject."""
    told = any(map(_is_predicate, run))  # else "forward" is no adverb
    aside = ("conj", "func", "filler", "part", *(("adv",) if told else ()))
    rest = [word for word in run if word.tag not in aside]
    first = rest[0] if rest else None
    if first is None or _is_name(first):
        return None
    if _HAN.search(first.text):
        verbs = [word for word in rest if word.tag in ("verb", "key")]
        opens = run[0].text in _DISPOSING or verbs[:1] == [first]
        return root_of(verbs[0].text) if opens and verbs and form.sentence else None
    if first.text.casefold() in _BARE:
        return root_of(first.text)
    after = run[run.index(first) + 1 :]
    object_ = bool(after) and (after[0].tag in ("det", "pron") or after[0].text == "it")
    return root_of(first.text) if first.tag in ("verb", "noun", "adv") and object_ else None


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
