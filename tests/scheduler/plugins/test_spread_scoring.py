from __future__ import annotations

import math

import numpy as np

from kubestage.scheduler.plugins import spread_scoring


def test_a_topology_weighs_the_logarithm_of_its_size() -> None:
    for size in range(5000):
        weight = spread_scoring.topology_weight(size)
        assert abs(weight - math.log(size + 2)) <= 2 * math.ulp(weight)


def test_the_logarithm_is_that_of_go_to_the_last_bit() -> None:
    assert spread_scoring.topology_weight(1) == 1.0986122886681096
    assert math.log(3) == 1.0986122886681098


def test_halves_are_rounded_up_and_what_is_just_below_is_not() -> None:
    scores = np.array([0.0, 0.49999999999999994, 0.5, 1.5, 2.5, 2.4, 7.6])
    assert spread_scoring.rounded(scores).tolist() == [0, 0, 1, 2, 3, 2, 8]
