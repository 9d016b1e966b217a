"""Traces of SimKube: when which workloads were applied and deleted, in msgpack or JSON.

Version 2 is an object; version 1 is a list of the same parts without a version. What pods did
(`pod_lifecycles`) becomes the run duration of the pods of their owner.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.scenario.kss_events import RUN_DURATION
from kubestage.sources.formats import texts
from kubestage.sources.imported import Origin, Reference
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.entries import Entry
    from kubestage.sources.intake import Intake

NAME: Final = "SimKube trace"
_PARTS: Final = ("config", "events", "index", "pod_lifecycles")
_PACKED: Final = re.compile(rb"\x85\xa7version|\x94[\x80-\x8f]\xaetrackedObjects")
_JSON: Final = re.compile(rb'"(trackedObjects|applied_objs)"')
_KNOWN_VERSION: Final = 2
LACKS: Final = (
    "a SimKube trace has workloads and no nodes: add some with --nodes, or import a dump of the "
    "nodes together with it"
)


def is_one(entry: Entry) -> bool:
    """Whether a file is a trace, in one of its two encodings."""
    head = entry.head()
    if _PACKED.match(head):
        return True
    return head.lstrip()[:1] in (b"{", b"[") and _JSON.search(head[:8192]) is not None


def read(entry: Entry, intake: Intake) -> Origin:
    """Take the changes of a trace."""
    trace = _parts(_decoded(entry), entry.name)
    durations_by_owner = _run_durations(trace.get("pod_lifecycles"))
    events = trace.get("events")
    if not isinstance(events, list):
        raise InputError("is no list", file=entry.name, path="events", fix="export it again")
    seen: set[tuple[str, str, str, str]] = set()
    for number, event in enumerate(events):
        at_ns = _time(event, f"events[{number}].ts", entry.name)
        for obj in _listed(event, "applied_objs"):
            reference = texts.reference(obj)
            verb: Any = "update" if reference.key in seen else "create"
            seen.add(reference.key)
            intake.change(
                at_ns, verb, reference, _with_duration(obj, reference, durations_by_owner)
            )
        for obj in _listed(event, "deleted_objs"):
            reference = texts.reference(obj)
            seen.discard(reference.key)
            intake.change(at_ns, "delete", reference)
    intake.note(LACKS)
    return Origin(source=entry.path, format=NAME)


def _decoded(entry: Entry) -> Any:
    data = entry.read()
    if data.lstrip()[:1] in (b"{", b"["):
        return texts.json_value(data, entry.name, "the trace")
    try:
        return msgspec.msgpack.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise texts.broken(error, entry.name, "the trace") from None


def _parts(trace: Any, name: str) -> Json:
    """The parts of a trace of either version, by name."""
    if isinstance(trace, list):
        return dict(zip(_PARTS, trace, strict=False))
    version = trace.get("version", 1) if isinstance(trace, dict) else None
    if version not in (1, _KNOWN_VERSION):
        problem = f"version {version} of traces is not known"
        fix = "versions 1 and 2 are read; export the trace with an older skctl"
        raise InputError(problem, file=name, path="version", fix=fix)
    assert isinstance(trace, dict)
    return trace


def _time(event: Any, path: str, name: str) -> int:
    time = event.get("ts") if isinstance(event, dict) else None
    if not isinstance(time, int) or isinstance(time, bool):
        raise InputError("is no number of seconds", file=name, path=path, fix="export it again")
    return time * SECOND_NS


def _listed(event: Json, key: str) -> list[Any]:
    found = event.get(key)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _run_durations(lifecycles: Any) -> dict[tuple[str, str], int]:
    """How long pods of an owner ran, by the owner's type and name: the median of those that ended.

    The key of an owner is a pair; JSON has it as the text of a list.
    """
    found: dict[tuple[str, str], int] = {}
    for key, by_hash in lifecycles.items() if isinstance(lifecycles, dict) else ():
        owner = key
        if isinstance(key, str):
            try:
                owner = msgspec.json.decode(key)
            except msgspec.DecodeError:
                continue
        lives = by_hash.values() if isinstance(by_hash, dict) else ()
        ended = sorted(
            length
            for listed in lives
            for each in (listed if isinstance(listed, list) else ())
            if (length := _length(each)) is not None
        )
        if ended and isinstance(owner, list | tuple) and len(owner) == 2:
            found[str(owner[0]), str(owner[1])] = ended[len(ended) // 2] * SECOND_NS
    return found


def _length(life: Any) -> int | None:
    """How many seconds a pod ran that has ended."""
    times = life.get("Finished") if isinstance(life, dict) else None
    if not isinstance(times, list) or [type(each) for each in times] != [int, int]:
        return None
    start, end = map(int, times)
    return max(end - start, 0)


def _with_duration(obj: Json, reference: Reference, found: dict[tuple[str, str], int]) -> Json:
    """A workload whose pods run as long as they did."""
    owner = f"{reference.api_version}.{reference.kind}", f"{reference.namespace}/{reference.name}"
    duration_ns = found.get(owner)
    if duration_ns is None:
        return obj
    # Copied on the way down: other events may share the parts.
    holder = obj = dict(obj)
    for key in {"CronJob": ("spec", "jobTemplate", "spec", "template"), "Pod": ()}.get(
        reference.kind, ("spec", "template")
    ):
        holder[key] = dict(texts.part(holder, key))
        holder = holder[key]
    metadata = holder["metadata"] = dict(texts.part(holder, "metadata"))
    text = durations.go_string(duration_ns)
    metadata["annotations"] = {RUN_DURATION: text, **texts.part(metadata, "annotations")}
    return obj
