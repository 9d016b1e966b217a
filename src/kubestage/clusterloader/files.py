"""Where a configuration's files come from, and the wall around them.

Everything that a configuration names (modules, object templates, files that templates include) is
looked up from the folder of the top configuration, also with a leading slash, and may not lie
outside of its folder, or of a wider one that the user names; nor may a link lead out of it. A
module may also lie beside the configuration's folder, where configurations of one project share
theirs.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Protocol

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Files(Protocol):
    """The files below one folder."""

    def read(self, path: str) -> str:
        """The text of a file; InputError if it is missing, no text, or outside."""

    def read_module(self, path: str) -> str:
        """The text of a module, which may lie beside the folder."""

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""

    def is_file(self, path: str) -> bool:
        """Whether there is a file."""


def joined(start: str, path: str) -> str:
    """A path from the folder, however it was written; InputError if it leads out of it."""
    whole = posixpath.normpath(posixpath.join(start, path.replace("\\", "/").lstrip("/")))
    if whole == ".." or whole.startswith(("../", "/")) or "\0" in whole:
        raise outside_folder(path)
    return whole


def outside_folder(path: str) -> InputError:
    """The refusal of a path that leads out of the folder."""
    return InputError(
        "leads out of the folder that the configuration may read",
        file=path,
        fix="keep the file below the configuration's folder, or name a folder above with --root",
    )


def missing(path: str) -> InputError:
    """The refusal of a path at which there is no file."""
    return InputError(
        "no such file",
        file=path,
        fix="paths are relative to the folder of the top configuration",
    )


class Texts:
    """Files that are texts at hand, by their path; `start` is the configuration's folder."""

    def __init__(self, texts: Mapping[str, str], start: str = "") -> None:
        self._texts = dict(texts)
        self._start = start

    def read(self, path: str) -> str:
        """The text at a path."""
        text = self._texts.get(joined(self._start, path))
        if text is None:
            raise missing(path)
        return text

    def read_module(self, path: str) -> str:
        """The text at a path."""
        return self.read(path)

    def exists(self, path: str) -> bool:
        """Whether there is a text, or one below the path."""
        whole = joined(self._start, path)
        return whole in self._texts or any(each.startswith(f"{whole}/") for each in self._texts)

    def is_file(self, path: str) -> bool:
        """Whether there is a text."""
        return joined(self._start, path) in self._texts
