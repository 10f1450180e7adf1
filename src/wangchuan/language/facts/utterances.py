"""What a speaker says in earnest: the clauses of a message that state something as it is now.

Most of what people write about themselves is not a fact about them: they ask, suppose, wish,
quote, joke, recall old times, or hand over a text to be translated.  A false fact is worse than a
missed one, so everything doubtful is put aside here, before any pattern is tried:

- whole messages that set a stage (translate, pretend, a song goes, just kidding);
- lines that look like what this package itself writes (operations, memories, other speakers),
  code, quoted lines, tagged blocks, and quotations of more than a bare name;
- sentences that ask or suppose;
- clauses told by somebody else, or about the past.

What is left comes as sentences of clauses, in order.  A clause put aside leaves an empty one, so
that what follows it does not borrow the wrong subject; if it told of the speaker's past, it leaves
its subject.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from wangchuan.language.text import CJK, HAN
from wangchuan.patterns import regex

LONGEST = 4_000  # characters read of one message; what is longer is a document, not a remark

# Stages: in a message with one of these, "I" need not be the speaker, or not in earnest.
_STAGE = regex(
    r"造句|[随瞎]口?编|这首歌|(?:帮|请|把|给)[^，。]{0,12}(?:翻译|改写|润色|续写|改成|译成)"
    r"|翻译(?:成|一下"
    r"|这|[：:])"
    r"|扮演|演一?个|假装|假设|假如|想象一?下?|设想|角色设定|人设|(?:歌词?|台词|小说|故事|剧本|电影|剧|书"
    r"|游戏|作文)(?:里|中|开头|上写|写|唱|是这样|的主角|是[“「\"\s：:])|帮我写|写一?[篇段首封个]"
    r"|例句"
    r"|这[句段]话|从前有|梦[见到里]|开个?玩笑|逗你|骗你(?:的|玩|呢)|骗人的|才怪|瞎说|胡扯|呵呵|网友"
    r"|帖子|段子|打钱|狗头|\b(?:translate|summari[sz]e|proofread|rewrite|rephrase|paraphrase"
    r"|pretend|imagine"
    r"|suppose|supposing|role-?play(?:ing)?|dreamt|dreamed|hypothetically|let'?s say"
    r"|my character|the (?:lyrics"
    r"|narrator)|(?:please|can you|could you|help me) (?:write|draft|fix|correct|edit)"
    r"|once upon a time|in (?:the|this|that|my|a) (?:novel|story|book|song|movie|film|game|dream"
    r"|meme)|in another life|according to|(?:just |only )?(?:kidding|joking)|jk|yeah,? right"
    r"|oh,? (?:sure|great)|(?:what|as) a joke)\b|(?:^|[.!?]\s)(?:say i|write|draft|fix|correct"
    r"|edit)\b|(?:^|\s)/s\b|🙄|🤡|🙃",
    re.IGNORECASE,
)
_SUPPOSING = regex(
    r"如果|要是|假如|倘若|若是|万一|的话(?![题语])|就好了|该多好|除非|难道|等我(?!一下)|一旦|但愿"
    r"|恨不得|巴不得"
    r"|\b(?:if|unless|wish(?! me)|as though|what if|someday|one day|in case|otherwise)\b",
    re.IGNORECASE,
)
_ASKING = regex(
    r"吗|什么(?!都|也)|(?<!没)(?<!不)怎么(?!都|也)|为啥|为什么|谁(?!都|也)|哪(?!怕)|多少|多大|多久"
    r"|啥|周几|几[岁点号月]|来着|猜|还记得|记不记得|是不是|([\u4e00-\u9fff])[不没]\1|有没有|是否|请问"
    r"|好不好|^\W*(?:(?:so|and|but|well|hey|ok|okay|btw)\W+)*(?:do|does|did|am|is|are|was|were|can"
    r"|could|should|would|will|shall|may|has|what|where|when|who|whose|which|why|how|guess|isn't"
    r"|aren't|don't you|doesn't|remember (?:when|how|what|where|who|that time))\b|\b(?:which of"
    r"|do you (?:think|know|remember)|you (?:know|remember) (?:what|where|when|how|my))\b",
    re.IGNORECASE,
)
# A turn of the question to the other, which asks nothing about what came before it.
_AND_YOU = regex(
    r"[\s，,。.!！]{0,4}(?:你呢|你们呢|您呢|(?:and |what about |how about )(?:you|u|yours?))"
    r"[\s?？!]{0,8}$",
    re.IGNORECASE,
)
_CONFIRM = regex(
    r"^\W*(?:对吧|是吧|对吗|是吗|对不对|没错吧|好吗|行吗|right|correct|yes|no|yeah|ok|huh|eh"
    r"|isn't it|true)\W*$",
    re.IGNORECASE,
)
PAST = regex(
    r"以前|从前|曾经|曾[在是住有]|小时候|过去|当年|那时|那会儿|时候|之前|本来|原本|童年|上辈子"
    r"|年轻时|大学时|[住养爱做干当]过|\b(?:used to|once(?! (?:a|per|every|in)\b)|when i was"
    r"|back when|back then"
    r"|as (?:a )?(?:kids?|child(?:ren)?|teenagers?)|formerly|previously|years ago|in the past"
    r"|growing up|over the years|at the time|was going to)\b",
    re.IGNORECASE,
)
_PRESENT = regex(
    r"现在|如今|目前|这几年|今年|后来(?=搬|改)|\b(?:now|nowadays|these days|currently|today"
    r"|anymore)\b",
    re.IGNORECASE,
)
# The speaker himself, not 我妈.
_MINE = regex(
    "(?:以前|从前|之前|小时候)?我(?=以前|从前|之前|曾|过去|原来|小时候|当年|[住在是养有])"
)
_TOLD = regex(
    r"(?:说|讲|道|问|写|告诉我|表示|唱|喊|回复|觉得|认为|以为|嫌|声称|来信|发消息)[了着过的是]?$"
    r"|\b(?:said|says?|tells?|told (?:me|us|him|her|them)|asks?|asked|wrote|writes|goes|like"
    r"|claims?|claimed|thinks?|thought|shout(?:s|ed)|sings?|sang|reads)(?: to me| that"
    r"| in (?:the|a|his|her) \w+)?$",
    re.IGNORECASE,
)
_SELF_TOLD = regex(
    r"^\W*(?:我(?:(?![个的们家爸妈哥姐弟妹老同朋闺]).)?(?=.?[说讲道问喊]|$)|不瞒|老实|说实|实话"
    r"|讲真|话说|说真|偷偷|悄悄|跟你|和你|告诉你|坦白|不得不|怎么说"
    r"|总的来|i\b|like i|as i|to tell|truth)",
    re.IGNORECASE,
)

# Lines and blocks that are not the speaker's own words.
_TAGS = (
    r"ADD|UPDATE|BOOST|DELETE|SKIP|SEARCH|PROMOTE|KEEP|mem(?:or(?:y|ies))?|context|system|facts?"
    r"|记忆|系统|事实|上下文|背景|核心|情境"
)
_INJECTED = regex(
    rf"[\[［【]\s*(?:{_TAGS})(?:[\s:：_\d][^\]］】\n]{{0,60}})?[\]］】]|^\s*(?:>|[-*•]\s"
    rf"|#{{1,6}}\s)"
    r"|^\s*(?:system|user|assistant|human|ai|bot|主人|小祥|用户|助手|系统|记忆内容?"
    r"|已知信息)\s*[:：]",
    re.IGNORECASE,
)
_LABEL = regex(r"\A\s*[^\W\d][^:：,，.。!！?？]{0,20}[:：]\s*\S")  # two of them are a transcript
_TAG = regex(r"<(/?)([A-Za-z_][\w-]{0,40})(?:\s[^<>\n]{0,200})?>")
_EMPTY_TAGS = frozenset({"br", "hr", "img", "p", "input"})
_QUOTE = regex(
    r"“([^“”\n]{0,400})”|「([^「」\n]{0,400})」|『([^『』\n]{0,400})』|\"([^\"\n]{0,400})\""
    r"|(?<![\w])'([^'\n]{2,200})'(?![\w])|‘([^‘’\n]{2,200})’(?!\w)"
)
_PERSONS = regex(r"[我你他她它您咱]|\b(?:i|i'm|im|my|me|you|your|he|she|we|they)\b", re.IGNORECASE)
_BARE_NAME = 24  # characters; a longer quotation is somebody's speech

# Sentences and clauses.
_SPACES = regex(r"[^\S\n]+")
_ABBREVIATION = regex(r"\b(St|Dr|Mr|Mrs|Ms|Mt|Ft|Prof|Jr|Sr|vs|approx|[A-Z])\.(?=\s)")
_POINT = "\u2024"  # stands for the point of an abbreviation while sentences are cut
_SENTENCE = regex(
    r"(?:[^。！？!?；;…\n.]|\.(?!\s|$|[.\u4e00-\u9fff]))+[。！？!?；;….]*", re.MULTILINE
)
_ASKED = regex(r"[?？]\W{0,20}$")
_OPENERS = "i|i'm|im|i've|my|it|he|she|we|they|you|the|our"
BASE_VERBS = (
    "work|live|love|like|hate|have|own|am|enjoy|study|drive|teach|prefer|moved|don't|dont|can't"
    "|dislike"
)
_VERBS = rf"{BASE_VERBS}|works|lives|loves|likes|hates|has|enjoys|studies|teaches|is|doesn't"
_CLAUSE = regex(
    rf"[，：（）()—～~]+|(?<!\d),|,(?!\d|\s*\d{{4}}\b)|(?<!\d):|:(?!\d)|(?<=[{CJK}])\s+(?=[{CJK}])"
    r"|[\U0001f300-\U0001faff\u2600-\u27bf]+|(?<!\s)\s+-+\s+"
    rf"|(?<=[{HAN}]{{2}})(?=但是|可是|不过|因为|所以|而且|然后|虽然|只是)"
    r"|(?<!\s)\s+(?:(?:but|because|cause|cuz|although|though|while|whereas|which|except)\s+"
    rf"|so\s+(?=(?:{_OPENERS}|please|don't|no)\b)|(?:and|&)\s+(?=(?:{_OPENERS}|{_VERBS}|an?"
    rf"|two|three)\b))",
    re.IGNORECASE,
)


class Sentence(NamedTuple):
    """A sentence as its clauses: what it states as it is now, and with what is over by now."""

    now: list[str]
    told: list[str]


def asserted(text: str) -> list[list[str]]:
    """Return the sentences of a message that state something, each as its clauses.

    A clause that is put aside is "", or only its subject.  Never raises; reads at most 4,000
    characters.
    """
    return [list(one.now) for one in in_earnest(text) if any(one.now)]


def in_earnest(text: str) -> list[Sentence]:
    """Return the sentences of a message that state something, now or of the past."""
    return [Sentence([*one.now], [*one.told]) for one in _asserted(text[:LONGEST])]


@lru_cache(maxsize=512)
def _asserted(text: str) -> tuple[Sentence, ...]:
    text = _SPACES.sub(" ", text).replace("’", "'")
    if _STAGE.search(text):
        return ()
    found = (
        Sentence(_clauses(s, False), _clauses(s, True))
        for s in sentences(_unquoted(own_words(text)))
    )
    return tuple(one for one in found if any(one.told))


def is_staged(text: str) -> bool:
    """Tell whether a message sets a stage: a text, a part, a joke."""
    return bool(_STAGE.search(text))


def own_words(text: str) -> str:
    """Return a text without lines and blocks that look like what this package writes."""
    return "\n".join(_own_lines(_outside_tags(text[:LONGEST])))


def _outside_tags(text: str) -> str:
    """Return a text without tagged blocks and fenced code, closed or not."""
    text = "\n".join(text.split("```")[::2])
    kept, start, open_tags = [], 0, 0
    for tag in _TAG.finditer(text):
        if tag[2].lower() in _EMPTY_TAGS:
            continue
        if not open_tags:
            kept.append(text[start : tag.start()])
        open_tags = max(0, open_tags - 1) if tag[1] else open_tags + 1
        start = tag.end()
    return "\n".join(kept if open_tags else [*kept, text[start:]])


def _own_lines(text: str) -> Iterator[str]:
    """Yield the lines that do not look like operations, memories, lists or transcripts."""
    lines = text.splitlines()
    labelled = [bool(_LABEL.match(line)) for line in lines]
    transcript = sum(labelled) > 1
    for line, label in zip(lines, labelled, strict=True):
        if not (label and transcript) and not _INJECTED.search(line):
            yield line


def _unquoted(text: str) -> str:
    """Drop quotations; a bare name in quotation marks loses only the marks."""
    return _QUOTE.sub(lambda found: _name_within(next(filter(None, found.groups()), "")), text)


def _name_within(quoted: str) -> str:
    """Return what was quoted if it is a mere name, else a mark that ends the clause."""
    spoken = len(quoted) > _BARE_NAME or (len(quoted) > 1 and _PERSONS.search(quoted))
    return "，" if spoken else quoted


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text with their end marks."""
    pointed = _ABBREVIATION.sub(rf"\1{_POINT}", text)
    for found in _SENTENCE.finditer(pointed):
        sentence = found[0].replace(_POINT, ".").strip()
        if sentence:
            yield sentence


_PAIR = regex(r"\b((?:my|our) [\w'-]{1,20}(?: [\w'-]{1,20})? and) I\b", re.IGNORECASE)


def _clauses(sentence: str, bygone: bool) -> list[str]:
    """Return the clauses of a sentence, "" for each that states nothing."""
    sentence = _AND_YOU.sub("", sentence)
    if _SUPPOSING.search(sentence):
        return []
    joint = _PAIR.sub(f"\\1{_POINT}I", sentence)
    parts = [part.strip(" \t.。!！;；…") for part in _CLAUSE.split(joint) if part]
    parts = [part.replace(_POINT, " ") for part in parts]
    if _ASKED.search(sentence):
        # A question after a statement leaves the statement ("我养了一只猫，能吃巧克力吗？"),
        # unless it asks whether the statement is true.
        if len(parts) < 2 or _CONFIRM.match(parts[-1]) or not _ASKING.search(parts[-1]):
            return []
        parts.pop()
    return _in_earnest(parts, bygone)


def _subject(part: str) -> str:
    """Return the subject of a clause put aside, for what follows (我以前住北京，现在住上海)."""
    return "我" if _MINE.match(part) else ""


def _in_earnest(parts: list[str], bygone: bool) -> list[str]:
    """Blank the clauses that ask, that somebody else says, or that tell of the past."""
    kept: list[str] = []
    past = told = False
    for part in parts:
        past = (past and not _PRESENT.search(part)) or bool(PAST.search(part))
        past = past and not bygone
        mute = past or told or bool(_ASKING.search(part))
        kept.append(_subject(part) if mute and past and not told else "" if mute else part)
        told = told or (bool(_TOLD.search(part)) and not _SELF_TOLD.match(part))
    asked = bool(parts) and bool(_CONFIRM.match(parts[-1]))
    return [] if asked else kept
