"""The files of a load on disk; no path leads out of the folders that it may read."""

from __future__ import annotations

import pathlib

from kubestage.clusterloader import files
from kubestage.errors import InputError
from kubestage.files import reading


class Folder:
    """Files below a folder; paths start at `start` within it.

    No ``..`` may lead out of the folder, nor may a link. `around` is wider: modules are read there.
    `seen` are the files that were read.
    """

    def __init__(self, root: pathlib.Path, start: str = "", around: Folder | None = None) -> None:
        self.root = reading.resolved(root)
        self._start = start
        self._around = around
        self.seen: set[pathlib.Path] = set() if around is None else around.seen

    def read(self, path: str) -> str:
        """The text of a file."""
        place = self._place(path)
        if not reading.is_file(place):
            raise files.missing(path)
        self.seen.add(place)
        try:
            return reading.read(place).decode()
        except UnicodeDecodeError:
            raise InputError("is no UTF-8 text", file=path) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=path) from error

    def read_module(self, path: str) -> str:
        """The text of a module."""
        return (self._around or self).read(path)

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        return reading.exists(self._place(path))

    def is_file(self, path: str) -> bool:
        """Whether there is a file."""
        return reading.is_file(self._place(path))

    def _place(self, path: str) -> pathlib.Path:
        place = reading.resolved(self.root / files.joined(self._start, path))
        if not place.is_relative_to(self.root):
            raise files.outside_folder(path)
        return place


def beside(config: pathlib.Path, root: pathlib.Path | None = None) -> tuple[Folder, str]:
    """The files that a configuration may read, and its own name among them.

    That is its folder, and the one around it for modules; or `root`, which may be wider.
    """
    folder = reading.resolved(config).parent
    if root is None:
        return Folder(folder, around=Folder(folder.parent, folder.name)), config.name
    limit = reading.resolved(root)
    if not folder.is_relative_to(limit):
        raise InputError(
            f"does not lie below {root}", file=str(config), fix="name a folder above it with --root"
        )
    return Folder(limit, folder.relative_to(limit).as_posix()), config.name


def named_in(suite: pathlib.Path, path: str) -> pathlib.Path:
    """A file that a suite names: from the working folder, or from a folder at or above the suite.

    Suites name their files from the folder in which their project is run. That need not be the
    working folder, and the suite's folder may have been copied without those above it; so the
    beginning of the path may be missing, but never the last folder.
    """
    folders = (pathlib.Path(), *reading.resolved(suite).parents)
    parts = pathlib.PurePosixPath(path).parts
    for begin in range(max(len(parts) - 1, 1)):
        for folder in folders:
            place = folder.joinpath(*parts[begin:])
            if reading.is_file(place):
                return place
    raise InputError(
        "no such file",
        file=path,
        fix=f"it is looked for in the working folder and in those above {suite}",
    )
