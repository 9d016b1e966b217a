"""Options that change a cluster before it runs: those of ``run`` and ``compare``."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from kubestage.runs import shared_flags
from kubestage.runs.flags import Flag, Options

_PANEL: Final = "What if"

Order = Literal["priority", "creation"]


class WhatIfOptions(Options, frozen=True, kw_only=True):
    """How a cluster differs from its files; each field is the flag of the same name."""

    reschedule: Annotated[
        str | None,
        Flag(
            "Take pods off their nodes, and schedule them again: all, a label selector, or pending "
            "(only pods without a node, as if new). Pods of DaemonSets and static pods stay.",
            metavar="all|SELECTOR|pending",
            panel=_PANEL,
        ),
    ] = None
    reschedule_order: Annotated[
        Order,
        Flag(
            "The order in which they are tried: by priority, as kube-scheduler's queue does, or "
            "one after another as they were created.",
            panel=_PANEL,
        ),
    ] = "priority"
    without: Annotated[
        tuple[str, ...],
        Flag(
            "Leave out nodes (NAME, zone/b, pool/x, a selector), whose pods are scheduled again, "
            "or an object (hpa/web) with all that it owns. Repeatable.",
            metavar="NODES|KIND/NAME",
            panel=_PANEL,
        ),
    ] = ()
    add: Annotated[
        tuple[str, ...],
        Flag("Add the objects of a file or directory. Repeatable.", metavar="FILE", panel=_PANEL),
    ] = ()
    scale: Annotated[
        tuple[str, ...],
        Flag(
            "Set the replicas of a workload, as in deployment/web=20. Repeatable.",
            metavar="KIND/NAME=N",
            panel=_PANEL,
        ),
    ] = ()
    start: Annotated[
        str | None,
        Flag(
            "When time begins, as in 2026-01-01T00:00:00Z; by default with the newest moment that "
            "the objects mention.",
            metavar="TIME",
            panel=_PANEL,
        ),
    ] = None
    nodes: shared_flags.NodeCount = None
    node: shared_flags.NodeShape = shared_flags.DEFAULT_NODE

    @property
    def changes_cluster(self) -> bool:
        """Whether objects of the files are changed."""
        return bool(self.reschedule or self.without or self.scale)
