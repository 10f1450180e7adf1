"""Leases as rows: the right to work on an agent, for a while, renewed while its holder lives.

A holder that dies is not heard of any more, and its agents are free when their time is over. A
holder that was only slow may go on beside another: a step looks in its own transaction whether its
job still stands as it was read, so nothing is done twice; only a question to a model may be asked
twice.
"""

from __future__ import annotations

import logging
import os
import threading
from datetime import timedelta
from uuid import uuid4
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

import psycopg
from psycopg_pool import PoolTimeout

from wangchuan.errors import StorageError, Unreachable
from wangchuan.storage.postgres.pool import Pool
from wangchuan.storage.postgres.schema import shown

log = logging.getLogger("wangchuan")

LEASE = timedelta(seconds=6)
RENEW_SECONDS = 2.0
# A lease need not outlive a crash of the server: nobody waits until it is durable.
SOFT = "set_config('synchronous_commit', 'off', true) IS NOT NULL"
TAKE = f"""INSERT INTO leases (agent, holder, until) SELECT number, %(holder)s, now() + %(time)s
FROM agents WHERE name = %(agent)s AND {SOFT}
ON CONFLICT (agent) DO UPDATE
SET holder = excluded.holder, until = excluded.until, taken_at = now()
WHERE leases.until < now() OR leases.holder = excluded.holder
RETURNING 1"""
GIVE = f"""UPDATE leases SET until = now() - INTERVAL '1 second'
WHERE {SOFT} AND holder = %(holder)s
AND agent = (SELECT number FROM agents WHERE name = %(agent)s)"""
WAITING = "SELECT 1 FROM agents WHERE name = %(agent)s AND pending > 0"
RENEW = f"""UPDATE leases SET until = now() + %(time)s WHERE holder = ANY(%(holders)s)
AND until > now() AND {SOFT}"""


class RowLease:
    """The lease of one agent; every object is a holder of its own."""

    def __init__(self, pool: Pool, agent: str) -> None:
        self._pool, self._agent = pool, agent
        self._holder = f"{os.uname().nodename}:{os.getpid()}:{uuid4().hex}"
        self._times = 0

    def take(self) -> bool:
        """Try to take it, without waiting. Raises StorageError where that cannot be tried."""
        if self._times:
            self._times += 1
            return True
        if not self._run(TAKE):
            return False
        self._times = 1
        _keeper_of(self._pool).add(self._holder, self)
        return True

    def give(self) -> bool | None:
        """Release the lease, unless it was taken more often; of no effect if it is not held.

        Tell whether jobs wait, as seen after that: whoever brings one later finds it free.
        """
        self._times = max(0, self._times - 1)
        if self._times or not _keeper_of(self._pool).drop(self._holder):
            return None
        try:
            return self._run(GIVE, WAITING)
        except StorageError as error:
            log.info("a lease is left to run out: %s", error)
            return None

    def _run(self, *sql: str) -> bool:
        """Run statements in one trip; tell whether the last one found or changed a row."""
        values = {"agent": self._agent, "holder": self._holder, "time": LEASE}
        try:
            with self._pool.connection() as connection:
                with connection.pipeline():
                    ran = [connection.execute(one, values) for one in sql]
                return ran[-1].rowcount > 0
        except (psycopg.Error, PoolTimeout) as error:
            self._pool.drop_broken()
            raise Unreachable(f"cannot use {shown(self._pool.dsn)}: {error}") from error


class Keeper:
    """The thread of a process that renews the leases it holds in a cell, as long as there are."""

    def __init__(self, pool: Pool) -> None:
        self._pool = ref(pool)
        self._held: WeakValueDictionary[str, RowLease] = WeakValueDictionary()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, holder: str, lease: RowLease) -> None:
        """Renew a lease from now on."""
        with self._lock:
            self._held[holder] = lease
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._keep, daemon=True, name="wangchuan-lease"
                )
                self._thread.start()

    def drop(self, holder: str) -> bool:
        """Stop renewing the lease; tell whether it was held."""
        with self._lock:
            return self._held.pop(holder, None) is not None

    def _keep(self) -> None:
        idle = threading.Event()
        while True:
            idle.wait(RENEW_SECONDS)
            with self._lock:
                holders = list(self._held)
                if not holders:
                    self._thread = None
                    return
            pool = self._pool()
            if pool is None:
                return
            try:
                with pool.connection() as connection:
                    connection.execute(RENEW, {"holders": holders, "time": LEASE})
            except Exception as error:  # the outer frame of a thread: tried again
                log.warning("leases cannot be renewed: %s", error)
                pool.drop_broken()


_keepers: WeakKeyDictionary[Pool, Keeper] = WeakKeyDictionary()
_making = threading.Lock()


def _keeper_of(pool: Pool) -> Keeper:
    with _making:
        return _keepers.setdefault(pool, Keeper(pool))
