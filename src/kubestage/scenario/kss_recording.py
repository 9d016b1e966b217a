"""The recordings of kube-scheduler-simulator: a change of a real cluster a line, with its time.

As a Scenario, a step is a second: requests to the cluster are played at their times, and the
scheduler of the run makes its decisions again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.scenario import kss_events
from kubestage.scenario.kss_replay import Replay

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_EVENTS: Final = ("Add", "Update", "Delete")
_SHAPE: Final = 'a line is {"time": "...", "event": "Add", "resource": {...}}'
_BOM: Final = b"\xef\xbb\xbf"


class Record(NamedTuple):
    """One change: when it was recorded, its type, the object, and its line in the file."""

    time_ns: int
    event: str
    resource: Json
    line: int


class _Line(msgspec.Struct):
    time: str
    event: str
    resource: dict[str, Any]


_decode: Final = msgspec.json.Decoder(_Line).decode


def read(lines: Iterable[str | bytes], notes: list[str] | None = None) -> Iterator[Record]:
    """Each record of a file's lines; InputError names the line that is none.

    A recorder that is stopped may leave its last line unfinished. That is added to `notes`, if
    they are recorded, and is no error then.
    """
    numbered = enumerate(lines, 1)
    for number, line in numbered:
        data = line.encode(errors="surrogatepass") if isinstance(line, str) else line
        text = (data.removeprefix(_BOM) if number == 1 else data).strip()
        if not text:
            continue
        try:
            written = _decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            may_be_cut = not isinstance(error, msgspec.ValidationError) and data[-1:] != b"\n"
            if notes is None or not may_be_cut or next(numbered, None) is not None:
                raise InputError(_described(error), line=number, fix=_SHAPE) from None
            notes.append(f"line {number}, the last one, is cut off: it is left out")
            return
        yield _record(written, number)


def _described(error: Exception) -> str:
    if isinstance(error, msgspec.ValidationError):
        return f"not a record: {error}"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return "nested too deeply" if isinstance(error, RecursionError) else f"not JSON: {error}"


def _record(written: _Line, line: int) -> Record:
    try:
        time_ns = timestamps.parse_time(written.time)
    except ValueError as error:
        fix = "times are as in 2026-01-01T12:00:00.5Z"
        raise InputError(str(error), line=line, path="time", fix=fix) from None
    if written.event not in _EVENTS:
        fix = f"there are {', '.join(_EVENTS)}"
        raise InputError(f"unknown event {written.event!r}", line=line, path="event", fix=fix)
    return Record(time_ns, written.event, _object(written.resource, line), line)


def _object(resource: Json, line: int) -> Json:
    """The object of a record, if it is one; no namespace is written as an empty one."""
    for field in ("apiVersion", "kind"):
        if not isinstance(resource.get(field), str) or not resource[field]:
            path, fix = f"resource.{field}", "every recorded object tells its kind"
            raise InputError(f"{field} is missing", line=line, path=path, fix=fix)
    metadata = resource.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(name, str) or not name:
        path, fix = "resource.metadata.name", "every recorded object has a name"
        raise InputError("the name is missing", line=line, path=path, fix=fix)
    if metadata.get("namespace") == "":
        metadata = {key: value for key, value in metadata.items() if key != "namespace"}
        return {**resource, "metadata": metadata}
    return resource


def scenario(
    records: Iterable[Record], name: str = "recording", notes: list[str] | None = None
) -> Json:
    """The Scenario that plays a recording at its own pace, a second a step.

    What was left out or is not played as it was recorded is added to `notes`. The Scenario was
    created when the recording began, so that a run can start its clock at that time.
    """
    recorded = list(records)
    replay = Replay(
        has_pods=any(kss_events.type_of(each.resource) == kss_events.POD for each in recorded)
    )
    for record in recorded:
        replay.take(record)
    if notes is not None:
        notes += replay.notes()
    created = kss_events.scenario(name, replay.events(), replay.step, stepDuration="1s")
    if recorded and recorded[0].time_ns > 0:
        created["metadata"]["creationTimestamp"] = timestamps.format_time(recorded[0].time_ns)
    return created
