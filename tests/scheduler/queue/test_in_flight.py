from __future__ import annotations

from kubestage.scheduler.queue.in_flight import InFlight
from tests.scheduler.queue import queues


def test_a_pod_is_told_of_the_events_since_it_took_off() -> None:
    flight = InFlight()
    flight.begin("first")
    flight.note(queues.NODE_ADD, None, queues.node("one"))
    flight.begin("second")
    flight.note(queues.NODE_LABEL, queues.node("one"), queues.node("one"))

    assert [each.event for each in flight.events_for("first")] == [
        queues.NODE_ADD,
        queues.NODE_LABEL,
    ]
    assert [each.event for each in flight.events_for("second")] == [queues.NODE_LABEL]


def test_events_that_nobody_can_ask_for_any_more_are_dropped() -> None:
    flight = InFlight()
    flight.begin("first")
    flight.note(queues.NODE_ADD, None, None)
    flight.begin("second")
    flight.note(queues.NODE_LABEL, None, None)

    flight.done("first")
    assert flight.event_count == 1
    assert [each.event for each in flight.events_for("second")] == [queues.NODE_LABEL]
    flight.done("second")
    assert (len(flight), flight.event_count) == (0, 0)


def test_a_pod_that_lands_later_keeps_the_events_of_one_that_took_off_before() -> None:
    flight = InFlight()
    flight.begin("first")
    flight.note(queues.NODE_ADD, None, None)
    flight.begin("second")
    flight.done("second")
    assert [each.event for each in flight.events_for("first")] == [queues.NODE_ADD]


def test_events_are_not_kept_while_nobody_is_in_flight() -> None:
    flight = InFlight()
    flight.note(queues.NODE_ADD, None, None)
    flight.begin("pod")
    assert flight.events_for("pod") == []
    flight.done("stranger")
    assert "pod" in flight
