"""Whether what a Chinese shape caught can be meant, and how it is compared.

Shapes alone cannot tell 在努力工作 from 在医院工作; the dictionary's tags can.
"""

import re

from wangchuan.language.facts.shapes import Caught, Tongue, gathered
from wangchuan.language.facts.shapes_zh import (
    FUTURE,
    LEAD,
    OFFER,
    OPENS,
    PERSON,
    PROMISE,
    SUBJECT,
    TAIL,
    TRADE,
    spoken,
    stored,
)
from wangchuan.language.numerals import values
from wangchuan.language.text import words
from wangchuan.language.words import SURNAMES
from wangchuan.patterns import regex

# What cannot be a value, by what it begins with or holds.
_POINTING = regex(
    r"[你您她它咱]|(?<![吉其])他|^(?:我|这|那(?![不勒])|此|某|哪|啥|自己|别人|一样|上了"
    r"|起来|第[一二三四五\d]|前者|后者|怎[样么]|就[行好是])|方案|版本"
    r"|这[个种样些]|那[个种样些]|(?<!男)(?<!女)对方"
)
_NOT_NAMES = regex(
    r"[了着过的他她你我它们来去把给不没啥]|^(?:外卖|一|滴滴|车|救命|停|什么|起床|吃饭|打车|代驾|人"
    r"|爸爸|爷爷|祖宗|秦始皇|雷锋|孙悟空|玉皇大帝|奥特曼|上帝)"
)
_PLACING = frozenset({"name", "noun", "id", "generic", "num", "unit", "time", "func"})
_NOT_NAMING = gathered("verb adv modal neg negated conj idiom light key ask adj time")


def _is_name(found: Caught) -> bool:
    """Tell whether a value can name a person: two characters or more that are no verb."""
    value = found["value"]
    if len(value) < 2 or _NOT_NAMES.search(value):
        return False
    tags = [word.tag for word in words(value)]
    return len(tags) > 1 or tags[0] not in _NOT_NAMING


def _is_full_name(found: Caught) -> bool:
    """Tell whether a value is a name after 我叫, where a surname vouches for any word."""
    value = found["value"]
    family = (
        value[0] in SURNAMES and value[0] not in "来都那和由于但应何时" and 2 <= len(value) <= 3
    )
    return _is_name(found) or (family and not _NOT_NAMES.search(value))


_NO_HOME = regex(
    "朋友|同学|亲戚|酒店|宾馆|旅馆|公司(?!宿舍)|办公室|楼[上下]|火星|月球|未来"
    "|外星|地球|桌|椅|装修|办喜|那里"
)
_SETTLED = regex("[省市区县镇村路街国州城边岛港湾]$|小区|公寓|宿舍|家|乡下|城里|郊外|[东南西北]部")


# Cities that the dictionary holds for other words (大连 for an adverb).
_CITIES = tuple(
    "保定 大同 包头 大连 嘉兴 合肥 烟台 开封 海口 遵义 大理 宝鸡 天水 银川 首尔 大兴".split()  # noqa: SIM905
)


def _has_name(text: str) -> bool:
    """Tell whether a text names a place, a firm or a person."""
    return text.startswith(_CITIES) or any(word.tag == "name" for word in words(text))


def _is_place(found: Caught) -> bool:
    """Tell whether a value opens with a noun: 家在装修 and 在努力工作 name no place."""
    value = found.get("value") or ""
    tags = [word.tag for word in words(value)]
    if value.startswith(_CITIES):
        return True
    return bool(tags) and (tags[0] in _PLACING or (tags[0] == "adj" and len(tags) > 1))


_LEFT = regex("回[来去国]|[又再]搬?回")  # and came back: 上海又回来


def _is_employer(found: Caught) -> bool:
    whole = not re.search("是|的$", found.get("value", ""))  # 工地上做的是助理的 is no firm
    return "out" in found or (whole and _is_place(found))


def _is_home(found: Caught) -> bool:
    """Tell whether one can live there; what one moves to has to sound like a place."""
    value = found["value"]
    if _NO_HOME.search(value) or _LEFT.search(value) or not _is_place(found):
        return False
    return not found.get("moved") or _has_name(value) or bool(_SETTLED.search(value))


def _is_origin(found: Caught) -> bool:
    """Tell whether somebody can come from there: 好人 and 机器人 do not."""
    value = found["value"]
    if _NO_HOME.search(value) or not _is_place(found):
        return False
    nouns = all(word.tag in ("name", "noun") for word in words(value))
    return not found.get("folk") or value.startswith(_CITIES) or (nouns and _has_name(value))


def _is_age(found: Caught) -> bool:
    """Tell whether somebody who writes can be so old; a bare number needs a word for it."""
    if "bare" in found and not (found["bare"] or re.search("今年|已经|都|才", found["adv"])):
        return False
    value = found["value"]
    if found.get("other"):
        return True
    return 5 <= int(value) <= 120 if value.isdigit() else "十" in value or value in "五六七八九"


def _is_liked(found: Caught) -> bool:
    """Tell whether a taste has an object that lasts: 烦死了 has none, 不吃饭了 is over at once."""
    if (
        found.get("over")
        and found["verb"][0] != "戒"
        and not re.search("现在|已经|早就|再也|以后", found["adv"])
    ):
        return False
    return not re.match("[得死透了过]|[啊呀啦哦呢吧嘛的]+$", found["thing"])


_AHEAD = regex(r"明|后天|下[下个周星礼]|今晚|周|星期|礼拜|[号日点月]|\d-\d")


def _is_dated(found: Caught) -> bool:
    """Tell whether a plan has a time ahead; what is to be done now is no plan."""
    return bool(_AHEAD.search(found["when"]))


_SCHOOL = regex("(?:大学|学院|学校|中学|高中|小学|国外|[大校院美英日法德国])$")
_FIRM = regex(
    "公司|厂|店|医院|学校|银行|局|所$|院$|集团|工作室|机构|单位|酒店|超市|餐厅"
    "|事务所|协会|出版社|大学"
)


def _is_school(found: Caught) -> bool:
    value = found["value"]
    return _is_place(found) and (_has_name(value) or bool(_SCHOOL.search(value)))


def _is_job(found: Caught) -> bool:
    """Tell whether somebody does something for a living: 在家做饭 is no job."""
    place, value = found.get("place"), found["value"]
    trade = re.fullmatch(TRADE, value) is not None
    if place is None:
        nouns = all(word.tag in _PLACING for word in words(value)) and value[0] not in "一这"
        return trade or nouns or value[0] in "做教写画修卖开管研"
    if place == "家" or not _is_place({"value": place}):
        return False
    return trade or _has_name(place) or bool(_FIRM.search(place))


def _is_trade(found: Caught) -> bool:
    """Tell whether what is done is a trade and not an act."""
    return _is_job(found) and not re.search("[了着过不]", found["value"])


def _is_noun(found: Caught) -> bool:
    return not re.search("[了着过不]", found["value"]) and _is_place(found)


def _is_owned(found: Caught) -> bool:
    """Tell whether a thing is had: 我的车是借的 says nothing of it."""
    return not found.get("noun", "").endswith("的")


def _is_somebody(found: Caught) -> bool:
    """Tell whether a value can be somebody; a customer may be a firm, or one of a kind."""
    value = found["value"]
    if re.fullmatch(TRADE, value):
        return False
    if re.fullmatch(PERSON, value) and not re.search("人$", value):
        return _is_full_name(found) or value[1] in SURNAMES
    firm = re.search("客户|供应商", found["thing"])
    acts = any(word.tag in ("verb", "adv", "adj", "modal") for word in words(value))
    return bool(firm) and (
        _has_name(value) or bool(re.match("一家", value)) or (len(value) > 2 and not acts)
    )


_NAMING = _PLACING | {"key", "verb"}
_VAGUE = regex("[不没很太还了吗呢我]|这|那|问题|崩|挂|什么|怎么|[得着过]$|一样|可以|^[在是有]")
_MUSING = regex("意思|想|问题|感觉|看法|建议|理解|(?<!项)目的|印象|直觉|重点|时候|心|天$|话$")


def _is_definite(found: Caught) -> bool:
    """Tell whether a value says which one: a name, a number, a day; 很忙 does not."""
    value, verb, thing = found["value"], found["verb"], found["thing"]
    acts = found.get("any") and words(thing)[-1].tag not in _NAMING
    if _VAGUE.search(value) or _MUSING.search(thing) or acts:
        return False
    if verb in ("做", "卖", "主营") or len(verb) > 1:
        return (
            _is_noun(found)
            or _has_name(value)
            or bool(values(value) or re.search("[A-Za-z]", value))
        )
    if verb == "在" and re.search("[上里中楼层室区路街]$", value):
        return True
    told = verb == "叫" or re.search(r"[A-Za-z\d]", value) or values(value) or _has_name(value)
    titled = value[0] in SURNAMES and re.search("[总工姐哥]$|经理|老师|先生|女士", value)
    return bool(told or titled)


_CHECKS = {
    "kin": lambda found: found["value"][0] in "是在" or _is_somebody(found),
    "ours": _is_definite,
    "name": _is_full_name,
    "nickname": _is_name,
    "home": _is_home,
    "employer": _is_employer,
    "origin": _is_origin,
    "occupation": _is_trade,
    "school": _is_school,
    "major": lambda found: not re.search("[了着过不有叫里]", found["value"]),
    "possession": _is_owned,
    "age": _is_age,
    "taste": _is_liked,
    "plan": _is_dated,
}

_DOING = regex(r"^(?:去|在)?(?:吃|喝|看|玩|听|打|去|逛|做|唱|穿|读|画|写|弹|养|骑|跑)(?=\w)")
_GENERIC = regex("^(?:[这本]个?|项目的?|仓库的?|公司的?)+(?=.)")
_AND = regex(r"、|以及|和|跟|还有")
# A list whose parts share a word, or a thing done with somebody.
_ONE_WHOLE = regex(
    "^[在去和跟与到一]|一[些起样]|之间|等|[、和][^、和]*的|[、和](?:朋友|家人|爸|妈|同)"
)


def things(text: str) -> list[str]:
    """Return the things a list names, or the whole if its parts do not stand alone."""
    parts = [part.strip() for part in _AND.split(text)]
    short = all(1 <= len(part) <= 6 for part in parts)
    return parts if short and not _ONE_WHOLE.search(text) else [text]


def bare(text: str) -> str:
    """Return a thing without the verb that goes with it, to be compared."""
    return _GENERIC.sub("", _DOING.sub("", text)).strip("的 了")


def swapped(text: str, me: str, you: str) -> str:
    """Return what a speaker said with both speakers named."""
    text = re.sub(r"我们|咱们?", f"{me}和{you}", text)
    return re.sub("[你您](?!们)", you, re.sub("我(?!们)", me, text))


def polished(text: str) -> str:
    """Return a written fact as it is: Chinese needs no mending."""
    return text


CHINESE = Tongue(
    spoken=spoken,
    stored=stored,
    lead=LEAD,
    subject=SUBJECT,
    tail=TAIL,
    opens=OPENS,
    promise=PROMISE,
    offer=OFFER,
    pointing=_POINTING,
    future=FUTURE,
    checks=_CHECKS,
    things=things,
    bare=bare,
    polished=polished,
)
