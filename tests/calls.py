"""Every public call of a memory, of its faces and of its host: for what must hold whatever is
called. `unlisted` names those that are missing here; a test sees that there are none."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from stage import PATIENCE

from wangchuan import Host, Memory
from wangchuan.faces.facts import KnownFacts
from wangchuan.faces.history import History
from wangchuan.faces.items import Items
from wangchuan.faces.jobs import Jobs
from wangchuan.faces.look import Look
from wangchuan.faces.merges import Merges


@dataclass
class Stage:
    """A memory with something in it, its host, and room for files."""

    memory: Memory
    host: Host
    folder: Path
    accepted: list[str] = field(default_factory=list)  # ids of messages
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    def remember(self) -> str:
        said = f"said{next(self.numbers)}"
        text = f"Anna told us about {said}, and that the {said} was green. 关于{said}的事。"
        receipt = self.memory.remember({"role": "user", "content": text, "id": said})
        assert receipt.status == "accepted"
        self.accepted.append(said)
        return said

    def node(self) -> str:
        """The id of a living memory, newest first."""
        segments = [node for node in self.memory.nodes() if node.kind == "segment"]
        if len(segments) < 3:
            self.remember()
            assert self.memory.flush(PATIENCE)
            segments = [node for node in self.memory.nodes() if node.kind == "segment"]
        return segments[-1].id

    def fact(self) -> str:
        return self.memory.facts.add(f"The answer is {next(self.numbers)}.").id

    def forgotten(self) -> str:
        node = self.node()
        self.memory.forget(node)
        return node

    def erase(self) -> None:
        said = self.remember()
        assert self.memory.flush(PATIENCE)
        self.accepted.remove(said)
        self.memory.erase(message_ids=[said])

    def undo(self) -> None:
        node = self.forgotten()
        self.memory.undo(self.memory.history(node)[-1].seq)

    def merge(self) -> None:
        self.node()
        pair = [node.id for node in self.memory.nodes() if node.kind == "segment"][-2:]
        self.memory.merges.make(pair)

    def decide(self) -> None:
        for fact in self.memory.facts.pending():
            self.memory.facts.decide(fact.id, "keep")

    def item(self) -> None:
        with self.memory.items.batch() as items:
            items.put(("shelf",), f"k{next(self.numbers)}", {"kind": "tea"}, texts=["tea"])
            assert items.search(("shelf",), "tea")

    def new_agent(self) -> str:
        name = f"other{next(self.numbers)}"
        with self.host.open(name) as other:
            other.remember("Something else.")
        return name

    def import_(self) -> None:
        kept = io.BytesIO(b'[{"memory": "Anna plays the cello."}]')
        self.host.import_(f"other{next(self.numbers)}", kept, format="mem0")


Call = Callable[[Stage], object]
CALLS: dict[str, Call] = {
    "KnownFacts.age": lambda s: s.memory.facts.age(PATIENCE),
    "Memory.agent_id": lambda s: s.memory.agent_id,
    "Memory.backup": lambda s: s.memory.backup(s.folder / f"b{next(s.numbers)}"),
    "Memory.close": lambda s: s.host.open(s.memory.agent_id).close(),
    "Memory.connect": lambda _: Memory.connect("http://127.0.0.1:1", "a", token="none").close(),
    "Memory.context": lambda s: s.memory.context("Anna").result(PATIENCE),
    "KnownFacts.decide": Stage.decide,
    "KnownFacts.episodes": lambda s: s.memory.facts.episodes("Anna"),
    "Memory.erase": Stage.erase,
    "Memory.explain": lambda s: s.memory.explain(s.node()),
    "Memory.export": lambda s: s.memory.export(s.folder / f"e{next(s.numbers)}.jsonl"),
    "Memory.facts": lambda s: s.memory.facts("answer"),
    "Look.fading": lambda s: s.memory.look.fading(),
    "Memory.flush": lambda s: s.memory.flush(PATIENCE),
    "Look.focus": lambda s: s.memory.look.focus(),
    "Memory.forget": lambda s: s.memory.forget(s.node()),
    "Look.forgotten": lambda s: s.memory.look.forgotten(),
    "Memory.history": lambda s: s.memory.history(s.node()),
    "Items.batch": Stage.item,
    "Jobs.get": lambda s: s.memory.jobs.get("job_1"),
    "Jobs.retry": lambda s: s.memory.jobs.retry(),
    "Jobs.wait": lambda s: s.memory.jobs.wait("job_1").result(PATIENCE),
    "Memory.items": Stage.item,
    "Memory.jobs": lambda s: s.memory.jobs(),
    "Look.links": lambda s: s.memory.look.links(s.node()),
    "Memory.merges": lambda s: s.memory.merges(),
    "Look.node": lambda s: s.memory.look.node("mem_1"),
    "Memory.nodes": lambda s: s.memory.nodes(),
    "Memory.notebook": lambda s: s.memory.notebook.prompt(),
    "Memory.on": lambda s: s.memory.on("stored", print)(),
    "Memory.open": lambda s: Memory.open("beside", root=s.host.settings.root).close(),
    "Memory.path": lambda s: s.memory.path,
    "KnownFacts.pending": lambda s: s.memory.facts.pending(),
    "Memory.recall": lambda s: s.memory.recall(["Anna"]).result(PATIENCE),
    "Memory.remember": Stage.remember,
    "History.replay": lambda s: s.memory.history.replay(),
    "Memory.restore": lambda s: s.memory.restore(s.forgotten()),
    "Memory.search": lambda s: s.memory.search("Anna green").result(PATIENCE),
    "Memory.stats": lambda s: s.memory.stats(),
    "Memory.tick": lambda s: s.memory.tick(PATIENCE),
    "Memory.undo": Stage.undo,
    "Look.working": lambda s: s.memory.look.working(),
    "KnownFacts.add": Stage.fact,
    "KnownFacts.correct": lambda s: s.memory.facts.correct(s.fact(), f"No: {next(s.numbers)}."),
    "KnownFacts.history": lambda s: s.memory.facts.history(s.fact()),
    "KnownFacts.saying": lambda s: s.memory.facts.saying("Anna plays the cello."),
    "KnownFacts.promote": lambda s: s.memory.facts.promote(s.fact()),
    "KnownFacts.verify": lambda s: s.memory.facts.verify(s.fact()),
    "Merges.make": Stage.merge,
    "Memory.look": lambda s: s.memory.look.nodes(),
    "History.entries": lambda s: s.memory.history.entries(node=s.node()),
    "History.passes": lambda s: s.memory.history.passes(),
    "History.latest": lambda s: s.memory.history.latest(),
    "History.nodes": lambda s: s.memory.history.nodes(1.0),
    "Look.course": lambda s: s.memory.look.course(s.node()),
    "Look.erasing": lambda s: s.memory.look.erasing(s.node()),
    "Look.explain": lambda s: s.memory.look.explain(s.node()),
    "Look.explained": lambda s: s.memory.look.explained(3),
    "Look.in_trash": lambda s: s.memory.look.in_trash(s.forgotten()),
    "Look.faults": lambda s: s.memory.look.faults(),
    "Look.lifecycle": lambda s: s.memory.look.lifecycle(),
    "Look.messages": lambda s: s.memory.look.messages(s.node()),
    "Look.network": lambda s: s.memory.look.network(5),
    "Look.nodes": lambda s: s.memory.look.nodes(),
    "Look.search": lambda s: s.memory.look.search("cello"),
    "Look.settings": lambda s: s.memory.look.settings,
    "Look.stats": lambda s: s.memory.look.stats(),
    "Host.has": lambda s: s.host.has("nobody"),
    "Host.stats": lambda s: s.host.stats(s.memory.agent_id),
    "Host.agents": lambda s: s.host.agents(),
    "Host.close": lambda s: Host(s.host.settings.root).close(),
    "Host.closed": lambda s: s.host.closed,
    "Host.erase": lambda s: s.host.erase(s.new_agent()),
    "Host.import_": Stage.import_,
    "Host.is_open": lambda s: s.host.is_open("nobody"),
    "Host.let_go": lambda s: s.host.let_go(s.memory._agent),
    "Host.open": Stage.new_agent,
    "Host.release": lambda s: s.host.release(),
}


def unlisted() -> set[str]:
    """Public calls that are not listed above."""
    public = {
        f"{face.__name__}.{name}"
        for face in (Memory, Host, Look, History, KnownFacts, Merges, Items, Jobs)
        for name in dir(face)
        if not name.startswith("_")
    }
    return public ^ set(CALLS)
