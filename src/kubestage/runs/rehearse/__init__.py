"""Rehearsals: what a drain, an upgrade, an outage or growth would do to a cluster.

Here belongs opening a copy of the cluster, doing to it what an operator, a provider or a failure
would do, and the answer. What happens meanwhile is recorded by ``results.life``; the components
themselves are those of every run. ::

    from kubestage.runs import rehearse

    result = rehearse.outage("cluster/", "zone/b", rehearse.OutageOptions(lasts="1h"))
    print(result.answer)

A cluster is named by files, a dump or a kept run, or is a `Stage`, of which a copy is used. One
that `open_cluster` has opened can be used many times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.runs.rehearse.cluster import Cluster, open_cluster
    from kubestage.runs.rehearse.drain_result import DrainResult
    from kubestage.runs.rehearse.draining import drain
    from kubestage.runs.rehearse.fit_result import FitResult
    from kubestage.runs.rehearse.fitting import fit
    from kubestage.runs.rehearse.grow_result import GrowResult
    from kubestage.runs.rehearse.growing import grow
    from kubestage.runs.rehearse.options import (
        ClusterOptions,
        DrainOptions,
        FitOptions,
        GrowOptions,
        OutageOptions,
        SurveyOptions,
        UpgradeOptions,
    )
    from kubestage.runs.rehearse.outage_result import OutageResult
    from kubestage.runs.rehearse.outages import outage
    from kubestage.runs.rehearse.surveying import SurveyResult, survey
    from kubestage.runs.rehearse.upgrade_result import UpgradeResult
    from kubestage.runs.rehearse.upgrading import upgrade

__all__ = [
    "Cluster",
    "ClusterOptions",
    "DrainOptions",
    "DrainResult",
    "FitOptions",
    "FitResult",
    "GrowOptions",
    "GrowResult",
    "OutageOptions",
    "OutageResult",
    "SurveyOptions",
    "SurveyResult",
    "UpgradeOptions",
    "UpgradeResult",
    "drain",
    "fit",
    "grow",
    "open_cluster",
    "outage",
    "survey",
    "upgrade",
]

__getattr__ = lazy.exports(__name__)
