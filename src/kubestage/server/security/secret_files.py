"""Files that only their owner may read."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError

if TYPE_CHECKING:
    import pathlib

_OWNER_ONLY: Final = 0o600
_OWNER_ENTERS: Final = 0o700


def write(path: pathlib.Path, text: str) -> None:
    """Write a file for its owner alone; a reader meanwhile sees the old one or the new."""
    try:
        _write(path, text)
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        fix = "free some space, or use another directory"
        raise InputError(problem, file=str(path), fix=fix) from None


def _write(path: pathlib.Path, text: str) -> None:
    folder(path.parent)
    # The file that is made here has mode 0600 from the start.
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            os.fchmod(file.fileno(), _OWNER_ONLY)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise


def folder(path: pathlib.Path) -> pathlib.Path:
    """The folder, made for its owner alone if there is none."""
    path.mkdir(mode=_OWNER_ENTERS, parents=True, exist_ok=True)
    return path
