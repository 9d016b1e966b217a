"""Seats: when they get free, how many there are, and who waits for them."""

from __future__ import annotations

from kubestage.cluster.seats import Seats, Unlimited


def taken(seats: Seats, arrives: int, takes: int, width: int = 1) -> int:
    """When a call that arrives gets its seats."""
    assert not seats.is_full(arrives)
    reserved, free = seats.leave(width)
    begins = max(arrives, free)
    seats.take(reserved, begins if begins > arrives else 0, begins + takes, is_mutating=False)
    return begins


def test_a_seat_that_is_added_is_free_at_once() -> None:
    seats = Seats(1)
    assert [taken(seats, 1, 10), taken(seats, 2, 10)] == [1, 11]
    seats.resize(2, 3)
    assert seats.count == 2
    assert [taken(seats, 3, 10), taken(seats, 3, 10)] == [3, 13]


def test_seats_that_are_taken_away_are_those_that_get_free_first() -> None:
    seats = Seats(3)
    assert [taken(seats, 0, each) for each in (10, 20, 30)] == [0, 0, 0]
    seats.resize(1, 5)
    assert taken(seats, 5, 1) == 30
    assert seats.count == 1


def test_one_seat_is_left_in_any_case() -> None:
    seats = Seats(0)
    seats.resize(0, 0)
    assert seats.count == 1
    assert [taken(seats, 0, 5), taken(seats, 0, 5)] == [0, 5]


def test_nobody_waits_where_seats_are_unlimited() -> None:
    seats = Unlimited()
    assert {taken(seats, 1, 100, width=10) for _ in range(50)} == {1}
    assert seats.in_flight(50) == (500, 0)
    assert seats.in_line(50) == (0, 0)
    seats.resize(1, 60)
    assert taken(seats, 60, 1) == 60
    assert taken(seats, 200, 1) == 200
    assert seats.count < 10, "seats that calls have left are dropped"
