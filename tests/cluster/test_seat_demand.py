"""The demand for seats: its mean, deviation and maximum, and what is left of it later."""

from __future__ import annotations

import math

from kubestage.cluster.seat_demand import SeatDemand


def test_a_period_has_the_mean_deviation_and_maximum_over_time() -> None:
    demand = SeatDemand()
    demand.add(0, 50, 2)
    demand.add(25, 75, 4)
    period = demand.close(100)
    # Two seats for 25, six for 25, four for 25, none for 25.
    assert period.mean == 3.0
    assert math.isclose(period.deviation, math.sqrt((4 + 36 + 16) / 4 - 9))
    assert period.most == 6


def test_a_call_that_goes_on_is_part_of_the_next_period() -> None:
    demand = SeatDemand()
    demand.add(0, 150, 3)
    assert demand.close(100).mean == 3.0
    period = demand.close(200)
    assert (period.mean, period.most) == (1.5, 3)
    assert demand.close(300).most == 0


def test_the_smoothed_demand_rises_at_once_and_falls_slowly() -> None:
    demand = SeatDemand()
    demand.add(0, 100, 10)
    demand.close(100)
    assert demand.smoothed == 10.0
    demand.close(200)
    assert demand.smoothed == 9.77
    for at in range(300, 10_000, 100):
        demand.close(at)
    assert 0.9 < demand.smoothed < 1.1, "a tenth is left after some hundred periods"
