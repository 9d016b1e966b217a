"""The token by which clients from other machines are known."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.server.security import secret_files

if TYPE_CHECKING:
    import pathlib

_BYTES: Final = 32
_SHORTEST: Final = 16


def ensure(path: pathlib.Path) -> tuple[str, bool]:
    """The token that is kept in a file, made if there is none; and whether it is new."""
    if path.exists():
        return read(path), False
    token = secrets.token_urlsafe(_BYTES)
    secret_files.write(path, f"{token}\n")
    return token, True


def read(path: pathlib.Path) -> str:
    """The token in a file."""
    try:
        token = path.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        token = ""
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"holds no token: one line of {_SHORTEST} or more letters and digits",
            file=str(path),
            fix=f"write one: openssl rand -hex 32 > {path}",
        )
    return token
