"""Tables of results for tests, from functions instead of runs."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from kubestage.sweep.rows import MeasureInfo, Row, Scalar, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Measures = dict[str, float | int | None]
COST = MeasureInfo("cost", "less", "USD")
PENDING = MeasureInfo("pending", "less")
SCHEDULED = MeasureInfo("scheduled", "more")
NODES_USED = MeasureInfo("nodesUsed")


def table(
    axes: Mapping[str, Sequence[Scalar]],
    seeds: Iterable[int],
    run: Callable[[dict[str, Scalar], int], Measures | str],
    measures: Sequence[MeasureInfo] = (COST, PENDING),
) -> Table:
    """A grid of settings, each with all seeds; a run that returns a text has failed with it."""
    rows: list[Row] = []
    seeds = list(seeds)
    for values in itertools.product(*axes.values()):
        parameters = dict(zip(axes, values, strict=True))
        for seed in seeds:
            found = run(parameters, seed)
            error = found if isinstance(found, str) else None
            measured: Measures = {} if isinstance(found, str) else found
            rows.append(Row(len(rows), f"key-{len(rows)}", parameters, seed, measured, error))
    return Table(tuple(axes), tuple(rows), {each.key: each for each in measures})
