"""Recommendations from recorded usage alone."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.vpa import backtest
from kubestage.controllers.vpa.backtest import Usage
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.errors import InputError
from kubestage.units import MINUTE_NS

_START_NS = 1_767_225_600 * 1_000_000_000
_VPA: dict[str, Any] = {"metadata": {"name": "web"}, "spec": {}}


def _rows(minutes: int, every_s: int = 60) -> list[Usage]:
    step_ns = every_s * 1_000_000_000
    count = minutes * 60 // every_s
    return [
        Usage(_START_NS + index * step_ns, "web-1", "app", 500, 300 << 20)
        for index in range(count + 1)
    ]


def test_an_hour_of_usage_gives_a_recommendation_a_minute() -> None:
    said = list(backtest.run(_VPA, _rows(60)))
    assert len(said) == 60
    assert [each.at_ns for each in said[:2]] == [_START_NS + n * MINUTE_NS for n in (1, 2)]
    assert said[-1].recommendation[0]["target"]["cpu"] == "587m"


def test_only_the_newest_row_of_each_interval_counts() -> None:
    coarse, fine = (list(backtest.run(_VPA, _rows(30, every)))[-1] for every in (60, 5))
    assert fine.recommendation == coarse.recommendation


def test_policies_cap_and_kills_raise() -> None:
    policy = {"containerPolicies": [{"containerName": "*", "maxAllowed": {"cpu": "200m"}}]}
    test = backtest.Backtest({**_VPA, "spec": {"resourcePolicy": policy}}, VpaSettings())
    test.feed(Usage(_START_NS, "web-1", "app", 500, 300 << 20))
    before = test.recommend(_START_NS)[0]
    assert before["target"]["cpu"] == "200m"
    assert before["uncappedTarget"]["cpu"] == "587m"
    test.record_oom(_START_NS + MINUTE_NS, "web-1", "app", 1 << 30)
    after = test.recommend(_START_NS + 2 * MINUTE_NS)[0]
    assert int(after["target"]["memory"]) > 1.2 * (1 << 30)


def test_rows_out_of_order_are_refused_and_no_rows_say_nothing() -> None:
    rows = _rows(2)
    with pytest.raises(InputError, match="goes back in time"):
        list(backtest.run(_VPA, reversed(rows)))
    assert not list(backtest.run(_VPA, []))
