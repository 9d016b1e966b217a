"""The options of loads: of running them, of planning them and of searching for a limit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from kubestage.errors import InputError
from kubestage.runs.flags import Flag, Options
from kubestage.runs.inputs import node_shape

if TYPE_CHECKING:
    from kubestage.runs.inputs.node_shape import NodeShape

PROVIDERS: Final = {
    **dict.fromkeys(("aks", "autopilot", "aws", "eks", "gce", "gke"), "auto"),
    **dict.fromkeys(("kcp", "ks", "local", "skeleton", "vsphere"), "auto"),
    "kind": "kind",
    "kubemark": "kubemark",
    "gkekubemark": "kubemark",
}
"""The providers of ClusterLoader2, and the profile of each."""
NODES: Final = 100
"""For how many nodes a load is made by default."""
_STAGE: Final = "On a stage"
_REAL: Final = "On a real cluster"
_CONFIG: Final = "What the configuration says"
_CLIENTS: Final = "Clients of the load"


class LoadOptions(Options, frozen=True, kw_only=True):
    """Where a load runs, what its templates are filled with, and how fast its clients are.

    It can be sent to other processes.
    """

    stage: Annotated[
        tuple[str, ...],
        Flag(
            "Manifests of the cluster: nodes and what else there is. Repeatable.",
            metavar="FILE|DIR",
            panel=_STAGE,
        ),
    ] = ()
    nodes: Annotated[
        int | None,
        Flag(
            "For how many nodes the load is made; a stage without nodes gets so many.",
            metavar="N",
            minimum=1,
            maximum=100_000,
            default=f"those there are, or {NODES}",
            panel=_STAGE,
        ),
    ] = None
    node: Annotated[str, Flag("What such a node has.", metavar="SHAPE", panel=_STAGE)] = (
        node_shape.DEFAULT
    )
    profile: Annotated[
        str,
        Flag(
            "How long the control plane takes: auto, instant, default, kind, gce-100, gce-5000, "
            "kubemark, or a file. auto is gce-100, and gce-5000 above 500 nodes.",
            metavar="NAME|FILE",
            completion="load profiles",
            panel=_STAGE,
        ),
    ] = "auto"
    provider: Annotated[
        str | None,
        Flag(
            "The provider, as ClusterLoader2 names it: on a stage, kind and kubemark choose the "
            "--profile of that name, if none is named.",
            metavar="NAME",
            panel=_STAGE,
        ),
    ] = None
    prices: Annotated[
        str | None,
        Flag(
            "What nodes cost per hour: a CSV or YAML file with a price for each instance type, or "
            "aws-us-east-1. Nodes of --nodes are of the type standard-8, by their CPU.",
            metavar="FILE|NAME",
            completion="prices",
            panel=_STAGE,
        ),
    ] = None
    seed: Annotated[int, Flag("Another seed is another run.", panel=_STAGE)] = 0
    scheduler_config: Annotated[
        str | None, Flag("A KubeSchedulerConfiguration.", metavar="FILE", panel=_STAGE)
    ] = None
    measures: Annotated[
        tuple[str, ...],
        Flag(
            "A measure of the scheduler at each decision, or at the end of each step of the load: "
            "FILE.py:NAME, MODULE:NAME, deviceAllocation, deviceFragmentation. Repeatable.",
            "--measure",
            metavar="FILE:NAME",
            panel=_STAGE,
        ),
    ] = ()
    programs: Annotated[
        tuple[str, ...],
        Flag(
            "What the containers of an image do on a stage: a class of your own that makes calls "
            "of the API while their pods run, MODULE:CLASS or FILE.py:CLASS. Those of "
            "request-benchmark, watch-list and access-tokens are known. Repeatable.",
            "--program",
            metavar="IMAGE=MODULE:CLASS",
            panel=_STAGE,
        ),
    ] = ()
    kubeconfig: Annotated[
        str | None,
        Flag(
            "Load the cluster that a kubeconfig names, in real time.", metavar="FILE", panel=_REAL
        ),
    ] = None
    context: Annotated[
        str | None, Flag("Another context of the kubeconfig.", metavar="NAME", panel=_REAL)
    ] = None
    run_from_cluster: Annotated[bool, Flag("Load the cluster that this runs in.", panel=_REAL)] = (
        False
    )
    prometheus_url: Annotated[
        str | None,
        Flag(
            "Who answers PromQL: an address, or a path of the API server; PROMETHEUS_TOKEN is its "
            "token. A stage answers itself.",
            metavar="URL",
            panel=_REAL,
        ),
    ] = None
    overrides: Annotated[
        tuple[str, ...],
        Flag(
            "Values for the parameters of templates; later files win. Repeatable.",
            "--testoverrides",
            "--overrides",
            metavar="FILE",
            panel=_CONFIG,
        ),
    ] = ()
    overwrite_test_config: Annotated[
        tuple[str, ...],
        Flag(
            "Set a value of the configuration, as in Namespace.Prefix=x. Repeatable.",
            metavar="PATH=VALUE",
            panel=_CONFIG,
        ),
    ] = ()
    skip_steps: Annotated[
        tuple[str, ...],
        Flag("Leave out steps of this name. Repeatable.", metavar="NAME", panel=_CONFIG),
    ] = ()
    measurements: Annotated[
        tuple[str, ...],
        Flag(
            "A measurement of your own, or FILE.py:CLASS. Repeatable.",
            "--measurement",
            metavar="MODULE:CLASS",
            panel=_CONFIG,
        ),
    ] = ()
    image_registry: Annotated[
        str,
        Flag(
            "What templates know as .ImageRegistry.",
            "--image-registry",
            "--registry-k8s-repo",
            metavar="HOST",
            panel=_CONFIG,
        ),
    ] = "registry.k8s.io"
    root: Annotated[
        str | None,
        Flag(
            "Let templates read files below this folder, not only below the configuration's.",
            metavar="DIR",
            panel=_CONFIG,
        ),
    ] = None
    clients: Annotated[
        int | None,
        Flag(
            "How many clients share the calls.",
            "--clients",
            "--k8s-clients-number",
            metavar="N",
            minimum=1,
            default="one per 100 nodes",
            panel=_CLIENTS,
        ),
    ] = None
    qps: Annotated[
        float | None,
        Flag("Calls a second that a client may make.", metavar="N", default="100", panel=_CLIENTS),
    ] = None
    burst: Annotated[
        int | None,
        Flag(
            "Calls that a client may make at once before that.",
            metavar="N",
            minimum=1,
            default="200",
            panel=_CLIENTS,
        ),
    ] = None
    is_strict: bool = False
    """Whether unknown keys, skipped measurements, verdicts without samples, programs without a
    model and leftovers are errors."""
    is_exec_allowed: bool = False
    """Whether Exec may run commands on this machine."""
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Environment variables; those named ``CL2_*`` are parameters of templates."""
    varied: tuple[tuple[str, str | int | float | bool], ...] = ()
    """Parameters of templates that a search or a sweep sets, and their values."""
    keeps_history: bool = False
    """Whether every change of a stage is recorded: a report then opens with ``kubestage open``."""

    @property
    def is_real(self) -> bool:
        """Whether the load runs on a real cluster."""
        return self.kubeconfig is not None or self.run_from_cluster or self.context is not None

    @property
    def shape(self) -> NodeShape:
        """What each of the nodes has."""
        return node_shape.parse(self.node)

    def check(self) -> None:
        """Refuse options that contradict each other, before anything is done."""
        node_shape.parse(self.node)
        if self.provider is not None and self.provider not in PROVIDERS:
            fix = f"leave it out, or write one of {', '.join(sorted(PROVIDERS))}"
            raise InputError(f'"{self.provider}" is no provider', path="--provider", fix=fix)
        if self.is_real and self.stage:
            raise InputError(
                "a load runs on a real cluster or on a stage",
                path="--stage",
                fix="leave out --stage, or --kubeconfig, --context and --run-from-cluster",
            )
        if self.run_from_cluster and (self.kubeconfig is not None or self.context is not None):
            raise InputError(
                "the cluster that this runs in is known without a kubeconfig",
                path="--run-from-cluster",
                fix="leave out --kubeconfig and --context, or --run-from-cluster",
            )
        if self.qps is not None and not (0 < self.qps < math.inf):
            raise InputError(f"{self.qps:g} is no rate", path="--qps", fix="write 1 or more")
        self._check_target()

    def _check_target(self) -> None:
        if self.scheduler_config is not None and self.is_real:
            raise InputError(
                "a real cluster has a scheduler of its own",
                path="--scheduler-config",
                fix="leave it out, or run the load on a stage",
            )
        if self.measures and self.is_real:
            fix = "leave it out, or run the load on a stage"
            raise InputError("measures are of a stage's scheduler", path="--measure", fix=fix)
        if self.programs and self.is_real:
            fix = "leave it out, or run the load on a stage"
            raise InputError("a real cluster runs the images", path="--program", fix=fix)
        if self.prices is not None and self.is_real:
            fix = "leave it out, or run the load on a stage"
            raise InputError("prices are for the nodes of a stage", path="--prices", fix=fix)
        if self.prometheus_url is not None and not self.is_real:
            fix = "leave it out, or name a real cluster with --kubeconfig"
            raise InputError("a stage answers PromQL itself", path="--prometheus-url", fix=fix)
