"""The two conversations of the demo, invented for it.

Each begins with one long talk, goes on in short exchanges, and then everyday life follows. A
speaker is written before the colon: U for the user, A for the agent.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Story:
    """A conversation, and what to ask about it."""

    agent: str
    language: str
    first_talk: str
    exchanges: str
    everyday: str
    question: tuple[str, ...]  # keywords of the first recall
    later: tuple[str, ...]  # keywords to try when much time has passed


def spoken(text: str) -> list[dict[str, str]]:
    """Return the lines of a conversation as messages."""
    roles = {"U": "user", "A": "assistant"}
    lines = [line.strip().partition(": ") for line in text.strip().splitlines() if line.strip()]
    return [{"role": roles[speaker], "content": said} for speaker, _, said in lines]


XIAOCHUAN = Story(
    agent="小川",
    language="Chinese",
    question=("登录",),
    later=("妈妈", "民宿", "登录"),
    first_talk="""
        U: 你好小川，我叫林悦，在杭州一家做在线教育的公司写后端。
        A: 你好林悦，很高兴认识你，有什么想让我记住的尽管说。
        U: 我家有一只橘猫叫年糕，三岁，特别怕打雷。
        A: 记住了，年糕怕打雷，下雨天要多陪陪它。
        U: 它最近挑食，只肯吃三文鱼味的罐头，鸡肉味的闻一下就走开。
        A: 可以把两种罐头拌在一起，慢慢换过来。
        U: 上周带它去宠物医院打了疫苗，医生说有点超重，要控制在五公斤以内。
        A: 那每天的罐头减到一罐半吧。
        U: 十月我打算和妈妈去大理玩五天，她一直想看洱海。
        A: 十月的洱海很舒服，早晚温差大，记得给妈妈带一件厚外套。
        U: 我们住在双廊的一家民宿，老板姓杨，说可以到高铁站接我们。
        A: 好的，双廊的民宿，杨老板接站。
        U: 妈妈膝盖不好，苍山就坐索道上去，不爬了。
        A: 明白，苍山坐索道，行程排得松一点。
    """,
    exchanges="""
        U: 说正事，公司的登录模块这个月要重写，现在用的是服务器会话。
        A: 重写登录模块之前，先把现在的痛点列出来会比较稳。
        U: 痛点是会话存在单台 Redis 里，上个月它宕机，全站用户都被踢下线了。
        A: 那可以考虑无状态的令牌，例如 JWT，登录状态就不依赖 Redis 了。
        U: 我们讨论过了，决定登录模块用 JWT，访问令牌十五分钟过期。
        A: 好，决定用 JWT，访问令牌十五分钟，那刷新令牌打算放在哪里？
        U: 刷新令牌放在 HttpOnly 的 Cookie 里，七天过期，每次使用都轮换。
        A: 轮换很好，另外建议记录令牌家族，一旦发现重放就整族作废。
        U: 同意，赵工负责令牌轮换，我负责登录接口和密码哈希。
        A: 密码哈希建议用 Argon2id，参数按登录耗时三百毫秒来调。
        U: 测试环境周三上线，登录接口的压测目标是每秒两千次。
        A: 记下了，周三上测试环境，登录压测目标每秒两千次。
        U: 因为审计要求，登录失败五次要锁定账号十分钟。
        A: 锁定要按账号加来源地址一起算，不然容易被人恶意锁号。
        U: 有道理，就这么办，登录失败的计数放在数据库里。
        A: 好的，失败计数放数据库，锁定十分钟。
    """,
    everyday="""
        U: 今天杭州下了一整天的雨，地铁里全是湿伞的味道。
        U: 中午和同事去吃了片儿川，雪菜放得有点咸。
        U: 楼下新开了一家咖啡店，拿铁第二杯半价。
        U: 晚上跑了五公里，配速六分二十秒。
        U: 刚看完《漫长的季节》，结局让我坐了很久没动。
        U: 周报写完了，这周一共评审了十一个合并请求。
        U: 耳机左边没声音了，打算拿去换新。
        U: 西湖边的桂花开了，整条路都是香的。
        U: 早上电梯坏了，爬了十二层楼。
        U: 买了两张周末的话剧票，座位在第三排。
        U: 同事送了我一盆薄荷，放在显示器旁边。
        U: 晚饭做了番茄牛腩，炖了两个小时。
        U: 新同事小孟今天入职，坐在我对面。
        U: 快递放在驿站三天了，今天总算取了回来。
        U: 羽毛球打了两小时，胳膊抬不起来。
        U: 把旧手机卖了六百块。
        U: 读完了《置身事内》的前三章，做了些笔记。
        U: 公司体检约在下周四上午，要空腹。
        U: 今天会议太多，代码一行没写。
        U: 在菜场买到了很新鲜的茭白。
        U: 键盘的空格键有点卡，拆开清理了一下。
        U: 表弟考上了研究生，家里人都很高兴。
        U: 傍晚的晚霞是紫色的，拍了好几张照片。
        U: 理发师给我剪得太短了。
        U: 房东说下个月要来换热水器。
        U: 第一次试着烤面包，外面焦了里面还是生的。
        U: 周末去良渚骑车，风很大。
        U: 把阳台收拾了出来，摆了一张小桌子。
        U: 地铁上看到一个小朋友在背古诗。
        U: 午休的时候做了一个很奇怪的梦。
        U: 学会了用筷子挑鱼刺的新办法。
        U: 晚上和大学室友通了一个小时电话。
        U: 雨停了，空气特别干净。
        U: 新买的椅子到了，坐着腰舒服多了。
        U: 今天喝了三杯水，还是不够。
        U: 图书馆的预约终于轮到我了。
        U: 听了一场关于数据库的线上分享。
        U: 路过河坊街，买了一包定胜糕。
        U: 家里的路由器重启之后快了很多。
        U: 明天要早起，先睡了。
    """,
)

RIVERA = Story(
    agent="rivera",
    language="English",
    question=("login",),
    later=("Lisbon", "hotel", "login"),
    first_talk="""
        U: Hi Rivera, Dana here, I run a design studio in Bristol.
        A: Nice to meet you, Dana. Tell me anything you would like me to keep in mind.
        U: We have a tortoiseshell cat called Olive who is terrified of the vacuum cleaner.
        A: Poor Olive. I will remember the vacuum cleaner.
        U: She had a tooth out in March, so she only eats soft food now.
        A: Soft food only.
        U: The vet wants to see her again in the first week of June.
        A: First week of June it is.
        U: In September my brother Theo and I are walking part of the Portuguese coast.
        A: Sounds lovely.
        U: We fly into Lisbon on the fourth and take the train south the next morning.
        A: Fourth of September, train on the fifth.
        U: Theo booked a small hotel near the river with a terrace.
        A: A terrace in September sounds right.
        U: He is allergic to shellfish, so every restaurant has to know that in advance.
        A: I will mention the shellfish allergy whenever we look at restaurants.
    """,
    exchanges="""
        U: Now to work: the login module of the booking site has to be rebuilt before summer.
        A: What is wrong with the login module as it stands today?
        U: It keeps sessions on one server, and when that server restarts everybody is logged out.
        A: Then a stateless token such as a JWT would take that server out of the login path.
        U: We talked it over and decided to use JWT for the login module, with brief access tokens.
        A: How long should an access token live, and where does the refresh token go?
        U: Ten minutes, and the refresh token goes into an HttpOnly cookie, rotated on every use.
        A: Rotation is good, but keep the token family so that a replayed one revokes them all.
        U: Agreed. Priya writes the token rotation and I take the login form and the error messages.
        A: For password hashing I would settle on Argon2id, tuned to about a quarter of a second.
        U: The client's auditor wants accounts locked for fifteen minutes after six failed logins.
        A: Count the failed logins per account and address, or anyone can lock out a stranger.
        U: Good point, we will do it that way and keep the counters in Postgres.
        A: Noted: six failed logins, fifteen minutes, counters in Postgres.
    """,
    everyday="""
        U: It rained sideways all morning and the harbour smelled of seaweed.
        U: Lunch was a cheese toastie at the place with the blue door.
        U: I ran four miles along the towpath and met three dogs.
        U: The printer jammed twice, so I printed the posters at the library.
        U: Finished the crossword for the first time this month.
        U: My neighbour lent me a ladder to clean the gutters.
        U: The new chairs arrived and one of them wobbles.
        U: I watched an old film about a lighthouse keeper.
        U: Bought a second-hand lamp shaped like a heron.
        U: The bakery was out of rye, so I took the sourdough.
        U: There was a street band playing under the railway bridge.
        U: I repotted the fern and it already looks better.
        U: A parcel for number nine ended up with us again.
        U: We painted the back door dark green.
        U: The bus was late, so I walked across the park.
        U: I learned how to fold a fitted sheet, more or less.
        U: Dinner was lentil soup with far too much cumin.
        U: Our accountant moved the meeting to Thursday.
        U: Saw a heron, a real one this time, by the weir.
        U: The kettle finally gave up after nine years.
        U: I sketched a logo for the community garden.
        U: The sunset was the colour of a blood orange.
        U: My bike got a flat tyre on the hill.
        U: I read two chapters of a novel about bees.
        U: The choir next door is practising carols in May.
        U: We had tea with the new tenants upstairs.
        U: I sorted the paint tins by colour and felt very grown up.
        U: The dentist says everything is fine.
        U: I tried the climbing wall and my forearms hate me.
        U: A delivery van blocked the lane for an hour.
        U: The tomatoes on the balcony have their first flowers.
        U: I wrote postcards to both of my aunts.
        U: The power went out for ten minutes during supper.
        U: I found my old film camera in a box of cables.
        U: We played cards until midnight and I lost.
        U: The market had the first strawberries of the year.
        U: I fixed the squeaky hinge with a drop of oil.
        U: A fox crossed the road right in front of me.
        U: The radio played nothing but songs from 1994.
        U: I cleaned the studio windows inside and out.
        U: The landlord sent someone to look at the boiler.
        U: I tried to bake focaccia and it came out flat.
        U: There is a new mural behind the post office.
        U: I swapped desks so that the light comes from the left.
        U: The weekend market moved to the other side of the square.
        U: I mended the strap of my bag with fishing line.
        U: A hot air balloon drifted over the house at breakfast.
        U: The cinema is showing silent films with a live pianist.
        U: I spilled coffee on the good notebook.
        U: The swifts are back above the church tower.
        U: We counted eleven narrowboats on the canal.
        U: I finally answered the letter from the council.
        U: The lift in our building smells of fresh paint.
        U: I am off to bed early tonight.
    """,
)


def told_in(locale: str) -> tuple[Story, ...]:
    """Return the stories, the one in the language of a locale first."""
    return (XIAOCHUAN, RIVERA) if locale.startswith("zh") else (RIVERA, XIAOCHUAN)
