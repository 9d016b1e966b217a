"""Outcomes are joined in order, and those that come later are told once."""

from __future__ import annotations

from kubestage.measure import results as outcomes
from kubestage.measure.perf_data import DataItem, PerfData
from kubestage.measure.results import NOTHING, MeasurementResult, PendingResult, Summary, Verdict


def test_outcomes_are_joined_in_their_order() -> None:
    merged = outcomes.merge_results(
        [
            MeasurementResult(errors=("a",), skipped="one", warnings=("w",)),
            NOTHING,
            MeasurementResult(errors=("b",), skipped="two", is_fatal=True),
        ]
    )
    assert merged.errors == ("a", "b")
    assert merged.warnings == ("w",)
    assert merged.skipped == "one; two"
    assert merged.is_fatal


def test_only_the_first_outcome_counts() -> None:
    pending, told = PendingResult(), list[MeasurementResult]()
    pending.then(told.append)
    assert not pending.is_resolved
    pending.resolve(MeasurementResult(errors=("first",)))
    pending.resolve(MeasurementResult(errors=("second",)))
    assert [each.errors for each in told] == [("first",)]


def test_who_asks_late_is_told_at_once() -> None:
    pending, told = PendingResult(), list[MeasurementResult]()
    pending.resolve(NOTHING)
    pending.then(told.append)
    assert told == [NOTHING]


def test_a_pass_without_samples_is_empty_and_a_miss_is_not() -> None:
    assert Verdict(name="x", passed=True, samples=0).is_empty
    assert not Verdict(name="x", passed=False, samples=0).is_empty
    assert not Verdict(name="x", passed=True, samples=1).is_empty
    assert not Verdict(name="x", passed=True).is_empty


def test_a_summary_without_data_is_a_verdict_without_samples() -> None:
    empty = Summary("WatchCacheLag", PerfData("v1").to_json(), 0)
    full = Summary("Other", PerfData("v1", (DataItem({"p": 1.0}, "s"),)).to_json(), 0)
    found = outcomes.with_empty_verdicts(MeasurementResult(summaries=(empty, full)))
    assert [(each.name, each.is_empty) for each in found.verdicts] == [("WatchCacheLag", True)]
    known = MeasurementResult(
        summaries=(empty,), verdicts=(Verdict(name="x", passed=True, samples=0),)
    )
    assert outcomes.with_empty_verdicts(known) is known
