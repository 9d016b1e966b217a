"""Where a run may be written: a new or empty directory, or one that a run was written to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.files.writing import WRITING
from kubestage.results.repeat import Repeat

if TYPE_CHECKING:
    import pathlib

REPEAT: Final = "run.json"
SCENARIO: Final = "scenario.json"
LIFE: Final = "life.json"
REHEARSAL: Final = "rehearsal.json"
COST: Final = "cost.json"
TEST: Final = "test.json"
MARKERS: Final = (SCENARIO, LIFE)
"""A directory with one of these has a run in it."""


def is_run(place: pathlib.Path) -> bool:
    """Whether a run was kept in a directory."""
    return any(reading.is_file(place / marker) for marker in MARKERS)


def refuse_foreign(place: pathlib.Path) -> None:
    """InputError unless a run may be written here without harm to what others have written."""
    fix = "name another directory, new or empty"
    if _is_ours(place.parent):
        raise InputError(f"{place.parent} is a run itself", file=str(place), fix=fix)
    if not place.exists() or _is_ours(place):
        return
    if not place.is_dir():
        raise InputError("is a file", file=str(place), fix=fix)
    below = sorted(each.parent.name for marker in MARKERS for each in place.glob(f"*/{marker}"))
    if below:
        raise InputError(f"holds other runs: {', '.join(below)}", file=str(place), fix=fix)
    if any(not each.name.startswith(WRITING) for each in place.iterdir()):
        raise InputError("is not empty, and not a run", file=str(place), fix=fix)


def _is_ours(place: pathlib.Path) -> bool:
    """Whether a run was written here, wholly or in part: how to repeat it is moved first."""
    if any((place / each).is_file() for each in (REHEARSAL, COST, TEST)):
        return True
    try:
        msgspec.json.decode(reading.read(place / REPEAT), type=Repeat)
    except (InputError, OSError, UnicodeDecodeError, msgspec.DecodeError):
        return False
    return True
