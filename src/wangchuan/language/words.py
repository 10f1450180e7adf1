"""The word lists behind `wangchuan.language.text`: data, and the little that unfolds it.

Neither language has a full tagger here.  Chinese words come with the dictionary's own
tags, which these lists correct where they mislead; English words are looked up in a
lexicon of a few hundred common words, and whatever is not in it is taken for a name or a
noun, because rare words are what a text is about.

Both languages share one small set of tags, so that every policy is one table:

    name noun id num      what a text is about: people, places, things, identifiers, numbers
    link                  a web address
    key                   verbs that settle something: decisions, likes, needs
    verb adj idiom time   what is said of it
    neg negated           "not", and words that hold a "not" (不够): dropping them would lie
    ask adv pron subj     question words, adverbs, pronouns, English subject pronouns
    func det aux modal    words that lean on the word after them
    conj                  words that tie clauses
    light generic unit    words too common to tell much, and measure words
    part filler mark      particles, padding, emoji
"""

import re
from typing import NamedTuple

from wangchuan.patterns import regex

HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


class Word(NamedTuple):
    """A word of a text, where it stands (in characters), its tag and its weight in [0, 1]."""

    text: str
    start: int
    end: int
    tag: str
    weight: float


WEIGHTS: dict[str, float] = {
    "name": 1.0, "id": 0.95, "link": 0.9, "key": 0.9, "negated": 0.75, "neg": 0.75,
    "noun": 0.7, "num": 0.65, "idiom": 0.55, "verb": 0.5, "ask": 0.45, "adj": 0.45, "time": 0.45,
    "subj": 0.3, "pron": 0.3, "generic": 0.3, "modal": 0.3, "light": 0.25, "adv": 0.2, "unit": 0.2,
    "conj": 0.15, "aux": 0.1, "func": 0.1, "det": 0.1, "mark": 0.1, "part": 0.05, "filler": 0.0,
}  # fmt: skip


def _set(listed: str) -> frozenset[str]:
    """Turn "word word …" into a set."""
    return frozenset(listed.split())


def _longest_first(listed: str) -> list[str]:
    """Turn "word word …" into a list in which no word hides a longer one that it begins."""
    return sorted(listed.split(), key=len, reverse=True)


def _listed(lists: dict[str, str]) -> dict[str, str]:
    """Turn {tag: "word word …"} into {word: tag}."""
    return {word: tag for tag, listed in lists.items() for word in listed.split()}


# Chinese.  A dictionary tag is looked up whole, then by its first letter.
CHINESE_TAGS: dict[str, str] = {
    "nr": "name", "ns": "name", "nt": "name", "nz": "name", "nrt": "name", "nrfg": "name",
    "vn": "noun", "n": "noun", "j": "name", "g": "noun", "s": "noun", "x": "noun",
    "v": "verb", "a": "adj", "z": "adj", "b": "adj", "i": "idiom", "l": "idiom",
    "d": "adv", "f": "adv", "t": "time", "m": "num", "q": "unit", "r": "pron",
    "p": "func", "c": "conj", "u": "part", "y": "part", "e": "filler", "o": "part",
    "k": "part", "h": "part",
}  # fmt: skip

CHINESE_WORDS: dict[str, str] = _listed(
    {
        "neg": """
            不 没 没有 别 未 非 勿 莫 从不 从未 从来不 从来没有 不可 并非 并不 不要 不会 不能
            不是 没法 无法 不用 不想 不再 不敢 不肯 不愿 绝不 未能 未必 不该 不应 不应该 不准 不许
            千万别 很少 难以 不太 从没 毫不 绝非
        """,
        "key": """
            决定 采用 选择 选用 选定 确定 定下 改成 改为 换成 喜欢 讨厌 过敏 必须 记住 同意 拒绝
            取消 推迟 搬到 搬去 爱吃 害怕 答应
        """,
        "ask": """
            吗 呢 什么 怎么 怎样 为什么 为何 如何 谁 哪 哪里 哪儿 哪个 哪些 多少 几 是否 何时 咋
            怎么样 怎么办 哪家
        """,
        "filler": """
            嗯 啊 哦 噢 呃 额 唉 哎 哈 哈哈 哈哈哈 呵呵 嘿 诶 其实 反正 总之 就是说 说实话
            老实说 话说 对了 那么 当然 没关系 不用谢 不客气 不好意思 一下 一点 有点 真的 简直
            真是太 太棒了
        """,
        "modal": """
            能 能够 可以 可 会 要 想 得 应 应该 应当 该 需要 需 愿意 肯 敢 打算 准备 想要 希望
            计划 不得不 才能
        """,
        "part": "就 才 再",
        "light": """
            是 有 做 来 说 点 觉得 认为 感觉 看 让 使 叫 成为 进行 看看 出来 起来 下来 过来 过去
            一起 一直 发现 知道 表示 以为 作为 属于 在于 包括 告诉 问 请 帮 帮忙 麻烦 发给 新来 成
            弄 搞 还有 还要 聊 聊聊 聊到 尝试 试试 试着 感到
        """,
        "func": """
            在 用 把 被 从 对 给 跟 向 往 由 以 为 为了 按 按照 根据 关于 对于 通过 除了 和 与
            及 以及 或 或者 比 到 至 沿 同 将 离 随着 每 每个 每次 第
        """,
        "conj": """
            因为 所以 但是 但 不过 而且 并且 然后 于是 因此 如果 虽然 可是 然而 而 并 同时 另外
            此外 只要 只有 即使 既然 由于 不仅 不但 甚至 否则 接着 后来 结果 尽管 要是 那 不管
            不论 无论
        """,
        "adv": """
            很 非常 特别 十分 比较 更 最 太 都 也 还 又 已经 已 经常 常常 总是 一般 刚 刚刚 正在
            正 马上 大家 一些 很多 许多 一个 一种 一样 这样 那样 各种 各 有些 全部 所有 多 多个
            几个 上 下 里 中 内 外 前 后 之前 之后 以后 以前 左右 以上 以下 之间 里面 上面 下面
            不断 不久 不禁 不停 不时 不妨 不免 不由得 无比 没事 一次 一会儿 终于 一共 统一 比如
            例如 仅 仅仅 仍然 仍 确实 说不定 挺 蛮 先 可能 也许 好像 似乎 大概 基本上
        """,
        "generic": """
            人 人们 时候 东西 事情 事 方面 情况 样子 地方 部分 一切 问题 方式 时间 办法 意思
            原因 过程 内容 期间 目前 个人 自己 关系 程度 感受 有时候 好处 其中
        """,
        "name": "奔驰 宝马 奥迪 特斯拉 比亚迪",
        "unit": "小时 分钟 秒钟 公里 公斤 星期 礼拜 年 月 日 号 岁 元 块 个 只 条 次 遍 天",
        "time": """
            今天 明天 昨天 前天 后天 今年 去年 明年 今晚 昨晚 早上 上午 中午 下午 晚上 周末 最近
            现在 刚才 下周 上周 本周 下个月 上个月 这个月 本月 日期 凌晨
        """,
        "noun": """
            接口 预算 部署 花 连接池 深度 生日 问卷 编程 咖啡 截止日期 上线 菜 订单 方案 缓存
            阳光 高峰 环保 登山 城市 都市 沙滩 攀岩 高山 湖泊 研发 山峰 卡片 海鲜 山脉 冰川 海滩
            海洋 江河 田野 文明 吉他 柳树 梅花 兰花 桂花 长跑 温泉 雷雨 云彩 白云 同行 童真 祖母
            小狗 乌龟 马匹 牛羊 房贷 益处 汤圆 小姐 连衣裙 师傅 师生 关怀 祝福 许可 巴士 沙发 沙拉
            梅雨 宫殿 智慧 井水 海关 燕麦 南瓜 高尔夫
            下属 身高 体重 快递 超市 知识 想法 位置 心得 需求 喜好 做法 展览 睡眠 看法 见解 见识
            偏见 料理 警察 会计 组长 对手 说法 兴趣爱好 盛典 困难 灵感 乐趣 爱好 烦恼 大自然 难度
            进度 难点 主意
            聊天 猫 狗 家 书 车 药 茶 老师 妈妈 爸爸 哥哥 姐姐 弟弟 妹妹 医生
        """,
        "num": "八号 一半 不少",
        "pron": "这",
        "adj": """
            不错 不同 不一样 不得了 不凡 挺不错 真不错 了不起 无限 无敌 新 旧 好 大 小 高 低 快 慢
            喜爱 好吃 好看 超时
            安静 美 美丽 温馨 新鲜 美味 阴凉 齐全 卓越 古老 高超 明智 宁静 金黄 和平 华丽 文雅
            高雅 和睦 朴素 荣幸 公正 时髦 古典 甘甜 美观 连贯 兴旺 万能 万幸 马虎 方正 白净 乌黑
            真棒 好棒 给力
        """,
        "verb": """
            去 看到 爱 搬 吃 喝 住 住在 买 学 教 写 读 养 换到 爱喝 来自 明白 服用 付清 吃素 收到
            了解 学会 感兴趣 徒步 相处 互动
        """,
    }
)

PLANNED = _set("计划 希望 打算 准备 需要")  # behind 的 or a noun, things one has
# Verbs that name an activity, and so stand before a noun as part of its name (登录模块).
NOMINAL_VERBS = _set(
    """
    登录 注册 支付 搜索 测试 开发 设计 管理 部署 监控 缓存 加密 认证 授权 编程 学习 训练 推理
    存储 验证 下载 上传 备份 同步 推荐 检索 查询 索引 分析 统计 调度 配置 安装 更新 升级 维护
    运营 销售 营销 采购 物流 运输 配送 审批 审核 审计 报销 考试 教育 培训 招聘 面试 会议 旅游
    旅行 健身 投资 理财 贷款 保险 租房 装修 翻译 写作 阅读 摄影 绘画 游泳 跑步 爬山 比赛 实验
    研究 评估 评测 压缩 记忆 对话 通知 消息 权限 日志 退款 结算 发布 集成 迁移 重构 优化 编译
    调试 渲染 广告 预订 咨询 截止 诊断 治疗 手术 检查 护理 过敏 康复 连接 请求 响应 服务 供应
    生产 制造 加工 合作 竞争 分布 交互 运行 操作 识别 生成 分类 聚类 标注 爬虫 排序 过滤 路由
    限流 负载
    """
)

# First characters of personal names, the familiar 小 and 老 among them.
SURNAMES = frozenset(
    "莫来成迟应何时哈那老简计于包麻向由关和但管都马许全左方况原程容小钟公元明周凌花连"
    "池单车师高支付索权练储查安游房修康路王李张刘陈杨黄赵吴徐孙朱胡郭林罗郑梁谢宋唐韩"
    "邓冯曹彭曾肖田董潘袁蔡蒋余杜叶魏苏吕丁任卢姚沈姜崔谭陆范汪廖石金韦贾夏邹熊白孟秦"
    "邱侯江尹薛闫雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严孔汤温施文牛樊葛邢齐易乔伍庞颜庄聂"
    "章鲁岳翟申欧耿兰焦俞柳甘祝宁尚符舒阮柯纪梅童毕季霍苗裴涂谷曲盛冉翁蓝辛靳柴蒙鲍华"
    "喻祁蒲滕屈饶解牟艾尤阳穆农司卓古吉缪项芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂"
    "佟臧闵苟邬边姬仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩佘苑邝官封谈匡鞠惠荆乐冀郁胥南班"
    "栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜海阚强帅屠豆朴盖廉禹井祖漆巴丰卿国狄平"
    "宣晋相初门云敬扈晁芮普阙浦戈伏鹿薄邸雍辜羊阿母乌裘亓邰赫杭宿鲜印逯隆茹诺战慕危玉"
    "银亢嵇湛宾戎勾茅利於呼居揭干尉冶斯束檀衣信展阴昝智幸奉植衡富尧闭"
)

# Measures and units that follow a number, and what may stand before a number as a part of it.
TITLES = frozenset("总董工局处姐哥叔姨嫂婶伯")  # of one character, behind a surname
POINTING = _set("这 那 哪 这个 那个 哪个 这些 那些 这种 那种")

UNITS = _longest_first(
    """
    个月 个小时 个星期 个多月 个多小时 小时 分钟 秒钟 点钟 刻钟 星期 公里 公斤 千克 厘米 毫米 毫秒
    平方米 万元 亿元 美元 欧元 块钱 年代 个 年 月 日 号 点 时 分 秒 刻 天 周 岁 元 块 角 毛 米 斤 克
    次 人 位 名 条 件 本 张 台 辆 只 双 杯 瓶 碗 颗 棵 份 套 支 首 家 间 层 楼 页 章 节 版 万 亿 千
    百 倍 折 度 级 期 届 款 种 毫升 升 吨 核 遍 % ％ ℃
    """
)
NUMERALS = "〇○零一二两三四五六七八九十百千万亿"
MONTHS = _longest_first(
    """
    January February March April May June July August September October November December
    Jan Feb Mar Apr Jun Jul Aug Sept Sep Oct Nov Dec
    """
)
DAYS = _longest_first(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Wed Thu Fri Sat Sun"
)
DAY_PARTS = _longest_first("上午 中午 下午 晚上 早上 凌晨 傍晚 今晚 夜里")
BOUNDS = _longest_first(
    """
    大约 大概 不到 超过 不超过 不足 至少 最少 最多 至多 将近 接近 约 近 第 百分之 人民币
    """
)
ENGLISH_BOUNDS = _longest_first(
    """
    at_least at_most more_than less_than fewer_than no_more_than not_more_than no_less_than up_to
    over under about almost nearly around between version half_past quarter_past quarter_to
    """
)
NUMBER_WORDS = """
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred
    thousand million billion dozen
"""
SCALES = _longest_first(
    "hundred thousand million billion dozen bn USD EUR GBP RMB CNY dollars euros pounds yuan"
)

DATED = regex(  # a number or a time with one is a date
    "|".join([*MONTHS, *DAYS])
    + r"|\d:\d|\d ?[ap]\.?m|(?<![今明去前后本个这每])[年月日号点]"
    + r"|(?:周|星期|礼拜)[一二三四五六日天]"
)

# Words that deny what follows them although they are no "not": what was stopped is no more.
DENYING = _set(
    """
    stop stops stopped quit quits avoid avoids avoided refuse refuses refused forbid forbids
    forbidden prohibit prohibited ban banned deny denied reject rejected against cancel cancels
    cancelled
    canceled fail fails failed forgot forget instead except unable impossible lack lacks lacked
    禁止 严禁 拒绝 取消 停止 避免 反对 否认 而不是 除了 戒 戒掉 戒了 忘记 忘 忘了 缺
    缺少 缺乏 放弃
    """
)
# Chinese words that end what a "not" denies (不吃肉只吃鱼).
UNDENYING = _set("只 却 仅 而是 倒是 反而")

# Words that open a clause, by what becomes of it: "sub" goes before what it explains, "back"
# before the clause in front of it, what stands in front of a "but" before it; "if" stays with
# what hangs on it; without the clause in front, what opens the next is left out.
CLAUSES = _listed(
    {
        "sub": "因为 由于 虽然 尽管 既然 即使 为了 比起"
        " because since although though while whereas when",
        "back": "不然 否则 比如 例如 以便 以免 免得 which who where that otherwise to",
        "but": "但是 但 不过 可是 然而 而是 but however",
        "if": "如果 要是 假如 万一 只要 只有 除非 一旦 if unless until",
        "so": "所以 因此 于是 结果 然后 而且 并且 so and",
    }
)
ADDING = _set("也 还 also too")  # behind a "but": nothing is turned, something comes to it
SINCE = _set("现在 后来 如今 最后 目前 now finally eventually")  # and what has come of it
ALSO = _set("和 与 及 以及 and")  # before one thing more
HANDLING = _set("把 被 将 给 对 向")  # to whom or what something is done follows
BACK = _set(  # words that lean on what stands before them
    """
    的 了 着 过 地 得 吗 呢 吧 啊 里 上 中 内 外 前 后 时 之前 之后 以后 左右 以上 以下 之间 里面
    上面 时候 的话 不了
    """
)
BECOMING = ("成", "为", "在", "搬到", "搬去")  # ends of verbs that lean on what follows them
OBLIGING = _set("must 必须")  # what somebody has to do, or not, follows
CALLED = _set("叫 叫做 叫作 名叫 名为 称为")  # behind a thing, what its name is
THIRD = _set("他 她 它 他们 她们 he she it they he's she's it's they're")
ONCE = ("时候", "之后", "以后", "之前", "的时")  # ends of a clause that says when
REPORTING = ("说", "认为", "觉得", "表示", "said", "says", "thinks")
SUPPOSING = ("的话",)  # ends of a clause on which the next one hangs
FORMER = _set(  # what was once, or was once meant, and need not be any more
    """
    以前 从前 原来 本来 原本 原先 当初 曾 曾经 used wanted planned hoped meant supposed originally
    """
)
# Words that bind a clause: with less of it, it would say more.
TIGHT = (
    _set(
        """
    只 仅 仅仅 只能 才 比 最 直到 only until till than most least except between
    both much more less enough
    可能 也许 好像 似乎 大概 差点 差一点 maybe perhaps probably possibly
    might could would nearly almost
    """
    )
    | FORMER
)
PLACING = _set(
    """
    在 从 于 为了 按 按照 根据 通过 随着 in at on for with from during through near across along
    behind beside around within after
    """
)
TOPICAL = _set(
    "对于 关于 至于 根据 作为 随着 通过 当 不管 不论 无论"
)  # Words that open what the next clause is said of.
SPANNING = _set("从 for during")  # with a number: how long, or since when

# English.  Everything here is lower case; apostrophes are straight.
BARE_VERBS = """
    accept access achieve add admit adopt affect agree allow announce answer appear apply approve
    argue
    arrange arrive ask assume attend avoid bake become begin believe belong book borrow bring
    build buy call cancel care carry cause change charge chat check chew choose claim clean close
    collect compare complain complete confirm connect consider contain continue convert cook
    cost count cover crash create cut deal decide define delay delete deliver depend deploy
    describe design destroy develop die disappear discover discuss drink drive drop earn eat
    enable encourage end enjoy ensure enter escape exist expect explain express fail fall feed
    feel fight fill find finish fit fix fly focus follow forget form gain get give go grow
    handle happen hate have hear help hide hold hope identify ignore imagine implement improve
    include increase indicate install introduce invite involve join jump keep kill know laugh
    launch lead learn leave lend let lie like limit listen live load look lose love maintain
    make manage mark matter mean measure meet mention merge migrate mind miss mix move need
    notice obtain occur offer open operate order own paint park pass pay perform pick place plan
    play point prefer prepare present press prevent produce promise protect prove provide
    publish pull push put raise reach read realize receive recognize recommend reduce refer
    refuse release rely remain remember remind remove rename repeat replace reply report
    represent require rest result return reveal review rewrite ride rise roll run save say
    schedule see seem sell send separate serve set share ship show shut sign sing sit skip sleep
    smile solve sound speak spend stand start state stay stop store struggle study succeed
    suffer suggest supply support suppose switch take talk teach tell tend test thank think
    throw touch travel treat try turn understand update upgrade use visit wait wake walk want
    warn wash waste watch wear win wish wonder work worry write
"""
_PASTS = """
    became began believed brought built bought came chose cut dealt did done drank drove ate
    eaten fell felt fought found flew forgot forgotten gave given went gone got gotten grew
    grown had has heard hid held kept knew known led left lent let lay lost made meant met paid
    put ran read rode rose said saw seen sold sent set shot showed shown shut sang sat slept
    spoke spoken spent stood stole stolen stuck swam took taken taught told thought threw understood
    woke wore won wrote written broke broken chosen drawn driven fallen moved died lied tied
    come comes coming
"""


def _inflected(verb: str) -> list[str]:
    """Return a verb's regular forms; a wrong guess is harmless, for it spells no other word."""
    stem = verb[:-1] if verb.endswith("e") else verb
    if re.search(r"[^aeiou]y$", verb):
        return [verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"]
    doubled = re.search(r"^[^aeiou]*[aeiou][bdglmnprt]$", verb)
    stem += stem[-1] if doubled else ""
    plural = "es" if re.search(r"(s|x|ch|sh|o)$", verb) else "s"
    return [verb, verb + plural, stem + "ed", stem + "ing"]


def _english_verbs() -> dict[str, str]:
    """Return every form of the listed verbs."""
    forms = [form for verb in BARE_VERBS.split() for form in _inflected(verb)]
    return dict.fromkeys([*forms, *_PASTS.split()], "verb")


ENGLISH_WORDS: dict[str, str] = _english_verbs() | _listed(
    {
        "neg": """
            not no never none nobody nothing neither nor without cannot don't doesn't didn't
            won't wouldn't can't couldn't shouldn't isn't aren't wasn't weren't haven't hasn't
            hadn't mustn't ain't hardly barely rarely seldom scarcely
        """,
        "key": """
            decide decided deciding choose chose chosen prefer prefers preferred love loves
            loved hate hates hated allergic agreed promised must remember cancelled canceled
            refused adopted
        """,
        "ask": "what how why when where who which whose whom whether",
        "subj": """
            i he she we they you it i'm he's she's we're they're you're it's i've we've they've
            you've i'd he'd she'd we'd they'd you'd i'll he'll she'll we'll they'll you'll it'll
            let's that's there's there
        """,
        "pron": """
            me him us them myself yourself himself herself itself ourselves themselves mine
            yours ours theirs someone somebody something anyone anybody anything everyone
            everybody everything one ones other others
        """,
        "det": """
            a an the my your his her its our their this that these those each every any some all
            both another such either
        """,
        "modal": "will would can could shall should may might gonna wanna gotta",
        "aux": "am is are was were be been being do does did have has had having",
        "func": """
            and or of to in on at by for with from into onto about over under between among
            through during before after since until till against towards toward upon across
            behind beside within via per as than off out up down around near like along past
            except
        """,
        "conj": """
            but so because if although though while whereas then yet unless however therefore
            thus hence plus once
        """,
        "filler": """
            um uh hmm oh ah wow well honestly basically actually literally really very quite just
            please okay ok yeah yes hey hi hello anyway maybe perhaps probably simply pretty
            somewhat kinda sorta lol haha btw sure obviously frankly definitely certainly
            totally nah yep yup nope
        """,
        "adv": """
            also too only even still already always often usually sometimes again away back here
            far ever almost enough much more most less least rather else instead together soon
            later forward apart twice finally quickly currently recently especially mainly
            mostly otherwise upstairs downstairs afterwards beforehand meanwhile nowadays elsewhere
        """,
        "time": """
            today tomorrow yesterday tonight now morning afternoon evening night week weekend
            month year day days weeks months years hour hours minute minutes spring summer
            autumn winter monday tuesday wednesday thursday friday saturday sunday january
            february march april june july august september october november december ago pm
            mondays tuesdays wednesdays thursdays fridays saturdays sundays
        """,
        "generic": """
            thing things stuff lot lots way ways kind kinds sort time times bit part parts
            people person guy guys man case fact point example number reason side matter rest
            couple bunch place places end etc e.g i.e eg ie
        """,
        "adj": """
            good bad great nice new old big small large little long short high low early late
            young own same different next last first second third few many several best better
            worse worst right wrong true false real free full easy hard difficult simple
            important main major minor whole entire possible impossible available ready able
            happy sad angry tired afraid sorry glad proud excited busy hot cold warm cool fast
            slow strong weak rich poor cheap expensive safe dangerous clean dirty clear dark
            light heavy deep wide narrow beautiful ugly lovely amazing awesome terrible awful
            fine perfect interesting boring fun funny strange weird special normal quarterly
            monthly weekly daily yearly friendly common rare public private local global recent
            current previous final total various certain likely useful red blue green white
            black yellow strict loud quiet broken open favorite favourite social general
            specific vegetarian vegan following nicer cheaper bigger smaller grey awake sick
        """,
        "num": NUMBER_WORDS,
        "unit": "ml cl kg km cm mm mg gb mb tb ms mph kwh",
        "light": """
            get gets got getting go goes going went make makes made making say says said saying
            think thinks thought know knows knew known let lets seem seems seemed feel feels
            felt guess suppose mean means meant want wants wanted try tries tried trying tell
            tells told talk talked talking look looks looked looking come comes came put puts
            take takes took give gives gave keep keeps kept see sees saw seen happen happened
            need needs needed likes using use used mentioned mention thanks
        """,
        "noun": """
            learning training testing meeting building engineering programming marketing pricing
            painting wedding cooking swimming running hiking shopping banking gaming yoga family
            italy supply assembly reply monopoly butterfly bed seed speed feed king ring string
            wing
        """,
    }
)

# What an unlisted English word is, by its ending.
ENGLISH_ENDINGS: tuple[tuple[str, str], ...] = (
    ("n't", "neg"),
    ("n’t", "neg"),
    ("ly", "adv"),
    ("ing", "verb"),
    ("ed", "verb"),
    ("ous", "adj"),
    ("ful", "adj"),
    ("ive", "adj"),
    ("able", "adj"),
    ("ible", "adj"),
    ("less", "adj"),
)

# Words by which nothing is found, and those by which people ask a memory rather than name
# something in it.
STOP_EN = _set(
    """
    a about across after again against ain all also am among an and any are aren around as at be
    been before behind being beside between both but by can could couldn d did didn do does doesn
    doing don done down during each either else ever every for from get gets got had hadn has hasn
    have haven having he her here hers herself hey hi him himself his how i if in into is isn it
    its itself just kind let like ll lot m many may me might mine more most much must my myself
    near neither no nor not of off oh ok okay on once only onto or other others our ours ourselves
    out over own per re really s said same say says shall she should shouldn since so some such t
    than that the their theirs them themselves then there these they thing things this those
    through to too toward towards under until up upon us ve very via was wasn way we well were
    weren what when where which who whom whose why will with within won would wouldn yeah yes you
    your yours yourself
    """
)
STOP_ZH = _set(
    """
    的 了 是 我 你 您 他 她 它 们 我们 你们 他们 她们 咱们 在 和 有 也 就 都 不 很 吗 呢 啊 吧 呀 哦
    嗯 这 那 这个 那个 这些 那些 一个 一些 一下 什么 怎么 哪些 哪 哪个 哪里 与 及 或 而 但 但是 因为
    所以 如果 还 又 再 给 把 被 让 从 到 上 下 中 里 会 能 可以 要 想 过 着 地 得 好 好的 说 关于 几
    谁 多少 为 以 时 去 来 做 没 没有 非常 觉得
    """
)
ACKNOWLEDGING = _set(  # words that say nothing but that one has heard
    """
    noted ok okay got it understood sounds good great sure thanks thank you perfect right alright
    fine cool done agreed roger 好 好的 行 可以 明白 收到 谢谢 谢 没问题 知道 了解 嗯 嗯嗯 对 是
    当然 没 问题 不用 客气 没错 是的 不客气 没问题 不用谢 没关系 好主意 太好了
    记住
    """
)
CRIES = _set("狗叫 猫叫 鸟叫 鸡叫 猪叫")  # in the dictionary, but mostly an animal that is called …
MISREAD = CRIES | {"人姓"}  # words of the dictionary that are two
ASKING = _set(
    """
    remember tell told talk talked talking mention mentioned recall discuss discussed share shared
    know chat conversation happen happened going
    记得 还记得 告诉 告诉过 聊 聊了 聊过 提到 提到过 提过 分享 分享过 曾经 对 对吗 这天 那天 当时
    今天 跟 谈 讲 事 事情 时候 回事 怎么样 来着 哪天 哪儿 几点 为什么 啥
    """
)
# Words of politeness that a dictionary takes for names or nouns: nothing is about them.
POLITE = _set(
    """
    明白 谢谢 多谢 感谢 晚安 早安 早上好 晚上好 你好 您好 再见 拜拜 辛苦 加油 恭喜 客气
    thank welcome cheers congrats congratulations bye goodbye goodnight greetings morning night
    """
)
THANKING = _set("谢谢 感谢 多谢 非常感谢 恭喜 thank thanks congrats congratulations")
# Names of a link that a model may use though nobody said them.
RELATIONS = _set(
    """
    上文 下文 属于 关于 提到 询问 更正 决定 原因 转折 举例 计划 感受 补充 结果 因果 导致 相关 回答
    解释 说明 对比 相同 相反 相似 引用 同意 反对 承诺 包含 部分 例子 建议 总结 时间 地点 人物 目的
    条件 细节 背景 延续 继续 前提 问题 答案 否定 确认 评价 喜好 同事 朋友 家人 同一人 同一主题 无关
    about mention mentions question correction decision reason contrast example plan feeling
    addition answer answers cause effect result explains detail details supports opposes agrees
    continues follows precedes contains part same similar related belongs time place person topic
    background condition purpose suggestion summary confirms denies quotes promise opinion
    unrelated
    """
)
