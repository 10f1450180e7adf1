"""Words for one kind of thing that people are asked about, in both languages.

Who asks for a job means a fact that says "works as". A row is one kind; it is no dictionary: what
is named more exactly than by its kind is found by its own words, or by meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from wangchuan.language.terms import terms

# People are kinds of their own: a brother is no sister. Of them nothing is told unless it is known.
PEOPLE = """
partner spouse husband boyfriend fiancé married 爱人 对象 丈夫 老公 先生 男朋友 男友
partner spouse wife girlfriend fiancée married 爱人 对象 妻子 老婆 太太 媳妇 女朋友 女友
mother mum mom 妈妈 母亲 我妈
father dad 爸爸 父亲 我爸
child children kid son daughter 孩子 儿子 女儿 小孩
brother sibling 哥哥 弟弟 兄弟
sister sibling 姐姐 妹妹 姐妹
boss manager supervisor 领导 老板 上司 主管
friend 朋友 好友 闺蜜
neighbour neighbor 邻居 隔壁
colleague coworker teammate 同事 队友
roommate flatmate housemate 室友 舍友
grandmother grandma gran granny nan 奶奶 外婆 姥姥
grandfather grandpa grandad 爷爷 外公 姥爷
uncle 叔叔 舅舅 伯伯 姑父 姨父
aunt 阿姨 姑姑 姨妈 舅妈 婶婶
cousin 表哥 表弟 表姐 表妹 堂哥 堂弟 堂姐 堂妹
nephew 外甥 侄子
niece 外甥女 侄女
"""
KINDS = """
work job profession occupation career employer company firm office 工作 职业 上班 公司 职位
live home city town address flat apartment house place 住 住在 家 家里 城市 地址 老家 搬家 房子 地方
rent landlord flat 房租 房东 租金 租
birthday born birth age old date 生日 出生 岁 年龄 多大 几岁 日期 几月 月份
name called 名字 叫 姓 称呼 姓名
pet dog cat puppy kitten bird rabbit animal 宠物 狗 猫 鸟 养 小狗 小猫
pet bird parrot hamster turtle fish horse 宠物 鸟 鹦鹉 兔子 仓鼠 乌龟 金鱼 养
family relative 家人 亲戚 家里
food eat dish meal cook dinner lunch breakfast restaurant diet 吃 东西 菜 饭 口味 饮食 做饭 晚饭
allergic allergy intolerant eat food medicine 过敏 忌口 不能吃 避开 吃 药
drink alcohol beer wine pub 喝 酒 喝酒 啤酒 红酒
drink coffee tea brew cup 喝 咖啡 茶 奶茶 喝茶
hobby sport play time weekend interest exercise 爱好 运动 兴趣 业余 周末 锻炼 打 玩 习惯
sport exercise swim run cycling climb tennis football yoga gym hiking
运动 锻炼 跑步 游泳 攀岩 健身 羽毛球 网球 足球 篮球 爬山 瑜伽
instrument music song sing play 乐器 音乐 唱歌 弹
instrument piano guitar violin drum flute cello 乐器 钢琴 吉他 小提琴 鼓 笛子 长笛
language learn study course class lesson evening school 语言 学 学习 课 课程 上课 学校 留学
car drive vehicle model ride van motorbike scooter 车 开车 汽车 开 座驾 摩托车 电动车
travel trip fly flight airport holiday vacation 旅行 旅游 出国 飞 机票 出差 假期 留学
health doctor hospital illness disease medicine medication pill 身体 健康 医生 医院 病 生病 药
afraid fear scared 怕 害怕 恐惧
favourite favorite prefer love enjoy 喜欢 爱 最爱 偏好 最喜欢
hate dislike stand 讨厌 不喜欢 受不了 反感
money cost price pay salary income owe 钱 费用 花 价格 工资 收入 欠
book read novel author genre 书 读 看书 小说 作者
sleep bed night day nap 睡 睡觉 睡眠 起床 夜里 晚上
answer reply sentence unit 回答 回复 单位 句子
wedding marry married 结婚 婚礼 婚
loan mortgage bank house 贷款 房贷 银行 房子
key lock door 钥匙 锁 门 开门
deadline due deliver delivery finish 截止 到期 交付 期限
choose chose chosen decide decided pick picked select settle agreed 选 选择 决定 选了 选定 选用
server host hosted hosting deploy deployed cloud 服务器 部署 机房 托管
launch release live ship 上线 发布
responsible charge lead leads owner handles 负责 负责人 对接
plan year appointment 计划 打算 安排 明年 今年
colour color 颜色
"""
# Words that may stand for one another where people ask in others than they told in. A word stands
# in every row whose things it may mean.
SAME = """
begin start open opening kick launch 开始 开张 开业 开门 开幕 启动 动工 营业
end ends finish close until last 结束 完工 收尾 为止
launch release ship live publish rollout 上线 发布 推出 上架
deadline due latest submit deliver delivery hand 截止 最晚 期限 交付 提交 上交
postpone delay reschedule later shift 推迟 延期 改期 改到 往后
drop cut skip scrap remove omit exclude cancel leave 砍 砍掉 去掉 放弃 取消 不做 不要 删掉 作罢
change switch replace swap instead 换 换成 改成 替换 更换 改用
appointment visit booking reservation book slot 预约 约 挂号 预订
meeting call conference session 会议 开会 例会
problem issue bug fault trouble wrong error 问题 故障 毛病 麻烦 出错
cause reason trigger set 原因 引起 导致 因为
repair mend fix 修 修理 维修 修好
inspection inspect check examine audit 检查 验收 检验 审核 年检 体检
permit permission licence license approve approval allow 批准 许可 执照 允许 批下来
budget funds funding fund grant money 预算 经费 资金 拨款
price cost fee charge pay paid bill expensive ticket entry 价格 价钱 费用 收费 报价 门票 花费
buy bought purchase order 买 购买 购入 下单 订下
sell sold sale 卖 卖掉 出售 转让
owe debt lend lent loan borrow 欠 借 贷款 借钱
donate donation charity collect box 捐 捐款 募捐 公益
customer client guest visitor 客户 顾客 客人 游客
partner cofounder investor 合伙 合伙人 合作 搭档
journalist reporter newspaper paper press article magazine 记者 报社 报纸 媒体 报道
builder contractor renovation renovate construction 装修 施工 工程 翻修 师傅
cleaner cleaning clean 打扫 保洁 清洁 卫生
promote promotion marketing publicity advertise advert 推广 宣传 广告 营销
hire recruit employ job vacancy 招 招聘 招人 录用
quit resign leave leaving 离职 辞职 跳槽
baby newborn pregnant expecting 宝宝 婴儿 怀孕 预产期
medicine medication drug pill tablet prescription antibiotic 药 药物 吃药 服药 抗生素
allergic allergy intolerant react 过敏 不能吃 不能碰
surgery operation operate 手术 开刀
tooth teeth dentist dental crown filling 牙 牙齿 牙医 牙科 补牙
headache migraine 头疼 头痛 偏头痛
stomach belly gut 胃 肚子 肠胃
spine disc lumbar 腰 腰椎 椎间盘 后背
eye glasses vision optician sight 眼睛 眼镜 视力
pain hurt ache sore 疼 痛 难受
ill sick unwell illness diagnosis 生病 得病 病 诊断
hospital clinic ward 医院 住院 门诊 病房
room bedroom suite 房间 客房 卧室
move moving relocate 搬 搬家 搬到 搬去
stay hotel hostel cottage cabin lodge accommodation sleep 住 住宿 酒店 民宿 宾馆 旅馆
heating heater radiator boiler 暖气 取暖 供暖
holiday vacation trip travel journey easter christmas 假期 度假 长假 旅行 旅游 国庆 春节 出游
flight fly plane airline 航班 机票 飞机 飞
train railway rail sleeper 火车 高铁 动车
car vehicle van truck 车 汽车 轿车 面包车
school kindergarten nursery college 学校 小学 中学 幼儿园 上学 入学
course class lesson workshop training 课 课程 培训 上课
exam test 考试 考 测验
present gift 礼物 送给 买给
photo photograph picture image shot 照片 图片 相片 影像
exhibition exhibit show display 展览 展出 画展
party celebration reception 聚会 派对 庆祝 宴会
wedding marry married engagement 婚礼 结婚 订婚
invite invitation 邀请 请柬 请帖
title headline 标题 题目 名称
weather rain storm snow wind 天气 下雨 刮风 暴雨 下雪
electricity power outage blackout 停电 没电 断电 电力
backend server 后端 服务端 服务器
frontend interface screen page 前端 界面 页面
feature function functionality 功能 模块
designer design layout logo sign 设计 招牌 标志
format file document export 格式 文件 文档 导出
password code passcode pin 密码 口令
emergency fallback backup fail failure 备用 应急 预案 出故障
test trial pilot beta try 测试 试用 试运行
breakfast brunch 早餐 早饭
lunch 午饭 午餐
dinner supper 晚饭 晚餐
alcohol wine beer drink booze 酒 喝酒 啤酒 红酒
fruit 水果 芒果 苹果 香蕉
meat vegetarian vegan 肉 吃素 素食
paint colour color shade 颜色 刷 漆
"""


@lru_cache(1)
def _kinds() -> Mapping[str, frozenset[str]]:
    return _by_term(PEOPLE + KINDS)


def _by_term(rows: str) -> Mapping[str, frozenset[str]]:
    """Return the terms of every row that a term stands in."""
    found: dict[str, frozenset[str]] = {}
    for row in rows.strip().splitlines():
        kind = frozenset(term for word in row.split() for term in terms(word))
        for term in kind:
            found[term] = found.get(term, frozenset()) | kind
    return found


def kin(term: str) -> frozenset[str]:
    """Return the terms for the same kind of thing, the term itself among them if it is one."""
    return _kinds().get(term, frozenset())


@lru_cache(1)
def _same() -> Mapping[str, frozenset[str]]:
    return _by_term(SAME)


def alike(term: str) -> frozenset[str]:
    """Return the terms that may stand for one where it was never said.

    Of those of its kind only whole words: a character of it begins many others.
    """
    of_kind = frozenset(other for other in kin(term) if len(other) > 1)
    return of_kind | _same().get(term, frozenset())


@lru_cache(1)
def _general() -> frozenset[str]:
    return frozenset(term for word in KINDS.split() for term in terms(word))


def is_general(term: str) -> bool:
    """Tell whether a term names a kind of thing that is asked about, and nobody in particular."""
    return term in _general()


def is_person(term: str) -> bool:
    """Tell whether a term is a word for somebody near, which has others: "mother" and "mum"."""
    return bool(kin(term)) and term not in _general()
