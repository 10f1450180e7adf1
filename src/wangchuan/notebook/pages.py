"""Markdown pages, read as they are and changed only where they must be.

A page is its lines. It is cut at its second-level headings into sections, and every line keeps
its own ending, so that a page nobody changed is written back byte for byte: unknown sections,
CRLF, a byte order mark, a missing last newline. Whoever changes a section replaces its lines and
touches no other.

Words that come from outside are put into a section with their own headings escaped (`\\## …`, which
Markdown shows as it was): no text can open a section that it was not given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wangchuan.arguments import a_text
from wangchuan.types import value

MARK = "\ufeff"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADING = re.compile(r"\A##[ \t]+([^ \t].*)")  # of a line without the spaces at its end
_FIELD = re.compile(r"\A[-*+][ \t]([^:：]+)[:：](.*)")
_OPENING = re.compile(r"(?m)^(\\*#)")  # a heading, or an escaped one
_ESCAPED = re.compile(r"(?m)^\\(\\*#)")


@value
class Section:
    """A part of a page: its heading's words ("" before the first heading) and all its lines."""

    title: str
    lines: tuple[str, ...]

    @property
    def body(self) -> list[str]:
        """Return the lines below the heading without their endings, up to the last with words."""
        lines = [line.rstrip("\r\n") for line in self.lines[bool(self.title) :]]
        while lines and not lines[-1].strip():
            lines.pop()
        return lines


@value
class Page:
    """A whole page, in parts."""

    sections: tuple[Section, ...]
    newline: str = "\n"
    mark: str = ""

    @property
    def text(self) -> str:
        """Return the page as it is written."""
        return self.mark + "".join(line for part in self.sections for line in part.lines)

    def find(self, title: str) -> Section | None:
        """Return the first section whose heading begins with the given words."""
        return next((s for s in self.sections if s.title.startswith(title)), None)

    def body(self, title: str) -> list[str]:
        """Return the lines of a section without their endings; none if there is no such section."""
        found = self.find(title)
        return [] if found is None else found.body

    def put(self, title: str, body: Sequence[str]) -> Page:
        """Return the page with other lines in a section; a missing section is added last.

        The blank lines before the next section stay as they are.
        """
        found = self.find(title)
        if found is None:
            return self._appended(title, body)
        if found.body == list(body):
            return self
        kept = len(found.body) + 1
        lines = (found.lines[0], *(line + self.newline for line in body), *found.lines[kept:])
        return self._replaced(found, Section(found.title, self._ended(lines)))

    def fields(self, title: str) -> dict[str, str]:
        """Return the `- name: value` lines of a section; of a name given twice, the first."""
        found: dict[str, str] = {}
        for line in self.body(title):
            if field := _field(line):
                found.setdefault(*field)
        return found

    def put_fields(self, title: str, values: Mapping[str, str]) -> Page:
        """Return the page with values in a section's fields; new ones come after the last."""
        body, missing = list(self.body(title)), dict(values)
        for n, line in enumerate(body):
            field = _field(line)
            if field and field[0] in missing:
                value = missing.pop(field[0])
                if field[1] != value:
                    body[n] = f"- {field[0]}: {value}"
        last = max((n + 1 for n, line in enumerate(body) if _field(line)), default=0)
        body[last:last] = [f"- {name}: {value}" for name, value in missing.items()]
        return self.put(title, body)

    def without(self, title: str) -> Page:
        """Return the page without a section."""
        found = self.find(title)
        return replace(self, sections=tuple(s for s in self.sections if s is not found))

    def _appended(self, title: str, body: Sequence[str]) -> Page:
        lines = [f"## {title}{self.newline}", *(line + self.newline for line in body)]
        if not self.sections:
            return replace(self, sections=(Section(title, tuple(lines)),))
        before = self.sections[-1]
        closed = self._ended(before.lines)
        if closed and closed[-1].strip():
            closed = (*closed, self.newline)
        return replace(
            self,
            sections=(
                *self.sections[:-1],
                Section(before.title, closed),
                Section(title, tuple(lines)),
            ),
        )

    def _ended(self, lines: Iterable[str]) -> tuple[str, ...]:
        """Return lines with an ending each, so that another line can follow."""
        return tuple(line if line.endswith("\n") else line + self.newline for line in lines)

    def _replaced(self, old: Section, new: Section) -> Page:
        return replace(self, sections=tuple(new if s is old else s for s in self.sections))


def parsed(text: str) -> Page:
    """Return a text as a page, whose `text` is exactly the text given."""
    mark = MARK if text.startswith(MARK) else ""
    newline = "\r\n" if "\r\n" in text else "\n"
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in _LINE.findall(text.removeprefix(mark)):
        heading = _HEADING.fullmatch(line.rstrip(" \t\r\n"))
        if heading:
            parts.append((heading[1], []))
        parts[-1][1].append(line)
    sections = tuple(Section(title, tuple(lines)) for title, lines in parts if lines)
    return Page(sections, newline, mark)


def _field(line: str) -> tuple[str, str] | None:
    """Return the name and the value on a line of fields; None for any other line."""
    found = _FIELD.fullmatch(line.rstrip("\r\n"))
    name = found[1].strip(" \t") if found else ""
    return (name, found[2].strip(" \t\r")) if found and name else None


def escaped(text: str) -> list[str]:
    """Return the lines of a stranger's text, none of which can be taken for a heading."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return _OPENING.sub(r"\\\1", plain).split("\n")


def unescaped(lines: Iterable[str]) -> str:
    """Return the text that was put into a section by `escaped`."""
    return _ESCAPED.sub(r"\1", "\n".join(lines))


def one_line(text: str) -> str:
    """Return a text on one line, without spaces around it."""
    return " ".join(a_text(text, "this").split())


def as_read(text: str) -> str:
    """Return a page's text for a prompt: plain line ends and no byte order mark."""
    return text.removeprefix(MARK).replace("\r\n", "\n")
