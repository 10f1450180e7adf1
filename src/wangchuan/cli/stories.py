"""The two conversations of the demo; they stand in `stories.toml`."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from wangchuan.types import value


@value
class Story:
    """A conversation, and what to ask about it."""

    agent: str
    language: str
    first_talk: str
    exchanges: str
    everyday: str
    again: str  # said now and then among the everyday remarks
    topic: str  # the words of the first talk that this is about
    question: tuple[str, ...]  # keywords of the first recall
    later: tuple[str, ...]  # keywords to try when much time has passed

    def talks(self) -> list[list[dict[str, str]]]:
        """Return all that is said, talk by talk: the long one, the exchanges, the days."""
        rest = spoken(self.exchanges)
        pairs = [rest[at : at + 2] for at in range(0, len(rest), 2)]
        return [spoken(self.first_talk), *pairs, *self.days()]

    def days(self) -> list[list[dict[str, str]]]:
        """Return what is said day by day: everyday remarks, and now and then the topic again."""
        days, again = spoken(self.everyday), spoken(self.again)
        every = len(days) // len(again)
        for n, remark in enumerate(again):
            days.insert((n + 1) * every + n, remark)
        return [[remark] for remark in days]


def spoken(text: str) -> list[dict[str, str]]:
    """Return the lines of a conversation as messages."""
    roles = {"U": "user", "A": "assistant"}
    lines = [line.strip().partition(": ") for line in text.strip().splitlines() if line.strip()]
    return [{"role": roles[speaker], "content": said} for speaker, _, said in lines]


def told_in(locale: str) -> tuple[Story, ...]:
    """Return the stories, the one in the language of a locale first."""
    text = files("wangchuan.cli").joinpath("stories.toml").read_text("utf-8")
    chinese, english = (Story(**story) for story in tomllib.loads(text)["story"])
    return (chinese, english) if locale.startswith("zh") else (english, chinese)
