"""The options of ``kubestage.compare`` and of ``kubestage compare``."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage.runs import shared_flags
from kubestage.runs.flags import Flag
from kubestage.runs.what_if_options import WhatIfOptions

_LIVING: Final = "Ways to buy nodes"


class CompareOptions(WhatIfOptions, frozen=True, kw_only=True):
    """What is compared, and how it is run; each field is the flag of the same name."""

    configs: Annotated[
        tuple[str, ...],
        Flag(
            "A scheduler configuration to run the input with, or the word default. Repeatable.",
            "--config",
            metavar="FILE",
        ),
    ] = ()
    """Configurations to run one input with; without any, the inputs are kept runs."""

    nodepools: Annotated[
        tuple[str, ...],
        Flag(
            "NodePools and node classes, or NodeGroups, to let the input live with, instead of its "
            "own. Repeatable; needs --for.",
            metavar="FILE",
            panel=_LIVING,
        ),
    ] = ()
    """Ways to buy nodes: the input lives once with each."""

    run_for: Annotated[
        str | None,
        Flag(
            "With --nodepools: let time pass for this long, as in 10m or 7d; 24h by default.",
            "--for",
            metavar="DURATION",
            panel=_LIVING,
        ),
    ] = None
    """How long each run lives."""

    seeds: Annotated[
        str | None,
        Flag(
            "With --nodepools: run with each of these seeds, 0..9 or 1,2,7, or with so many.",
            metavar="SEEDS",
            default="--seed alone",
            panel=_LIVING,
        ),
    ] = None
    """Several seeds show how much of a difference is chance."""

    at: Annotated[
        tuple[str, ...],
        Flag(
            "With --nodepools: apply manifests, or do Actions, later, as in 5m=v2.yaml. "
            "Repeatable.",
            metavar="TIME=FILE",
            panel=_LIVING,
        ),
    ] = ()
    arrivals: Annotated[
        tuple[str, ...],
        Flag(
            "With --nodepools: pods of a trace, at their times. Repeatable.",
            metavar="FILE",
            panel=_LIVING,
        ),
    ] = ()
    trace_map: Annotated[
        str | None,
        Flag(
            "What the columns of a trace mean, as with `run`.",
            metavar="FIELD=COLUMN,..",
            panel=_LIVING,
        ),
    ] = None
    launch_delay: Annotated[
        str | None,
        Flag(
            "With --nodepools: how long containers take to start.",
            metavar="DISTRIBUTION",
            panel=_LIVING,
        ),
    ] = None
    run_duration: Annotated[
        str | None,
        Flag(
            "With --nodepools: how long the containers of Jobs run.",
            metavar="DISTRIBUTION",
            panel=_LIVING,
        ),
    ] = None
    settings: shared_flags.Settings = ()

    between: Annotated[
        tuple[str, str] | None,
        Flag(
            "Tell what changed between these two, by name or number; else the first and each.",
            metavar="A B",
        ),
    ] = None
    """The pair to compare pod by pod."""

    top: Annotated[int, Flag("Show the scores of the best N nodes.", metavar="N", minimum=1)] = 5
    """How many nodes are shown with their scores."""

    plugins: shared_flags.Plugins = ()
    measures: shared_flags.Measures = ()
    seed: shared_flags.Seed = 0
    tie_break: shared_flags.TieBreak = "heap"
    controllers: shared_flags.Controllers = None
    prices: shared_flags.Prices = None
    catalogue: shared_flags.Catalogue = None
    timings: shared_flags.Timings = False
    profile: shared_flags.Profile = None
    recorded_config: shared_flags.RecordedConfig = None
    begin: shared_flags.RecordedFrom = None
    end: shared_flags.RecordedTo = None
    nodes_from: shared_flags.NodesFrom = None
    predictions: shared_flags.Predictions = 2_000

    out: Annotated[
        str | None,
        Flag("Keep the runs in this directory, for `kubestage open DIR`.", metavar="DIR"),
    ] = None
    """Where the runs are kept; runs that are over stay where they are, and are named there."""

    removable: Annotated[
        bool | None,
        Flag(
            "Search for nodes that could be removed, and for what is stranded; by default of "
            "Scenarios. Living runs that were kept are run again for that.",
            "--removable/--no-removable",
            show_default=False,
        ),
    ] = None
    """Whether what is left over on nodes at the end of runs is compared."""

    explains: bool = True
    """Whether the first decision that differs is explained."""
