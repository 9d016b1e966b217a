"""How often usage is sampled, and when the samples are served."""

from __future__ import annotations

import msgspec

from kubestage.errors import InputError
from kubestage.units import SECOND_NS


class MetricsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The pipeline from usage to the metrics API."""

    resolution_ns: int = 15 * SECOND_NS
    """The interval between scrapes; metrics-server's default is 15 seconds."""

    delay_ns: int = 1 * SECOND_NS
    """The time from a scrape until its samples are served."""

    fresh_ns: int = 10 * SECOND_NS
    """A container that has run for less has no sample: the mean of so short a time means little."""

    def __post_init__(self) -> None:
        if self.resolution_ns <= 0:
            raise InputError("must be above zero", path="metrics.resolution", fix="write 15s")
        if self.delay_ns < 0:
            raise InputError("is below zero", path="metrics.delay", fix="write 1s, or 0s")
