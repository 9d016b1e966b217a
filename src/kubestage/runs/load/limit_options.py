"""The options of a search for a limit, besides those of the load itself."""

from __future__ import annotations

import math
from typing import Annotated, Final

from kubestage.errors import InputError
from kubestage.runs.flags import Flag, Options

_SEARCH: Final = "The search"


class LimitOptions(Options, frozen=True, kw_only=True):
    """What a search varies, which goals count, and how sure a decision must be."""

    slos: Annotated[
        tuple[str, ...],
        Flag(
            "What must hold, as in pod-startup-p99<=5s. Repeatable.",
            "--slo",
            metavar="NAME<=VALUE",
            panel=_SEARCH,
            show_default=False,
        ),
    ]
    vary: Annotated[
        str,
        Flag(
            "What is raised: tuningSets.NAME.qps, any number of the configuration, or "
            "params.CL2_NAME.",
            metavar="PATH",
            panel=_SEARCH,
            show_default=False,
        ),
    ]
    start: Annotated[
        float | None,
        Flag(
            "Where the search begins.",
            "--from",
            metavar="N",
            default="what the configuration says",
            panel=_SEARCH,
        ),
    ] = None
    highest: Annotated[
        float | None,
        Flag(
            "Where it ends.",
            "--to",
            metavar="N",
            default="1024 times the beginning",
            panel=_SEARCH,
        ),
    ] = None
    seeds: Annotated[
        int,
        Flag(
            "How many runs decide about a load, each with its own seed.",
            metavar="N",
            minimum=1,
            maximum=1000,
            panel=_SEARCH,
        ),
    ] = 5
    confidence: Annotated[
        float, Flag("How sure a decision must be.", metavar="SHARE", panel=_SEARCH)
    ] = 0.95
    precision: Annotated[
        float,
        Flag(
            "How closely the limit is searched for, as a share of it.",
            metavar="SHARE",
            panel=_SEARCH,
        ),
    ] = 0.05
    jobs: Annotated[
        int | None,
        Flag(
            "How many runs go on at the same time.",
            metavar="N",
            minimum=1,
            default="one per core",
            panel=_SEARCH,
        ),
    ] = None

    def check(self) -> None:
        """Refuse numbers that make no sense."""
        start, highest = self.start, self.highest
        for name, value in (("--from", start), ("--to", highest)):
            if value is not None and not 0 < value < math.inf:
                raise InputError(f"{value:g} is no load", path=name, fix="write a number above 0")
        if start is not None and highest is not None and highest < start:
            fix = "exchange --from and --to"
            raise InputError(f"{highest:g} is below {start:g}", path="--to", fix=fix)
        if not 0.5 <= self.confidence < 1:
            fix = "write a share such as 0.95"
            raise InputError(f"{self.confidence:g} is no confidence", path="--confidence", fix=fix)
        if not 0.0001 <= self.precision <= 0.5:
            fix = "write a share such as 0.05"
            raise InputError(f"{self.precision:g} is no precision", path="--precision", fix=fix)
