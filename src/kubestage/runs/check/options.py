"""The options of ``kubestage check``."""

from __future__ import annotations

from typing import Annotated

from kubestage.runs import shared_flags
from kubestage.runs.flags import Flag, Options
from kubestage.runs.inputs import node_shape


class CheckOptions(Options, frozen=True, kw_only=True):
    """What is compared, and by which rules; each has precedence over the file."""

    base: Annotated[
        str | None,
        Flag(
            "What was there before: a commit of the git repository, or a folder.",
            metavar="REF|DIR",
            default="the cluster as it is",
        ),
    ] = None
    head: Annotated[
        str | None,
        Flag(
            "What is there after the change: a commit, or a folder.",
            metavar="REF|DIR",
            default="the files as they are now",
        ),
    ] = None
    paths: Annotated[
        tuple[str, ...],
        Flag(
            "Look only at this file or folder of each side. Repeatable.", "--path", metavar="PATH"
        ),
    ] = ()
    rules: Annotated[
        tuple[str, ...],
        Flag(
            "Add or change a rule: cost.increase=5%, spread.zones=3, requests=off, or a function, "
            "FILE.py:NAME. Repeatable.",
            "--rule",
            metavar="RULE",
        ),
    ] = ()
    strict: Annotated[bool, Flag("Warnings count, too, and what was as bad before the change.")] = (
        False
    )
    files: Annotated[
        tuple[str, ...],
        Flag(
            "The cluster: manifests, an imported folder, a dump, or the directory of a run. "
            "Repeatable.",
            "-f",
            "--filename",
            metavar="FILE|DIR",
            panel="The cluster",
        ),
    ] = ()
    nodes: shared_flags.NodeCount = None
    node: shared_flags.NodeShape = node_shape.DEFAULT
    prices: shared_flags.Prices = None
    jobs: Annotated[
        int | None,
        Flag(
            "How many drains are rehearsed at the same time.",
            metavar="N",
            minimum=1,
            default="one per core, four at most",
        ),
    ] = None
