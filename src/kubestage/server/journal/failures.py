"""When the files of a journal cannot be used, or can no longer be written."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final

from kubestage.errors import ApiError, InputError

if TYPE_CHECKING:
    import pathlib
    import sqlite3

_AWAY: Final = "restore the data directory from a backup, or move it away and begin with a new one"
_FULL: Final = "free some space, or use another data directory"
_RIGHTS: Final = "make the data directory writable for this user, or use another one"
_REASONS: Final = {
    "SQLITE_FULL": ("the disk is full", _FULL),
    "SQLITE_NOTADB": ("this is not a journal of kubestage", _AWAY),
    "SQLITE_CORRUPT": ("the journal is damaged", _AWAY),
    "SQLITE_READONLY": ("the journal cannot be written", _RIGHTS),
    "SQLITE_CANTOPEN": ("the journal cannot be opened", _RIGHTS),
    "SQLITE_PERM": ("the journal cannot be opened", _RIGHTS),
    "SQLITE_IOERR": ("reading or writing failed", "check the disk and the space left on it"),
    "SQLITE_BUSY": ("another program uses the journal", "stop it first"),
    "SQLITE_LOCKED": ("another program uses the journal", "stop it first"),
}
_GONE: Final = (
    "the journal was removed",
    "save what is still served with GET /kubestage/v1/export, then start with a new data directory",
)
_ERRNOS: Final = {
    errno.ENOENT: _GONE,
    errno.ENOSPC: ("the disk is full", _FULL),
    errno.EDQUOT: ("the disk quota is used up", _FULL),
    errno.EFBIG: ("the file may not grow any further", _FULL),
    errno.ENOTDIR: ("this is not a directory", "name a directory, new or of an earlier run"),
    errno.EEXIST: ("this is not a directory", "name a directory, new or of an earlier run"),
}


class StorageFailed(ApiError):
    """The request was carried out, but could not be stored: it may be lost."""


def sqlite_failure(file: pathlib.Path, error: sqlite3.Error) -> InputError:
    """An error of the database, with its message and what may help."""
    name = getattr(error, "sqlite_errorname", "") or ""
    for known, (problem, fix) in _REASONS.items():
        if name.startswith(known):
            return InputError(f"{problem}: {error}", file=str(file), fix=fix)
    return damaged(file, str(error))


def system_failure(file: pathlib.Path, error: OSError) -> InputError:
    """An error of the file system, likewise."""
    reason = error.strerror or str(error)
    problem, fix = _ERRNOS.get(error.errno or 0, (f"cannot be used: {reason}", _RIGHTS))
    return InputError(problem, file=str(file), fix=fix)


def damaged(file: pathlib.Path, what: str) -> InputError:
    """The content of a file is not what was written to it."""
    return InputError(f"the journal is damaged: {what}", file=str(file), fix=_AWAY)


def at_start(file: pathlib.Path, error: sqlite3.Error | OSError) -> InputError:
    """An error of either."""
    if isinstance(error, OSError):
        return system_failure(file, error)
    return sqlite_failure(file, error)


def at_run_time(file: pathlib.Path, error: sqlite3.Error | OSError) -> str:
    """The error of all writes from now on."""
    problem = at_start(file, error)
    return (
        f"Internal error occurred: storage failed: {problem}; nothing is kept until the server is "
        "started again"
    )
