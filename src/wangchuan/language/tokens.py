"""Counting tokens without a tokenizer: an estimate, and said to be one.

Vocabularies differ from model to model. Measured on mixed prose, a Chinese character takes a bit
less than one token and other text about one token per 3.5 characters; the estimate errs on the
high side.
"""

from __future__ import annotations

from typing import Any

from wangchuan.patterns import regex

MOST = 10_000_000  # of one call; who tells of more cannot count

WIDE = regex(r"[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def tokens(text: str) -> int:
    """Return about how many tokens a text is."""
    wide = len(WIDE.findall(text))
    return wide + (len(text) - wide + 2) // 3 if text else 0


def plausible(told: Any) -> int:
    """Return a number of tokens as a server tells it, or 0 if it cannot be one: then estimate."""
    return told if type(told) is int and 0 < told <= MOST else 0
