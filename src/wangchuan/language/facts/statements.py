"""What a message states: claims and denials, and promises.

A sentence is read clause by clause.  A clause without a subject takes that of the claim just
before it ("我叫小林，住在成都"), or completes a denial ("我不是医生，是护士").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from wangchuan.language.facts import sense_en, sense_zh, shapes_en, shapes_zh
from wangchuan.language.facts.claims import POLICIES, Claim, is_refused, spoken
from wangchuan.language.facts.claims import told as told_of
from wangchuan.language.facts.exchanges import wished
from wangchuan.language.facts.people import STAND_IN, Other, about_another, other
from wangchuan.language.facts.plans import planned
from wangchuan.language.facts.sense_en import ENGLISH, inside
from wangchuan.language.facts.sense_zh import CHINESE
from wangchuan.language.facts.telling import says_much, stands, told
from wangchuan.language.facts.utterances import BASE_VERBS, PAST, Sentence
from wangchuan.language.text import HAN
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")


class Statement(NamedTuple):
    """A claim a speaker makes of himself, or denies."""

    claim: Claim
    denied: bool


class Denial(NamedTuple):
    """A clause with a "not": what stands before it, its verb, and what it would say without."""

    before: str
    verb: str
    affirmed: str


_FORGET = regex(
    r"\A(?:请|麻烦你?|你){0,6}(?:忘掉|忘记|删掉|删除|别再?记|不要再?记)(?:住|着)?(?:关于)?"
    r"(?P<zh>我.+?)(?:这件事|的事|这一?条|这个?记忆)?吧?\Z"
    r"|\A(?:please )?(?:forget|delete|erase)(?: the fact)? that (?P<en>(?:i|my)\b.+)\Z",
    re.IGNORECASE,
)
_WANTED = regex(
    r"\A(?:请|你要?|帮我|一定要?|务必){0,6}(?:记住|记一下|记好|记着|记下)了?(?P<zh>我.+)?\Z"
    r"|\A(?:please )?(?:remember|note|keep in mind)(?: this)?(?: that)?"
    r"(?: (?P<en>(?:i|my)\b.+))?\Z",
    re.IGNORECASE,
)


def statements(
    sentences: Sequence[Sentence],
    greeted: bool = False,
    at: float | None = None,
    dropped: bool = True,
) -> list[list[Statement]]:
    """Return what sentences claim of their speaker and deny of him, of each.

    `greeted` says that the message opens with a greeting, `at` when it was said, `dropped` that
    a sentence without a subject is about the speaker.  A surname is left out where the whole name
    is told.  What no shape reads is told as it stands, with what it hangs on.
    """
    reader = _Reader(greeted, at, dropped)
    found = [reader.still_meant(clauses) for clauses in _completed([s.now for s in sentences])]
    named = any(one.claim.slot == "name" for said in found for one in said)
    found = [[o for o in said if not (named and o.claim.slot == "surname")] for said in found]
    told = _completed([s.told for s in sentences])
    return [_with_rest(said, some, reader) for said, some in zip(found, told, strict=True)]


def _with_rest(said: list[Statement], clauses: Sequence[str], reader: _Reader) -> list[Statement]:
    """Return what is told of a sentence beside what was read of it."""
    read = reader.read
    if any(one.claim.slot in ("standing", "wanted") or one.denied for one in said):
        return said
    own = [c for c in clauses if c in read and _stands_alone(read[c])]
    rest = [c for c in clauses if c and c not in own and not is_refused(c)]
    rest = [c for c in rest if c in read or not (said and PAST.search(c))]
    new = any(c not in read and says_much(c) for c in rest)
    if not new or not (rest[0] == clauses[0] or stands(rest[0])):
        return said
    whole = told(rest, reader.at, alone=reader.dropped and reader.other is None)
    if whole is None:
        return said
    return [*(one for one in said if _stands_alone(one.claim)), Statement(whole, False)]


def _stands_alone(claim: Claim) -> bool:
    """Tell whether a claim is kept beside what else its sentence tells."""
    return not claim.who and POLICIES[claim.slot].replaced == "always" and claim.slot != "ours"


def _completed(sentences: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Yield sentences, each with the subject that chat leaves out at its start."""
    for first, *rest in sentences:
        dropped = (subject for opening, subject in shapes_en.DROPPED if opening.match(first))
        yield [next(dropped, "") + first, *rest]


_BACK = regex(
    r"\A(?:但是?|可是?|不过|然后|后来|最后|现在|已经|去年|今年|最近|终于|又|还是|就|刚|我|都)*"
    "搬?回[来去国](?:了|啦)"
    r"|\A(?:(?:i|we|i've|we've|i'm|i am|have|then|later|since|soon|eventually|finally|now|just"
    r"|already|and|but|has|had|also) )*(?:(?:came|come|moved|went|gone) back|returned)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Reader:
    """Reads the sentences of a message in order.

    `other` is whom "she" means by now; `subject` is whom a clause without a subject is about, if
    not the speaker; `moved` is what "I'm at …" says after a change of home or work.
    """

    greeted: bool
    at: float | None
    dropped: bool = True  # a sentence without a subject is about the speaker
    other: Other | None = None
    subject: Other | None = None
    moved: str = ""
    opening: bool = True  # this is the first clause of its sentence
    read: dict[str, Claim] = field(default_factory=dict)  # what was understood

    def still_meant(self, clauses: Sequence[str]) -> list[Statement]:
        """Return the statements of a sentence; who came back does not live where he moved to."""
        if wish := wished(clauses):
            self.read.update(dict.fromkeys(clauses, wish))
            return [Statement(wish, False)]
        back = [n for n, clause in enumerate(clauses) if _BACK.match(clause)]
        if not back:
            return list(self.sentence(clauses))
        gone = [one for one in self.sentence(clauses[: back[-1]]) if one.claim.slot != "home"]
        return [*gone, *self.sentence(clauses[back[-1] :])]

    def sentence(self, clauses: Sequence[str]) -> Iterator[Statement]:
        """Yield the statements of one sentence."""
        last: Claim | None = None
        denial: Denial | None = None
        wanted, self.subject = False, None
        self.opening = True
        for clause in clauses:
            asked = _WANTED.match(clause)
            whole, clause = clause, _within(asked) if asked else clause
            wanted = wanted or asked is not None
            claims = self.claims(clause, last, denial)
            denial = None if claims else _denial(clause)
            found = [Statement(claim, False) for claim in claims] or list(
                _otherwise(clause, denial, wanted)
            )
            self.moved = next((says for says, change in MOVED.items() if change.search(clause)), "")
            self.opening = False
            self.read.update((text, one.claim) for one in found for text in (whole, clause))
            last = found[-1].claim if found else _CARRIER if _TELLING.match(clause) else None
            yield from found
            wanted = wanted and not clause

    def claims(self, clause: str, last: Claim | None, denial: Denial | None) -> list[Claim]:
        """Return the claims of a clause, by itself or with a subject taken from before it."""
        if denial and denial.verb and clause.removeprefix("而").startswith(denial.verb):
            return spoken(denial.before + clause.removeprefix("而"))
        if last and last.slot == "possession" and (named := _NAMED.match(clause)):
            mine = f"我的{last.key}叫" if named["zh"] else f"my {last.key}'s name is "
            return spoken(mine + clause[named.end() :])
        if self.moved and (there := _THERE.match(clause)):
            return spoken(self.moved.format(_within(there)))
        anothers = self.subject and not _SPEAKERS.match(clause)
        found = [] if anothers else spoken(clause, self.greeted, self.at)
        if found and found[-1].slot == "ours" and not _FIXED.search(clause):
            found = [planned(clause, self.at) or found[-1]]
        if found:
            self.subject = _owned(found[-1])
            self.other = self.subject or self.other
            return found
        again = _SPEAKERS.match(clause) or (last and not last.who and _GOING_ON.match(clause))
        self.subject = None if again else self.subject
        if self.subject:
            found = told_of(_joint(clause, self.subject), self.subject, True, self.at)
            return found or self.of_another(clause)
        found = self.of_another(clause) or self.continued(clause, last)
        return found or self.planned(clause)

    def planned(self, clause: str) -> list[Claim]:
        """Return what a clause plans, or says of the speaker without naming him."""
        plan = planned(clause, self.at)
        if plan or not self.opening or self.other or not self.dropped or _NO_SUBJECT.match(clause):
            return [plan] if plan else []
        subject = "我" if _HAN.search(clause) else "I "
        return spoken(subject + clause[:1].lower() + clause[1:], at=self.at) if clause else []

    def of_another(self, clause: str) -> list[Claim]:
        """Return what a clause says of somebody who is named in it, or meant by "she"."""
        lead = _lead(clause, shapes_zh.LEAD if _HAN.search(clause) else shapes_en.LEAD)
        for somebody, text in about_another(clause[lead:], self.other):
            self.other = self.subject = somebody
            if found := told_of(text, somebody, at=self.at):
                return found
        return []

    def continued(self, clause: str, last: Claim | None) -> list[Claim]:
        """Return the claims of a clause that goes on about the speaker."""
        if self.subject or not last or not clause or clause.lower().startswith("like "):
            return []
        if last.slot in ("ours", "role"):
            return []  # it goes on about the thing
        owned = last.slot == "possession" and _COUNTED.match(clause)
        subject = "I have " if owned else "我" if _HAN.search(last.says) else "I "
        return spoken(subject + clause, at=self.at)


_MOVED = {
    "我住在{}": r"我.{0,30}?(?:搬[家走]|不住.{0,8})[了啦]",
    "我在{}上班": r"我.{0,30}?(?:换了?工作|跳槽|离职|辞职|不在.{1,8}(?:上班|工作|干|做))[了啦]",
    "I live in {}": r"\b(?:i|we)(?:'ve| have)?(?: just)? moved(?: out)?\Z|no longer live",
    "I work at {}": r"\bi(?:'ve)? (?:(?:changed|switched) jobs|left\b)"
    r"|(?:don'?t|no longer) work (?:at|for)",
}
MOVED = {says: regex(change, re.IGNORECASE) for says, change in _MOVED.items()}
_THERE = regex(
    r"(?:我|现在|目前|如今|已经|人){0,4}(?:在|去了?|到了?)(?P<zh>[^，。在]{1,12}?)(?:了|上班|工作|住)?\Z"
    r"|(?:i'?m|we're)(?: now)? (?:in|at|with) (?P<en>.{1,30}?)(?: now)?\Z",
    re.IGNORECASE,
)


def _within(match: re.Match[str]) -> str:
    """Return what is asked to be remembered or forgotten."""
    return match["zh"] or match["en"] or ""


def _owned(claim: Claim) -> Other | None:
    """Return whom a claim about the speaker brought up, if it is somebody of his."""
    introduces = claim.slot in ("possession", "called", "kin") and claim.value != "ended"
    return other(claim.key) if introduces else None


def _joint(clause: str, somebody: Other) -> str:
    """Return a clause without subject with a stand-in for one."""
    if somebody.tongue == "zh":
        return STAND_IN["zh"] + clause
    clause = clause.removeprefix("and ").strip()
    verb = "is " if clause[:1].isdigit() else "was " if clause.startswith("born") else ""
    return f"{STAND_IN['en']} {verb}{clause}"


_NO_SUBJECT = regex(
    r"[是叫在有不没这那你您他她它谁哪]|(?:is|are|was|were|it|this|that|he|she|they|you|not|no|yes)\b",
    re.I,
)
_FIXED = regex(  # a day of the year is no plan
    r"[月号年]|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\d/\d", re.IGNORECASE
)
# This is the speaker again; after "I have a cat", so is "and live"; after "my parents", it is not.
_SPEAKERS = regex(r"[我俺咱]|(?:i|i'm|i've|my|we|our)\b", re.IGNORECASE)
_GOING_ON = regex(rf"(?:and )?(?:{BASE_VERBS})\b", re.IGNORECASE)
_COUNTED = regex(r"(?:an?|two|three) ", re.IGNORECASE)


# A clause that only names the speaker or says that something changed: the next one tells what.
_TELLING = regex(
    "我(?:(?:刚|又|最近|已经|终于|们)*(?:搬家|换了?工作|跳槽|改名|毕业|转行|结婚|离婚)(?:了|啦)*)?$"
)
_CARRIER = Claim("", "", "", "", "", "", "我")
_NAMED = regex(
    r"(?P<zh>(?:它|他|她)?的?(?:名字)?叫做?)|(?:and )?(?:(?:his|her|its|their) name(?: is|'?s)|"
    r"(?:he|she|it)(?: is|'?s) called|named|called) ",
    re.IGNORECASE,
)


def _otherwise(clause: str, denial: Denial | None, wanted: bool) -> Iterator[Statement]:
    """Yield what a clause without a claim denies, wants forgotten, or wants remembered."""
    forget = _FORGET.match(clause)
    denied = spoken(_within(forget)) if forget else _affirmed(denial) if denial else []
    yield from (Statement(claim, True) for claim in denied)
    if wanted and not denied and (found := _WORTH.match(clause)):
        rest = found["zh"] or found["en"]
        says = ("{who}的" if found["zh"] else "{whose} ") + rest
        yield Statement(Claim("", "wanted", rest.casefold(), "", "", rest, says), False)


def _affirmed(denial: Denial) -> list[Claim]:
    """Return what a denial denies; not being at a place any more may be home or work."""
    if found := spoken(denial.affirmed):
        return found
    there = _THERE.match(denial.affirmed)
    both = [says.format(_within(there)) for says in MOVED] if there else []
    return [claim for says in both for claim in spoken(says)]


_WORTH = regex(
    r"我的(?P<zh>[^你您]{2,60})\Z|my (?P<en>(?:(?!\byou).){2,100})\Z",
    re.IGNORECASE,
)
_NEGATION = regex(
    r"\b(am|is|'m|'s|m)( not| no longer|n'?t)|\b(?:do not|don'?t|no longer) ", re.IGNORECASE
)


def _denial(clause: str) -> Denial | None:
    """Read a clause as the denial of what it would say without its "not"."""
    zh = shapes_zh.DENIED.match(clause, _lead(clause, shapes_zh.LEAD))
    if zh:
        one = "一只" if zh["verb"] in "有养" and zh["rest"][0] not in "一任" else ""
        return Denial(zh["before"], zh["verb"], zh["before"] + zh["verb"] + one + zh["rest"])
    en = shapes_en.DENIED.match(clause, _lead(clause, shapes_en.LEAD))
    if en:
        return Denial("", "", _NEGATION.sub(r"\1", en[0], count=1).replace("  ", " "))
    return None


def _lead(clause: str, lead: re.Pattern[str]) -> int:
    """Return where a clause begins after its opening words."""
    found = lead.match(clause)
    return found.end() if found else 0


# Promises ----------------------------------------------------------------------------------


class Promise(NamedTuple):
    """What was promised, as it was said."""

    what: str
    chinese: bool


def promises(sentences: Sequence[Sequence[str]], offers: bool) -> list[Promise]:
    """Return what sentences promise; with `offers`, a plain "I'll remind you" is a promise too."""
    return [one for clauses in sentences for one in _promised(clauses, offers)]


def _promised(clauses: Sequence[str], offers: bool) -> Iterator[Promise]:
    """Yield the promise of a sentence, which runs to its end."""
    for place, clause in enumerate(clauses):
        tongue = CHINESE if _HAN.search(clause) else ENGLISH
        start = _lead(clause, tongue.lead)
        found = tongue.promise.match(clause, start)
        rest = [part for part in clauses[place + 1 :] if part]
        if not found and offers:
            found, rest = tongue.offer.match(clause) or tongue.offer.match(clause, start), []
        if found:
            mark = "，" if tongue is CHINESE else ", "
            when = found.groupdict().get("when") or ""
            what = mark.join([when + found["what"], *rest]).strip(" ，,")
            if what and len(what) <= _LONGEST_PROMISE:
                yield Promise(what, tongue is CHINESE)
            return


_LONGEST_PROMISE = 120  # characters


def written(promise: Promise, mine: str, yours: str) -> str:
    """Write a promise as a fact, with the names of who gave it and who got it."""
    if promise.chinese:
        return f"{mine}答应" + sense_zh.swapped(promise.what, mine, yours).strip("，。的了 ")
    return f"{mine} promised " + sense_en.swapped(sense_en.promised(promise.what), inside(yours))
