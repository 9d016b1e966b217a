"""The file by which another program learns that a server is ready, and where it is."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

import kubestage
from kubestage.errors import InputError
from kubestage.files import writing

if TYPE_CHECKING:
    from kubestage.server.launch.endpoint import ServerEndpoint

_OPTION: Final = "--ready-file"


class ReadyFile(msgspec.Struct, frozen=True):
    """What the file says."""

    url: str
    kubeconfig: str
    pid: int
    version: str


def check(name: str | None) -> None:
    """Refuse a file that cannot be written; one of an earlier server is removed."""
    if name is None:
        return
    path = pathlib.Path(name)
    if not path.parent.is_dir():
        fix = f"create {path.parent}, or name a file elsewhere"
        raise InputError("its directory is not there", file=name, path=_OPTION, fix=fix)
    if path.exists() and not path.is_file():
        raise InputError("is not a file", file=name, path=_OPTION, fix="name a file")
    if path.exists() and not _is_ours(path):
        fix = "name another file"
        raise InputError("is there already, and no ready file", file=name, path=_OPTION, fix=fix)
    path.unlink(missing_ok=True)


def write(name: str | None, endpoint: ServerEndpoint) -> None:
    """Write where the server is; the file is complete as soon as it is there."""
    if name is None:
        return
    config = str(pathlib.Path(endpoint.kubeconfig).absolute())
    ready = ReadyFile(endpoint.address, config, os.getpid(), kubestage.__version__)
    writing.write(name, msgspec.json.encode(ready) + b"\n")


def remove(name: str | None) -> None:
    """The server has ended."""
    if name is not None:
        pathlib.Path(name).unlink(missing_ok=True)


def _is_ours(path: pathlib.Path) -> bool:
    text = path.read_bytes()
    if not text.strip():
        # As mktemp leaves it.
        return True
    try:
        msgspec.json.decode(text, type=ReadyFile)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True
