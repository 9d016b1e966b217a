"""One way to read a file, a compressed file, an archive or a folder: as entries, one at a time.

Nothing is extracted to disk. An entry can be read until the next one is requested; what it holds is
bounded. Archives in archives are opened too, where their names say that they are some.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import pathlib
import re
import tarfile
import zipfile
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.files.writing import WRITING
from kubestage.sources import compression
from kubestage.sources.entries import (
    HEAD,
    STDIN,
    Entry,
    Rewound,
    Whole,
    damage_named,
    joined,
    up_to,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DEEPEST: Final = 6
_BLOCK: Final = 512
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_ARCHIVE: Final = re.compile(r"\.(gz|tgz|tar|bz2|tbz2?|xz|txz|zst|zip|kshrk)$", re.IGNORECASE)
_SUFFIX: Final = re.compile(r"\.(gz|bz2|xz|zst)$", re.IGNORECASE)


class Tree:
    """A source: a file, an archive, a folder, or ``-`` for the standard input."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._stdin = reading.read_stdin() if source == STDIN else None

    @property
    def name(self) -> str:
        """The last part of its path, which says nothing of the machine."""
        return "stdin" if self.source == STDIN else pathlib.Path(self.source).resolve().name

    def entries(self) -> Iterator[Entry]:
        """Its entries, from the first; can be called again."""
        if self._stdin is None:
            return _entries(self.source)
        return _unpacked("stdin", "stdin", io.BytesIO(self._stdin), 0)


def _entries(source: str) -> Iterator[Entry]:
    place = pathlib.Path(source)
    if place.is_dir():
        for path in _files(place):
            relative = path.relative_to(place).as_posix()
            if _ARCHIVE.search(relative):
                with _opened(path, joined(source, relative)) as stream:
                    yield from _unpacked(source, relative, stream, 1, is_source=False)
            else:
                with contextlib.ExitStack() as stack:
                    yield Entry(source, relative, _opening(stack, path, joined(source, relative)))
        return
    if not place.exists():
        raise InputError("no such file or folder", file=source, fix="check the path")
    with _opened(place, source) as stream:
        yield from _unpacked(source, place.name, stream, 0)


def _opening(stack: contextlib.ExitStack, path: pathlib.Path, name: str) -> Callable[[], BinaryIO]:
    return lambda: stack.enter_context(_opened(path, name))


def _opened(path: pathlib.Path, name: str) -> BinaryIO:
    try:
        if not str(path).startswith(("/dev/fd/", "/proc/self/fd/", "/dev/stdin")):
            reading.check_regular(path)
        return path.open("rb")
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise InputError(problem, file=name, fix="check its permissions") from None


def _files(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    """All regular files below a folder, sorted; links that lead out of it are not followed.

    What is being written there meanwhile is left out: it is not whole, and may be gone.
    """
    root = folder.resolve()

    def refuse(error: OSError) -> None:
        problem = f"cannot be read: {error.strerror}"
        raise InputError(problem, file=str(error.filename), fix="check its permissions")

    for place, below, names in os.walk(folder, onerror=refuse):
        below[:] = sorted(name for name in below if not name.startswith(WRITING))
        for name in sorted(name for name in names if not name.startswith(WRITING)):
            path = pathlib.Path(place) / name
            if not path.is_symlink() and path.is_file():
                yield path
            elif path.is_file() and not path.resolve().is_relative_to(root):
                raise InputError(
                    "is a link that leads out of the folder",
                    file=str(path),
                    fix="copy the file in its place, or remove the link",
                )


def _unpacked(
    source: str, path: str, stream: BinaryIO, depth: int, *, is_source: bool = True
) -> Iterator[Entry]:
    """The entries of something that may be compressed, or an archive.

    In the paths of members the archive is left out if it is the whole source.
    """
    name = joined(source, path)
    with damage_named(name):
        head = up_to(stream, HEAD)
        again = cast("BinaryIO", io.BufferedReader(Rewound(head, stream), HEAD))
        plain = compression.decompressed(head, again, name)
    is_tar, is_zip = _is_tar(head), head.startswith(_ZIP)
    if depth >= _DEEPEST and (plain is not None or is_tar or is_zip):
        problem = f"archives are nested more than {_DEEPEST} deep"
        raise InputError(problem, file=name, fix="unpack it, and name the folder")
    if plain is not None:
        inner = _SUFFIX.sub("", path)
        yield from _unpacked(source, inner, plain, depth + 1, is_source=is_source)
    elif is_tar:
        yield from _of_tar(source, path, again, depth, "" if is_source else path)
    elif is_zip:
        yield from _of_zip(source, path, again, depth, "" if is_source else path)
    else:
        yield Entry(source, path, lambda: again)


def _of_tar(source: str, path: str, stream: BinaryIO, depth: int, prefix: str) -> Iterator[Entry]:
    with damage_named(joined(source, path)):
        archive = tarfile.open(fileobj=stream, mode="r|")  # noqa: SIM115 - closed below
    with archive:
        while True:
            with damage_named(joined(source, path)):
                member = archive.next()
            if member is None:
                return
            if member.isreg():
                content = Whole(cast("BinaryIO", archive.extractfile(member)), member.size)
                opened = functools.partial(cast, "BinaryIO", content)
                yield from _member(source, _inner(prefix, member.name), opened, depth)


def _of_zip(source: str, path: str, stream: BinaryIO, depth: int, prefix: str) -> Iterator[Entry]:
    with damage_named(joined(source, path)):
        data = Entry(source, path, lambda: stream).read()
        archive = zipfile.ZipFile(io.BytesIO(data))
    with archive:
        for member in sorted(archive.infolist(), key=lambda each: each.filename):
            if not member.is_dir():
                opened = functools.partial(archive.open, member)
                inner = _inner(prefix, member.filename)
                yield from _member(source, inner, cast("Callable[[], BinaryIO]", opened), depth)


def _member(source: str, path: str, opened: Callable[[], BinaryIO], depth: int) -> Iterator[Entry]:
    if not _ARCHIVE.search(path):
        yield Entry(source, path, opened)
        return
    with damage_named(joined(source, path)):
        stream = opened()
    yield from _unpacked(source, path, stream, depth + 1, is_source=False)


def _is_tar(head: bytes) -> bool:
    if len(head) < _BLOCK or not any(head[:_BLOCK]):
        return False
    try:
        tarfile.TarInfo.frombuf(head[:_BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _inner(prefix: str, member: str) -> str:
    """The path of a member, below that of an archive that is itself part of the source."""
    parts = [part for part in member.replace("\\", "/").split("/") if part not in ("", ".")]
    return "/".join([prefix, *parts] if prefix else parts)
