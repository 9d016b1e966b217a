"""The values of a measure in one setting, and the runs that have none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kubestage.results.statistics.samples import Sample, deviation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.sweep.rows import Setting


def sample(setting: Setting, measure: str) -> Sample:
    """The values that a setting has of a measure."""
    values = {
        seed: float(value)
        for seed, value in setting.values(measure).items()
        if math.isfinite(value)
    }
    failed = sum(row.error is not None for row in setting.rows)
    return Sample(values, failed, len(setting.rows) - failed - len(values))


def varies(settings: Iterable[Setting], measure: str) -> bool:
    """Whether a measure depends on the seed in any setting, as far as the runs show.

    A measure of which no setting has two values counts as one that does.
    """
    repeated = False
    for setting in settings:
        values = list(sample(setting, measure).values.values())
        if len(values) > 1:
            repeated = True
            if deviation(values) > 0:
                return True
    return not repeated
