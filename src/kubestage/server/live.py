"""A stage that is being served: where requests, the clock, watches and the journal meet.

Everything runs in one event loop. A request calls the store, which answers at once; its answer goes
out when what it tells of is safe.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from kubestage.server.fanout import Fanout

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.errors import ApiError
    from kubestage.objects.kinds import Kind
    from kubestage.objects.patches import PatchType
    from kubestage.stage import Stage
    from kubestage.store.log import Change
    from kubestage.store.store import Store


REPORTS: Final = frozenset({"Event", "Lease"})
"""Kinds by which others say that they are there, and what they did."""


class Write(NamedTuple):
    """One successful write from outside, as it was asked for.

    `verb` is that of the API: create, update, patch, apply, delete, deletecollection; the
    `subresource` says more. `body` is what the request held, `result` what came of it.
    """

    verb: str
    kind: Kind
    namespace: str | None
    name: str
    subresource: str = ""
    body: Any = None
    patch_type: PatchType | None = None
    user_agent: str = ""
    result: dict[str, Any] | None = None
    is_dry_run: bool = False


class Durability(Protocol):
    """Whoever keeps changes safe, and calls `Fanout.show` for those that are."""

    @property
    def revision(self) -> int:
        """The newest version up to which everything is safe."""
        ...

    @property
    def failure(self) -> ApiError | None:
        """Why nothing more can be kept; None while all is well."""
        ...

    async def until(self, revision: int) -> None:
        """Wait until a version is safe; raises if it never will be."""
        ...

    def close(self) -> None:
        """Make everything safe and let go of files."""
        ...


class Pace(Protocol):
    """Whoever lets virtual time pass."""

    def catch_up(self) -> None:
        """Bring the clock to where it should be now: a request is about to be served."""
        ...

    def wake(self, *, is_report: bool = False) -> None:
        """Something was written: there may be things to do; a report asks nothing of anybody."""
        ...


class InMemory:
    """No durability: what has happened may be told at once."""

    def __init__(self, store: Store, fanout: Fanout) -> None:
        self._store = store
        self._fanout = fanout
        self._is_due = False
        store.subscribe(self.on_change)

    @property
    def revision(self) -> int:
        """The newest version of the store."""
        return self._store.ledger.revision

    @property
    def failure(self) -> ApiError | None:
        """Nothing can fail."""
        return None

    async def until(self, revision: int) -> None:
        """Never waits."""

    def close(self) -> None:
        """Nothing is kept."""
        self._store.unsubscribe(self.on_change)

    def on_change(self, _change: Change) -> None:
        """Have watches told soon, of all that happens until then at once."""
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._show)

    def _show(self) -> None:
        self._is_due = False
        self._fanout.show(self.revision)


class Standstill:
    """Virtual time that never passes."""

    def catch_up(self) -> None:
        """Nothing is due."""

    def wake(self, *, is_report: bool = False) -> None:
        """Nothing is due."""


class Live:
    """What every request handler is given.

    `durability` and `pace` may be replaced before the first request; `listeners` hear of every
    successful write from outside.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.fanout = Fanout(stage.store)
        self.durability: Durability = InMemory(stage.store, self.fanout)
        self.pace: Pace = Standstill()
        self.listeners: list[Callable[[Write], None]] = []

    @property
    def store(self) -> Store:
        """The store of the stage."""
        return self.stage.store

    def keep(self, durability: Durability) -> None:
        """Have another one keep changes safe."""
        self.durability.close()
        self.durability = durability

    def wrote(self, write: Write) -> None:
        """Tell all who want to know of a write from outside."""
        for listener in self.listeners:
            listener(write)
        self.pace.wake(is_report=write.kind.kind in REPORTS)

    async def settled(self) -> None:
        """Wait until everything that has happened so far is safe to tell."""
        revision = self.store.ledger.revision
        if self.durability.revision < revision:
            await self.durability.until(revision)
