"""The lens: what is left of a node, by the rules of fading, at any pass.

Strengths, scan counts, importance and lengths are never stored; they follow from a few numbers of
the records and the number of passes. The lens computes them, and changes nothing.
"""

from __future__ import annotations

import json
from dataclasses import field, replace
from typing import Any

from wangchuan.language.fit import NOTHING, fit, least
from wangchuan.language.labels import phrase as phrase_of
from wangchuan.network.activity import Coefficients
from wangchuan.network.fading import HORIZON, Fade, Rules, decayed, pass_of, scans_within
from wangchuan.settings.fields import Settings, load
from wangchuan.settings.groups import Fading
from wangchuan.storage import Decay, LinkRecord, NodeRecord, Text, Transaction
from wangchuan.types import Clock, value

TASKS = "tasks"  # the note of open tasks


def stored_text(record: NodeRecord) -> Text:
    """Return the text of a node as it is stored."""
    return Text(record.text, record.phrase, tuple(json.loads(record.keywords)))


def shortened(text: Text, limit: int) -> Text:
    """Return a text cut to a length by the offline compressor, its labels with it."""
    if len(text.content) <= limit:
        return text
    content = fit(text.content, limit)
    kept = tuple(k for k in text.keywords if k.casefold() in content.casefold())
    return Text(content, phrase_of(content), kept)


def rules_of(settings: Fading) -> Rules:
    """Return the fading rules of the settings."""
    return Rules(
        decay_rate=settings.decay_rate,
        break_threshold=settings.link_break_threshold,
        delete_threshold=settings.delete_threshold,
        length_base=settings.length_base,
        strategy=settings.strategy,
    )


def settings_by(noted: dict[str, Any], settings: Settings) -> Settings:
    """Return settings with the rules that were noted (see `Schedule.noted_rules`).

    Before strategies were noted with them, every pass was a scan.
    """
    values = {"strategy": "every", **noted}
    values["link_break_threshold"] = values.pop("break_threshold")
    return load(settings, **values)


def open_tasks(tx: Transaction) -> list[str]:
    """Return where tasks are open."""
    found: list[str] = json.loads(tx.meta.get(TASKS) or "[]")
    return found


@value
class Lens:
    """One agent's nodes as the settings leave them.

    `extractive` says that the model only leaves words out.
    """

    settings: Settings
    clock: Clock
    extractive: bool
    rules: Rules = field(init=False)
    coefficients: Coefficients = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", rules_of(self.settings))
        object.__setattr__(self, "coefficients", Coefficients.of(self.settings))

    def by(self, noted: dict[str, Any]) -> Lens:
        """Return the lens of rules that were noted."""
        return replace(self, settings=settings_by(noted, self.settings))

    # scans

    def aged(self, record: NodeRecord, passes: int) -> NodeRecord:
        """Return a record with its scans counted up to a pass, and from there on."""
        if record.since_pass is None or record.since_pass == passes:
            return record
        age = self._age(record) + passes - record.since_pass
        scans = scans_within(age, self.rules)
        waited = max(0, age - pass_of(scans, self.rules))
        return replace(record, scans=scans, waited=waited, since_pass=passes)

    def _age(self, record: NodeRecord) -> int:
        """Return for how many passes its clock had been running when it was last set."""
        return pass_of(record.scans, self.rules) + record.waited

    def scans(self, record: NodeRecord, passes: int) -> int:
        """Return how often a node has been scanned after so many passes."""
        if record.since_pass is None or record.since_pass == passes:
            return record.scans
        return scans_within(self._age(record) + passes - record.since_pass, self.rules)

    def taken_over(self, record: NodeRecord, former: Lens, passes: int) -> NodeRecord:
        """Return a record whose scans were counted by a former lens up to a pass.

        It has as many scans, and has waited for the same share of the interval to the next.
        """
        record = former.aged(record, passes)
        here, there = (
            pass_of(record.scans + 1, rules) - pass_of(record.scans, rules)
            for rules in (self.rules, former.rules)
        )
        return replace(record, waited=record.waited * here // max(1, there))

    # links

    def decay(self, tx: Transaction) -> Decay:
        """Return what tells broken links from whole ones at this moment."""
        rules, dangling = self.rules, self.settings.dangling_counts
        return Decay(tx.passes(), rules.decay_rate, rules.rarity, rules.break_threshold, dangling)

    def strength(self, link: LinkRecord, scan_count: int) -> float:
        """Return what is left of a link whose source has been scanned so often; 0.0: broken."""
        return decayed(link.strength, scan_count - link.at_scan, self.rules)

    def own_links(
        self, tx: Transaction, record: NodeRecord, passes: int
    ) -> list[tuple[LinkRecord, float]]:
        """Return the links that count for a node's importance, with their present strength."""
        scans = self.scans(record, passes)
        links = [(link, self.strength(link, scans)) for link in tx.links.of(record.n)]
        counts = self.settings.dangling_counts
        return [(li, left) for li, left in links if left and (counts or self._lives(tx, li.target))]

    def _lives(self, tx: Transaction, n: int) -> bool:
        record = tx.nodes.get(n)
        return record is not None and record.is_alive(tx.passes())

    def support(self, tx: Transaction, n: int) -> list[LinkRecord]:
        """Return the unbroken links by which focus nodes hold a node; each counts as 1."""
        links = [(link, tx.nodes.get(link.source)) for link in tx.links.supporters(n)]
        return [link for link, f in links if f is not None and self.strength(link, f.scans)]

    def importance(self, tx: Transaction, record: NodeRecord, passes: int) -> float:
        """Return how important a node is: its own links, and those of the focus that hold it."""
        own = sum(strength for _, strength in self.own_links(tx, record, passes))
        return own + len(self.support(tx, record.n))

    # texts

    def fade(self, tx: Transaction, record: NodeRecord) -> Fade:
        """Return how a node fades from the pass on since which its scans are counted."""
        since = tx.passes() if record.since_pass is None else record.since_pass
        strengths = [strength for _, strength in self.own_links(tx, record, since)]
        return Fade(strengths, len(record.original), len(record.text), self.rules)

    def shown(self, tx: Transaction, record: NodeRecord, passes: int) -> Text:
        """Return what is left of a node after so many passes: less and less, and never more.

        What a model wrote stands until the model writes less.
        """
        limit = self.length(tx, record, passes)
        if limit >= len(record.text):
            return stored_text(record)
        return shortened(self.start(record), limit)

    def length(self, tx: Transaction, record: NodeRecord, passes: int) -> int:
        """Return how many characters of a node are left, at most, after so many passes."""
        if record.since_pass is None or record.fade_at is None or passes < record.fade_at:
            return len(record.text)
        if not self.extractive:
            return len(record.text)
        if passes <= record.since_pass or record.kept:
            return len(record.text)
        return min(self.limit(tx, record, passes), len(record.text))

    def limit(self, tx: Transaction, record: NodeRecord, passes: int) -> int:
        """Return how many characters the scans up to a pass leave of a node."""
        return self.fade(tx, record).limit(self.scans(record, passes) - record.scans)

    def start(self, record: NodeRecord) -> Text:
        """Return the text that shortening starts from.

        A model that only leaves words out does best on the whole text: what it keeps of it at a
        smaller length is part of what it keeps at a larger one, so nothing comes back. A text
        that somebody else made shorter is all there is.
        """
        text, whole = stored_text(record), record.original
        own = self.extractive and fit(whole, len(text.content)) == text.content
        return text._replace(content=whole) if own else text

    def readable(self, record: NodeRecord, text: Text) -> Text:
        """Return a text for a reader: where no word fits, the last that did stands."""
        if text.content != NOTHING:
            return text
        start = self.start(record)
        return shortened(start, len(least(start.content)))

    # the future

    def expected(
        self, tx: Transaction, record: NodeRecord, *, supported: bool | None = None
    ) -> NodeRecord:
        """Return the record with the schedule that its links give it."""
        if supported is None:
            supported = bool(self.support(tx, record.n))
        if supported or record.since_pass is None:
            return replace(record, fade_at=None, due_at=None, die_at=None)
        return self._with_future(self.fade(tx, record), record, record.since_pass)

    def _pass_of(self, record: NodeRecord, scan: int | None) -> int | None:
        """Return in which pass a node meets a scan, counted from when its clock was set."""
        if scan is None or record.since_pass is None:
            return None
        passes = pass_of(record.scans + scan, self.rules)
        return None if passes >= HORIZON else record.since_pass + passes - self._age(record)

    def _with_future(self, fade: Fade, record: NodeRecord, passes: int) -> NodeRecord:
        whole, length = len(record.original), len(record.text)
        due = min(length - 1, length * self.settings.compression_step)
        least = self.rules.delete_threshold
        near = [fade.scan_of(left) for left in (1.0, due / max(1, whole), least / max(1, whole))]
        fades = fade.first(lambda scan: fade.limit(scan) < whole, near=near[0])
        rewritten = fade.first(lambda scan: fade.limit(scan) <= due, fades, near[1])
        dies = fade.first(fade.forgets, near=near[2])
        fade_at, due_at, die_at = (self._pass_of(record, scan) for scan in (fades, rewritten, dies))
        if length < whole:
            fade_at = passes  # it has begun
        return replace(record, fade_at=fade_at, due_at=due_at, die_at=die_at)
