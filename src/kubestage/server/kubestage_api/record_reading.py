"""What the records of Scenarios tell, of those that have ended and of the one that is under way."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.results import run_record
from kubestage.results.comparison import attempts
from kubestage.server.kubestage_api.attempts import unpack

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.results.comparison import Tried
    from kubestage.results.run_record_reader import Reader
    from kubestage.server.kubestage_api.run_records import RunRecords


_log: Final = logging.getLogger(__name__)


def names(records: RunRecords) -> Iterator[tuple[str, str]]:
    """The name and uid of every Scenario of which a file is kept, the oldest first."""
    for reader in _opened(records.all_paths()):
        about = reader.about
        yield about.get("name", ""), about.get("uid", "")


def tried(records: RunRecords, uid: str, pod: str) -> list[Tried]:
    """The attempts at a pod (``namespace/name``) of a Scenario, in order."""
    found = []
    for reader in _opened(records.paths(uid)):
        found += attempts.recorded(reader.decisions(pod))
    if uid == records.uid:
        own = ((step, row) for step, row in records.rows if row.pod == pod)
        found += [attempts.of_decision(row, step) for step, row in own]
    return found


def explanation(records: RunRecords, uid: str, number: int) -> Json | None:
    """All that was found out in an attempt; None if that was not kept."""
    if uid == records.uid and number in records.told:
        return unpack(records.told[number])
    for reader in _opened(records.paths(uid)):
        told = reader.explanation(number)
        if told is not None:
            return told
    return None


def _opened(paths: Iterable[pathlib.Path]) -> Iterator[Reader]:
    """Each file in turn; one that is damaged tells nothing, and clients need not know its name."""
    for path in paths:
        try:
            with run_record.open(path) as reader:
                yield reader
        except InputError as error:
            _log.warning("%s", error)
