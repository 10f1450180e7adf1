"""Fields of life: a fact and a message that have words of one may speak of one matter."""

import re

from wangchuan.language.facts import shapes_en, shapes_zh
from wangchuan.patterns import regex

FIELDS = tuple(
    regex(field, re.IGNORECASE)
    for field in (
        r"住|搬|房|租|宿舍|小区|楼|老家|\b(?:liv(?:e|es|ing)|apartment|flat|house|rents?|moved"
        r"|moving"
        r"|relocated|place|dorms?|landlord|town|suburb|campus|lease|parents)\b",
        r"上班|工作|公司|职|辞|裁|跳槽|老板|转[行岗]|创业|退休|加班|工资|做|干|\b(?:works?|worked"
        r"|working|job|office|company|boss|laid off|fired|quit|promoted|developer|engineer"
        r"|manager|team|careers?|shift"
        r"|employed|freelance|retired|salary|raise|reports?|schedule)\b",
        r"学|校|读|年级|毕业|专业|考|研[一二三]|大[一二三四]|高[一二三]|\b(?:school|college"
        r"|university"
        r"|student|majors?|degree|grade|graduated|stud(?:y|ies|ying)|class|phd|lessons?|junior)\b",
        r"单身|婚|分手|对象|[男女]朋友|老[婆公]|领证|\b(?:single|married|wife|husband|girlfriend"
        r"|boyfriend|dating|seeing|divorced|engaged|broke up|separated)\b",
        r"吃|喝|素|肉|酒|茶|咖啡|糖|饭|菜|辣|\b(?:eats?|eating|drinks?|drinking|vegan|vegetarian"
        r"|coffee|tea|meat|fish|diet|milk|cook\w{0,3}|food|meals?|orders?|menu)\b",
        r"车|地铁|公交|骑|通勤|飞|机票|航班|高铁|\b(?:cars?|drives?|driving|bus|e?bike|train|subway"
        r"|flights?|fl(?:y|ies|ying)|tickets?|trip|commute|truck)\b",
        r"手机|电脑|平板|安卓|苹果|系统|\b(?:i?phones?|android|laptop|mac\w{0,6}|pc|computer"
        r"|windows)\b",
        r"跑|健身|游泳|球|瑜伽|运动|\b(?:runs?|running|gym|swim\w{0,4}|yoga|plays?|workout|knee)\b",
        r"睡|起床|失眠|熬夜|\b(?:sleeps?|asleep|wakes?|gets? up|bed|morning|night)\b",
        r"孩子|儿子|女儿|闺女|宝宝|娃|胎|弟|妹|哥|姐|独生|\b(?:kids?|child(?:ren)?|son|daughter"
        r"|brothers?|sisters?|twins?|born|baby|boy|girl|expecting|step\w{3,8}|family)\b",
        rf"{shapes_zh.PETS}|宠物|\b(?:(?:{shapes_en.PETS})s?|pets?|stray)\b",
        r"周[一二三四五六日末]|\d{4}-\d\d|推迟|提前|延期|\b(?:(?:mon|tues|wednes|thurs|fri"
        r"|satur|sun)day|due|deadline|launch\w{0,3}|schedule\w?|appointment|meeting|weeks?)s?\b",
        r"过敏|病|医|药|血|烟|抽|\b(?:allerg\w{1,3}|doctor|meds?|mg|dose|smok\w{1,3}"
        r"|cigarettes?)\b",
        r"看|追|剧|书|玩|游戏|听|\b(?:read(?:ing)?|watch\w{0,3}|show|series|book|game"
        r"|listen\w{0,3})\b",
        r"数据库|缓存|服务器|代码|部署|云|仓库|文档|接口|框架|[前后]端|\b(?:database|cache|servers?"
        r"|host\w{0,3}|deploy\w{0,4}|repo|docs|backend|frontend|cloud|framework|uses|using)\b",
        r"预算|工资|价|租|块|元|万|挣|\b(?:budget|rent|rates?|charges?|price|costs?|salary"
        r"|raise)\b",
    )
)
