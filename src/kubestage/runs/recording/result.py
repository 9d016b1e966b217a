"""What a recording is doing, and what it has become."""

from __future__ import annotations

import msgspec

from kubestage.results.analysis.table import Column, Kind, Table
from kubestage.runs import notebook
from kubestage.sources.cluster_file import Spec  # noqa: TC001 - msgspec reads it
from kubestage.wording import plural

_COLUMNS = (Column("kind", Kind.TEXT), Column("objects", Kind.INT))


class RecordStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How far a recording is."""

    elapsed_s: float
    changes: int
    """Since the recording began, also before it was continued."""
    samples: int
    """Of usage, since this run began."""
    objects: int
    kinds: int
    """That are watched."""
    size_bytes: int
    """Compressed, since this run began."""
    behind_s: float
    """How long the watch that is interrupted longest has been so; 0 if none is."""
    problems: list[str]

    def text(self) -> str:
        """One line."""
        parts = [
            plural(self.changes, "change"),
            f"{self.size_bytes / 2**20:,.1f} MiB",
            f"{plural(self.objects, 'object')} of {plural(self.kinds, 'kind')}",
        ]
        if self.samples:
            parts.append(plural(self.samples, "sample"))
        if self.problems:
            parts.append(f"interrupted for {self.behind_s:.0f} s: {self.problems[0]}")
        return ", ".join(parts)


class RecordResult(notebook.TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """A folder with a recording; its table has the number of objects of each kind at the end."""

    out: str
    spec: Spec
    status: RecordStatus
    is_continued: bool

    def headline(self) -> str:
        """What is in it."""
        return self.status.text()

    def table(self) -> Table:
        """The kinds, by name."""
        return Table(_COLUMNS, list(self.spec.objects.items()))
