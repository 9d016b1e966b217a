"""How fast an autoscaler goes, and what it remembers for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.hpa.behavior import ScaleEvents
from kubestage.controllers.hpa.conditions import Draft, HpaStatus
from kubestage.controllers.hpa.normalizing import History, ScaleRequest, normalize
from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json


def rules(*policies: tuple[str, int, int], select: str = "Max", window: int | None = 0) -> Json:
    made: Json = {
        "selectPolicy": select,
        "policies": [
            {"type": kind, "value": value, "periodSeconds": period}
            for kind, value, period in policies
        ],
    }
    if window is not None:
        made["stabilizationWindowSeconds"] = window
    return made


BOTH = (("Pods", 4, 60), ("Percent", 50, 60))


def test_policies_limit_the_change_since_their_period_began() -> None:
    events = ScaleEvents()
    behavior = {"scaleUp": rules(*BOTH), "scaleDown": rules(*BOTH)}
    events.store(behavior, 10, 13, 0)
    now_ns = 59 * SECOND_NS
    assert events.up_limit(13, rules(*BOTH), now_ns) == 15
    assert events.up_limit(13, rules(*BOTH, select="Min"), now_ns) == 14
    assert events.up_limit(13, rules(*BOTH, select="Disabled"), now_ns) == 13
    # At the end of the period the change is past.
    assert events.up_limit(13, rules(*BOTH), 60 * SECOND_NS) == 20


def test_percentages_round_up_on_the_way_up_and_to_zero_on_the_way_down() -> None:
    events = ScaleEvents()
    assert events.up_limit(1, rules(("Percent", 10, 60)), 0) == 2
    assert events.down_limit(9, rules(("Percent", 10, 60)), 0) == 8
    assert events.down_limit(9, rules(*BOTH), 0) == 4
    assert events.down_limit(9, rules(*BOTH, select="Min"), 0) == 5


def test_an_event_that_no_policy_looks_at_gives_its_place_to_the_next() -> None:
    events = ScaleEvents()
    behavior = {"scaleUp": rules(*BOTH), "scaleDown": rules(*BOTH)}
    for at_s in (0, 30, 60, 61):
        events.store(behavior, 1, 2, at_s * SECOND_NS)
    assert [event.at_ns // SECOND_NS for event in events.ups] == [61, 30, 60]
    events.store(behavior, 5, 2, 61 * SECOND_NS)
    assert [event.change for event in events.downs] == [3]


def look(
    history: History, at_s: float, current: int, desired: int, behavior: Json | None = None
) -> tuple[int, list[str]]:
    """One look of an autoscaler of 2 to 100 replicas: what it wants, and its reasons."""
    draft = Draft(HpaStatus(), round(at_s * SECOND_NS))
    history.begin(current, draft.now_ns)
    wanted = ScaleRequest(current, desired, 2, 100)
    found = normalize(history, wanted, behavior, HpaSettings(), draft)
    return found, [each.reason for each in draft.status.conditions]


def test_without_behavior_the_highest_of_five_minutes_is_kept() -> None:
    history = History()
    assert look(history, 0, 10, 10) == (10, ["ReadyForNewScale", "DesiredWithinRange"])
    assert look(history, 15, 10, 3) == (10, ["ScaleDownStabilized", "DesiredWithinRange"])
    assert look(history, 300, 10, 3) == (10, ["ScaleDownStabilized", "DesiredWithinRange"])
    assert look(history, 300.001, 10, 3) == (3, ["ReadyForNewScale", "DesiredWithinRange"])


@pytest.mark.parametrize(
    ("current", "desired", "found", "reason"),
    [
        (10, 21, 20, "ScaleUpLimit"),
        (2, 5, 4, "ScaleUpLimit"),
        (60, 101, 100, "TooManyReplicas"),
        (2, 1, 2, "TooFewReplicas"),
        (10, 20, 20, "DesiredWithinRange"),
    ],
)
def test_without_behavior_it_doubles_at_most(
    current: int, desired: int, found: int, reason: str
) -> None:
    history = History()
    history.begin(0, 0)
    assert look(history, 1, current, desired) == (found, ["ReadyForNewScale", reason])


def test_windows_take_the_lowest_on_the_way_up_and_the_highest_on_the_way_down() -> None:
    every = ("Percent", 100, 15)
    behavior = {"scaleUp": rules(every, window=30), "scaleDown": rules(every, window=60)}
    history = History()
    assert look(history, 0, 10, 12, behavior)[0] == 10
    assert look(history, 15, 10, 14, behavior) == (10, ["ScaleUpStabilized", "DesiredWithinRange"])
    # The window is open at its far end.
    assert look(history, 30, 10, 14, behavior)[0] == 14
    assert look(history, 31, 14, 6, behavior) == (14, ["ScaleDownStabilized", "DesiredWithinRange"])
    assert look(history, 90, 14, 6, behavior)[0] == 6


def test_a_window_down_that_is_not_stated_is_the_flag() -> None:
    every = ("Percent", 100, 15)
    behavior = {"scaleUp": rules(every), "scaleDown": rules(every, window=None)}
    history = History()
    look(history, 0, 10, 10, behavior)
    assert look(history, 299, 10, 5, behavior)[0] == 10
    assert look(history, 300, 10, 5, behavior)[0] == 5


@pytest.mark.parametrize(
    ("current", "desired", "found", "reason"),
    [
        (10, 50, 15, "ScaleUpLimit"),
        (99, 200, 100, "TooManyReplicas"),
        (20, 3, 10, "ScaleDownLimit"),
        (3, 1, 2, "TooFewReplicas"),
        (200, 150, 150, "DesiredWithinRange"),
    ],
)
def test_with_behavior_the_maximum_counts_upwards_and_the_minimum_downwards(
    current: int, desired: int, found: int, reason: str
) -> None:
    behavior = {"scaleUp": rules(*BOTH), "scaleDown": rules(*BOTH)}
    history = History()
    assert look(history, 0, current, desired, behavior) == (found, ["ReadyForNewScale", reason])
