"""The power goes at any moment: of what was not yet on the disk any part may be there. What was
accepted is there all the same, once, and the memory opens."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from faults.disk import Disk, faulty_disk
from faults.life import SETTINGS, Findings, Ledger, Life, audit
from soak.figures import SEED, figures, size
from stage import LineModel

from wangchuan import Host, Memory

CUTS = size("CUTS", 25)
STEPS = 60  # things done in one life
PER_LIFE = 25  # cuts of one life
EVERY = 120  # calls to the disk between two cuts, on average
AGENT = "cut"
NOTES = (b"", b"{", None)  # what may be left of notes that nobody synced


@dataclass
class Cutter:
    """Takes a picture of what a power cut would leave, at random calls to the disk."""

    disk: Disk
    folder: Path
    ledger: Ledger
    chance: random.Random
    pictures: list[tuple[Ledger, dict[str, bytes]]] = field(default_factory=list)

    def __call__(self, kind: str, path: str) -> None:
        if len(self.pictures) < PER_LIFE and self.chance.random() < 1 / EVERY:
            told = self.ledger.upto(len(self.ledger.entries))  # first: what was told is there
            self.pictures.append((told, self.disk.cut(self.folder, self.chance)))


def cut_lives(
    place: Path, seed: str, durability: str = "full"
) -> Iterator[tuple[Ledger, dict[str, bytes]]]:
    """Live a while and return the pictures of the cuts, each with what had been promised."""
    (place / "else").mkdir(parents=True)
    settings = {**SETTINGS, "durability": durability}
    ledger, chance = Ledger(), random.Random(seed)
    with faulty_disk(remembers=True) as disk:
        disk.before = cutter = Cutter(disk, place / "root" / AGENT, ledger, chance)
        with Host(place / "root", model=LineModel(), settings=settings) as host:
            life = Life(host, AGENT, seed, ledger.tell, place / "else")
            for _ in range(STEPS):
                life.live()
    yield from cutter.pictures


def reopened(root: Path, left: dict[str, bytes], ledger: Ledger, notes: bytes | None) -> Findings:
    """Open what a cut left on the disk, and look."""
    folder = root / AGENT
    folder.mkdir(parents=True)
    for name, content in left.items():
        (folder / name).write_bytes(content)
    if notes is not None:
        (folder / "meta.json").write_bytes(notes)
    with (
        faulty_disk(),
        Memory.open(AGENT, root=root, settings=SETTINGS, model=LineModel()) as memory,
    ):
        return audit(memory, ledger)


@pytest.mark.slow
def test_a_memory_that_does_not_sync_would_be_noticed(tmp_path: Path) -> None:
    pictures = [*cut_lives(tmp_path / "life", "normal", durability="normal")]
    cuts = [
        reopened(tmp_path / f"cut{n}", left, ledger, None)
        for n, (ledger, left) in enumerate(pictures)
    ]
    assert any(found.lost for found in cuts)
    assert not any(found.doubled or found.unsound for found in cuts)


@pytest.mark.slow
def test_power_cuts_take_nothing_that_was_accepted(tmp_path: Path) -> None:
    chance, wrong = random.Random(SEED), []
    with figures("power cuts: unsynced writes lost, torn and reordered") as told:
        for life in range(-(-CUTS // PER_LIFE)):
            pictures = cut_lives(tmp_path / str(life), f"{SEED}c{life}")
            for n, (ledger, left) in enumerate(pictures):
                root = tmp_path / str(life) / f"cut{n}"
                found = reopened(root, left, ledger, chance.choice(NOTES))
                told["how many"] += 1
                told["lost"] += len(found.lost)
                told["doubled"] += len(found.doubled)
                told["corrupt"] += len(found.kept) + len(found.unsound)
                if found.any():
                    wrong.append(f"life {life}, cut {n}: {found}")
        assert not wrong, "\n".join(wrong)
        assert told["how many"] > CUTS / 2
