"""The options of a sweep: what is varied, how runs are chosen, where and by whom they are run."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from kubestage.runs.flags import Flag, Options
from kubestage.sweep import engine_flags

_DESIGN: Final = "Which runs"


class SweepOptions(Options, frozen=True, kw_only=True):
    """What ``kubestage sweep`` adds to a command."""

    vary: Annotated[
        tuple[str, ...],
        Flag(
            "A parameter and its values: nodes=10,20,50, 'hpa/web:spec.maxReplicas=5..20/5', "
            "config=a.yaml,b.yaml, setting.hpa.sync-period=15s,30s. Repeatable.",
            metavar="PATH=VALUES",
            panel=_DESIGN,
        ),
    ] = ()
    seeds: Annotated[
        str | None,
        Flag(
            "Seeds that each combination is run with: 1..50, or how many.",
            metavar="SEEDS",
            default="the command's --seed alone",
            panel=_DESIGN,
        ),
    ] = None
    design: Annotated[
        Literal["grid", "random", "lhs"] | None,
        Flag(
            "All combinations (grid), or so many drawn at random or as a Latin hypercube.",
            metavar="grid|random|lhs",
            default="grid, or random if a value is drawn",
            panel=_DESIGN,
        ),
    ] = None
    samples: Annotated[
        int | None,
        Flag("How many combinations are drawn.", metavar="N", minimum=1, panel=_DESIGN),
    ] = None
    sampling_seed: Annotated[
        int, Flag("Another one draws other combinations.", metavar="N", panel=_DESIGN)
    ] = 0
    until: Annotated[
        tuple[str, ...],
        Flag(
            "Add seeds until this is met: 'ci(cost)<2%', 'decided(pending)'. Repeatable.",
            metavar="GOAL",
            panel=_DESIGN,
        ),
    ] = ()
    max_seeds: Annotated[
        int,
        Flag("With --until: add none after so many.", metavar="N", minimum=2, panel=_DESIGN),
    ] = 1000
    measures: Annotated[
        tuple[str, ...],
        Flag(
            "A measure to show. Repeatable, or several with commas; rows have them all.",
            metavar="MEASURE",
            default="those that differ",
        ),
    ] = ()
    out: Annotated[
        str | None,
        Flag("Keep the rows: sweep.sqlite, results.parquet, sweep.yaml.", metavar="DIR"),
    ] = None
    resume: Annotated[
        bool, Flag("Complete the sweep of --out; the command need not be repeated.")
    ] = False
    jobs: engine_flags.Jobs = None
    engine: engine_flags.EngineName = "local"
    address: engine_flags.Address = None
