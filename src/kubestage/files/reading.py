"""The one place where inputs are opened: regular files, of a bounded size, also when unpacked.

A device has no end and a named pipe may never have a beginning, so both are refused. What the user
hands over as a stream (``-``, ``/dev/stdin``, ``<(command)`` of a shell) is read to its end.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import pathlib
import stat
import sys
import zlib
from typing import Final, cast

from kubestage.errors import InputError
from kubestage.files import pinned

# All pods of the largest clusters, as kubectl prints them in JSON, come to about this.
MOST_BYTES: Final = 2**30
# Text packs to a tenth. What packs to a thousandth was made to fill the memory.
MOST_UNPACKED_BYTES: Final = 2**28
_CHUNK: Final = 2**20
_GZIP: Final = b"\x1f\x8b"
_STREAMS: Final = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
_REGULAR: Final = "name a regular file"


def read(path: str | os.PathLike[str], *, may_stream: bool = False) -> bytes:
    """The content of a file.

    With `may_stream`, for what the user names directly, it may be a pipe that a shell has opened.
    """
    name = os.fspath(path)
    files = pinned.current()
    known = None if files is None else files.content(name)
    if known is not None:
        return known
    with _opened(name, may_stream=may_stream) as file:
        data = _bounded(file, name, MOST_BYTES)
    if files is not None:
        files.keep(name, data)
    return data


def read_stdin() -> bytes:
    """All of the standard input."""
    files = pinned.current()
    known = None if files is None else files.content("-")
    if known is not None:
        return known
    data = _bounded(cast("io.BufferedIOBase", sys.stdin.buffer), "stdin", MOST_BYTES)
    if files is not None:
        files.keep("-", data)
    return data


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file of this name."""
    files = pinned.current()
    known = None if files is None else files.is_file(os.fspath(path))
    return os.path.isfile(path) if known is None else known


def is_directory(path: str | os.PathLike[str]) -> bool:
    """Whether there is a directory of this name."""
    files = pinned.current()
    known = None if files is None else files.is_directory(os.fspath(path))
    return os.path.isdir(path) if known is None else known


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether there is anything of this name."""
    files = pinned.current()
    if files is None:
        return os.path.exists(path)
    return is_file(path) or is_directory(path) or (files.is_recording and os.path.exists(path))


def absolute(path: str | os.PathLike[str]) -> str:
    """The absolute path, as it is written."""
    files = pinned.current()
    name = os.fspath(path)
    return os.path.abspath(name) if files is None else files.absolute(name)


def resolved(path: str | os.PathLike[str]) -> pathlib.Path:
    """The absolute path, with links followed."""
    files = pinned.current()
    if files is None:
        return pathlib.Path(path).resolve()
    return pathlib.Path(files.resolved(os.fspath(path)))


def check_regular(path: str | os.PathLike[str]) -> None:
    """Refuse a device or a pipe where another library opens the file; a missing one is its own."""
    with contextlib.suppress(OSError):
        _check(os.stat(path).st_mode, os.fspath(path))


def is_packed(data: bytes) -> bool:
    """Whether this was compressed by gzip."""
    return data.startswith(_GZIP)


def unpacked(data: bytes, file: str, damaged: InputError | None = None) -> bytes:
    """The content, decompressed if it was compressed by gzip; `damaged` is raised if it is cut."""
    if not is_packed(data):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            return _bounded(packed, file, MOST_UNPACKED_BYTES, " when unpacked")
    except (EOFError, OSError, zlib.error):
        problem = "the file is cut off or damaged"
        raise damaged or InputError(problem, file=file, fix="copy it again") from None


def inside(folder: pathlib.Path, name: str) -> pathlib.Path | None:
    """The place of a file that another one names; None if the name or a link leads elsewhere."""
    if "\0" in name:
        return None
    place = resolved(folder / name)
    return place if place.is_relative_to(resolved(folder)) else None


def _opened(name: str, *, may_stream: bool) -> io.BufferedReader:
    # A named pipe that nobody writes to would keep us here for ever.
    descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(descriptor).st_mode
        if not (may_stream and name.startswith(_STREAMS)) and not _is_null(descriptor):
            _check(mode, name)
        os.set_blocking(descriptor, True)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _is_null(descriptor: int) -> bool:
    """Whether this is the one device that has an end: the usual name for nothing."""
    found = os.fstat(descriptor)
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == os.stat(os.devnull).st_rdev


def _check(mode: int, name: str) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if stat.S_ISFIFO(mode):
        raise InputError("is a named pipe", file=name, fix=f"{_REGULAR}, or - for stdin")
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise InputError("is a device", file=name, fix=_REGULAR)
    if not stat.S_ISREG(mode):
        raise InputError("is no regular file", file=name, fix=_REGULAR)


def _bounded(file: io.BufferedIOBase, name: str, most: int, how: str = "") -> bytes:
    """All that a file holds; an InputError if that is too much."""
    chunks, size = [], 0
    # Piece by piece as they come: a longer read is deaf to an interrupt in between.
    while chunk := file.read1(_CHUNK):
        size += len(chunk)
        if size > most:
            problem = f"is larger than {most // 2**20:,} MiB{how}"
            raise InputError(problem, file=name, fix="split it, or name another file")
        chunks.append(chunk)
    return b"".join(chunks)
