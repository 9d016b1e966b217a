"""The options of rehearsals: what they have in common, and those of each kind."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from kubestage.runs import shared_flags
from kubestage.runs.flags import Flag, Options
from kubestage.runs.inputs import node_shape

_CLUSTER: Final = "The cluster"
_KUBELETS: Final = "Kubelets"
_EVICTION: Final = "As kubectl drain has them"

Order = Literal["name", "zone", "oldest", "newest", "emptiest"]


class ClusterOptions(Options, frozen=True, kw_only=True):
    """Where a cluster comes from, and how its components work."""

    server: Annotated[
        str | None,
        Flag(
            "Rehearse on a copy of the cluster that `kubestage serve` serves there.",
            metavar="URL",
            panel=_CLUSTER,
        ),
    ] = None
    kubeconfig: Annotated[
        str | None,
        Flag("The kubeconfig that leads to that server.", metavar="FILE", panel=_CLUSTER),
    ] = None
    nodes: shared_flags.NodeCount = None
    node: shared_flags.NodeShape = node_shape.DEFAULT
    prices: shared_flags.Prices = None
    config: shared_flags.Config = None
    plugins: shared_flags.Plugins = ()
    seed: shared_flags.Seed = 0
    settings: shared_flags.Settings = ()
    launch_delay: Annotated[
        str | None,
        Flag(
            "How long containers take to start: 2s, normal(5s,1s), exp(3s) ...",
            metavar="DISTRIBUTION",
            panel=_KUBELETS,
        ),
    ] = None
    terminate_delay: Annotated[
        str | None,
        Flag(
            "How long containers take to terminate.",
            metavar="DISTRIBUTION",
            panel=_KUBELETS,
        ),
    ] = None


class RehearsalOptions(ClusterOptions, frozen=True, kw_only=True):
    """What all rehearsals have in common."""

    fail_if: Annotated[
        str | None,
        Flag(
            "Exit code 1 if this holds: 'web.ready<2', '*.belowDesired>5m or pending>0' ...",
            metavar="CONDITION",
            after="",
        ),
    ] = None
    out: Annotated[
        str | None,
        Flag("Save the answer, all that was recorded, and report.html.", metavar="DIR"),
    ] = None


class DrainOptions(RehearsalOptions, frozen=True, kw_only=True):
    """How nodes are drained."""

    parallel: Annotated[int, Flag("Drain N nodes at a time.", metavar="N", minimum=1, after="")] = 1
    rolling: Annotated[
        bool | None,
        Flag(
            "Cordon a node when its turn comes, and uncordon it before the next one; by default "
            "only of `all`. Else all nodes are cordoned first, and stay so, as by kubectl.",
            "--rolling/--no-rolling",
            show_default=False,
        ),
    ] = None
    maintenance: Annotated[
        str, Flag("With --rolling: how long a drained node is away.", metavar="DURATION")
    ] = "0s"
    force: Annotated[
        bool, Flag("Evict pods that no controller would replace, too.", panel=_EVICTION)
    ] = False
    ignore_daemonsets: Annotated[
        bool, Flag("Leave the pods of DaemonSets alone.", panel=_EVICTION)
    ] = False
    delete_emptydir_data: Annotated[
        bool, Flag("Evict pods with emptyDir volumes, whose data is lost.", panel=_EVICTION)
    ] = False
    disable_eviction: Annotated[
        bool, Flag("Delete pods, without regard to disruption budgets.", panel=_EVICTION)
    ] = False
    grace: Annotated[
        int,
        Flag(
            "Seconds that each pod has to terminate; -1 for its own.",
            "--grace-period",
            "--grace",
            metavar="SECONDS",
            minimum=-1,
            panel=_EVICTION,
        ),
    ] = -1
    timeout: Annotated[
        str,
        Flag(
            "Give a node up after this time; 0s waits as long as anything changes.",
            metavar="DURATION",
            panel=_EVICTION,
        ),
    ] = "0s"
    pod_selector: Annotated[
        str, Flag("Evict only pods with these labels.", metavar="SELECTOR", panel=_EVICTION)
    ] = ""


class UpgradeOptions(RehearsalOptions, frozen=True, kw_only=True):
    """How nodes are replaced."""

    surge: Annotated[
        int | None,
        Flag(
            "Add a new node before an old one is drained, N at a time.  [default: 1]",
            metavar="N",
            minimum=0,
            after="",
        ),
    ] = None
    max_unavailable: Annotated[
        int | None,
        Flag(
            "Remove an old node before its successor is added, N at a time.",
            metavar="N",
            minimum=0,
        ),
    ] = None
    blue_green: Annotated[
        bool, Flag("Add all new nodes first, then drain all old ones, and remove them.")
    ] = False
    parallel: Annotated[
        int, Flag("With --blue-green: drain N nodes at a time.", metavar="N", minimum=1)
    ] = 1
    order: Annotated[Order, Flag("Which nodes come first.", metavar="ORDER")] = "name"
    soak: Annotated[
        str,
        Flag(
            "Wait this long after each node; with --blue-green, before old nodes are removed.",
            metavar="DURATION",
        ),
    ] = "0s"
    startup: Annotated[
        str | None,
        Flag(
            "How long a new node takes until its kubelet registers; by default that of its "
            "NodeGroup, or 60s.",
            metavar="DURATION",
        ),
    ] = None
    grace: Annotated[
        int,
        Flag(
            "Seconds that each pod has to terminate; -1 for its own.",
            "--grace-period",
            "--grace",
            metavar="SECONDS",
            minimum=-1,
        ),
    ] = -1
    timeout: Annotated[
        str,
        Flag(
            "Give up if a node takes longer to drain; 0s waits as long as anything changes.",
            metavar="DURATION",
        ),
    ] = "0s"


class OutageOptions(RehearsalOptions, frozen=True, kw_only=True):
    """When nodes fall silent, and for how long."""

    at: Annotated[
        str,
        Flag("Let this much time pass first, as for traffic.", metavar="DURATION", after=""),
    ] = "0s"
    lasts: Annotated[
        str, Flag("How long nodes are silent, or forever.", "--for", metavar="DURATION")
    ] = "15m"


class GrowOptions(RehearsalOptions, frozen=True, kw_only=True):
    """What is added, and of which nodes there may be more."""

    add: Annotated[
        tuple[str, ...],
        Flag("Add the objects of this file, too. Repeatable.", metavar="FILE", after=""),
    ] = ()
    template: Annotated[
        tuple[str, ...],
        Flag(
            "Add nodes like this one, or of this NodeGroup or pool; by default all are tried. "
            "Repeatable.",
            metavar="NAME",
        ),
    ] = ()
    instance_type: Annotated[
        tuple[str, ...],
        Flag(
            "Add nodes of these types of the price catalog: m6i.xlarge, 'c7*.2xlarge' ... "
            "Repeatable.",
            metavar="TYPE",
        ),
    ] = ()
    most: Annotated[
        int, Flag("Add no more nodes than this.", metavar="N", minimum=1, maximum=10_000)
    ] = 1000


class FitOptions(RehearsalOptions, frozen=True, kw_only=True):
    """How manifests are tried."""


class SurveyOptions(RehearsalOptions, frozen=True, kw_only=True):
    """How much of a cluster is tried."""

    drains: Annotated[
        int,
        Flag(
            "Drain at most N nodes, each by itself, spread over pools and zones.",
            metavar="N",
            minimum=1,
            after="",
        ),
    ] = 20
    outage: Annotated[str, Flag("How long zones and nodes are silent.", metavar="DURATION")] = "15m"
    jobs: Annotated[
        int | None,
        Flag(
            "How many rehearsals go on at the same time.",
            metavar="N",
            minimum=1,
            default="one per core, four at most",
        ),
    ] = None
