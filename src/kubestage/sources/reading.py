"""Reads sources: recognises each by its content, and merges what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.errors import InputError
from kubestage.scenario import recorded_times
from kubestage.sources.formats import foreign, table
from kubestage.sources.intake import Intake
from kubestage.sources.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.sources.cleaning import Kept
    from kubestage.sources.imported import Imported, Origin


def read(
    names: Sequence[str], kept: Kept | None = None, on_source: Callable[[str], None] | None = None
) -> Imported:
    """All that sources hold, as one cluster; of two objects with one name the newer is kept."""
    intake = Intake(kept)
    for name in names:
        if on_source is not None:
            on_source(name)
        take(name, intake)
    return finish(intake)


def take(name: str, intake: Intake) -> None:
    """Read one source into an intake."""
    tree = Tree(name)
    paths = [entry.path for entry in tree.entries()]
    form = next((each for each in table.TREES if each.is_one(paths)), None)
    if form is not None:
        intake.imported.origins.append(form.read(tree, intake))
        return
    found = False
    for entry in tree.entries():
        foreign.refuse(entry)
        file_form = next((each for each in table.FILES if each.is_one(entry)), None)
        if file_form is not None:
            _add_origin(intake.imported, file_form.read(entry, intake))
            found = True
    if not found:
        empty = "is empty" if not paths else "is of no format that can be imported"
        fix = f"formats are: {', '.join(table.NAMES)}"
        raise InputError(empty, file=name, fix=fix)


def finish(intake: Intake) -> Imported:
    """What an intake has when all sources are read."""
    for form, done in table.FINISH.items():
        pending = intake.pending(form)
        if pending:
            done(pending, intake)
    imported = intake.finish()
    if imported.captured_ns is None and imported.objects:
        newest = recorded_times.newest_ns(imported.objects) or None
        imported.origins = [
            msgspec.structs.replace(each, captured_ns=newest) for each in imported.origins
        ]
    return imported


def _add_origin(imported: Imported, origin: Origin) -> None:
    """Files of one format in one folder are listed once each; the same twice is listed once."""
    if origin not in imported.origins:
        imported.origins.append(origin)
