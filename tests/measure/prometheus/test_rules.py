from __future__ import annotations

import pytest

from kubestage.measure.prometheus.rules import RULES
from kubestage.promql import parser


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.record}{rule.labels}")
def test_every_rule_can_be_read(rule: object) -> None:
    parser.parse(rule.expression)  # type: ignore[attr-defined]


def test_every_recorded_histogram_has_three_quantiles() -> None:
    found: dict[str, list[str]] = {}
    for rule in RULES:
        if "histogram_quantile" in rule.record:
            found.setdefault(rule.record, []).append(rule.labels["quantile"])
    assert len(found) == 8
    assert all(quantiles == ["0.99", "0.90", "0.50"] for quantiles in found.values())
