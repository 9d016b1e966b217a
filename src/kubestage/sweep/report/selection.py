"""Which measures and which reference a report has."""

from __future__ import annotations

import difflib
import itertools
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.errors import InputError
from kubestage.results.statistics.samples import TOLERANCE, deviation, mean
from kubestage.sweep.report.options import split
from kubestage.sweep.statistics import measure_names, samples
from kubestage.sweep.statistics.sequential import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from kubestage.sweep.report.options import ReportOptions
    from kubestage.sweep.rows import Setting, Table

_ALL: Final = "all"
_COMPARED: Final = 12
_PATH: Final = "--against"


def measures(table: Table, options: ReportOptions) -> list[str]:
    """The measures to show: those that are chosen, else those with a good side that differ.

    If none does, all of them.
    """
    known = [key for key in table.measures if any(key in row.measures for row in table.rows)]
    chosen = split(options.measures)
    if chosen == [_ALL]:
        return known
    if chosen:
        return [measure_names.find(each, known, "--measures") for each in chosen]
    sided = [key for key in known if table.measures[key].better is not None]
    return [key for key in sided if differs(table, key)] or sided or known


def differs(table: Table, measure: str) -> bool:
    """Whether a measure has more than one value in the whole table."""
    values = [
        value
        for setting in table.settings()
        for value in samples.sample(setting, measure).values.values()
    ]
    return len(values) > 1 and deviation(values) > 0


def front(table: Table, options: ReportOptions, shown: Sequence[str]) -> list[str]:
    """The measures of the front; none if there are not two with a good side."""
    chosen = [
        measure_names.find(each, list(table.measures), "--front") for each in split(options.front)
    ]
    for each in chosen:
        if table.measures[each].better is None:
            fix = "choose measures of which more or less is better"
            problem = f'neither more nor less "{each}" is better'
            raise InputError(problem, path="--front", fix=fix)
    if len(chosen) == 1:
        raise InputError("one measure has no front", path="--front", fix="name two or more")
    return chosen or _conflicting(table, shown)


def _conflicting(table: Table, shown: Sequence[str]) -> list[str]:
    """The two measures of which a setting is least likely to be good in both."""
    sided = [each for each in shown if table.measures[each].better is not None][:_COMPARED]
    columns = {}
    for measure in sided:
        taken = [samples.sample(each, measure).values for each in table.settings()]
        sign = 1 if table.measures[measure].better == "less" else -1
        if all(taken):
            means = np.array([sign * mean(list(each.values())) for each in taken])
            if float(np.ptp(means)) > TOLERANCE * float(np.abs(means).max()):
                columns[measure] = means
    pairs = list(itertools.combinations(columns, 2))
    if not pairs:
        return sided[:2] if len(sided) > 1 else []
    # Rounded: of measures that conflict equally, the first ones.
    agreements = [_agreement(columns[one], columns[other]) for one, other in pairs]
    return list(pairs[agreements.index(min(agreements))])


def _agreement(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    return round(float(np.corrcoef(one, other)[0, 1]), 6)


def reference(settings: Sequence[Setting], text: str | None) -> int:
    """The place of the setting that others are measured by."""
    if text is None:
        return 0
    if text.strip().isdigit():
        place = int(text)
        if not 1 <= place <= len(settings):
            fix = f"settings are numbered from 1 to {len(settings)}"
            raise InputError(f"there is no setting {place}", path=_PATH, fix=fix)
        return place - 1
    return _matching(settings, text)


def _matching(settings: Sequence[Setting], text: str) -> int:
    stated = [each.partition("=") for each in split((text,))]
    known = list(dict.fromkeys(axis for each in settings for axis in each.parameters))
    pairs: dict[str, str] = {}
    for name, equals, value in stated:
        axis = [each for each in known if each == name.strip() or each.endswith(f".{name.strip()}")]
        if not equals or len(axis) != 1:
            likely = difflib.get_close_matches(name, known, 1)
            fix = f"did you mean {likely[0]}?" if likely else f"axes are {', '.join(known)}"
            raise InputError(f'"{name}" is no axis', path=_PATH, fix=fix)
        pairs[axis[0]] = value.strip()
    found = [
        at
        for at, setting in enumerate(settings)
        if all(str(setting.parameters.get(axis)) == value for axis, value in pairs.items())
    ]
    if not found:
        fix = f"settings are such as {named(settings[-1].parameters)}"
        raise InputError(f"no setting has {text}", path=_PATH, fix=fix)
    if len(found) > 1:
        fix = "name more axes, or write the number of the setting"
        raise InputError(f"{len(found)} settings have {text}", path=_PATH, fix=fix)
    return found[0]
