"""One thing after another."""

from __future__ import annotations

from kubestage.errors import InputError, NotFound
from kubestage.measure import results as outcomes
from kubestage.measure.bundles.in_turn import InTurn
from kubestage.measure.results import MeasurementResult, PendingResult


def test_the_next_begins_when_the_one_before_is_done() -> None:
    first, second, begun = PendingResult(), PendingResult(), []

    def begin_first() -> PendingResult:
        begun.append(1)
        return first

    def begin_second() -> PendingResult:
        begun.append(2)
        return second

    turn = InTurn([begin_first, begin_second], outcomes.merge_results)
    assert begun == [1]
    first.resolve(MeasurementResult(errors=("a",)))
    assert begun == [1, 2]
    assert not turn.pending.is_resolved
    second.resolve(MeasurementResult(errors=("b",)))
    told: list[MeasurementResult] = []
    turn.pending.then(told.append)
    assert told[0].errors == ("a", "b")


def test_what_cannot_be_begun_is_an_error_and_the_rest_goes_on() -> None:
    def bad_input() -> MeasurementResult:
        raise InputError("no good", path="params.x")

    def not_there() -> MeasurementResult:
        raise NotFound("no such kind")

    told: list[MeasurementResult] = []
    steps = [bad_input, not_there, MeasurementResult]
    InTurn(steps, outcomes.merge_results).pending.then(told.append)
    assert told[0].errors == ("params.x: no good", "no such kind")


def test_nothing_to_do_is_done_at_once() -> None:
    assert InTurn([], outcomes.merge_results).pending.is_resolved
