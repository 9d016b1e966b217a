"""The options that add nodes to a cluster: of ``kubestage run`` and ``kubestage serve``."""

from __future__ import annotations

from typing import Annotated, Final

import typer

_CLUSTER: Final = "The cluster"

Nodes = Annotated[
    int | None,
    typer.Option(
        "--nodes",
        metavar="N",
        min=1,
        max=100_000,
        help="Add N nodes that are all alike, in three zones.",
        show_default=False,
        rich_help_panel=_CLUSTER,
    ),
]
Node = Annotated[
    str,
    typer.Option(
        "--node",
        metavar="SHAPE",
        help="The capacity of each of these nodes.",
        rich_help_panel=_CLUSTER,
    ),
]
