"""The key of replaced names, as a user gives it."""

from __future__ import annotations

import pathlib
import secrets

from kubestage.files import reading


def read(text: str | None) -> bytes:
    """A key, or that in a file; without one it cannot be repeated, as none is kept."""
    if text is None:
        return secrets.token_bytes(32)
    if pathlib.Path(text).is_file():
        return reading.read(text).strip()
    return text.encode()
