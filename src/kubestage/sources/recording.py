"""The recording of an import: changes with their times, one a line, compressed.

The first line is the header. The lines with the verb ``state`` follow, which are the objects as
they are at the beginning; then the changes, in the order of their times.
``docs/recording-format.md`` describes each field.
"""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.sources.imported import Change, Reference, format_ns, reference_of

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json

FOLDER: Final = "recording"
FILE: Final = f"{FOLDER}/changes.jsonl.gz"
FORMAT: Final = "kubestage.dev/recording/v1"
STATE: Final = "state"
_FIX: Final = "import the source again"


class Header(msgspec.Struct, frozen=True, kw_only=True, rename={"begin": "from", "end": "to"}):
    """The first line."""

    format: str
    begin: str
    end: str
    objects: int
    changes: int


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True,
           rename={"api_version": "apiVersion"}):  # fmt: skip
    """Any other line."""

    at: str
    verb: str
    api_version: str
    kind: str
    name: str
    namespace: str = ""
    user: str = ""
    manager: str = ""
    object: Any = None


def write(place: pathlib.Path, objects: Iterable[Json], changes: list[Change]) -> Header:
    """Write a recording: the same changes give the same bytes."""
    listed = list(objects)
    begin, end = format_ns(changes[0].at_ns), format_ns(changes[-1].at_ns)
    header = Header(format=FORMAT, begin=begin, end=end, objects=len(listed), changes=len(changes))
    with (
        place.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed,
        io.BufferedWriter(packed) as out,
    ):
        for line in (header, *_lines(begin, listed, changes)):
            out.write(msgspec.json.encode(line))
            out.write(b"\n")
    return header


def _lines(begin: str, objects: list[Json], changes: list[Change]) -> Iterator[Line]:
    for obj in objects:
        yield _line(begin, STATE, reference_of(obj), obj)
    for each in changes:
        line = _line(format_ns(each.at_ns), each.verb, each.reference, each.object)
        yield msgspec.structs.replace(line, user=each.user, manager=each.manager)


def _line(at: str, verb: str, reference: Reference, obj: Json | None) -> Line:
    return Line(
        at=at,
        verb=verb,
        api_version=reference.api_version,
        kind=reference.kind,
        namespace=reference.namespace,
        name=reference.name,
        object=obj,
    )


def read(lines: Iterable[bytes], name: str) -> Iterator[Json | Change]:
    """What a recording has: first the objects of the state, then the changes."""
    header: Header | None = None
    for number, data in enumerate(lines, 1):
        try:
            if header is None:
                header = msgspec.json.decode(data, type=Header)
                if header.format != FORMAT:
                    problem = f"format {header.format!r} is not known"
                    raise InputError(problem, file=name, line=1, fix=_FIX)
                continue
            line = msgspec.json.decode(data, type=Line)
            at_ns = timestamps.parse_time(line.at)
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
            raise InputError(str(error), file=name, line=number, fix=_FIX) from None
        if line.verb == STATE:
            yield line.object
            continue
        reference = Reference(line.api_version, line.kind, line.namespace, line.name)
        yield Change(at_ns=at_ns, verb=line.verb, reference=reference, object=line.object,  # type: ignore[arg-type]
                     user=line.user, manager=line.manager)  # fmt: skip
