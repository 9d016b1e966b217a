"""Living runs side by side: every figure, which is better, and what must not be worse."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.results.life import comparison
from tests.results.life.lives import SUMMARY

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _other(**changes: Any) -> Json:
    made = copy.deepcopy(SUMMARY)
    made["traffic"][0].update(changes)
    return made


def _values(*summaries: Json) -> dict[str, tuple[Any, ...]]:
    return {each.key: each.values for each in comparison.measures(summaries)}


def test_every_figure_of_the_summary_is_told() -> None:
    told = _values(SUMMARY, _other(requests=100, failed=50))
    assert told["requests"] == (90_000, 100)
    assert told["failedPercent"] == (pytest.approx(0.1166667), 50.0)
    assert told["responseP95"] == (1260.0, 1260.0)
    assert told["cost"] == (0.16, 0.16)
    assert (told["rescales"], told["evictions"]) == ((3, 3), (1, 1))


def test_several_traffics_go_by_their_names_and_one_that_is_missing_is_unknown() -> None:
    told = _values(SUMMARY, _other(traffic="default/api"))
    assert told["requests.default/web"] == (90_000, None)
    assert told["requests.default/api"] == (None, 90_000)


def test_without_traffic_or_price_nothing_is_told_of_them() -> None:
    told = _values({**SUMMARY, "traffic": [], "cost": None, "autoscalers": []})
    assert list(told) == ["replicaHours", "nodeHours"]


def test_a_run_is_worse_if_more_requests_fail_or_take_longer() -> None:
    known = comparison.measures([SUMMARY, _other(failed=200)])
    assert [each.measure.name for each in comparison.worse(["a", "b"], known, None)] == [
        "failedPercent"
    ]
    assert comparison.worse(["a", "b"], known, ["responseP95"]) == []


def test_a_measure_that_is_not_there_is_refused() -> None:
    known = comparison.measures([SUMMARY, SUMMARY])
    with pytest.raises(InputError, match='no measure "responsesP95"') as raised:
        comparison.worse(["a", "b"], known, ["responsesP95"])
    fix = str(raised.value.fix)
    assert fix.startswith("did you mean responseP95? use any of failedPercent, ")
    assert "stddev" not in fix


def test_health_is_compared_where_it_is_known() -> None:
    health = {
        "workloads": [{"belowDesiredSeconds": 90.0, "lostSeconds": 0.0}],
        "nodesNotReady": [{"seconds": 30.0}],
        "pending": {"peak": 4, "longestWaitSeconds": 12.5},
        **{name: [] for name in ("restarts", "evictions", "budgetsRefused", "jobsFailed")},
    }
    found = comparison.measures([SUMMARY, {**SUMMARY, "health": health}])
    values = {each.name: each.values for each in found}
    assert values["belowDesiredMinutes"] == (None, 1.5)
    assert values["notReadyMinutes"] == (None, 0.5)
    assert values["pendingPeak"] == (None, 4)
    assert values["longestWaitSeconds"] == (None, 12.5)
    assert "lostMinutes" not in values
    assert "podsEvicted" not in values
