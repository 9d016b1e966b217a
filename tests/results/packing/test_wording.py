from __future__ import annotations

import pytest

from kubestage.results.packing import wording


@pytest.mark.parametrize(
    ("amount", "currency", "expected"),
    [
        (None, "USD", "-"),
        (0, "USD", "$0.00"),
        (12.345, "USD", "$12.35"),
        (1234.5, "EUR", "€1,234.50"),
        (0.0255, "USD", "$0.0255"),
        (0.1, "USD", "$0.10"),
        (0.192, "GBP", "£0.192"),
        (0.00001, "USD", "< $0.0001"),
        (-0.5, "USD", "-$0.50"),
        (3.2, "CHF", "3.20 CHF"),
        (0.00001, "CHF", "< 0.0001 CHF"),
        (0.99999, "USD", "$1.00"),
    ],
)
def test_money(amount: float | None, currency: str, expected: str) -> None:
    assert wording.money(amount, currency) == expected


@pytest.mark.parametrize(
    ("part", "expected"), [(None, "-"), (0, "0%"), (0.001, "< 1%"), (0.384, "38%"), (1, "100%")]
)
def test_share(part: float | None, expected: str) -> None:
    assert wording.share(part) == expected


def test_amounts() -> None:
    assert [wording.cores(each) for each in (1000, 2500, 0, 12000)] == [
        "1 core",
        "2.5 cores",
        "0 cores",
        "12 cores",
    ]
    assert wording.gibibytes(5 * 2**29) == "2.5 GiB"
