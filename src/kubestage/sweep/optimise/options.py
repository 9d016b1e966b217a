"""The options of ``kubestage optimise``, besides those of the command that is optimised."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from kubestage.runs.flags import Flag, Options
from kubestage.sweep import engine_flags

_AIMS: Final = "What is best"
_SEARCH: Final = "The search"


class OptimiseOptions(Options, frozen=True, kw_only=True):
    """What ``kubestage optimise`` adds to a command."""

    minimise: Annotated[
        tuple[str, ...],
        Flag(
            "A measure of which less is better. Repeatable: several objectives have a front.",
            metavar="MEASURE",
            panel=_AIMS,
        ),
    ] = ()
    maximise: Annotated[
        tuple[str, ...],
        Flag("A measure of which more is better. Repeatable.", metavar="MEASURE", panel=_AIMS),
    ] = ()
    subject_to: Annotated[
        tuple[str, ...],
        Flag(
            "What must hold, as in 'responseP99<300ms' or 'pending<=2'. Repeatable.",
            metavar="MEASURE<VALUE",
            panel=_AIMS,
        ),
    ] = ()
    vary: Annotated[
        tuple[str, ...],
        Flag(
            "A parameter and where it is searched: nodes=5..50, 'hpa/web:spec.maxReplicas=5..20', "
            "config=a.yaml,b.yaml, 'setting.hpa.tolerance=uniform(0.02,0.3)'. Repeatable.",
            metavar="PATH=VALUES",
            panel=_SEARCH,
        ),
    ] = ()
    trials: Annotated[
        int, Flag("How many settings are tried.", metavar="N", minimum=1, panel=_SEARCH)
    ] = 50
    seeds: Annotated[
        str,
        Flag(
            "Seeds that a setting is tried with, at most: 1..12, or how many.",
            metavar="SEEDS",
            panel=_SEARCH,
        ),
    ] = "6"
    sampler: Annotated[
        Literal["tpe", "nsga2", "cmaes", "random", "grid"],
        Flag(
            "What proposes settings.",
            metavar="tpe|nsga2|cmaes|random|grid",
            panel=_SEARCH,
        ),
    ] = "tpe"
    sampler_seed: Annotated[
        int, Flag("Another one searches differently.", metavar="N", minimum=0, panel=_SEARCH)
    ] = 0
    batch: Annotated[
        int,
        Flag(
            "How many settings are proposed at once; the result depends on it, not on --jobs.",
            metavar="N",
            minimum=1,
            panel=_SEARCH,
        ),
    ] = 8
    no_pruning: Annotated[
        bool,
        Flag("Run all seeds of settings that are clearly worse, too.", panel=_SEARCH),
    ] = False
    finalists: Annotated[
        int,
        Flag(
            "How many of the best are compared at the end.", metavar="N", minimum=1, panel=_SEARCH
        ),
    ] = 5
    final_seeds: Annotated[
        int,
        Flag("With how many new seeds each of them is run.", metavar="N", minimum=2, panel=_SEARCH),
    ] = 20
    no_baseline: Annotated[
        bool, Flag("Do not run the inputs as they are, for comparison.", panel=_SEARCH)
    ] = False
    level: Annotated[
        float,
        Flag("How sure intervals and verdicts are, in percent.", metavar="PERCENT", panel=_SEARCH),
    ] = 95.0
    margin: Annotated[
        str,
        Flag(
            "A difference below this does not matter: a share as in 1%, or an amount.",
            metavar="AMOUNT",
            panel=_SEARCH,
        ),
    ] = "1%"
    out: Annotated[
        str | None,
        Flag(
            "Keep the search: sweep.sqlite, optimise.yaml, optimise.json, report.html.",
            metavar="DIR",
        ),
    ] = None
    resume: Annotated[
        bool, Flag("Complete the search of --out; nothing else need be repeated.")
    ] = False
    jobs: engine_flags.Jobs = None
    engine: engine_flags.EngineName = "local"
    address: engine_flags.Address = None
