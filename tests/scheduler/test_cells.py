"""Room for numbers is handed out, grows, and is used again."""

from __future__ import annotations

from kubestage.scheduler.cells import Cells


def test_what_is_there_stays_when_more_room_is_made() -> None:
    cells = Cells()
    first = cells.take(600)
    cells.values[first + 599] = 7
    second = cells.take(600)
    assert second == first + 600
    assert len(cells.values) >= 1200
    assert cells.values[first + 599] == 7


def test_a_piece_that_was_given_back_is_handed_out_again_and_begins_at_zero() -> None:
    cells = Cells()
    first, other = cells.take(5), cells.take(5)
    cells.values[first : first + 5] = 3
    cells.values[other] = 9
    cells.give_back(first, 5)
    assert cells.take(4) not in range(first, first + 5)
    assert cells.take(5) == first
    assert cells.values[first : first + 5].tolist() == [0] * 5
    assert cells.values[other] == 9
    assert cells.used == 14
