"""What a message puts right of what its speaker said before (说错了，是13号; "No wait, Thursday").

A message is read clause by clause.  Clauses that only turn back ("sorry", 打错字了, "my mistake")
say that something is wrong; what is left names what is right, and perhaps what was wrong.  One
rule puts it into a text, be that a fact or an earlier message: a figure goes where a figure of its
kind stands, a day for a day and a number for a number of the same things; any other value goes for
the one that is called wrong or named again, or for what the text says at its end.  Only who owns a
slip, or says that something has changed, may put any name for another.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from wangchuan.language.facts import shapes_en, shapes_zh
from wangchuan.language.facts.claims import Claim, stored
from wangchuan.language.facts.figures import figures, kind, refigured
from wangchuan.language.facts.sense_en import ENGLISH
from wangchuan.language.facts.sense_zh import CHINESE
from wangchuan.language.facts.shapes import gathered
from wangchuan.language.labels import holds
from wangchuan.language.terms import terms
from wangchuan.language.text import HAN, WINDOW, words
from wangchuan.language.words import ACKNOWLEDGING, ENGLISH_WORDS
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_LONGEST = 24  # characters of a value
_LONGEST_MESSAGE = 40  # characters, of English twice as many: a longer one goes on
_BRIEF = 20  # a message that says nothing of turning back may put right only what it repeats
_PLAIN = 20  # characters of a sentence that no shape reads, in which any name may be put right
SHARED = 0.6  # of the words beside a value: two messages with so many speak of the same
SPELT = 0.5  # of its letters, a name that is spelt otherwise keeps
_CLAUSES = regex(
    r"(?:，|(?<!\d),|,(?!\d)|[。!！?？;；：\n…~—]|:(?!\d)|(?<!Mr|Ms|Dr)(?<!Mrs)\.(?!\d)){1,4}\s{0,4}"
    r"|\s{1,4}-{1,2}\s{1,4}|\s(?=but it'?s )"
)
_ASKS = regex(
    r"[?？]\W*\Z|吗|什么|谁|哪[^怕]|多少|怎么"
    r"|(?:\A|[,.;] )(?:who|what|where|when|how|why|let'?s)\b"
    r"|[给帮]我|一遍|看看|再说|\b(?:please|put it)\b",
    re.IGNORECASE,
)

# Words that own a slip of the tongue, and words that may only turn back.
_OWNED = (
    r"(?:我|是|刚才|刚刚|上面|前面){0,3}[^，。我你他她]{0,4}?"
    r"(?:[说讲打写记搞弄念看想输算听][错混岔反漏快]|[口手笔]误|手[滑抖]|更正|纠正|改(?=一?下))(?:一?下|字|了|啦){0,3}"
    r"|字错了|输入法的锅|(?:我们?)?改主意了?|我?开玩笑的?|骗你的|应该说|严格[来地]?说"
    r"|correction|typo|scratch that|(?:just )?kidding|gotcha|(?:that|it)'?s? (?:was )?wrong"
    r"|(?:it'?s )?my (?:bad|mistake)|slip of the \w+|fat fingers"
    r"|let me (?:correct (?:that|it)|rephrase)|to be precise|strictly speaking"
    r"|(?:i|we) (?:got|had|said|wrote|typed|mixed|swapped) (?:that|it|this|them|the \w+)"
    r"(?: (?:wrong(?:ly)?|up|backwards?))?|(?:i )?mis(?:spoke|typed|read|remembered|wrote|said)"
    r"(?: (?:it|that))?|(?:we )?changed (?:my|our) minds?|i meant(?! to\b)|i was wrong"
    r"|make (?:that|it)|auto-?correct|on second thoughts?|(?:spell?ed )?with an? \w{1,2}\b"
)
_WRONG = "也?不对(?:不对){0,3}|错了(?:错了){0,3}|wrong"
_TURNING = (
    r"不{1,5}(?=\Z|我)|等等|等一?下|抱歉|对不起|不好意思|其实|准确[地来]?说|我是说|我的意思是"
    r"|应该(?=是|叫|在)|哈{1,9}(?!哈)|no{1,5}(?=\W*\Z|,|\s(?:it|the|i|he|she|we|my|wait|sorry|not|that|no|they|actually|\d))|nope|oh|ah|argh|well|er{1,4}|um{1,4}|wait"
    r"|hold on|hang on|sorry|apologies|o{1,4}ps|whoops|actually|rather|i mean"
    r"|(?:it )?should be|ha(?:ha){1,4}|lol"
)
_OH = "[啊哦噢呃唉哎呀嗯]{0,6}"
_MARK = regex(
    rf"(?:(?=[啊哦噢呃唉哎呀嗯]){_OH}\Z|{_OH}(?:(?P<owned>{_OWNED}|{_WRONG})|{_TURNING}))"
    rf"(?:(?<=说)|(?<=其实)|(?<=[{HAN}])(?=\Z|[\s是叫在姓我他她它应不哈]|[^{HAN}])|(?<=\w)(?![\w']))"
    r"[\s，,]{0,4}",
    re.IGNORECASE,
)
_SLIPPED = regex(rf"{_OH}(?:{_OWNED})", re.IGNORECASE)
_BEHIND = regex(
    r"[\s,]{0,3}\b(?:with (?:an?|two|double) \w{1,2}(?:'?s)?|to be precise|my (?:bad|mistake)|typo"
    r"|i mean|(?P<turns>actually|sorry))\Z|才对\Z|[打写][错反]了?\Z",
    re.IGNORECASE,
)
_NO = regex(
    r"[啊哦噢呃唉哎呀]{0,6}(?:不|等)|(?:oh |ah )?(?:no{1,5}|nope|wait|sorry)\b|i mean\b",
    re.IGNORECASE,
)
_WHICH = regex(r"[他她]?[是叫]|(?:it|s?he)'?s |an? ", re.IGNORECASE)
_SHOULD = regex(r"应该[是叫在]|\bshould be\b", re.IGNORECASE)
_CHANGED = regex(
    r"[改换转调挪迁搬升涨降变延砍瘦胖跳](?:[到成至为用叫走签期去来喝吃学做在名]|[^得进善，]{0,3}了)|改主意|推迟|提前"
    r"|[否满走]了|[离辞]职|分手|还是(?=用|选|做)|开学|[关弃]了|没.{0,2}了|改(?=[下周明后])|的事了|不[学做用干喝吃来玩](?!过).{0,6}了"
    r"|\b(?:moved|relocated|changed?|postponed|pushed|cut|down to"
    r"|rebooked|rescheduled|switch\w*|migrated|renamed|extended|raised|went up|rejected|full|left"
    r"|instead"
    r"|traded|sold|any ?more|no longer|ago|after all|dropped|quit|stopped"
    r"|used to|gave up|broke up|going with)\b",
    re.IGNORECASE,
)
_BECOMES = regex(
    r"[到成为叫用走喝吃学做放住在是去]了?\s?\Z"
    r"|\b(?:to|into|with|as|at|in|is|booked|\w+ (?:him|her|it))( (?:an?|the))?\s?\Z",
    re.I,
)
_NOW = regex(r"现在|目前|已经|\b(?:now|these days|by now)\b", re.IGNORECASE)
_DENIED = regex(
    r"(?:.{0,12}?)不(?:[是叫姓在]|[学做用喝吃](?=.{1,16}了))(?P<zh>(?!的)[^，。是]{1,16}?)(?:了)?(?:(?:而是|，?是)(?P<so>.+))?"
    r"|(?:.{0,30}?)(?:\bnot|isn'?t|aren'?t|wasn'?t|n't)(?: (?:in|on|at|a|an|the))? (?P<en>.{1,30}?)"
    r"(?: any ?more)?(?: but (?P<but>.+))?|(?:i|we) (?:said|wrote|dropped|quit) (?P<said>.{1,30})"
    rf"|(?P<his>[^，。是]{{1,12}})是我(?:{shapes_zh.KIN}).{{0,12}}"
    rf"|(?P<hers>.{{1,24}}) (?:is|was) my .{{1,20}}",
    re.IGNORECASE,
)
_CUES = gathered(
    """
    是 叫 姓 上 在 到 成 做 用 去 学 住 为 放 写 喝 吃 is are be was called named mean booked do
    does sell learning use it's he's she's we're i'm they're that's one's it'll him it
    """
)
_FILLED = regex(
    r"\A(?:(?:而|还|其实)?是|叫|现在|已经|才|就|只有?|[他她它]|it'?s"
    r"|it is|but|so|and|really|now|the|an?\b)\s*",
    re.I,
)
_TRAILING = regex(
    r"(?:了|啦|才对|吧|的|呢|哈{1,9}| (?:now|instead|already|rather|these days|after all|actually)"
    r"| (?:last|a|ages|two) (?:\w+ )?(?:week|month|year|ago)| yesterday"
    r"| (?:that )?i (?:don'?t )?\w+){1,3}\Z",
    re.IGNORECASE,
)
_DOES = regex(
    "[订买选]了|(?:现在|目前|最后|还是|[改换])[上放用住开做学喝吃写走叫是在到去成为]{1,2}了?"
)
_LATIN = regex(rf"(?<=[{HAN}])\s?[A-Za-z][\w.+# -]{{1,24}}\Z")
_NO_VALUE = regex(
    r"[我你他她它这那吗呢吧着不没谢]|过(?!敏)|[^\w\s]{2}|因为|n't\b|\b(?:i|you|he|she|it|we|they|this"
    r"|that|not|who|because|and|thanks?|please|yes|so|myself|own)\b",
    re.IGNORECASE,
)
_NO_MORE = regex(
    r"不(?:再|怎么)?(?P<zh>\w{1,3}?)了"
    r"|\b(?:don'?t|can'?t|no longer) (?P<en>\w+)\b.{0,12}\bany ?more",
    re.IGNORECASE,
)
_ENDED = regex(r"戒|放弃|\b(?:quit|gave up|given up|dropped|stopped)\b", re.IGNORECASE)
# Who or what was just spoken of, and words beside a value that say nothing of it.
_MEANT = regex(r"\A[他她]|(?P<it>它|\b(?:it|they|them|everything)\b)|\b(?:he|she)\b", re.IGNORECASE)
_I = regex(r"我(?!们)|i\b", re.IGNORECASE)
_IDLE = regex(
    r"现在|目前|已经|应该|上个?[周月]|昨天|最近|刚|最后|新来|统一|全部"
    r"|(?<![我的])(?:老板|领导|客户|医院|房东|老师)(?=[刚说要给把又那改推换调涨来])"
    r"|[这本]个?(?:学期|月|周|年|次)|\b(?:now|last|these|really|actually|just|also|already|lol|everything"
    r"|this (?:term|year|month)|(?:client|boss|landlord|doctor|hospital|school)"
    r"(?= (?:pushed|moved|changed|raised|called|says)))\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Correction:
    """What is right, what is called wrong ("" if nothing), and what is said around it."""

    right: str
    wrong: str = ""
    sure: bool = False  # a slip is owned, or a change is told
    about: str = ""  # what is spoken of: the value of another thing is none of this one
    beside: str = ""  # the other clauses: a value that they name again is the wrong one
    turned: bool = True  # the message turns back

    @property
    def marked(self) -> bool:
        """Tell whether the message says that something is otherwise; else it may say it anew."""
        return self.sure or self.turned


def length(text: str) -> int:
    """Return how long a text is in Chinese characters; a letter is half of one."""
    return len(text) if _HAN.search(text) else len(text) // 2


def owns_slip(message: str) -> bool:
    """Tell whether a message says that something its speaker said was wrong."""
    return any(owned for _, owned, _ in read_clauses(message))


def disowns(message: str) -> bool:
    """Tell whether a message takes back what its speaker said, and says nothing else."""
    return slipped(message) and not any(terms(one.text) for one in read_clauses(message))


def slipped(message: str) -> bool:
    """Tell whether a message owns a slip, and does not merely say no."""
    clauses = (clause.strip() for clause in _CLAUSES.split(message))
    return owns_slip(message) and any(map(_SLIPPED.match, clauses))


def tells_change(message: str) -> bool:
    """Tell whether a message says that something was said wrongly, or is no longer so."""
    return owns_slip(message) or bool(_CHANGED.search(message))


def corrections(message: str) -> tuple[Correction, ...]:
    """Return what a message may put right, the likeliest first."""
    return _corrections(message) if length(message) <= _LONGEST_MESSAGE else ()


@lru_cache(1 << 12)
def _corrections(message: str) -> tuple[Correction, ...]:
    if _ASKS.search(message):
        return ()
    read = read_clauses(message)
    left = [text for text, _, _ in read if text]
    owned = any(own for _, own, _ in read) or message.lstrip().startswith("*")
    turned = owned or any(marked for *_, marked in read) or bool(_SHOULD.search(message))
    found = list(_denials(left))
    said_no, changed = bool(_NO.match(message.strip())), False
    short = length(message) <= _BRIEF
    for place, text in enumerate(left[:3]):
        told = bool(_CHANGED.search(text))
        changed = changed or told
        if not (short or turned or said_no or changed or _NOW.search(text)):
            continue  # nothing says that anything is otherwise
        beside = " ".join((*left[:place], *left[place + 1 :]))
        for about, value in values_in(text):
            if told and not kind(value) and not _BECOMES.search(about):
                continue  # that is what was changed
            now = bool(_NOW.search(text) and about_terms(about))
            which = said_no and bool(kind(value) or _says_which(text, value, about))
            which = which or (turned and bool(_WHICH.match(text)) and _is_thing(value))
            sure = owned or changed or now or which
            alone = len(left) == 1 and _NOW.search(text) and not about_terms(about)
            back = (turned and place < 2) or bool(alone)
            one = Correction(value, "", sure, about, beside, back)
            brief = short and (place == 0 or kind(value))
            if one.marked or brief:
                found.append(one)
    return tuple(dict.fromkeys(found))


def sets_right(later: str, earlier: str, at_once: bool) -> bool:
    """Tell whether a message puts right what its speaker said in an earlier one.

    It calls something wrong that was said there, or speaks of the same thing; `at_once`, as the
    very next one, it may also give nothing but another value of a kind that stands there.
    """
    said = set(terms(earlier))
    for one in filter(lambda one: one.marked, corrections(later)):
        if one.wrong and one.wrong.casefold() in earlier.casefold():
            return True
        beside = about_terms(one.about)
        enough = 1 if at_once else max(SHARED * len(beside), 1)
        shared = sum(term in said for term in beside) >= enough
        if at_once and one.turned and not said.isdisjoint(terms(one.right)):
            return True  # the same is said in other words
        bare = one.sure and (kind(one.right) or not _I.match(one.about))
        if (shared or (at_once and bare)) and any(restated(earlier, one, None)):
            return True
    return False


class Clause(NamedTuple):
    """A clause without its marks: whether those own a slip, and whether there are any."""

    text: str
    owned: bool
    marked: bool


def read_clauses(message: str) -> Sequence[Clause]:
    """Return the clauses of a message, each without its marks."""
    return (_recent if len(message) <= WINDOW else _unmarked)(message)


def _unmarked(message: str) -> tuple[Clause, ...]:
    found = []
    for clause in filter(str.strip, _CLAUSES.split(message)):
        rest, owned, marked = clause.strip(" *“”\"'「」"), False, False
        while rest and (mark := _MARK.match(rest)) and mark.end():
            rest, marked, owned = rest[mark.end() :], True, owned or bool(mark["owned"])
        if tail := _BEHIND.search(rest):
            rest, marked, owned = rest[: tail.start()], True, owned or not tail["turns"]
        found.append(Clause(rest.strip(), owned, marked))
    return tuple(found)


_recent = lru_cache(1 << 8)(_unmarked)  # several questions are asked of one message


def _says_which(clause: str, value: str, about: str) -> bool:
    """Tell whether a clause says which it is, by a name, a number or a thing with its article."""
    article = clause[:2].lower() in ("a ", "an")
    return bool(_WHICH.match(clause) or terms(about)) and (
        article or not value.islower() or _is_thing(value)
    )


def _denials(clauses: list[str]) -> Iterator[Correction]:
    """Yield what is denied at once, with what is said instead: beside it, behind or before it."""
    for place, clause in enumerate(clauses[:3]):
        found = _DENIED.fullmatch(clause)
        names = ("zh", "en", "said", "his", "hers")
        wrong = next((found[one].strip() for one in names if found[one]), "") if found else ""
        wrong = wrong.removesuffix("的")
        here = found and (found["so"] or found["but"])
        acts = all(w.tag == "verb" and not w.text.endswith("ing") for w in words(wrong))
        if not wrong or (wrong.islower() and acts):
            continue  # an act is no value
        beside = [*clauses[place + 1 : place + 2], *clauses[:place][-1:]]
        text = here or next((one for one in beside if wrong not in one), "")
        for _, value in values_in(text):
            yield Correction(value, wrong, sure=True, turned=place == 0 or len(clauses) == 2)


def values_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield what may be a value in a clause, and what is around it: figures, then what it ends in.

    What stands behind the last word that introduces a value is the likeliest.
    """
    text = _TRAILING.sub("", text)
    for one in (one for one in figures(text) if one.kind != "one" and text[one.start] != "一"):
        yield text[: one.start] + " " + text[one.end :], text[one.start : one.end]
    if latin := _LATIN.search(text):
        yield text[: latin.start()], latin[0].strip()
    cuts = [
        w.end
        for w in words(text)
        if w.tag in ("func", "det") or w.text.lower() in _CUES or w.text[-1] in "是叫在到成为"
    ]
    cuts += [does.end() for does in _DOES.finditer(text)]
    for cut in (*sorted(cuts, reverse=True), 0):
        value = text[cut:].strip(" “”\"'「」")
        while lead := _FILLED.match(value):
            value = value[lead.end() :]
        idle = _NO_VALUE.search(value) or value.lower() in ACKNOWLEDGING
        lone = len(value) == 1 and value in "啊呀呢吧好的了力嗯哦"
        if 0 < len(value) <= _LONGEST and not (idle or lone):
            yield text[:cut], value


# Where a value goes ------------------------------------------------------------------------

_ARTICLE = regex("(?:an?|the) ", re.IGNORECASE)
_NAME = regex(r"(?<!\w)[A-Z][\w.+#]{1,30}\Z")
_LAST_NAME = regex(r"(?<![A-Za-z])[A-Z][\w.+#]{1,30}(?: [A-Z][\w.+#]{1,30}){0,2}\Z")
_NAMES = regex(
    r"(?<=[^.!?] )[A-Z][\w.+#]{1,30}(?: [A-Z][\w.+#]{1,30}){0,2}"
    r"|(?<=[^\sA-Za-z'])\s?[A-Za-z][\w.+#-]{1,30}"
)
_ACTS = frozenset({"verb", "adv", "modal", "conj", "part"})


def restated(text: str, found: Correction, at: float | None) -> Iterator[str]:
    """Yield a text with what a correction says in the place of what was wrong, if it has one."""
    right = found.right
    if not found.wrong and holds(text, right):
        return
    if not found.wrong and (_is_foreign(text, right) or _is_anothers(text, found)):
        return
    if found.wrong:
        if bool(kind(found.wrong)) != bool(kind(right)):
            return
        if holds(text, found.wrong) or (_HAN.search(found.wrong) and found.wrong in text):
            yield put(text, found.wrong, _alike(text, found.wrong, right))
        elif kind(right):  # a fact holds the date that is meant
            yield from refigured(text, right, at)
    elif kind(right):
        if _bears_on(text, found) and (found.marked or _says_anew(text, found)):
            yield from refigured(text, right, at)
    elif not (CHINESE.pointing.search(right) or ENGLISH.pointing.search(right)):
        return


def _is_foreign(text: str, right: str) -> bool:
    """Tell whether a value is of another language than a text."""
    return (
        bool(_HAN.search(right)) if not _HAN.search(text) else right.islower() and not kind(right)
    )


def _is_anothers(text: str, found: Correction) -> bool:
    """Tell whether a value is that of somebody of whom a text says nothing."""
    around = found.about if found.turned else f"{found.about} {found.beside}"
    they = _THEY.search(around) and not _KIN.search(text)
    return bool(they) or not all(holds(text, one) or one in text for one in _KIN.findall(around))


def _says_anew(text: str, found: Correction) -> bool:
    """Tell whether a clause gives a value alone, or all that it says beside it a text says, too."""
    about, said = about_terms(found.about), about_terms(text)
    same = not _MINE.search(f"{found.about} {found.beside}") and (
        not about or (about <= said and len(about) >= SHARED * (len(said) - 1))
    )
    ends = figures(text) and figures(text)[-1].end >= len(text.rstrip(" 。.了的"))
    return same and bool(ends or not about) and not _NO_VALUE.search(_BARE.sub(" ", found.about))


def _bears_on(text: str, found: Correction) -> bool:
    """Tell whether a correction speaks of what a text is about, or of nothing by name."""
    about = about_terms(found.about)
    return not about or not about.isdisjoint(terms(text))


def about_terms(about: str) -> set[str]:
    """Return the words beside a value that say what it is a value of."""
    said = terms(_CHANGED.sub(" ", _IDLE.sub(" ", about)))
    return {term for term in said if len(term) > 1}


def _renamed(text: str, found: Correction) -> Iterator[str]:
    """Yield a text with a name for one of its own."""
    claims = stored(text)
    meant, his = _MEANT.search(found.about), _I.match(found.about)
    bears = _bears_on(text, found)
    places: list[tuple[str, Claim | None]] = [(c.raw, c) for c in claims] or [
        (v, None)
        for v in (*_NAMES.findall(text), *(_thing(v) for cue, v in values_in(text) if cue.strip()))
    ]
    for raw, claim in sorted(places, key=lambda place: not is_like(place[0], found.right)):
        if kind(raw) or holds(f"{found.about} {found.right}", raw):
            continue  # it says something of the wrong one
        again = found.marked and not set(terms(raw)).isdisjoint(terms(found.beside))
        may = bears or again or (meant and (meant["it"] or (claim and claim.who)))
        if his and claim and not found.turned:
            may = claim.slot in _CAREER
        acts = any(word.tag == "verb" for word in words(found.right)[1:-1])
        thing = not acts and (bool(_POINTS.search(found.about)) or _is_thing(found.right))
        if not (found.marked or again or _is_spelt(raw, found)):
            continue
        sure = thing and (again or (found.sure and (claim is not None or length(text) <= _PLAIN)))
        if raw and may and (is_like(raw, found.right) or sure):
            kept = range(len(raw) - 1, 0, -1) if _HAN.search(raw) else ()
            same = next((n for n in kept if found.about.endswith(raw[:n])), 0)
            new = put(text, raw, raw[:same] + _alike(text, raw[same:], found.right))
            if new != text and _same(claims, new):
                yield new
            elif claim and claim.slot == "occupation" and found.sure and thing:
                yield from _employed(text, found.about, found.right)


def _is_spelt(raw: str, found: Correction) -> bool:
    """Tell whether a clause is nothing but another spelling of a name."""
    alike = SequenceMatcher(None, raw.casefold(), found.right.casefold()).ratio()
    return alike > SPELT and not about_terms(found.about)


def _same(claims: tuple[Claim, ...], new: str) -> bool:
    """Tell whether a fact that was put right still answers the question it did."""
    slots = {(one.who, one.slot) for one in claims}
    return (
        not slots
        or not slots.isdisjoint((one.who, one.slot) for one in stored(new))
        or bool({slot for _, slot in slots} & _OPEN)
    )


def _employed(text: str, about: str, right: str) -> Iterator[str]:
    """Yield what a clause says that somebody does by now, who a fact says did something else."""
    if _HAN.search(text):
        yield re.split("的工作|[是在做开]", text)[0] + re.sub("^[我他她]", "", about) + right
    elif be := re.match(r"(?:he|she|they|i)(?:'s|'m|'re) (?=in|at|on|with)", about, re.IGNORECASE):
        who = re.split(r" (?:is|works|runs|owns)\b|'s job", text)[0]
        yield f"{who} is {about[be.end() :].strip()} {right}"


_KIN = regex(
    rf"{shapes_zh.KIN}|{shapes_zh.PETS}|\b(?:{shapes_en.KIN}|{shapes_en.PETS})(?=s?\b)",
    re.IGNORECASE,
)
_THEY = regex(r"[他她]|\b(?:he|she)\b", re.IGNORECASE)
_MINE = regex(r"\b(?:of my|my) (?!own)\w|我的?[养写]", re.IGNORECASE)
_BARE = regex(r"我们?|\b(?:it|i|we|he|she|they)\b", re.IGNORECASE)
_POINTS = regex(
    r"[是叫在到成为姓用住做学放上]了?\Z|\b(?:is|are|to|in|at|on|with|an?|the|mean|called)\Z|'[sm]\Z",
    re.I,
)
_OPEN = frozenset({"employer", "ours", "name", "called", "favourite"})
_CAREER = frozenset({"employer", "occupation", "major", "school", "home"})


def _thing(value: str) -> str:
    """Return a value without what is done with it (建行 of 建行上班)."""
    read = words(value)
    acts = len(read) > 1 and read[-1].tag == "verb" and _HAN.search(value)
    return value[: read[-1].start] if acts else value


def _is_thing(value: str) -> bool:
    """Tell whether a value names something and does nothing."""
    return not any(word.tag in _ACTS for word in words(value)) and not _CHANGED.search(value)


def is_like(raw: str, right: str) -> bool:
    """Tell whether two names are of one kind and differ: one head noun, a spelling, capitals."""
    here, there = (_ARTICLE.sub("", value.casefold()) for value in (raw, right))
    if here == there or kind(raw) or kind(right):
        return False
    if _NAME.search(raw) and _NAME.fullmatch(right) and there not in ENGLISH_WORDS:
        return True
    if " " in here and " " in there:
        return here.split()[-1] == there.split()[-1] or here.split()[0] == there.split()[0]
    if _HAN.search(there) and here[-1:] == there[-1]:  # 法语 and 德语, 阿里云 and 腾讯云
        return 1 < len(there) <= 2 + len(here)
    return min(len(here), len(there)) > 1 and SequenceMatcher(None, here, there).ratio() >= SPELT


def _alike(text: str, raw: str, right: str) -> str:
    """Return a name in the form of the one that it stands for in a text."""
    before, _, behind = text.partition(raw)
    right = next((right[:-n] for n in (2, 1) if behind[:n] == right[-n:] != raw[-n:]), right)
    right = right[1:] if len(right) > 1 and before[-1:] == right[0] != raw[:1] else right
    named, other = _LAST_NAME.search(raw), _LAST_NAME.fullmatch(right)
    if named and named.start() and other:  # of "use React" only the name
        return raw[: named.start()] + right
    article, own = _ARTICLE.match(raw), _ARTICLE.match(right)
    right = right[own.end() :] if own and not article else right
    name = raw[article.end() :] if article else raw
    if name[:1].isupper() and right.islower() and not own:
        return raw
    if not article or own:
        return right
    lead = article[0] if article[0].lower() == "the " else "an " if right[0] in "aeiou" else "a "
    return lead + right


def put(text: str, wrong: str, right: str) -> str:
    """Put one word for another, in any case."""
    return re.sub(re.escape(wrong), lambda _: right, text, count=1, flags=re.IGNORECASE)
