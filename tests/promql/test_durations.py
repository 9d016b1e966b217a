from __future__ import annotations

import pytest

from kubestage.promql import durations


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("5m", 300_000), ("1h30m", 5_400_000), ("500ms", 500), ("1w2d", 777_600_000), ("0s", 0)],
)
def test_units_add_up(text: str, milliseconds: int) -> None:
    assert durations.parse_ms(text) == milliseconds


@pytest.mark.parametrize("text", ["", "5", "5m1h", "5m5m", "m", "1.5h"])
def test_units_stand_in_order_once_and_with_whole_numbers(text: str) -> None:
    with pytest.raises(ValueError, match="not a valid duration string"):
        durations.parse_ms(text)
