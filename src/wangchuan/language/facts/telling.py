"""What a plain sentence tells that lasts, by its form: kept whole, with its person changed.

No list can hold what people say of themselves, of theirs and of their work. So what no shape reads
is weighed: what ties it (somebody, a name, a figure, a day, a habit, a decision) speaks for it, and
what belongs to the moment or to the talk (a mood, a thought, a word to the other one, something
that is only pointed at) against it. The weights are those a regression gives on sets kept for
development, taken toward precision.
"""

import re
from collections.abc import Sequence

from wangchuan.language.dates.coming import dated
from wangchuan.language.facts import shapes_en, shapes_zh
from wangchuan.language.facts.claims import Claim
from wangchuan.language.facts.figures import figures
from wangchuan.language.facts.sense_en import PASTS, in_third
from wangchuan.language.facts.utterances import PAST
from wangchuan.language.facts.weights import LASTING, LASTS
from wangchuan.language.text import HAN, words
from wangchuan.language.words import ENGLISH_WORDS
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_LONGEST = {"zh": 60, "en": 160}  # characters: what is longer is a story
_KIN = regex(rf"{shapes_zh.KIN}|\b(?:{shapes_en.KIN})(?=s?\b)", re.IGNORECASE)
_PET = regex(rf"{shapes_zh.PETS}|\b(?:{shapes_en.PETS})(?=s?\b)", re.IGNORECASE)
_WORK = regex(rf"{shapes_zh.OURS}(?!的\Z)|\b(?:{shapes_en.OURS})(?=s?\b)", re.IGNORECASE)
_OWN = regex(r"[我俺咱]|本人|\b(?:i|i'm|im|i've|my|we|our|mine|me|us)\b", re.IGNORECASE)
_AIDE = regex(  # beside the matter: said to the other one, or for the sake of saying it
    r"(?:行吧|好吧|对了|话说|说起来|顺便(?:说|提)(?:一[下句嘴])?|[对好嗯是](?=[，,]"
    r"|\Z))[\s，,：:]{0,5}"
    r"|(?<!\w)(?:yep|yes|yeah|nope|hello|hi|hey|btw|by the way|fyi|lol"
    r"|haha\w{0,9}|tbh|ngl|so|well|oh|ok|anyway"
    r"|just so you know|note to self|heads up|(?:注意|记[住得着]|别忘了?|千万别忘)(?:一?下|了|哈"
    r"|哦)?"
    r"|remind me.{0,80}|don'?t forget.{0,80}|please)\b[\s,，:：]{0,5}|[\s,，]{1,5}(?:lol"
    r"|haha\w{0,9}|tbh|哈{1,5}|嘻嘻"
    r"|啦|喽|ugh|btw)\Z",
    re.IGNORECASE,
)
_SIGNS = (
    ("habit", r"每[天周月年个次晚早]|每逢|一般|平时|经常|常常|总是?|从[来不小]|习惯"
         r"|只[吃喝用看买要有]|必须|固定|周末|以[前后]"
     r"|\b(?:every|each|usually|always|never|often|weekends?|mornings|evenings|nights|twice|only"
     r"|weekly|monthly|daily"
     r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b"),
    ("settled", r"决定|约[好定]|商[量定]|说好|[定选][了下在用]|敲定|拍板|考上|[迁换切改]成"
         r"|[迁换切改]到|签|负责|归|截止|到期"
     r"|\b(?:decided|agreed|settled|went with|got into|grew up|chose|chosen|picked|passed|graduated"
     r"|promoted|switched"
     r"|replaced|signed|quit|retired"
     r"|married|engaged|divorced|born|joined|due|deadline|handles|in charge|responsible|expires?"
     r"|expiring)\b"),
    ("being", r"是(?!不是)|叫|姓|属|住|养|有(?![点些空])|\b(?:is|are|'s|has|have|called|named"
         r"|lives?|works?|goes by|runs|owns|'ve got)\b"),
    ("body", r"过敏|怕|不[吃喝能敢爱]|戒|喜欢|最爱|讨厌|爱[吃喝看听玩]|\b(?:allergic|afraid"
         r"|scared|can'?t|don'?t|won'?t|hates?|loves?|favou?rite|prefers?"
     r"|likes?|obsessed|diabet\w*|asthma)\b"),
    ("doing", r"在(?=[学练准备攒开做写读教])|\b(?:learning|saving|studying|training|building"
         r"|writing|planning|teaching|renovating|preparing)\b"),
    ("past", r"(?<![养有定选住])[了过啦]|\b(?:was|were|did|had|went|got|came|said|told"
         r"|\w{3,}ed)\b"),
    ("moment", r"\Anow\b|\bwhile i\b|刚(?!好)|这几?天|我要(?!求)|以后(?!都)|今[天晚早]|昨[天晚]"
         "|马上|待会|等[会下]|一会|回头"
         r"|赶紧|正在|现在|\b(?:today|tonight|this (?:morning|afternoon|evening)"
     r"|我在[^，]{1,5}(?:上|里|外面|门口)(?=，|\Z)|(?:i|we)'?ll|going to|gonna|right now"
     r"|yesterday|last night|just|later|soon|again|at the moment|(?:i'?m|we're) (?:in (?:an?|the"
     r"|my) \w+(?=,|\Z)|an? (?:bit|little)|on|at|off|about|almost|still|back|going|waiting|trying)"
     r"(?! (?:a|an|my|call) |[ ,]+(?-i:[A-Z])))\b|先去|在(?:等|路上|排队|忙|找|听|吃)|我(?:在"
     r"|先)(?=[^，]{1,4}\Z)"),
    ("felt", r"好[累困饿烦热冷吃看喝香美撑]|有点|真[是的]|是个?[好坏怪笨懒]|太.{1,5}了|[开]心"
         "|[累困饿烦疼痒]|紧张|尴尬|要命"
         r"|无语|服了|笑死|哈哈|嘿嘿|嘻嘻|天[啊哪]|\b(?:tired|hungry|sleepy|bored"
     r"|lol|haha|ugh|wow|nice|great|awesome|lovely|weird|funny|annoying|exhausted|phew|yay|damn"
     r"|hurts?"
     r"|gosh|omg)\b|!"),
    ("thought", r"如此|像|似的|觉得|感觉|知道|明白|同意|猜|以为|认为|想(?!要)|希望|发现|懂|记得"
         "|听说|试[试着]"
         r"|问|告诉|谢|可能|应该|也许|好像|差点|轮到|祝|来找|想养|想买|怎么?|考虑"
     r"|答应|保证|发誓|有(?:一堆|预感|点?事)|\b(?:have|got) (?:an? |no |some |two |three "
     r"|any )?(?:\w+ )?(?:questions?|options?|idea|feeling|problem|meetings?|to)\b"
     r"|\b(?:i'd like|promise|swear|vow|keep|thinking|nobody|my point|to fix|think|guess|know"
     r"|see|agree|mean|need|want|hope|feel"
     r"|understand|wonder|suppose|believe|doubt|bet|wish|no (?:words|idea)|try|trying|look|wait"
     r"|mind|remember"
     r"|forget|heard|maybe|perhaps|probably|might|could|would|should|seems?|sounds?|thanks?"
     r"|sorry)\b"),
    ("bygone", PAST.pattern),
    ("reported", r"(?<![语话法据])[说讲问](?!好|定|.{0,2}[语话文法])|声称|以为|听说|有人"
     r"|of mine\b|next door|隔壁|楼[上下]|别人"
         r"|\b(?:says?|said|claim(?:s|ed)|wrote|asks|asked|tells|told (?!me to)\w+"
     r"|thinks|reckons|swears|heard)\b|\bgoes [\"“]"),
    ("asks", r"[?？]|[吗呢吧嘛]\Z|[咋啥]|为何|(?<!没)什么|谁(?!都)|哪(?!怕)"
         "|(?<![十好])几(?![乎十百千万])"
        r"|多[少大久远长高]|有没有|能不能|要不要|行不行|对不对"
        r"|\A(?:and |but |so )?(?:do(?:es)?|did|is|are|can|could|would|will|should|have you|what"
        r"|how|why"
        r"|who|where|which|whose)(?:n't)?\b|\bwhich of\b"),
    ("to you", r"[你您]|[吗呢吧]\Z|[给帮发]我|提醒我|一下|\b(?:you|your|yours|please|pls|let'?s"
     r"|(?:remind|ping|tell|let) me)\b|[?？]"),
    ("pointing", r"\A(?:这|那|它|他|她|此)|这[种样些么个]|那[种样些么个]|\A我[这那]|\bof (?:them"
         r"|the (?:two|three))\b|\A(?:it|this|that|these"
         r"|those|he|she|they|his|her|their|here)\b|\A(?:the user|主人|用户)|\b(?:ones?"
         r"|everything|anything|nothing)\b|\b(?:this|that|these|those)\b(?! (?:year|month|week"
         r"|quarter|summer|term|season))|\bthe (?:first|second) \w+ (?:more|better)"),
)  # fmt: skip
_SIGNS_OF = tuple((name, regex(cue, re.IGNORECASE)) for name, cue in _SIGNS)


def lasting(text: str) -> set[str]:
    """Return the signs that what a sentence tells lasts, and those that it does not."""
    zh, read = bool(_HAN.search(text)), words(text)
    if not read:
        return {"to you"}
    found = {name for name, cue in _SIGNS_OF if cue.search(text)}
    found |= {"past"} if any(word.text.lower() in PASTS for word in read) else set()
    found |= {"own"} if _OWN.search(text) else set()
    found |= {"kin"} if _KIN.search(text) else {"pet"} if _PET.search(text) else set()
    found |= {"work"} if _WORK.search(text) else set()
    found |= {f"a {one.kind}" for one in figures(text) if one.kind != "one"}
    inner = read[1:] if not zh else read
    found |= {"named"} if any(word.tag in ("name", "id") for word in inner) else set()
    found |= set() if found & _ANCHORS else {"adrift"}
    nouns = sum(word.tag in ("noun", "name", "id", "idiom") for word in read)
    found |= {"nouns"} if nouns > 1 else {"no noun"} if not nouns else set()
    acts = any(word.tag in _ACTING for word in read)
    found |= set() if acts else {"no verb"}
    found |= {"brief"} if len(text) < (6 if zh else 20) else set()
    found |= {"long"} if len(text) > (24 if zh else 80) else set()
    return found | ({"order"} if _orders(text, zh) else set())


_ANCHORS = frozenset({"own", "kin", "pet", "work", "named", "a day", "settled", "habit"})


def stands(text: str) -> bool:
    """Tell whether a clause names whom or what it is about."""
    return bool(_OWN.match(text) or _KIN.match(text) or _WORK.match(text))


def says_much(clause: str) -> bool:
    """Tell whether a clause names anything, and is not of the moment."""
    found = lasting(_AIDE.sub("", clause))
    return (len(clause) > 3 and "no noun" not in found) or bool(
        found & {"a number", "a day", "named"}
    )


_ACTING = frozenset({"verb", "light", "modal", "aux", "subj", "key", "adj", "negated"})


def _orders(text: str, zh: bool) -> bool:
    """Tell whether a sentence tells the other one to do something."""
    if zh:
        return bool(re.match(r"[别请把换改考]|不要|帮|[给提]|再(?!过)", text))
    first = text.split()[0].lower().strip(",.")
    bent = first in PASTS or first.endswith(("ed", "ing"))
    return ENGLISH_WORDS.get(first) in ("verb", "light") and not bent


def told(clauses: Sequence[str], at: float | None, alone: bool = True) -> Claim | None:
    """Return what a sentence tells, given as its clauses; None if it does not last.

    Only if its speaker was `alone` so far is a sentence without a subject about him.
    """
    said = [aside for clause in clauses if (aside := _AIDE.sub("", clause).strip(" ，,"))]
    if not said:
        return None
    zh = bool(_HAN.search("".join(said)))
    text = ("，" if zh else ", ").join(filter(None, said)).strip(" ，,")
    text = re.sub(r"\b(i)(m|ve)\b", r"\1'\2", text, flags=re.I)
    if not text or len(text) > _LONGEST["zh" if zh else "en"]:
        return None
    found = lasting(text)
    if LASTS + sum(LASTING.get(sign, 0.0) for sign in found) < 0:
        return None
    whole = _with_subject(text, zh)
    if whole != text and not alone:
        return None
    says = _changed(whole) if zh else in_third(whole)
    says = says if at is None or "habit" in found else dated(says, at)
    slot = "told" if "{who}" in says or says.startswith("{") else "matter"
    return Claim("", slot, says.casefold(), "", "", text, says)


def _with_subject(text: str, zh: bool) -> str:
    """Return a sentence with the subject that chat leaves out, if it begins with what is done."""
    first = words(text)[0]
    if _OWN.match(text):
        return text
    if zh:
        acts = first.tag in ("verb", "light", "modal") or text[0] in "在从不"
        return f"我{text}" if acts else text
    low = first.text.lower()
    done = low in PASTS or low.endswith("ed") or ENGLISH_WORDS.get(low) == "verb"
    return f"I {text[:1].lower()}{text[1:]}" if done and not low.endswith("ing") else text


_ONES_OWN = regex("(?:我|俺|咱)(?:们?家)?们?的?|本人的?")
_HIS = regex(f"{shapes_zh.KIN}|{shapes_zh.PETS}|{shapes_zh.OURS}")


def _changed(text: str) -> str:
    """Return a text in which its speaker is named; whoever is his is said to be."""
    text = text.rstrip("，。啦呀哦呢啊哈 ")
    return _ONES_OWN.sub(lambda found: _named(found[0], text[found.end() :]), text)


def _named(own: str, behind: str) -> str:
    """Return how the speaker is named before what follows."""
    home = "家" if "家" in own else ""
    noun = bool(behind) and words(behind)[0].tag in ("noun", "name") and _HIS.match(behind)
    return "{who}" + home + ("的" if own.endswith("的") or (noun and not home) else "")
