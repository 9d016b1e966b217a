"""The folder of a recording: new, or one that continues."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files.writing import WRITING
from kubestage.sources import continuing, recording, segment_lines, segments
from kubestage.sources.change_log import ChangeLog, LogIdentity

if TYPE_CHECKING:
    from kubestage.sources.anonymising.streamed_names import StreamedNaming

_FIX: Final = "name another folder, new or empty"


def check(out: str) -> None:
    """InputError unless a recording may be written here, or continued."""
    place = pathlib.Path(out)
    if place.exists() and not place.is_dir():
        raise InputError("is a file", file=out, fix=_FIX)
    if not place.is_dir() or segments.find(place / recording.FOLDER, segment_lines.STEM):
        return
    if any(not each.name.startswith(WRITING) for each in place.iterdir()):
        problem = "is not empty, and has no recording that could be continued"
        raise InputError(problem, file=out, fix=_FIX)


def log(place: pathlib.Path, cluster: str, naming: StreamedNaming | None) -> tuple[ChangeLog, bool]:
    """The log of a folder, and whether it continues; InputError if it is of something else."""
    folder = place / recording.FOLDER
    identity = LogIdentity(cluster=cluster)
    if naming is not None:
        uid = naming.names.uid(cluster) if cluster else ""
        identity = LogIdentity(cluster=uid, anonymised=True, key=naming.names.fingerprint())
    found = continuing.load(folder)
    if found is None:
        return ChangeLog(folder, identity), False
    _compare(found.identity, identity, str(place))
    return found, True


def _compare(before: LogIdentity, now: LogIdentity, out: str) -> None:
    if before.anonymised != now.anonymised:
        problem = "is anonymised" if before.anonymised else "is not anonymised"
        flag = "add --anonymise and its --key" if before.anonymised else "leave out --anonymise"
        raise InputError(f"the recording here {problem}", file=out, fix=f"{flag}, or {_FIX}")
    if before.key != now.key:
        fix = f"give the --key that it was begun with, or {_FIX}"
        raise InputError("the recording here has another key", file=out, fix=fix)
    if before.cluster and now.cluster and before.cluster != now.cluster:
        raise InputError("the recording here is of another cluster", file=out, fix=_FIX)


def uid_of(body: bytes) -> str:
    """The uid of the one object in a list; empty if there is none."""
    try:
        found: Any = msgspec.json.decode(body)
        return str(found["items"][0]["metadata"]["uid"])
    except (msgspec.DecodeError, LookupError, TypeError):
        return ""
