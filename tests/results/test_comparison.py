"""Figures of runs side by side, told by their statuses alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.results import analysis, comparison
from kubestage.results.comparison import measures
from kubestage.testing import make_node, make_pod
from tests.results import samples
from tests.results.analysis.stories import Story
from tests.results.comparison_runs import HEAPED, SPREAD, a_run

if TYPE_CHECKING:
    from kubestage.aliases import Json


def compared(*runs: Json) -> comparison.Comparison:
    return comparison.compare([comparison.Named(f"run-{at}", run) for at, run in enumerate(runs)])


def measure(of: comparison.Comparison, key: str) -> comparison.Measure:
    return next(each for each in of.measures if each.key == key)


def test_every_run_has_its_value_and_its_difference_to_the_first() -> None:
    both = compared(SPREAD, HEAPED)
    scheduled, pending = measure(both, "scheduled"), measure(both, "pending")
    assert (scheduled.values, scheduled.delta(1)) == ((3, 2), -1)
    assert (pending.values, pending.delta(1)) == ((0, 1), 1)
    assert measure(both, "nodesUsed").values == (3, 1)
    assert list(measure(both, "allocation.cpu").values) == pytest.approx([0.25, 1 / 6])


def test_imbalance_is_told_as_min_max_and_standard_deviation() -> None:
    both = compared(SPREAD, HEAPED)
    assert measure(both, "min.cpu").values == (0.25, 0.0)
    assert measure(both, "max.cpu").values == (0.25, 0.5)
    assert list(measure(both, "stddev.cpu").values) == pytest.approx([0.0, 2**0.5 / 6])


def test_more_is_best_of_some_and_less_of_others() -> None:
    both = compared(SPREAD, HEAPED)
    assert measure(both, "scheduled").best == {0}
    assert measure(both, "stddev.cpu").best == {0}
    assert compared(HEAPED, SPREAD).measures[0].best == {1}


def test_all_that_share_the_best_value_are_best() -> None:
    assert measure(compared(SPREAD, HEAPED, SPREAD), "pending").best == {0, 2}


def test_nobody_is_best_where_all_are_the_same() -> None:
    assert not any(each.best for each in compared(SPREAD, SPREAD).measures)


def test_neither_few_nodes_nor_many_are_best() -> None:
    assert measure(compared(SPREAD, HEAPED), "nodesUsed").best == frozenset()


def test_attempts_that_were_not_recorded_are_unknown() -> None:
    silent = a_run({"a": "n1"}, with_attempts=False)
    attempts = measure(compared(SPREAD, silent), "attempts")
    assert (attempts.values, attempts.delta(1), attempts.is_worse(1)) == (
        (3, None),
        None,
        False,
    )


def test_a_pod_that_has_come_to_its_end_counts_as_scheduled() -> None:
    over = samples.scenario(
        {
            "0": [
                samples.created(0, make_node("n1")),
                samples.created(0, make_pod("a", node_name="n1", phase="Succeeded")),
            ]
        }
    )
    both = compared(over)
    assert (measure(both, "scheduled").values, measure(both, "finished").values) == ((1,), (1,))


def test_rounding_does_not_make_a_run_worse() -> None:
    rates = comparison.Measure("stddev", "cpu", comparison.LESS, (0.1 + 0.2, 0.3))
    assert not rates.is_worse(0, than=1)
    assert rates.best == frozenset()


def test_the_table_has_a_row_for_each_measure_and_run() -> None:
    both = compared(SPREAD, HEAPED)
    table = both.table()
    assert len(table.rows) == 2 * len(both.measures)
    assert ("pending", None, "run-1", 1, 1, 0) in table.rows
    assert "pending,,run-0,0,,1\n" in analysis.as_csv(table)


def test_fewer_scheduled_pods_and_less_balance_are_worse() -> None:
    found = {each.measure.key for each in compared(SPREAD, HEAPED).worse()}
    assert found == {"scheduled", "pending", "stddev.cpu", "stddev.pods"}


def test_better_is_not_worse() -> None:
    assert compared(HEAPED, SPREAD).worse() == []


def test_every_later_run_is_looked_at() -> None:
    found = compared(SPREAD, SPREAD, HEAPED).worse(["pending"])
    assert [each.run for each in found] == ["run-2"]


def test_one_resource_can_be_named() -> None:
    found = compared(SPREAD, HEAPED).worse(["stddev.cpu"])
    assert [each.measure.key for each in found] == ["stddev.cpu"]


@pytest.mark.parametrize(
    ("name", "problem", "fix"),
    [
        ("pendign", 'there is no measure "pendign"', "did you mean pending?"),
        ("nodesUsed", 'neither more nor less "nodesUsed" is worse', "use any of scheduled"),
    ],
)
def test_what_cannot_be_worse_is_refused(name: str, problem: str, fix: str) -> None:
    with pytest.raises(InputError) as caught:
        compared(SPREAD, HEAPED).worse([name])
    assert caught.value.problem == problem
    assert fix in (caught.value.fix or "")


def test_no_runs_are_refused() -> None:
    with pytest.raises(InputError, match="no run to compare"):
        comparison.compare([])


def test_what_events_are_called_makes_no_difference() -> None:
    assert comparison.differing_inputs(_asked("a", "b"), _asked("a", "b", prefix="x")) is None


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (("a", "c"), "1 events are the same, 1 only in the first, 1 only in the second"),
        (("b", "a"), "the events are the same, but in another order"),
    ],
)
def test_other_events_are_counted(second: tuple[str, ...], words: str) -> None:
    assert comparison.differing_inputs(_asked("a", "b"), _asked(*second)) == words


def test_the_time_that_steps_take_is_an_input() -> None:
    timed = _asked("a")
    timed["spec"]["stepDuration"] = "10s"
    assert comparison.differing_inputs(_asked("a"), timed) == "steps last no time and 10s"


def _asked(*pods: str, prefix: str = "") -> Json:
    events = [
        {"id": f"{prefix}{at}", "step": 0, "createOperation": {"object": make_pod(name)}}
        for at, name in enumerate(pods)
    ]
    return {"spec": {"events": events}}


def test_a_run_is_worse_than_another_in_a_measure_or_the_other_way_round_or_neither() -> None:
    both = compared(SPREAD, HEAPED)
    for each in both.measures:
        assert not (each.is_worse(0, than=1) and each.is_worse(1, than=0))
    assert {each.name for each in both.measures if each.better is None} >= {"nodesUsed", "min"}
    assert set(measures.DEFAULT_CHECKS) <= {each.name for each in both.measures}


def priced(price: float, currency: str = "USD") -> Json:
    label = {"node.kubernetes.io/instance-type": "m5.large"}
    story = Story().step(0).node("a", cpu="4", memory="16Gi", labels=label)
    entry = {"instanceType": "m5.large", "price": price}
    story.create(
        {
            "apiVersion": "kubestage.dev/v1alpha1",
            "kind": "PriceCatalog",
            "metadata": {"name": "prices"},
            "spec": {"currency": currency, "prices": [entry]},
        }
    )
    return story.pod("web", cpu="1", memory="4Gi").bind("web", "a").scenario()


def test_less_cost_is_better() -> None:
    both = compared(priced(0.4), priced(0.3))
    cost = measure(both, "costPerHour")
    assert cost.values == (0.4, 0.3)
    assert (cost.currency, cost.best) == ("USD", frozenset({1}))
    assert list(measure(both, "idleShare").values) == pytest.approx([0.75, 0.75])
    assert [
        each.measure.key for each in compared(priced(0.3), priced(0.4)).worse(["costPerHour"])
    ] == ["costPerHour"]


def test_costs_in_two_currencies_are_not_compared() -> None:
    both = compared(priced(0.4), priced(0.3, "EUR"))
    assert "costPerHour" not in [each.name for each in both.measures]


def test_a_run_without_prices_has_no_cost() -> None:
    both = compared(priced(0.4), SPREAD)
    assert measure(both, "costPerHour").values == (0.4, None)
