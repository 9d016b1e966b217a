"""The options of ``kubestage shadow``."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage.runs import shared_flags
from kubestage.runs.flags import Flag, Options

_QUESTIONS: Final = "Questions"


class ShadowOptions(Options, frozen=True, kw_only=True):
    """Which cluster is shadowed, by which scheduler, and which questions it answers."""

    kubeconfig: Annotated[
        str | None,
        Flag("Shadow the cluster that a kubeconfig leads to.", metavar="FILE",
             default="as kubectl finds it"),
    ] = None  # fmt: skip
    context: Annotated[str, Flag("The context; else the current one.", metavar="NAME")] = ""
    shadow_for: Annotated[
        str | None,
        Flag("End after this time; else Ctrl-C ends it.", "--for", metavar="TIME"),
    ] = None
    config: shared_flags.Config = None
    plugins: shared_flags.Plugins = ()
    seed: shared_flags.Seed = 0
    tie_break: shared_flags.TieBreak = "heap"
    out: Annotated[
        str | None,
        Flag("Append every prediction and outcome to this file, a JSON object a line.",
             metavar="FILE"),
    ] = None  # fmt: skip
    usage_interval: Annotated[
        str,
        Flag("How often usage is read, and HPAs are predicted.", metavar="TIME"),
    ] = "15s"
    ask: Annotated[
        tuple[str, ...],
        Flag(
            "Ask this of a copy of the present state: 'outage zone/b', 'drain node-1', "
            "'grow all=2x'. Repeatable.",
            "--ask", "--fork", metavar="QUESTION", panel=_QUESTIONS,
        ),
    ] = ()  # fmt: skip
    every: Annotated[
        str, Flag("How often it is asked.", metavar="TIME", panel=_QUESTIONS)
    ] = "10m"  # fmt: skip
