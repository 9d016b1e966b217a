"""The record of a run: written to SQLite while it runs.

Rows go to the file in batches of a fixed size and explanations at once, compressed: a run of any
length needs the same memory, and the same run gives the same bytes.
"""

from __future__ import annotations

import pathlib
import zlib
from typing import TYPE_CHECKING, Final, Self

import msgspec

from kubestage.errors import InputError
from kubestage.results import run_record_file
from kubestage.results.run_record_file import DecisionRow, TimelineRow
from kubestage.results.run_record_reader import RecordReader
from kubestage.results.trace_file import error_context

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.scheduler.measuring import MeasuredValue
    from kubestage.scheduler.record import Decision


BATCH_ROWS: Final = 1_000
_FASTEST: Final = 1
_POD_EVENTS: Final = ("podScheduled", "podUnscheduled", "podPreempted")


class NoRecord:
    """Stands in for a record where none can be kept: it receives everything and keeps nothing."""

    stores_details = False

    def attempt(self, step: int, decision: Decision, uid: str, explanation: Json | None) -> None:
        """Forget an attempt."""

    def event(self, step: int, event: Json) -> None:
        """Forget an event."""

    def measured(self, values: Sequence[MeasuredValue]) -> None:
        """Forget measures."""

    def step_finished(self, step: int, at_ns: int) -> None:
        """Forget a step."""

    def close(self) -> None:
        """Nothing is left to do."""


class RunRecord:
    """Writes the attempts and events of one run to a file that appears when it is closed.

    Use it as a context manager: after an error nothing is left behind. `about` is kept as it is
    in the table ``meta``. A pickled or forked machine gets `NoRecord` in its place, since two
    must not write to one file.
    """

    stores_details = True

    def __init__(self, path: str | pathlib.Path, about: Mapping[str, str] | None = None) -> None:
        self._path = pathlib.Path(path)
        self._partial = self._path.with_name(f".{self._path.name}.partial")
        self._connection = run_record_file.make(self._partial)
        self._decisions: list[DecisionRow] = []
        self._timeline: list[TimelineRow] = []
        self._measures: list[MeasuredValue] = []
        self._has_measures = False
        self._step, self._position = -1, 0
        self._encoder = msgspec.json.Encoder()
        try:
            with error_context(self._path):
                self._connection.execute("BEGIN")
                self._connection.executemany(
                    "INSERT INTO meta VALUES (?, ?)", sorted((about or {}).items())
                )
        except InputError:
            self.discard()
            raise

    def attempt(self, step: int, decision: Decision, uid: str, explanation: Json | None) -> None:
        """Keep an attempt that has ended, and its explanation if there is one."""
        number, at_ns, pod, profile, result, node, evaluated, feasible, message = decision
        tried = DecisionRow(
            number, step, at_ns, pod, uid, profile, result, node, evaluated, feasible, message
        )
        self._decisions.append(tried)
        if explanation is not None:
            packed = zlib.compress(self._encoder.encode(explanation), _FASTEST)
            with error_context(self._path):
                # An attempt that had to wait ends twice; it is kept once.
                self._connection.execute(
                    "INSERT OR REPLACE INTO details VALUES (?, ?)", (number, packed)
                )
        if len(self._decisions) >= BATCH_ROWS:
            self._flush()

    def event(self, step: int, event: Json) -> None:
        """Keep an event of the timeline: its subject, not the whole of it."""
        self._position = self._position + 1 if step == self._step else 0
        self._step = step
        self._timeline.append(_timeline_row(step, self._position, event))
        if len(self._timeline) >= BATCH_ROWS:
            self._flush()

    def measured(self, values: Sequence[MeasuredValue]) -> None:
        """Keep the measures of an attempt or of the end of a step."""
        if not values:
            return
        if not self._has_measures:
            with error_context(self._path):
                self._connection.execute(run_record_file.MEASURES)
            self._has_measures = True
        self._measures += values
        if len(self._measures) >= BATCH_ROWS:
            self._flush()

    def step_finished(self, step: int, at_ns: int) -> None:
        """Keep when a step ended."""
        with error_context(self._path):
            self._connection.execute("INSERT INTO steps VALUES (?, ?)", (step, at_ns))

    def close(self) -> None:
        """Write out what is left and move the file to its place."""
        try:
            self._flush()
            with error_context(self._path):
                self._connection.execute("COMMIT")
                self._connection.executescript(run_record_file.INDEXES)
        except InputError:
            self.discard()
            raise
        self._connection.close()
        self._partial.replace(self._path)

    def discard(self) -> None:
        """Let go of the file and leave nothing behind."""
        self._connection.close()
        self._partial.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            self.close()
        else:
            self.discard()

    def __reduce__(self) -> tuple[type[NoRecord], tuple[()]]:
        return (NoRecord, ())

    def _flush(self) -> None:
        many = self._connection.executemany
        with error_context(self._path):
            many("INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._decisions)
            many("INSERT INTO timeline VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self._timeline)
            if self._measures:
                many("INSERT INTO measures VALUES (?, ?, ?, ?, ?)", self._measures)
            self._connection.execute("COMMIT")
            self._connection.execute("BEGIN")
        self._decisions.clear()
        self._timeline.clear()
        self._measures.clear()


def _timeline_row(step: int, position: int, event: Json) -> TimelineRow:
    kind = namespace = name = node = preempted_by = ""
    for field in _POD_EVENTS:
        if event.get(field):
            result = event[field]
            kind, namespace, name = _identity(result["pod"])
            node, preempted_by = result.get("boundTo") or "", result.get("preemptedBy") or ""
    for field in ("create", "patch", "delete"):
        if event.get(field):
            body = event[field]
            operation = body.get("operation") or {}
            subject = body.get("result") or operation.get("object") or _named_by(operation)
            kind, namespace, name = _identity(subject)
            node = (subject.get("spec") or {}).get("nodeName") or "" if kind == "Pod" else ""
    identity = event.get("id") or "", event["operation"], kind, namespace, name
    return TimelineRow(step, position, *identity, node, preempted_by)


def _named_by(operation: Json) -> Json:
    meta = operation.get("objectMeta") or {}
    return {"kind": (operation.get("typeMeta") or {}).get("kind"), "metadata": meta}


def _identity(obj: Json) -> tuple[str, str, str]:
    metadata = obj.get("metadata") or {}
    return obj.get("kind") or "", metadata.get("namespace") or "", metadata.get("name") or ""


def open(path: str | pathlib.Path) -> RecordReader:  # noqa: A001 - read as `run_record.open`
    """The record at a path; InputError if it is none."""
    return RecordReader(path)
