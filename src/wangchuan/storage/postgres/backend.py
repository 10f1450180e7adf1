"""The agents of a cell, behind the same contract as the folders of a root."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg_pool import PoolTimeout

from wangchuan.errors import StorageError, Unreachable
from wangchuan.ids import checked_id
from wangchuan.storage import files
from wangchuan.storage.patience import patiently
from wangchuan.storage.postgres import copying, schema
from wangchuan.storage.postgres.leases import RowLease
from wangchuan.storage.postgres.pool import SCHEMA, Pool, pool_of
from wangchuan.storage.postgres.store import BEYOND, NAMED, PostgresStore
from wangchuan.storage.store import Gone, Store
from wangchuan.storage.transaction import Transaction

DRAFT = ".draft."  # how the names of drafts begin: no agent is named so
DRAFT_HOURS = 24  # after which a draft is nobody's
BUSY = "another process works on agent {!r}; close it there first"


@dataclass(frozen=True, slots=True)
class PostgresBackend:
    """The agents of one cell; `root` is for what an agent has on this machine beside its memory."""

    dsn: str
    root: Path
    eventual: bool = False  # whether reads may be answered by a replica, which may be behind
    _checked: list[schema.Cell] = field(default_factory=list, compare=False)

    @property
    def where(self) -> str:
        """Return the address of the cell, without its password."""
        return schema.shown(self.dsn)

    def pool(self) -> Pool:
        """Return the connections to the cell, once it is known that it can be used."""
        pool = pool_of(self.dsn)
        if not self._checked:
            with schema.connected(self.dsn) as connection:
                connection.execute(f"SET search_path = {SCHEMA}")
                self._checked.append(schema.look(connection, self.dsn))
        pool.compares = self._checked[0].compares
        return pool

    def make(self, partitions: int) -> schema.Cell:
        """Make a cell of the database, or bring the one there up to date, as its owner."""
        return schema.make(self.dsn, partitions)

    def _rows(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a statement about agents, not about what they remember.

        It is tried again while the server cannot be reached: twice done must be as good as once.
        """
        return patiently(lambda: self._rows_at_once(sql, values))

    def _rows_at_once(self, sql: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        pool = self.pool()
        try:
            with pool.connection() as connection:
                cursor = connection.execute(sql, values)
                return cursor.fetchall() if cursor.description else []
        except (psycopg.OperationalError, PoolTimeout) as error:
            pool.drop_broken()
            raise Unreachable(f"cannot use {schema.shown(self.dsn)}: {error}") from error
        except psycopg.Error as error:
            raise StorageError(f"cannot use {schema.shown(self.dsn)}: {error}") from error

    def reach(self) -> None:
        """Ask the server once whether it is there; raises StorageError with the reason."""
        pool = self.pool()
        try:
            pool.reach()
        except psycopg.Error as error:
            raise Unreachable(f"cannot use {self.where}: {error}") from error

    def agents(self) -> list[str]:
        """Return the ids of all agents of the cell, sorted."""
        rows = self._rows("SELECT name FROM agents WHERE NOT moved ORDER BY name")
        return [row[0] for row in rows if not row[0].startswith(".")]

    def _number(self, agent: str) -> int | None:
        found = "SELECT number FROM agents WHERE name = %(name)s AND NOT moved"
        rows = self._rows(found, name=agent)
        return rows[0][0] if rows else None

    def exists(self, agent: str) -> bool:
        """Tell whether an agent has a memory in the cell."""
        return self._number(agent) is not None

    def place(self, agent: str) -> str:  # noqa: ARG002
        """Return the address of the cell, without its password."""
        return self.where

    def path(self, agent: str) -> Path:
        """Return the folder for what an agent has on this machine, whether or not it is there."""
        return self.root / checked_id(agent)

    def prepare(self, agent: str) -> None:
        """Check that the cell can be used."""
        checked_id(agent)
        self.pool()

    def open(self, agent: str) -> PostgresStore:
        """Open the store of an agent, making its place if it is new."""
        number = self._number(checked_id(agent))
        if number is None:
            self._make(agent)
            number = self._number(agent)
        if number is None:
            place = self.moved_to(agent)
            told = f"moved to {place}: open it there" if place else "erased just now: open it again"
            raise Unreachable(f"agent {agent!r} was {told}")
        return self._store(number)

    def _store(self, number: int) -> PostgresStore:
        readers = pool_of(self.dsn, stale=True) if self.eventual else None
        return PostgresStore(self.pool(), number, readers=readers)

    def _make(self, name: str) -> bool:
        """Make the place of an agent, with an empty memory in it; False if it is taken."""
        made = self._rows(
            "SELECT make_agent(%(name)s, %(number)s)", name=name, number=secrets.randbits(62)
        )
        return bool(made[0][0])

    def lease(self, agent: str) -> RowLease:
        """Return the lease of an agent, a row of the cell."""
        return RowLease(self.pool(), agent)

    def note(self, agent: str, **figures: Any) -> None:
        """Note figures in the agent's row."""
        notes = json.dumps(figures, ensure_ascii=False)
        self._rows(
            "UPDATE agents SET notes = %(notes)s WHERE name = %(name)s", notes=notes, name=agent
        )

    @contextmanager
    def draft(self, agent: str) -> Iterator[RowsDraft]:
        """Begin the draft of an agent's memory, under a name that nobody opens."""
        place = checked_id(agent)
        name = f"{DRAFT}{secrets.token_hex(8)}"
        self._make(name)
        try:
            yield RowsDraft(self, self._number(name) or 0, place, self.exists(place))
        finally:
            self._destroy(name)

    def copy(self, agent: str, store: Store, root: Path) -> Path | None:
        """Copy an open store to a folder below a root, where it is one of SQLite's."""
        return copying.copy_into_folder(agent, store, root)

    def erase(self, agent: str) -> Gone:
        """Destroy all rows of an agent that nobody works on; return how many there were."""
        lease = self.lease(agent)
        if not lease.take():
            raise StorageError(BUSY.format(agent))
        try:
            return Gone(self._destroy(agent), "rows", BEYOND)
        finally:
            lease.give()

    def send_away(self, agent: str) -> None:
        """Destroy all rows of an agent that was carried to where it is moved, but for its name."""
        self._destroy(agent, "UPDATE agents SET moved = TRUE WHERE number = %s")

    def moved_to(self, agent: str) -> str | None:
        """Return where an agent went that was here: "" if it is here still, None if it never was.

        Whoever is being moved is here.
        """
        told = "SELECT CASE WHEN moved THEN moving_to ELSE '' END FROM agents WHERE name = %(name)s"
        rows = self._rows(told, name=agent)
        return rows[0][0] if rows else None

    def drop_forward(self, agent: str) -> None:
        """Forget where an agent went that was here."""
        self._rows("DELETE FROM agents WHERE name = %(name)s AND moved", name=agent)

    def _destroy(self, name: str, end: str = "DELETE FROM agents WHERE number = %s") -> int:
        number = self._number(name)
        if number is None:
            return 0
        pool = self.pool()
        try:
            with pool.connection() as connection, connection.transaction():
                connection.execute(NAMED, {"agent": str(number)})
                connection.execute("SELECT 1 FROM agents WHERE number = %s FOR UPDATE", (number,))
                count: int = sum(
                    connection.execute(f"DELETE FROM {table}").rowcount  # of this agent: see _guard
                    for table in schema.tables(connection)
                )
                connection.execute(end, (number,))
                connection.execute("DELETE FROM leases WHERE agent = %s", (number,))
                return count
        except psycopg.Error as error:
            pool.drop_broken()
            where = schema.shown(self.dsn)
            raise StorageError(f"cannot erase {name!r} from {where}: {error}") from error

    def moving(self, agent: str) -> str | None:
        """Return to where an agent is being moved, if it is."""
        rows = self._rows("SELECT moving_to FROM agents WHERE name = %(name)s", name=agent)
        return rows[0][0] if rows else None

    def hold_back(self, agent: str, target: str | None) -> None:
        """Let nobody write an agent that is being moved; with None, let it be written again."""
        self._rows(
            "UPDATE agents SET moving_to = %(target)s WHERE name = %(name)s",
            target=target,
            name=agent,
        )

    def waiting(self, limit: int) -> list[str]:
        """Return agents whose jobs wait for a worker, those that were served longest ago first."""
        found = """SELECT name FROM agents LEFT JOIN leases ON agent = number
            WHERE pending > 0 AND moving_to IS NULL AND (until IS NULL OR until < now())
            ORDER BY taken_at NULLS FIRST LIMIT %(limit)s"""
        return [row[0] for row in self._rows(found, limit=limit) if not row[0].startswith(".")]

    def waiting_jobs(self) -> int:
        """Return how many jobs wait: only agents with waiting jobs are looked at, by an index."""
        told = "SELECT coalesce(sum(pending), 0) FROM agents WHERE pending > 0"
        return int(self._rows_at_once(told, {})[0][0])

    def status(self) -> dict[str, Any]:
        """Return the figures of the cell."""
        told = """SELECT (SELECT version FROM cell), (SELECT partitions FROM cell),
            (SELECT count(*) FROM agents WHERE name NOT LIKE '.%%' AND NOT moved),
            (SELECT count(*) FROM agents WHERE pending > 0),
            (SELECT coalesce(sum(pending), 0) FROM agents),
            (SELECT count(*) FROM leases WHERE until > now()),
            pg_database_size(current_database()), pg_is_in_recovery()"""
        names = "version partitions agents waiting_agents waiting_jobs leases bytes replica"
        (row,) = self._rows(told)
        return {n: int(v) if n != "replica" else v for n, v in zip(names.split(), row, strict=True)}

    def tidy(self, agent: str | None = None) -> None:
        """Remove drafts whose writers died long ago."""
        if agent is None:
            old = "SELECT name FROM agents WHERE starts_with(name, %(draft)s)"
            old += f" AND made_at < now() - INTERVAL '{DRAFT_HOURS} hours'"
            for (name,) in self._rows(old, draft=DRAFT):
                self._destroy(name)
        else:
            files.tidy(self.path(agent))

    def scratch(self) -> AbstractContextManager[Transaction]:
        """Open an empty store in memory, in one transaction."""
        return copying.scratch()

    def is_in_use(self, path: Path) -> bool:  # noqa: ARG002
        """Tell that no file belongs to a store."""
        return False


@dataclass(frozen=True, slots=True)
class RowsDraft:
    """A memory that is made under the name of a draft."""

    backend: PostgresBackend
    number: int
    place: str
    was_taken: bool

    def open(self) -> PostgresStore:
        """Open the store of the draft."""
        return self.backend._store(self.number)

    def settle(self) -> bool:
        """Give the draft its name; False, changing nothing, if there is such an agent."""
        settled = "SELECT settle_agent(%(number)s, %(place)s)"
        return bool(self.backend._rows(settled, number=self.number, place=self.place)[0][0])
