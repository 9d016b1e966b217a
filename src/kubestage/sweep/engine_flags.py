"""The flags that say who computes many runs: of ``sweep``, ``optimise`` and ``worst``."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from kubestage.runs.flags import Flag

_PANEL: Final = "Engine"

Jobs = Annotated[
    int | None,
    Flag(
        "How many runs go on at the same time.",
        "-j",
        "--jobs",
        metavar="N",
        minimum=1,
        default="one per core",
        panel=_PANEL,
    ),
]
EngineName = Annotated[
    Literal["local", "ray"],
    Flag(
        "Processes of this machine, or a Ray cluster.",
        "--engine",
        metavar="local|ray",
        panel=_PANEL,
    ),
]
Address = Annotated[
    str | None,
    Flag(
        "The Ray cluster to use.",
        "--address",
        metavar="ADDRESS",
        default="one that is started here",
        panel=_PANEL,
    ),
]
