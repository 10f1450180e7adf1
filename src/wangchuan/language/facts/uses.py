"""Whether a kept fact shows in a reply: the evidence that a memory was really used.

Being retrieved is not being used.  A fact counts as used when the reply holds what the fact is
about and the user did not bring it up himself in this turn: then it can only have come from the
memory.  A state may also be acted on without being named ("别这么绷着" to somebody nervous); the
table below lists what is said to people in the commonest states, and is no more than that.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from wangchuan.language.facts.claims import stored
from wangchuan.language.facts.shapes import gathered
from wangchuan.language.text import HAN, Word, words
from wangchuan.patterns import regex

# A state as it stands in a fact, and what somebody says who has it in mind.
_CARES: tuple[tuple[str, str], ...] = (
    (
        r"紧张|焦虑|害怕|担心|压力|nervous|anxious|stress|worried|tense|scared",
        r"绷|放轻松|放松[点些]|放松一[点些]|放松下来|深呼吸|别慌|别怕|别紧张|不要紧张|\b(?:(?:just"
        r"|try to|please) relax|relax(?=[,.!])|breathe|deep breath|calm down|stay calm"
        r"|don'?t be (?:so )?(?:tense|nervous|anxious|scared)"
        r"|you'?ve got this|you'?ll (?:be fine|do (?:great|fine|well)))\b",
    ),
    (
        r"累|疲惫|疲倦|困|失眠|tired|exhausted|sleepy|burn(?:ed|t) out|worn out|overwork|insomnia",
        r"休息|歇[一会]|早点睡|早睡|睡个|睡一觉|好好睡|别熬夜|别太拼"
        r"|\b(?:(?:get|take|have) (?:some |a |enough )?(?:rest|sleep|nap|break)|take it easy"
        r"|sleep well|slow down)\b",
    ),
    (
        r"难过|伤心|失落|沮丧|低落|抑郁|委屈|失恋|分手|孤独|寂寞"
        r"|sad\b|depressed|lonely|heartbroken|upset|miserable|grief",
        r"抱抱|抱一下|别哭|别难过|会好起来|都会过去|哭出来"
        r"|\b(?:hugs?|cheer up|it gets better|not alone)\b",
    ),
    (
        r"生气|愤怒|烦躁|心烦|angry|furious|frustrated|annoyed",
        r"消消气|别气|冷静|别生气|犯不着|\b(?:calm down|cool off|let it go|deep breath)\b",
    ),
    (
        r"感冒|发烧|生病|头疼|头痛|头晕|不舒服|难受|胃疼|住院|受伤"
        r"|\bsick|\bill\b|fever|flu\b|headache|unwell|injured",
        r"热水|吃药|看医生|去医院|多休息|好好休息|保重|好[点些]了"
        r"|\b(?:get well|fluids|medicine|see a doctor|feel(?:ing)? better|rest up)\b",
    ),
)
CARES = tuple((regex(state, re.I), regex(care, re.I)) for state, care in _CARES)

ABOUT = frozenset({"name", "noun", "id", "num", "idiom"})
_DONE = frozenset({"verb", "adj", "key", "negated"})  # tell only where nothing is named
_ALONE = frozenset({"name", "id"})  # such a word is enough by itself
_SHARE = 0.5  # of what a fact names has to be exceeded
# Words that frame a fact, or stand in half of all talk.
FRAME = gathered(
    """
    主人 用户 小祥 喜欢 讨厌 名字 生日 住 住在 工作 上班 养 叫 爱 最 答应 专业 老家 昵称 出生
    长大 过敏 一只 读书 朋友 公司 地方 东西 粉丝 爱好 感兴趣 活动 研究 user likes like loves
    love hates hate enjoys prefers prefer lives live works work has have owns drives name
    birthday born years old favourite favorite called named goes studies job promised allergic
    fan afraid into fond grew agent friend friends thing things people time day year home good
    new activities activity types watching listening taking trying going doing making having
    being getting playing
    """
)
_ONE_CHARACTER = frozenset("猫狗兔鸟鱼龟马茶酒花车")  # what a single character may be about
_WITH_PET_NAMES = frozenset("猫狗兔鸟鱼")
_HAN = regex(f"[{HAN}]")


def used(facts: Sequence[str], reply: str, said: str, names: Sequence[str] = ()) -> list[bool]:
    """Tell for each fact whether a reply draws on it and the user did not bring it up.

    `said` is what the user said in this turn; `names` are those of the people in it, which are no
    evidence in themselves.  Words are compared, not letters: 猫 is in 猫咪, not in 熊猫.
    """
    if not facts:
        return []
    heard, spoken = _stems(said), _stems(reply)
    people = "\n".join(names).casefold()
    return [
        _named(fact, spoken, heard, people) or _felt(fact, reply) or _cared_for(fact, reply, said)
        for fact in facts
    ]


def _cared_for(fact: str, reply: str, said: str) -> bool:
    """Tell whether a reply answers a state which the user does not show in this turn."""
    return any(
        (cue := care.search(reply)) and cue[0] not in said and not state.search(said)
        for state, care in CARES
        if state.search(fact)
    )


def _felt(fact: str, reply: str) -> bool:
    """Tell whether a reply says of the user what a fact says he feels."""
    claims = stored(fact)
    if not claims or claims[0].slot != "state":
        return False
    feeling = re.escape(claims[0].key)
    yours = rf"你[^，。！？\n]{{0,8}}{feeling}|\byou(?:'re| are| feel)[^.!?\n]{{0,20}}\b{feeling}\b"
    return re.search(yours, reply, re.IGNORECASE) is not None


def _named(fact: str, spoken: frozenset[str], heard: frozenset[str], people: str) -> bool:
    """Tell whether most of what a fact is about was spoken of without having been heard."""
    telling = {stem: tag for stem, tag in _telling(fact).items() if stem not in people}
    found = [stem for stem in telling if _is_among(stem, spoken) and not _is_among(stem, heard)]
    most = len(found) > _SHARE * len(telling)
    return most or any(telling[stem] in _ALONE for stem in found)


@lru_cache(maxsize=1024)
def _telling(fact: str) -> dict[str, str]:
    """Return the words that a fact is about, with their tags; what is done if it names nothing.

    A passing state is none: "happy" stands in many a reply.
    """
    claims = stored(fact)
    if claims and claims[0].slot == "state":
        return {}
    about = " ".join(claim.about for claim in claims) or fact
    own = [word for word in words(about) if _counts(word.text.casefold())]
    named = {_stem(word.text): word.tag for word in own if _is_named(word)}
    return named or {_stem(word.text): word.tag for word in own if word.tag in _DONE}


def _is_named(word: Word) -> bool:
    """Tell whether a word names a thing or an activity."""
    return word.tag in ABOUT or (word.tag == "verb" and word.text.endswith("ing"))


def _counts(word: str) -> bool:
    """Tell whether a word of a fact is about its content."""
    return word not in FRAME and (len(word) > 1 or word in _ONE_CHARACTER)


def _stems(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared."""
    return frozenset(_stem(word.text) for word in words(text))


def _stem(word: str) -> str:
    """Return a word without case, plural, and the ending of an activity."""
    word = word.casefold().removesuffix("'s")
    if _HAN.search(word) or word.endswith("ss"):
        return word
    for ending, least in (("ing", 7), ("es", 6), ("s", 4)):
        if word.endswith(ending) and len(word) >= least:
            return word.removesuffix(ending)
    return word


def _is_among(stem: str, spoken: frozenset[str]) -> bool:
    """Tell whether a word is among others; a Chinese one may be a part of a longer one."""
    if stem in spoken:
        return True
    if stem in _WITH_PET_NAMES:
        return any(len(word) == 2 and word[0] == stem for word in spoken)
    return len(stem) > 1 and bool(_HAN.match(stem)) and any(stem in word for word in spoken)
