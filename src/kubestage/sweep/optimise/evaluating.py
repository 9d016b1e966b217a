"""Settings with seeds become rows: what is known is not computed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.sweep import store as stores
from kubestage.sweep.engines import draining
from kubestage.sweep.rows import MeasureInfo, Row, Setting, Table, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.sweep.base_run import Base
    from kubestage.sweep.engines.engine import Pool
    from kubestage.sweep.rows import Scalar
    from kubestage.sweep.store import RowStore

    Parameters = dict[str, Scalar]


class Evaluator:
    """All rows of a search, by setting and seed, in the order in which settings were proposed."""

    def __init__(self, base: Base, pool: Pool, store: RowStore | None = None) -> None:
        self.computed = 0
        """How many runs were computed, and not known before."""
        self._base = base
        self._pool = pool
        self._store = store
        self._rows: dict[str, dict[int, Row]] = {}
        self._parameters: dict[str, Parameters] = {}
        self._infos: dict[str, MeasureInfo] = {}
        self._tasks = 0

    def knows(self, parameters: Parameters) -> bool:
        """Whether a setting has rows."""
        return name_of(parameters) in self._rows

    def setting(self, parameters: Parameters) -> Setting:
        """A setting with the rows that it has, by seed."""
        rows = self._rows.get(name_of(parameters), {})
        return Setting(parameters, tuple(rows[seed] for seed in sorted(rows)))

    def settings(self) -> list[Setting]:
        """All settings."""
        return [self.setting(each) for each in self._parameters.values()]

    def evaluate(self, settings: Iterable[Parameters], seeds: Sequence[int]) -> None:
        """Compute what is missing of some settings with some seeds."""
        requested = [(each, seed) for each in settings for seed in seeds]
        tasks = {task.index: task for task in self._missing(requested)}
        for row in draining.rows(self._pool, tasks.values()):
            task = tasks[row.index]
            # A worker that died could not say the key.
            kept = msgspec.structs.replace(row, key=row.key or self._base.key(task))
            if self._store is not None:
                self._store.add(kept)
            self._describe(kept)
            self._put(task, kept)
            self.computed += 1

    def measures(self) -> dict[str, MeasureInfo]:
        """All measures that rows have."""
        rows = (row for by_seed in self._rows.values() for row in by_seed.values())
        known = self._infos if self._store is None else {**self._store.infos(), **self._infos}
        return stores.measures_of(rows, known)

    def table(self, axes: Sequence[str], seeds: Iterable[int] | None = None) -> Table:
        """All rows, or those of some seeds: settings in their order, seeds in theirs."""
        chosen = None if seeds is None else set(seeds)
        rows = [
            row
            for setting in self.settings()
            for row in setting.rows
            if chosen is None or row.seed in chosen
        ]
        placed = [
            msgspec.structs.replace(row, index=at, described=()) for at, row in enumerate(rows)
        ]
        return Table(tuple(axes), tuple(placed), self.measures())

    def _missing(self, requested: Iterable[tuple[Parameters, int]]) -> Iterator[Task]:
        for parameters, seed in requested:
            known = self._rows.setdefault(name_of(parameters), {})
            self._parameters.setdefault(name_of(parameters), parameters)
            if seed in known:
                continue
            task = Task(self._tasks, parameters, seed)
            self._tasks += 1
            found = None if self._store is None else self._store.find(self._base.key(task))
            if found is None or self._store is None:
                yield task
            else:
                self._put(task, found)
                self._store.add(self._rows[name_of(parameters)][seed])

    def _put(self, task: Task, row: Row) -> None:
        placed = msgspec.structs.replace(
            row, index=task.index, parameters=task.parameters, seed=task.seed, described=()
        )
        self._rows[name_of(task.parameters)][task.seed] = placed

    def _describe(self, row: Row) -> None:
        for info in row.described:
            known = self._infos.get(info.key)
            if known is None or repr(info) < repr(known):
                self._infos[info.key] = info


def name_of(parameters: Parameters) -> str:
    """The identity of a setting: 1, 1.0 and True are not the same parameter."""
    return repr(sorted(parameters.items()))
