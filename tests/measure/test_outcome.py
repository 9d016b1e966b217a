"""Outcomes are joined in order, and those that come later are told once."""

from __future__ import annotations

from kubestage.measure import outcome as outcomes
from kubestage.measure.outcome import NOTHING, Later, Outcome, Verdict


def test_outcomes_are_joined_in_their_order() -> None:
    merged = outcomes.merged(
        [
            Outcome(errors=("a",), skipped="one", warnings=("w",)),
            NOTHING,
            Outcome(errors=("b",), skipped="two", is_fatal=True),
        ]
    )
    assert merged.errors == ("a", "b")
    assert merged.warnings == ("w",)
    assert merged.skipped == "one; two"
    assert merged.is_fatal


def test_only_the_first_outcome_counts() -> None:
    later, told = Later(), list[Outcome]()
    later.then(told.append)
    assert not later.is_resolved
    later.resolve(Outcome(errors=("first",)))
    later.resolve(Outcome(errors=("second",)))
    assert [each.errors for each in told] == [("first",)]


def test_who_asks_late_is_told_at_once() -> None:
    later, told = Later(), list[Outcome]()
    later.resolve(NOTHING)
    later.then(told.append)
    assert told == [NOTHING]


def test_a_pass_without_samples_is_empty_and_a_miss_is_not() -> None:
    assert Verdict(name="x", passed=True, samples=0).is_empty
    assert not Verdict(name="x", passed=False, samples=0).is_empty
    assert not Verdict(name="x", passed=True, samples=1).is_empty
    assert not Verdict(name="x", passed=True).is_empty
