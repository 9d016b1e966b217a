"""The options of a run: of ``kubestage.run`` and of ``kubestage run``."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage.runs import shared_flags
from kubestage.runs.flags import Flag
from kubestage.runs.what_if_options import WhatIfOptions

_LIVING: Final = "A living cluster"
_KUBELETS: Final = "Kubelets"
_ARRIVALS: Final = "Arrivals"


class RunOptions(WhatIfOptions, frozen=True, kw_only=True):
    """How Scenarios or manifests are run; each field is the flag of the same name."""

    config: shared_flags.Config = None
    plugins: shared_flags.Plugins = ()
    measures: shared_flags.Measures = ()
    seed: shared_flags.Seed = 0
    tie_break: shared_flags.TieBreak = "heap"
    unschedulable: shared_flags.Unschedulable = "retry"
    detail: Annotated[
        shared_flags.DetailLevel,
        Flag(
            "What is recorded of attempts: nothing (summary), a row each (decisions), or every "
            "verdict and score (full).",
            metavar="LEVEL",
        ),
    ] = "decisions"
    out: Annotated[
        str | None,
        Flag("Save the run: its results, how to repeat it, and report.html.", metavar="DIR"),
    ] = None
    explain: Annotated[str | None, Flag("Explain why a pod went where it went.", metavar="POD")] = (
        None
    )
    controllers: shared_flags.Controllers = None
    result_strategy: Annotated[
        shared_flags.Strategy,
        Flag(
            "When a Scenario's result is written to its status: AtMovingNextStep, OnPause or "
            "OnDone.",
            metavar="WHEN",
            env=shared_flags.STRATEGY_VARIABLE,
        ),
    ] = "AtMovingNextStep"
    as_written: Annotated[
        bool, Flag("Create the nodes of a step in the order of the file, not by name.")
    ] = False
    result_annotations: Annotated[
        bool,
        Flag("Write the results of each attempt on its pod, as kube-scheduler-simulator does."),
    ] = False
    run_for: Annotated[
        str | None,
        Flag(
            "Let time pass for this long, as in 10m or 7d.",
            "--for",
            metavar="DURATION",
            panel=_LIVING,
        ),
    ] = None
    at: Annotated[
        tuple[str, ...],
        Flag(
            "Apply manifests, or do Actions, later, as in 5m=v2.yaml. Repeatable.",
            metavar="TIME=FILE",
            panel=_LIVING,
        ),
    ] = ()
    arrivals: Annotated[
        tuple[str, ...],
        Flag(
            "Pods of a trace, in order, or at their times with --for: OpenB's CSV, SWF, or any CSV "
            "with --trace-map. Repeatable.",
            metavar="FILE",
            panel=_ARRIVALS,
        ),
    ] = ()
    trace_map: Annotated[
        str | None,
        Flag(
            "What the columns of a trace mean: cpu=cpu_milli/1000,memory=mib*1048576,at=start, or "
            "a YAML file.",
            metavar="FIELD=COLUMN,..",
            panel=_ARRIVALS,
        ),
    ] = None
    arrivals_load: Annotated[
        str | None,
        Flag(
            "Draw pods of the trace again, or leave some out, until they request this share of "
            "what the nodes have: 1.3 or 130%.",
            metavar="SHARE",
            panel=_ARRIVALS,
        ),
    ] = None
    arrivals_shuffle: Annotated[
        bool,
        Flag(
            "Have the pods of the trace arrive in a random order, and nodes named in one.",
            panel=_ARRIVALS,
        ),
    ] = False
    launch_delay: Annotated[
        str | None,
        Flag(
            "How long containers take to start: 2s, normal(5s,1s), exp(3s) ...",
            metavar="DISTRIBUTION",
            panel=_KUBELETS,
        ),
    ] = None
    run_duration: Annotated[
        str | None,
        Flag("How long the containers of Jobs run.", metavar="DISTRIBUTION", panel=_KUBELETS),
    ] = None
    terminate_delay: Annotated[
        str | None,
        Flag(
            "How long containers take to terminate.",
            metavar="DISTRIBUTION",
            panel=_KUBELETS,
        ),
    ] = None
    settings: shared_flags.Settings = ()
    autoscalers: Annotated[
        tuple[str, ...],
        Flag(
            "An autoscaler of your own that decides for HPAs, or for the one named. Repeatable.",
            "--autoscaler",
            metavar="[HPA=]FILE.py:CLASS",
            panel=_LIVING,
        ),
    ] = ()
    prices: shared_flags.Prices = None
    catalogue: shared_flags.Catalogue = None
    trace_out: Annotated[
        str | None,
        Flag(
            "Save the movements in this SQLite file, for `kubestage trace show`.",
            metavar="FILE",
            panel=_LIVING,
        ),
    ] = None
    timings: shared_flags.Timings = False
    profile: shared_flags.Profile = None
    trace_internal: Annotated[bool, Flag("Trace internal timers too.", panel=_LIVING)] = False
    scheduler_name: shared_flags.SchedulerName = None
    algorithm_provider: shared_flags.AlgorithmProvider = None
    hard_pod_affinity_symmetric_weight: shared_flags.HardPodAffinityWeight = None

    collects_explanations: bool = True
    """Whether a result of manifests has every attempt in memory if the detail is full; a run
    directory has them anyway."""
