"""Deeds: what each kind of journal entry does again, by the rules of the rebuilt memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wangchuan.errors import NotFound
from wangchuan.facts.records import AGED, DELETED, REVIEWED, Learned
from wangchuan.history.past import text_before
from wangchuan.history.rebuilt import ERASED, SHELL, Rebuilt
from wangchuan.history.undo import Undoing
from wangchuan.ids import name_of
from wangchuan.language.terms import indexed
from wangchuan.lifecycle.tick import MERGES, STAGES, settle
from wangchuan.living.lens import settings_by, stored_text
from wangchuan.living.trash import FADED, REUSED
from wangchuan.living.ways import EXTRACTIVE, settings_with
from wangchuan.storage import JournalRecord, Text, journal

MESSAGES = 200  # copied at a time

# nodes


def _compressed(again: Rebuilt, entry: JournalRecord, said: journal.Compressed | None) -> None:
    if not again.faithful or said is None or not said.swept:
        return  # shortening follows from the rules
    text = _text_after(again, entry)
    if text is not None:
        again.living.sweep.rewrite(again.tx, again.alive(entry), text)


def _text_after(again: Rebuilt, entry: JournalRecord) -> Text | None:
    """Return the text that a rewriting left: the one the next entry replaced, or today's."""
    n = entry.node or 0
    own = [e for e in again.live.journal.of(n) if e.kind != journal.Undone.name]
    texts = [(e.seq, text) for e in own if (text := text_before(journal.read(e), n))]
    texts = [found for found in (*texts, *again.texts.get(n, ())) if found[0] > entry.seq]
    if texts:
        return min(texts)[1]
    node = again.live.nodes.get(n)
    return stored_text(node) if node else None


def _forgotten(again: Rebuilt, entry: JournalRecord, said: journal.Forgotten | None) -> None:
    if said is None or not said.reason:
        there = again.live.nodes.get(entry.node or 0)
        said = journal.forgotten_for(entry.node or 0, (there and there.reason) or FADED)
    if _is_consequence(said) or entry.seq in again.inner:
        return
    reason = said.reason
    if reason == FADED and not again.faithful:
        return
    record = again.tx.nodes.get(entry.node or 0)
    if reason == FADED and (record is None or record.forgotten_at is not None):
        return  # the node went when the rules changed
    if reason in (DELETED, REVIEWED) and again.tx.facts.get(entry.node or 0):
        again.facts.delete(again.tx, again.alive(entry), reason)
    elif reason == REUSED and not again.faithful:
        return
    else:
        again.living.trash.forget(again.tx, again.alive(entry), reason)


def _is_consequence(said: journal.Forgotten) -> bool:
    """Tell whether forgetting followed from another entry: ageing, correcting or merging."""
    instead = (said.successor, said.merged_into)
    return said.reason == AGED or instead != (None, None)


def _restored(again: Rebuilt, entry: JournalRecord, _: object) -> None:
    again.living.trash.restore(again.tx, again.record(entry))


def _merged(again: Rebuilt, entry: JournalRecord, said: journal.Merged | None) -> None:
    n = entry.node or 0
    sources = said.sources if said else _merged_then(again, entry)
    again.tx.nodes.reserve(n - 1)
    again.merging.merge(again.tx, [name_of(source) for source in sources])
    again.made.append(n)


def _merged_then(again: Rebuilt, entry: JournalRecord) -> Iterator[int]:
    """Return the sources of a merged node whose entry is blank: nodes forgotten at its making."""
    for later in again.live.journal.after(entry.seq, journal.Forgotten.name):
        if later.at != entry.at:
            return
        said = journal.read(later)
        if not isinstance(said, journal.Forgotten) or said.merged_into == entry.node:
            yield later.node or 0


def _undone(again: Rebuilt, _: JournalRecord, said: journal.Undone | None) -> None:
    seq = _same_entry(again, said.seq if said else 0)
    Undoing(again.tx, again.living.schedule, again.clock).undo(seq)


def _same_entry(again: Rebuilt, seq: int) -> int:
    """Return the number in the rebuilt journal of an entry of the live journal."""
    entry = again.live.journal.get(seq)
    if entry is None or entry.node is None:
        raise NotFound("the journal no longer says what was undone")
    there = [e.seq for e in again.live.journal.of(entry.node) if e.kind == entry.kind]
    here = [e.seq for e in again.tx.journal.of(entry.node) if e.kind == entry.kind]
    if not here:
        raise NotFound("it did not happen in this history")
    return here[min(there.index(seq), len(here) - 1)]


# facts


def _learned(again: Rebuilt, entry: JournalRecord, said: journal.Learned | None) -> None:
    n = entry.node or 0
    learned = _what_was_learned(again, entry, said)
    again.tx.nodes.reserve(n - 1)
    corrected = again.tx.nodes.get(again.follows.get(n, 0))
    if corrected is not None:
        again.facts.supersede(again.tx, corrected, learned)
    else:
        again.facts.add(again.tx, learned)


def _what_was_learned(
    again: Rebuilt, entry: JournalRecord, said: journal.Learned | None
) -> Learned:
    n = entry.node or 0
    node, fact = again.live.nodes.get(n), again.live.facts.get(n)
    kind = said.kind if said else node.kind if node and fact else "fact"
    source, verified = (said.source, said.verified) if said else ("background_ai", False)
    if node is None or fact is None:  # the fact was erased, or its learning undone
        if again.live.tombstones.is_erased("node", name_of(n)):
            again.gaps[ERASED] += 1
        return Learned(SHELL, source=source, verified=verified, kind=kind)
    since = None if node.created_at == entry.at else node.created_at
    evidence = tuple(again.live.facts.evidence_of(n))
    return Learned(node.original, fact.topic, evidence, source, verified, kind, since)


def _promoted(again: Rebuilt, entry: JournalRecord, said: journal.Promoted | None) -> None:
    if said is None or said.reason == REVIEWED:
        again.facts.promote(again.tx, again.alive(entry))


def _aged(again: Rebuilt, _: JournalRecord, said: journal.Aged) -> None:
    first, last = said.nodes
    found = again.tx.facts.after(first - 1, -1)
    again.facts.age(again.tx, [r for r in found if r.n <= last], reviewed=said.reviewed)


def _fact(name: str) -> Callable[[Rebuilt, JournalRecord, Any], None]:
    """Return the deed that calls one method of `Facts` again."""

    def deed(again: Rebuilt, entry: JournalRecord, _: object) -> None:
        getattr(again.facts, name)(again.tx, again.alive(entry))

    return deed


# settings, tasks, ticks


def _ruled(again: Rebuilt, _: JournalRecord, said: journal.Rules) -> None:
    before = again.living.schedule.noted_rules()
    again.arrange(settings_by(said.after, again.settings), again.living.lens.extractive)
    if again.living.schedule.noted_rules() != before:
        again.living.trash.adopt(again.tx, before)


def _set(again: Rebuilt, _: JournalRecord, said: journal.Settings) -> None:
    extractive = bool(said.after.get(EXTRACTIVE, again.living.lens.extractive))
    again.arrange(settings_with(said.after, again.settings), extractive)


def _task(again: Rebuilt, _: JournalRecord, said: journal.Task) -> None:
    tasks = again.living.tasks
    change = tasks.begin if said.open else tasks.end
    change(again.tx, said.where)


def _touched(again: Rebuilt, _: JournalRecord, said: journal.Touched) -> None:
    again.living.tasks.touch(again.tx, said.nodes)


def _spared(again: Rebuilt, _: JournalRecord, said: journal.Spared) -> None:
    if again.faithful:
        again.living.sweep.spare(again.tx, said.nodes)


def _released(again: Rebuilt, _: JournalRecord, said: journal.Released) -> None:
    here = [record for n in said.nodes if (record := again.tx.nodes.get(n))]
    held = [r.n for r in here if r.since_pass is None and r.n not in again.tx.links.focus()]
    again.living.tasks.let_go(again.tx, held)


def _ticking(again: Rebuilt, _: JournalRecord, said: journal.Ticking) -> None:
    again.tx.signals.put(said.seen)
    if again.faithful and said.stage:
        _listen(again, said.stage, said.said)
        settle(again.tx, again.metabolism.piece(again.tx, said.stage, said.after, said.at))


def _ticked(again: Rebuilt, _: JournalRecord, said: journal.Ticked) -> None:
    if again.faithful:
        return
    for stage in STAGES:
        _listen(again, stage, said.said)
        after, more = 0, True
        while more:
            piece = again.metabolism.piece(again.tx, stage, after, said.at)
            settle(again.tx, piece)
            more = not piece.is_last()
            after = piece.found[-1].n if more else 0


def _listen(again: Rebuilt, stage: str, upto: int) -> None:
    """Index the messages said up to then: partners for merging are found by their words."""
    while stage == MERGES and again.said < upto:
        last = min(upto, again.said + MESSAGES)
        for message in again.live.messages.between(again.said + 1, last):
            if not message.content:
                again.gaps["messages have lost their words; merges may be missed"] += 1
            again.tx.index.add(message, indexed(message.content))
        again.said = last


# The deed of each kind of entry; it is given the entry's value (None: the entry is blank).
AGAIN: dict[type[journal.Happened], Callable[[Rebuilt, JournalRecord, Any], None]] = {
    journal.Compressed: _compressed,
    journal.Forgotten: _forgotten,
    journal.Restored: _restored,
    journal.Merged: _merged,
    journal.Undone: _undone,
    journal.Learned: _learned,
    journal.Boosted: _fact("boost"),
    journal.Revived: _fact("revive"),
    journal.Refreshed: _fact("refresh"),
    journal.Verified: _fact("verify"),
    journal.Kept: _fact("keep"),
    journal.Undecided: _fact("leave_undecided"),
    journal.Promoted: _promoted,
    journal.Aged: _aged,
    journal.Rules: _ruled,
    journal.Settings: _set,
    journal.Task: _task,
    journal.Touched: _touched,
    journal.Released: _released,
    journal.Spared: _spared,
    journal.Ticking: _ticking,
    journal.Ticked: _ticked,
}
