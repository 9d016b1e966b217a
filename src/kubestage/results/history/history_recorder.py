"""Writes the history of a cluster while it lives, compressed, as ``history_file`` reads it.

Nothing but compressed bytes is held: a change is written as what it changes, and forgotten. The
bytes can be sent to another process.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

import kubestage
from kubestage.results.history import differences
from kubestage.results.history.attempt_rows import AttemptRecorder, NoAttempts
from kubestage.results.history.cluster_history import NoHistory
from kubestage.results.history.history_file import HistoryBytes, HistoryEnd, HistoryHeader
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.scheduler.attempt import AnyAttempt
    from kubestage.scheduler.record import Decision
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.sim.clock import Clock
    from kubestage.store.log import Change
    from kubestage.store.store import Store

    _Numbers = dict[tuple[str, str, str], int]

MOST_CHANGES: Final = 200_000
"""Beyond so many changes only the kinds of `SHOWN` are recorded."""
MOST_SHOWN: Final = 1_000_000
"""Beyond so many nothing is."""
NODES: Final = 20_000
"""How many nodes are explained: recording must not take long."""
SHOWN: Final = frozenset({
    ("", "pods"), ("", "nodes"), ("", "events"), ("", "replicationcontrollers"),
    ("apps", "deployments"), ("apps", "replicasets"), ("apps", "statefulsets"),
    ("apps", "daemonsets"), ("batch", "jobs"), ("batch", "cronjobs"),
    ("autoscaling", "horizontalpodautoscalers"),
})  # fmt: skip
"""What the map, lives and marks are made of."""
# A node renews its Lease every ten seconds: that is most of what happens, and tells nothing.
_LEFT_OUT: Final = ("coordination.k8s.io", "leases")
# There are four for every pod that ever started. Those from before the beginning are left out.
_EVENTS: Final = ("", "events")
_GZIP: Final = 31
_LEVEL: Final = 1
_CHUNK: Final = 1 << 18


class Lines:
    """Lines, compressed as a gzip member: members one behind the other are one file.

    With `keep`, what is compressed is handed on at once, and `end` returns the rest.
    """

    def __init__(self, keep: Callable[[bytes], object] | None = None) -> None:
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        self._encoder = msgspec.json.Encoder()
        self._waiting = bytearray()
        self._done: list[bytes] = []
        self._keep = keep or self._done.append

    def write(self, line: tuple[Any, ...]) -> None:
        """Add a line."""
        self._encoder.encode_into(line, self._waiting, -1)
        self._waiting += b"\n"
        if len(self._waiting) > _CHUNK:
            self._pack()

    def end(self) -> bytes:
        """What was not handed on; nothing is added from now on."""
        self._pack()
        self._done.append(self._packer.flush())
        return b"".join(self._done)

    def _pack(self) -> None:
        self._keep(self._packer.compress(self._waiting))
        self._waiting.clear()


class HistoryBeginning(msgspec.Struct, frozen=True):
    """How a cluster began, as the first part of the file; copies of the cluster can share it."""

    packed: bytes
    numbers: dict[tuple[str, str, str], int]
    begin_ns: int
    revision: int


def beginning(
    store: Store, clock: Clock, scheduler: Scheduler | None, seed: int
) -> HistoryBeginning:
    """The state of a cluster, written down."""
    lines = Lines()
    configuration = None if scheduler is None else scheduler.configuration.to_dict()
    header = HistoryHeader(
        version=kubestage.__version__,
        seed=seed,
        begin_ns=clock.unix_ns,
        revision=store.revision,
        configuration=configuration,
    )
    lines.write(("history", header))
    numbers: _Numbers = {}
    for collection in store.collections():
        if _place(collection.kind) in (_LEFT_OUT, _EVENTS):
            continue
        number = _number(collection.kind, numbers, lines)
        for key in collection.keys(None):
            lines.write(("object", number, key, collection.objects[key]))
    return HistoryBeginning(lines.end(), numbers, clock.unix_ns, store.revision)


class HistoryRecorder:
    """Records all changes and attempts from `start` until `end`; a copy of the stage has none."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        scheduler: Scheduler | None,
        start_state: HistoryBeginning,
        *,
        most_changes: int = MOST_CHANGES,
        most_shown: int = MOST_SHOWN,
    ) -> None:
        self._store, self._clock, self._scheduler = store, clock, scheduler
        self._start_state = start_state
        self._numbers = dict(start_state.numbers)
        self._lines = self._new_lines()
        self._attempts = _AttemptLines(clock, self._lines, start_state.begin_ns)
        self._most_changes, self._most_shown = most_changes, most_shown
        self._changes = 0
        self._known_events: set[str] = set()
        self._reduced_ns: int | None = None
        self._stopped_ns: int | None = None

    def _new_lines(self) -> Lines:
        return Lines()

    def start(self) -> None:
        """Record from now on; the cluster is as it was when its beginning was written."""
        self._store.subscribe(self.on_change)
        if self._scheduler is not None:
            self._attempts.attach(self._scheduler.record)

    def on_change(self, change: Change) -> None:
        """Record one change."""
        place = _place(change.kind)
        if place == _LEFT_OUT:
            return
        ns = self._clock.unix_ns - self._start_state.begin_ns
        if self._changes >= self._most_changes and not self._is_taken(place, ns):
            return
        is_known = change.type != ADDED
        if place == _EVENTS:
            is_known = change.key in self._known_events
            if change.type == DELETED and not is_known:
                return
            if change.type == DELETED:
                self._known_events.discard(change.key)
            else:
                self._known_events.add(change.key)
        self._changes += 1
        number = _number(change.kind, self._numbers, self._lines)
        if change.type == DELETED:
            self._lines.write(("delete", ns, change.revision, number, change.key))
            return
        name, value = "add", change.new
        if is_known:
            assert change.old is not None
            patch = differences.difference(change.old, change.new)
            name, value = ("put", change.new) if patch is None else ("patch", patch)
        self._lines.write((name, ns, change.revision, number, change.key, value))

    def end(self) -> HistoryBytes:
        """The whole history; nothing is recorded from now on."""
        if self._stopped_ns is None:
            self._stop()
        end = HistoryEnd(
            end_ns=self._clock.unix_ns - self._start_state.begin_ns,
            revision=self._store.revision,
            changes=self._changes,
            reduced_ns=self._reduced_ns,
            stopped_ns=self._stopped_ns,
        )
        self._lines.write(("end", end))
        return HistoryBytes(self._start_state.packed, self._lines.end())

    def _is_taken(self, place: tuple[str, str], ns: int) -> bool:
        """Whether a change is recorded although there are many already."""
        if self._reduced_ns is None:
            self._reduced_ns = ns
        if self._changes < self._most_shown:
            return place in SHOWN
        self._stopped_ns = ns
        self._stop()
        return False

    def _stop(self) -> None:
        # NOTE: most changes of a load with 5,000 nodes come after the last that is recorded
        # (benchmarks/load.py).
        self._store.unsubscribe(self.on_change)
        self._attempts.close()
        self._known_events.clear()

    def __reduce__(self) -> tuple[type[NoHistory], tuple[()]]:
        return (NoHistory, ())


class _AttemptLines(AttemptRecorder):
    """Writes attempts instead of keeping them."""

    def __init__(self, clock: Clock, lines: Lines, begin_ns: int) -> None:
        super().__init__(clock, NODES)
        self._lines, self._begin_ns = lines, begin_ns

    def attempted(self, decision: Decision, attempt: AnyAttempt, explained: Json | None) -> None:
        """An attempt has ended."""
        ns = self._clock.unix_ns - self._begin_ns
        self._lines.write(("attempt", ns, attempt.pod.uid, decision, explained))
        if explained is not None:
            self.spend(decision)

    def __reduce__(self) -> tuple[type[NoAttempts], tuple[()]]:
        return (NoAttempts, ())


def _place(kind: Kind) -> tuple[str, str]:
    return kind.group, kind.plural


def _number(kind: Kind, numbers: _Numbers, lines: Lines) -> int:
    row = kind.group, kind.version, kind.plural
    found = numbers.get(row)
    if found is None:
        found = numbers[row] = len(numbers)
        lines.write(("kind", kind.group, kind.version, kind.kind, kind.plural, kind.namespaced))
    return found
