"""Flags that several commands have: types for the fields of their options classes."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from kubestage.runs.flags import Flag
from kubestage.runs.inputs import node_shape

STRATEGY_VARIABLE: Final = "UPDATE_SCENARIO_RESULTS_STRATEGY"
PROFILES: Final = ("instant", "default", "kind", "gce-100", "gce-5000", "kubemark")
_LIVING: Final = "A living cluster"
_CLUSTER: Final = "The cluster"
_TIMES: Final = "How long scheduling takes"
_OLD_FLAGS: Final = "kube-scheduler's old flags, without --config"

TieBreaking = Literal["heap", "first", "random"]
Leaving = Literal["retry", "leave"]
DetailLevel = Literal["summary", "decisions", "full"]
Strategy = Literal["AtMovingNextStep", "OnPause", "OnDone"]

Config = Annotated[
    str | None, Flag("A scheduler configuration (v1 or older).", "--config", metavar="FILE")
]
Plugins = Annotated[
    tuple[str, ...],
    Flag(
        "A plugin of your own, or FILE.py:CLASS; a profile has to enable it. Repeatable.",
        "--plugin",
        metavar="MODULE:CLASS",
    ),
]
Measures = Annotated[
    tuple[str, ...],
    Flag(
        "A measure of your own at each decision or step, FILE.py:NAME or MODULE:NAME; or "
        "deviceAllocation, deviceFragmentation. Repeatable.",
        "--measure",
        metavar="FILE:NAME",
    ),
]
Seed = Annotated[int, Flag("Another seed is another run.")]
TieBreak = Annotated[
    TieBreaking,
    Flag("Which of the best nodes is taken; heap is what kube-scheduler does.", noun="tie break"),
]
Unschedulable = Annotated[
    Leaving,
    Flag(
        "A pod that fits nowhere is tried again (retry), as by kube-scheduler, or leaves: it has "
        "failed.",
        "--unschedulable",
        noun="policy",
    ),
]
Controllers = Annotated[
    bool | None,
    Flag(
        "Run controllers and kubelets; by default unless objects were recorded.",
        "--controllers/--no-controllers",
        show_default=False,
    ),
]
AllowPrivileged = Annotated[
    bool,
    Flag(
        "Whether containers may be privileged, as those of CNI, CSI and node agents are.",
        "--allow-privileged/--no-allow-privileged",
        panel=_CLUSTER,
    ),
]
Settings = Annotated[
    tuple[str, ...],
    Flag(
        "A flag of a controller or autoscaler: hpa.sync-period=30s, metrics.delay=4s, "
        "vpa.min-replicas=1, node-autoscaler.expander=price ... Repeatable.",
        "--setting",
        metavar="NAME=VALUE",
        completion="settings",
        panel=_LIVING,
    ),
]
NodeCount = Annotated[
    int | None,
    Flag(
        "Add N nodes that are all alike, in three zones.",
        "--nodes",
        metavar="N",
        minimum=1,
        maximum=100_000,
        panel=_CLUSTER,
    ),
]
DEFAULT_NODE: Final = node_shape.DEFAULT
NodeShape = Annotated[
    str, Flag("The capacity of each of these nodes.", "--node", metavar="SHAPE", panel=_CLUSTER)
]
Prices = Annotated[
    str | None,
    Flag(
        "What nodes cost per hour: a CSV or YAML file with a price for each instance type, or "
        "aws-us-east-1.",
        "--prices",
        metavar="FILE|NAME",
        completion="prices",
        panel=_CLUSTER,
    ),
]
Catalogue = Annotated[
    str | None,
    Flag(
        "The instance types that Karpenter can have: a CSV, JSON or YAML file, or aws-us-east-1.",
        "--catalogue",
        metavar="FILE|NAME",
        completion="prices",
        panel=_CLUSTER,
    ),
]
Timings = Annotated[
    bool,
    Flag(
        "Measure the wall time of attempts, extension points and plugins.",
        "--timings",
        panel=_TIMES,
    ),
]
Profile = Annotated[
    str | None,
    Flag(
        "A modelled control plane says how long scheduling takes, in virtual time: "
        f"{', '.join(PROFILES)}, or a file.",
        "--profile",
        metavar="NAME|FILE",
        completion="profiles",
        panel=_TIMES,
    ),
]
SchedulerName = Annotated[
    str | None,
    Flag("Name of the one profile.", "--scheduler-name", metavar="NAME", panel=_OLD_FLAGS),
]
AlgorithmProvider = Annotated[
    str | None,
    Flag(
        "DefaultProvider or ClusterAutoscalerProvider.",
        "--algorithm-provider",
        metavar="NAME",
        panel=_OLD_FLAGS,
    ),
]
HardPodAffinityWeight = Annotated[
    int | None,
    Flag(
        "The weight of the required affinity of other pods.",
        "--hard-pod-affinity-symmetric-weight",
        metavar="0-100",
        panel=_OLD_FLAGS,
    ),
]

_RECORDINGS: Final = "Recordings"
RecordedConfig = Annotated[
    str | None,
    Flag(
        "The scheduler configuration that the recorded cluster had; by default that of "
        "kube-scheduler.",
        metavar="FILE",
        panel=_RECORDINGS,
    ),
]
RecordedFrom = Annotated[
    str | None,
    Flag("Begin at this time of the recording.", "--from", metavar="TIME", panel=_RECORDINGS),
]
RecordedTo = Annotated[
    str | None,
    Flag("End at this time of the recording.", "--to", metavar="TIME", panel=_RECORDINGS),
]
NodesFrom = Annotated[
    str | None,
    Flag(
        "Take the nodes of another source instead of the recorded ones: manifests, a dump, an "
        "import. What happened to recorded nodes is left out.",
        metavar="SOURCE",
        panel=_RECORDINGS,
    ),
]
Predictions = Annotated[
    int,
    Flag(
        "Of how many recorded placements the stage predicts the node, on the recorded state just "
        "before; of more, that many are drawn. 0 for none.",
        metavar="N",
        panel=_RECORDINGS,
    ),
]
