"""Questions that no memory can answer: made up, the same for the same seed.

There are three kinds. *letters* are random letters, or random Chinese characters. *made up* are
questions as people ask them, about things and people that do not exist: the verbs and some nouns
are real, the names are coined. *never said* are the same questions about real things of which not
one was ever said in the memory that is asked.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Set
from itertools import islice

from wangchuan.language.terms import terms

LETTERS, MADE_UP, NEVER_SAID = "letters", "made up", "never said"
KINDS = (LETTERS, MADE_UP, NEVER_SAID)

FRAMES = {
    "en": (
        "When did {who} repair the {a}?",
        "Where did I leave the {a} {b}?",
        "What did {who} say about the {a}?",
        "How much did the {a} cost?",
        "Who gave me the {a}?",
        "Why was {who} upset about the {a} at the {b}?",
        "What is the name of the {a} that {who} bought?",
        "How many {a}s does {who} keep in the {b}?",
        "Did {who} ever visit the {a}?",
        "Which {a} did we choose for the {b}?",
        "What colour is {who}'s {a}?",
        "When is the {a} due?",
        "Do you remember the {a} I told you about?",
        "What time does the {a} close on Sundays?",
        "Is {who} still allergic to {a}?",
        "Remind me what I decided about the {a} and the {b}",
        "Where does {who} work now that the {a} is gone?",
        "How long did the trip to {who} take with the {a}?",
        "What happened after {who} lost the {a}?",
        "Tell me about the {a}",
        "{who} {a}",
        "What did I name my {a}?",
        "Who is going with me to the {a} meeting?",
        "What was the score of {who}'s {a} exam?",
        "Which doctor treats my {a}?",
    ),
    "zh": (
        "{who}上次说的{a}要多少钱",
        "我把{a}放在哪里了？",
        "{who}什么时候修好了{a}？",
        "{a}是谁送给我的？",
        "我给{a}取了什么名字？",
        "{who}为什么对{a}不满意？",
        "{who}的{a}是什么颜色的？",
        "我们最后选了哪个{a}？",
        "{who}去过{a}吗",
        "{a}几点关门？",
        "你还记得我说过的{a}吗？",
        "{who}买的{a}叫什么名字",
        "{who}在{a}里养了几只{b}？",
        "我对{a}过敏吗？",
        "{a}和{b}的事我是怎么决定的",
        "{who}现在还在{a}上班吗",
        "去{a}的路上花了多长时间？",
        "{who}丢了{a}以后怎么样了？",
        "说说{a}",
        "{who}{a}",
        "{a}的考试考了多少分？",
        "谁陪我去看{a}的医生？",
        "{b}里的{a}坏了没有",
        "{who}的{a}会议改到哪天了？",
        "关于{a}，{who}有什么建议？",
    ),
}
REAL = {
    "en": "accordion anvil aquarium asteroid badger bagpipes barometer beehive bobsled cactus"
    " caravan catapult cauldron chainsaw chandelier chisel cider compost cricket bat crossbow"
    " defibrillator dialysis didgeridoo dinghy dirigible donkey drawbridge eclipse embalmer"
    " falconry ferret fjord flute foundry gazebo geyser glacier gondola gramophone greenhouse"
    " guillotine hammock harpsichord haystack helicopter hovercraft igloo kayak kiln lasso lava"
    " lawnmower lighthouse llama locksmith loom mackerel mammoth marble quarry molasses monocle"
    " moped mulberry narwhal oboe observatory orchid ostrich otter oyster parachute pendulum"
    " periscope pheasant plumbing polecat porcupine pottery wheel pulley quiche radiator rapier"
    " rhubarb saddle saxophone scaffold scarecrow seismograph shrapnel silo snorkel spaniel"
    " stethoscope submarine sundial tambourine tapestry tarantula telegraph thimble toboggan"
    " trampoline trombone turbine turnip typewriter ukulele unicycle vinegar walrus wigwam"
    " windmill wombat xylophone yak zeppelin",
    "zh": "手风琴 铁砧 水族箱 小行星 风笛 气压计 蜂箱 仙人掌 房车 吊灯 凿子 堆肥 十字弩 除颤器"
    " 透析 橡皮艇 飞艇 毛驴 吊桥 日食 猎鹰 雪貂 峡湾 长笛 铸造厂 凉亭 间歇泉 冰川 贡多拉 留声机"
    " 温室 吊床 羽管键琴 草垛 直升机 气垫船 冰屋 皮划艇 窑炉 套索 熔岩 割草机 灯塔 羊驼 锁匠"
    " 织布机 鲭鱼 猛犸 采石场 糖浆 单片眼镜 桑葚 独角鲸 双簧管 天文台 兰花 鸵鸟 水獭 牡蛎 降落伞"
    " 钟摆 潜望镜 野鸡 水管工 豪猪 陶轮 滑轮 散热器 佩剑 大黄 马鞍 萨克斯 脚手架 稻草人 地震仪"
    " 弹片 筒仓 浮潜 猎犬 听诊器 潜水艇 日晷 铃鼓 挂毯 狼蛛 电报 顶针 平底雪橇 蹦床 长号 涡轮机"
    " 芜菁 打字机 尤克里里 独轮车 陈醋 海象 风车 袋熊 木琴 牦牛 望远镜 滑翔伞 马蜂窝 算盘 砚台"
    " 轿子 蓑衣 驼铃 磨坊 烽火台",
}
PEOPLE = {
    "en": "Ambrose Bettina Cuthbert Dorothea Erasmus Florimond Gwendolyn Horatio Ignatius Jocasta"
    " Leopold Mordecai Ottoline Percival Quentin Rosamund Sigismund"
    " Thaddeus Ursula Winifred",
    "zh": "欧阳慕白 司徒静姝 皇甫仲达 令狐小楼 慕容雪岩 钟离远山 端木清和 公孙绣云 尉迟广厦"
    " 轩辕若谷 濮阳知秋 闻人晚晴 澹台明镜 夏侯沐阳 拓跋长风 南宫映雪",
}
CONSONANTS = "b br bl d dr f fl g gl gr h k kl kr l m n p pl qu r s sk st t tr v w z zh"
VOWELS = "a e i o u oo ai ea"
ENDS = "b ck d ff g k lk ll m n nd p r rt sh sk st t th v x z zz"
# Characters that stand in names of rare plants, birds, tools and stones, and in few words else.
RARE = (
    "鹃梢蔫铃瓠碓鹬榫苜蓿蚬箅鳜砧芡筠锹鹞柽蓼蒯钹蛏茭埙鲳桤笊荸胗锏蕹鲻楝箬蟛铙葚鳎檗蒌鹎砣菰簋蚶槭罾薤镲蛉"
    "栾耧鸫芪埚鲷椴蓟篾螯钿莼鹩柞荇铡蛞榧鲮茑磬"
)
BESIDE = 0.3  # share of the made up questions that name something real, too
FEWEST, MOST = 1, 5  # words of random letters in one question


def questions(
    kind: str, tongue: str, count: int, seed: int, said: Set[str] = frozenset()
) -> list[str]:
    """Return so many questions of a kind, all different.

    `said` are the terms of the memory that is asked: what is never said holds none of them in the
    names of things and people.
    """
    rng = random.Random(f"{kind} {tongue} {seed}")
    made = dict.fromkeys(islice(_questions(rng, kind, tongue, said), 20 * count))
    return list(made)[:count]


def _questions(rng: random.Random, kind: str, tongue: str, said: Set[str]) -> Iterator[str]:
    things, people = (
        [word for word in words.split() if said.isdisjoint(terms(word))]
        for words in (REAL[tongue], PEOPLE[tongue])
    )
    while True:
        if kind == LETTERS:
            yield _letters(rng, tongue)
            continue
        if kind == MADE_UP:
            who, a, b = (_coined(rng, tongue) for _ in range(3))
            if rng.random() < BESIDE:
                a += (" " if tongue == "en" else "") + rng.choice(REAL[tongue].split())
        else:
            who, (a, b) = rng.choice(people), rng.sample(things, 2)
        yield rng.choice(FRAMES[tongue]).format(who=who.capitalize(), a=a, b=b)


def _letters(rng: random.Random, tongue: str) -> str:
    count = rng.randint(FEWEST, MOST)
    if tongue == "en":
        alphabet = "abcdefghijklmnopqrstuvwxyz"
        words = ("".join(rng.choices(alphabet, k=rng.randint(3, 9))) for _ in range(count))
        return " ".join(words) + rng.choice(("", "?"))
    text = "".join(chr(rng.randrange(0x4E00, 0x9FA6)) for _ in range(2 + 2 * count))
    return text + rng.choice(("", "？"))


def _coined(rng: random.Random, tongue: str) -> str:
    """Return a name that nothing has."""
    if tongue == "zh":
        return "".join(rng.sample(RARE, 2))
    parts = [rng.choice(kind.split()) for kind in (CONSONANTS, VOWELS) * rng.randint(2, 3)]
    return "".join(parts) + rng.choice(ENDS.split())
