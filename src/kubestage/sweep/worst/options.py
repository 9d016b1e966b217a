"""The options of a search for the worst case: of ``search`` and of ``kubestage worst``."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage.runs import shared_flags
from kubestage.runs.flags import Flag
from kubestage.runs.what_if_options import WhatIfOptions
from kubestage.sweep import engine_flags

_OBJECTIVE: Final = "What is searched for"
_SEARCH: Final = "The search"
_LIVING: Final = "A living cluster"


class WorstOptions(WhatIfOptions, frozen=True, kw_only=True):
    """What is searched for, within which bounds, and how; each field is the flag of its name."""

    config: shared_flags.Config = None
    against: Annotated[
        str | None,
        Flag(
            "Another configuration, or the word default: search for the largest difference to it.",
            metavar="FILE",
            panel=_OBJECTIVE,
        ),
    ] = None
    maximise: Annotated[
        str | None,
        Flag(
            "The measure to make as large as possible, as in pending or fragmentation.cpu.",
            metavar="MEASURE",
            panel=_OBJECTIVE,
        ),
    ] = None
    minimise: Annotated[
        str | None,
        Flag("The measure to make as small as possible.", metavar="MEASURE", panel=_OBJECTIVE),
    ] = None
    breaks: Annotated[
        str | None,
        Flag(
            "The invariant to break: budget, fits, oscillation or starvation, also with its "
            "parameters, as in oscillation:changes=3,within=10m.",
            metavar="INVARIANT",
            panel=_OBJECTIVE,
        ),
    ] = None
    at_least: Annotated[
        float | None,
        Flag(
            "Enough: the search ends there, and the smallest scenario still has it.",
            metavar="VALUE",
            panel=_OBJECTIVE,
        ),
    ] = None
    bounds: Annotated[str | None, Flag("What mutations may do.", metavar="FILE", panel=_SEARCH)] = (
        None
    )
    bound: Annotated[
        tuple[str, ...],
        Flag(
            "One of the bounds, as in arrivals.pods.max=12. Repeatable.",
            metavar="PATH=VALUE",
            panel=_SEARCH,
        ),
    ] = ()
    mutate: Annotated[
        str | None,
        Flag(
            "Groups of mutations: arrivals, sizes, order, failures, priorities.",
            metavar="GROUP,..",
            default="all",
            panel=_SEARCH,
        ),
    ] = None
    budget: Annotated[
        int, Flag("How many cases the search runs.", metavar="N", minimum=1, panel=_SEARCH)
    ] = 300
    shrink_budget: Annotated[
        int,
        Flag("How many cases shrinking runs; 0 is none.", metavar="N", minimum=0, panel=_SEARCH),
    ] = 1_000
    repeats: Annotated[
        int,
        Flag(
            "Run each case with so many seeds; the least bad of them counts.",
            metavar="N",
            minimum=1,
            panel=_SEARCH,
        ),
    ] = 1
    jobs: engine_flags.Jobs = None
    engine: engine_flags.EngineName = "local"
    address: engine_flags.Address = None
    seed: Annotated[int, Flag("Of the search and of all runs.")] = 0
    plugins: shared_flags.Plugins = ()
    tie_break: shared_flags.TieBreak = "heap"
    unschedulable: shared_flags.Unschedulable = "retry"
    controllers: shared_flags.Controllers = None
    settings: shared_flags.Settings = ()
    run_for: Annotated[
        str | None,
        Flag("Let each run live for this long, as in 10m.", "--for", metavar="DURATION",
             panel=_LIVING),
    ] = None  # fmt: skip
    at: Annotated[
        tuple[str, ...],
        Flag("Apply manifests later, as in 5m=v2.yaml. Repeatable.", metavar="TIME=FILE",
             panel=_LIVING),
    ] = ()  # fmt: skip
    prices: shared_flags.Prices = None
    out: Annotated[
        str | None,
        Flag("Write the scenario, its explanation and how to run it again.", metavar="DIR"),
    ] = None
