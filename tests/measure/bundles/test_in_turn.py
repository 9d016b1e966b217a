"""One thing after another."""

from __future__ import annotations

from kubestage.errors import InputError, NotFound
from kubestage.measure import outcome as outcomes
from kubestage.measure.bundles.in_turn import InTurn
from kubestage.measure.outcome import Later, Outcome


def test_the_next_begins_when_the_one_before_is_done() -> None:
    first, second, begun = Later(), Later(), []

    def begin_first() -> Later:
        begun.append(1)
        return first

    def begin_second() -> Later:
        begun.append(2)
        return second

    turn = InTurn([begin_first, begin_second], outcomes.merged)
    assert begun == [1]
    first.resolve(Outcome(errors=("a",)))
    assert begun == [1, 2]
    assert not turn.later.is_resolved
    second.resolve(Outcome(errors=("b",)))
    told: list[Outcome] = []
    turn.later.then(told.append)
    assert told[0].errors == ("a", "b")


def test_what_cannot_be_begun_is_an_error_and_the_rest_goes_on() -> None:
    def bad_input() -> Outcome:
        raise InputError("no good", path="params.x")

    def not_there() -> Outcome:
        raise NotFound("no such kind")

    told: list[Outcome] = []
    steps = [bad_input, not_there, Outcome]
    InTurn(steps, outcomes.merged).later.then(told.append)
    assert told[0].errors == ("params.x: no good", "no such kind")


def test_nothing_to_do_is_done_at_once() -> None:
    assert InTurn([], outcomes.merged).later.is_resolved
