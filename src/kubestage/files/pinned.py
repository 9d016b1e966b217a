"""Inputs as they were when they were first read, for many runs that must see the same bytes.

::

    files = PinnedFiles()
    with files.recording():
        check(...)              # reads files; their contents are kept
    with files.pinned():
        run(...)                # reads no disk, here or on another machine

`reading` looks here first. What is made of files and costs time, such as parsed manifests, is kept
by `once`. Without pinned files all of this does nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
import errno
import hashlib
import os
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    T = TypeVar("T")

_CURRENT: Final[contextvars.ContextVar[PinnedFiles | None]] = contextvars.ContextVar(
    "pinned files", default=None
)


class PinnedFiles:
    """Contents of files by path, directories with the files that were found in them, and results
    that `once` keeps. A copy for another process has those results that are to be shipped.
    """

    def __init__(self) -> None:
        self._folder = os.getcwd()
        self._contents: dict[str, bytes] = {}
        self._touched: set[str] = set()
        self._listings: dict[str, list[str]] = {}
        self._shipped: dict[Hashable, Any] = {}
        self._kept: dict[Hashable, Any] = {}
        self.is_recording = False

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_kept": {}, "is_recording": False}

    @contextlib.contextmanager
    def recording(self) -> Iterator[set[str]]:
        """Keep what is read in this block; the names of what was read are added to the set."""
        before, self._touched = self._touched, set()
        read: set[str] = set()
        try:
            with self._using(is_recording=True):
                yield read
        finally:
            read |= self._touched
            self._touched = before | read

    @contextlib.contextmanager
    def pinned(self) -> Iterator[None]:
        """Read from here alone."""
        with self._using(is_recording=False):
            yield

    @contextlib.contextmanager
    def _using(self, *, is_recording: bool) -> Iterator[None]:
        token, before = _CURRENT.set(self), self.is_recording
        self.is_recording = is_recording
        try:
            yield
        finally:
            self.is_recording = before
            _CURRENT.reset(token)

    def digest(self, names: set[str] | None = None) -> str:
        """A hash of the contents of all files, or of these."""
        whole = hashlib.sha256()
        for name in sorted(self._contents if names is None else names):
            # Not the folder: the same files elsewhere are the same inputs.
            shown = os.path.relpath(name, self._folder) if os.path.isabs(name) else name
            whole.update(f"{shown}\0{hashlib.sha256(self._contents[name]).hexdigest()}\n".encode())
        return whole.hexdigest()

    def content(self, name: str) -> bytes | None:
        """The content of a file; None if it is to be read from disk."""
        place = self._place(name)
        found = self._contents.get(place)
        if found is not None and self.is_recording:
            self._touched.add(place)
        if found is None and not self.is_recording:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        return found

    def keep(self, name: str, data: bytes) -> None:
        """Remember what was read from disk; a link is known by its target, too."""
        place = self._place(name)
        self._contents[place] = data
        self._touched.add(place)
        if place != name and os.path.exists(place):
            self._contents[os.path.realpath(place)] = data

    def is_file(self, name: str) -> bool | None:
        """Whether there is such a file; None if the disk is to be looked at."""
        if self._place(name) in self._contents:
            return True
        return None if self.is_recording else False

    def is_directory(self, name: str) -> bool | None:
        """Whether there is such a directory; None if the disk is to be looked at."""
        place = self._place(name)
        if place in self._listings:
            return True
        return None if self.is_recording else any(_is_below(each, place) for each in self._contents)

    def listing(self, name: str, found: Callable[[], list[str]]) -> list[str]:
        """The files that were found in a directory."""
        place = self._place(name)
        if place not in self._listings:
            self._listings[place] = found()
        return self._listings[place]

    def absolute(self, name: str) -> str:
        """An absolute path, from the folder that names were first read from."""
        return self._place(name)

    def resolved(self, name: str) -> str:
        """An absolute path; links are followed only where the files are."""
        place = self._place(name)
        return os.path.realpath(place) if self.is_recording else place

    def once(self, key: Hashable, make: Callable[[], T], *, ships: bool) -> T:
        """What `make` returned when it was first called for this key."""
        results = self._shipped if ships else self._kept
        if key not in results:
            results[key] = make()
        found: T = results[key]
        return found

    def texts(self) -> Iterator[str]:
        """All files, as far as they are text."""
        return (each.decode(errors="replace") for each in self._contents.values())

    def results(self) -> Mapping[Hashable, Any]:
        """What is shipped, by key."""
        return self._shipped

    def _place(self, name: str) -> str:
        return os.path.normpath(os.path.join(self._folder, name))


def current() -> PinnedFiles | None:
    """The pinned files that are in use."""
    return _CURRENT.get()


def once(key: Hashable, make: Callable[[], T], *, ships: bool = False) -> T:
    """What `make` returns; with pinned files it is called once for each key.

    The result must not be changed. One that `ships` is sent to other processes, so it pickles.
    """
    files = _CURRENT.get()
    return make() if files is None else files.once(key, make, ships=ships)


def _is_below(name: str, folder: str) -> bool:
    return name.startswith(f"{folder}{os.sep}")
