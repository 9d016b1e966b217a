"""Streams of compressed data, known by how they begin."""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from kubestage.errors import InputError
from kubestage.sources import segments

if TYPE_CHECKING:
    from collections.abc import Callable

ZSTANDARD: Final = b"\x28\xb5\x2f\xfd"
_GZIP: Final = b"\x1f\x8b"
FAILURES: Final = (gzip.BadGzipFile, lzma.LZMAError)


def _gzip(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", gzip.GzipFile(fileobj=stream))


def _bzip2(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", bz2.BZ2File(stream))


def _xz(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", lzma.LZMAFile(stream))


_FORMS: Final[tuple[tuple[bytes, Callable[[BinaryIO], BinaryIO]], ...]] = (
    (_GZIP, _gzip),
    (b"BZh", _bzip2),
    (b"\xfd7zXZ\x00", _xz),
)


def decompressed(head: bytes, stream: BinaryIO, name: str) -> BinaryIO | None:
    """The plain content of a stream that begins so; None if it is not compressed."""
    if name.endswith(".gz") and segments.stem_of(name) and (head.startswith(_GZIP) or not head):
        return segments.opened(stream)
    for magic, opened in _FORMS:
        if head.startswith(magic):
            return opened(stream)
    return _zstandard(stream, name) if head.startswith(ZSTANDARD) else None


def _zstandard(stream: BinaryIO, name: str) -> BinaryIO:
    """Zstandard is part of Python 3.14; before that, pyarrow has it."""
    try:
        return cast("BinaryIO", _module("compression.zstd").ZstdFile(stream))
    except ImportError:
        pass
    try:
        arrow = _module("pyarrow")
    except ImportError:
        problem = "is compressed by zstd, which this Python cannot read"
        fix = "pip install 'kubestage[parquet]', use Python 3.14, or unpack it with `zstd -d`"
        raise InputError(problem, file=name, fix=fix) from None
    return cast("BinaryIO", arrow.CompressedInputStream(arrow.PythonFile(stream, "r"), "zstd"))


def _module(name: str) -> Any:
    return importlib.import_module(name)
