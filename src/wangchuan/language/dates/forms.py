"""The forms in which people write dates, in English and Chinese: one table of patterns and readers.

A form is tried only where a word of its cue occurs, so that most texts cost one glance.  Patterns
repeat nothing without a bound, which keeps reading linear in the length of the text.  Where two
forms claim the same words the longer claim wins, so a pattern need not know the others.
"""

from __future__ import annotations

import re

from wangchuan.language.dates import readers as read
from wangchuan.language.dates.readers import Reader
from wangchuan.language.numerals import NUMBERS, ORDINALS
from wangchuan.language.words import MONTHS, NUMERALS
from wangchuan.patterns import regex
from wangchuan.types import value

# Patterns in English --------------------------------------------------------------------------

W = r"\s{1,3}"
_MONTH = rf"\b(?P<month>{'|'.join(MONTHS)})\b\.?"
_FULL = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_SHORT = "(?-i:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
WEEKDAY = rf"\b(?P<weekday>{_FULL}|{_SHORT}(?!(?-i:[ -][A-Z][a-z])))\b"
_ON_WEEKDAY = rf"(?:\b(?:{_FULL}|{_SHORT})\b\.?,?{W}(?:the{W})?)?"
_THIS_WEEKDAY = (
    rf"(?:[ ,，]{{0,2}}[(（]?(?:{_FULL}\b|{_SHORT}\b|(?:周|星期|礼拜)[一二三四五六日天])[)）]?)?"
)
_FOUR = r"(?:19|20)\d\d"
_YEAR = rf"(?P<year>{_FOUR})(?!\d)"
_THAT_YEAR = rf"(?:{_YEAR}|(?P<era>last|this|next){W}year\b)"
_WORD = rf"(?P<word>{'|'.join(reversed(ORDINALS))})\b"
_NTH = "(?:st|nd|rd|th)"
_TO = (
    rf"(?:\s{{0,2}}(?:-|–|—|to|through|until|till)\s{{0,2}}(?P<to>\d{{1,2}}){_NTH}?"
    r"(?![\dA-Za-z:]|\s?[ap]m\b))?"
)
_WHICH = (
    rf"(?P<which>this{W}past|past(?!{W}(?:week|month|quarter|year)\b)|last|this|current|previous"
    r"|next|coming|upcoming)"
)
COUNT = (
    rf"(?<![\d.,])\b(?P<n>\d{{1,3}}|an?{W}(?:few|couple(?:{W}of)?)|few|couple(?:{W}of)?|several"
    rf"|half{W}an?|{'|'.join(NUMBERS)})"
)
SPAN = r"(?P<unit>minute|hour|day|night|weekend|week|month|year)"
_LONG = r"(?P<unit>minute|hour|day|night|week|month|year)"
# What makes a span lead to the date after it: "the last week of May", "the weekend before 3 May".
_LEADING = rf"{W}of\b|{W}(?:before|after){W}(?:the{W})?(?:\d|(?:{'|'.join(MONTHS)})\b)"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)\b"
_THINGS = "people|words|steps|met(?:er|re)s|miles|years|days|times|dollars|users|calories|points"
_LONE = r"(?<![\dA-Za-z./_-])"

# Patterns in Chinese --------------------------------------------------------------------------

_ONE = "[一二三四五六七八九]"
_NUM = rf"(?:\d{{1,2}}|{_ONE}?十{_ONE}?|{_ONE})"
_FRESH = rf"(?<![\d第每几数.{NUMERALS}])"  # no number begins in the middle of another
_CN_YEAR = (
    r"(?:(?<!\d)(?P<year>(?:19|20)\d\d|(?:一九|二[零〇○])[零〇○一二三四五六七八九]{2}) ?年"
    rf"|(?<!\d)(?P<short>\d\d)年(?={_NUM} ?月)"
    r"|(?P<era>大前|(?<![以之从目提当空生年])前|(?<![过回出失])去|(?<!当)今|本|(?<![聪文光])明"
    r"|(?<![以之最然今])后)年)(?![代级龄轻])"
)
_OF_YEAR = rf"(?:{_CN_YEAR}的? ?)"
_DASH = r" ?[到至~～\-–—] ?"
_DATE_MARK = "[日号](?![楼线房桌院馆门选机车店码])"
_NO_MEASURE = r"(?<=\d)(?![\d.:：%个次天年月小点分块元万岁人家])"
_CN_WHICH = r"(?<![早晚马以路身楼地日基根])(?P<which>上上|下下|上|下|这|本)(?:一个?|个)?"
_CN_WEEKDAY = (
    r"(?P<weekday>一(?![直起样些共般定切边])|[二三四五六]|日(?![常本子记])|天(?!气))"
    r"(?![个次]|天(?!气))"
)
_WEEK_LIST = "[一二三四五六日天](?:[到至、和](?:周|星期|礼拜)?[一二三四五六日天]){0,6}"
CN_COUNT = rf"(?P<n>\d{{1,3}}|[一二两三四五六七八九]{{2}}|两|{_NUM}|好几|几|数|半)"
CN_SPAN = "(?:个多?|多个?)?(?P<unit>分钟|小时|钟头|天|周|星期|礼拜|(?<=[个多])月|年)"
_TODAY = r"(?<![当至现])(?<!(?<![比例])如)今"
_TOMORROW = "(?<![聪文光透黎证声])明"


@value
class Form:
    """One way to write a date: words of which one must occur, a pattern, and its reader."""

    cue: frozenset[str]
    pattern: re.Pattern[str]
    reader: Reader


def _en(cue: str, pattern: str, reader: Reader) -> Form:
    """Make a form whose cue is words; capitals matter only where the pattern says so."""
    words = frozenset(cue.split())
    return Form(words, regex(pattern, re.IGNORECASE | re.ASCII), reader)


def _zh(cue: str, pattern: str, reader: Reader) -> Form:
    """Make a form whose cue is characters."""
    return Form(frozenset(cue), regex(pattern), reader)


FIGURES = "0"  # the cue of forms that begin with any figure
_IN_MONTHS = " ".join(MONTHS).lower()
_IN_DAYS = """
    mon monday tue tues tuesday wed wednesday thu thur thurs thursday fri friday sat saturday
    sun sunday
"""

FORMS: tuple[Form, ...] = (
    # Figures
    _en(
        FIGURES,
        rf"{_LONE}(?P<year>{_FOUR})(?P<mark>[/-])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})"
        rf"(?![\dA-SU-Za-su-z_/-]|\.\d){_THIS_WEEKDAY}",
        read.figures,
    ),
    _en(
        FIGURES,
        rf"{_LONE}(?P<year>{_FOUR})\.(?P<month>\d\d)\.(?P<day>\d\d)(?![\dA-Za-z_/-]|\.\d)",
        read.figures,
    ),
    _en(
        FIGURES,
        rf"{_LONE}(?P<one>\d{{1,2}})(?P<mark>[./-])(?P<two>\d{{1,2}})(?P=mark)(?P<year>{_FOUR})"
        r"(?![\dA-Za-z_/-]|\.\d)",
        read.figures_day_first,
    ),
    _en(
        FIGURES,
        rf"{_LONE}(?P<year>{_FOUR})-(?P<month>\d\d)(?![\dA-Za-z_/-]|\.\d)",
        read.month_in_figures,
    ),
    _en(
        FIGURES,
        rf"(?<![\w.,:/$€£¥#+-])(?P<year>{_FOUR})(?:\s?[-–—]\s?(?P<to>{_FOUR}))?"
        rf"(?![\w%年-]|[.,:/]\d|{W}(?:{_THINGS})\b|{W}(?:to|and){W}(?!{_FOUR}\b)\d)",
        read.year,
    ),
    # Days and months by name
    _en(
        _IN_MONTHS,
        rf"{_ON_WEEKDAY}(?:\b(?P<which>last|this|next){W})?{_MONTH}{W}(?:the{W})?"
        rf"(?:(?P<day>\d{{1,2}})(?P<firm>{_NTH})?(?![\dA-Za-z])|{_WORD}){_TO}(?:(?:,\s{{0,2}}"
        rf"|{W})(?:of{W}|in{W})?{_THAT_YEAR}|(?![.:,/]\d|\s?[ap]m\b|%)){_THIS_WEEKDAY}",
        read.english_date,
    ),
    _en(
        _IN_MONTHS,
        rf"{_ON_WEEKDAY}(?<![\d.,:/$€£-])\b(?:the{W})?(?:(?P<day>\d{{1,2}}){_NTH}?|{_WORD}){_TO}"
        rf"{W}(?:(?P<firm>of){W})?{_MONTH}(?:,?{W}{_THAT_YEAR})?",
        read.english_date,
    ),
    _en(
        _IN_MONTHS,
        rf"(?:(?P<the>\bthe{W})?\b{_WHICH}{W})?{_MONTH}(?:(?:,|{W}of)?{W}{_THAT_YEAR})?",
        read.whole_month,
    ),
    _en(
        _IN_DAYS,
        rf"(?<!black )(?<!good )(?<!easter )(?<!ash )(?:\b{_WHICH}{W})?{WEEKDAY}(?!{_LEADING})",
        read.weekday,
    ),
    _en(
        "week",
        rf"{WEEKDAY},?{W}(?:of{W})?(?P<which>last|this|next){W}week\b",
        read.weekday_of_week,
    ),
    _en(
        "week",
        rf"\b(?P<which>last|this|next){W}week(?:'s)?,?{W}(?:on{W})?{WEEKDAY}",
        read.weekday_of_week,
    ),
    _en(
        "every each",
        rf"\b(?:every|each){W}(?:other{W}|single{W})?(?:{_FULL}|{_SHORT}|{_MONTH}|{SPAN})\b"
        rf"(?:{W}\d{{1,2}}{_NTH}?\b)?",
        read.habit,
    ),
    # Days and spans from here
    _en(
        "today yesterday tomorrow",
        rf"\b(?:the{W})?(?P<which>today|yesterday|tomorrow|day{W}before{W}yesterday"
        rf"|day{W}after{W}tomorrow)\b",
        read.relative_day,
    ),
    _en(
        "morning afternoon evening night tonight",
        rf"\b(?:(?P<which>this|last){W}(?P<part>morning|afternoon|evening|night)|tonight)\b",
        read.part_of_day,
    ),
    _en(
        "week weekend month quarter year",
        rf"(?:(?<!the )\b|\b(?!next)){_WHICH}{W}(?P<unit>week|weekend|month|quarter|year)\b"
        rf"(?!{_LEADING})",
        read.unit,
    ),
    _en("weekend", rf"\b(?:over|at|on|during){W}the{W}weekend\b(?!{_LEADING})", read.weekend),
    _en("ago back", rf"{COUNT}{W}{SPAN}s?{W}(?:ago|back)\b", read.ago),
    _en("now", rf"{COUNT}{W}{SPAN}s?{W}from{W}now\b", read.from_now),
    _en(
        "last past",
        rf"\b(?:(?:the{W})?(?:last|past){W}{COUNT}{W}{_LONG}s?|(?:the{W}last|(?:the{W})?past){W}"
        rf"(?P<whole>hour|week|month|year))\b(?!{_LEADING})",
        read.trailing,
    ),
    _en("now moment", rf"\b(?:just{W}now|a{W}(?:moment|minute){W}ago)\b", read.just),
    # Pieces of a year
    _en(
        "spring summer autumn fall winter",
        rf"(?:\b{_WHICH}{W})?\b{_SEASON}(?:,?{W}(?:of{W})?{_THAT_YEAR})?",
        read.season,
    ),
    _en(
        "q h", rf"\b(?P<what>[qh])(?P<nth>[1-4])\b(?:[, ]{{1,2}}(?:of )?{_THAT_YEAR})?", read.piece
    ),
    _en("q h", rf"{_LONE}{_YEAR}[ -]?(?P<what>[qh])(?P<nth>[1-4])\b", read.piece),
    _en(
        "quarter half",
        rf"\b(?:the{W})?(?P<nth>first|second|third|fourth){W}(?P<what>quarter|half){W}of{W}"
        rf"{_THAT_YEAR}",
        read.piece,
    ),
    # The same in Chinese
    _zh(
        "月",
        rf"{_OF_YEAR}?{_FRESH}(?:(?P<from>{_NUM}){_DASH})?(?P<month>{_NUM}) ?月(?![亮饼球光薪票]"
        rf"|天(?!气))份?(?: ?(?P<day>{_NUM}) ?(?:[日号]?{_DASH}(?P<to>{_NUM}) ?{_DATE_MARK}"
        rf"|{_DATE_MARK}|{_NO_MEASURE}){_THIS_WEEKDAY})?",
        read.chinese_date,
    ),
    _zh(
        "月",
        rf"{_CN_WHICH}月的? ?(?P<day>{_NUM}) ?(?:[日号]?{_DASH}(?P<to>{_NUM}) ?)?{_DATE_MARK}",
        read.day_in_month,
    ),
    _zh("号", rf"{_FRESH}(?P<day>{_NUM}) ?(?=号){_DATE_MARK}", read.day_alone),
    _zh("年", _CN_YEAR, read.chinese_year),
    _zh(
        "春夏秋冬",
        rf"(?:{_OF_YEAR}|(?P<which>上(?=一?个)|这(?=一?个)|下(?=一?个)|今)(?:一?个)?)"
        rf"(?P<season>[春夏秋冬])(?:[天季]|(?![节游装令瓜虫]))",
        read.season,
    ),
    _zh("季", rf"{_OF_YEAR}?{_FRESH}第?(?P<nth>[一二三四1-4])(?P<what>季度)", read.piece),
    _zh("半", rf"{_OF_YEAR}?(?P<nth>[上下])(?P<what>半年)", read.piece),
    _zh(
        "周星礼月季",
        rf"{_CN_WHICH}(?P<unit>周末|星期|礼拜|周(?![围年边密期转折岁])|月(?![亮饼球光薪租])|季度)",
        read.unit,
    ),
    _zh("周星礼", rf"{_CN_WHICH}(?:周|星期|礼拜){_CN_WEEKDAY}", read.weekday_of_week),
    _zh(
        "周星礼",
        rf"{_FRESH}(?<![两半多隔个])(?:周(?!天)|星期|礼拜){_CN_WEEKDAY}",
        read.chinese_weekday,
    ),
    _zh("周", "(?<![每个])周末(?!都)", read.weekend),
    _zh(
        "每",
        rf"每(?:隔?[一两]?个?|逢)(?:周|星期|礼拜)(?:{_WEEK_LIST}|末)"
        rf"|每年的? ?{_NUM}月(?:{_NUM}[日号])?",
        read.habit,
    ),
    _zh(
        "天日",
        rf"(?=[大昨今前明后])(?P<which>大前|大后|昨|{_TODAY}|{_TOMORROW}|(?<![以之从目])前(?!日)"
        rf"|(?<![以之然最今随午前])后(?!日))(?:天|日(?!头条|方舟))",
        read.relative_day,
    ),
    _zh(
        "早晨晚夜",
        rf"(?P<which>昨|{_TODAY}|{_TOMORROW}|(?<![以之目提])前(?=晚))(?P<part>[早晨晚夜])",
        read.part_of_day,
    ),
    _zh("前", rf"{_FRESH}{CN_COUNT}{CN_SPAN}[之以]?前(?![面台])", read.ago),
    _zh(
        "前",
        r"(?<![以之目从])前(?P<n>[几两些])个?(?P<unit>天|周|星期|礼拜|(?<=个)月|年)",
        read.lately,
    ),
    _zh("近去这", rf"(?:最近|过去|近|这(?!一))的?{CN_COUNT}{CN_SPAN}(?!前)", read.trailing),
    _zh("刚", "刚才", read.just),
)
