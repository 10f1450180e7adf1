"""What all sides of `bench peers` are told and asked.

Nothing here comes from a file or a network, and the same seed gives the same words on every
machine. The sentences are plain chat in English and Chinese; names are coined from syllables, so
that the vocabulary grows with the number of messages as it does in real talk.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

ENGLISH = {
    "thing": "kettle invoice bicycle contract sofa telescope passport violin router ladder"
    " recipe parcel spreadsheet umbrella microscope password tent printer carpet medicine",
    "place": "harbour library station bakery clinic museum warehouse garden airport workshop"
    " theatre market embassy stadium courthouse lighthouse vineyard monastery",
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January April October",
    "mood": "glad tired worried curious annoyed hopeful nervous proud bored relieved",
    "deed": "repaired borrowed painted cancelled ordered returned inherited photographed sold"
    " measured forgot translated wrapped insured",
}
CHINESE = {
    "thing": "热水壶 发票 自行车 合同 沙发 望远镜 护照 小提琴 路由器 梯子 菜谱 包裹 表格 雨伞"
    " 显微镜 密码 帐篷 打印机 地毯 药方",
    "place": "码头 图书馆 火车站 面包店 诊所 博物馆 仓库 花园 机场 车间 剧院 集市 领事馆 体育场"
    " 法院 灯塔 葡萄园 寺庙",
    "day": "周一 周二 周三 周四 周五 周六 周日 元旦 清明 中秋",
    "mood": "高兴 疲惫 担心 好奇 恼火 期待 紧张 得意 无聊 安心",
    "deed": "修好 借走 刷漆 取消 订购 退回 继承 拍下 卖掉 量过 忘记 翻译 包好 投保",
}
FRAMES = {
    "en": (
        "{who} {deed} the {thing} near the {place} on {day} and seemed {mood} about it.",
        "Please remember that {who} wants the {thing} number {n} delivered to the {place}.",
        "We met {who} at the {place} on {day}; the {thing} cost {n} euros.",
        "I am {mood} because {who} {deed} my {thing} before {day}.",
        "The {place} closes at {hour} on {day}, so {who} will bring the {thing} earlier.",
        "{who} asked whether {other} still keeps the {thing} in room {n} of the {place}.",
    ),
    "zh": (
        "{day}{who}在{place}把{thing}{deed}了，看起来很{mood}。",
        "请记住，{who}想把{n}号{thing}送到{place}去。",
        "我们{day}在{place}遇见了{who}，那个{thing}花了{n}块钱。",
        "我有点{mood}，因为{who}在{day}之前{deed}了我的{thing}。",
        "{place}{day}{hour}点关门，所以{who}会早点把{thing}带来。",
        "{who}问{other}是不是还把{thing}放在{place}的{n}号房间。",
    ),
}
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo za"
SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
GIVEN = "思远文静海明雨晴志强佳怡子涵晓东美玲建国春梅浩然欣悦立群秋实若溪"
WORDS = {"en": ENGLISH, "zh": CHINESE}


@dataclass(frozen=True, slots=True)
class Message:
    """One message, the words chosen for it, and its language."""

    text: str
    words: tuple[str, ...]
    tongue: str


def messages(count: int, seed: int = 11) -> list[Message]:
    """Return so many messages, all different, in English and Chinese."""
    rng = random.Random(seed)
    made: dict[str, Message] = {}
    while len(made) < count:
        said = _message(rng, rng.choice(("en", "zh")))
        made.setdefault(said.text, said)
    return list(made.values())


def _message(rng: random.Random, tongue: str) -> Message:
    chosen = {slot: rng.choice(words.split()) for slot, words in WORDS[tongue].items()}
    chosen |= {"who": _name(rng, tongue), "other": _name(rng, tongue)}
    chosen |= {"n": str(rng.randrange(100, 10_000)), "hour": str(rng.randrange(7, 23))}
    frame = rng.choice(FRAMES[tongue])
    words = tuple(word for slot, word in chosen.items() if f"{{{slot}}}" in frame)
    return Message(frame.format(**chosen), words, tongue)


def _name(rng: random.Random, tongue: str) -> str:
    if tongue == "zh":
        return rng.choice(SURNAMES) + "".join(rng.sample(GIVEN, 2))
    return "".join(rng.choices(SYLLABLES.split(), k=3)).capitalize()


def queries(said: list[Message], count: int, seed: int = 23) -> list[tuple[str, str]]:
    """Return queries, each with the text of the message it was made from.

    A query is three words of that message and one word that has nothing to do with it.
    """
    rng, made = random.Random(seed), []
    for source in rng.choices(said, k=count):
        noise = rng.choice(rng.choice(said).words)
        words = [*rng.sample(source.words, 3), noise]
        rng.shuffle(words)
        made.append((" ".join(words), source.text))
    return made
