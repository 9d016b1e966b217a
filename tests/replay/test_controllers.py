from __future__ import annotations

import pytest

from kubestage import replay
from tests.golden import controllers

NAMES = [
    pytest.param(each.name, id=f"{each.topic}/{each.name}")
    for each in controllers.scenarios().values()
]


@pytest.mark.parametrize("name", NAMES)
def test_states_and_events_are_those_of_the_real_controllers(name: str) -> None:
    result = replay.play(controllers.scenarios()[name])
    assert not result.differences, "\n".join(str(each) for each in result.differences)
