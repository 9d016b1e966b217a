"""The history of a cluster in a file: how it began, every change since, every attempt.

A gzip file of JSON lines, the same bytes for the same run. Each line is a list, by its first item::

    ["history", {...}]                                     `HistoryHeader`, the first line
    ["kind", group, version, kind, plural, namespaced]     kinds are numbered as they appear
    ["object", kind, key, object]                          was there at the beginning
    ["add", ns, revision, kind, key, object]               ns: since the beginning
    ["patch", ns, revision, kind, key, merge patch]        against the version before
    ["put", ns, revision, kind, key, object]               a change that no merge patch expresses
    ["delete", ns, revision, kind, key]
    ["attempt", ns, uid, decision, explanation or null]    a scheduling attempt that ended
    ["end", {...}]                                         `HistoryEnd`, the last line
"""

from __future__ import annotations

import contextlib
import gzip
import itertools
import zlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects.kinds import Kind, KindTable
from kubestage.results.history import attempt_rows, differences
from kubestage.results.history.attempt_rows import AttemptRow, RunAttempts
from kubestage.scheduler.record import make_decision
from kubestage.store.log import ADDED, DELETED, MODIFIED, Change, at_revision

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Iterable, Iterator

    from kubestage.aliases import Json

FORMAT: Final = 1
_FIX: Final = "run it again"


class HistoryHeader(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a history is of, and how its cluster began."""

    format: int = FORMAT
    version: str
    seed: int
    begin_ns: int
    revision: int
    configuration: dict[str, Any] | None = None
    """The scheduler's, None if there was none."""


class HistoryEnd(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How much was recorded; the moments are nanoseconds since the beginning."""

    end_ns: int
    revision: int
    changes: int
    reduced_ns: int | None = None
    """Since when only what is shown by default was recorded."""
    stopped_ns: int | None = None
    """Since when nothing was."""


class RecordedHistory(msgspec.Struct, frozen=True):
    """A history that was read."""

    header: HistoryHeader
    end: HistoryEnd
    first: dict[tuple[str, str], dict[str, Json]]
    last: dict[tuple[str, str], dict[str, Json]]
    """All objects at the end, by group and plural, then by key."""
    times: list[int]
    changes: list[Change]
    attempts: RunAttempts

    @property
    def end_ns(self) -> int:
        """The last moment, as Unix nanoseconds."""
        return self.header.begin_ns + self.end.end_ns


class HistoryBytes(msgspec.Struct, frozen=True):
    """A history as it is written: how the cluster began, and what happened since."""

    beginning: bytes
    changes: bytes

    def pieces(self) -> Iterator[bytes]:
        """The bytes of the file, in order."""
        yield self.beginning
        yield self.changes


def read(path: pathlib.Path, beginning: pathlib.Path | None = None) -> RecordedHistory:
    """Read a history; InputError if it is none, or of another format.

    `beginning` is the file with its first part, if several histories share that.
    """
    paths = [path] if beginning is None else [beginning, path]
    try:
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(gzip.open(each, "rb")) for each in paths]
            return _Reader().read(itertools.chain.from_iterable(files))
    except (OSError, EOFError, zlib.error, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path), fix=_FIX) from None
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"is not a history: {error}", file=str(path), fix=_FIX) from None


class _Reader:
    """Rebuilds every version of every object, each sharing what it can with the one before."""

    def __init__(self) -> None:
        self._header: HistoryHeader | None = None
        self._end: HistoryEnd | None = None
        self._known = KindTable()
        self._begin()

    def _begin(self) -> None:
        self._kinds: list[Kind] = []
        self._now: list[dict[str, Json]] = []
        self._first: dict[tuple[str, str], dict[str, Json]] = {}
        self._times: list[int] = []
        self._changes: list[Change] = []
        self._rows: list[AttemptRow] = []
        self._begin_ns = 0

    def read(self, lines: Iterable[bytes]) -> RecordedHistory:
        takers: dict[str, Callable[..., None]] = {
            "patch": self._patch, "add": self._add, "put": self._put, "delete": self._delete,
            "attempt": self._attempt, "object": self._object, "kind": self._kind,
            "history": self._take_header, "end": self._take_end,
        }  # fmt: skip
        decode = msgspec.json.Decoder().decode
        for line in lines:
            name, *rest = decode(line)
            takers[name](*rest)
        if self._header is None or self._end is None:
            raise ValueError("it has no beginning or no end")
        last = {
            (kind.group, kind.plural): objects
            for kind, objects in zip(self._kinds, self._now, strict=True)
        }
        return RecordedHistory(
            header=self._header,
            end=self._end,
            first=self._first,
            last=last,
            times=self._times,
            changes=self._changes,
            attempts=RunAttempts(self._rows),
        )

    def _take_header(self, header: Json) -> None:
        if header.get("format") != FORMAT:
            raise ValueError(f"format {header.get('format')} is not {FORMAT}")
        # One that begins otherwise than the others of its directory has a beginning of its own.
        self._begin()
        self._header = msgspec.convert(header, HistoryHeader)
        self._begin_ns = self._header.begin_ns

    def _take_end(self, end: Json) -> None:
        self._end = msgspec.convert(end, HistoryEnd)

    def _kind(self, group: str, version: str, kind: str, plural: str, namespaced: bool) -> None:
        row = self._known.by_plural(group, version, plural)
        self._kinds.append(row or Kind(group, version, kind, plural, namespaced=namespaced))
        self._now.append({})
        self._first.setdefault((group, plural), {})

    def _object(self, kind: int, key: str, obj: Json) -> None:
        row = self._kinds[kind]
        self._now[kind][key] = self._first[row.group, row.plural][key] = obj

    def _add(self, ns: int, revision: int, kind: int, key: str, obj: Json) -> None:
        self._take(ns, Change(revision, ADDED, self._kinds[kind], key, obj, None))
        self._now[kind][key] = obj

    def _put(self, ns: int, revision: int, kind: int, key: str, obj: Json) -> None:
        old = self._now[kind][key]
        self._take(ns, Change(revision, MODIFIED, self._kinds[kind], key, obj, old))
        self._now[kind][key] = obj

    def _patch(self, ns: int, revision: int, kind: int, key: str, patch: Json) -> None:
        self._put(ns, revision, kind, key, differences.apply(self._now[kind][key], patch))

    def _delete(self, ns: int, revision: int, kind: int, key: str) -> None:
        old = self._now[kind].pop(key)
        last = at_revision(old, revision)
        self._take(ns, Change(revision, DELETED, self._kinds[kind], key, last, old))

    def _take(self, ns: int, change: Change) -> None:
        self._times.append(self._begin_ns + ns)
        self._changes.append(change)

    def _attempt(self, ns: int, uid: str, decision: list[Any], explanation: Json | None) -> None:
        packed = None if explanation is None else attempt_rows.pack(explanation)
        row = make_decision(tuple(decision))
        self._rows.append(AttemptRow(row, uid, self._begin_ns + ns, packed))
