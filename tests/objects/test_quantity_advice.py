"""A quantity that there is not is answered with the one that was likely meant."""

from __future__ import annotations

import pytest

from kubestage.objects import quantity, quantity_advice


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("500mb", "500M"),
        ("500MB", "500M"),
        ("1gb", "1G"),
        ("2GiB", "2Gi"),
        ("1 Gi", "1Gi"),
        ("100mi", "100Mi"),
        ("64KB", "64k"),
        ("64K", "64k"),
        ("64kib", "64Ki"),
        ("3 megabytes", "3M"),
        ("1.5gibibytes", "1.5Gi"),
        ("100 bytes", "100"),
        ("0.5cores", "0.5"),
        ("2 vCPU", "2"),
        ("250millicores", "250m"),
        ("250mCPU", "250m"),
        ("1,5Gi", "1.5Gi"),
        ("1,000Mi", "1000Mi"),
        ("10_000", "10000"),
        ("-1gb", "-1G"),
    ],
)
def test_the_likely_quantity_is_suggested(written: str, meant: str) -> None:
    with pytest.raises(quantity.QuantityError):
        quantity.parse(written)
    assert quantity_advice.suggestion(written) == meant
    quantity.parse(meant)
    assert quantity_advice.fix(written).startswith(f"did you mean {meant}?")


@pytest.mark.parametrize("written", ["", "lots", "Gi", "1.2.3Gi", "5 apples", "0x10"])
def test_what_cannot_be_guessed_is_answered_with_the_form(written: str) -> None:
    assert quantity_advice.fix(written) == "quantities look like 2, 500m, 1.5 or 512Mi"
