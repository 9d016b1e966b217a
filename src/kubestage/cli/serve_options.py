"""The options of ``kubestage serve``."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import typer

from kubestage.cli import completion
from kubestage.cli.run_options import DETAILS, STRATEGIES, STRATEGY_VARIABLE

PACES: Final = ("jump", "still", "realtime")
SCHEDULERS: Final = ("built-in", "outside", "none")
Scheduling = Literal["built-in", "outside", "none"]
GRACE: Final = "1s"
DURABILITIES: Final = ("full", "relaxed")
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
_DATA: Final = "What is kept"
_TIME: Final = "Time"
_CLUSTER: Final = "The cluster"
_DOOR: Final = "Who may come in"
_RESULTS: Final = "Results of Scenarios and scheduling"

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE|DIR|-]...",
        help="Objects that are there from the start: files, directories, or stdin.",
        show_default=False,
    ),
]
Port = Annotated[
    int,
    typer.Option("--port", min=0, max=65535, help="Where to listen; 0 lets one be chosen."),
]
Host = Annotated[
    str,
    typer.Option(
        "--host",
        help="The address to listen at. Beyond this machine, TLS and a token are demanded.",
        rich_help_panel=_DOOR,
    ),
]
DataDir = Annotated[
    str | None,
    typer.Option(
        "--data-dir",
        metavar="DIR",
        help="Where everything is kept, so that a later start goes on from there. "
        "(default: .kubestage)",
        show_default=False,
        rich_help_panel=_DATA,
    ),
]
InMemory = Annotated[
    bool,
    typer.Option("--in-memory", help="Keep nothing on disk.", rich_help_panel=_DATA),
]
Durability = Annotated[
    str,
    typer.Option(
        "--durability",
        metavar="|".join(DURABILITIES),
        help="full: an answer means that the disk has it. relaxed: the last moments may be lost.",
        autocompletion=completion.one_of(*DURABILITIES),
        rich_help_panel=_DATA,
    ),
]
Kubeconfig = Annotated[
    str | None,
    typer.Option(
        "--kubeconfig",
        metavar="FILE",
        help="Where to write the kubeconfig. (default: in the data directory)",
        show_default=False,
    ),
]
Record = Annotated[
    str | None,
    typer.Option(
        "--record",
        metavar="FILE",
        help="Write what clients ask for to this file, as a Scenario that can be run again.",
        show_default=False,
        rich_help_panel=_DATA,
    ),
]
Scheduler = Annotated[
    str,
    typer.Option(
        "--scheduler",
        metavar="|".join(SCHEDULERS),
        help="built-in: kubestage schedules. outside: a scheduler of your own does, over the API. "
        "none: nobody does.",
        autocompletion=completion.one_of(*SCHEDULERS),
        rich_help_panel=_CLUSTER,
    ),
]
Grace = Annotated[
    str,
    typer.Option(
        "--scheduler-grace",
        metavar="TIME",
        help="A scheduler outside that has written nothing for so long, in real time, is done "
        "with a step.",
        rich_help_panel=_CLUSTER,
    ),
]
Timeout = Annotated[
    str | None,
    typer.Option(
        "--scheduler-timeout",
        metavar="TIME",
        help="Fail a Scenario for which no scheduler outside has connected by then. "
        "(default: wait for one)",
        show_default=False,
        rich_help_panel=_CLUSTER,
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--scheduler-name",
        metavar="NAME",
        help="The schedulerName of pods that a scheduler outside takes; all if there is none. "
        "Repeatable.",
        show_default=False,
        rich_help_panel=_CLUSTER,
    ),
]
ApiOnly = Annotated[
    bool,
    typer.Option(
        "--api-only",
        help="The API server alone, in real time: --scheduler none --no-controllers --pace "
        "realtime, and without the ServiceAccount plugin, as nobody makes accounts.",
        rich_help_panel=_CLUSTER,
    ),
]
Controllers = Annotated[
    bool,
    typer.Option(
        "--controllers/--no-controllers",
        help="Have controllers and kubelets at work.",
        rich_help_panel=_CLUSTER,
    ),
]
DisabledPlugins = Annotated[
    list[str] | None,
    typer.Option(
        "--disable-admission-plugins",
        metavar="NAMES",
        help="Admission plugins to do without, as in ServiceAccount,ResourceQuota. Repeatable.",
        show_default=False,
        rich_help_panel=_CLUSTER,
    ),
]
Detail = Annotated[
    str | None,
    typer.Option(
        "--detail",
        metavar="|".join(DETAILS),
        help="What a Scenario's status has of each attempt: nothing, a row, or every verdict and "
        "score. spec.detail of a Scenario wins. (default: decisions)",
        show_default=False,
        autocompletion=completion.one_of(*DETAILS),
        rich_help_panel=_RESULTS,
    ),
]
ResultStrategy = Annotated[
    str | None,
    typer.Option(
        "--result-strategy",
        metavar="WHEN",
        help="When a Scenario's result is written to its status: AtMovingNextStep, OnPause or "
        "OnDone. spec.resultStrategy of a Scenario wins. (default: the variable "
        f"{STRATEGY_VARIABLE}, else AtMovingNextStep)",
        show_default=False,
        autocompletion=completion.one_of(*STRATEGIES),
        rich_help_panel=_RESULTS,
    ),
]
ResultAnnotations = Annotated[
    bool | None,
    typer.Option(
        "--result-annotations/--no-result-annotations",
        help="Write the results of each attempt on its pod, as kube-scheduler-simulator does.",
        show_default=False,
        rich_help_panel=_RESULTS,
    ),
]
Pace = Annotated[
    str,
    typer.Option(
        "--pace",
        metavar="|".join(PACES),
        help="jump: from event to event while there is work, then as on the wall while somebody "
        "watches. still: only when it is advanced. realtime: as on the wall.",
        autocompletion=completion.one_of(*PACES),
        rich_help_panel=_TIME,
    ),
]
Speed = Annotated[
    float | None,
    typer.Option(
        "--speed",
        metavar="N",
        help="Let time pass N times as fast as on the wall.",
        show_default=False,
        rich_help_panel=_TIME,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        help="Another seed is another cluster: names, addresses, chances. (default: 0)",
        show_default=False,
    ),
]
AsWritten = Annotated[
    bool,
    typer.Option(
        "--as-written",
        help="Create the nodes of files, and of each step of a Scenario, as written, not by name.",
        rich_help_panel=_CLUSTER,
    ),
]
Start = Annotated[
    str | None,
    typer.Option(
        "--start",
        metavar="TIME",
        help="When time begins, as in 2026-01-01T00:00:00Z: the same requests then give the same "
        "cluster. (default: now)",
        show_default=False,
        rich_help_panel=_TIME,
    ),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="NAME",
        help="Another name that clients may call the server by. Repeatable.",
        rich_help_panel=_DOOR,
    ),
]
TlsCert = Annotated[
    str | None,
    typer.Option(
        "--tls-cert",
        metavar="FILE",
        help="The server's certificate, if not one of our own making.",
        rich_help_panel=_DOOR,
    ),
]
TlsKey = Annotated[
    str | None,
    typer.Option(
        "--tls-key", metavar="FILE", help="The key of the certificate.", rich_help_panel=_DOOR
    ),
]
TokenFile = Annotated[
    str | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help="The token that clients bring, if not one of our own making.",
        rich_help_panel=_DOOR,
    ),
]
MaxObjects = Annotated[
    int,
    typer.Option("--max-objects", min=1, help="As many objects are taken.", rich_help_panel=_DOOR),
]
MaxWatchers = Annotated[
    int,
    typer.Option(
        "--max-watchers", min=1, help="As many watches may be open.", rich_help_panel=_DOOR
    ),
]
MaxRequestBytes = Annotated[
    str | None,
    typer.Option(
        "--max-request-bytes",
        metavar="SIZE",
        help="How large the body of a request may be, as in 64Mi. (default: 3Mi; for Scenarios "
        "256Mi from this machine and 32Mi from others)",
        show_default=False,
        rich_help_panel=_DOOR,
    ),
]
LogLevel = Annotated[
    str,
    typer.Option(
        "--log-level",
        metavar="|".join(LOG_LEVELS),
        help="How much is told on stderr; info is a line for each request.",
        autocompletion=completion.one_of(*LOG_LEVELS),
    ),
]
