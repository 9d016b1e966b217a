"""Queues built from plain stocks agree with queueing theory.

The model is the one of ``examples/02-queue``. Each system is replicated with fixed seeds, so the
tests are exact; what they check is that theory lies within the replications' confidence interval.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import pathlib
import statistics
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.sim import CountsOnly, Environment, Streams
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from types import ModuleType

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "02-queue" / "main.py"
REPLICATIONS = 10
# Student's t for 9 degrees of freedom, 99 % both sides.
T_99 = 3.25


@functools.cache
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("queue_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def queue(seed: int, servers: int, arrivals_per_s: float) -> Any:
    environment = Environment(recorder=CountsOnly())
    return example().Queue(
        environment,
        Streams(seed),
        servers=servers,
        arrivals_per_s=arrivals_per_s,
        services_per_s=1.0,
    )


def mean_wait(seed: int, servers: int, arrivals_per_s: float, seconds: int) -> float:
    """The mean wait after a first tenth, in which the queue fills up."""
    model = queue(seed, servers, arrivals_per_s)
    model.environment.run(until_ns=seconds * SECOND_NS // 10)
    waited_ns, begun = model.waited_ns, model.started
    model.environment.run(until_ns=seconds * SECOND_NS)
    return float((model.waited_ns - waited_ns) / (model.started - begun) / SECOND_NS)


@pytest.mark.parametrize(
    ("servers", "arrivals_per_s", "seconds", "expected_wait_s"),
    [(1, 0.8, 25_000, 4.0), (5, 4.0, 8_000, 0.554113)],
    ids=["M/M/1", "M/M/5"],
)
def test_the_mean_wait_is_that_of_theory(
    servers: int, arrivals_per_s: float, seconds: int, expected_wait_s: float
) -> None:
    waits = [mean_wait(seed, servers, arrivals_per_s, seconds) for seed in range(REPLICATIONS)]
    margin = T_99 * statistics.stdev(waits) / math.sqrt(REPLICATIONS)
    assert margin < 0.12 * expected_wait_s
    assert abs(statistics.fmean(waits) - expected_wait_s) < margin


def test_the_formula_in_the_example_gives_the_known_values() -> None:
    formula = example().mean_wait
    assert formula(1, 0.8, 1) == pytest.approx(4.0)
    assert formula(5, 4, 1) == pytest.approx(0.554113, abs=1e-6)
    assert formula(10, 8, 1) == pytest.approx(0.204590, abs=1e-6)


def test_the_area_under_the_number_present_is_the_sum_of_the_stays() -> None:
    """Little's law, which on a path that begins and ends empty holds to the nanosecond."""
    environment = Environment()
    model = example().Queue(
        environment,
        Streams(1),
        servers=2,
        arrivals_per_s=1.5,
        services_per_s=1.0,
        customers=3000,
    )
    area = last = 0
    while environment.pending_count:
        present = model.waiting.count + model.serving.count
        environment.step()
        area += present * (environment.current_movement_time - last)
        last = environment.current_movement_time
    sign = {"arrive": -1, "finish_service": 1}
    movements = environment.completed_movements
    stays = sum(occurs_at * sign.get(movement.kind, 0) for occurs_at, movement, _ in movements)
    assert area == stays
    assert model.served.count == 3000
    assert stays / 3000 / SECOND_NS == pytest.approx(2.285714, rel=0.15)


def test_customers_leave_the_line_in_the_order_of_their_arrival() -> None:
    environment = Environment(halt_time=200 * SECOND_NS)
    example().build(environment, Streams(2))
    environment.run()
    begun = [
        entity.name
        for _, movement, entity in environment.completed_movements
        if movement.kind == "begin_service"
    ]
    assert begun == [f"customer-{number}" for number in range(1, len(begun) + 1)]
    assert len(begun) > 700


def test_never_more_customers_are_served_than_there_are_servers() -> None:
    model = queue(3, servers=5, arrivals_per_s=4.0)
    most = 0
    for _ in range(20_000):
        model.environment.step()
        most = max(most, model.serving.count)
        assert model.idle_servers == 5 - model.serving.count
    assert most == 5
