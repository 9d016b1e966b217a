"""The options of ``kubestage export``."""

from __future__ import annotations

from typing import Annotated, Literal

from kubestage.runs.flags import Flag, Options


class ExportOptions(Options, frozen=True, kw_only=True):
    """What is exported, and in which form."""

    format: Annotated[
        Literal["perfetto"],
        Flag("A trace for ui.perfetto.dev, which chrome://tracing opens, too.", noun="format"),
    ] = "perfetto"
    group_by: Annotated[
        Literal["node", "workload"],
        Flag("What a process of the trace is; its threads are lanes of pods.", noun="group"),
    ] = "node"
    server: Annotated[
        str | None,
        Flag(
            "Export what a server of `kubestage serve` remembers, in place of a run.", metavar="URL"
        ),
    ] = None
    kubeconfig: Annotated[
        str | None, Flag("The kubeconfig that leads to that server.", metavar="FILE")
    ] = None
