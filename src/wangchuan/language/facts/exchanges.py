"""What a message says only in the light of what came before it: bare answers, and corrections.

"护士" after "你做什么工作？" is a sentence, and so is "
""说错了，是5月13号" after a birthday.  An answer is
put into the words its question asked for.  A correction takes the place of a value in a fact that
was just learned, if the fact still makes the same sense with it.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from wangchuan.language.dates.coming import day_of
from wangchuan.language.facts import shapes_en, shapes_zh
from wangchuan.language.facts.claims import Claim, stored
from wangchuan.language.facts.sense_en import ENGLISH
from wangchuan.language.facts.sense_zh import CHINESE
from wangchuan.language.numerals import values
from wangchuan.language.text import HAN
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
KIN = regex(
    rf"{shapes_zh.KIN}|[他她它]|\b(?:{shapes_en.KIN}|he|she|they|his|her|their)\b", re.IGNORECASE
)
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
    ("忌口|不吃什么|不喜欢吃", "我不吃{}"),
    (r"your (?P<of>(?!full|real|first)[\w' -]{2,20}?)'s name", "my {of}'s name is {}"),
    (r"your name|call you", "my name is {}"),
    (r"birthday|were you born", "my birthday is {}"),
    (r"how old|your age", "I'm {} years old"),
    (r"are you from|grow up|hometown", "I'm from {}"),
    (r"where do you work|company|employer", "I work at {}"),
    (r"do you do\b|your job|for a living|occupation|profession", "I'm a {}"),
    (r"do you live|city|are you based", "I live in {}"),
    (
        r"(?:what|which) (?P<of>[\w-]+) (?:do|does|are|is|will) .{0,20}\b(?:us(?:e|ing)|run|on)\b",
        "our {of} is {}",
    ),
    (
        r"when (?:do|are|is|will) .{0,24}\b(?:go(?:ing)? live|launch|ship|release|start)",
        "our launch date is {}",
    ),
    (r"avoid|not eat|don't eat|can't eat", "I don't eat {}"),
    (
        r"(?:sports?|music|foods?|films?|movies|books|games) do you (?:like|enjoy|play|listen)",
        "I like {}",
    ),
    (r"study|major", "I study {}"),
    (r"\bpets?\b", "I have {}"),
    (r"your favou?rite (?P<of>[\w -]{1,20}?)\s*\?", "my favourite {of} is {}"),
    (r"allergic", "I'm allergic to {}"),
    (r"hobb(?:y|ies)|free time", "I like {}"),
)
ASKED = tuple((regex(asked, re.IGNORECASE), says) for asked, says in _ASKED)
_LAST_QUESTION = regex(r"[^。！!.?？\n]{1,120}[?？]\W{0,5}\Z")
_NO_ANSWER = regex(
    r"[你您吗呢]|\A[好嗯谢随要]|\b(?:your?|why|not|none|thanks?|idea|whatever|please)\b", re.I
)
_ARTICLE = regex(r"\A(?:an?|in|at|on|from|it's|i'm|we have|i have|the)\s+", re.IGNORECASE)
_YES = regex(
    r"(?:养了|有的?|是的?|对|嗯|不是|没有|yes|yeah|yep|no|nope)[的啊呀]?[，,。.\s]\s*",
    re.IGNORECASE,
)
_WHICH = regex(
    r"什么时候|哪[个家座]?(?:城市|公司|地方|天|里|儿|年)?|什么[\w]{0,4}?(?=[呀啊呢]|\Z)|谁|多少|几"
)


def answered(question: str, reply: str) -> Iterator[str]:
    """Yield the sentences that a bare answer to a question may stand for, the likeliest first."""
    asked, said = _LAST_QUESTION.search(question.strip()), reply.strip(" 。.!！~～\n")
    yes = _YES.match(said)
    said = said[yes.end() :] if yes else said
    if not asked or not said or len(said) > _LONGEST or _NO_ANSWER.search(said) or "\n" in said:
        return
    for pattern, says in ASKED:
        found = pattern.search(asked[0])
        if found and bool(_HAN.search(says)) == bool(_HAN.search(asked[0])):
            kept = said if says.startswith("I have") else _ARTICLE.sub("", said)
            kept = kept.removesuffix("岁") if says.endswith("岁") else kept
            yield says.format(kept, **found.groupdict())
            break
    plain = asked[0].rstrip("？? 呀啊呢")
    if _WHICH.search(plain) and re.match("(?:请问)?[你您]|.{0,4}项目", plain):
        own = plain.removeprefix("请问").replace("你", "我").replace("您", "我")
        yield _WHICH.sub(lambda _: said, own, count=1)
    if re.search("[你您]", plain) and not KIN.search(plain):
        yield "我" + said


_DO = (
    "answer|reply|respond|use|write|call|give|keep|show|speak|talk|address|format|include|add|avoid"
    "|suggest|recommend|mention|start|end|put|send|explain|be|say|list|cite|convert|ask|check|tell"
    "|remind|make|quote|translate|round|sign|skip|leave|spell|refer|double-check|assume"
)
_ALWAYS = (
    "always|never|from (?:now|here|today) on|going forward|at all times|in (?:the )?future"
    "|every time"
    "|for future reference|each time|whenever|no more|anymore|by default|from this point"
)
_LASTS = regex(
    rf"以后|今后|往后|日后|每次|一律|永远|始终|一直|总是|凡是|从(?:现在|今天|今)(?:起|开始|往后)|别再|不要再|[别不]老是|的时候"
    rf"|\b(?:{_ALWAYS})\b",
    re.IGNORECASE,
)
_CONDUCT = "[用说写叫答复给列算按带加发提问标要]|称呼|推荐|建议|翻译|解释|简短|详细|结论|记得"
_ORDER = regex(
    rf"(?:请|你|麻烦你?|记住|记得|[，,：:\s]){{0,6}}[^他她它我]{{0,16}}?(?:{_CONDUCT})[^他她它我]{{1,40}}\Z"
    rf"|(?:(?:please|remember|ok|okay|and|also|so|{_ALWAYS})\b[\s,:]*"
    rf"|(?:{_ALWAYS}) you \w+(?: \w+){{0,3}},\s*)*"
    rf"(?:(?:{_DO})\b|(?:don'?t|do not|never|stop|no more|when you|you (?:should|must"
    rf"|can))\b(?! mind)"
    rf"|(?:i(?:'d)? (?:want|like|prefer|would like) (?:you to|your|\w+ (?:answers|replies)|answers"
    rf"|replies))"
    rf"|(?:[\w ]{{3,30}} (?:should|must) (?:always|never)))",
    re.IGNORECASE,
)
_BAN = regex(
    r"(?:请|你|永远|记住|[，,\s]){0,6}(?:别|不要|不许|请勿)(?:再|在|总是?|老是?)?(?:[给跟对]我)?(?:回答|回复|用|叫|发|推荐"
    r"|称呼|加|写|提|问|说)"
    r"|(?:please |remember[:,]? ){0,3}(?:don'?t ever|stop using|(?:don'?t|do not|stop"
    r"|no) .{0,40}\b(?:answers?|replies"
    r"|responses|emojis?|disclaimers?|small talk|jargon))\b",
    re.IGNORECASE,
)
_TO_ME = regex(
    "(?:[给跟对叫向问喊提]|告诉|回答|提醒|称呼)我|(?<=记得)我|我(?=的时候|说话)|我喜欢你"
)
_ONCE = regex(
    r"这[次回]|就这|再说|以后会|今晚|明天|(?<!从)(?:今天|现在)|等[会下]|吧$|担心|下[雨雪]"
    r"|just this once|this (?:time|one)\b|\b(?:tonight|today|tomorrow|right now|for now)\b",
    re.IGNORECASE,
)


def wished(clauses: Sequence[str]) -> Claim | None:
    """Return what a sentence, given as clauses, tells the agent to do always, or never."""
    zh = bool(_HAN.search(clauses[-1]))
    wish = ("，" if zh else ", ").join(filter(None, clauses))
    plain = _TO_ME.sub("叫" if zh else "", wish)
    lasting = _LASTS.search(wish) and _ORDER.match(plain)
    if (
        not 3 < len(wish) <= _LONGEST_WISH
        or not (lasting or _BAN.match(wish))
        or _ONCE.search(wish)
    ):
        return None
    if zh and (_BYGONE.search(wish) or plain.count("，") > 1):
        return None
    says = ("{who}要求：" if zh else "{who} asks: ") + wish
    return Claim("", "standing", wish.casefold(), "wish", "", wish, says)


_BYGONE = regex("讲|那[部个]|[以今往]后(?=搬|就|又|去)|之后")
_LONGEST_WISH = 80  # characters


# Words that only turn back to what was said, and words by which somebody owns a slip.
_TURN = (
    r"\*|[啊哦]不|啊|哦|呃|喔|噢|哎呀?|唉|等等|等一?下|不对|不是|[说打写记搞弄念看][错混]|[口手笔]误|手滑|更正|纠正|抱歉|对不起"
    r"|不好意思|错|应该|其实|刚才|刚刚|字|我是说|我的意思是|准确[地来]?说|一下|了|吧|是我|我|名字|日期|哦不|啊不|不(?=[，,])"
    r"|(?:no|nope|oh|ah|wait|sorry|apologies|oops|whoops|typo|correction|my bad|my mistake"
    r"|scratch that"
    r"|i mean(?:t)?|make (?:that|it)|actually|that'?s wrong|wrong|rather|hold on|hang on|should be"
    r"|to be precise|well|er+|um+|ugh)\b"
)
_MARKS = regex(rf"(?:(?:{_TURN})[\s，,。.!！:：、…~-]{{0,4}}){{1,8}}", re.IGNORECASE)
_FILLING = regex(
    r"[啊哦呃喔噢哎呀唉我了吧字\s，,。.!！:：、…~-]|一下|名字|日期|刚[才刚]|是我|\b(?:oh|ah|well|er+|um+|ugh)\b",
    re.IGNORECASE,
)
_OWN = (
    r"(?<!你)[说打写记搞弄念看][错混岔快]|输入法|[口手笔]误|手滑|更正|纠正|\A\W*(?:错了，|字错)|改主意|\b(?:typo|correction"
    r"|my (?:bad|mistake)|scratch that|mix(?:ed)? (?:it|that|them) up|mis(?:remember\w*|spoke|read"
    r"|typed)|fat fingers?|wrote (?:that|it) wrong"
    r"|got (?:that|it) wrong|on second thoughts?|changed my mind)\b"
)
_DISOWNED = regex(_OWN, re.IGNORECASE)
_SLIP = regex(
    rf"{_OWN}|我是说|我的意思是|转行|改行|换了|算了，?(?:还是|就|改)|改[到成为](?!异步|同步)|推迟|提前|延[期后到]|挪到"
    r"|\b(?:i meant?(?! to\b)|spelled|with an? \w:|autocorrect|make (?:that|it)|switched to"
    r"|(?:moved|postponed|pushed|changed)(?: it| that)?(?: back)? to|traded)\b|\Awrong,",
    re.IGNORECASE,
)
_OVER = regex(
    r"转行|改行|[年月久前老早]的事|早就不|\b(?:(?:years|ages) ago|not any ?more|no longer)\b",
    re.IGNORECASE,
)
_UNSURE = regex(r"吗|什么|谁|哪|多少|怎么|哈哈|开玩笑|\b(?:haha|lol|jk|kidding)", re.I)
_NO_VALUE = regex(
    r"[，,。.!！?？;；\n不没这那]|因为|真的|假的|意思|时候|\bbecause\b|\b(?:i|not|it)\b|n't\b|[我你他她]",
    re.IGNORECASE,
)
_AFTER = regex(
    r"[,，]?\s{0,3}(?:actually|rather|instead|才对|了|,? with .{1,14}|typo|to be precise|my (?:bad"
    r"|mistake)|already|now|[打写说]错了?)?"
    r"[\s.。!！~]{0,6}\Z",
    re.I,
)
_IS = regex(r"(?:而?是|叫做?|it'?s|it is|i meant?|in|at|on|but)(?:\s{1,4}|(?<=[是叫做]))", re.I)
_VALUE = r"[^，,。.!！?？；;\n]{1,24}?"
_NOT_A = (
    regex(rf"不[是叫](?P<a>{_VALUE})[，,。\s]{{1,4}}(?:而?是|应该是|叫)?(?P<b>{_VALUE})\Z"),
    regex(rf"(?P<b>{_VALUE})[，,\s]{{1,4}}不是(?P<a>{_VALUE})\Z"),
    regex(rf"(?:[\w' ]{{2,20}}(?:is|was|'s) ?)?(?:not|n't|isn't"
        rf"|wasn't) (?P<a>{_VALUE})[,.;\s]{{1,4}}"
          rf"(?:but |it'?s |it is )?(?P<b>{_VALUE})\Z", re.I),
    regex(rf"(?P<b>{_VALUE}),? (?:and )?not (?P<a>{_VALUE})\Z", re.IGNORECASE),
)  # fmt: skip


def correction(message: str) -> tuple[str, str] | None:
    """Return what a mere correction calls wrong, "" if nothing, and what is right."""
    marks = _MARKS.match(message.strip())
    rest = message.strip()[marks.end() if marks else 0 :]
    end = _AFTER.search(rest)
    marked = bool(marks and _FILLING.sub("", marks[0])) or bool(
        end and end[0].strip(" ,，.。!！~了")
    )
    rest = rest[: end.start()] if end else rest
    if not 0 < len(rest) <= 2 * _LONGEST or _UNSURE.search(message):
        return None
    whole = message.strip(" .。!！")
    for form, text in ((form, text) for form in _NOT_A for text in (_bare(rest), whole)):
        if found := form.match(text):
            return _bare(found["a"]), _bare(found["b"])
    right = _bare(rest)
    plain = 0 < len(right) <= _LONGEST and not _NO_VALUE.search(right)
    return ("", right) if marked and plain else None


_WHICH_ONE = regex(
    r"[哦啊]?不对?[，,\s]+是[^，,。因这那我]{2,8}\Z|(?:oh )?no,? (?:it'?s|it is) [A-Z]\w+\Z"
)


def says_which(message: str) -> bool:
    """Tell whether a message, after words that turn back, says which it is."""
    return bool(_WHICH_ONE.match(message.strip()))


def owns_slip(message: str) -> bool:
    """Tell whether a message says that what its speaker said was wrong, or has changed."""
    return bool(_SLIP.search(message) or _OVER.search(message))


def disowns(message: str) -> bool:
    """Tell whether a message takes back what its speaker said, whatever else it says."""
    return bool(_DISOWNED.search(message) or _OVER.search(message))


_NO_MORE = regex(
    r"不(?:再|怎么)?(?P<zh>\w{1,3}?)了|\b(?:don'?t|no longer) (?P<en>\w+)\b.{0,12}\b(?:any ?more)",
    re.I,
)


def ends(message: str, text: str) -> bool:
    """Tell whether a message says that what a fact tells is done no more, without naming it."""
    return any((verb["zh"] or verb["en"]) in text for verb in _NO_MORE.finditer(message))


_BARE_NUMBER = regex(
    r"[\d一二两三四五六七八九十百万]{1,6}(?:[只条个位岁号日块元]|月\w{1,4})?"
    r"|(?:the )?[a-z]*-?[a-z]+(?: \d{1,2})?|(?:the )?\d{1,6}(?:st|nd|rd|th|k|%)?",
    re.IGNORECASE,
)
_TURNS = regex(
    r"现在|[改换]|跳槽|重新|其实|不对|不是|错|"
    r"(?:\A|[，,。.!！?？:：])\s{0,2}(?:是|叫|it'?s |he'?s |she'?s )"
    r"|\b(?:sorry|oops|wait|actually|no|now|instead|switch\w*|raised|changed|left|not)\b",
    re.IGNORECASE,
)


def turns(message: str) -> bool:
    """Tell whether a message has a word of turning back or of change."""
    return bool(_TURNS.search(message))


def is_like(raw: str, piece: str) -> bool:
    """Tell whether two values are of one kind and differ: numbers, one head noun, a spelling."""
    if values(raw) and values(piece):
        return values(raw) != values(piece) and bool(_BARE_NUMBER.fullmatch(piece))
    here, there = raw.casefold(), piece.casefold()
    if " " in here and " " in there:
        return here != there and here.split()[-1] == there.split()[-1]
    if here == there or min(len(here), len(there)) < 2 or " " in there:
        return False
    return SequenceMatcher(None, here, there).ratio() >= SPELT


SPELT = 0.5  # of its letters, a name that is spelt otherwise keeps


_PIECES = regex(r"[，,。.!！?？;；:：\n—]+\s{0,4}|\s{1,4}-{1,3}\s{1,4}")
_CUE = regex(
    r"现在|[是叫在到成做用去学姓住为]|\b(?:is|are|to|from|in|at|on|with|as|called|named|be|an?|mean)\b|'s\b",
    re.IGNORECASE,
)


_HE = regex(r"\A(?:[他她它]|(?:he|she|it)(?:'s| is)? |so |and )", re.IGNORECASE)


def rights(message: str) -> Iterator[str]:
    """Yield what may be right by a message that owns a slip: its last words first."""
    for piece in reversed([] if _UNSURE.search(message) else _PIECES.split(message)):
        marks = _MARKS.match(piece)
        piece = _HE.sub("", _AFTER.sub("", piece[marks.end() if marks else 0 :]))
        cuts = [0, *(found.end() for found in _CUE.finditer(piece))]
        for right in (piece[cut:].strip(" “”\"'「」") for cut in cuts):
            if 0 < len(right) <= _LONGEST and not _NO_VALUE.search(right):
                yield right


def _bare(text: str) -> str:
    """Return a value without the words that only introduce it."""
    text = text.strip(" “”\"'「」")
    found = _IS.match(text)
    return text[found.end() :].strip() if found else text


_DAY_ONLY = regex(r"(?:the )?(\d{1,2})(?:st|nd|rd|th|号|日)\Z", re.IGNORECASE)
_DAY = regex(r"(?<!\d)\d{1,2}(?:st|nd|rd|th|号|日)?(?!\d|月)(?=\D*\Z)", re.IGNORECASE)
_AMOUNT = regex(
    r"[\d一二两三四五六七八九十几]{1,3}[只条头匹辆台个位把]"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\b"
)
_NAMED = regex(r"(?<![A-Za-z])[A-Z][\w.+#]{1,30}(?: [A-Z][\w.+#]{1,30}){0,2}\Z")


_VERBAL = regex("[的了着过得把被让请再还也都]|[按点]|一下")
_OPEN = frozenset(
    {"employer", "occupation", "ours", "name", "called", "major", "decision", "favourite", "role"}
)


def corrected(text: str, right: str, at: float | None, owned: bool = False) -> Iterator[str]:
    """Yield a kept fact with another value in it, if it answers the same question with that.

    If a slip is owned, a value that may be anything need not be a known one.
    """
    if CHINESE.pointing.search(right) or ENGLISH.pointing.search(right):
        return
    if _HAN.search(right) and not _HAN.search(text):
        return
    for claim in stored(text):
        new = _put(text, claim, right, at)
        again = stored(new) if new != text else ()
        same = any((one.who, one.slot) == (claim.who, claim.slot) for one in again)
        may = claim.slot in _OPEN or is_like(claim.raw, right)
        if same or (new != text and owned and may and not _VERBAL.search(right)):
            yield new


def _put(text: str, claim: Claim, right: str, at: float | None) -> str:
    """Put a value for that of a claim; the text as it is if they are not of one kind."""
    if claim.slot in ("plan", "state"):
        day = day_of(right, at) if at is not None else ""
        return text.replace(claim.when.split()[-1], day) if day and claim.when else text
    raw = claim.raw
    behind = text.partition(raw)[2]
    right = next((right[:-n] for n in (2, 1) if behind[:n] == right[-n:] != raw[-n:]), right)
    named, other = _NAMED.search(raw), _NAMED.fullmatch(right)
    if _AMOUNT.fullmatch(right) and claim.slot == "possession":
        new = _AMOUNT.sub(lambda _: right, raw, count=1)
    elif named and named.start() and other:  # of "use React" only the name
        new = raw[: named.start()] + right
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
