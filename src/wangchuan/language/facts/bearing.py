"""Whether a message answers to a fact: evidence that is weighed, not phrases that are listed.

Nobody says which of his words he takes back.  So each sign that a message speaks of a fact, and
speaks otherwise than it, has a weight; those that it speaks of something else, or to somebody,
weigh against.  A sign is a small closed class of words, or a comparison of both texts: a word in
common, a figure of one kind, one field of life.
"""

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from wangchuan.language.changes import is_otherwise
from wangchuan.language.facts import shapes_en, shapes_zh
from wangchuan.language.facts.claims import spoken, stored
from wangchuan.language.facts.corrections import denials, read_clauses
from wangchuan.language.facts.fields import FIELDS
from wangchuan.language.facts.figures import FIGURE, Figure, figures, fits
from wangchuan.language.facts.sense_en import PASTS
from wangchuan.language.facts.shapes import gathered
from wangchuan.language.facts.topics import IDLE, matter_of
from wangchuan.language.facts.utterances import asserted, is_staged
from wangchuan.language.facts.weights import (
    LATER,
    OTHERWISE,
    SPELT,
    STAGED,
    TYING,
    VETOES,
    WEIGHTS,
)
from wangchuan.language.numerals import NUMBERS
from wangchuan.language.text import HAN, words
from wangchuan.language.words import ENGLISH_WORDS
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_KIN = regex(
    rf"{shapes_zh.KIN}|{shapes_zh.PETS}|\b(?:{shapes_en.KIN}|{shapes_en.PETS})(?=s?\b)",
    re.IGNORECASE,
)
_PERSON = regex(rf"{shapes_zh.KIN}|\b(?:{shapes_en.KIN})(?=s?\b)", re.IGNORECASE)
FILLERS = regex(  # say nothing of the matter
    r"\b(?:lol|lmao|(?:ha){2,9}|btw|tbh|ngl|not gonna lie|ugh|omg|hey|ok(?:ay)?|oh|ah|a?um{1,5}"
    r"|er{1,5}|hm{1,5}"
    r"|well|anyway|honestly|if i'?m (?:being )?honest|who knew|guess (?:what|who)|good ?(?:bye"
    r"|night)|bye|never mind|forget it|nah|eh|yeah|no way"
    r"|no worries|you know|idk|if (?:you|we) count)\b[\s,.!]{0,5}"
    r"|哈{2,9}|晚安|再见[啦哦]?|拜拜|算了|嘿嘿|嘻嘻|笑死|不是吧|不会吧|说真的|讲真|(?:不瞒|跟|和"
    r"|告诉)你(?:说|个秘密|讲)?的?"
    r"|[啊哦噢呃唉哎呀嗯额诶哈嘛啦]{1,3}(?=[，,\s不等对]|\Z)|[\U0001f300-\U0001faff]",
    re.IGNORECASE,
)
SLIP = regex(
    r"居然|竟然|原来|[说讲打写记搞弄念看想输算听数量][错混岔反漏快早成串](?![话电人门车])"
    r"|[口手笔]误|手[滑抖]|嘴瓢|[更纠]正|不对(?!劲)"
    r"|应该说|错[了字](?![话电人门车])|吹牛|玩笑|[骗逗]你|准确|严格|输入法|[少多漏]打|以为|忘了"
    r"|老[记搞]|改一下"
    r"|\A\*|\b(?:typo|o{1,5}ps|whoops|scratch that|kidding|joking|(?<!what )i me(?:an|ant)"
    r"|correction|mis(?:spoke|type|typed|read|remember(?:ed)?|wrote|said|heard|spelled|spelt"
    r"|took|count(?:ed)?)"
    r"|my (?:bad|mistake)|wrong(?=\W{0,3}(?:\Z|[,.!;]))|mix(?:ed)?|to be precise|more of an?|a joke"
    r"|who am i kidding|auto-?correct|not true|a lie|lied|confession|rephrase"
    r"|spel(?:led|t)|make (?:that|it)|chang(?:ed?|ing) (?:of plans|my mind)|turns out|forgot"
    r"|technically|more like|closer to|strictly|second thoughts?|with (?:an?|two) \w{1,2}"
    r"|backwards?|(?:just )?checked|looked (?:it )?up)\b|[查翻量]了|没那么|不是?完全|也不是"
    r"|\bnot (?:quite|exactly|really|so|that)\b",
    re.IGNORECASE,
)
_TURN = regex(
    r"\A\W*(?:不(?=\W|不|是(?![很我吧说])|\Z)|等[下等一]|对了|其实)|不好意思|抱歉|对不起|其实"
    r"|真正|我是说|那是"
    r"|\A\W*(?:[呃额哦啊]{1,3}(?=[，,…])|(?:er{1,3}m?|uh|oh)\b|no{1,5}(?=\W*(?:[,.!…]|\Z| (?:it"
    r"|the|i|he|she|not|that|they|we|my|wait|actually)\b))|nope|wait|hold on)\b|\b(?:actually"
    r"|sorry|rather|really"
    r"|i do(?= (?!not)\w))\b",
    re.IGNORECASE,
)
_NOW = regex(
    r"现在|如今|目前|已经|早就|后来|最[后终]|从.{1,5}起|以后|剩|\b(?:now(?! and then)|these days"
    r"|lately|since|as of"
    r"|until|it'll be|going to be|starting|only)\b",
    re.IGNORECASE,
)
_TALK = regex(  # the text or the talk at hand
    r"第.{1,2}[句段行页题]|[这那上下每][一二三两]?[句段行页题]|[一二三四五][句段]|群|表格|列表"
    r"|标题|格式|语气|公式|[名动]词|流行|\b(?:that|this) one\b|\bof them\b"
    r"|(?:i'?m|we're) (?:moving|leaving|switching|going)\b.{0,40}\b(?:next|tomorrow|soon)\b"
    r"|\b(?:paragraphs?|sentences?|lines?|words?|tables?|lists?|chat|messages?|titles?|slides?"
    r"|formula|noun|verb|grammar)\b",
    re.IGNORECASE,
)
_BRINGS_UP = regex(
    r"我们?家?[有养买][了着]?[一两]?[个辆只条台部匹]|\b(?:i|we)(?:'ve)? (?:have|own|got"
    r"|bought) an? ",
    re.IGNORECASE,
)
_JOKING = regex(r"玩笑|[骗逗]你|\b(?:(?<!am i )kidding|joking|joke)\b", re.IGNORECASE)
_CHANGED_THING = regex(
    r"(?:moved|changed|pushed|switched|raised|cancell?ed) (?:the|that|this|his|her|their) (\w+)"
    r"|(?:left|quit|dropped|sold) ((?-i:[A-Z])\w+)"
    r"|(?:instead of|rather than|replaced|from) (?:the |an? )?(?-i:([A-Z]\w+))"
    r"|从 ?([^，。]{1,8}?) ?[换改迁搬]"
    r"|[那这](?:[个家道部只条本行段句张页题])([^，。是月周]{1,4})|把([^，。]{1,6}?)[写说改换]",
    re.IGNORECASE,
)
_CLOCK = regex(
    r"今天是|\A(?:都|已经|到){0,2}(?:\w{1,3}点|周\w)了|\bit'?s (?:already )?(?:\w{3,6}day|\w{3,6})"
    r" (?:already|today)|下[雨雪]|天气|[明后]天[见聊]|\b(?:see you|talk (?:tomorrow|later|soon)"
    r"|weather|sunny|rain\w{0,3}|snow\w{0,3})\b",
    re.I,
)
_TO_YOU = regex(r"[你您]|\b(?:you|your|yours)\b", re.IGNORECASE)
_ASKS = regex(
    r"[?？]|\A\W*(?:别(?![的人])|把(?!.{0,40}[了过]))|吗|呢\Z|什么|啥|怎么|谁|哪|多少|几"
    r"|(?<![一-鿿])[给帮叫]我|一遍|看看|再[说来]|话题"
    r"|(?:\A|[,.;] )(?:who|what|where|when|how|why|which|would|could|can|does|let'?s)\b(?!')"
    r"|\b(?:please|put it)\b",
    re.IGNORECASE,
)
_LEAD = regex(
    r"(?:不过|但是?|可是|所以|然后|现在|最近|上个?[周月]|昨天|前天|今天|刚[刚才]?|已经|早就|其实"
    r"|后来|前两天|去年底?|今年|对了|就|都|也|又|还是|这段时间|目前"
    r"|这?学期|实际上?|以后|不(?!是)|[，, ]"
    r"|(?:now|lately|these days|last \w+|as of \w+|yesterday|today|actually|no|nope|wait|sorry|so"
    r"|but|and|just|finally|turns out|i mean|by now)\b[\s,]{0,3}){0,6}",
    re.IGNORECASE,
)
_SPEAKER = regex(r"(?:我|俺|咱)们?家?的?|(?:i|im|ive|we|mine|ours)\b(?:'\w{1,2})?", re.IGNORECASE)
_THEIRS = regex(
    rf"(?:我|俺|咱)们?(?:家|的)?(?:{shapes_zh.KIN}|[^，。是了我你]{{0,2}}"
    "[爸妈爷奶叔舅姨姑伯婶哥姐弟妹嫂侄甥孙友蜜夫妻婆公爹娘徒]子?(?![里的么]))"
)
_MADE = regex("[我俺咱]们?[养写开画做演买]的")
_MINE = regex(r"(?:my|our)\b", re.IGNORECASE)
_NAMED = regex(rf"[小老阿][{HAN}]|第|(?:Mr|Mrs|Ms|Dr)\.? [A-Z]")
_HEARD = regex(
    r"[听据].{0,4}[说讲]|有人|别人|大家|(?:i )?heard\b|(?:some|every|no)(?:body| ?one)\b"
    r"|one of (?:my|our)\b"
    r"|a (?:guy|friend|girl|woman|man)\b",
    re.IGNORECASE,
)
_QUOTING = regex(
    r"[说讲道问喊][:：]|[说问][，,]?[“\"「]|\b(?:said|says|goes|told me)(?:: |[,:]? ?[\"“])"
)
_POSSESSED = regex(r"\b([A-Z]\w{1,20})'s (?!an?\b|the\b|not\b)\w{1,20} (?:is|was|lives|works)\b")
_HE = regex(
    r"[他她它]|那是|这是|(?:he|she|his|her|it|its|they)(?:'s|'re|'ll)?\b|that(?='s| was\b| is\b)",
    re.I,
)
_AGENT = regex(  # who may change a thing of the speaker's
    r"(?<!我)(?:客户|老板|领导|医[生院]|房东|老师|导师|主管|经理|酒店|公司|甲方|学校|银行)"
    r"|(?<!my )(?:the )?\b(?:client|boss|doctor|landlord|teacher|manager|supplier|school|hospital"
    r"|management|vet|company)\b",
    re.IGNORECASE,
)
_NAMING = ("noun", "name", "id", "generic", "idiom")
_ACTING = ("verb", "light", "modal", "aux", "key", "negated", "adj", "neg")


class Opening(NamedTuple):
    """Whom a clause is about: "speaker", "mine", "he", "bare", "order" or "noun"; and its rest."""

    subject: str
    rest: str


def plain(message: str) -> str:
    """Return a message without fillers, and with the apostrophes that chat leaves out."""
    return _NOT.sub(r"\1n't", FILLERS.sub(" ", message)).strip()


_NOT = regex(r"\b(have|has|do|does|did|ca|wo|is|was|are|could|would|should)nt\b", re.IGNORECASE)


def clauses_of(message: str) -> list[str]:
    """Return the clauses of a message, without fillers."""
    return [*_clauses_of(message)]


@lru_cache(1 << 8)  # asked for each fact that is compared with a message
def _clauses_of(message: str) -> tuple[str, ...]:
    parts = (_REPORTED.sub("", part.strip(" '\"*")) for part in _CUT.split(plain(message)))
    clauses = (clause for part in parts for clause in read_clauses(part))
    return tuple(clause.text for clause in clauses if clause.text)


_CUT = regex(
    rf"(?:[，。!！;；~…\n]|[,:：](?!\d)|(?<!Mr|Ms|Dr)(?<!Mrs)\.(?!\d)){{1,4}}"
    rf"|(?<=[{HAN}])\s{{1,3}}(?=[{HAN}A-Za-z\d])"
    rf"|(?<=[A-Za-z\d])\s{{1,3}}(?=[{HAN}])|(?<=[{HAN}\w])(?=不是(?!很|我|吧)|居然|原来是)"
    r"|(?<=\w)(?<!\bis)(?<!'m)(?<!'s)(?<!are)(?<!was)(?<!\bam)(?<!\bdo)(?<!did)(?<!'re)(?<!were)(?<!does)"
    r"(?<!can)(?<!have)(?<!will)(?<!really)(?<!still)(?<!or)\s(?=not (?:an? |the )?\w+(?:[,.!]|\Z))"
    rf"|\s(?:so|but|and) (?=(?:now|i|it'?s?|we|he|she)\b)",
    re.IGNORECASE,
)
_REPORTED = regex(
    r"\A(?:they|(?:my |the |our )?\w{1,12}) (?:says?|said|told me|thinks?) (?:that )?"
    r"(?=(?:it'?s?|she|he|they|we|i)\b)",
    re.IGNORECASE,
)


def opening(clause: str) -> Opening:
    """Return how a clause opens."""
    lead = _LEAD.match(clause)
    rest = clause[lead.end() if lead else 0 :]
    if _HEARD.match(rest):
        return Opening("heard", rest)
    if made := _MADE.match(rest):
        return Opening("mine", "我" + rest[made.end() :])
    if own := _SPEAKER.match(rest):
        his = words(rest[own.end() :])
        kin = _THEIRS.match(rest) or (
            own[0][0] in "我俺咱" and len(his) > 1 and his[0].tag == "noun"
        )
        return Opening("mine" if kin else "speaker", rest)
    if _MINE.match(rest) or _HE.match(rest):
        return Opening("mine" if _MINE.match(rest) else "he", rest)
    read = words(rest)
    if not read or rest[0] in "换搬改迁挪转调涨降升":
        return Opening("bare", rest)
    if _NAMED.match(rest):
        return Opening("noun", rest)
    if _is_order(rest, read[0].text, read[0].tag):
        return Opening("order", rest)
    if read[0].tag not in (*_NAMING, "det", "pron", "subj"):
        return Opening("bare", rest)
    acts = any(word.tag in _ACTING for word in read[1:])
    return Opening("noun" if acts else "bare", rest)


def _is_order(rest: str, first: str, tag: str) -> bool:
    """Tell whether a clause tells somebody to do something: a bare verb at its head."""
    if _HAN.search(rest):
        done = re.search("[了过的着不没是叫在才都要得还有]|现在", rest)
        asked = re.match("别(?![的人])|[请帮让给]|把(?!.{1,40}了)", rest)
        return bool(asked) or (not done and tag in ("verb", "key"))
    low = first.lower()
    bent = low.endswith(("ed", "ing", "n't")) or low in PASTS | {"been", "should", "have", "has"}
    acts = bool(re.match(r"\w+ \w+ed\b", rest))  # launch slipped
    objects = r"\w+ (?:me|my|the|an?|this|that|it|him|her|us|your)\b"
    acts = acts or (first[:1].isupper() and not re.match(objects, rest))
    return ENGLISH_WORDS.get(low) in ("verb", "light") and not bent and not acts


@lru_cache(1 << 10)
def subject_of(fact: str) -> str:
    """Return whom or what a fact is about, as it stands there: all before its verb."""
    zh = bool(_HAN.search(fact))
    if own := _SUBJECT.match(fact):
        return own[0]
    for word in words(fact):
        if word.tag in _ACTING or word.text in _BEING or word.text.endswith("'s"):
            return fact[: word.start].rstrip() if zh or word.start else ""
    return ""


_BEING = gathered("是 叫 姓 在 有 用 由 归 找 放 存 走 为 定 is are was has runs uses")
_SUBJECT = regex(
    rf"主人(?:的?(?:{shapes_zh.KIN}|{shapes_zh.PETS})|的(?:{shapes_zh.OURS}))?"
    r"|The user(?:'s (?:[\w-]+ ){0,1}?[\w-]+(?= (?:is|are|has|was)\b|'s)|'s [\w-]+)?"
)


class Heard(NamedTuple):
    """What a message shows by itself: its cues, whom its clauses are about, what it calls wrong."""

    said: str
    clauses: tuple[str, ...]
    cues: frozenset[str]
    opened: tuple[Opening, ...]
    wrong: tuple[str, ...]
    talk: str  # what it says of the text at hand
    things: tuple[str, ...]  # what it says was changed
    slots: frozenset[str]  # the questions that it answers by itself


@lru_cache(1 << 8)  # asked for each fact that is compared with a message
def heard(message: str) -> Heard:
    """Read a message for the facts it may answer to."""
    said, zh = plain(message), bool(_HAN.search(message))
    clauses = _clauses_of(message)
    opened = tuple(o for o in map(opening, clauses) if o.rest and not SLIP.fullmatch(o.rest))
    asks = SLIP.sub(" ", said)
    cues = {name for name, cue in _CUES if cue.search(asks if name in _ASKING else said)}
    cues |= {"turn"} if _TURN.search(message) else set()
    cues |= {"changed"} if is_otherwise(said) else set()
    cues |= {"long"} if len(message) > (24 if zh else 70) else set()
    left = ("，" if zh else ", ").join(clauses)
    if not (
        any(o.subject == "bare" and is_mere(o.rest) for o in opened[:1]) or _JOKING.search(said)
    ) and not any(any(one) for one in asserted(SLIP.sub(" ", left))):
        cues.add("supposed")
    joke = _JOKING.search(said)
    others = sum(not _JOKING.search(clause) for clause in clauses)
    if is_staged(message) and (not joke or (joke.start() < 8 and others > 1)):
        cues.add(STAGED)
    if opened and opened[0].subject == "order" and not _DONE.search(said):
        cues.add("asks")
    if _CLOCK.search(said) or _QUOTING.search(message):
        cues.add("asks")
    wrong = tuple(one.wrong.casefold() for one in denials(clauses))
    talk = _TALK.search(said)
    things = (word for some in _CHANGED_THING.findall(said) for word in filter(None, some))
    slots = frozenset(claim.slot for clause in clauses for claim in spoken(clause))
    opened = opened or (Opening("bare", ""),)
    at_hand = talk[0] if talk else ""
    return Heard(said, clauses, frozenset(cues), opened, wrong, at_hand, (*things,), slots)


def signs(fact: str, message: str) -> set[str]:
    """Return the signs that a message answers to a fact, and those that it does not."""
    one = heard(message)
    found = {*one.cues} | _alike(fact, one) | _opened(fact, one)
    if one.talk and one.talk not in fact:
        found.add("asks")
    his = _is_of_user(fact) and "other person" in found
    plainly = his and not found & (OTHERWISE | {"subject"})
    his = his or _is_anothers(fact, one)
    if plainly or (his and not found & {"slip", "denied", "subject", "shared"}):
        found.add("of another")
    if _is_of_user(fact) and _WISH.search(one.said):
        found.add("supposed")  # what somebody wants to be is not what he is
    if _BRINGS_UP.search(one.said) and not found & TURNING and not _LACKING.search(fact):
        found.add("other thing")
    if any(not matter_of(fact) & matter_of(word) for word in one.things if matter_of(word)):
        found.add("other thing")
    if one.wrong and "denied" not in found:
        found.add("other thing")  # what it calls wrong stands elsewhere
    found |= {"instead"} if "turn" in found and found & {"fragment", "value"} else set()
    found |= set() if found & (OTHERWISE | {"fragment", "value", "figure alone"}) else {"plain"}
    return found if found & TYING else found | {"untied"}


TIED = frozenset({"shared", "figure", "denied", "subject", "like"})
TURNING = frozenset({"slip", "turn", "changed"})
_LACKING = regex(r"没|单身|\b(?:any|only|single)\b", re.IGNORECASE)
_ASKING = frozenset({"to you", "asks"})
_CUES = (
    ("slip", SLIP),
    ("turn", _TURN),
    ("now", _NOW),
    ("joking", _JOKING),
    ("to you", _TO_YOU),
    ("asks", _ASKS),
)


_WISH = regex(r"我想(?![起到说])|\bi (?:want|hope|plan) to\b", re.IGNORECASE)


def _alike(fact: str, one: Heard) -> set[str]:
    """Return the signs that compare what a fact and a message say."""
    subject, said = subject_of(fact), one.said
    value = fact[len(subject) :]
    here, there = matter_of(FIGURE.sub(" ", said)), matter_of(value)
    both = {term for term in here & there if not term.isdigit() and term not in NUMBERS}
    both |= {w.text for w in words(said) if w.tag in ("verb", "light") and w.text in value} - IDLE
    found = {"shared"} if both else set()
    found |= {"shared more"} if len(both) > 1 else set()
    found |= {"subject"} if here & matter_of(subject) else set()
    kept = fact.casefold().replace("主人", "")
    found |= {"denied"} if any(wrong in kept for wrong in one.wrong) else set()
    its = [figure for figure in figures(fact) if figure.kind != "one"]
    mine = [(c, f) for c in one.clauses for f in figures(c) if any(fits(f, other) for other in its)]
    fit = any(not of_other(fact, clause, some) for clause, some in mine)
    found |= {"figure"} if fit else {"other matter"} if mine else set()
    first = (next(iter(figures(clause)), None) for clause in one.clauses)
    if fit and any(some and some.start == 0 for some in first):
        found.add("figure alone")
    read, known = words(said), words(value)
    new = [w for w in read if w.tag in _NAMING and w.text.casefold() not in fact.casefold()]
    if any(w.tag in ("name", "id") for w in new) and any(w.tag in ("name", "id") for w in known):
        found.add("name")
        old = {w.text for w in known if w.tag in ("name", "id")}
        found |= {"contrast"} if old & {w.text for w in read} else set()
    new += [w for w in read if w.tag == "num" and len(w.text) > 2 and w.text not in fact]
    known = [w for w in known if w.tag in _NAMING or (w.tag == "num" and len(w.text) > 2)]
    if any(_is_like(w.text, other.text) for w in known for other in new):
        found.add("like")
    if any(field.search(fact) and field.search(said) for field in FIELDS):
        found.add("field")
    slots = {_FIELD_OF.get(claim.slot, claim.slot) for claim in stored(fact)}
    theirs = {_FIELD_OF.get(slot, slot) for slot in one.slots}
    found |= {"field"} if slots & theirs else set()
    return found | ({"other slot"} if theirs and slots and not slots & theirs else set())


_FIELD_OF = {"employer": "occupation"}  # who leaves the one leaves the other


def of_other(fact: str, clause: str, one: Figure) -> bool:
    """Tell whether a figure in a clause is of something that a fact does not name."""
    lead = _LEAD.match(clause)
    before = _AGENT.sub(" ", clause[lead.end() if lead else 0 : one.start])
    if _POINTS.search(before):
        return False
    named = [w.text for w in words(before) if w.tag in ("noun", "name", "id", "idiom")]
    return bool(named) and not (named[-1] in fact or matter_of(fact) & matter_of(named[-1]))


_POINTS = regex(r"[它他她]|\b(?:it|that|this|them)\b|\A\W*[换改搬挪调]到?\Z", re.IGNORECASE)


def _is_anothers(fact: str, one: Heard) -> bool:
    """Tell whether a message is about its speaker, and a fact about somebody of his."""
    return bool(_KIN.search(subject_of(fact))) and all(o.subject == "speaker" for o in one.opened)


def _is_like(one: str, other: str) -> bool:
    """Tell whether two words have one head, or are nearly spelt alike."""
    if _HAN.search(one + other):
        return len(one) > 1 < len(other) and one[-1] == other[-1]
    if abs(len(one) - len(other)) > 3:
        return False
    pair = SequenceMatcher(None, one.casefold(), other.casefold())
    return pair.quick_ratio() > SPELT and pair.ratio() > SPELT


def _opened(fact: str, one: Heard) -> set[str]:
    """Return the signs of whom a message is about."""
    known, first = matter_of(fact), one.opened[0].subject
    about = [_about(some, fact, known) for some in one.opened]
    found = {"he"} & {*about[:1]}
    value = any(_COPULA.match(some.rest) and is_mere(some.rest) for some in one.opened)
    if about[0] in ("of another", "other subject") and not value:
        found.add("other first")
    alien = {*about} <= {"of another", "other subject"} and not SLIP.search(one.said)
    back = value or one.cues & OTHERWISE
    apart = about[0] in ("he", "its", "other subject") and not back
    if _is_of_user(fact) and (apart or "of another" in about) and "speaker" not in about:
        found.add("of another")
    told = first == "heard" or (about[0] == "of another" and "speaker" not in about)
    if (alien or told) and not (_WITH_ME.search(one.said) and first not in ("heard", "he")):
        found.add("of another")
    found |= {"value"} if value else set()
    found |= {"he is"} if value and "he" in found else set()
    mere = [some.rest for some in one.opened if is_mere(some.rest)]
    if len(mere) == 1 and is_name(mere[0]) == is_name(_valued(fact)):
        found.add("kind")
    if {*about} <= {"bare", "its", "he"} and all(is_mere(some.rest) for some in one.opened):
        found.add("fragment")
    people = (who.casefold() for who in _PERSON.findall(_AGENT.sub("", one.said)))
    if "of another" in about[1:] or any(who not in fact.casefold() for who in people):
        found.add("other person")
    return found


_WITH_ME = regex(r"\b(?:i|me|us|we|it)\b|[给让]我|我[是也都会就]|说|通知", re.IGNORECASE)


def is_name(text: str) -> bool:
    """Tell whether a text holds a name."""
    return any(word.tag in ("name", "id") for word in words(text))


def _valued(fact: str) -> str:
    """Return what of a fact answers its slot, or all behind its subject."""
    return next((claim.raw for claim in stored(fact)), fact[len(subject_of(fact)) :])


_COPULA = regex(
    r"\A(?:[他她它那这]?[是叫姓]|(?:it|that|he|she)(?:'s|s| is| was)\b)\s*", re.IGNORECASE
)
_DONE = regex("(?<!别)[了过](?!别)|现在|刚|[一二三四五六七八九十\\d]|是|叫")


_EMPTY = regex(
    r"谢|如此|[几哪谁]|什么|问题|这样|那样|一样|\A[好行对是嗯]|\b(?:thanks?|thank|ok(?:ay)?|yes|sure"
    r"|so|fine|true|good|great|nice|what|problem)\b",
    re.IGNORECASE,
)


def is_mere(clause: str) -> bool:
    """Tell whether a clause names something and says nothing of it but that it is that."""
    being = _COPULA.match(clause)
    rest = clause[being.end() :] if being else clause
    read = words(rest)
    if (
        not read
        or _EMPTY.search(rest)
        or read[0].tag == "func"
        or (_HAN.search(rest) and any(word.tag == "func" for word in read))
        or any(word.tag == "adv" for word in read[:-1])
    ):
        return False
    if _HAN.search(rest) and len(read) > 1 and read[-1].tag == "adj":
        return False  # it says how something is
    brief = being and len(read) < 4 and len(rest) < 20 and not re.search("[了的]", rest)
    return bool(brief) or (0 < len(read) < 5 and not any(word.tag in _ACTING for word in read))


def _about(one: Opening, fact: str, known: set[str]) -> str:
    """Return whom a clause is about, as far as it concerns a fact."""
    if one.subject in ("bare", "speaker", "order"):
        return "speaker" if one.subject == "speaker" else "bare"
    if one.subject == "he":
        they = _HE.match(one.rest)
        if re.match("they|[他她它]们", one.rest, re.IGNORECASE):
            with_us = re.search(r"\b(?:me|us|my|our|it)\b", one.rest, re.IGNORECASE)
            return (
                "known"
                if with_us or matter_of(subject_of(fact)) & matter_of(one.rest)
                else "other subject"
            )
        return _meant(they[0] if they else "", fact)
    first = one.rest[:8] if _HAN.search(one.rest) else " ".join(one.rest.split()[:4])
    named = _POSSESSED.match(one.rest)
    if one.subject == "heard" or (named and named[1] not in fact):
        return "of another"
    if one.subject == "mine":
        own = _SPEAKER.match(one.rest) or _MINE.match(one.rest)
        rest = one.rest[own.end() if own else 0 :].lstrip()
        kin = _PERSON.match(rest)
        nouns = [w.text for w in words(rest)[:3] if w.tag in _NAMING]
        his = [word.casefold() for word in ([kin[0]] if kin else nouns[:1])]
        whose = subject_of(fact)
        whose = whose if _PERSON.search(whose) else fact
        kept = {w.text.casefold() for w in words(whose)} | {*_PERSON.findall(whose.casefold())}
        return "known" if any(kept & {word, word * 2, word[:1]} for word in his) else "of another"
    person = _PERSON.search(first) or _THEIRS.match(first)
    if person and person[0][-1 if _HAN.search(first) else 0 :].casefold() in fact.casefold():
        return "known"
    if known & matter_of(first) or (_AGENT.match(one.rest) and not _is_of_user(fact)):
        return "known"
    return "of another" if person or _NAMED.match(first) else "other subject"


@lru_cache(1 << 10)
def _is_of_user(fact: str) -> bool:
    """Tell whether a fact says what somebody is, and no one else can change."""
    return {claim.who for claim in stored(fact) if claim.slot not in _CHANGEABLE} == {""}


_CHANGEABLE = frozenset({"plan", "ours", "role", "possession", "told", "matter", "kin"})


def _meant(he: str, fact: str) -> str:
    """Tell whether a pronoun can mean the one that a fact is about."""
    word = he.lower()
    if word.startswith(("it", "that", "它", "那", "这")):
        return "its"
    other = _HIM if word[0] == "她" or word.startswith(("she", "her")) else _HER
    one = _SOMEBODY.search(fact) and not _SEVERAL.search(fact)
    return "he" if one and not other.search(fact) else "of another"


_SEVERAL = regex(r"[两三四五六几]个|\b(?:two|three|four|several|\d) ", re.IGNORECASE)


_SOMEBODY = regex(
    rf"{shapes_zh.KIN}|[师员]|\b(?:{shapes_en.KIN}|{shapes_en.PETS})(?=s?\b)"
    rf"|\AThe (?:user's )?(?:\w+ )?\w{{3,12}}(?:er|or|ist|ian|ic|ant)\b",
    re.IGNORECASE,
)


_HER = regex(
    r"妈|姐|妹|女|奶|婆|妻|嫂|婶|娘|蜜|媳|太太|\b(?:mom|mum|mother|sister|daughter|wife|aunt|niece"
    r"|grand(?:ma|mother)|girlfriend)",
    re.I,
)
_HIM = regex(
    r"爸|哥|弟|男|爷|公|丈夫|叔|舅|儿子|先生|\b(?:dad|father|brother|son|husband|uncle|nephew"
    r"|grand(?:pa|father)|boyfriend)",
    re.I,
)


@lru_cache(1 << 10)
def bearing(fact: str, message: str, later: bool = False) -> float:
    """Return how much speaks for a message being an answer to a fact that was told before.

    One that comes `later` than a few turns has to name what it is about.
    """
    if bool(_HAN.search(fact)) != bool(_HAN.search(message)):
        return 0.0
    found = signs(fact, message)
    if STAGED in found or (found & VETOES and "slip" not in found):
        return 0.0
    if not found & _RENEWING:  # a statement of its own
        return 0.0
    if later and not (found & _NAMED_AGAIN and found & _TOLD_APART):
        return 0.0
    return sum(WEIGHTS.get(sign, 0.0) for sign in found) - later * LATER


_RENEWING = OTHERWISE | {"fragment", "figure alone", "shared", "subject"}
_NAMED_AGAIN = frozenset({"shared", "subject", "denied"})
_TOLD_APART = frozenset({"slip", "changed", "denied"})
