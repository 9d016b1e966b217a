"""Text files that an option names."""

from __future__ import annotations

import pathlib

from kubestage.errors import InputError
from kubestage.files import reading


def read(file: str, option: str) -> str:
    """The text of a file that an option names."""
    path = pathlib.Path(file)
    if not reading.exists(path):
        raise InputError("no such file", file=file, path=option)
    if reading.is_directory(path):
        fix = "name a file in it, as in DIR/config.yaml"
        raise InputError("is no file", file=file, path=option, fix=fix)
    try:
        # Spreadsheets begin a text with a byte order mark.
        return reading.read(path, may_stream=True).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is no UTF-8 text", file=file, path=option) from None
