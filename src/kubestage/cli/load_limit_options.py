"""The options of ``kubestage load find-limit`` that only a search has."""

from __future__ import annotations

from typing import Annotated, Final

import typer

_SEARCH: Final = "The search"

Config = Annotated[
    str,
    typer.Argument(metavar="CONFIG", help="A configuration of ClusterLoader2.", show_default=False),
]
Slos = Annotated[
    list[str],
    typer.Option(
        "--slo",
        metavar="NAME<=VALUE",
        help="What must hold, as in pod-startup-p99<=5s. Repeatable.",
        rich_help_panel=_SEARCH,
        show_default=False,
    ),
]
Vary = Annotated[
    str,
    typer.Option(
        "--vary",
        metavar="PATH",
        help="What is raised: tuningSets.NAME.qps, any number of the configuration, or "
        "params.CL2_NAME.",
        rich_help_panel=_SEARCH,
        show_default=False,
    ),
]
From = Annotated[
    float | None,
    typer.Option(
        "--from",
        metavar="N",
        help="Where the search begins. [dim][default: what the configuration says][/dim]",
        show_default=False,
        rich_help_panel=_SEARCH,
    ),
]
To = Annotated[
    float | None,
    typer.Option(
        "--to",
        metavar="N",
        help="Where it ends. [dim][default: 1024 times the beginning][/dim]",
        show_default=False,
        rich_help_panel=_SEARCH,
    ),
]
Seeds = Annotated[
    int,
    typer.Option(
        "--seeds",
        metavar="N",
        min=1,
        max=1000,
        help="How many runs decide about a load, each with its own seed.",
        rich_help_panel=_SEARCH,
    ),
]
Confidence = Annotated[
    float,
    typer.Option(
        "--confidence",
        metavar="SHARE",
        help="How sure a decision must be.",
        rich_help_panel=_SEARCH,
    ),
]
Precision = Annotated[
    float,
    typer.Option(
        "--precision",
        metavar="SHARE",
        help="How closely the limit is searched for, as a share of it.",
        rich_help_panel=_SEARCH,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        help="How many runs go on at the same time. [dim][default: one per core][/dim]",
        show_default=False,
        rich_help_panel=_SEARCH,
    ),
]
