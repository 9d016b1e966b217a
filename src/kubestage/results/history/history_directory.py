"""Where the histories of a kept run are in its directory.

::

    DIR/history.jsonl.gz                 of a run with one cluster
    DIR/histories/beginning.jsonl.gz     how all clusters began, of several rehearsals
    DIR/histories/001.jsonl.gz           what happened since, in the order of the answer
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import lazy

with lazy.imports():
    from kubestage.results.history import history_file

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Sequence

    from kubestage.results.history.history_file import HistoryBytes, RecordedHistory

NAME: Final = "history.jsonl.gz"
FOLDER: Final = "histories"
_BEGINNING: Final = f"{FOLDER}/beginning.jsonl.gz"


def files(history: HistoryBytes | None) -> dict[str, bytes]:
    """The file of one history, if there is one."""
    return {} if history is None else {NAME: history.beginning + history.changes}


def files_of_many(histories: Sequence[HistoryBytes | None]) -> dict[str, bytes]:
    """The files of several histories; how they began is written once, if that is the same."""
    known = [each for each in histories if each is not None]
    if not known:
        return {}
    first = known[0].beginning
    found = {_BEGINNING: first}
    for number, each in enumerate(histories, 1):
        if each is not None:
            is_shared = each.beginning == first
            found[_numbered(number)] = each.changes if is_shared else each.beginning + each.changes
    return found


def read(directory: pathlib.Path) -> RecordedHistory | None:
    """The history of a run; None if it was not kept."""
    path = directory / NAME
    return history_file.read(path) if path.is_file() else None


def read_one(directory: pathlib.Path, number: int) -> RecordedHistory | None:
    """The history of one of several rehearsals, counted from 1; None if it was not kept."""
    path = directory / _numbered(number)
    return history_file.read(path, directory / _BEGINNING) if path.is_file() else None


def _numbered(number: int) -> str:
    return f"{FOLDER}/{number:03}.jsonl.gz"
