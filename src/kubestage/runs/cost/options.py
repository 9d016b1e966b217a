"""The options of ``kubestage cost``."""

from __future__ import annotations

from typing import Annotated

from kubestage.runs.flags import Flag
from kubestage.runs.rehearse.options import ClusterOptions


class CostOptions(ClusterOptions, frozen=True, kw_only=True):
    """Where a cluster comes from, and what is evaluated."""

    removable: Annotated[
        bool,
        Flag(
            "Search for nodes that could be removed.",
            "--removable/--no-removable",
            after="",
            show_default=False,
        ),
    ] = True
    out: Annotated[
        str | None, Flag("Save the answer as cost.json, cost.md and report.html.", metavar="DIR")
    ] = None
