"""Takes up a recording where it ended, however it ended."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.objects.patches import merge_patch
from kubestage.sources import segment_lines, segments
from kubestage.sources.change_log import ChangeLog, LogIdentity
from kubestage.sources.segment_lines import Gap, SegmentHeader, SegmentLine

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

_FIX: Final = "record into another folder"


def load(folder: pathlib.Path, most_bytes: int = segments.MOST_BYTES) -> ChangeLog | None:
    """The log of a recording with its last states and versions; None if nothing was recorded.

    A segment whose state is not complete has no changes: the one before it counts.
    """
    for path in reversed(segments.find(folder, segment_lines.STEM)):
        found = _folded(folder, path, most_bytes)
        if found is not None:
            return found
    return None


def _folded(folder: pathlib.Path, path: pathlib.Path, most_bytes: int) -> ChangeLog | None:
    log: ChangeLog | None = None
    left = 0
    with path.open("rb") as packed:
        try:
            for line, number in segment_lines.read(segments.opened(packed), str(path)):
                if isinstance(line, SegmentHeader):
                    log, left = _log_of(folder, line, most_bytes), line.objects
                    continue
                assert log is not None
                left -= line.verb == segment_lines.STATE
                try:
                    _apply(log, line)
                except (ValueError, msgspec.DecodeError) as error:
                    problem = str(error)
                    raise InputError(problem, file=str(path), line=number, fix=_FIX) from None
        except zlib.error:
            raise InputError("is damaged", file=str(path), fix=_FIX) from None
    return log if left == 0 else None


def _log_of(folder: pathlib.Path, header: SegmentHeader, most_bytes: int) -> ChangeLog:
    identity = LogIdentity(cluster=header.cluster, anonymised=header.anonymised, key=header.key)
    log = ChangeLog(folder, identity, most_bytes)
    log.versions.update(header.versions)
    log.gaps += header.gaps
    log.changes = header.changes
    log.began = header.began
    log.start_ns = timestamps.parse_time(header.began)
    log.end_ns = timestamps.parse_time(header.begin)
    return log


def _apply(log: ChangeLog, line: SegmentLine) -> None:
    """Do to the states what a line says, as all readers do."""
    reference, resource = line.reference, line.resource
    at_ns = timestamps.parse_time(line.at)
    log.end_ns = max(log.end_ns, at_ns)
    if line.verb == segment_lines.STATE:
        log.states.put(reference, _whole(line.content))
        return
    log.last_ns[resource] = at_ns
    if line.verb == segment_lines.GAP:
        log.versions[resource] = ""
        log.gaps.append(Gap(kind=line.kind, begin=line.since, end=line.at))
        return
    if line.verb == segment_lines.MARK:
        log.versions[resource] = line.version
        return
    log.changes += 1
    version = line.version
    if line.verb == "delete":
        log.states.remove(reference)
    else:
        content: Any = line.content
        before = log.states.get(reference) if line.verb == "patch" else None
        if line.verb == "patch" and before is None:
            return
        obj = _whole(content if before is None else merge_patch.apply(before, content))
        log.states.put(reference, obj)
        version = str(obj["metadata"].get("resourceVersion") or "")
    # Between a gap and the next mark there are differences of a list, which are of any version.
    if version and log.versions.get(resource):
        log.versions[resource] = version


def _whole(content: Any) -> Json:
    if not isinstance(content, dict) or not isinstance(content.get("metadata"), dict):
        raise ValueError("has no object")
    return content
