"""The options of ``kubestage sweep report`` and of the function behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.runs.flags import Flag, Options

with lazy.imports():
    from kubestage.results.statistics import differences
    from kubestage.sweep.statistics import measure_names

if TYPE_CHECKING:
    from kubestage.results.statistics.differences import Margin

_CORRECTIONS: Final = ("measure", "all", "none")


class ReportOptions(Options, frozen=True, kw_only=True):
    """What a report shows, and how settings are compared."""

    measures: Annotated[
        tuple[str, ...],
        Flag(
            "A measure to show, or the word all. Repeatable, or several with commas.",
            metavar="MEASURE",
            default="those that are better or worse, and differ",
        ),
    ] = ()
    """The measures that are shown."""

    against: Annotated[
        str | None,
        Flag(
            "The setting that the others are measured by: its number, or as in nodes=10.",
            metavar="SETTING",
            default="the first",
        ),
    ] = None
    """The reference."""

    level: Annotated[
        float, Flag("How sure intervals and verdicts are, in percent.", metavar="PERCENT")
    ] = 95.0
    """The confidence level."""

    margin: Annotated[
        str,
        Flag(
            "A difference below this does not matter: a share of the reference as in 1%, or an "
            "amount.",
            metavar="AMOUNT",
        ),
    ] = "1%"
    """Up to this, two settings count as the same."""

    correction: Annotated[
        str,
        Flag(
            "Which comparisons Holm's correction takes together.",
            metavar="measure|all|none",
            choices=_CORRECTIONS,
        ),
    ] = "measure"
    """The settings of one measure, all comparisons of the report, or none."""

    front: Annotated[
        tuple[str, ...],
        Flag(
            "Measures of the Pareto front. Repeatable, or several with commas.",
            metavar="MEASURE",
            default="the two that conflict most",
        ),
    ] = ()
    """What the front is made of."""

    fail_if: Annotated[
        str | None,
        Flag(
            "Exit code 1 if this holds in any setting, as in 'pending>5' or 'worse(cost)'.",
            metavar="CONDITION",
        ),
    ] = None
    """A condition that makes the result negative."""

    def confidence(self) -> float:
        """The level as a share; InputError if it is none."""
        if not 50 <= self.level < 100:
            fix = "write a percentage such as 95"
            raise InputError(f"{self.level:g} is no confidence level", path="--level", fix=fix)
        return self.level / 100

    def difference_margin(self) -> Margin:
        """The margin; InputError if it is none."""
        found = measure_names.amount(self.margin, "--margin")
        if found.value < 0:
            fix = "write a share as in 1%, or an amount"
            raise InputError(f"{self.margin} is no margin", path="--margin", fix=fix)
        return differences.Margin(found.value, found.is_share)


def split(words: tuple[str, ...]) -> list[str]:
    """Words that are repeated, or parted by commas, each once."""
    parts = (part.strip() for word in words for part in word.split(","))
    return list(dict.fromkeys(part for part in parts if part))
