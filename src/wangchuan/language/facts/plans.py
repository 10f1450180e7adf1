"""What is planned: a clause that names a day to come is kept with the date it means.

Plans have no shape of their own: whatever somebody, or somebody of his, does on a day ahead is one.
So the clause itself is kept, its day as a date and its speaker by name.
"""

import re

from wangchuan.language.dates.coming import Day, days_ahead
from wangchuan.language.facts import shapes_en, shapes_zh
from wangchuan.language.facts.claims import Claim
from wangchuan.language.facts.sense_en import ENGLISH, polished, third
from wangchuan.language.facts.sense_zh import CHINESE
from wangchuan.language.text import HAN, words
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_LONGEST = 80  # characters of a clause
_UNSURE = regex(
    r"说|是$|[延改挪]到|可能|也许|大概|说不定|好像|希望|但愿|应该|估计|天气|下雨|下雪|气温|[度]$|好[不么]|什么|是(?:周|星期|礼拜)|放假吧"
    r"|再说|见[吧啦哦~]?$|聊[吧啦]?$"
    r"|\b(?:may|might|maybe|perhaps|probably|hopefully|hope|guess|think|wonder|wait|would|could"
    r"|should|weather|rain\w*|snow\w*|see you|talk|let's|let us|what|who|can't|is it|until)\b",
    re.IGNORECASE,
)
_MINE_ZH = regex(rf"我们?(?:家)?的?(?={shapes_zh.KIN}|{shapes_zh.PETS}|{shapes_zh.OURS})")
_OWN_ZH = regex(
    rf"(?:我|咱)们?|(?={shapes_zh.KIN})|(?=[要得有去到回来和跟带陪飞坐交考做打看参开办搬过约见入出])"
    r"|(?=[^，。]{0,8}(?:面试|考试|手术|比赛|约会|答辩|体检|婚礼|会议|演出|复查|聚会|纪念日|生日|火车|航班|飞机|出差|入职))"
)
_OWN_EN = regex(
    rf"(?:(?P<i>i|we)(?='|\b)|(?P<my>my|our)\b|the (?:[\w-]+ ){{0,2}}?(?:{shapes_en.OURS}"
    rf"|rent|bill|party|wedding|appointment|exam|interview)\b)\s?",
    re.IGNORECASE,
)


def planned(clause: str, at: float | None) -> Claim | None:
    """Return the plan that a clause states, with its date; None if it is none."""
    if at is None or len(clause) > _LONGEST or _UNSURE.search(clause):
        return None
    day = next(iter(days_ahead(clause, at)), None)
    if day is None:
        return None
    return _chinese(clause, day) if _HAN.search(clause) else _english(clause, day)


def _chinese(clause: str, day: Day) -> Claim | None:
    before, behind = clause[: day.start], clause[day.end :]
    lead = shapes_zh.LEAD.match(before)
    before = before[lead.end() if lead else 0 :]
    behind = behind.strip("，, 啦了吧呢啊哦")
    rest = before + behind if before else behind.lstrip("的")
    found = _MINE_ZH.match(rest)
    own = found or _OWN_ZH.match(rest)
    thing = rest[own.end() :] if own else ""
    if not thing or (len(words(thing)) < 2 and len(thing) < 3) or CHINESE.pointing.search(thing):
        return None
    place = max(len(before) - own.end(), 0) if own else 0  # the day stays where it was
    if found and not place:
        place = _kin(thing)
    says = thing[:place].replace("我", "{who}") + "{when}" + thing[place:].replace("我", "{who}")
    mine = "的" if found or (place and words(thing)[0].tag == "noun") else ""
    return Claim("", "plan", thing, "will", "", thing, f"{{who}}{mine}{says}", day.date, thing)


def _kin(thing: str) -> int:
    """Return where the one whose plan it is ends."""
    found = re.match(rf"{shapes_zh.KIN}|{shapes_zh.PETS}|{shapes_zh.OURS}", thing)
    return found.end() if found else 0


_ON = regex(r"(?:\s|,|\b(?:on|in|by|at|for|this|is)){1,12}\Z", re.IGNORECASE)


def _english(clause: str, day: Day) -> Claim | None:
    before, behind = clause[: day.start], clause[day.end :].strip(" ,.!")
    lead = shapes_en.LEAD.match(before)
    before = before[lead.end() if lead else 0 :]
    is_on = re.search(r"\b(is|are)\s*(?:on|in|by)?\s*\Z", before, re.IGNORECASE)
    before = before[: is_on.start()] if is_on else _ON.sub("", before)
    text = f"{before} {behind}".strip() if not is_on else f"{before}is {behind}".strip()
    own = _OWN_EN.match(text)
    if not own or ENGLISH.pointing.search(text[own.end() :]) or len(text.split()) < 3 - bool(is_on):
        return None
    rest = text[own.end() :]
    if own["my"] and not is_on and re.search(r"\b[A-Z]\w+\Z", rest):  # whoever it is does nothing
        return None
    says = (
        f"{{who}} {third(rest)}" if own["i"] else f"{{whose}} {rest}" if own["my"]
        else text[:1].upper() + text[1:]
    )  # fmt: skip
    on = "on " if day.date.count("-") > 1 else "in "
    if re.search(r"\b(?:to|from|until|till|before|after)\Z", says):
        on = ""
    return Claim(
        "", "plan", rest, "will", "", rest, f"{polished(says)} {{when}}", on + day.date, rest
    )
