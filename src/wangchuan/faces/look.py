"""Looking inside a memory: `memory.look`. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from wangchuan.arguments import a_flag
from wangchuan.erasing.provenance import chosen, made_of
from wangchuan.errors import NotFound, StorageError, shown
from wangchuan.faces.face import Face
from wangchuan.finding.query import Query, checked_time
from wangchuan.finding.search import Search
from wangchuan.history.past import Past
from wangchuan.ids import number_of
from wangchuan.living.around import Around
from wangchuan.living.course import course
from wangchuan.living.soundness import faults
from wangchuan.living.view import checked_limit, checked_page, stats_of
from wangchuan.messages import ids_of, storable, wanted_tags
from wangchuan.settings.fields import Settings
from wangchuan.types import (
    Course,
    Doomed,
    Explanation,
    Forgotten,
    Hit,
    Lifecycle,
    Link,
    Message,
    Moment,
    Network,
    Node,
    Said,
    Scalar,
    Stats,
)

if TYPE_CHECKING:
    from wangchuan.storage import Transaction


class Look(Face):
    """The face for looking inside a memory: its nodes, and why each stands where it stands."""

    @property
    def settings(self) -> Settings:
        """Return the settings that hold for this agent."""
        return self._agent.settings

    def nodes(
        self, *, limit: int | None = None, offset: int = 0, after: str | None = None
    ) -> list[Node]:
        """Return living nodes, oldest first: `limit` of them, the first `offset` left out.

        Pages that go on `after` the last node of the one before cost the same, however many there
        are. Raises InvalidInput.
        """
        most, first = checked_page(limit, offset)
        last = 0 if after is None else number_of(after)
        with self._reading() as reading:
            return reading.nodes(most, first, last)

    def node(self, node_id: str, at: Moment | None = None) -> Node | None:
        """Return a living node; None if it never was or is forgotten; with `at`, as it was then."""
        when = checked_time(at, "at")
        with self._reading() as reading:
            if when is None:
                return reading.node(node_id)
            return next(iter(Past(reading, when).nodes(number_of(node_id))), None)

    def links(self, node_id: str, *, incoming: bool = False) -> list[Link]:
        """Return the unbroken links of a node, strongest first; `incoming`, those that lead to it.

        Raises NotFound.
        """
        to_it = a_flag(incoming, "incoming")
        with self._reading() as reading:
            record = reading.record(node_id)
            return reading.incoming(record) if to_it else reading.links(record)

    def focus(self) -> list[Node]:
        """Return the nodes being attended, newest first."""
        with self._reading() as reading:
            return reading.focus()

    def fading(self, limit: int = 100) -> list[Explanation]:
        """Return nodes that are fading, the next to be forgotten in front."""
        with self._reading() as reading:
            return reading.fading(checked_limit(limit))

    def forgotten(self, limit: int = 100) -> list[Forgotten]:
        """Return nodes in the trash, the last to go in front."""
        with self._reading() as reading:
            return reading.forgotten(checked_limit(limit))

    def in_trash(self, node_id: str) -> Forgotten:
        """Return a forgotten node. Raises NotFound for a node that lives or never was."""
        with self._reading() as reading:
            return reading.gone(reading.forgotten_record(node_id))

    def explain(self, node_id: str) -> Explanation:
        """Return why a node stands where it stands. Raises NotFound."""
        with self._reading() as reading:
            return reading.explain(reading.record(node_id))

    def explained(self, limit: int = 100) -> list[Explanation]:
        """Return why the newest living nodes stand where they stand, oldest of them first."""
        most = checked_limit(limit)
        with self._reading() as reading:
            return reading.explained(most)

    def search(self, query: str, *, limit: int = 10, forgotten: bool = False) -> list[Hit]:
        """Find something as `Memory.search` does; looking is no use: nothing is kept warm by it.

        Raises InvalidInput for arguments that make no sense.
        """
        agent = self._agent
        wanted = Query.of(query, agent.clock(), limit=limit, forgotten=forgotten)
        with self._borrow() as store, store.read(long=True) as tx:
            return Search(tx, agent.living.lens, wanted, agent.nearest, agent.facts).hits()

    def messages(
        self,
        node_id: str | None = None,
        *,
        after: int | str = 0,
        limit: int = 100,
        session: str | None = None,
        where: Mapping[str, Scalar] | None = None,
    ) -> list[Said]:
        """Return messages, oldest first; with a node's id, the messages it was made of.

        A page has at most `limit` messages and goes on `after` one (its id or its `seq`). A page
        costs the same, however many there are. `session` and `where` ask for messages of a
        session, and with such metadata. Raises NotFound for a node or a message that is not there.
        """
        tags, most = wanted_tags(session, where), checked_limit(limit)
        with self._reading() as reading:
            tx, last = reading.tx, _place(reading.tx, after)
            if node_id is not None:
                made = tx.messages.of(made_of(tx, reading.record(node_id)))
                fitting = [m for m in made if m.seq > last and m.has(tags)]
                records = sorted(fitting, key=lambda m: m.seq)[:most]
            elif tags:
                numbers = tx.index.tagged(tags, last, most)
                records = sorted(tx.messages.of(numbers), key=lambda m: m.seq)
            else:
                records = tx.messages.page(last, most)
        return [record.said for record in records]

    def working(self) -> list[Message]:
        """Return the working memory: the last messages, which no episode holds yet."""
        with self._reading() as reading:
            records = self._agent.learning.working(reading.tx)
        return [m.public for m in records]

    def network(self, limit: int = 100, around: str | None = None) -> Network:
        """Return the nodes nearest to the focus, with their links, as a picture needs them.

        With `around`, those nearest to that node. Raises NotFound.
        """
        most = checked_limit(limit)
        with self._reading() as reading:
            middle = None if around is None else reading.record(around).n
            return Around(reading, middle).network(self._agent.id, most)

    def course(self, node_id: str) -> Course:
        """Return how a node fades: from when the focus let it go until it is forgotten.

        Raises NotFound.
        """
        with self._reading() as reading:
            return course(reading.tx, reading.lens, reading.record(node_id))

    def lifecycle(self) -> Lifecycle:
        """Return how many nodes are cold or marked, as of the last tick."""
        with self._reading() as reading:
            passes = reading.tx.passes()
            living = reading.tx.meta.counts(passes)["nodes"]
            return Lifecycle(living, **reading.tx.ticks.counts(passes))

    def erasing(
        self, node_id: str | Iterable[str] = (), *, message_ids: Iterable[str] = ()
    ) -> Doomed:
        """Return what `erase` would destroy for the same arguments. Raises NotFound."""
        nodes, messages = ids_of(node_id, "node_id"), ids_of(message_ids, "message_ids")
        with self._reading() as reading:
            targets = chosen(reading.tx, nodes, messages)
            records = [r for n in targets.nodes if (r := reading.tx.nodes.get(n))]
            said = reading.tx.messages.of(targets.messages)
            return Doomed(
                tuple(reading.stored(record) for record in records),
                tuple(record.said for record in said),
            )

    def stats(self) -> Stats:
        """Return the figures of this memory."""
        with self._borrow() as store:
            return stats_of(self._agent.id, store)

    def faults(self) -> list[str]:
        """Return the faults of files, queue and records, in words; [] is sound."""
        with self._borrow() as store:
            if damage := store.check():
                return damage
            try:
                with store.read() as tx:
                    return list(faults(tx, self._agent.living.lens))
            except StorageError as error:
                return [str(error)]


def _place(tx: Transaction, after: int | str) -> int:
    """Return the number of a message after which a page goes on. Raises NotFound."""
    if not isinstance(after, str):
        return checked_limit(after, "after")
    found = tx.messages.named(storable(after))
    if not found:
        raise NotFound(f"no message has the id {shown(after)}")
    return found[-1].seq
