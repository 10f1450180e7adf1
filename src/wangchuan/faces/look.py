"""Looking inside a memory: `memory.look`. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from wangchuan.arguments import a_flag
from wangchuan.erasing.provenance import chosen, made_of
from wangchuan.faces.face import Face
from wangchuan.living.around import Around
from wangchuan.living.view import checked_limit, stats_of
from wangchuan.messages import ids_of
from wangchuan.settings.fields import Settings
from wangchuan.types import (
    Doomed,
    Explanation,
    Forgotten,
    Lifecycle,
    Link,
    Message,
    Network,
    Node,
    Said,
    Stats,
)


class Look(Face):
    """What is in a memory, and why it stands where it stands."""

    @property
    def settings(self) -> Settings:
        """Return the settings that hold for this agent."""
        return self._agent.settings

    def nodes(self) -> list[Node]:
        """Return all living nodes, oldest first."""
        with self._reading() as reading:
            return reading.nodes()

    def node(self, node_id: str) -> Node | None:
        """Return a living node; None if it never was or is forgotten."""
        with self._reading() as reading:
            return reading.node(node_id)

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

    def messages(self, node_id: str) -> list[Said]:
        """Return the messages a living node was made of. Raises NotFound."""
        with self._reading() as reading:
            records = reading.tx.messages.of(made_of(reading.tx, reading.record(node_id)))
        return [Said(**{**asdict(record), "id": record.public_id}) for record in records]

    def working(self) -> list[Message]:
        """Return the working memory: the last messages, which no episode holds yet."""
        with self._reading() as reading:
            records = self._agent.learning.working(reading.tx)
        return [Message(m.role, m.content, m.public_id, m.name, m.said_at) for m in records]

    def network(self, limit: int = 100) -> Network:
        """Return the nodes nearest to the focus, with their links, as a picture needs them."""
        most = checked_limit(limit)
        with self._reading() as reading:
            return Around(reading).network(self._agent.id, most)

    def lifecycle(self) -> Lifecycle:
        """Return how many nodes are cold or marked, as of the last tick."""
        with self._reading() as reading:
            passes = reading.tx.passes()
            living = reading.tx.meta.counts(passes)["nodes"]
            return Lifecycle(living, **reading.tx.lifecycle.counts(passes))

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
                tuple(Said(**{**asdict(record), "id": record.public_id}) for record in said),
            )

    def stats(self) -> Stats:
        """Return the figures of this memory."""
        with self._borrow() as store:
            return stats_of(self._agent.id, store)
