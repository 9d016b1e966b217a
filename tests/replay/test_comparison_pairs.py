from __future__ import annotations

from kubestage.replay import comparison


def distance(wanted: str, given: str) -> int:
    return 0 if given in wanted.split("|") else abs(len(wanted) - len(given)) + 1


def test_one_that_fits_twice_makes_way_for_one_that_fits_once() -> None:
    assert comparison.pair(["x|y", "x"], ["x", "y"], distance) == [("x|y", "y"), ("x", "x")]


def test_what_does_not_fit_goes_to_its_nearest_and_the_rest_alone() -> None:
    pairs = comparison.pair(["a", "bbbb"], ["ccc", "a", "d"], distance)
    assert pairs == [("a", "a"), ("bbbb", "ccc"), (None, "d")]


def test_what_is_missing_has_no_partner() -> None:
    assert comparison.pair(["a", "b"], ["b"], distance) == [("a", None), ("b", "b")]
