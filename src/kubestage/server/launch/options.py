"""The options of a served cluster."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from kubestage.runs.flags import Flag
from kubestage.runs.inputs import node_shape
from kubestage.runs.shared_flags import (
    STRATEGY_VARIABLE,
    Catalogue,
    Config,
    DetailLevel,
    NodeCount,
    NodeShape,
    Plugins,
    Prices,
    Profile,
    Settings,
    Strategy,
    TieBreak,
    Timings,
)
from kubestage.server.launch.place_options import KEPT, AuthorizationMode, PlaceOptions

GRACE: Final = "1s"
HISTORY_SIZE: Final = "64Mi"
HISTORY_TIME: Final = "5m"
PAST_CHANGES: Final = 200_000
PAST_MEMORY: Final = "256Mi"
_TIME: Final = "Time"
_CLUSTER: Final = "The cluster"
_SECURITY: Final = "Security"
_RESULTS: Final = "Results of Scenarios and scheduling"

SchedulerChoice = Literal["built-in", "outside", "none"]
ControllersChoice = Literal["built-in", "outside", "none"]
Pace = Literal["jump", "still", "realtime"]


class ServeOptions(PlaceOptions, frozen=True, kw_only=True):
    """What is served, to whom, and how its time passes."""

    scheduler: Annotated[
        SchedulerChoice,
        Flag(
            "built-in: kubestage schedules. outside: a scheduler of your own does, over the API. "
            "none: there is no scheduler.",
            panel=_CLUSTER,
        ),
    ] = "built-in"
    config: Config = None
    plugins: Plugins = ()
    scheduler_grace: Annotated[
        str,
        Flag(
            "A scheduler outside that has written nothing for so long, in real time, is done "
            "with a step.",
            metavar="TIME",
            panel=_CLUSTER,
        ),
    ] = GRACE
    scheduler_timeout: Annotated[
        str | None,
        Flag(
            "Fail a Scenario for which no scheduler outside has connected by then. "
            "(default: wait for one)",
            metavar="TIME",
            panel=_CLUSTER,
        ),
    ] = None
    scheduler_names: Annotated[
        tuple[str, ...],
        Flag(
            "The schedulerName of pods that a scheduler outside takes; all if there is none. "
            "Repeatable.",
            "--scheduler-name",
            metavar="NAME",
            panel=_CLUSTER,
        ),
    ] = ()
    controllers: Annotated[
        ControllersChoice,
        Flag(
            "built-in: kubestage runs controllers and kubelets. outside: kubelets alone; the real "
            "kube-controller-manager, or your own, does the rest over the API. none: neither.",
            panel=_CLUSTER,
        ),
    ] = "built-in"
    no_controllers: Annotated[
        bool, Flag("The same as --controllers none.", "--no-controllers", panel=_CLUSTER)
    ] = False
    simulate: Annotated[
        Literal["cluster", "kubelets"],
        Flag(
            "cluster: everything. kubelets: only the nodes, for a real control plane: "
            "--controllers outside --scheduler outside --pace realtime.",
            panel=_CLUSTER,
        ),
    ] = "cluster"
    api_only: Annotated[
        bool,
        Flag(
            "The API server alone, in real time: --scheduler none --no-controllers --pace "
            "realtime, and without the ServiceAccount plugin, as nothing creates accounts.",
            panel=_CLUSTER,
        ),
    ] = False
    disable_admission_plugins: Annotated[
        tuple[str, ...],
        Flag(
            "Admission plugins to do without, as in ServiceAccount,ResourceQuota. Repeatable.",
            metavar="NAMES",
            panel=_CLUSTER,
        ),
    ] = ()
    allow_privileged: Annotated[
        bool | None,
        Flag(
            "Whether containers may be privileged, as those of CNI, CSI and node agents are. "
            "(default: they may; with --api-only they may not, as with kube-apiserver)",
            "--allow-privileged/--no-allow-privileged",
            panel=_CLUSTER,
            show_default=False,
        ),
    ] = None
    authorization_mode: AuthorizationMode = ()
    webhook_urls: Annotated[
        tuple[str, ...],
        Flag(
            "Where a webhook or an API server behind a Service really is, as in "
            "shop/policy=https://localhost:8443. Repeatable.",
            "--webhook-url",
            metavar="NS/SERVICE=URL",
            panel=_CLUSTER,
        ),
    ] = ()
    settings: Settings = ()
    detail: Annotated[
        DetailLevel | None,
        Flag(
            "What a Scenario's status has of each attempt: nothing, a row, or every verdict and "
            "score. spec.detail of a Scenario wins. (default: decisions)",
            panel=_RESULTS,
        ),
    ] = None
    result_strategy: Annotated[
        Strategy | None,
        Flag(
            "When a Scenario's result is written to its status: AtMovingNextStep, OnPause or "
            "OnDone. spec.resultStrategy of a Scenario wins. (default: the variable "
            f"{STRATEGY_VARIABLE}, else AtMovingNextStep)",
            metavar="WHEN",
            panel=_RESULTS,
        ),
    ] = None
    result_annotations: Annotated[
        bool | None,
        Flag(
            "Write the results of each attempt on its pod, as kube-scheduler-simulator does.",
            "--result-annotations/--no-result-annotations",
            panel=_RESULTS,
        ),
    ] = None
    nodes: NodeCount = None
    node: NodeShape = node_shape.DEFAULT
    prices: Prices = None
    catalogue: Catalogue = None
    seed: Annotated[
        int | None,
        Flag("Another seed is another cluster: names, addresses, random durations. (default: 0)"),
    ] = None
    tie_break: TieBreak = "heap"
    as_written: Annotated[
        bool,
        Flag(
            "Create the nodes of files, and of each step of a Scenario, as written, not by name.",
            panel=_CLUSTER,
        ),
    ] = False
    pace: Annotated[
        Pace | None,
        Flag(
            "jump: from event to event while there is work, then as on the wall while a client "
            "watches. still: only when it is advanced. realtime: as on the wall. (default: jump; "
            "realtime with --api-only and with --simulate kubelets)",
            panel=_TIME,
        ),
    ] = None
    speed: Annotated[
        float | None,
        Flag("Let time pass N times as fast as on the wall.", metavar="N", panel=_TIME),
    ] = None
    start: Annotated[
        str | None,
        Flag(
            "When time begins, as in 2026-01-01T00:00:00Z: the same requests then give the same "
            "cluster. (default: now)",
            metavar="TIME",
            panel=_TIME,
        ),
    ] = None
    host: Annotated[
        str,
        Flag(
            "The address to listen at. Beyond this machine, TLS and a token are demanded.",
            panel=_SECURITY,
        ),
    ] = "127.0.0.1"
    allow_hosts: Annotated[
        tuple[str, ...],
        Flag(
            "Another name that clients may call the server by. Repeatable.",
            "--allow-host",
            metavar="NAME",
            panel=_SECURITY,
        ),
    ] = ()
    allow_origins: Annotated[
        tuple[str, ...],
        Flag(
            "The origin of a web page of another server that may use this one, as in "
            "http://localhost:3000. Repeatable.",
            "--allow-origin",
            metavar="ORIGIN",
            panel=_SECURITY,
        ),
    ] = ()
    tls_cert: Annotated[
        str | None,
        Flag(
            "The server's certificate, if kubestage is not to create one.",
            metavar="FILE",
            panel=_SECURITY,
        ),
    ] = None
    tls_key: Annotated[
        str | None, Flag("The key of the certificate.", metavar="FILE", panel=_SECURITY)
    ] = None
    token_file: Annotated[
        str | None,
        Flag(
            "The token that clients bring, if kubestage is not to create one.",
            metavar="FILE",
            panel=_SECURITY,
        ),
    ] = None
    max_objects: Annotated[int, Flag("As many objects are taken.", minimum=1, panel=_SECURITY)] = (
        500_000
    )
    max_watchers: Annotated[
        int, Flag("As many watches may be open.", minimum=1, panel=_SECURITY)
    ] = 10_000
    max_request_bytes: Annotated[
        str | None,
        Flag(
            "How large the body of a request may be, as in 64Mi. (default: 3Mi; for Scenarios "
            "256Mi from this machine and 32Mi from others)",
            metavar="SIZE",
            panel=_SECURITY,
        ),
    ] = None
    history_size: Annotated[
        str,
        Flag(
            "How much memory old versions of objects may take, for watches that go on and lists "
            "at an older version.",
            metavar="SIZE",
            panel=KEPT,
        ),
    ] = HISTORY_SIZE
    history_time: Annotated[
        str,
        Flag("How long old versions are remembered, in real time.", metavar="TIME", panel=KEPT),
    ] = HISTORY_TIME
    past_changes: Annotated[
        int,
        Flag(
            "How many changes of the cluster are recorded, so that its past can be looked at and "
            "forked; the oldest are forgotten. 0: none.",
            minimum=0,
            metavar="N",
            panel=KEPT,
        ),
    ] = PAST_CHANGES
    past_memory: Annotated[
        str,
        Flag("About how much memory that may take. 0: none.", metavar="SIZE", panel=KEPT),
    ] = PAST_MEMORY
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Flag("How much is logged on stderr; info is a line for each request."),
    ] = "error"
    timings: Timings = False
    profile: Profile = None
