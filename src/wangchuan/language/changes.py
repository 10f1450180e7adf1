"""Words by which people say that something is no longer as it was.

They change it themselves (moved, gave up, 换成, 戒了), a figure moves (increased to 7, 涨到), it
ends (sold, retired, 作废), it is set right (actually, it turns out, 其实), or it is told to hold
from some moment (from now on, as of Monday, 以后, 从下周起). One such word proves nothing; beside
words that an older statement shares it says which of the two to believe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wangchuan.patterns import regex

# it holds from a moment, or until one
_ENGLISH_HOLDS = "now|nowadays|from now on|as of|since then|until recently"
_ENGLISH = (
    r"no longer|any ?more|used to",
    # it is another one
    r"instead|rather than|back to|went back|in the end|after all|turn(?:s|ed) out|replaced|swapped",
    r"new (?:job|employer|company|boss|phone|number|address|flat|apartment|house|place|home)",
    r"new (?:office|date|time|plan|name|email|password|car|doctor|teacher|team|role|position|diet)",
    r"changed|switched|moved|moving to|migrated|transferred|relocated|renamed|upgraded|reset",
    r"rescheduled|postponed|delayed|pushed (?:back|to)|put off|brought forward|moved up",
    r"promoted|demoted|took over|taken over|handed over|laid off|let go",
    r"new (?:[\w-]+ ){1,3}of",
    # a figure has moved
    r"(?:increas|rais|improv|reduc|lower|decreas|extend|shorten|adjust|updat|revis"
    r"|bump)ed (?:it )?(?:up |down |back )?to",
    r"(?:gone|went|go|go(?:es|ing)) (?:up|down) to|gr[eo]wn? to|r[io]sen? to|f[ea]llen? to|cut to",
    r"(?:up|down) (?:from|to) (?:\d|\w+ (?:second|minute|hour|day|week|month)s)",
    # it has ended
    r"g[ai]ven? (?:up|away)|gave (?:up|away)|quit|stopped|left|sold|dropped|cancell?ed|called off",
    r"scrapped|retired|resigned|closed|expired|broke up|broken up|divorced|separated|died",
    r"passed away|ran away|graduated|recovered|cured|ditched|got rid of|reverted",
    r"changed (?:my|our|his|her|their) minds?|decided against|on second thoughts?",
)
_ENGLISH_WRONG = (  # it was said wrongly
    r"actually|correction|i was wrong|mistaken|by mistake|i meant|misspoke|mixed up|scratch that"
)
_CHINESE_HOLDS = r"现在|如今|以后|往后|从(?:今|明|这|下|本|现在|\d).{0,6}?(?:起|开始)|后来"
_CHINESE = (
    "不再",
    # it is another one
    r"改(?!善|进|良|革|编|变)|换(?!句话|言之)|变(?:成|为|更)|调(?:到|去|岗|成)|转(?:到|去|行|岗"
    r"|为|成|学|院)",
    r"新(?:号|家|地址|电话|手机|工作|公司|职位|老板|单位|密码|邮箱|房|车)|另找|重(?:新|置|设|定)",
    r"搬|迁(?:到|至|移)|推迟|延(?:期|后|到)|提前|挪到|顺延|升(?:职|为|任|成)|接(?:手|替|任)|替换"
    r"|取代",
    # a figure has moved
    r"[增升涨加提降减跌缩延](?:加|高|长|少|低|短|升)?[到至为]|[上下]调",
    # it has ended
    r"取消|戒(?:了|掉|烟|酒|糖|咖)|辞(?:职|了|掉|去)|离(?:职|婚)|跳槽|退(?:休|租|掉|役|学)"
    r"|卖(?:了|掉|出)",
    r"送(?:人|走)|丢了|坏了|报废|作废|废(?:弃|除|止)|弃用|停(?:用|了|掉)|放弃|只剩|去世|过世"
    r"|走丢|没了",
    r"分手|复合|毕业|关(?:了|闭|门)|倒闭|失效|过期|痊愈"
    r"|不[吃喝用去住养干做要叫抽开学练想来].{0,4}?了",
)
_CHINESE_WRONG = "其实|不是.{1,20}?是|而是|更正|纠正|说错|记错|搞错|弄错|写错|应该是|原来是"
_IN_ENGLISH = regex(rf"\b(?:{'|'.join((*_ENGLISH, _ENGLISH_HOLDS, _ENGLISH_WRONG))})\b")
_IN_CHINESE = regex("|".join((*_CHINESE, _CHINESE_HOLDS, _CHINESE_WRONG)))
_OTHERWISE = regex(rf"\b(?:{'|'.join(_ENGLISH)})\b|{'|'.join(_CHINESE)}", re.IGNORECASE)


def says_changed(text: str) -> bool:
    """Tell whether a text says that something is no longer as it was."""
    return next(changes(text), None) is not None


def is_otherwise(text: str) -> bool:
    """Tell whether a text says that something has changed, and not that it was said wrongly."""
    return _OTHERWISE.search(text) is not None


def changes(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a text says so, as places of characters."""
    patterns = (_IN_ENGLISH,) if text.isascii() else (_IN_ENGLISH, _IN_CHINESE)
    for pattern in patterns:
        yield from (match.span() for match in pattern.finditer(text.lower()))


_OF_PAST = regex(
    r"\b(?:did|was|were|had|ago|used to|originally)\b|[过曾]|当时|那天|以前|上次|昨|最初|原来"
)


def asks_of_past(text: str) -> bool:
    """Tell whether a question asks how something was, and not how it is."""
    return _OF_PAST.search(text.lower()) is not None
