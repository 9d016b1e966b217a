"""Exports what has happened in a cluster: the lives of its pods as a trace for Perfetto.

::

    from kubestage.runs import export

    trace = export.perfetto("runs/first", group_by="workload")
    trace.save("first.json.gz")
"""

from __future__ import annotations

import collections
import gzip
import itertools
import os
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import writing
from kubestage.remote.kubestage_server import KubestageServer
from kubestage.results.analysis.table import Column, Kind, Table
from kubestage.results.history import perfetto as traces
from kubestage.results.history import slices_stays
from kubestage.results.history.cluster_history import ClusterHistory
from kubestage.results.history.slices import Slices
from kubestage.results.history.slices_phases import PHASES
from kubestage.runs import clock_server, notebook, opening
from kubestage.runs.observer import SILENT
from kubestage.runs.opening import OpenedRun
from kubestage.wording import few, plural

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json
    from kubestage.results.history.perfetto import GroupBy
    from kubestage.runs.observer import Observer

SUFFIX: Final = ".perfetto.json.gz"
_ROWS: Final = "/kubestage/v1/history/slices"
_COLUMNS: Final = (
    Column("phase", Kind.TEXT),
    Column("slices", Kind.INT),
    Column("seconds", Kind.FLOAT),
    Column("longestSeconds", Kind.FLOAT),
)


class Trace(notebook.TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """A trace; its table has the time that pods spent in each phase."""

    name: str
    pods: int
    document: Json
    """The trace in the Trace Event Format."""
    phases: list[tuple[str, int, float, float]]
    """Each phase that there was: how often, and how many seconds in all and at most."""

    def encoded(self) -> bytes:
        """The trace as JSON, the same bytes for the same run."""
        return msgspec.json.encode(self.document)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, compressed if its name ends with ``.gz``."""
        data = self.encoded()
        if os.fspath(path).endswith(".gz"):
            data = gzip.compress(data, mtime=0)
        writing.write(path, data)

    def headline(self) -> str:
        """What is in it."""
        count = sum(row[1] for row in self.table().rows)
        return f"{plural(self.pods, 'pod')}, {plural(count, 'slice')}"

    def table(self) -> Table:
        """The phases, in the order of a pod's life."""
        return Table(_COLUMNS, self.phases)


def perfetto(
    run: str | pathlib.Path | OpenedRun | ClusterHistory,
    *,
    group_by: GroupBy = "node",
    observer: Observer = SILENT,
) -> Trace:
    """The trace of a kept run, or of a history; a run in a directory is repeated or read first.

    InputError if there is no such run, or if the directory holds several.
    """
    if isinstance(run, ClusterHistory):
        return _trace("cluster", rows_of(run), group_by)
    if isinstance(run, OpenedRun):
        return _trace(run.name, rows_of(run.history), group_by)
    found = opening.open_runs([run], observer)
    if len(found) > 1:
        names = few(each.name for each in found)
        fix = "name the directory of one, or call perfetto_of_each"
        raise InputError(f"holds {len(found)} runs: {names}", file=str(run), fix=fix)
    return perfetto(found[0], group_by=group_by)


def perfetto_of_each(
    run: str | pathlib.Path, *, group_by: GroupBy = "node", observer: Observer = SILENT
) -> list[Trace]:
    """The traces of all clusters that a kept run has, as a comparison has several."""
    found = opening.open_runs([run], observer)
    return [perfetto(each, group_by=group_by) for each in found]


def perfetto_of_server(
    server: str | None, kubeconfig: str | None = None, *, group_by: GroupBy = "node"
) -> Trace:
    """The trace of what a server remembers."""
    access = clock_server.find(server, kubeconfig)
    api = KubestageServer(access, "history")
    _, rows = api.call("GET", _ROWS)
    if not isinstance(rows, dict) or "slices" not in rows:
        raise api.other()
    return _trace("cluster", rows, group_by)


def rows_of(history: ClusterHistory) -> Json:
    """The lives of pods as rows, as the server's API has them."""
    slices = Slices(history)
    for _ in slices.catch_up():
        pass
    return slices.answer()


def _trace(name: str, rows: dict[str, Any], group_by: GroupBy) -> Trace:
    return Trace(
        name=name,
        pods=len(rows["pods"]),
        document=traces.trace(rows, group_by),
        phases=_phases(rows),
    )


def _phases(rows: dict[str, Any]) -> list[tuple[str, int, float, float]]:
    times: dict[int, list[float]] = collections.defaultdict(list)
    for segment in itertools.chain.from_iterable(slices_stays.lives(rows)):
        times[segment.phase].append((segment.end_ms - segment.begin_ms) / 1000)
    return [
        (PHASES[phase], len(found), round(sum(found), 3), round(max(found), 3))
        for phase, found in sorted(times.items())
    ]
