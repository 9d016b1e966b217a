"""Outputs that are whole or not there at all: written beside their place, then moved."""

from __future__ import annotations

import contextlib
import os
import pathlib
import secrets
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITING: Final = ".writing-"
"""How the names of files and folders that are not whole yet begin."""


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[pathlib.Path]:
    """A name beside a file; what was written there takes the file's place when all went well.

    A device or pipe, such as ``/dev/stdout``, is written to directly: it cannot be replaced.
    """
    place = pathlib.Path(path)
    if place.is_dir():
        raise InputError("is a directory", file=str(path), fix="name a file in it")
    if place.exists() and not place.is_file():
        yield place
        return
    # A link stays, and its target is replaced.
    target = place.resolve()
    beside = target.with_name(f"{WRITING}{secrets.token_hex(6)}{target.suffix[:16]}")
    try:
        with _named(str(path)):
            yield beside
            _keep_mode(target, beside)
            beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file as a whole; text in UTF-8."""
    with replaced(path) as beside:
        beside.write_bytes(data.encode(errors="replace") if isinstance(data, str) else data)


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Errors name the file that was named, not of the one beside it."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and WRITING in str(error.filename):
            error.filename = path
        raise


def _keep_mode(target: pathlib.Path, beside: pathlib.Path) -> None:
    with contextlib.suppress(OSError):
        os.chmod(beside, target.stat().st_mode & 0o7777)
