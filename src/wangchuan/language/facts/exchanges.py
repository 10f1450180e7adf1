"""What a message says only in the light of what came before it: bare answers, and corrections.

"护士" after "你做什么工作？" is a sentence, and so is "
""说错了，是5月13号" after a birthday.  An answer is
put into the words its question asked for.  A correction takes the place of a value in a fact that
was just learned, if the fact still makes the same sense with it.
"""

import re
from collections.abc import Iterator, Sequence

from wangchuan.language.dates.coming import day_of
from wangchuan.language.facts.claims import Claim, stored
from wangchuan.language.facts.sense_en import ENGLISH
from wangchuan.language.facts.sense_zh import CHINESE
from wangchuan.language.numerals import values
from wangchuan.language.text import HAN
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
_LONGEST = 24  # characters of an answer or a value

# A question, and the sentence that a bare answer to it stands for.
_ASKED = (
    ("叫什么|怎么称呼|名字", "我叫{}"),
    ("生日|哪天生|几号生", "我的生日是{}"),
    ("多大|几岁|年龄|多少岁", "我今年{}岁"),
    ("哪里人|老家|家乡|哪儿人", "我的老家在{}"),
    ("在哪.{0,3}(?:上班|工作)|什么公司|哪家公司|哪个公司", "我在{}上班"),
    ("做什么|什么工作|职业|干什么的|干嘛的", "我是{}"),
    ("住", "我住在{}"),
    ("什么专业|学什么|专业是", "我的专业是{}"),
    ("宠物|养了什么", "我养了{}"),
    ("最喜欢的(?P<of>.{1,6}?)是", "我最喜欢的{of}是{}"),
    ("过敏", "我对{}过敏"),
    ("爱好|兴趣", "我喜欢{}"),
    (r"your name|call you", "my name is {}"),
    (r"birthday|were you born", "my birthday is {}"),
    (r"how old|your age", "I'm {} years old"),
    (r"are you from|grow up|hometown", "I'm from {}"),
    (r"where do you work|company|employer", "I work at {}"),
    (r"do you do\b|your job|for a living|occupation|profession", "I'm a {}"),
    (r"do you live|city", "I live in {}"),
    (r"study|major", "I study {}"),
    (r"\bpets?\b", "I have {}"),
    (r"your favou?rite (?P<of>[\w -]{1,20}?)\s*\?", "my favourite {of} is {}"),
    (r"allergic", "I'm allergic to {}"),
    (r"hobb(?:y|ies)|free time", "I like {}"),
)
ASKED = tuple((regex(asked, re.IGNORECASE), says) for asked, says in _ASKED)
_YOU = regex(r"[你您]|\b(?:you|your)\b", re.IGNORECASE)
_LAST_QUESTION = regex(r"[^。！!.?？\n]{1,120}[?？]\W{0,5}\Z")
_NO_ANSWER = regex(r"[你您吗呢不没]|\A[好嗯是对谢]|\b(?:your?|why|no|not|none|yes|thanks?)\b", re.I)
_ARTICLE = regex(r"\A(?:an?|in|at|on|from|it's|i'm|we have|i have|the)\s+", re.IGNORECASE)


def answered(question: str, reply: str) -> str:
    """Return the sentence that a bare answer to a question stands for; "" if it is none."""
    asked, said = _LAST_QUESTION.search(question.strip()), reply.strip(" 。.!！~～\n")
    if not asked or not said or len(said) > _LONGEST or _NO_ANSWER.search(said) or "\n" in said:
        return ""
    for pattern, says in ASKED:
        found = pattern.search(asked[0])
        if found and bool(_HAN.search(says)) == bool(_HAN.search(asked[0])):
            kept = said if says.startswith("I have") else _ARTICLE.sub("", said)
            kept = kept.removesuffix("岁") if says.endswith("岁") else kept
            return says.format(kept, **found.groupdict())
    return ""


_DO = (
    "answer|reply|respond|use|write|call|give|keep|show|speak|talk|address|format|include|add|avoid"
    "|suggest|recommend|mention|start|end|put|send|explain|be|say|list|cite|convert"
)
_ALWAYS = (
    "always|never|from now on,?|going forward,?|in (?:the )?future,?|(?:every time|whenever) you"
    r" \w+,?|don'?t ever|stop|no more"
)
_LASTING = regex(
    r"(?:请|你|记住|麻烦你?|[，,：:\s]){0,6}(?:[^，,我你他她它]{0,6}?(?:以后|今后|往后|每次|一律|永远|一直|始终|总是"
    r"|从(?:现在|今天|今)(?:起|开始|往后))[^，,我]{0,12}?(?:用|说|写|叫|回答|称呼|给|列|算|别|不要|不许|讲|按"
    r"|要|简短|带|加|发|提)|(?:别|不要|不许)(?:再|总是|老是)?(?:[给跟对]我)?(?:用|发|提|叫|推荐|称呼|加|写|问))"
    r"(?!吧|担心|了).{1,30}\Z|[\w ]{3,30} (?:should|must) (?:always|never) .{1,60}\Z"
    rf"|(?:please |remember[:,]? ){{0,2}}(?:(?:{_ALWAYS}) (?:please |always |don'?t "
    rf"|never ){{0,2}}(?:us|{_DO})"
    rf"(?:ing)?\b.{{1,60}}|(?:{_DO})\b.{{1,60}} (?:from now on|going forward|in future))\Z",
    re.IGNORECASE,
)
_ONCE = regex(r"这[次回]|就这|再说|以后会|just this once|this (?:time|one)\b", re.IGNORECASE)


def wished(clauses: Sequence[str]) -> Claim | None:
    """Return what a sentence, given as clauses, tells the agent to do always, or never."""
    zh = bool(_HAN.search(clauses[-1]))
    wish = ("，" if zh else ", ").join(filter(None, clauses))
    if not _LASTING.match(wish) or _ONCE.search(wish):
        return None
    says = ("{who}要求：" if zh else "{who} asks: ") + wish
    return Claim("", "standing", wish.casefold(), "wish", "", wish, says)


_MARKS = regex(
    r"(?:(?:\A\*|啊不|哦不|不对|[说打写记搞弄念][错]字?了?|[口手笔]误|手滑|更正(?:一下)?"
    r"|纠正(?:一下)?|抱歉|对不起|不好意思|错了?|应该是|其实|我|刚才|刚刚|是我|名字|日期|啊|哎呀?|哦"
    r"|呃|喔|(?:改|推迟|提前|延期?|延后|挪)[到成为]|(?:no|nope|wait|sorry|apologies|oops|typo"
    r"|correction|my bad|my mistake|scratch that|i mean(?:t)?|make (?:that|it)|actually"
    r"|that'?s wrong|wrong|rather|hold on|it(?:'s| has| is| was| got)? ?(?:been )?(?:moved"
    r"|postponed|pushed(?: back)?|changed) to)\b)[\s，,。.!！:：、…~-]{0,4}){1,8}",
    re.IGNORECASE,
)
_UNSURE = regex(r"[?？]|吗|什么|谁|哪|多少|怎么|哈哈|开玩笑|\b(?:haha|lol|jk|kidding)", re.I)
_NO_VALUE = regex(r"[，,。.!！;；\n不没]|\b(?:i|not)\b|n't\b", re.IGNORECASE)
_AFTER = regex(
    r"[,，]?\s{0,3}(?:actually|rather|instead|才对|了|,? with .{1,14})?[\s.。!！~]{0,6}\Z", re.I
)
_IS = regex(r"(?:而?是|叫做?|it'?s|it is|i meant?|in|at|on|but)(?:\s{1,4}|(?<=[是叫做]))", re.I)
_VALUE = r"[^，,。.!！?？；;\n]{1,24}?"
_NOT_A = (
    regex(rf"不是(?P<a>{_VALUE})[，,。\s]{{1,4}}(?:而?是|应该是)?(?P<b>{_VALUE})\Z"),
    regex(rf"(?P<b>{_VALUE})[，,\s]{{1,4}}不是(?P<a>{_VALUE})\Z"),
    regex(rf"not (?P<a>{_VALUE})[,.;\s]{{1,4}}(?:but |it'?s )?(?P<b>{_VALUE})\Z", re.I),
    regex(rf"(?P<b>{_VALUE}),? (?:and )?not (?P<a>{_VALUE})\Z", re.IGNORECASE),
)


def correction(message: str) -> tuple[str, str] | None:
    """Return what a mere correction calls wrong, "" if nothing, and what is right."""
    marks = _MARKS.match(message.strip())
    rest = message.strip()[marks.end() if marks else 0 :]
    end = _AFTER.search(rest)
    marked = bool(marks) or bool(end and end[0].strip(" ,，.。!！~了"))
    rest = rest[: end.start()] if end else rest
    if not 0 < len(rest) <= 2 * _LONGEST or _UNSURE.search(message):
        return None
    for form in _NOT_A:
        if found := form.match(_bare(rest)):
            return _bare(found["a"]), _bare(found["b"])
    right = _bare(rest)
    plain = 0 < len(right) <= _LONGEST and not _NO_VALUE.search(right)
    return ("", right) if marked and plain else None


def _bare(text: str) -> str:
    """Return a value without the words that only introduce it."""
    text = text.strip(" “”\"'「」")
    found = _IS.match(text)
    return text[found.end() :].strip() if found else text


_DAY_ONLY = regex(r"(?:the )?(\d{1,2})(?:st|nd|rd|th|号|日)\Z", re.IGNORECASE)
_DAY = regex(r"(?<!\d)\d{1,2}(?:st|nd|rd|th|号|日)?(?!\d|月)(?=\D*\Z)", re.IGNORECASE)
_AMOUNT = regex(r"[\d一二两三四五六七八九十几]{1,3}[只条头匹辆台个位把]")


def corrected(text: str, right: str, at: float | None) -> Iterator[str]:
    """Yield a kept fact with another value in it, if it answers the same question with that."""
    if CHINESE.pointing.search(right) or ENGLISH.pointing.search(right):
        return
    for claim in stored(text):
        new = _put(text, claim, right, at)
        again = stored(new) if new != text else ()
        if any((one.who, one.slot) == (claim.who, claim.slot) for one in again):
            yield new


def _put(text: str, claim: Claim, right: str, at: float | None) -> str:
    """Put a value for that of a claim; the text as it is if they are not of one kind."""
    if claim.slot in ("plan", "state"):
        day = day_of(right, at) if at is not None else ""
        return text.replace(claim.when.split()[-1], day) if day and claim.when else text
    raw = claim.raw
    behind = text.partition(raw)[2]
    right = next((right[:-n] for n in (2, 1) if behind[:n] == right[-n:] != raw[-n:]), right)
    if _AMOUNT.fullmatch(right) and claim.slot == "possession":
        new = _AMOUNT.sub(lambda _: right, raw, count=1)
    elif _DAY_ONLY.match(right):
        new = _DAY.sub(lambda _: right.removeprefix("the "), raw, count=1)
    else:
        new = _alike(raw, right, claim.slot)
    return text.replace(raw, new) if raw else text


def _alike(raw: str, right: str, slot: str) -> str:
    """Return a value in the form of another, or that other one where it cannot be its successor."""
    if slot != "possession" and bool(values(raw)) != bool(values(right)):
        return raw
    article, own = (re.match("an? ", value, re.IGNORECASE) for value in (raw, right))
    right = right[own.end() :] if own and not article else right
    name = raw[article.end() :] if article else raw
    if name[:1].isupper() and right.islower() and not own:
        return raw
    return f"{article[0]}{right}" if article and not own and not values(right) else right
