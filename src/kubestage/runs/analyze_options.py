"""The options of ``kubestage.analyze`` and of ``kubestage analyze``."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage.runs.flags import Flag, Options

EACH: Final = "attempt"
"""The key of --by for a row for each attempt."""


class AnalyzeOptions(Options, frozen=True, kw_only=True):
    """Which part of a run a table is about; each field is the flag of the same name."""

    step: Annotated[int | None, Flag("The run as it was at the end of this step.", metavar="N")] = (
        None
    )
    """A step of the Scenario."""

    by: Annotated[
        str | None,
        Flag(
            "What attempts are counted by: any of step, pod, profile, result, with commas "
            f"between; or {EACH} for a row each.",
            metavar="KEYS",
        ),
    ] = None
    """The keys of the table ``attempts``."""
