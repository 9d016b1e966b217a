"""Units of virtual time, in nanoseconds."""

from __future__ import annotations

from typing import Final

MICROSECOND_NS: Final = 1_000
MILLISECOND_NS: Final = 1_000_000
SECOND_NS: Final = 1_000_000_000
MINUTE_NS: Final = 60 * SECOND_NS
HOUR_NS: Final = 60 * MINUTE_NS
DAY_NS: Final = 24 * HOUR_NS
