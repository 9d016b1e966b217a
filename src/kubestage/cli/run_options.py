"""The options of ``kubestage run``."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kubestage.cli import completion, log_lines

FORMATS: Final = ("table", "wide", "json", "yaml")
TIE_BREAKS: Final = ("heap", "first", "random")
DETAILS: Final = ("summary", "decisions", "full")
STRATEGIES: Final = ("AtMovingNextStep", "OnPause", "OnDone")
STRATEGY_VARIABLE: Final = "UPDATE_SCENARIO_RESULTS_STRATEGY"
_LIVING: Final = "A living cluster"
_KUBELETS: Final = "Kubelets"
_OLD_FLAGS: Final = "kube-scheduler's old flags, without --config"

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|DIR|-",
        help="Scenarios, or the objects of a cluster: files, directories, or stdin.",
        show_default=False,
    ),
]
Config = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="A scheduler configuration (v1 or older)."),
]
Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="MODULE:CLASS",
        help="A plugin of your own, or FILE.py:CLASS; a profile has to enable it. Repeatable.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Another seed is another run.")]
TieBreak = Annotated[
    str,
    typer.Option(
        "--tie-break",
        metavar="|".join(TIE_BREAKS),
        help="Which of the best nodes is taken; heap is what kube-scheduler does.",
        autocompletion=completion.one_of(*TIE_BREAKS),
    ),
]
RequireAll = Annotated[
    bool, typer.Option("--require-all", help="Exit code 1 if a pod stays without a node.")
]
Explain = Annotated[
    str | None,
    typer.Option("--explain", metavar="POD", help="Explain why a pod went where it went."),
]
Output = Annotated[str, completion.output_option(*FORMATS)]
All = Annotated[
    bool,
    typer.Option(
        "--all",
        help="List all pods and workloads; by default those that need attention, and no more than "
        "20 of each.",
    ),
]
Detail = Annotated[
    str,
    typer.Option(
        "--detail",
        metavar="LEVEL",
        help="What is kept of attempts: nothing (summary), a row each (decisions), or every "
        "verdict and score (full).",
        autocompletion=completion.one_of(*DETAILS),
    ),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Keep the run: what came of it, how to repeat it, and report.html.",
    ),
]
Controllers = Annotated[
    bool | None,
    typer.Option(
        "--controllers/--no-controllers",
        help="Have controllers and kubelets at work; by default unless objects were recorded.",
        show_default=False,
    ),
]
ResultStrategy = Annotated[
    str,
    typer.Option(
        "--result-strategy",
        metavar="WHEN",
        envvar=STRATEGY_VARIABLE,
        help="When a Scenario's result is written to its status: AtMovingNextStep, OnPause or "
        "OnDone.",
        autocompletion=completion.one_of(*STRATEGIES),
    ),
]
AsWritten = Annotated[
    bool,
    typer.Option(
        "--as-written",
        help="Create the nodes of a step in the order of the file, not by name.",
    ),
]
ResultAnnotations = Annotated[
    bool,
    typer.Option(
        "--result-annotations",
        help="Write the results of each attempt on its pod, as kube-scheduler-simulator does.",
    ),
]
For = Annotated[
    str | None,
    typer.Option(
        "--for",
        metavar="DURATION",
        help="Let the cluster live for this long, as in 10m or 7d.",
        rich_help_panel=_LIVING,
    ),
]
At = Annotated[
    list[str] | None,
    typer.Option(
        "--at",
        metavar="TIME=FILE",
        help="Apply manifests later, as in 5m=v2.yaml. Repeatable.",
        rich_help_panel=_LIVING,
    ),
]
Events = Annotated[
    bool,
    typer.Option("--events", help="Print Events as they happen.", rich_help_panel=_LIVING),
]
LaunchDelay = Annotated[
    str | None,
    typer.Option(
        "--launch-delay",
        metavar="DISTRIBUTION",
        help="How long containers take to start: 2s, normal(5s,1s), exp(3s) ...",
        rich_help_panel=_KUBELETS,
    ),
]
RunDuration = Annotated[
    str | None,
    typer.Option(
        "--run-duration",
        metavar="DISTRIBUTION",
        help="How long the containers of Jobs run.",
        rich_help_panel=_KUBELETS,
    ),
]
TerminateDelay = Annotated[
    str | None,
    typer.Option(
        "--terminate-delay",
        metavar="DISTRIBUTION",
        help="How long containers take to end when asked to.",
        rich_help_panel=_KUBELETS,
    ),
]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        metavar="NAME=VALUE",
        autocompletion=completion.setting_words,
        help="A flag of a controller or autoscaler: hpa.sync-period=30s, metrics.delay=4s, "
        "vpa.min-replicas=1, node-autoscaler.expander=price ... Repeatable.",
        rich_help_panel=_LIVING,
    ),
]
Autoscalers = Annotated[
    list[str] | None,
    typer.Option(
        "--autoscaler",
        metavar="[HPA=]FILE.py:CLASS",
        help="An autoscaler of your own that decides for HPAs, or for the one named. Repeatable.",
        rich_help_panel=_LIVING,
    ),
]
Trace = Annotated[
    bool,
    typer.Option(
        "--trace",
        help="Print every movement of requests, replicas, pods, nodes and autoscalers.",
        rich_help_panel=_LIVING,
    ),
]
TraceOut = Annotated[
    str | None,
    typer.Option(
        "--trace-out",
        metavar="FILE",
        help="Keep the movements in this SQLite file, for `kubestage trace show`.",
        rich_help_panel=_LIVING,
    ),
]
TraceInternal = Annotated[
    bool,
    typer.Option(
        "--trace-internal",
        help="Trace internal timers too.",
        rich_help_panel=_LIVING,
    ),
]
LogLevel = Annotated[
    str | None,
    typer.Option(
        "--log-level",
        metavar="LEVEL",
        help=log_lines.HELP,
        autocompletion=completion.one_of(*log_lines.LEVELS),
        rich_help_panel=_LIVING,
    ),
]
SchedulerName = Annotated[
    str | None,
    typer.Option(
        "--scheduler-name",
        metavar="NAME",
        help="Name of the one profile.",
        rich_help_panel=_OLD_FLAGS,
    ),
]
AlgorithmProvider = Annotated[
    str | None,
    typer.Option(
        "--algorithm-provider",
        metavar="NAME",
        help="DefaultProvider or ClusterAutoscalerProvider.",
        rich_help_panel=_OLD_FLAGS,
    ),
]
HardWeight = Annotated[
    int | None,
    typer.Option(
        "--hard-pod-affinity-symmetric-weight",
        metavar="0-100",
        help="How much required affinity of others draws a pod.",
        rich_help_panel=_OLD_FLAGS,
    ),
]
