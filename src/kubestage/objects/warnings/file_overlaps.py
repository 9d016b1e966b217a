"""Files of a volume of which one hides the other, or needs a directory where the other is."""

from __future__ import annotations

import bisect
import itertools
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from kubestage.objects.validation import field
from kubestage.objects.warnings import limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class File(NamedTuple):
    """A path inside a volume, and what puts a file there."""

    path: str
    source: str

    def __str__(self) -> str:
        shown = field.quote(self.path)
        return f"{shown} ({self.source})" if self.source else shown


class _Tree:
    """The files so far, by their place among all paths of a volume.

    NOTE: they are looked up, for a volume may have a hundred thousand: no pair is looked at that
    has nothing to say, and no more pairs than a response has room for.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._above = _paths_above(paths)
        # Both in the order in which they were added, each with its number.
        self._at: defaultdict[str, list[tuple[int, File]]] = defaultdict(list)
        self._within: defaultdict[str, list[tuple[int, File]]] = defaultdict(list)

    def add(self, number: int, file: File) -> None:
        """One more."""
        self._at[file.path].append((number, file))
        for path in (file.path, *self._chain(file.path)):
            self._within[path].append((number, file))

    def rivals(self, file: File, since: int) -> Iterable[File]:
        """Those that another one collides with, from a number on."""
        found = [self._at.get(path, []) for path in self._chain(file.path)]
        found.append(self._within.get(file.path, []))
        newer = (each[bisect.bisect_left(each, (since,)) :] for each in found)
        return (other for _, other in sorted(itertools.chain.from_iterable(newer)))

    def _chain(self, path: str) -> Iterator[str]:
        """Those of all paths that lead to one."""
        while path := self._above[path]:
            yield path


def _paths_above(paths: Iterable[str]) -> dict[str, str]:
    """The nearest of several paths that leads to each; nothing where there is none."""
    above: dict[str, str] = {}
    open_paths: list[str] = []
    for path in sorted(set(paths), key=lambda each: f"{each}/"):
        while open_paths and not path.startswith(f"{open_paths[-1]}/"):
            open_paths.pop()
        above[path] = open_paths[-1] if open_paths else ""
        open_paths.append(path)
    return above


def collisions(files: list[File]) -> list[str]:
    """Pairs of files that collide, each once: the first ones, if there are too many."""
    return list(itertools.islice(_collisions(files), limits.MOST_RUNES))


def _collisions(files: list[File]) -> Iterator[str]:
    bare = [File(each.path.rstrip("/"), each.source) for each in files]
    tree = _Tree(each.path for each in bare)
    # How many files each one has been compared with.
    compared: dict[File, int] = {}
    for number, file in enumerate(bare):
        if not file.path:
            continue
        for other in tree.rivals(file, compared.get(file, 0)):
            yield f"{file} with {other}"
        if file not in compared:
            tree.add(number, file)
        compared[file] = number
