"""Wrapping: blocks of ours, and elements of clients, around the words of a person.

`as_block` puts marks around a text for a prompt. `without_blocks` takes such blocks out of messages
that come back, also where a client escaped, quoted or wrapped them: the check in the opening mark
still fits the words. `as_written` also takes out the elements that clients add by themselves; every
surface that listens to a client uses it. The words of a person stay, with tags inside a sentence or
in a fenced piece of code.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from html import unescape
from itertools import pairwise

from wangchuan.patterns import regex

BLOCK_OPEN, BLOCK_CLOSE = '<wangchuan-memory id="', "</wangchuan-memory>"
CHECK = 12  # characters of the check in the opening mark
WRAPPINGS = 4  # around one another, at most: escaped twice and quoted, say

# Marks as they were written, in HTML entities (of entities), or in JSON (in JSON).
_LESS = r"(?:<|&(?:amp;){0,3}(?:lt|#60|#x3c);|\\{1,7}u003c)"
_MORE = r"(?:>|&(?:amp;){0,3}(?:gt|#62|#x3e);|\\{1,7}u003e)"
_QUOTE = r"(?:\\{0,7}[\"']|&(?:amp;){0,3}(?:quot|#34|#x22|#39|#x27);|\\{1,7}u0022)"
_MARK = regex(
    rf"{_LESS}wangchuan-memory id={_QUOTE}(?P<check>[0-9a-f]{{{CHECK}}}){_QUOTE}{_MORE}"
    rf"|{_LESS}\\{{0,7}}/wangchuan-memory{_MORE}",
    re.IGNORECASE,
)
_LIKE_A_MARK = regex(rf"{_LESS}(?=\\{{0,7}}/?wangchuan-memory)", re.IGNORECASE)
_QUOTED = regex(r"^[ \t]*>[ \t]?", re.MULTILINE)
_BEFORE_IT = regex(r"(?:[> \t]|&(?:amp;){0,3}gt;)*")  # on the line of a block that is quoted
_IN_JSON = regex(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_JSON = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WRAPPED = regex(
    rf"{_LESS}entry source={_QUOTE}wangchuan{_QUOTE}{_MORE}\s{{0,20}}{_LESS}/entry{_MORE}"
)


def as_block(body: str) -> str:
    """Return a text between the marks of a block; marks inside it become harmless.

    The opening mark holds a check of the words, so that only our own block is recognised when it
    comes back. White space does not count: clients change it.
    """
    inside = _LIKE_A_MARK.sub("‹", body)
    return f'{BLOCK_OPEN}{_check(inside)}">\n{inside}\n{BLOCK_CLOSE}'


def _check(body: str) -> str:
    bare = "".join(body.split()).encode("utf-8", "surrogatepass")
    return hashlib.sha256(bare).hexdigest()[:CHECK]


def without_blocks(text: str) -> str:
    """Return a text without the blocks that `as_block` made; look-alikes stay."""
    if "wangchuan-memory" not in text.casefold():
        return text
    kept, at = [], 0
    for opening, closing in pairwise(_MARK.finditer(text)):
        ours = opening["check"] and not closing["check"]
        if ours and _fits(text[opening.end() : closing.start()], opening["check"]):
            start, end = _around(text, opening.start(), closing.end(), at)
            kept += [text[at:start], _gap(text[start:end])]
            at = end
    if not kept:
        return text
    return _WRAPPED.sub("", "".join([*kept, text[at:]]))


def _fits(body: str, check: str) -> bool:
    """Tell whether a check fits a body, or the body before clients wrapped it."""
    readings = {body}
    for _ in range(WRAPPINGS + 1):
        if any(_check(reading) == check for reading in readings):
            return True
        readings |= {unwrap(one) for one in readings for unwrap in (_unquoted, unescape, _plain)}
    return False


def _unquoted(text: str) -> str:
    """Return a text without the mark by which each of its lines is quoted."""
    return _QUOTED.sub("", text)


def _plain(text: str) -> str:
    """Return the words of a text in JSON, without its marks."""
    said = _IN_JSON.sub(lambda m: chr(int(m[1], 16)) if m[1] else _JSON.get(m[2], m[2]), text)
    return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _around(text: str, start: int, end: int, least: int) -> tuple[int, int]:
    """Return the span of a block with the blanks on its lines, and the end of the last line."""
    line = max(text.rfind("\n", least, start) + 1, least)
    if _BEFORE_IT.fullmatch(text, line, start):
        start = line
    while start > least and text[start - 1] in " \t":
        start -= 1
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return start, end + (text[end : end + 1] == "\n")


def _gap(block: str) -> str:
    """Return the text for the place of a block: a space between words that it parted."""
    return " " if block[0].isspace() and block[-1] in " \t" else ""


# what clients add

ADDED = (  # elements that clients put beside a person's words
    *("system-reminder", "environment_context", "environment_details", "user_instructions"),
    *("user_info", "user_rules", "project_layout", "git_status", "workspace_info"),
    *("additional_data", "attached_files", "open_and_recently_viewed_files", "editor_context"),
    *("ide_selection", "ide_opened_file", "ide_state", "persisted-output", "task-notification"),
    *("command-name", "command-message", "command-args", "command-contents", "bash-stdout"),
    *("local-command-stdout", "local-command-stderr", "local-command-caveat", "bash-stderr"),
    *("user-prompt-submit-hook", "session-start-hook", "collaboration_mode", "turn_aborted"),
    *("skills_instructions", "plugins_instructions", "apps_instructions", "available_skills"),
    *("permissions instructions", "subagent_notification", "PAST_CONVERSATIONS"),
)
CATALOGUES = ("tools", "functions", "available_tools", "tool_catalog")  # if they describe tools
WRITTEN = ("user_query", "user_message", "user_input", "task", "feedback", "answer")  # around it
_NAMES = "|".join(sorted((*ADDED, *CATALOGUES, *WRITTEN), key=len, reverse=True))
_TAG = regex(
    rf"(?P<fence>^[ \t]*```)|<(?P<end>/)?(?P<name>{_NAMES})(?: [^<>\n]{{0,500}})?>", re.MULTILINE
)
_DESCRIBED = ('"parameters"', '"description"', '"inputSchema"', "<description>")
_ENTRY = regex(r"^[ \t]*<entry source=\"wangchuan\">[^<]*</entry>[ \t]*\n?", re.MULTILINE)
_EMPTY = regex(
    r"^[ \t]*<memory>\s*(?:<wangchuan>\s*</wangchuan>\s*)?</memory>[ \t]*\n?", re.MULTILINE
)
_PREFACE = regex(
    r"\A# AGENTS\.md instructions[^\n]*\n\s*<INSTRUCTIONS>.*?</INSTRUCTIONS>", re.DOTALL
)
# Open WebUI's templates: what it asks for, what is known, and then what the person asks, or the
# chat so far, where it asks for a title, for tags or for the choice of a tool by itself.
_TEMPLATE, _KNOWN, _QUERY = "### Task:\n", "</context>\n", "<user_query>"
_ASKED_ITSELF = ("### Chat History:", "<chat_history>")
_HISTORY = "Query: History:\n"


def as_written(text: str) -> str:
    """Return a person's words in a message that a client sent; "" if there are none.

    Our blocks go, and so do the elements that clients add (`ADDED`, and `CATALOGUES` of tools),
    where they begin a line; of those around the person's words (`WRITTEN`) only the tags go. What
    a client asks for by itself was written by nobody.
    """
    text = _EMPTY.sub("", _ENTRY.sub("", without_blocks(text.replace("\r\n", "\n"))))
    text = _PREFACE.sub("", text).lstrip()
    if text.startswith(_TEMPLATE):
        text = _asked(text)
    if text.startswith(_HISTORY):
        return ""
    kept, at = [], 0
    for start, end in _added(text):
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]]).strip()


def _asked(text: str) -> str:
    """Return a person's question in a template that a client filled in."""
    if any(mark in text for mark in _ASKED_ITSELF):
        return ""
    known, query = text.rfind(_KNOWN), text.find(_QUERY)
    return text[known + len(_KNOWN) :] if known >= 0 else text[max(query, 0) :]


def _added(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of elements that a client added, in order."""
    tags = list(_TAG.finditer(text))
    last = {tag["name"]: n for n, tag in enumerate(tags) if tag["end"]}
    at, fenced, around = 0, False, set[str]()
    for n, tag in enumerate(tags):
        name = tag["name"]
        if tag.start() < at:
            continue
        if tag["fence"]:
            fenced = not fenced
        elif tag["end"] and name in around:
            around.discard(name)
            yield tag.span()
        elif not (fenced or tag["end"]) and last.get(name, 0) > n and _begins(text, tag, at):
            closing = tag if name in WRITTEN else _closing(tags[n : last[name] + 1])
            if name in WRITTEN:
                around.add(name)
            elif name in CATALOGUES and not _describes(text[tag.end() : closing.start()]):
                continue
            at = closing.end()
            yield tag.start(), at


def _begins(text: str, tag: re.Match[str], after: int) -> bool:
    """Tell whether a tag begins a line, or follows what was taken out."""
    line = max(text.rfind("\n", 0, tag.start()) + 1, after)
    return not text[line : tag.start()].strip()


def _describes(text: str) -> bool:
    """Tell whether what stands in a catalogue describes tools."""
    return any(mark in text for mark in _DESCRIBED)


def _closing(tags: list[re.Match[str]]) -> re.Match[str]:
    """Return the tag that closes the first of some; the last of them does in any case."""
    depth = 0
    for tag in tags:
        if tag["name"] == tags[0]["name"]:
            depth += -1 if tag["end"] else 1
        if not depth:
            return tag
    return tags[-1]
