"""What a line of a working log is worth, by the words that betray what it tells.

The scores are those the prompt of the routine `compact` gives to models. The first kind of a table
that matches counts. A line that only says what somebody means to do is thinking, whatever it
names. Code and the output of tools are full of such words, so they are read for results only, by a
stricter table.
"""

from __future__ import annotations

import re

from wangchuan.patterns import regex

THINKING = ("thinking", 2)

_PATH = (
    r"(?:[\w~./-]{0,80}[\w-]\.[A-Za-z][A-Za-z0-9]{0,5}\b"
    r"|\b(?:files?|director(?:y|ies)|folders?|modules?)\b|文件|目录)"
)
_PATH_END = _PATH.replace(r"[\w~./-]{0,80}", "", 1)  # where nothing stands before it
_CHANGES = (
    r"\b(?:(?:creat|updat|delet|remov|renam|mov|sav|generat|replac|rewrit)(?:e[ds]?|ing)"
    r"|(?:add|edit|append|patch|refactor|extend)(?:ed|s|ing)?|modif(?:y|ied|ies|ying)"
    r"|(?:over|re)?wr(?:ote|itten|ites?|iting))\b"
)
_CHANGED = (
    r"\b(?:(?:creat|updat|delet|remov|renam|mov|sav|generat|replac)ed|(?:add|edit|append|patch)ed"
    r"|modified|(?:over|re)?wr(?:ote|itten))\b"
)
_CHANGES_ZH = (
    "(?:创建|新建|新增|写入|写好|写了|修改|改了|更新|编辑|删除|移除|重命名|移动|保存|生成|追加|覆盖"
    "|重构|替换|添加)"
)
_TESTED = (
    r"\b(?:tests?|specs?|assert(?:ions?|s)?|coverage|benchmarks?|verif\w+|validat\w+|lint\w*|mypy"
    r"|ruff|pytest|builds?|suite|checks?)\b"
)
_CAME_OUT = (
    r"(?:\b(?:pass\w*|fail\w*|ok|green|red|errors?|succe\w+|broke\w*|works?|correct|clean)\b"
    r"|\d ?%)"
)

Table = tuple[tuple[str, int, re.Pattern[str]], ...]


def _table(*rows: tuple[str, int, str]) -> Table:
    return tuple((kind, score, regex(cue, re.IGNORECASE)) for kind, score, cue in rows)


SAID = _table(
    (
        "fix",
        10,
        r"\b(?:fix(?:e[ds]|ing)?|hotfix|bugfix|resolv(?:ed|es)|solved|solution|root cause"
        r"|work(?:ed )?around|patched|repaired)\b"
        r"|修复|修好|修正|解决|排除了|根因|根本原因|原因(?:是|在于)|绕过",
    ),
    (
        "file",
        8,
        rf"{_CHANGES}.{{0,80}}?{_PATH}|{_PATH_END}.{{0,40}}?{_CHANGES}"
        rf"|{_CHANGES_ZH}.{{0,60}}?{_PATH}|{_PATH_END}.{{0,30}}?{_CHANGES_ZH}"
        r"|\b(?:write|edit|create|delete|append|move|rename|apply|save)_(?:file|patch|text)\b",
    ),
    (
        "test",
        7,
        rf"{_TESTED}.{{0,60}}?{_CAME_OUT}|{_CAME_OUT}.{{0,30}}?{_TESTED}"
        r"|\b\d+ (?:passed|failed|errors?)\b"
        r"|(?:测试|用例|验证|校验|检查|断言|回归|构建|编译|覆盖率).{0,30}?"
        r"(?:通过|失败|成功|报错|不过|正常|全绿|无误|\d ?%)"
        r"|(?:通过|失败).{0,8}(?:测试|用例|验证)",
    ),
    (
        "decision",
        6,
        r"\b(?:decid\w+|decision|chos(?:e|en)|settled on|agreed|conclu\w+|turns? out|found that"
        r"|found out|discover\w+|realiz\w+|finding|going with|we(?:'ll| will) use)\b"
        r"|决定|选定|选用|采用|敲定|结论|发现|约定|同意|确认|原来是",
    ),
    (
        "state",
        5,
        r"\b(?:started|stopped|restarted|deployed|switched|installed|upgraded|merged|released"
        r"|is running|finished|completed|status|now (?:on|at|in|using|running)|version \d|branch)\b"
        r"|状态|切换到|启动|停止|重启|部署|上线|安装|卸载|升级|已完成|开始|版本|分支|进度",
    ),
)
PUT_OUT = _table(
    (
        "file",
        8,
        rf"{_CHANGED}.{{0,40}}?{_PATH}|{_PATH_END}.{{0,30}}?{_CHANGED}|已{_CHANGES_ZH}.{{0,60}}?{_PATH}"
        r"|^(?:modified|new file|deleted|renamed):|^[AMDR]\s+\S+\.\w+$",
    ),
    (
        "test",
        7,
        r"\b\d+ (?:passed|failed|errors?)\b|^(?:FAILED|PASSED)\b"
        r"|(?:测试|用例).{0,10}?(?:通过|失败)",
    ),
)
MEANT = regex(
    r"\b(?:let me|let's|i'?ll|i will|i should|i need|i want|going to|needs? to|should"
    r"|try(?:ing)? to|maybe|perhaps|might|could|would|plan(?:ning)? to|todo|next step|if we"
    r"|how (?:do|can|to))\b"
    r"|需要|应该|打算|计划|准备|尝试|试试|让我|接下来|也许|或许|可能|下一步|待办|要不要|如果|怎么"
    r"|如何|是否",
    re.IGNORECASE,
)
DONE = regex(
    r"\b(?:fixed|resolved|solved|created|wrote|written|updated|modified|deleted|removed|renamed"
    r"|saved|passed|failed|decided|agreed|chose|found|done|successfully|root cause (?:is|was))\b"
    r"|已|成功|完成|通过|失败|[修解改写建新删决选]\w{0,2}了",
    re.IGNORECASE,
)
PROBLEM = regex(
    r"\b\w*(?:error|exception)\b|\b(?:traceback|bugs?|crash\w*|fail(?:s|ed|ure|ing)?|broken|panic"
    r"|segfault|timed? ?out|refused|denied)\b"
    r"|报错|错误|异常|崩溃|失败|故障|缺陷|超时|拒绝|泄漏|问题是",
    re.IGNORECASE,
)


# Where no word betrays it, the form does: a file, a test or an error by name, a version.
_ERROR = r"\b[A-Z]\w{2,40}(?:Error|Exception)\b"
_FILE = (
    r"(?:^|[\s`'\"（(])[\w~.-]{0,80}/[\w./-]{1,80}\.[A-Za-z]\w{0,5}\b|\b[\w-]{1,80}\.(?:py|js|ts|go|rs|java|cpp"
    r"|md|toml|ya?ml|json|sql|sh|css|html|vue|rb|cfg|ini)\b"
)
_TEST = r"\b(?:test_\w{2,60}|\w{2,60}_test|(?-i:Test[A-Z]\w{2,60}|[A-Z]\w{2,60}Tests?))\b"
FORMS = _table(
    ("fix", 10, rf"{_ERROR}.{{0,40}}?(?:gone|no more|no longer|away|不再|没了|消失|不见)"),
    ("file", 8, _FILE),
    ("test", 7, rf"{_TEST}|\b(?:exit(?:ed)?(?: code)?|HTTP|status) \d{{1,3}}\b"),
    ("state", 5, r"\bv?\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:[-+]\w+)?\b(?!%)"),
)


def scored(text: str, *, output: bool = False) -> tuple[str, int]:
    """Return what a line tells and its score; `output` is code, or came from a tool."""
    for kind, score, cue in PUT_OUT if output else SAID:
        if cue.search(text):
            meant = not output and MEANT.search(text) and not DONE.search(text)
            return THINKING if meant else (kind, score)
    if output or MEANT.search(text):
        return THINKING
    return next(((kind, score) for kind, score, form in FORMS if form.search(text)), THINKING)


def tells_of_a_problem(text: str) -> bool:
    """Tell whether a line names something that went wrong."""
    return PROBLEM.search(text) is not None
