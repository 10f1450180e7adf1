"""What is made of talk as people talk, without a model: whose fact it is, what corrects what, when.

`facts_told.jsonl` was written before the rules it measures: sentences about relatives, pets,
possessions, quoted and invented people; corrections as they are typed; plain statements about
projects, decisions and people; standing instructions; words for times; answers that are a bare
word. A correction is judged by what is known in the end, everything else by what is added.

The parts are in the order they were written, each first run before anything was done about it, and
then used to mend: `dev` and `held`, `new`, `again`, `last`, `fresh`, `open`, `closed`, `third`; but
the statements of `blind` and `closed` were not mended by. `FIRST` has what the first runs gave.
`general` was written before a general way of reading statements and corrections. `harmless` is talk
that corrects nothing, `passing` talk of the moment of which nothing is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.core import table
from bench.facts import Tally
from wangchuan.language.facts.observer import Known, Operation, observed

HERE = Path(__file__).parent
AT = datetime(2026, 3, 3, 12, tzinfo=UTC).timestamp()  # a Tuesday
PROFILE = {
    "zh": ("主人叫周宁", "主人的生日是2月12号", "主人52岁", "主人住在杭州", "主人在网易上班",
           "主人是程序员", "主人喜欢喝茶", "主人有一只兔子"),
    "en": ("The user's name is Nora", "The user's birthday is February 12",
           "The user is 52 years old", "The user lives in Utrecht", "The user works at Philips",
           "The user is a translator", "The user likes tea", "The user has a rabbit"),
}  # fmt: skip
AROUND = {
    "zh": ("主人喜欢喝茶", "主人有一只兔子"),
    "en": ("The user likes tea", "The user has a rabbit"),
}
PRECISION, RECALL, CORRECTED = 0.97, 0.7, 0.85
Item = dict[str, Any]


def items(part: str) -> list[Item]:
    lines = (HERE / "facts_told.jsonl").read_text("utf-8").splitlines()
    return [item for item in map(json.loads, lines) if item["part"] == part]


def profile(item: Item) -> list[Known]:
    return [Known(f"mem_{n}", text, "personal") for n, text in enumerate(PROFILE[item["lang"]])]


def heard(text: str, known: list[Known], before: Any = ()) -> list[Operation]:
    return observed([("user", None, text)], known, before=before, at=[AT])


def is_right(item: Item, one: Operation) -> bool:
    """Tell whether something about others is about them, and touches nothing else."""
    return one.verb == "ADD" and any(word in one.text for word in item["who"])


def attributed(item: Item) -> Tally:
    tally = Tally()
    for one in heard(item["said"], profile(item)):
        good = is_right(item, one)
        tally.right, tally.false = tally.right + good, tally.false + (not good)
        if not good:
            tally.errors.append(f"false: {one.verb} {one.text!r} from {item['said']!r}")
    return tally


def overwritten(item: Item) -> Iterator[str]:
    """Yield what becomes of a fact of the user that was told just before something about others."""
    for told in profile(item):
        known = [replace(fact, fresh=fact.id == told.id) for fact in profile(item)]
        before = [("user", None, told.text), ("assistant", None, "OK.")]
        for one in heard(item["said"], known, before):
            if one.verb in ("UPDATE", "DELETE"):
                yield f"{told.text!r}: {one.verb} {one.text!r} from {item['said']!r}"


def after(known: list[Known], found: list[Operation]) -> list[Known]:
    """Return what is known when operations were done, the new marked as just said."""
    gone = {one.id for one in found if one.verb in ("UPDATE", "DELETE")}
    new = [one for one in found if one.verb in ("ADD", "UPDATE")]
    names = [f"new_{n}" for n, _ in enumerate(new, 1)]
    made = [Known(n, o.text, o.topic, fresh=True) for n, o in zip(names, new, strict=True)]
    return [fact for fact in (*known, *made) if fact.id not in gone]


def corrected(item: Item) -> Tally:
    around = [Known(f"mem_{n}", t, "personal") for n, t in enumerate(AROUND[item["lang"]])]
    first = [("user", None, item["first"]), ("assistant", None, "OK.")]
    known = after(around, heard(item["first"], around))
    known = [Known(f"k{n}", f.text, f.topic, fresh=f.fresh) for n, f in enumerate(known)]
    texts = [fact.text for fact in after(known, heard(item["said"], known, first))]
    stays = any(re.search(item["old"], text) for text in texts)
    there = not item["new"] or any(re.search(item["new"], text) for text in texts)
    lost = [text for text in AROUND[item["lang"]] if text not in texts]
    if there and not stays and not lost:
        return Tally(right=1)
    kind = "false" if lost or (stays and not there) else "missed"
    tally = Tally(false=int(kind == "false"), missed=int(kind == "missed"))
    tally.errors = [f"{kind}: {texts} from {item['first']!r}, {item['said']!r}"]
    return tally


def stated(item: Item) -> Tally:
    before = [("assistant", None, item["asked"])] if "asked" in item else []
    gold, tally = list(item["gold"]), Tally()
    for one in heard(item["said"], [], before):
        met = next((g for g in gold if all(word in one.text for word in g)), None)
        may = [*item["gold"], *item.get("may", ())]
        beside = any(all(word in one.text for word in g) for g in may)
        if met is not None:
            gold.remove(met)
            tally.right += 1
        elif not beside:
            tally.false += 1
            tally.errors.append(f"false: {one.verb} {one.text!r} from {item['said']!r}")
    tally.missed = len(gold)
    tally.errors += [f"missed: {g} in {item['said']!r}" for g in gold]
    return tally


def unchanged(item: Item) -> Tally:
    """Judge what ordinary talk does to a fact that was learned just before it: nothing."""
    first = [("user", None, item["first"]), ("assistant", None, "OK.")]
    known, tally = after([], heard(item["first"], [])), Tally()
    for said in item["said"]:
        wrong = [one for one in heard(said, known, first) if one.verb in ("UPDATE", "DELETE")]
        tally.right, tally.false = tally.right + (not wrong), tally.false + bool(wrong)
        tally.errors += [f"false: {one.verb} {one.text!r} from {said!r}" for one in wrong]
    return tally


JUDGES = {"attribution": attributed, "corrections": corrected, "harmless": unchanged}


def tallies(part: str) -> Iterator[tuple[str, str, int, Tally]]:
    sets = dict.fromkeys(item["set"] for item in items(part))
    for name in sets:
        for tongue in ("zh", "en"):
            chosen = [i for i in items(part) if (i["set"], i["lang"]) == (name, tongue)]
            total = Tally()
            for item in chosen:
                one = JUDGES.get(name, stated)(item)
                total.right, total.false = total.right + one.right, total.false + one.false
                total.missed += one.missed
                total.errors += one.errors
            yield name, tongue, len(chosen), total


def is_kept(name: str, tally: Tally) -> bool:
    if name in ("attribution", "harmless"):
        return tally.false == 0
    if name == "corrections":
        return tally.recall >= CORRECTED and tally.false == 0
    return tally.precision >= PRECISION and tally.recall >= RECALL


FIRST = (  # before anything was done about them
    ("new", "attribution", "1 false in 40", "0 false in 40"),
    ("new", "corrections", "12 of 26 right, 9 wrong alone", "8 of 26 right, 12 wrong alone"),
    ("new", "plain", "P 0.92 R 0.34", "P 1.00 R 0.52"),
    ("new", "standing", "P 1.00 R 0.60", "P 1.00 R 0.40"),
    ("new", "time", "P 1.00 R 0.20", "P 0.86 R 0.30"),
    ("new", "ellipsis", "P 1.00 R 0.47", "P 1.00 R 0.47"),
    ("again", "corrections", "9 of 13 right, 1 wrong alone", "8 of 13 right, 3 wrong alone"),
    ("again", "plain", "P 1.00 R 0.67", "P 1.00 R 0.67"),
    ("fresh", "attribution", "2 false in 41", "1 false in 41"),
    ("fresh", "plain", "P 1.00 R 0.53", "P 1.00 R 0.66"),
    ("fresh", "harmless", "48 false in 175", "11 false in 175"),
    ("blind", "attribution", "0 false in 20", "0 false in 20"),
    ("blind", "plain", "P 0.97 R 0.74", "P 1.00 R 0.78"),
    ("blind", "corrections, in the block", "16 of 30 right", "20 of 30 right"),
    ("open", "corrections", "24 of 42 right, 7 wrong alone", "23 of 42 right, 8 wrong alone"),
    (
        "open",
        "corrections, in the block",
        "27 of 42 right, 4 wrong alone",
        "27 of 42 right, 8 wrong alone",
    ),
    ("open", "plain", "P 1.00 R 0.86", "P 0.97 R 0.79"),
    ("closed", "corrections", "25 of 42 right, 8 wrong alone", "24 of 42 right, 7 wrong alone"),
    (
        "closed",
        "corrections, in the block",
        "29 of 42 right, 10 wrong alone",
        "26 of 42 right, 9 wrong alone",
    ),
    ("closed", "plain", "P 0.97 R 0.90", "P 1.00 R 0.86"),
    ("third", "corrections", "25 of 40 right, 6 wrong alone", "28 of 40 right, 4 wrong alone"),
    (
        "third",
        "corrections, in the block",
        "25 of 40 right, 10 wrong alone",
        "32 of 40 right, 4 wrong alone",
    ),
    ("general", "corrections", "19 of 40 right, 8 wrong alone", "20 of 40 right, 7 wrong alone"),
    ("general", "plain", "P 1.00 R 0.31", "P 0.82 R 0.29"),
    ("general", "attribution", "2 false in 42", "2 false in 42"),
    ("general", "passing", "1 false in 42", "1 false in 42"),
    ("general", "harmless", "9 false in 217", "30 false in 217"),
    # three sets that are kept out of the repository, written before corrections were weighed:
    # `weighed 1` as it was before that, then the other two on their first run after it
    ("weighed 1", "corrections", "26 of 42 right, 9 wrong alone", "17 of 42 right, 18 wrong alone"),
    ("weighed 1", "plain", "34 of 42 told", "32 of 42 told"),
    ("weighed 1", "harmless", "10 false in 182", "24 false in 182"),
    ("weighed 2", "corrections", "32 of 42 right, 5 wrong alone", "25 of 42 right, 13 wrong alone"),
    ("weighed 2", "plain", "33 of 42 told", "33 of 42 told"),
    ("weighed 2", "attribution", "1 false in 22", "1 false in 22"),
    ("weighed 2", "harmless", "30 false in 182", "24 false in 182"),
    ("weighed 3", "corrections", "30 of 40 right, 3 wrong alone", "21 of 40 right, 13 wrong alone"),
    (
        "weighed 3, own statements spared",
        "corrections",
        "26 of 40 right, 4 wrong alone",
        "20 of 40 right, 14 wrong alone",
    ),
    ("weighed 3", "plain", "32 of 40 told", "31 of 40 told"),
    ("weighed 3", "attribution", "0 false in 20", "0 false in 20"),
)
PARTS = (
    "dev",
    "held",
    "new",
    "again",
    "last",
    "fresh",
    "blind",
    "open",
    "closed",
    "third",
    "general",
)


def run(parts: tuple[str, ...] = PARTS) -> tuple[str, bool]:
    rows, errors, kept = [], [], True
    for part in parts:
        for name, tongue, many, tally in tallies(part):
            rows.append((part, name, tongue, many, *tally.cells()))
            errors += [f"- {part}, {name}: {error}" for error in tally.errors]
            kept = kept and is_kept(name, tally)
    head = ("part", "set", "language", "items", "right", "false", "missed", "P", "R", "F")
    first = table(("first run of", "set", "zh", "en"), FIRST)
    others = [item for part in parts for item in items(part) if item["set"] == "attribution"]
    wrong = [f"- overwritten: {one}" for item in others for one in overwritten(item)]
    beside = f"{len(others)} sentences about others after each fact of a user: {len(wrong)} touched"
    return "\n\n".join([table(head, rows), first, beside, "\n".join(errors + wrong)]), kept
