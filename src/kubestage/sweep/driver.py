"""Runs a design: what is known is not computed again, and every row is kept as it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.runs.observer import SILENT
from kubestage.sweep import store as stores
from kubestage.sweep.engines import draining
from kubestage.sweep.rows import MeasureInfo, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.runs.observer import Advance, Observer
    from kubestage.sweep.base_run import Base
    from kubestage.sweep.design import Design
    from kubestage.sweep.engines.engine import Engine
    from kubestage.sweep.rows import Task
    from kubestage.sweep.store import RowStore


class Driver:
    """A sweep while it runs; without a store its rows are only in memory."""

    def __init__(
        self,
        base: Base,
        design: Design,
        engine: Engine,
        store: RowStore | None = None,
        observer: Observer = SILENT,
    ) -> None:
        self.base = base
        self.design = design
        self.computed = 0
        """How many runs were computed, and not known before."""
        self._engine = engine
        self._store = store
        self._observer = observer
        self._rows: dict[str, Row] = {}
        self._infos: dict[str, MeasureInfo] = {}
        self._done = 0

    @property
    def done(self) -> int:
        """How many runs of the design have a row."""
        return self._done

    def run(self) -> Table:
        """Compute all rows that are missing."""
        self._done = 0
        places: dict[str, list[Task]] = {}
        with self._observer.progress("sweeping", self.design.size, noticeable=1) as advance:
            missing = self._missing(places, advance)
            first = next(missing, None)
            if first is not None:
                with self._engine.open(self.base) as pool:
                    for row in draining.rows(pool, _chained(first, missing)):
                        self._keep(row, places, advance)
        return self._table(places)

    def more_seeds(self, number: int) -> Table:
        """Add seeds to the design, and compute their rows."""
        self.design = self.design.with_more_seeds(number)
        return self.run()

    def _missing(self, places: dict[str, list[Task]], advance: Advance) -> Iterator[Task]:
        """The tasks of which no row is known; one for each key."""
        for task in self.design.tasks():
            key = self.base.key(task)
            same = places.setdefault(key, [])
            same.append(task)
            if len(same) > 1:
                if key in self._rows:
                    self._advance(1, advance)
                continue
            known = self._known(key, task)
            if known is None:
                yield task
            else:
                self._rows[key] = known
                self._advance(1, advance)

    def _known(self, key: str, task: Task) -> Row | None:
        if key in self._rows:
            return self._rows[key]
        found = None if self._store is None else self._store.find(key)
        if found is None or self._store is None:
            return None
        found = _placed(found, task)
        self._store.add(found)
        return found

    def _keep(self, row: Row, places: dict[str, list[Task]], advance: Advance) -> None:
        if not row.key:
            # Its worker died, and could not say it.
            row = msgspec.structs.replace(row, key=_key_at(row.index, places))
        if self._store is not None:
            self._store.add(row)
        for info in row.described:
            known = self._infos.get(info.key)
            if known is None or repr(info) < repr(known):
                self._infos[info.key] = info
        self._rows[row.key] = msgspec.structs.replace(row, described=())
        self.computed += 1
        self._advance(len(places[row.key]), advance)

    def _advance(self, number: int, advance: Advance) -> None:
        self._done += number
        advance(self._done)

    def _table(self, places: dict[str, list[Task]]) -> Table:
        rows = sorted(
            (_placed(self._rows[key], task) for key, tasks in places.items() for task in tasks),
            key=lambda row: row.index,
        )
        known = self._infos if self._store is None else {**self._store.infos(), **self._infos}
        axes = tuple(each.path for each in self.design.axes)
        return Table(axes, tuple(rows), stores.measures_of(rows, known))


def _chained(first: Task, others: Iterator[Task]) -> Iterator[Task]:
    yield first
    yield from others


def _placed(row: Row, task: Task) -> Row:
    """A row at the place of a task with the same key."""
    return msgspec.structs.replace(
        row, index=task.index, parameters=task.parameters, seed=task.seed, described=()
    )


def _key_at(index: int, places: dict[str, list[Task]]) -> str:
    return next(key for key, tasks in places.items() if tasks[0].index == index)
