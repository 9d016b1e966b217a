"""One file of a source, and the streams that it is read from."""

from __future__ import annotations

import contextlib
import io
import pathlib
import tarfile
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.sources import compression

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HEAD: Final = 65_536
"""How much of an entry is read to recognise it."""
STDIN: Final = "-"
_CHUNK: Final = 2**20
_DAMAGED: Final = "is cut off or damaged"
_COPY: Final = "copy it again, and compare its size with the original"
# zipfile raises NotImplementedError for a compression that it does not know.
_FAILURES: Final = (
    EOFError, ValueError, zlib.error, tarfile.TarError, zipfile.BadZipFile, NotImplementedError,
    RuntimeError, *compression.FAILURES,
)  # fmt: skip


class Entry:
    """One file of a source: its path in there, and its content."""

    def __init__(self, source: str, path: str, opened: Callable[[], BinaryIO]) -> None:
        self.path = path
        """The path in the source; the name of the file if the source is one file."""
        self.name = joined(source, path)
        """How messages name it."""
        self._open = opened
        self._stream: BinaryIO | None = None
        self._head: bytes | None = None
        self._data: bytes | None = None

    def head(self) -> bytes:
        """The beginning of the content."""
        if self._head is None:
            with damage_named(self.name):
                self._stream = self._open()
                self._head = up_to(self._stream, HEAD)
        return self._head

    def read(self) -> bytes:
        """The whole content; an InputError if it is damaged, or larger than an input may be."""
        if self._data is not None:
            return self._data
        head = self.head()
        chunks, size = [head], len(head)
        with damage_named(self.name):
            while chunk := self._rest().read(_CHUNK):
                size += len(chunk)
                if size > reading.MOST_BYTES:
                    problem = f"is larger than {reading.MOST_BYTES // 2**20:,} MiB"
                    raise InputError(problem, file=self.name, fix="split it")
                chunks.append(chunk)
        self._data = b"".join(chunks)
        return self._data

    def lines(self) -> Iterator[bytes]:
        """The lines of the content, one after the other; memory does not grow with their number."""
        left = b""
        for chunk in self._chunks():
            parts = (left + chunk).split(b"\n")
            left = parts.pop()
            if len(left) > reading.MOST_UNPACKED_BYTES:
                problem = f"has a line larger than {reading.MOST_UNPACKED_BYTES // 2**20:,} MiB"
                raise InputError(problem, file=self.name, fix="is this a text file?")
            for part in parts:
                yield part + b"\n"
        if left:
            yield left

    def _chunks(self) -> Iterator[bytes]:
        if self._data is not None:
            yield self._data
            return
        yield self.head()
        while True:
            with damage_named(self.name):
                chunk = self._rest().read(_CHUNK)
            if not chunk:
                return
            yield chunk

    def _rest(self) -> BinaryIO:
        assert self._stream is not None
        return self._stream


class Rewound(io.RawIOBase):
    """A stream whose beginning was read already, and is read once more."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        super().__init__()
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill a buffer; returns how much of it."""
        found = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(found) :]
        buffer[: len(found)] = found
        return len(found)


class Whole(io.RawIOBase):
    """A member of an archive; its end before its size is reached is an error."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        super().__init__()
        self._stream = stream
        self._left = size

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill a buffer; returns how much of it."""
        found = self._stream.read(len(buffer))
        self._left -= len(found)
        if not found and self._left > 0:
            raise EOFError
        buffer[: len(found)] = found
        return len(found)


@contextlib.contextmanager
def damage_named(name: str) -> Iterator[None]:
    """What goes wrong with packed data, as an InputError that names the file."""
    try:
        yield
    except _FAILURES as error:
        if "password" in str(error) or "encrypted" in str(error):
            problem, fix = "is encrypted", "decrypt it first"
        else:
            problem, fix = _DAMAGED, _COPY
        raise InputError(problem, file=name, fix=fix) from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise InputError(_DAMAGED, file=name, fix=_COPY) from None


def joined(source: str, path: str) -> str:
    """How messages name an entry."""
    if source in ("stdin", STDIN):
        return "stdin" if path in ("stdin", "") else f"stdin/{path}"
    return source if pathlib.PurePath(source).name == path else f"{source.rstrip('/')}/{path}"


def up_to(stream: BinaryIO, size: int) -> bytes:
    """The next bytes of a stream; fewer at its end."""
    chunks, found = [], 0
    while found < size and (chunk := stream.read(size - found)):
        chunks.append(chunk)
        found += len(chunk)
    return b"".join(chunks)
