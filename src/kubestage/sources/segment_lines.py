"""The lines of a recording that grows, version 2: ``docs/recording-format.md`` has each field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.sources import segments, version_order
from kubestage.sources.imported import Change, Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json

FORMAT: Final = "kubestage.dev/recording/v2"
STEM: Final = "changes"
STATE: Final = "state"
MARK: Final = "mark"
GAP: Final = "gap"
CHANGES: Final = frozenset({"create", "update", "patch", "delete"})
_NOTHING: Final = msgspec.Raw(b"")
_FIX: Final = "copy the file again; `kubestage record` begins a new recording in another folder"


class Gap(msgspec.Struct, frozen=True, kw_only=True, rename={"begin": "from", "end": "to"}):
    """A time of which the server had forgotten the changes of a kind."""

    kind: str
    begin: str
    end: str

    def text(self) -> str:
        """What a user should know about it."""
        return (
            f"{self.kind}: the cluster had forgotten its changes from {self.begin} to {self.end}; "
            "the differences are recorded at the end of that time"
        )


class SegmentHeader(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True,
                    rename={"begin": "from"}):  # fmt: skip
    """The first line of a segment."""

    format: str
    segment: int
    begin: str
    """The time of the state that follows."""
    began: str
    """When the first segment began."""
    objects: int
    """How many lines of the state follow."""
    changes: int
    """How many changes earlier segments have."""
    versions: dict[str, str]
    """By apiVersion and kind, the resourceVersion from which on the changes follow; empty if the
    kind has to be listed."""
    cluster: str = ""
    """The uid of the namespace kube-system, by which a cluster is known."""
    anonymised: bool = False
    key: str = ""
    """A hash of the key of replaced names."""
    gaps: list[Gap] = []


class SegmentLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True,
                  rename={"api_version": "apiVersion"}):  # fmt: skip
    """Any other line."""

    at: str
    verb: str
    api_version: str
    kind: str
    namespace: str = ""
    name: str = ""
    manager: str = ""
    version: str = ""
    """Of `delete` and `mark`: the resourceVersion up to which everything is recorded."""
    since: str = ""
    """Of `gap`: the time of the last change that is known."""
    object: msgspec.Raw = _NOTHING

    @property
    def reference(self) -> Reference:
        """Which object it is about."""
        return Reference(self.api_version, self.kind, self.namespace, self.name)

    @property
    def content(self) -> Any:
        """The object or patch; None if there is none."""
        return msgspec.json.decode(self.object) if bytes(self.object) else None

    @property
    def resource(self) -> str:
        """The key of its kind in `SegmentHeader.versions`."""
        return f"{self.api_version}/{self.kind}"


def read(
    lines: Iterable[bytes], name: str, first: int = 1
) -> Iterator[tuple[SegmentHeader | SegmentLine, int]]:
    """The lines of a segment, with their numbers; one that is cut off at the end does not count."""
    header: SegmentHeader | None = None
    for number, data in enumerate(segments.whole_lines(lines), first):
        try:
            if header is None:
                header = msgspec.json.decode(data, type=SegmentHeader)
                if header.format != FORMAT:
                    problem = f"format {header.format!r} is not known"
                    raise InputError(problem, file=name, line=1, fix="use a newer kubestage")
                yield header, number
                continue
            yield msgspec.json.decode(data, type=SegmentLine), number
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(str(error), file=name, line=number, fix=_FIX) from None


class SegmentReader:
    """Reads segments one after the other, as one recording.

    The state of the first complete segment counts; that of each other one repeats what is known.
    """

    def __init__(self) -> None:
        self.gaps: list[Gap] = []
        self._has_state = False
        self._last = 0

    def read(self, lines: Iterable[bytes], path: str, name: str) -> Iterator[Json | Change]:
        """What a segment adds: objects of the state, and changes."""
        number = segments.number_of(path)
        if self._last and number != self._last + 1:
            fix = f"copy segment {self._last + 1} as well, or remove those before {number}"
            raise InputError(f"segment {self._last + 1} is missing before it", file=name, fix=fix)
        self._last = number
        waiting: list[Json] = []
        changes: list[tuple[Change, str]] = []
        left = 0
        for line, at in read(lines, name):
            if isinstance(line, SegmentHeader):
                left = line.objects
                self.gaps = [*line.gaps]
                self._has_state = self._has_state or not left
            elif line.verb == STATE:
                left -= 1
                if not self._has_state:
                    waiting.append(_decoded(line, name, at))
                if not left and not self._has_state:
                    self._has_state = True
                    yield from waiting
            elif line.verb == GAP:
                self.gaps.append(Gap(kind=line.kind, begin=line.since, end=line.at))
            elif line.verb in CHANGES:
                change = _change(line, name, at)
                changes.append((change, line.version or _version(change)))
        yield from version_order.ordered(changes)


def _change(line: SegmentLine, name: str, number: int) -> Change:
    try:
        at_ns = timestamps.parse_time(line.at)
    except ValueError as error:
        raise InputError(str(error), file=name, line=number, fix=_FIX) from None
    obj = None if line.verb == "delete" else _decoded(line, name, number)
    return Change(at_ns=at_ns, verb=line.verb, reference=line.reference, object=obj,  # type: ignore[arg-type]
                  manager=line.manager)  # fmt: skip


def _version(change: Change) -> str:
    metadata = (change.object or {}).get("metadata")
    return str(metadata.get("resourceVersion") or "") if isinstance(metadata, dict) else ""


def _decoded(line: SegmentLine, name: str, number: int) -> Json:
    found = line.content
    if not isinstance(found, dict):
        raise InputError("has no object", file=name, line=number, path="object", fix=_FIX)
    return found
