"""The options of a run: of ``kubestage.run`` and of ``kubestage run``."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage.runs import shared_flags
from kubestage.runs.flags import Flag, Options
from kubestage.runs.inputs import node_shape

_LIVING: Final = "A living cluster"
_KUBELETS: Final = "Kubelets"


class RunOptions(Options, frozen=True, kw_only=True):
    """How Scenarios or manifests are run; each field is the flag of the same name."""

    config: shared_flags.Config = None
    plugins: shared_flags.Plugins = ()
    seed: shared_flags.Seed = 0
    tie_break: shared_flags.TieBreak = "heap"
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
            "Apply manifests later, as in 5m=v2.yaml. Repeatable.",
            metavar="TIME=FILE",
            panel=_LIVING,
        ),
    ] = ()
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
    nodes: shared_flags.NodeCount = None
    node: shared_flags.NodeShape = node_shape.DEFAULT
    prices: shared_flags.Prices = None
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
