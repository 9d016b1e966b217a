"""Comparing runs, or one input under several scheduler configurations."""

from __future__ import annotations

import contextlib
import pathlib
from typing import TYPE_CHECKING

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.results import comparison
from kubestage.runs.compare import contenders, divergence, keeping, lives, names
from kubestage.runs.compare.lives import ComparedLives
from kubestage.runs.compare.result import ComparedPair, ComparedRuns
from kubestage.runs.compare_options import CompareOptions
from kubestage.runs.observer import SILENT

with lazy.imports():
    from kubestage.runs.compare import configurations, node_pools, recordings
    from kubestage.runs.inputs import control_plane
    from kubestage.sources import timed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.cluster.profile import Profile
    from kubestage.results.timings import RecordedTimings
    from kubestage.runs.compare.contenders import Contender
    from kubestage.runs.observer import Observer

__all__ = ["CompareOptions", "ComparedLives", "ComparedPair", "ComparedRuns", "compare"]


def compare(
    inputs: Sequence[str | pathlib.Path],
    options: CompareOptions | None = None,
    observer: Observer = SILENT,
) -> ComparedRuns | ComparedLives:
    """Put runs, or one input under several scheduler configurations, side by side.

    `inputs` are two or more runs that were kept; or, with `options.configs`, the files of a
    Scenario or of manifests, which is run once under each configuration, or a recording, which
    is replayed under each. With `options.nodepools` the input lives, once with the nodes that each
    of these files may buy.
    """
    options = options or CompareOptions()
    paths = [str(each) for each in inputs]
    if options.nodepools:
        return node_pools.compare(paths, options, observer)
    node_pools.refuse_flags(options)
    plane = control_plane.read(options.profile, is_measured=options.timings)
    _check(paths, options)
    if not options.configs and options.out is not None:
        keeping.name_runs(pathlib.Path(options.out), paths)
    if not options.configs and lives.are_lives(paths):
        return lives.compare(paths, observer if options.removable else None)
    if options.configs and any(map(timed.is_one, paths)):
        return recordings.compare(paths, options, observer)
    recordings.refuse_flags(options)
    with _contenders(paths, options, plane, observer) as found:
        compared = comparison.compare(
            [comparison.Named(each.name, each.digest) for each in found],
            [None if options.removable is False else each.end(observer) for each in found],
        )
        pairs = names.pairs(compared.names, options.between)
        return ComparedRuns(
            comparison=compared,
            notes=list(_notes(found)),
            pairs=[
                ComparedPair(
                    first,
                    second,
                    compared.changes(first, second),
                    divergence.explain((found[first], found[second])),
                )
                for first, second in (pairs if options.explains else ())
            ],
            timings=_timings(found),
        )


def _check(inputs: Sequence[str], options: CompareOptions) -> None:
    if not options.configs:
        if len(inputs) < 2:
            raise InputError(
                "one run is nothing to compare",
                fix="name two or more runs, or one Scenario with --config default --config MINE",
            )
        idle = [flag for flag, value in _run_flags(options) if value]
        if idle:
            raise InputError(
                "has no effect on runs that are over",
                path=idle[0],
                fix="leave it out, or give --config",
            )
    elif len(options.configs) < 2:
        raise InputError(
            "one configuration is nothing to compare",
            path="--config",
            fix=f"add another: --config default --config {options.configs[0]}",
        )


def _run_flags(options: CompareOptions) -> list[tuple[str, bool]]:
    """The flags that only have an effect on new runs, and whether each is set."""
    return [
        ("--plugin", bool(options.plugins)),
        ("--measure", bool(options.measures)),
        ("--seed", bool(options.seed)),
        ("--controllers", options.controllers is not None),
        ("--timings", options.timings),
        ("--profile", options.profile is not None),
        ("--prices", options.prices is not None),
        ("--catalogue", options.catalogue is not None),
        ("--reschedule", options.reschedule is not None),
        ("--without", bool(options.without)),
        ("--add", bool(options.add)),
        ("--scale", bool(options.scale)),
        ("--start", options.start is not None),
        ("--nodes", options.nodes is not None),
    ]


@contextlib.contextmanager
def _contenders(
    inputs: Sequence[str], options: CompareOptions, plane: Profile | None, observer: Observer
) -> Iterator[list[Contender]]:
    if options.configs:
        yield configurations.run_all(inputs, options, plane, observer)
    else:
        with contenders.kept(inputs, observer) as found:
            yield found


def _notes(found: Sequence[Contender]) -> Iterator[str]:
    """What a reader should know before drawing conclusions."""
    for each in found:
        status = each.scenario.get("status") or {}
        if status.get("phase") == "Failed":
            yield f"{each.name} failed: {status.get('message')}"
    first, *others = found
    for other in others:
        difference = comparison.differing_inputs(first.scenario, other.scenario)
        if difference is not None:
            yield f"the inputs of {first.name} and {other.name} differ: {difference}"
        for what, value in other.conditions.items():
            before = first.conditions.get(what)
            if value != before:
                yield f"{first.name} and {other.name} differ in {what}: {before} and {value}"


def _timings(found: Sequence[Contender]) -> tuple[RecordedTimings, ...] | None:
    known = tuple(each.timings for each in found if each.timings is not None)
    return known if len(known) == len(found) else None
