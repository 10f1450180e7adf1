"""What a message says only in the light of what came before it: bare answers, and corrections.

"护士" after "你做什么工作？" is a sentence, and so is "
""说错了，是5月13号" after a birthday.  An answer is
put into the words its question asked for.  A correction takes the place of a value in a fact that
was just learned, if the fact still makes the same sense with it.
"""

import re
from collections.abc import Iterator, Sequence

from wangchuan.language.dates.coming import dated
from wangchuan.language.facts import shapes_en, shapes_zh
from wangchuan.language.facts.claims import Claim
from wangchuan.language.facts.sense_en import ENGLISH, in_third
from wangchuan.language.facts.sense_zh import CHINESE
from wangchuan.language.text import HAN, words
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
    anothers = KIN.search(asked[0])  # who is asked about is not who answers
    for pattern, says in ASKED:
        found = pattern.search(asked[0])
        if found and anothers and "of" not in found.groupdict():
            return
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


def retold(sentence: str, at: float | None) -> Claim | None:
    """Return what a sentence says, as it stands, of its speaker or anything; None if of the other.

    Days are written as the dates that they mean.
    """
    text = sentence.strip(" 。.!！;；")
    zh = bool(_HAN.search(text))
    read = words(text)
    acts = len(text) > 2 if zh else any(word.tag in _ACTING for word in read)
    points = (CHINESE if zh else ENGLISH).pointing.search(
        _OWN.sub("", re.sub(r"\bone (?=\w)", "", text))
    )
    if points or not acts or read[0].tag in ("func", "conj") or len(text) > _LONGEST_WISH:
        return None
    says = re.sub("我们?", "{who}", text) if zh else in_third(text)
    says = says if at is None else dated(says, at)
    return Claim("", "wanted", text.casefold(), "", "", text, says)


_ACTING = frozenset({"verb", "light", "modal", "aux", "subj"})
_OWN = regex(r"\b(?:(?P<i>i|we)(?='|\b)|(?:my|our|there are)\b)\s?|我们?", re.IGNORECASE)


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
    rf"(?<![\u4e00-\u9fff])以后|[你请今，]以后|以后(?=都|一律|请|别|不要|每|全)|今后|往后|日后|每次|一律|永远|始终|一直|总是|凡是|从(?:现在|今天|今)(?:起|开始|往后)|别再|不要再|[别不]老是|的时候"
    rf"|\b(?:{_ALWAYS})\b",
    re.IGNORECASE,
)
_CONDUCT = "[用说写叫答复给列算按带加发提问标要]|称呼|推荐|建议|翻译|解释|简短|详细|结论|记得"
_ORDER = regex(
    rf"(?:请|你|麻烦你?|记住|记得|[，,：:\s]){{0,6}}[^他她它我]{{0,16}}?(?:{_CONDUCT})[^他她它我]{{1,40}}\Z"
    rf"|(?:(?:please|remember|ok|okay|and|also|so|{_ALWAYS})\b[\s,:]{{0,3}}"
    rf"|(?:{_ALWAYS}) you \w{{1,20}}(?: \w{{1,20}}){{0,3}},\s{{0,3}}){{0,4}}"
    rf"(?:(?:{_DO})\b|(?:don'?t|do not|never|stop|no more|when you|you (?:should|must"
    rf"|can))\b(?! mind)"
    rf"|(?:i(?:'d)? (?:want|like|prefer|would like) (?:you to|your|\w{{1,20}} (?:answers|replies)"
    rf"|answers|replies))"
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
