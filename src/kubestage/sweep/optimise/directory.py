"""Where a search is kept: the rows as a sweep's, what was searched, and what it came to."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

import kubestage
from kubestage.files import writing
from kubestage.sweep import keeping
from kubestage.sweep.keeping import Contents
from kubestage.sweep.optimise import definition as definitions
from kubestage.sweep.optimise import page

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Sequence

    from kubestage.runs.observer import Observer
    from kubestage.sweep.axes import Axis
    from kubestage.sweep.optimise.definition import OptimiseDefinition
    from kubestage.sweep.optimise.result import OptimiseResult
    from kubestage.sweep.store import RowStore

RESULT: Final = "optimise.json"
REPORT: Final = "report.html"


def claimed(
    out: str | None, definition: OptimiseDefinition, axes: Sequence[Axis], *, resume: bool
) -> contextlib.AbstractContextManager[RowStore | None]:
    """The file of rows of a directory, for this process alone; None without a directory."""
    name = definitions.NAME
    contents = Contents("search", marker=name, file=name, text=definition.text())
    return keeping.kept(out, contents, _about(definition, axes), resume=resume)


def finish(
    place: pathlib.Path,
    kept: RowStore,
    result: OptimiseResult,
    axes: Sequence[Axis],
    observer: Observer,
) -> None:
    """Write everything: rows in the order of the search, the result, and the report."""
    kept.finish(result.rows, _about(result.definition, axes))
    keeping.write_parquet(result.rows, place, observer)
    encoded = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2)
    writing.write(place / RESULT, encoded.decode() + "\n")
    writing.write(place / REPORT, page.render(result))


def interrupt_report(out: str | None) -> str:
    """What is left after an interrupt."""
    if out is None:
        return "nothing is kept, as there is no --out"
    return f"runs so far are kept; complete it with: kubestage optimise --resume --out {out}"


def read(out: str) -> OptimiseDefinition:
    """The search of a directory that is to be resumed."""
    return definitions.read(str(pathlib.Path(out) / definitions.NAME))


def _about(definition: OptimiseDefinition, axes: Sequence[Axis]) -> dict[str, str]:
    return {
        "axes": msgspec.json.encode([each.path for each in axes]).decode(),
        "optimisation": msgspec.json.encode(definition).decode(),
        "version": kubestage.__version__,
    }
