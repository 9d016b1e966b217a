"""Files of a recording that grows: lines, compressed, in numbered segments that are only appended.

What was flushed can be read at once, by others as well. A segment whose writer was killed has no
end: its last line may be cut off, and all lines before it count. The next writer begins another
segment, so that nothing that was written is ever touched again.
"""

from __future__ import annotations

import io
import os
import re
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final, Self, cast

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable, Iterator

SUFFIX: Final = ".jsonl.gz"
_PATH: Final = re.compile(r"(?:^|/)recording/([a-z]+)-([0-9]{6,})\.jsonl(\.gz)?$")
_GZIP: Final = 16 + zlib.MAX_WBITS
_LEVEL: Final = 6
_CHUNK: Final = 2**16
MOST_BYTES: Final = 48 * 2**20
"""The size at which a segment ends and another one starts."""


def name(stem: str, number: int) -> str:
    """The name of a segment: ``changes-000001.jsonl.gz``."""
    return f"{stem}-{number:06d}{SUFFIX}"


def stem_of(path: str) -> str:
    """What a file of a recording holds, ``changes`` or ``usage``; empty if it is no segment."""
    found = _PATH.search(path)
    return "" if found is None else found[1]


def number_of(path: str) -> int:
    """The number of a segment."""
    found = _PATH.search(path)
    assert found is not None
    return int(found[2])


def find(folder: pathlib.Path, stem: str) -> list[pathlib.Path]:
    """The segments in a folder, in their order."""
    listed = [each for each in folder.glob(f"{stem}-*{SUFFIX}") if _is_segment(each)]
    return sorted(listed, key=lambda each: number_of(f"recording/{each.name}"))


def next_number(folder: pathlib.Path, stem: str) -> int:
    """The number of the segment that would come next."""
    return max((number_of(f"recording/{each.name}") for each in find(folder, stem)), default=0) + 1


def _is_segment(path: pathlib.Path) -> bool:
    return _PATH.search(f"recording/{path.name}") is not None


class SegmentWriter:
    """One new segment, from its creation to its end."""

    def __init__(self, folder: pathlib.Path, stem: str, number: int) -> None:
        self.path = folder / name(stem, number)
        self.number = number
        self.size = 0
        """Compressed bytes so far; those that are not flushed are not counted."""
        self._file: BinaryIO = self.path.open("xb", buffering=0)
        # The header that zlib writes has neither a time nor a name.
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, line: bytes) -> None:
        """Append a line; it has no newline yet."""
        self._put(self._packer.compress(line))
        self._put(self._packer.compress(b"\n"))

    def flush(self) -> None:
        """Have all lines so far on disk, readable."""
        self._put(self._packer.flush(zlib.Z_SYNC_FLUSH))
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """End the segment."""
        if not self._file.closed:
            self._put(self._packer.flush(zlib.Z_FINISH))
            os.fsync(self._file.fileno())
            self._file.close()

    def abandon(self) -> None:
        """Let go of the file as it is, as after a failure."""
        self._file.close()

    def _put(self, data: bytes) -> None:
        self.size += len(data)
        while data:
            data = data[self._file.write(data) :]


class GrowingGzip(io.RawIOBase):
    """The plain content of a gzip stream that may lack its end, which is no error here."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._unpacker = zlib.decompressobj(_GZIP)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill a buffer; returns how much of it, 0 at the end of what there is."""
        found = b""
        while not found and not self._unpacker.eof:
            packed = self._unpacker.unconsumed_tail or self._stream.read(_CHUNK)
            if not packed:
                break
            found = self._unpacker.decompress(packed, len(buffer))
        buffer[: len(found)] = found
        return len(found)


def opened(stream: BinaryIO) -> BinaryIO:
    """The plain content of a segment."""
    return cast("BinaryIO", io.BufferedReader(GrowingGzip(stream), _CHUNK))


def whole_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without one that is cut off at the end."""
    return (each for each in lines if each.endswith(b"\n"))
