"""The results of a sweep that was kept::

from kubestage.sweep import results

results.open("sweeps/1").to_pandas()
"""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.sweep import store

if TYPE_CHECKING:
    import os

    from kubestage.sweep.rows import Table

PARQUET: Final = "results.parquet"


def open(path: str | os.PathLike[str]) -> Table:  # noqa: A001 - used as results.open
    """The table of a directory that ``--out`` named, or of its ``sweep.sqlite``."""
    return store.read(file_in(path))


def is_complete(path: str | os.PathLike[str]) -> bool:
    """Whether all runs of the sweep have a row."""
    return store.about(file_in(path)).get("complete") == "true"


def file_in(path: str | os.PathLike[str]) -> pathlib.Path:
    """The database of a directory; InputError if there is none."""
    place = pathlib.Path(path)
    file = place / store.FILE if place.is_dir() else place
    if not file.is_file():
        fix = "name the directory that `kubestage sweep --out` wrote"
        raise InputError("there is no sweep", file=str(path), fix=fix)
    return file
