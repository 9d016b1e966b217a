"""Appends the changes of a cluster to a recording, each as small as it can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects.patches import merge_patch
from kubestage.sources import segment_lines, segments
from kubestage.sources.imported import PATCH, Reference, format_ns
from kubestage.sources.last_states import LastStates
from kubestage.sources.segment_lines import Gap, SegmentHeader, SegmentLine

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

    from kubestage.aliases import Json

    OnChange = Callable[[Reference, Json | None, Json | None, int, str], None]

_NEVER: Final = ""
LISTED: Final = "0"
"""The version of a change that a list has shown: when it was made is not known."""


class LogIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """What a recording is of; one that continues must have the same."""

    cluster: str = ""
    anonymised: bool = False
    key: str = ""


class ChangeLog:
    """The segments of one recording, from `start` to `close`.

    Before the start objects are only remembered: they become the state. `versions` has, by
    apiVersion and kind, the resourceVersion up to which everything is recorded.
    """

    def __init__(self, folder: pathlib.Path, identity: LogIdentity,
                 most_bytes: int = segments.MOST_BYTES) -> None:  # fmt: skip
        self.on_change: OnChange | None = None
        """Receives each change: the object before and after, the time, the version, or `LISTED`."""
        self.states = LastStates()
        self.versions: dict[str, str] = {}
        self.last_ns: dict[str, int] = {}
        """By apiVersion and kind, the time of the last line."""
        self.gaps: list[Gap] = []
        self.changes = 0
        self.began = ""
        self.start_ns = 0
        """When the first segment began."""
        self.end_ns = 0
        """The time of the newest line."""
        self.identity = identity
        self._folder = folder
        self._most_bytes = most_bytes
        self._segment: segments.SegmentWriter | None = None
        self._done_bytes = 0
        self._is_clean = True

    @property
    def size(self) -> int:
        """Compressed bytes that this log has written."""
        return self._done_bytes + (0 if self._segment is None else self._segment.size)

    def start(self, at_ns: int) -> None:
        """Begin a segment with the state as it is now."""
        self._folder.mkdir(parents=True, exist_ok=True)
        number = segments.next_number(self._folder, segment_lines.STEM)
        segment = segments.SegmentWriter(self._folder, segment_lines.STEM, number)
        self._segment = segment
        at = format_ns(at_ns)
        self.began = self.began or at
        self.start_ns = self.start_ns or at_ns
        self.end_ns = max(self.end_ns, at_ns)
        header = SegmentHeader(
            format=segment_lines.FORMAT,
            segment=number,
            begin=at,
            began=self.began,
            objects=len(self.states),
            changes=self.changes,
            versions=dict(sorted(self.versions.items())),
            cluster=self.identity.cluster,
            anonymised=self.identity.anonymised,
            key=self.identity.key,
            gaps=self.gaps,
        )
        segment.write(msgspec.json.encode(header))
        for reference, raw in self.states.raw():
            self._write(_line(at, segment_lines.STATE, reference, object=raw))
        segment.flush()

    def put(self, reference: Reference, obj: Json, at_ns: int, *, manager: str = "",
            version: str | None = None) -> None:  # fmt: skip
        """An object is as this now. `version` is that of an event; a list has none.

        With another uid it is another object of the same name.
        """
        before = self.states.get(reference)
        if before is not None and before["metadata"].get("uid") != obj["metadata"].get("uid"):
            self.remove(reference, at_ns)
            before = None
        self.states.put(reference, obj)
        if version is not None:
            self.versions[_resource(reference)] = version
        if before == obj:
            return
        if self.on_change is not None:
            self.on_change(reference, before, obj, at_ns, version or LISTED)
        if self._segment is None:
            self._reach(at_ns, _resource(reference))
            return
        verb, content = _smallest(before, obj)
        self._change(at_ns, _line(format_ns(at_ns), verb, reference, manager=manager,
                                  object=msgspec.Raw(msgspec.json.encode(content))))  # fmt: skip

    def remove(
        self, reference: Reference, at_ns: int, *, version: str | None = None, since: str = _NEVER
    ) -> None:
        """An object is gone. With a namespace goes all in it; what was created after `since` is
        that of another namespace with its name, and is written once more.
        """
        before = None if self.on_change is None else self.states.get(reference)
        inside = self.states.remove(reference)
        if version is not None:
            self.versions[_resource(reference)] = version
        if inside is None:
            return
        if self.on_change is not None:
            for each, obj in ((reference, before), *inside):
                self.on_change(each, obj, None, at_ns, version or LISTED)
        self._change(at_ns, _line(format_ns(at_ns), "delete", reference, version=version or ""))
        for each, obj in inside:
            if str(obj["metadata"].get("creationTimestamp") or "") >= since:
                self.put(each, obj, at_ns)

    def mark(self, resource: str, version: str, at_ns: int) -> None:
        """Everything of a kind is recorded up to a version."""
        if self.versions.get(resource) != version:
            self.versions[resource] = version
            api_version, _, kind = resource.rpartition("/")
            line = SegmentLine(at=format_ns(at_ns), verb=segment_lines.MARK,
                               api_version=api_version, kind=kind, version=version)  # fmt: skip
            self._note(at_ns, resource, line)

    def gap(self, resource: str, at_ns: int) -> None:
        """The server has forgotten changes of a kind: until the next mark, differences follow."""
        self.versions[resource] = ""
        since = format_ns(self.last_ns.get(resource, self.end_ns))
        at = format_ns(at_ns)
        api_version, _, kind = resource.rpartition("/")
        self.gaps.append(Gap(kind=kind, begin=since, end=at))
        line = SegmentLine(at=at, verb=segment_lines.GAP, api_version=api_version, kind=kind,
                           since=since)  # fmt: skip
        self._note(at_ns, resource, line)

    def flush(self, at_ns: int) -> None:
        """Have everything so far on disk; a segment that is large enough ends."""
        if self._segment is None or self._is_clean:
            return
        self._segment.flush()
        self._is_clean = True
        if self._segment.size >= self._most_bytes:
            self.close()
            self.start(at_ns)

    def close(self) -> None:
        """End the segment."""
        if self._segment is not None:
            self._segment.close()
            self._done_bytes += self._segment.size
            self._segment = None

    def abandon(self) -> None:
        """Let go of the segment as it is, as after a failure to write it."""
        if self._segment is not None:
            self._segment.abandon()
            self._segment = None

    def _change(self, at_ns: int, line: SegmentLine) -> None:
        self.changes += self._segment is not None
        self._note(at_ns, line.resource, line)

    def _note(self, at_ns: int, resource: str, line: SegmentLine) -> None:
        self._reach(at_ns, resource)
        if self._segment is not None:
            self._write(line)

    def _reach(self, at_ns: int, resource: str) -> None:
        self.last_ns[resource] = at_ns
        self.end_ns = max(self.end_ns, at_ns)

    def _write(self, line: SegmentLine) -> None:
        assert self._segment is not None
        self._segment.write(msgspec.json.encode(line))
        self._is_clean = False


def _smallest(before: Json | None, obj: Json) -> tuple[str, Any]:
    """The verb of a change and what it says: a merge patch where one can express it."""
    if before is None:
        return "create", obj
    patch = merge_patch.two_way(before, obj)
    # A merge patch cannot set a field to null.
    if merge_patch.apply(before, patch) == obj:
        return PATCH, patch
    return "update", obj


def resource_name(api_version: str, kind: str) -> str:
    """The key of a kind in `ChangeLog.versions`."""
    return f"{api_version}/{kind}"


def _resource(reference: Reference) -> str:
    return resource_name(reference.api_version, reference.kind)


def _line(at: str, verb: str, reference: Reference, **more: Any) -> SegmentLine:
    return SegmentLine(
        at=at, verb=verb, api_version=reference.api_version, kind=reference.kind,
        namespace=reference.namespace, name=reference.name, **more,
    )  # fmt: skip
