"""Points in time are written as a Go program writes them."""

from __future__ import annotations

import pytest

from kubestage.golang import times

BEGIN_NS = 1_767_225_600_000_000_000


@pytest.mark.parametrize(
    ("time_ns", "json", "text"),
    [
        (BEGIN_NS, "2026-01-01T00:00:00Z", "2026-01-01 00:00:00 +0000 UTC"),
        (BEGIN_NS + 120_000_000, "2026-01-01T00:00:00.12Z", "2026-01-01 00:00:00.12 +0000 UTC"),
        (None, "0001-01-01T00:00:00Z", "0001-01-01 00:00:00 +0000 UTC"),
    ],
)
def test_fractions_end_without_zeros(time_ns: int | None, json: str, text: str) -> None:
    assert times.rfc3339_nano(time_ns) == json
    assert times.in_text(time_ns) == text
