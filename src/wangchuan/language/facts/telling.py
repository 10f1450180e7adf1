"""What a plain sentence tells of its speaker, by its form: kept whole, with its person changed.

No list can hold what people say of themselves, of theirs and of their work.  So what no shape reads
is asked two things only: whose it is ("I", "my aunt", 我们, a thing of work), and whether it lasts.
A present tense lasts by itself; a past one, or a thing, has to be tied to something: a name, a
figure, a time, somebody.  What is going on at the moment, what is thought, wanted or tried, and
what points at something outside the sentence does not last.
"""

import re
from collections.abc import Iterator, Sequence

from wangchuan.language.dates.coming import dated
from wangchuan.language.facts import shapes_en, shapes_zh
from wangchuan.language.facts.claims import Claim, is_refused, led
from wangchuan.language.facts.figures import figures
from wangchuan.language.facts.sense_en import ENGLISH, PASTS, in_third
from wangchuan.language.facts.sense_zh import CHINESE
from wangchuan.language.facts.shapes import listed
from wangchuan.language.facts.utterances import PAST
from wangchuan.language.text import HAN, words
from wangchuan.language.words import ENGLISH_WORDS
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_LONGEST = {"zh": 48, "en": 120}  # characters: what is longer is a story
_BRIEF = 5  # Chinese characters, below which only having and believing says enough
_SHORTEST = {"zh": 4, "en": 10}


def telling(clauses: Sequence[str], read: frozenset[str], at: float | None) -> Iterator[Claim]:
    """Yield what a sentence tells, of its clauses those that were not `read` otherwise.

    A clause without a subject of its own belongs to the one before it.
    """
    run: list[str] = []
    if any(_MOMENT.search(clause) for clause in clauses):
        return
    for place, clause in enumerate((*clauses, "")):
        matter = _MATTER.match(clause) and not any(map(_KIN.search, clauses[:place]))
        opens = _OPENS.match(clause) or matter
        announced = run and _ANNOUNCED.fullmatch(run[-1])
        if run and (not clause or clause in read or (opens and not announced)):
            yield from _told(run, at)
            run = []
        over = PAST.search(clause) and not read.isdisjoint(clauses)
        if over or clause in read or is_refused(clause):
            continue  # what was, beside what is now
        if clause and (opens or run):
            run.append(clause)


_ANNOUNCED = regex(
    r"(?:会上|大家|我们?|团队|最[后终]|和.{1,6}|跟.{1,6}){0,2}(?:都|已经)?(?:拍板|定|商量|说|谈"
    r"|约)[好定下]?了"
)
_KIN = regex(rf"[他她它]|{shapes_zh.KIN}|\b(?:he|she|{shapes_en.KIN})s?\b", re.IGNORECASE)
_MOMENT = regex(
    r"今[天晚早]|昨[天晚]|刚刚|刚才|[吗呢吧嘛]\Z|[你您]"
    r"|\b(?:today|tonight|this (?:morning|afternoon|evening)|right now|yesterday|last night"
    r"|in a bit|again|might"
    r"|at the moment|later|soon|you|your|yours|lol|haha|anyway|maybe|perhaps|probably|please"
    r"|thanks?|sorry)\b|[?!]",
    re.IGNORECASE,
)
_LONG = (
    "(?:自?学|练|准备|备[考战]|筹备|开发|研究|装修|翻译|减肥|戒|创[办业]|[做写读]一"
    "|[^，。]{1,8}(?:上班|工作|司|店|院|校))"
)
_TIMES = f"(?:{shapes_zh.TIMES}|小时候|以前|从前)"
_OPENS = regex(
    rf"(?:而且|但是?|不过|所以|因为|其实|另外|对了|还有|{_TIMES}){{0,3}}(?:[我俺咱]|本人)"
    r"|(?:(?:and|but|so|because|since) )?(?:(?:in|on|at|for|with|from|by|after|before|as"
    r"|during) (?:[\w'-]+ ){1,5}?)?"
    r"(?:i|i'?m|i'?ve|my|we|we're|we've|our)\b|there(?:'s| is| are) .{3,40}\b(?:my|our|us"
    r"|at home)\b",
    re.IGNORECASE,
)
_MATTER = regex(
    rf"(?:[这本](?:次|个(?:季度|月|版本|项目)的?)?)?{shapes_zh.OURS}|会上|每[天周月]|(?:{_TIMES}"
    rf"|正)?在{_LONG}|it (?:was|is) (?:decided|agreed)"
    rf"|(?:the|all(?: the)?|this|every|each) (?:[\w-]+ ){{0,2}}?(?:{shapes_en.OURS}|intern"
    rf"|client|customer|house|review|person)s?\b",
    re.IGNORECASE,
)


def _told(clauses: Sequence[str], at: float | None) -> Iterator[Claim]:
    zh = bool(_HAN.search(clauses[0]))
    tongue = "zh" if zh else "en"
    first = clauses[0][led(CHINESE if zh else ENGLISH, clauses[0]) :]
    rest = list(clauses[1:])
    while rest and (CHINESE if zh else ENGLISH).pointing.search(_theirs(rest[-1])):
        rest.pop()
    text = ("，" if zh else ", ").join((first, *rest)).strip(" ，,")
    text = re.sub(r"\b(i)(m|ve)\b", r"\1'\2", text, flags=re.I)
    text = f"我{text}" if zh and re.match("[正现最近目前]{0,4}在", text) else text
    if not _SHORTEST[tongue] <= len(text) <= _LONGEST[tongue]:
        return
    if not (_lasts_zh if zh else _lasts_en)(text):
        return
    says = _changed(text) if zh else in_third(text)
    says = says if at is None else dated(says, at)
    slot = "told" if "{who}" in says or says.startswith("{") else "matter"
    yield Claim("", slot, says.casefold(), "", "", text, says)


# Chinese -----------------------------------------------------------------------------------

_PASSING_ZH = regex(  # of the moment, or of the talk itself
    r"马上|待会|等[会下一]|一会|回头|赶紧|这会|一下|看[看来]|随[便口]|准备去|会好好|会.{1,8}的\Z"
    r"|非常|太.{1,4}了|报错|显示|嘻嘻|哈哈|嘿嘿|考虑|[发给帮]我|的时候|急死|是来.{1,6}的"
    r"|没[写做看吃交完弄]|\A我在[^，]{1,5}(?:上|里|家|外面|门口)(?:，|\Z)"
    r"|觉得|感觉|知道|明白|同意|猜|以为|认为|想|希望|发现|懂|记得|听说|试|问|说(?!好|定"
    r"|.{0,3}[语话文])|告诉|谢|服了|无语|天[啊哪]|信(?=你|了)"
    r"|算了|差点|好像|可能|应该|打算|怎|这(?:[种样些么]|个(?!项目|季度|月|学期|周))"
    r"|那[个种样些么]|一样|有点|真[是的]|好[累困饿烦热冷]|来了\Z"
    rf"|(?<!住)(?<!存)(?<!放)在(?!{_LONG})(?:[等吃看忙听玩逛找弄洗做写]|路上|开会|排队|加班)"
)
_WEAK_ZH = regex(
    "先(?!生)|[把又再就]|要(?!求)|正(?!在)"
)  # of the moment, but for a habit or a decision
_SETTLED_ZH = regex(
    r"决定|约定|商[量定]|说好|定[了下]|敲定|拍板|选[了定用]|考上|[迁换切]到|[换改]成|每(?!个人)"
    r"|一般|平时|经常|从小|总是|从来|通常"
    rf"|在{_LONG}"
)
_TIED_ZH = regex(
    rf"{shapes_zh.KIN}|{shapes_zh.PETS}|每|一般|平时|经常|常常|从来|从小|从不|总是|习惯|必须"
    rf"|只[吃喝用看买]|过年|周末|去年|前年|上个?月|明年|今年|年底|[月年]"
    r"|[A-Za-z]{2,}|是|有(?!没)|叫|姓|属|会(?!儿)|不[^知是得]|过(?=\Z|，)"
    r"|在.{2,8}[上里中做读开教卖当]|签|定|约"
)
_TIED_ANYHOW = regex(rf"{shapes_zh.KIN}|{shapes_zh.PETS}|[年月]|[A-Za-z]{{2,}}")
_OWN_ZH = regex(r"[我俺咱]|本人")


def _lasts_zh(text: str) -> bool:
    if _PASSING_ZH.search(text) or CHINESE.pointing.search(_OWN_ZH.sub("", text)):
        return False
    if _SETTLED_ZH.search(text):
        return True
    if len(text) < _BRIEF and not re.search("[有信]", text):
        return False
    if _WEAK_ZH.search(text):
        return False
    read = words(text)
    nouns = sum(word.tag in ("noun", "name", "num", "id", "time", "idiom") for word in read)
    tied = _TIED_ZH.search(text) or figures(text) or any(word.tag == "name" for word in read)
    over = re.search("[了啦](?=\\Z|，)", text)
    tied = (_TIED_ANYHOW.search(text) or figures(text)) if over else tied
    if not _OWN_ZH.search(text):
        return bool(tied and nouns > 1 and not over)
    return bool(nouns and (tied or (not over and len(text) > 5)))


_ONES_OWN = regex("(?:我|俺|咱)(?:们?家)?们?的?|本人的?")
_HIS = regex(f"{shapes_zh.KIN}|{shapes_zh.PETS}|{shapes_zh.OURS}")


def _changed(text: str) -> str:
    """Return a text in which its speaker is named; whoever is his is said to be."""
    text = text.rstrip("，。啦呀哦呢啊 ")
    return _ONES_OWN.sub(lambda found: _named(found[0], text[found.end() :]), text)


def _named(own: str, behind: str) -> str:
    """Return how the speaker is named before what follows."""
    home = "家" if "家" in own else ""
    his = _HIS.match(behind)
    noun = (
        bool(behind) and words(behind)[0].tag in ("noun", "name") and not _SETTLED_ZH.match(behind)
    )
    return "{who}" + home + ("的" if own.endswith("的") or (his and noun and not home) else "")


# English -----------------------------------------------------------------------------------

_THINKING = listed(
    """
    keep keeps think guess know see agree mean need want hope feel understand notice wonder suppose
    believe doubt bet wish say tell ask try look wait mind remember forget hear give thought knew
    saw tried wanted needed felt said told asked looked hoped meant forgot heard imagine figure
    appreciate love like hate enjoy thank find found promise swear sound seem care miss expect let
    """
)
_TIED_EN = regex(
    rf"(?<!\A)\b(?-i:[A-Z])[\w.+#'-]+|\b(?:{shapes_en.KIN})s?\b|\b(?:last|next|this|every"
    rf"|each) (?:year|month|week|quarter|summer|winter"
    r"|spring|fall|autumn|term|season)|\b(?:every|usually|always|never|often|weekends?|once"
    r"|twice|school|college|university)\b",
    re.IGNORECASE,
)
_SETTLED_EN = regex(
    r"\b(?:decided|agreed|settled|chose|chosen|opted|picked|passed|graduated|promoted"
    r"|migrated|switched|replaced"
    r"|studied|taken up|took up|left|quit|retired|married|engaged|divorced|born|won|earned"
    r"|published|founded|joined|degree|master's|phd)\b",
    re.IGNORECASE,
)
_OWN_EN = regex(r"\b(?P<i>i|we)(?='|\b)|\b(?:my|our)\b", re.IGNORECASE)
_GOING_ON = listed(
    """
    learning writing building developing training saving renting planning dating raising living
    studying teaching expecting mentoring growing collecting recovering working renovating
    translating preparing allergic
    """
)
_BEING = regex(
    rf"(?:an? (?!bit|little|lot|mess|wreck|minute|second|fan)|not an? |\d|in (?!a |bed|line|love"
    rf"|trouble|pain|shock|traffic|the (?:middle|car|bath|office|kitchen))"
    rf"|from |on (?:an? |the (?!way|phone|bus|train|couch|sofa|road))|(?:{_GOING_ON})\b"
    rf"|(?!(?:sorry|glad|happy|sure|ready|going|tired|sick|done|late|about|off|stuck|back)\b)"
    r"[\w-]{1,20}(?<!ing) (?:of|with|from|at|in|to (?:an?|the|my|[A-Z]))\b|(?:single|married"
    r"|divorced|engaged|retired|bilingual))",
    re.IGNORECASE,
)
_NOTHING = regex(
    r"(?:have|has|had|'ve) (?:no|to|another|more|.{1,40} to (?:fix|do|write|finish|read|answer"
    r"|go)|an? (?:question|idea|feeling|problem|point|request|look|moment|minute)|some|any"
    r"|enough|been able|better)\b",
    re.IGNORECASE,
)
_ADVERB = regex(
    r"(?:(?!only)[a-z]{1,16}ly|always|never|often|also|still|even|sometimes|both|all|now)\b\s*",
    re.I,
)
_ABSTRACT = regex(
    r"\b(?:my|our) (?:point|question|guess|problem|idea|feeling|fault|turn|pleasure|mind|god"
    r"|goodness|bad|mistake|apologies|head|heart|understanding|impression|word|code|screen|phone"
    r"|battery|internet|stomach|back|eyes|feet|day|life)\b",
    re.IGNORECASE,
)
_MODAL = regex(
    r"'ll|'d|will|would|could|should|might|may|must|gonna|am going|'m going|was going", re.I
)


def _lasts_en(text: str) -> bool:
    rest = re.sub(r"(?i)\A(?:there|it)\b|\bthis (?=year|month|week|quarter|term|summer)", "", text)
    own = _OWN_EN.search(text)
    if ENGLISH.pointing.search(_OWN_EN.sub("", _theirs(rest))):
        return False
    if len(text.split()) < 3 or _ABSTRACT.search(text):
        return False
    tied = bool(
        _SETTLED_EN.search(text)
        or _TIED_EN.search(text)
        or [f for f in figures(text) if f.kind != "one"]
    )
    if not own:
        return tied
    if not own["i"] and text.lower().startswith("there"):
        return True
    if not own["i"]:
        return _of_ones_own(text[own.end() :], tied)
    before = text[: own.start()]
    if re.match(r"(?:the|all|this|every|each|there)\b", before, re.I):
        return tied
    return _says_own(text[own.end() :].strip(), tied, own[0].lower() == "we")


def _theirs(text: str) -> str:
    """Leave out words for somebody that the sentence itself has named."""
    named = re.search(rf"\b(?:{shapes_en.KIN}|{shapes_en.PETS})s?\b.*", text, re.IGNORECASE)
    again = r"\b(?:he|she|they|his|her|their|him|them|who|our|we|us)\b"
    return (
        text[: named.start()] + re.sub(again, "", named[0], flags=re.I)
        if named
        else re.sub(r"\b(?:our|we|us)\b", "", text, flags=re.I)
    )


def _says_own(rest: str, tied: bool, many: bool) -> bool:
    """Tell whether what follows "I" lasts, by its verb."""
    rest = _ADVERB.sub("", rest)
    if be := re.match(r"(?:'m|am|'re|are)\s+(?:not\s+)?", rest, re.I):
        rest = _ADVERB.sub("", rest[be.end() :])
        busy = re.match(r"(?:reading|watching|playing|using|taking|getting)\b", rest, re.I)
        return bool(_BEING.match(rest) or (busy and tied)) or any(
            not one.start and one.kind != "one" for one in figures(rest)
        )
    if _MODAL.match(rest):
        return many and tied and not re.match("(?:'d|would|could|should|might|may)", rest)
    if _NOTHING.match(rest) or (rest.startswith("just") and not _SETTLED_EN.search(rest)):
        return False
    rest = rest.removeprefix("just ")
    if going := re.match(r"(?:'ve|have) been (\w+ing)\b", rest, re.I):
        return bool(re.fullmatch(_GOING_ON, going[1]) or figures(rest))
    verb = re.match(
        r"(?:'ve|have|can't|can|cannot|don't|do not|never|didn't|won't"
        r"|has)?\s*(?:been )?(\w[\w'-]*)?",
        rest,
        re.I,
    )
    word = (verb[1] or "").lower() if verb else ""
    if re.fullmatch(_THINKING, word):
        return False
    if re.match(r"(?:'ve|have) (?:an?|two|three|mild|\d)", rest, re.I):
        return True
    if (
        word.endswith("ed")
        or word in PASTS
        or rest.startswith(("'ve", "have", "didn't", "was", "were"))
    ):
        return tied or (rest.startswith("have ") and ENGLISH_WORDS.get(word) not in ("verb", "aux"))
    return True


def _of_ones_own(rest: str, tied: bool) -> bool:
    """Tell whether what follows "my" lasts: of somebody, or tied to something."""
    somebody = re.match(
        rf"\s(?:[\w-]+ ){{0,2}}?(?:{shapes_en.KIN}|{shapes_en.PETS})s?\b", rest, re.I
    )
    passing = re.search(
        rf"\b(?:is|are|'s|was|were) (?:(?:so|very|really|a bit|being|still) )*(?:{_FELT})\b"
        rf"|\b(?:is|are|'s) (?!{_GOING_ON})\w+ing\b|\b(?:me|us|says|said|asks|asked|claims"
        rf"|claimed|thinks|thought|told|called|won't|keeps)\b",
        rest,
        re.I,
    )
    if somebody:
        return not passing and len(rest.split()) > 2
    named = re.search(r"\b(?:is|are|was|'s) (?:called|named|about|an?|the|on|in|at|for|to)\b", rest)
    return not passing and (tied or bool(named))


_FELT = (
    shapes_en.STATES
    + "|busy|late|fine|okay?|here|back|mad|asleep|away|out|great|good|bad|broken|dead|slow|down"
)
