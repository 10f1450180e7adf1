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
partner wife husband spouse boyfriend girlfriend fiancé 爱人 丈夫 妻子 老公 老婆 对象 男朋友 女朋友
mother mum mom 妈妈 母亲 我妈
father dad 爸爸 父亲 我爸
child children kid son daughter 孩子 儿子 女儿 小孩
brother 哥哥 弟弟 兄弟
sister 姐姐 妹妹 姐妹
boss manager supervisor 领导 老板 上司 主管
friend 朋友 好友 闺蜜
"""
KINDS = """
work job profession occupation career employer company firm office 工作 职业 上班 公司 职位
live home city town address flat apartment house place 住 住在 家 家里 城市 地址 老家 搬家 房子 地方
rent landlord flat 房租 房东 租金 租
birthday born birth age old date 生日 出生 岁 年龄 多大 几岁 日期 几月 月份
name called 名字 叫 姓 称呼 姓名
pet dog cat puppy kitten bird rabbit animal 宠物 狗 猫 鸟 养 小狗 小猫
family relative 家人 亲戚 家里
food eat dish meal cook dinner lunch breakfast restaurant diet 吃 东西 菜 饭 口味 饮食 做饭 晚饭
allergic allergy 过敏 忌口 不能吃
drink alcohol beer wine pub 喝 酒 喝酒 啤酒 红酒
hobby sport play time weekend interest exercise 爱好 运动 兴趣 业余 周末 锻炼 打 玩 习惯
instrument music song sing play 乐器 音乐 唱歌 弹
language learn study course class lesson evening school 语言 学 学习 课 课程 上课 学校 留学
car drive vehicle model 车 开车 汽车 开
travel trip fly flight airport holiday vacation 旅行 旅游 出国 飞 机票 出差 假期 留学
health doctor hospital illness disease medicine medication pill 身体 健康 医生 医院 病 生病 药
afraid fear scared 怕 害怕 恐惧
favourite favorite prefer love enjoy 喜欢 爱 最爱 偏好 最喜欢
hate dislike stand 讨厌 不喜欢 受不了 反感
money cost price pay salary income owe 钱 费用 花 价格 工资 收入 欠
sleep bed night day nap 睡 睡觉 睡眠 起床 夜里 晚上
answer reply sentence unit 回答 回复 单位 句子
wedding marry married 结婚 婚礼 婚
deadline due deliver delivery finish 截止 到期 交付 期限
choose chose chosen decide decided pick picked select settle agreed 选 选择 决定 选了 选定 选用
server host hosted hosting deploy deployed cloud 服务器 部署 机房 托管
launch release live ship 上线 发布
responsible charge lead leads owner handles 负责 负责人 对接
plan year appointment 计划 打算 安排 明年 今年
colour color 颜色
"""


@lru_cache(1)
def _kinds() -> Mapping[str, frozenset[str]]:
    """Return the terms of every row that a term stands in."""
    found: dict[str, frozenset[str]] = {}
    for row in (PEOPLE + KINDS).strip().splitlines():
        kind = frozenset(term for word in row.split() for term in terms(word))
        for term in kind:
            found[term] = found.get(term, frozenset()) | kind
    return found


def kin(term: str) -> frozenset[str]:
    """Return the terms for the same kind of thing, the term itself among them if it is one."""
    return _kinds().get(term, frozenset())


@lru_cache(1)
def _general() -> frozenset[str]:
    return frozenset(term for word in KINDS.split() for term in terms(word))


def is_general(term: str) -> bool:
    """Tell whether a term names a kind of thing that is asked about, and nobody in particular."""
    return term in _general()


def is_person(term: str) -> bool:
    """Tell whether a term is a word for somebody near, which has others: "mother" and "mum"."""
    return bool(kin(term)) and term not in _general()
