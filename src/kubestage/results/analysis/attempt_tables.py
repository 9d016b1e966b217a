"""How often the scheduler tried, and with what result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.results.analysis import registry
from kubestage.results.analysis.digest import digest
from kubestage.results.analysis.registry import RunChart, RunTable
from kubestage.results.analysis.table import Kind, Table, columns

with lazy.imports():
    from kubestage.results.charts import pods as pod_charts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.analysis.digest import Digest, Run
    from kubestage.results.analysis.table import Column

_LOG: Final = columns(
    attempt=Kind.INT,
    step=Kind.INT,
    pod=Kind.TEXT,
    profile=Kind.TEXT,
    result=Kind.TEXT,
    node=Kind.TEXT,
    evaluatedNodes=Kind.INT,
    feasibleNodes=Kind.INT,
    nominatedNode=Kind.TEXT,
    victims=Kind.INT,
    message=Kind.TEXT,
)
_COUNTS: Final = columns(
    attempts=Kind.INT, pods=Kind.INT, evaluatedNodes=Kind.INT, feasibleNodes=Kind.INT
)
KEYS: Final = ("step", "pod", "profile", "result")
"""What attempts can be counted by."""

LOG_NARROW: Final = ("attempt", "step", "pod", "result", "node", "feasibleNodes", "victims")
"""The columns of the log for a terminal."""

_DEFAULT_KEYS: Final = ("profile", "result")


def attempts(run: Run, by: Sequence[str] = _DEFAULT_KEYS) -> Table:
    """How many attempts there were, counted by any of ``step``, ``pod``, ``profile``, ``result``.

    Beside their number: at how many pods, and how many nodes were evaluated and found feasible
    in all of them.
    """
    for key in by:
        if key not in KEYS:
            raise InputError(f'attempts have no "{key}"', fix=f"use any of {', '.join(KEYS)}")
    groups: dict[tuple[Any, ...], tuple[list[int], set[str]]] = {}
    for row in attempt_log(run).records():
        sums, pods = groups.setdefault(tuple(row[key] for key in by), ([0, 0, 0], set()))
        pods.add(row["pod"])
        for place, amount in enumerate((1, row["evaluatedNodes"] or 0, row["feasibleNodes"] or 0)):
            sums[place] += amount
    rows = [
        (*group, tries, len(pods), evaluated, feasible)
        for group, ((tries, evaluated, feasible), pods) in groups.items()
    ]
    rows.sort(key=_sortable)
    return Table(_columns(by), rows)


def _columns(by: Sequence[str]) -> tuple[Column, ...]:
    return (*(column for key in by for column in _LOG if column.name == key), *_COUNTS)


registry.add(
    RunTable(
        name="attempts",
        title="Attempts",
        about="scheduling attempts, counted by the keys of --by",
        row="what `--by` names: step, pod, profile, result; `--by attempt`: each",
        columns=_columns(_DEFAULT_KEYS),
        order=100,
        empty="No attempts were recorded; runs at detail decisions or full have them.",
        chart=RunChart(
            name="attempts",
            function=lambda: pod_charts.attempts,
            order=80,
            # At detail `summary` they are not counted.
            is_recorded=lambda run: run.has_attempts,
        ),
        compute=attempts,
    )
)


def attempt_log(run: Run) -> Table:
    """Every attempt, in order; `victims` is the number of pods that it preempted."""
    rows = list(_log(digest(run)))
    rows.sort(key=lambda row: (row[0] or 0, row[1] or 0))
    return Table(_LOG, rows)


def _log(run: Digest) -> list[tuple[Any, ...]]:
    return [
        (
            attempt.attempt,
            attempt.step,
            pod.key,
            attempt.profile or pod.profile,
            attempt.result,
            attempt.node,
            attempt.evaluated_nodes,
            attempt.feasible_nodes,
            attempt.preemption.nominated_node if attempt.preemption is not None else None,
            len(attempt.preemption.victims or ()) if attempt.preemption is not None else 0,
            attempt.message,
        )
        for pod in run.pods
        for attempt in pod.attempts
    ]


def _sortable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((value is not None, value) for value in row)
