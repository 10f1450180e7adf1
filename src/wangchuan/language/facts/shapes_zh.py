"""How people state things about themselves in Chinese.

Chinese puts the subject first and bends no verb, so a fact is the clause with the subject
replaced and the padding left out.  A value is whatever stands to the end of the clause; `sense_zh`
tells whether it can be one.
"""

import re
from functools import cache

from wangchuan.language.dates.coming import ISO
from wangchuan.language.facts.shapes import Reading, Shape, compiled, listed
from wangchuan.language.text import HAN
from wangchuan.language.words import SURNAMES
from wangchuan.patterns import regex

PETS = listed(
    """
    猫 狗 猫咪 狗狗 小猫 小狗 橘猫 布偶 柯基 柴犬 金毛 哈士奇 泰迪 兔子 仓鼠 乌龟 龟 金鱼 鱼
    鹦鹉 鸟 蛇 蜥蜴 守宫 刺猬 龙猫 鸭子 鸡 马 羊 猪 兔 豚鼠 八哥 蜘蛛 猫猫
    """
)
OWNED = listed(
    """
    车 汽车 轿车 跑车 摩托 摩托车 电动车 电瓶车 自行车 单车 房车 特斯拉 比亚迪 宝马 奔驰 奥迪
    大众 丰田 本田 房子 公寓 别墅 老房子 院子 花园 店 花店 小店 公司 农场 船 游艇 相机 钢琴 吉他
    小提琴 古筝 尤克里里 架子鼓 电脑 笔记本 平板 手机 游戏机 无人机 望远镜 双胞胎
    """
)
_KIN = listed(
    """
    爸爸 妈妈 爸 妈 父亲 母亲 爸妈 父母 老爸 老妈 哥哥 姐姐 弟弟 妹妹 哥 姐 弟 妹 爷爷 奶奶 外公
    外婆 姥姥 姥爷 岳父 岳母 公公 婆婆 叔叔 阿姨 舅舅 姑姑 姨妈 儿子 女儿 孩子 娃 宝宝 闺女 孙子
    孙女 侄子 侄女 外甥女 外甥 老婆 老公 妻子 丈夫 爱人 对象 女朋友 男朋友 女友 男友 未婚妻 未婚夫
    前任 媳妇 先生 太太 前夫 前妻 姐夫 妹夫 嫂子 弟媳 实习生 学生 组长 队长 对接人 负责人 架构师
    朋友 闺蜜 哥们 同学 同桌 同事 室友 舍友 邻居 老板 经理 领导 上司 主管 导师 老师 教练 医生 客户
    供应商 合伙人 搭档 房东 下属 手下 上级 徒弟 助理 学长 学姐 师兄 师姐 队友 产品经理 技术负责人
    """
)
KIN = rf"(?:(?:前|大|小|表|堂|亲|干|双胞胎|高中|大学|最好的){{0,2}}(?:{_KIN}))"
# What a talk is about beside people: a noun by its last character, or one of a few whole ones.
_NO_NOUN = "是叫有在用由归选改换我你您他她它这那的了着过吗呢不没很太都就也还刚又和跟把被让给去来说"
NOUN = rf"[^，。！？：“”\s{_NO_NOUN}]"
OURS = (
    rf"(?:{NOUN}{{0,6}}?(?:[库端栈架器口期档境品司队组仓号名本址同程部室款统台付租额价费码务标志图色案准式率量位型证票店网版语]"
    r"|时间|地点|预算|项目|分支|会议|邮箱|电话|缓存|联系人|对接人|负责人|接口人|客户|甲方|人数|成本|微信|数据|主题|身高|体重|周期|截止日))"
)
_SET = (
    "(?:现在|都|主要|暂|先|已经|最[后终]|一律|统一|我们){0,2}(?:[定放存设架]在|定为|定的是|存放在|部署在|托管在|跑在|选的是|选[了用定]"
    "|采用|换成|改[成为用到]|[迁搬挪涨降升]到|(?:推迟|提前|延[期长]?)到|用的是)了?"
)
PERSON = rf"(?:[小老阿大][{HAN}]|[{''.join(sorted(SURNAMES))}][{HAN}]{{1,2}}|[A-Z][\w·]{{1,20}})"
_WORK = listed(
    """
    老师 教师 医生 护士 律师 警察 司机 会计 出纳 编辑 记者 主播 博主 翻译 导演 演员 歌手 模特
    保安 保姆 农民 工人 军人 法官 检察官 秘书 助理 经理 主管 总监 老板 店长 校长 院长 教授 讲师
    教练 导游 空姐 空乘 骑手 前端 后端 运维 策划 文案 美工 画家 作家 科学家 音乐家 作曲家 钢琴家
    诗人 编剧 学生 大学生 研究生 博士生 博士 硕士 高中生 初中生 小学生 家庭主妇 全职妈妈
    全职爸爸 自由职业者 自由职业 撰稿人 经纪人 主持人 媒体人 个体户 创业者 码农 程序猿 社工 兽医
    牙医 药剂师 中介 公务员 医药代表 班主任 辅导员 木匠 裁缝 电工 焊工 建筑师 厨子
    """
)
TRADE = (
    rf"(?:[^，。的了是]{{0,6}}?(?:{_WORK})|[^，。的了是会成人党队球店]{{1,6}}员"
    r"|[^，。的了是大天]{1,7}师)"
)
_NUMBER = r"(?:[一二两三四五六七八九十俩仨半几\d]{1,3}|好几|很多)"
_MEASURE = r"[只条头匹辆台部架艘套栋间把个位对块支张家]"
_AMOUNT = rf"(?:{_NUMBER}{_MEASURE}|[俩仨]|{_MEASURE})"
_DIGITS = r"[\d零〇一二三四五六七八九十]"
_DATE = (
    rf"(?:(?:{_DIGITS}{{2,4}})年)?(?:农历|阴历|阳历|公历)?(?:{_DIGITS}{{1,3}}(?:月|\.|/)"
    rf"|[正腊冬]月)(?:初)?(?:{_DIGITS}{{1,3}}[日号]?)?"
)
TIMES = listed(
    """
    今天 昨天 前天 明天 后天 大后天 今晚 昨晚 明晚 今早 明早 最近 现在 目前 这几天 这两天 这周
    这周末 周末 下周 下周末 下个月 上个月 上周 这个月 刚才 刚刚 今年 明年 去年 早上 上午 中午
    下午 晚上 凌晨 近来 这阵子 这段时间 眼下 此刻
    """
)
_DAY = (
    rf"(?:(?:下下?|这|上|本)?个?(?:周|星期|礼拜)[一二三四五六日天]|{TIMES}|{_DIGITS}{{1,3}}点半?"
    rf"|(?:{_DIGITS}{{1,2}}月)?{_DIGITS}{{1,3}}[号日](?!过?生|出生)|{ISO})"
)
_WHEN = rf"(?P<when>(?:{_DAY}){{1,3}})"
FUTURE = regex(r"明|后天|下[下个周星礼]|今晚|周末")
_STATES = listed(
    """
    累 疲惫 疲倦 困 紧张 焦虑 放松 轻松 开心 高兴 快乐 幸福 难过 伤心 生气 愤怒 郁闷 烦躁 心烦
    无聊 孤独 寂寞 害怕 担心 沮丧 低落 抑郁 迷茫 委屈 失落 绝望 兴奋 激动 平静 崩溃 emo 不舒服
    难受 头疼 头痛 头晕 牙疼 胃疼 肚子疼
    """
)
_ILL = listed("感冒 发烧 失眠 失恋 生病 住院 骨折 中暑 过劳 分手 离婚 怀孕 受伤 确诊")
_FEARED = listed("狗 猫 蛇 虫子 虫 蟑螂 老鼠 蜘蛛 黑 高 水 鬼 打针 打雷 坐飞机 辣 冷 热 痒 生人 血")

# What may stand before the verb and adds nothing; not where it begins another word.
_PADDING = (
    "现在|目前|如今|平时|一直|从小|真的是|真的|真(?!名)|就是|就(?!读|职)|也|还(?![有是])|都|其实|特别|超级"
    "|超(?![市过])|最近|最(?!烦)|挺|蛮|很(?!烦)|非常|十分|比较|更加|更|尤其|可(?![能以是])"
    "|老是|老(?![家婆公师板爸妈大友]|.是我|.负责)|总是|总(?![监裁])|已经|早就|再也|以后|刚刚|刚|才|这个?人|自己(?!的)|一般|经常|常常|确实|实在"
    "|太(?!太)|巨|贼|好(?![友像奇])|向来|从来|始终|今年|终于|又|没事就|有空就|闲着就|是真的|是真"
)
LEAD = regex(
    rf"(?:{_WHEN}|{_PADDING}|嗯+|呜+|嘤+|哦|噢|啊|唉|哎|诶|嘿|哈+|嗨|喂|呃|对了|对|不对|不是|错了"
    r"|你好呀?|您好|大家好|哈喽|说过了呀?|我说过|没错|是的|好的?|行吧?|但是|可是|不过|因为|所以"
    r"|而且|然后|虽然|只是|另外|还有|顺便说一下|顺便|说实话|老实说|坦白说|讲真|话说|告诉你|偷偷告诉你"
    r"|不瞒你说|忘了说|更正一下|纠正一下|记错了|你记错了|其实吧|如你所知|你知道|那个|那|\s)*",
    re.IGNORECASE,
)
_I = "(?:我|本人|俺|咱)"
SUBJECT = regex(rf"(?P<who>{_I}(?:家里?(?!的)|们家)?)(?P<adv>(?:{_WHEN}|{_PADDING}){{0,6}})")
TAIL = regex(
    r"(?:啊|呀|啦|哦|喔|呢|吧|嘛|哈|哟|耶|哒|咯|而已|得很|得不行|得不得了|极了|这样|一下|(?<!\s)\s+){1,6}\Z"
)
# Kept facts are short; few of them have padding.
_KEPT_PADDING = f"(?P<when>{ISO})?(?:现在|目前|很|非常|特别|最|也|一直|已经|比较|今年|刚){{0,2}}"

_PARTS = {
    "any": r"[^，。！？\n]{1,24}?",
    "tail": "[的了]*",
    "few": "(?:很|好|超级?|特别|非常|真的?|太|有点|比较|挺){0,2}",
    "pets": PETS,
    "owned": f"{KIN}|{PETS}|{OWNED}",
    "kin": KIN,
    "person": PERSON,
    "ours": OURS,
    "noun": f"{NOUN}{{2,8}}?",
    "set": _SET,
    "amount": _AMOUNT,
    "date": _DATE,
    "trade": TRADE,
    "digits": _DIGITS,
    "states": _STATES,
    "ill": _ILL,
    "feared": _FEARED,
    "day": _DAY,
}

SHAPES = (
    Shape("kin", "{value}是{who}的{thing}",
          r"(?P<value>{person})是{S}们?(?:家|公司|团队)?的?[^，。是]{0,2}?(?P<thing>{kin}){tail}"),
    Shape("kin", "{value}是{who}的{thing}",
          r"{S}们?(?:公司|团队)?的?(?:[^，。是的]{2,4}的)?(?P<thing>[^，。是的]{0,2}?{kin})是"
          r"(?P<value>[^，。不很最]{1,16}?){tail}"),
    Shape("role", "{value}负责{thing}",
          r"(?P<value>{person})(?:来|在)?负责(?P<thing>[^，。]{2,12}?){tail}"),
    Shape("role", "{value}负责{thing}",
          r"(?P<thing>[^，。我你他她]{2,8}?)(?:现在|目前|都)?(?:是|由|归|让)(?P<value>{person})"
          r"(?:来|在)?(?:负责|管|做|带|写|跟){tail}"),
    Shape("standing", "{who}要求：{thing}", r"{S}要求：(?P<thing>.{1,80})", "wish"),
    Shape("called", "{who}的{pet}叫{value}",
          r"{S}们?家?(?:的|有|养了?)?(?:那?[只条头匹]|这[只条]|{amount})?"
          r"(?P<pet>[^，。叫名有养只条是的家]{0,4}?(?P<thing>{pets}|{kin}))(?:的?名字(?:是|叫做?)"
          r"|叫做?)(?P<value>\w{1,6}?){tail}"),
    Shape("name", "{who}叫{value}",
          r"{S}(?:叫做?|名叫|的?(?:名字|全名|真名|本名|大名)(?:是|叫做?|就是))"
          r"(?P<value>[\w·]{1,16}){tail}"),
    Shape("name", "{who}叫{value}",
          r"{S}{adv}改名(?:字)?了?(?:叫做?|为|成)(?P<value>[\w·]{1,8}?){tail}"),
    Shape("surname", "{who}姓{value}", r"{S}姓(?P<value>\w{1,2}){tail}"),
    Shape("birthday", "{who}的生日是{value}",
          r"{S}的?(?:农历|阴历)?生日(?:是|在|就在|就是|就|为)?(?:每年)?的?(?P<value>{date}){tail}"),
    Shape("birthday", "{who}的生日是{value}",
          r"{S}{adv}(?:是|在)?(?P<value>{date})(?:出生|生|过生日|生日){tail}"),
    Shape("age", "{who}{value}岁",
          r"{S}{adv}(?:刚满|快满|满)?(?P<value>\d{1,3}|[一二三四五六七八九十百两]{1,5})周?岁(?:半)"
          r"?{tail}"),
    Shape("age", "{who}{value}岁",
          r"{S}{adv}(?P<value>[1-9]\d|[一二三四五六七八九]?十[一二三四五六七八九]?)(?P<bare>了?)"),
    Shape("home", "{who}住在{value}",
          r"{S}{adv}在(?P<value>{any})(?:生活|居住|定居|住)(?:了[^，。]{1,4})?{tail}"),
    Shape("home", "{who}住在{value}",
          r"{S}{house}人?{adv}(?:(?:住|定居)(?:在)?(?![院校得不了进过哪着口宿手下几])|(?:生活|居住"
          r"|常住|落户)在)(?P<value>{any})(?:那边|这边)?{tail}"),
    Shape("home", "{who}住在{value}",
          r"{S}{adv}(?:已经)?(?P<moved>搬)(?:家)?(?:到|去|来|进|回)了?(?P<value>{any})(?:那边|这边"
          r"|来|去)?(?:住|生活|定居)?{tail}"),
    Shape("home", "{who}住在{value}",
          r"{S}{adv}从{any}(?P<moved>搬)(?:到|去|来|回)了?(?P<value>{any}){tail}"),
    Shape("origin", "{who}是{value}人",
          r"{S}{adv}是(?:土生土长的|地道的|正宗的)?(?P<value>\w{2,6}?)(?P<folk>人){tail}"),
    Shape("origin", "{who}的老家在{value}",
          r"{S}的?(?:老家|家乡|祖籍)(?:是|在|就在)(?P<value>{any})(?:那边|这边)?{tail}"),
    Shape("origin", "{who}来自{value}", r"{S}{adv}来自(?P<value>{any}){tail}"),
    Shape("origin", "{who}在{value}长大",
          r"{S}{adv}是?(?:在|从小在)(?P<value>{any})(?:长大|出生){tail}"),
    Shape("employer", "{who}在{value}上班",
          r"{S}{adv}在(?P<value>{any})(?:上班|工作|任职|供职|打工|实习){tail}"),
    Shape("occupation", "{who}在{place}做{value}",
          r"{S}{adv}在(?P<place>{any})(?:做|当|担任)(?:一?[个名位])?"
          r"(?P<value>[^，。了着过些]{2,7}?){tail}"),
    Shape("employer", "{who}在{value}上班",
          r"{S}{adv}(?:从{any})?(?:跳槽|换工作|调)(?:到|去)了?(?P<value>{any})(?:上班|工作)?{tail}"),
    Shape("employer", "{who}{out}了",
          r"{S}{adv}(?P<out>(?:从(?P<noun>{any}))?(?:辞职|失业|退休|离职|被裁员?|被开除|下岗))"
          r"了{tail}", "none"),
    Shape("occupation", "{who}是{value}", r"{S}{adv}是(?:一?[个名位])?(?P<value>{trade}){tail}"),
    Shape("occupation", "{who}的工作是{value}",
          r"{S}的?(?:工作|职业|本职工作|主业)(?:就)?是(?:一?[个名位])?(?P<value>{any}){tail}"),
    Shape("occupation", "{who}是做{value}的",
          r"{S}{adv}(?:是)?(?:做|搞|干)(?P<value>{any})(?:工作|行业|这行)?的"),
    Shape("occupation", "{who}开了一家{value}",
          r"{S}{adv}(?:自己)?开了?(?:一?[个家间])(?P<value>[^，。]{0,8}?(?:店|公司|餐厅|饭馆|咖啡馆"
          r"|工作室|诊所|民宿|厂)){tail}"),
    Shape("school", "{who}在{value}读书",
          r"{S}{adv}在(?P<value>{any})(?:读书|上学|念书|上大学|留学|就读|求学"
          r"|读[本研博大高初][^，。]{0,3}){tail}"),
    Shape("school", "{who}就读于{value}", r"{S}{adv}(?:就读于|考上了?)(?P<value>{any}){tail}"),
    Shape("grade", "{who}读{value}",
          r"{S}{adv}(?:是|读|上|念|在读)?(?P<value>(?:高|初|大|研|博)[一二三四五]|(?:小学|初中"
          r"|高中)?[一二三四五六]年级)(?:的?学生)?{tail}"),
    Shape("major", "{who}是学{value}的", r"{S}{adv}(?:是)?学(?P<value>\w{1,8}?)(?:专业)?的"),
    Shape("major", "{who}学的是{value}",
          r"{S}{adv}(?:大学|本科|硕士|博士)?[学念读]的是(?P<value>{any}){tail}"),
    Shape("major", "{who}的专业是{value}", r"{S}的?专业是(?P<value>{any}){tail}"),
    Shape("diet", "{who}吃素",
          r"{S}{adv}(?:是(?:个)?)?(?P<value>吃素|素食者|素食主义者?|纯素|清真){tail}"),
    Shape("health", "{who}对{thing}过敏",
          r"{S}{adv}对(?P<thing>{any})(?:严重)?过敏{tail}", "allergic"),
    Shape("health", "{who}对{thing}过敏",
          r"{S}{adv}(?P<thing>(?!有点|皮肤|鼻子|脸|身上|眼睛|嗓子)[^\W对是没不]{1,5}?)过敏(?!了)"
          r"{tail}", "allergic"),
    Shape("health", "{who}{thing}",
          r"{S}{adv}(?:是个?|有点|有些)?(?P<thing>乳糖不耐受?|近视|色盲|糖尿病|左撇子|恐高"
          r"|晕[车船机]|路痴|社恐){tail}", "has"),
    Shape("favourite", "{who}最喜欢的{thing}是{value}",
          r"{S}{adv}(?:最)?(?:喜欢|爱|喜爱|中意)(?:吃|喝|看|玩|听|去)?的"
          r"(?P<thing>[^\W不没也都]{1,6}?)(?:是|就是|还是|当然是|一直是)(?P<value>{any}){tail}"),
    Shape("taste", "{who}不喜欢{thing}",
          r"{S}{adv}(?P<verb>(?:不(?:是)?(?:太|怎么|大|很|咋|那么)?|没那么|从来不|再也不)(?:喜欢"
          r"|爱))(?![上过的情心])(?P<thing>{any}){tail}", "dislikes"),
    Shape("taste", "{who}{verb}{thing}{over}",
          r"{S}{adv}(?P<verb>(?:从来?)?不吃|(?:从来?)?不喝|(?:从来?)?不抽|不(?:太|大|怎么)?能吃|吃不了|吃不惯"
          r"|喝不了|喝不惯|戒了?)(?P<thing>(?!太|得|完|[一二两三半几\d])[^，。了过]{1,10}?)的?"
          r"(?P<over>了?)", "dislikes"),
    Shape("taste", "{who}{verb}{thing}",
          r"{S}{adv}(?P<verb>讨厌|厌恶|反感|受不了|最烦|很烦|痛恨|嫌弃)(?P<thing>{any}){tail}",
          "dislikes"),
    Shape("taste", "{who}怕{thing}", r"{S}{adv}(?:害怕|怕)(?P<thing>{feared}){tail}", "dislikes"),
    Shape("taste", "{who}{verb}{thing}",
          r"{S}{adv}(?P<verb>喜欢|喜爱|热爱|酷爱|钟爱|偏爱|痴迷于?|迷上了?|爱上了?|沉迷于?|爱"
          r"(?![人心好惜情死慕上]))(?![上过的])(?P<thing>{any}){tail}", "likes"),
    Shape("taste", "{who}对{thing}感兴趣",
          r"{S}{adv}对(?P<thing>{any})[也都还]?(?:越来越|很|非常|特别|比较|挺|超|蛮)?(?:感兴趣"
          r"|有兴趣|着迷){tail}", "likes"),
    Shape("taste", "{who}的爱好是{thing}",
          r"{S}的?(?:爱好|兴趣)(?:就)?是(?P<thing>{any}){tail}", "likes"),
    Shape("taste", "{who}是{thing}的粉丝",
          r"{S}{adv}是(?P<thing>[^，。不]{2,12}?)的?(?:忠实|铁杆|死忠|老|铁)?(?:粉丝|粉|球迷|歌迷"
          r"|影迷|书迷){tail}", "likes"),
    Shape("possession", "{who}有{noun}",
          r"{S}{house}{adv}(?P<verb>有|养着?了?|买了?|入手了?|提了|领养了?|收养了?|捡了?)"
          r"(?P<noun>{amount}[^，。]{0,8}?(?P<thing>{owned})){tail}", "has"),
    Shape("possession", "{who}养{noun}",
          r"{S}{house}{adv}养了?(?P<noun>(?:{amount})?[^，。]{0,6}?(?P<thing>{pets})){tail}",
          "has"),
    Shape("possession", "{who}开{noun}",
          r"{S}开(?:的是|的车是|着?(?=一?辆))(?:一?辆)?"
          r"(?P<noun>(?P<thing>[^，。着了]{2,12}?)){tail}", "has"),
    Shape("possession", "{who}的{thing}是{noun}",
          r"{S}的?(?P<thing>车|电脑|手机|相机)是(?P<noun>[^，。]{2,14}?){tail}", "has"),
    Shape("possession", "{who}的{thing}{value}了",
          r"{S}家?的?(?:那?[只条头匹辆台]|这[只条辆台])?(?P<thing>{owned})(?:{day})?(?P<value>死"
          r"|去世|走丢|丢|跑丢|被偷|报废|卖掉|卖)了{tail}", "ended"),
    Shape("possession", "{who}把{thing}{value}了",
          r"{S}{adv}把(?:我的|家里的)?(?:那|这)?(?:{amount})?(?P<thing>{owned})(?P<value>卖掉|卖"
          r"|送人|扔|弄丢|丢|送走|还给前任)了{tail}", "ended"),
    Shape("state", "{who}{when}很{thing}",
          r"{S}{adv}(?:有点儿?|有些|感觉|感到|觉得|变得|越来越){0,2}(?P<thing>{states})(?:多|死|坏"
          r"|哭|极|得不行|得要命|爆)?{tail}", "is"),
    Shape("state", "{who}{when}{thing}了", r"{S}{adv}(?:又)?(?P<thing>{ill})了{tail}", "is"),
    Shape("state", "{who}{when}心情{thing}",
          r"{S}{adv}心情{few}(?P<thing>好|差|糟糕|低落|不好|不错|很差|一般){tail}", "is"),
    Shape("state", "{who}{when}压力大", r"{S}{adv}(?P<thing>压力){few}大{tail}", "is"),
    Shape("plan", "{who}{when}要{thing}",
          r"{S}(?P<when>(?:{day}){1,3})?(?:要|得|还得|就要|必须要?)(?P<thing>(?!是)[^，。]{2,16}?)"
          r"{tail}", "will"),
    Shape("ours", "{who}的{thing}{verb}{value}",
          r"{S}们?(?:家|这个)?的?(?P<thing>(?:{noun}的)?{ours}|(?<=的){noun})(?:现在|都|主要|大概|暂?定)"
          r"?(?P<verb>是|叫|一共有?|有|在|为|用|做|卖|主营|{set}|(?=[\d一二两三四五六七八九十A-Z]))"
          r"(?P<value>[^，。]{1,24}?){tail}"),
    Shape("ours", "{thing}{verb}{value}",
          r"(?:[这本]个?)?(?P<thing>(?:{noun}(?:的|那边的?))?{ours}里?)(?:现在|都|主要|大概|暂?定|我们)?"
          r"(?P<verb>是|叫|一共有?|有|在|为|用|做|卖|主营|{set})(?P<value>[^，。]{1,24}?){tail}"),
    Shape("ours", "{thing}{verb}{value}",
          r"(?P<thing>(?P<any>{noun}))(?P<verb>{set})(?P<value>[^，。]{1,24}?){tail}"),
    Shape("plan", "{who}{when}{thing}", rf"{{S}}(?P<when>{ISO})(?P<thing>[^，。]{{2,40}})", "will"),
)  # fmt: skip
# Said only in the first person.
_CALLED = Shape("nickname", "{who}的昵称是{value}",
    r"(?:大家|朋友们?|同学们?|同事们?|家里人|别人|人家|你|您)?(?:一般|平时)?(?:都|可以|也可以|就|直接|也)?是?"
    r"(?:叫|喊|称呼)我(?P<value>[\w·]{1,8}?)(?:就好|就行|就可以|好|吧)?{tail}")  # fmt: skip
OPENS = regex(
    f"{_I}|.{{0,12}}(?:叫|喊|称呼|是)我|.{{0,16}}(?:负责|[由归])|[^，。]{{0,10}}{OURS}|{NOUN}{{2,8}}?{_SET}"
    "|最[后终]|团队|大家|会上|决定|商[定量]"
)
_FIRST = {"S": _I, "adv": "", "house": "(?:家里?|们家)?"}
_THIRD = {
    "S": rf"(?P<who>[^\s，。：:的]{{1,16}}的(?:{KIN}[{HAN}]{{0,3}}?|{PETS})|主人|用户"
    r"|[^\s，。：:的]{1,16}?|[A-Z][\w .-]{0,24}?\s?)",
    "adv": _KEPT_PADDING,
    "house": "家?里?",
}


@cache
def spoken() -> Reading:
    """Compile the shapes for the first person, at first use."""
    return compiled((*SHAPES, _CALLED), _FIRST | _PARTS)


@cache
def stored() -> Reading:
    """Compile the shapes for a name, at first use."""
    return compiled(SHAPES, _THIRD | _PARTS)


DENIED = regex(
    r"(?P<before>我[^，。不没]{0,8}?)(?P<not>不|没)(?P<verb>是|叫|姓|在|住|有|养)"
    r"(?P<rest>.{1,24})\Z"
)
PROMISE = regex(
    rf"(?:我|本人)(?:{_PADDING}|向你|跟你|和你|可以){{0,3}}(?:答应过?(?:你|您)?|保证|发誓|承诺|跟你"
    rf"(?:说好|约好|约定)了?)(?P<what>(?![他她它了过])(?!(?:我|这|那)?(?:都|绝对|真的?|肯定)?(?:没"
    rf"|是|不是)).*)\Z"
)
OFFER = regex(
    rf"(?:{_WHEN})?我(?:{_PADDING}|一定|到时候?|也|就|{_DAY}){{0,4}}会"
    rf"(?P<what>.{{0,16}}?(?:提醒|叫)(?:你|您).*)\Z"
)
