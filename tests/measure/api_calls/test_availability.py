"""APIAvailability tells how much of the time the API server was ready."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cluster.access import Page
from kubestage.units import SECOND_NS
from tests.measure.components.measured import Measured, document
from tests.measure.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from collections.abc import Callable

PATH = "/readyz?exclude=shutdown"


def asked(**params: Any) -> Measured:
    measured = Measured("APIAvailability")
    measured.cluster.pages[PATH] = Page(200, "ok")
    measured.perform("start", seconds=0, pollFrequency="5s", **params)
    return measured


def break_down(measured: Measured, seconds: float) -> None:
    measured.cluster.pages[PATH] = Page(0, "")
    measured.cluster.moments.run(seconds)
    measured.cluster.pages[PATH] = Page(200, "ok")


def test_percentage_and_longest_silence_are_told() -> None:
    measured = asked()
    measured.cluster.moments.run(25)
    break_down(measured, 10)
    measured.cluster.moments.run(10)
    break_down(measured, 5)
    outcome = measured.perform("gather")
    assert outcome.summaries[0].content == (
        '{\n  "clusterMetrics": {\n    "availabilityPercentage": 70,\n'
        '    "longestUnavailablePeriod": "10s"\n  },\n  "hostMetrics": null\n}\n'
    )
    (verdict,) = outcome.verdicts
    assert (verdict.passed, verdict.samples, verdict.is_upper) == (True, 10, False)


def test_less_than_the_threshold_fails() -> None:
    measured = asked(threshold=99.5)
    measured.cluster.moments.run(10)
    break_down(measured, 5)
    assert measured.perform("gather").errors == (
        "API availability: SLO not fulfilled (expected >= 99.50, got: 66.67)",
    )


def test_nothing_asked_is_a_pass_that_says_so() -> None:
    outcome = asked(threshold=99.5).perform("gather")
    assert document(outcome)["clusterMetrics"]["availabilityPercentage"] == 100
    assert outcome.verdicts[0].is_empty


def test_nobody_is_asked_in_a_pause() -> None:
    measured = asked()
    measured.cluster.moments.run(6)
    measured.perform("pause")
    break_down(measured, 100)
    measured.perform("unpause", seconds=0)
    measured.cluster.moments.run(4)
    assert measured.perform("pause", seconds=0).warnings == ()
    assert measured.perform("pause").warnings == ("APIAvailability: measurement already paused",)
    outcome = measured.perform("gather")
    assert outcome.verdicts[0].samples == 1


def test_how_often_to_ask_has_to_be_said() -> None:
    (error,) = Measured("APIAvailability").perform("start").errors
    assert "params.pollFrequency" in error


@pytest.mark.parametrize("action", ["gather", "pause", "unpause"])
def test_without_a_start_nothing_happens(action: str) -> None:
    outcome = Measured("APIAvailability").perform(action)
    assert not outcome.summaries
    assert not outcome.errors


def test_hosts_are_not_asked_and_that_is_said() -> None:
    measured = Measured("APIAvailability")
    outcome = measured.perform(
        "start", pollFrequency="5s", useHostInternalIPs=True, hostPollTimeoutSeconds=5
    )
    assert [warning for warning in outcome.warnings if "exec service" in warning]
    assert len(outcome.warnings) == 1
    measured.measurements.dispose()
    assert measured.cluster.moments.pending == 0


def test_exactly_the_threshold_is_enough() -> None:
    measured = asked(threshold=50)
    measured.cluster.moments.run(5)
    break_down(measured, 5)
    assert not measured.perform("gather").errors


class SlowPages(FakeCluster):
    """One whose pages take a second."""

    def raw(self, path: str, done: Callable[[Page], None]) -> None:
        """Answer, later."""
        self.moments.at(self.moments.now_ns + SECOND_NS, functools.partial(super().raw, path, done))


def slow() -> Measured:
    measured = Measured("APIAvailability", cluster=SlowPages())
    measured.cluster.pages[PATH] = Page(200, "ok")
    measured.perform("start", seconds=0, pollFrequency="5s")
    measured.cluster.moments.run(5.5)
    return measured


def test_a_pause_between_question_and_answer_holds() -> None:
    measured = slow()
    measured.perform("pause", seconds=20)
    assert measured.cluster.moments.pending == 0
    measured.perform("unpause", seconds=20)
    assert measured.perform("gather", seconds=2).verdicts[0].samples == 4


def test_the_answer_that_is_still_due_counts() -> None:
    measured = slow()
    assert measured.perform("gather", seconds=2).verdicts[0].samples == 1
    assert measured.cluster.moments.pending == 0


def test_gathering_without_a_start_is_skipped() -> None:
    assert Measured("APIAvailability").perform("gather").skipped == "it is not started"
