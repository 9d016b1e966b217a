"""Records every change of a store, so that each moment since can be looked at again."""

from __future__ import annotations

import array
import bisect
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.results.history.weighing import ChangeWeights
from kubestage.store.log import DELETED
from kubestage.store.restoring import ObjectKey, Past

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.objects.kinds import Kind
    from kubestage.sim.clock import Clock
    from kubestage.store.log import Change
    from kubestage.store.store import Store

# A node renews its Lease every ten seconds: that is most of what happens, and tells nothing.
_LEFT_OUT: Final = ("coordination.k8s.io", "leases")
# So many changes are folded at once, which takes a few milliseconds (benchmarks/history.py).
_AT_ONCE: Final = 256
# So many texts a note has.
_TEXTS: Final = 3

Objects = dict[tuple[str, str], dict[str, dict[str, Any]]]
"""Objects by group and plural, then by key, in order of creation."""


class HistoryLimits(msgspec.Struct, frozen=True):
    """How much of the past is kept; None is without limit."""

    most_changes: int | None = None
    most_bytes: int | None = None
    """About how much memory changes may take: states that are current take none."""


class HistoryNote(msgspec.Struct, frozen=True):
    """Something that no change shows: `number` is that of the next change, `kind` that of a mark.

    Notes of one kind that follow each other at one moment are one: it has their `count`, the
    first subject, and the first few texts.
    """

    number: int
    unix_ns: int
    kind: str
    subject: str
    texts: tuple[str, ...]
    count: int = 1


class Moment(NamedTuple):
    """All that the state of a moment is computed from; another thread may do that."""

    unix_ns: int
    revision: int
    first: Objects
    changes: Sequence[Change]

    def objects(self) -> Objects:
        """All objects, as they were then; to be called once."""
        _apply(self.first, self.changes)
        return self.first

    def past(self, boot: int = 0) -> Past:
        """The state, for a stage that goes on from there; to be called once."""
        found = [
            (ObjectKey(*place, key), obj)
            for place, there in self.objects().items()
            for key, obj in there.items()
        ]
        return Past(self.revision, self.unix_ns, boot, found)


class HistoryStart(msgspec.Struct, frozen=True):
    """How a history begins: the moment, and all objects by group and plural, then by key."""

    begin_ns: int
    revision: int
    objects: dict[tuple[str, str], dict[str, dict[str, Any]]]


class ClusterHistory:
    """All changes of a store since `start`, or the newest of them, each with its virtual time.

    `changes` and `times` (Unix nanoseconds) have the same length. What lies before them is folded
    into one state, that of the moment `begin_ns`. Leases are left out.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        limits: HistoryLimits | None = None,
        weights: ChangeWeights | None = None,
    ) -> None:
        self.changes: list[Change] = []
        self.times: list[int] = []
        self.notes: list[HistoryNote] = []
        self.forgotten = 0
        self.begin_ns = clock.unix_ns
        self.begin_revision = store.revision
        self.limits = limits or HistoryLimits()
        self.size = 0
        self._weights = weights or ChangeWeights()
        self._sizes = array.array("Q")
        self._is_recording = False
        self._store = store
        self._clock = clock
        self._first: Objects = {}

    def start(self) -> None:
        """Take in what is there, and record from now on."""
        self.begin_ns, self.begin_revision = self._clock.unix_ns, self._store.revision
        for collection in self._store.collections():
            place = _place(collection.kind)
            if place != _LEFT_OUT:
                self._first[place] = {key: collection.objects[key] for key in collection.keys(None)}
        self._store.subscribe(self.on_change)
        self._is_recording = True

    def restore(self, first: HistoryStart, times: list[int], changes: list[Change]) -> None:
        """Have the past of a store that goes on where an earlier one ended; record from now on."""
        self.begin_ns, self.begin_revision = first.begin_ns, first.revision
        self._first = first.objects
        self.times, self.changes = times, changes
        self._store.subscribe(self.on_change)

    def close(self) -> None:
        """Record nothing from now on; what is recorded stays."""
        if self._is_recording:
            self._is_recording = False
            self._store.unsubscribe(self.on_change)

    @property
    def end_ns(self) -> int:
        """The newest moment that can be looked at: now."""
        return self._clock.unix_ns

    @property
    def end(self) -> int:
        """The number of the next change; numbers count from the first change ever recorded."""
        return self.forgotten + len(self.changes)

    def on_change(self, change: Change) -> None:
        """Record one change."""
        kind = change.kind
        if kind.plural == _LEFT_OUT[1] and kind.group == _LEFT_OUT[0]:
            return
        now_ns, times, limits = self._clock.unix_ns, self.times, self.limits
        if now_ns < (times[-1] if times else self.begin_ns):
            self._set_back(now_ns)
        self.changes.append(change)
        times.append(now_ns)
        if limits.most_bytes is not None:
            size = self._weights.of(change)
            self._sizes.append(size)
            self.size += size
            if self.size > limits.most_bytes:
                self._forget(min(self._excess_by_size(), _AT_ONCE))
        most = limits.most_changes
        if most is not None and len(times) > most + min(most // 4, _AT_ONCE):
            self._forget(min(len(times) - most, _AT_ONCE))

    def note(self, kind: str, subject: str, text: str) -> None:
        """Note something that no change shows, as it happens; `kind` is one of `marks.KINDS`."""
        now_ns, count = self._clock.unix_ns, 1
        texts: tuple[str, ...] = (text,)
        last = self.notes[-1] if self.notes else None
        if last is not None and (last.unix_ns, last.kind) == (now_ns, kind):
            self.notes.pop()
            subject, count = last.subject, last.count + 1
            texts = last.texts if len(last.texts) == _TEXTS else (*last.texts, text)
        self.notes.append(HistoryNote(self.end, now_ns, kind, subject, texts, count))

    def position(self, unix_ns: int) -> int:
        """How many of the kept changes have happened at a moment, that moment included."""
        return bisect.bisect_right(self.times, unix_ns)

    def since(self, number: int) -> Iterator[tuple[int, Change]]:
        """The kept changes from a number on, each with its time."""
        at = max(number - self.forgotten, 0)
        return zip(self.times[at:], self.changes[at:], strict=True)

    def moment_at(self, unix_ns: int) -> Moment:
        """What the state of a moment is computed from."""
        position = self.position(unix_ns)
        revision = self.changes[position - 1].revision if position else self.begin_revision
        first = {place: dict(there) for place, there in self._first.items()}
        return Moment(unix_ns, revision, first, self.changes[:position])

    def objects_at(self, unix_ns: int) -> Objects:
        """All objects at a moment: by group and plural, then by key, in order of creation."""
        return self.moment_at(unix_ns).objects()

    def past_at(self, unix_ns: int) -> Past:
        """The state of a moment, for a stage that goes on from there."""
        return self.moment_at(unix_ns).past()

    def first(self, group: str, plural: str) -> dict[str, dict[str, Any]]:
        """The objects of a kind at the beginning, by key."""
        return self._first.get((group, plural), {})

    def take_back(self, revision: int) -> None:
        """Forget what happened after a version: it could not be stored, and never was."""
        at = len(self.changes)
        while at and self.changes[at - 1].revision > revision:
            at -= 1
        self.size -= sum(self._sizes[at:])
        del self.changes[at:], self.times[at:], self._sizes[at:]

    def _set_back(self, now_ns: int) -> None:
        """The calendar was set back: what was before has no place on one line of time."""
        if self.times:
            self._forget(len(self.times))
        self.notes.clear()
        self.begin_ns = now_ns

    def _excess_by_size(self) -> int:
        """How many of the oldest changes are too much; a sixty-fourth more, so that it is rare."""
        assert self.limits.most_bytes is not None
        goal, size = self.limits.most_bytes - self.limits.most_bytes // 64, self.size
        for count, each in enumerate(self._sizes):
            if size <= goal or count >= _AT_ONCE:
                return count
            size -= each
        return len(self._sizes)

    def _forget(self, count: int) -> None:
        """Fold the oldest changes into the first state."""
        _apply(self._first, self.changes[:count])
        self.begin_ns, self.begin_revision = self.times[count - 1], self.changes[count - 1].revision
        self.size -= sum(self._sizes[:count])
        del self.changes[:count], self.times[:count], self._sizes[:count]
        self.forgotten += count
        old = bisect.bisect_left(self.notes, self.forgotten, key=_number)
        if old:
            del self.notes[:old]

    def __reduce__(self) -> tuple[type[NoHistory], tuple[()]]:
        return (NoHistory, ())


class NoHistory:
    """Stands in on a copy of a stage, whose past is that of the original."""

    def on_change(self, change: Change) -> None:
        """Forget a change."""


def _number(note: HistoryNote) -> int:
    return note.number


def _place(kind: Kind) -> tuple[str, str]:
    return kind.group, kind.plural


def _apply(objects: Objects, changes: Sequence[Change]) -> None:
    for change in changes:
        there = objects.setdefault(_place(change.kind), {})
        if change.type == DELETED:
            there.pop(change.key, None)
        else:
            there[change.key] = change.new
