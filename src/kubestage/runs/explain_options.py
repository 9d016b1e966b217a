"""The options of ``kubestage.explain`` and of ``kubestage explain``."""

from __future__ import annotations

from typing import Annotated

from kubestage.runs.flags import Flag, Options


class ExplainOptions(Options, frozen=True, kw_only=True):
    """Which attempts at a pod are explained, and how; each field is the flag of the same name."""

    attempt: Annotated[
        int | None, Flag("Only the K-th attempt at the pod, in full.", metavar="K")
    ] = None
    """The place of an attempt among those at the pod, from 1."""

    node: Annotated[str | None, Flag("Why is it not on this node?", metavar="NODE")] = None
    """A node to explain."""

    top: Annotated[int, Flag("Show the scores of the best N nodes.", metavar="N", minimum=1)] = 10
    """How many nodes are shown with their scores."""

    at: Annotated[str | None, Flag("At this moment of a living run, as in 5m.", metavar="TIME")] = (
        None
    )
    """When to look at a living run, by default at its end."""

    every_attempt: bool = True
    """Whether the details of every attempt are read, not only of one of each outcome."""

    with_advice: bool = True
    """Whether to look for what would make a pending pod fit."""
