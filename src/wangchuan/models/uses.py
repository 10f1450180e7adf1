"""Whether a kept fact shows in a reply: the evidence that a memory was really used.

Being retrieved is not being used.  A fact counts as used when the reply holds what the fact is
about and the user did not bring it up himself in this turn: then it can only have come from the
memory.  A state may also be acted on without being named ("别这么绷着" to somebody nervous); the
table below lists what is said to people in the commonest states, and is no more than that.
"""

import re

from wangchuan.models.claims import stored
from wangchuan.models.language import HAN, words

# A state as it stands in a fact, and what somebody says who has it in mind.
_CARES: tuple[tuple[str, str], ...] = (
    (
        r"紧张|焦虑|害怕|担心|压力|nervous|anxious|stress|worried|tense|scared",
        r"绷|放轻松|放松|深呼吸|别慌|别怕|别紧张|别担心|不要紧张|没事的|慢慢来|加油|稳住"
        r"|\b(?:relax|breathe?|calm|easy|don'?t worry|you'?ve got this|you'?ll be fine|you'?ll do (?:great|fine|well))\b",
    ),
    (
        r"累|疲惫|疲倦|困|忙|失眠|没睡|tired|exhausted|sleepy|burn(?:ed|t) out|worn out|overwork|insomnia|drained",
        r"休息|歇|早点睡|早睡|睡个|睡一觉|好好睡|别熬夜|别太拼|辛苦|\b(?:rest|sleep|nap|break|take it easy|slow down)\b",
    ),
    (
        r"难过|伤心|失落|沮丧|低落|抑郁|委屈|失恋|分手|孤独|寂寞|sad|depressed|lonely|heartbroken|upset|miserable|grief",
        r"抱抱|抱一下|别哭|别难过|陪你|陪着你|会好起来|都会过去|哭出来|\b(?:hug|here for you|cheer up|get better|not alone)\b",
    ),
    (
        r"生气|愤怒|烦躁|心烦|angry|furious|frustrated|annoyed",
        r"消消气|别气|冷静|别生气|犯不着|\b(?:calm down|cool off|let it go|deep breath)\b",
    ),
    (
        r"感冒|发烧|生病|头疼|头痛|头晕|不舒服|难受|胃疼|住院|受伤|sick|ill\b|fever|flu|headache|unwell|injured",
        r"热水|吃药|看医生|去医院|多休息|好好休息|保重|好点了|好些了|\b(?:get well|fluids|medicine|see a doctor|feel(?:ing)? better|rest up)\b",
    ),
)
CARES = tuple((re.compile(state, re.I), re.compile(care, re.I)) for state, care in _CARES)

_TELLING = frozenset({"name", "noun", "id", "num", "verb", "adj", "idiom", "key", "negated"})
_ALONE = frozenset({"name", "id"})  # such a word is enough by itself
_SHARE = 0.5
# Words that frame a fact and are not what it is about.
_FRAME = frozenset(
    """
    主人 用户 小祥 喜欢 讨厌 名字 生日 住 住在 工作 上班 养 叫 爱 最 答应 专业 老家 昵称 出生 长大 过敏 一只 读书
    user likes like loves love hates hate enjoys prefers prefer lives live works work has have owns drives name birthday
    born years old favourite favorite called named goes studies job promised allergic fan afraid into fond grew agent
    """.split()
)


def used(fact: str, reply: str, said: str) -> bool:
    """Tell whether a reply draws on a fact that the user did not mention himself.

    `said` is what the user said in this turn.  Words are compared, not letters: 猫 is in 猫咪,
    not in 熊猫.
    """
    return _named(fact, reply, said) or _acted_on(fact, reply, said)


def _acted_on(fact: str, reply: str, said: str) -> bool:
    """Tell whether a reply answers a state which the user does not show in this turn."""
    return any(
        state.search(fact) and care.search(reply) and not state.search(said) for state, care in CARES
    )


def _named(fact: str, reply: str, said: str) -> bool:
    """Tell whether enough of what a fact is about stands in the reply and was not said."""
    claims = stored(fact)
    subject = claims[0].who if claims else ""
    telling = {
        _stem(word.text): word.tag
        for word in words(fact)
        if word.tag in _TELLING and _counts(word.text, subject)
    }
    if not telling:
        return False
    heard = _stems(said)
    fresh = _stems(reply) - heard
    found = [stem for stem in telling if any(_meets(stem, other) for other in fresh)]
    if any(_meets(stem, other) for stem in telling for other in heard):
        return False
    return len(found) >= _SHARE * len(telling) or any(telling[stem] in _ALONE for stem in found)


_HAN = re.compile(f"[{HAN}]")
_ONE_CHARACTER = frozenset("猫狗兔鸟鱼龟马茶酒花车")  # what a single character may be about


def _counts(word: str, subject: str) -> bool:
    """Tell whether a word of a fact is about its content."""
    plain = word.casefold()
    if plain in _FRAME or plain == subject or plain in subject.split():
        return False
    return len(word) > 1 or plain in _ONE_CHARACTER


def _stems(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared."""
    return frozenset(_stem(word.text) for word in words(text))


def _stem(word: str) -> str:
    """Return a word without case, plural, and the ending of an activity."""
    word = word.casefold().removesuffix("'s")
    if _HAN.search(word):
        return word
    for ending, least in (("ing", 5), ("es", 5), ("s", 4)):
        if word.endswith(ending) and len(word) >= least + len(ending) - 1 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


def _meets(stem: str, other: str) -> bool:
    """Tell whether two words are one; a Chinese animal meets its pet names (猫, 猫咪)."""
    if stem == other:
        return True
    if stem in _ONE_CHARACTER:
        return other.startswith(stem) and len(other) == 2 and stem in "猫狗兔鸟鱼"
    return bool(_HAN.match(stem)) and len(stem) > 1 and stem in other

