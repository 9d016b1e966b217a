"""Options of ``kubestage run`` that other commands have as well."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kubestage.cli import completion

TIE_BREAKS: Final = ("heap", "first", "random")
DETAILS: Final = ("summary", "decisions", "full")
STRATEGIES: Final = ("AtMovingNextStep", "OnPause", "OnDone")
STRATEGY_VARIABLE: Final = "UPDATE_SCENARIO_RESULTS_STRATEGY"
_LIVING: Final = "A living cluster"

Config = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="A scheduler configuration (v1 or older)."),
]
Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="MODULE:CLASS",
        help="A plugin of your own, or FILE.py:CLASS; a profile has to enable it. Repeatable.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Another seed is another run.")]
TieBreak = Annotated[
    str,
    typer.Option(
        "--tie-break",
        metavar="|".join(TIE_BREAKS),
        help="Which of the best nodes is taken; heap is what kube-scheduler does.",
        autocompletion=completion.one_of(*TIE_BREAKS),
    ),
]
Controllers = Annotated[
    bool | None,
    typer.Option(
        "--controllers/--no-controllers",
        help="Run controllers and kubelets; by default unless objects were recorded.",
        show_default=False,
    ),
]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        metavar="NAME=VALUE",
        autocompletion=completion.setting_words,
        help="A flag of a controller or autoscaler: hpa.sync-period=30s, metrics.delay=4s, "
        "vpa.min-replicas=1, node-autoscaler.expander=price ... Repeatable.",
        rich_help_panel=_LIVING,
    ),
]
