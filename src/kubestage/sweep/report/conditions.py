"""The language of ``--fail-if`` about a sweep: comparisons joined by and/or.

::

    pending>5 or cost>=100     the mean of any setting
    high(pending)>5            the upper end of its interval; low(...) is the lower one
    worse(cost)                a setting that is decided to be worse than the reference
    undecided(cost)            a setting that is not decided
    failed>0                   runs that failed

All comparisons that are joined by ``and`` have to hold in the same setting.
"""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.results.statistics import verdicts
from kubestage.sweep.statistics import measure_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubestage.sweep.rows import MeasureInfo, Setting
    from kubestage.sweep.statistics.comparisons import Cell

_PATH: Final = "--fail-if"
_FIX: Final = "write it as in 'pending>5 or worse(cost)'"
_JOINS: Final = re.compile(r"\s+(and|or)\s+|\s*(&&|\|\|)\s*")
_COMPARISON: Final = re.compile(
    r"(?:(?P<end>low|high|mean)\((?P<inner>[^<>=!\s()]+)\)|(?P<name>[^<>=!\s()]+))\s*"
    r"(?P<sign><=|>=|==|!=|<|>|=)\s*(?P<value>\S+)"
)
_WORDS: Final = (verdicts.WORSE, verdicts.BETTER, verdicts.SAME, verdicts.UNDECIDED)
_VERDICT: Final = re.compile(rf"(?P<word>{'|'.join(_WORDS)})\((?P<name>[^()\s]+)\)")
_SIGNS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
}
_FAILED: Final = "failed"


class Comparison(msgspec.Struct, frozen=True):
    """A comparison of a figure, or a verdict, of one measure."""

    measure: str
    word: str
    sign: str = ""
    value: float = 0.0

    def holds(self, cells: Mapping[str, Cell], failed: int) -> bool:
        """Whether it does for a setting with these measures, and so many runs that failed."""
        if not self.sign:
            verdict = cells[self.measure].verdict
            return verdict is not None and verdict.word == self.word
        found = failed if self.measure == _FAILED else self._figure(cells)
        return found is not None and _SIGNS[self.sign](found, self.value)

    def _figure(self, cells: Mapping[str, Cell]) -> float | None:
        found = cells[self.measure].estimate
        if self.word == "mean" or not found.has_interval:
            return found.mean
        return found.low if self.word == "low" else found.high


class Condition(msgspec.Struct, frozen=True):
    """Comparisons of which all of one group have to hold."""

    text: str
    groups: tuple[tuple[Comparison, ...], ...]

    @property
    def measures(self) -> list[str]:
        """The measures that it is about."""
        names = (each.measure for group in self.groups for each in group)
        return list(dict.fromkeys(each for each in names if each != _FAILED))

    def failing(
        self, settings: Sequence[Setting], cells: Mapping[str, Sequence[Cell]]
    ) -> list[int]:
        """The places of the settings in which it holds; `cells` are by measure."""
        found = []
        for at, setting in enumerate(settings):
            mine = {measure: of_settings[at] for measure, of_settings in cells.items()}
            failed = sum(row.error is not None for row in setting.rows)
            if any(all(each.holds(mine, failed) for each in group) for group in self.groups):
                found.append(at)
        return found


def parse(text: str, known: Mapping[str, MeasureInfo], path: str = _PATH) -> Condition:
    """A condition about measures; InputError if it names one that is not known."""
    groups: list[list[Comparison]] = [[]]
    parts = [each for each in _JOINS.split(text.strip()) if each is not None]
    for place, part in enumerate(parts):
        if place % 2 == 0:
            groups[-1].append(_comparison(part.strip(), known, path))
        elif part in ("or", "||"):
            groups.append([])
    return Condition(text, tuple(map(tuple, groups)))


def _comparison(text: str, known: Mapping[str, MeasureInfo], path: str) -> Comparison:
    verdict = _VERDICT.fullmatch(text)
    if verdict is not None:
        name = measure_names.find(verdict["name"], list(known), path)
        return Comparison(name, verdict["word"])
    found = _COMPARISON.fullmatch(text)
    if found is None:
        raise InputError(f'"{text}" is no comparison', path=path, fix=_FIX)
    amount = measure_names.amount(found["value"], path)
    if found["name"] == _FAILED and _FAILED not in known:
        return Comparison(_FAILED, "mean", found["sign"], amount.value)
    name = measure_names.find(found["inner"] or found["name"], list(known), path)
    return Comparison(name, found["end"] or "mean", found["sign"], amount.in_unit(known[name].unit))
