"""The options of ``kubestage load``, which ``kubestage load find-limit`` has as well."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kubestage.cli import completion

FORMATS: Final = ("table", "json")
NODES: Final = 100
PROFILE: Final = "auto"
IMAGE_REGISTRY: Final = "registry.k8s.io"
_PROFILES: Final = ("auto", "instant", "default", "kind", "gce-100", "gce-5000", "kubemark")
_STAGE: Final = "On a stage"
_REAL: Final = "On a real cluster"
_CONFIG: Final = "What the configuration says"
_CLIENTS: Final = "Clients of the load"


def _commands(incomplete: str) -> list[str]:
    """The command beside configurations; with nothing typed yet a shell is to offer files."""
    return completion.one_of("find-limit")(incomplete) if incomplete else []


Configs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CONFIG...",
        help="Configurations of ClusterLoader2, in either spelling, or suites of them.",
        show_default=False,
        autocompletion=_commands,
    ),
]
Suites = Annotated[
    list[str] | None,
    typer.Option("--suite", "--testsuite", metavar="FILE", help="A suite. Repeatable."),
]
ReportDir = Annotated[
    str | None,
    typer.Option("--report-dir", metavar="DIR", help="Keep what was measured, and report.html."),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Check everything and show the plan; no cluster is needed."),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Unknown keys, verdicts without samples and leftovers are errors."
    ),
]
Output = Annotated[str, completion.output_option(*FORMATS)]
ListMethods = Annotated[
    bool, typer.Option("--list-methods", help="List all measurements, and leave.")
]

Stage = Annotated[
    list[str] | None,
    typer.Option(
        "--stage",
        metavar="FILE|DIR",
        help="Manifests of the cluster: nodes and what else there is. Repeatable.",
        rich_help_panel=_STAGE,
    ),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        "--nodes",
        metavar="N",
        min=1,
        max=100_000,
        help=f"For how many nodes the load is made; a stage without nodes gets so many. "
        f"[dim][default: those there are, or {NODES}][/dim]",
        show_default=False,
        rich_help_panel=_STAGE,
    ),
]
Node = Annotated[
    str,
    typer.Option("--node", metavar="SHAPE", help="What such a node has.", rich_help_panel=_STAGE),
]
Profile = Annotated[
    str,
    typer.Option(
        "--profile",
        metavar="NAME|FILE",
        help="How long the control plane takes: "
        f"{', '.join(_PROFILES)}, or a file. auto is gce-100, and gce-5000 above 500 nodes.",
        autocompletion=completion.one_of(*_PROFILES),
        rich_help_panel=_STAGE,
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", help="Another seed is another run.", rich_help_panel=_STAGE)
]
SchedulerConfig = Annotated[
    str | None,
    typer.Option(
        "--scheduler-config",
        metavar="FILE",
        help="A KubeSchedulerConfiguration.",
        rich_help_panel=_STAGE,
    ),
]

Kubeconfig = Annotated[
    str | None,
    typer.Option(
        "--kubeconfig",
        metavar="FILE",
        help="Load the cluster that a kubeconfig names, in real time.",
        rich_help_panel=_REAL,
    ),
]
Context = Annotated[
    str | None,
    typer.Option(
        "--context",
        metavar="NAME",
        help="Another context of the kubeconfig.",
        rich_help_panel=_REAL,
    ),
]
RunFromCluster = Annotated[
    bool,
    typer.Option(
        "--run-from-cluster", help="Load the cluster that this runs in.", rich_help_panel=_REAL
    ),
]
PrometheusUrl = Annotated[
    str | None,
    typer.Option(
        "--prometheus-url",
        metavar="URL",
        help="Who answers PromQL: an address, or a path of the API server; PROMETHEUS_TOKEN is its "
        "token. A stage answers itself.",
        rich_help_panel=_REAL,
    ),
]
AllowExec = Annotated[
    bool,
    typer.Option(
        "--allow-exec", help="Let Exec run commands on this machine.", rich_help_panel=_CONFIG
    ),
]

Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--testoverrides",
        "--overrides",
        metavar="FILE",
        help="Values for the parameters of templates; later files win. Repeatable.",
        rich_help_panel=_CONFIG,
    ),
]
Overwrite = Annotated[
    list[str] | None,
    typer.Option(
        "--overwrite-test-config",
        metavar="PATH=VALUE",
        help="Set a value of the configuration, as in Namespace.Prefix=x. Repeatable.",
        rich_help_panel=_CONFIG,
    ),
]
SkipSteps = Annotated[
    list[str] | None,
    typer.Option(
        "--skip-steps",
        metavar="NAME",
        help="Leave out steps of this name. Repeatable.",
        rich_help_panel=_CONFIG,
    ),
]
Measurements = Annotated[
    list[str] | None,
    typer.Option(
        "--measurement",
        metavar="MODULE:CLASS",
        help="A measurement of your own, or FILE.py:CLASS. Repeatable.",
        rich_help_panel=_CONFIG,
    ),
]
ImageRegistry = Annotated[
    str,
    typer.Option(
        "--image-registry",
        metavar="HOST",
        help="What templates know as .ImageRegistry.",
        rich_help_panel=_CONFIG,
    ),
]
Root = Annotated[
    str | None,
    typer.Option(
        "--root",
        metavar="DIR",
        help="Let templates read files below this folder, not only below the configuration's.",
        rich_help_panel=_CONFIG,
    ),
]

Clients = Annotated[
    int | None,
    typer.Option(
        "--clients",
        "--k8s-clients-number",
        metavar="N",
        min=1,
        help="How many clients share the calls. [dim][default: one per 100 nodes][/dim]",
        show_default=False,
        rich_help_panel=_CLIENTS,
    ),
]
Qps = Annotated[
    float | None,
    typer.Option(
        "--qps",
        metavar="N",
        help="Calls a second that a client may make. [dim][default: 100][/dim]",
        show_default=False,
        rich_help_panel=_CLIENTS,
    ),
]
Burst = Annotated[
    int | None,
    typer.Option(
        "--burst",
        metavar="N",
        min=1,
        help="Calls that a client may make at once before that. [dim][default: 200][/dim]",
        show_default=False,
        rich_help_panel=_CLIENTS,
    ),
]
