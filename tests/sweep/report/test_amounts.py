"""Numbers with their intervals and units in words."""

from __future__ import annotations

import pytest

from kubestage.results.statistics.intervals import Estimate
from kubestage.sweep.report import amounts, axis_names
from kubestage.sweep.rows import Setting


def _estimate(mean: float | None, half_width: float | None) -> Estimate:
    return Estimate(count=5, level=0.95, mean=mean, half_width=half_width)


@pytest.mark.parametrize(
    ("mean", "reach", "unit", "text"),
    [
        (12.345, 0.21, None, "12.35 ± 0.21"),
        (12.345, 0.21, "USD", "$12.35 ± 0.21"),
        (-12.345, 0.21, "USD", "-$12.35 ± 0.21"),
        (12.345, 0.21, "CHF", "12.35 CHF ± 0.21"),
        (0.12345, 0.0021, "share", "12.35 ± 0.21%"),
        (1234.5, 21, "s", "1,234 ± 21 s"),
        (-0.001, 0.3, None, "0.00 ± 0.30"),
        (3.0, None, None, "3"),
        (3.0, 0.0, "s", "3 s"),
        (0.0, 0.0, "USD", "$0.00"),
        (0.0123456, None, None, "0.01235"),
        (123456.7, None, None, "123,457"),
        (2.5, None, "%", "2.5%"),
        (None, None, None, "-"),
    ],
)
def test_a_mean_is_as_precise_as_it_is_sure(
    mean: float | None, reach: float | None, unit: str | None, text: str
) -> None:
    assert amounts.mean(_estimate(mean, reach), unit) == text


def test_a_difference_has_its_sign() -> None:
    assert amounts.change(_estimate(1.5, 0.2), "USD") == "+$1.50 ± 0.20"
    assert amounts.change(_estimate(-1.5, 0.2), "USD") == "-$1.50 ± 0.20"
    assert amounts.change(_estimate(0.0, 0.0), None) == "0"
    assert (amounts.share(0.146), amounts.share(None)) == ("+14.6%", "-")
    assert (amounts.part(0.42), amounts.part(0.001), amounts.part(None)) == ("42%", "< 1%", "-")


def test_axes_are_named_by_as_few_parts_as_are_needed() -> None:
    axes = ("hpa/web:spec.target", "hpa/api:spec.target", "nodes", "setting.hpa.sync-period")
    assert axis_names.short(axes) == (
        "hpa/web:spec.target",
        "hpa/api:spec.target",
        "nodes",
        "sync-period",
    )
    assert axis_names.short(("hpa/web:spec.target",)) == ("target",)
    assert axis_names.short(()) == ()


def test_a_setting_in_one_line() -> None:
    setting = Setting({"a.x": 0.123456789, "b": True, "c": None}, ())
    assert axis_names.label(setting, ("a.x", "b", "c")) == "x=0.12346, b=true, c=-"
    assert axis_names.label(Setting({}, ()), ()) == "the base"
