"""The files of the page, by the path below ``/ui/``; nothing else is ever served there."""

from __future__ import annotations

import functools
import gzip
import hashlib
import importlib.resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

INDEX: Final = "index.html"

CONTENT_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
    "txt": "text/plain; charset=utf-8",
}

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy: nothing from elsewhere, nothing inline."""


class Asset:
    """A file of the page; `etag` is a hash of its content."""

    def __init__(self, content_type: str, body: bytes) -> None:
        self.content_type = content_type
        self.body = body
        self.etag = hashlib.sha256(body).hexdigest()[:32]

    @functools.cached_property
    def compressed(self) -> bytes:
        """The file as gzip. The largest takes some 30 ms, once."""
        return gzip.compress(self.body, mtime=0)


def find(path: str) -> Asset | None:
    """The file of a path such as ``js/main.js``; the empty path is the page itself."""
    return _table().get(path or INDEX)


def paths() -> list[str]:
    """The paths of all files."""
    return sorted(_table())


@functools.cache
def _table() -> dict[str, Asset]:
    """All files: a path is looked up here, and never in the file system."""
    root = importlib.resources.files(__package__) / "assets"
    return {path: _asset(path, file.read_bytes()) for path, file in _walk(root, "")}


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.rpartition(".")[2] in CONTENT_TYPES:
            yield f"{prefix}{entry.name}", entry


def _asset(path: str, body: bytes) -> Asset:
    return Asset(CONTENT_TYPES[path.rpartition(".")[2]], body)
