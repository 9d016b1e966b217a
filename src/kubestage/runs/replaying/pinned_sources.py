"""Sources with time, read once: pinned files know them by what was read, not by their files."""

from __future__ import annotations

import hashlib
import pathlib
from typing import TYPE_CHECKING

import msgspec

from kubestage.files import pinned
from kubestage.sources import reading, usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.sources.imported import Imported
    from kubestage.sources.usage import UsageSample


def imported(names: Sequence[str]) -> Imported:
    """All that sources hold."""

    def make() -> Imported:
        found = reading.read(names)
        _keep(f"recording of {', '.join(names)}", (*found.objects, *found.changes))
        return found

    return pinned.once(("imported", tuple(names)), make, ships=True)


def used(names: Sequence[str]) -> list[UsageSample]:
    """What containers used, of those sources that have it."""

    def make() -> list[UsageSample]:
        folders = [each for each in names if pathlib.Path(each).is_dir()]
        found = [sample for each in folders for sample in usage.read(each)]
        _keep(f"usage of {', '.join(names)}", found)
        return found

    return pinned.once(("usage", tuple(names)), make, ships=True)


def _keep(name: str, values: Iterable[object]) -> None:
    """Note the content, which is a part of a run's key."""
    files = pinned.current()
    if files is not None:
        digest = hashlib.sha256()
        for each in values:
            digest.update(msgspec.json.encode(each))
        files.keep(name, digest.hexdigest().encode())
