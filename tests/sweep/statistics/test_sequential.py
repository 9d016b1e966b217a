"""Goals, and how many seeds are added to reach them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kubestage.errors import InputError
from kubestage.results.statistics import differences
from kubestage.results.statistics.differences import Margin
from kubestage.results.statistics.samples import Sample
from kubestage.sweep.statistics import goals, sequential
from kubestage.sweep.statistics.sequential import Procedure
from tests.sweep import tables

if TYPE_CHECKING:
    from kubestage.sweep.rows import Scalar, Table

EXACT = Margin(0.0, is_share=False)


def _table(seeds: int, deviation: float, effect: float = 0.0, draw: int = 0) -> Table:
    def run(parameters: dict[str, Scalar], seed: int) -> tables.Measures:
        at = 0 if parameters["x"] == "a" else 1
        noise = np.random.default_rng((draw, seed, at)).normal(0, deviation)
        return {"cost": 100 + at * effect + float(noise), "pending": 0}

    return tables.table({"x": ["a", "b"]}, range(seeds), run)


def test_goals_are_read() -> None:
    share, amount, span, decided = map(
        goals.parse, ("ci(cost)<2%", "ci( pending ) <= 0.5", "ci(wait)<30s", "decided(cost)")
    )
    assert share.reach(200, None) == pytest.approx(4)
    assert amount.reach(200, None) == 0.5
    assert (span.reach(200, "s"), span.reach(200, "ms")) == (30, 30_000)
    assert decided.limit is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("cost<2%", "is no goal"),
        ("ci(cost)", "is no goal"),
        ("ci(cost)>2%", "is no goal"),
        ("ci(cost)<many", "is no number"),
        ("ci(cost)<0", "no interval is narrower"),
        ("decided()", "is no goal"),
    ],
)
def test_bad_goals_are_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        goals.parse(text)


def test_a_goal_about_no_measure_names_the_likely_one() -> None:
    known = _table(2, 1).measures
    with pytest.raises(InputError, match=r"did you mean pending\?"):
        goals.checked([goals.parse("ci(pendng)<2%")], known)
    assert goals.checked([goals.parse("ci(COST)<2%")], known)[0].measure == "cost"


def test_looks_are_few_and_their_errors_add_up_to_the_level() -> None:
    procedure = Procedure()
    assert list(itertools.islice(procedure.looks(), 8)) == [5, 8, 12, 18, 27, 41, 62, 93]
    assert [procedure.look(each) for each in (4, 5, 7, 8, 92, 93)] == [0, 1, 1, 2, 7, 8]
    spent = sum(1 - procedure.level(look) for look in range(1, 10_000))
    assert spent == pytest.approx(0.05, rel=1e-3)
    assert spent <= 0.05


def test_a_first_look_needs_its_seeds() -> None:
    more = sequential.needs_more(_table(2, 1), [goals.parse("ci(cost)<2%")])
    assert (more.seeds, more.look, more.is_met) == (3, 0, False)


def test_seeds_are_added_until_the_interval_is_narrow_enough() -> None:
    goal = [goals.parse("ci(cost)<2%"), goals.parse("ci(pending)<0.1")]
    seeds, added = 5, []
    while (more := sequential.needs_more(_table(seeds, 8), goal)).seeds:
        added.append(more.seeds)
        seeds += more.seeds
    assert more.is_met
    assert added[:3] == [3, 4, 6]
    # About (2.9 * 8 / 2)^2: the level of a late look is above 99%.
    assert 90 < seeds < 250


def test_it_stops_at_the_most_seeds_and_says_what_is_open() -> None:
    procedure = Procedure(most=10)
    more = sequential.needs_more(_table(8, 8), [goals.parse("ci(cost)<0.1%")], procedure)
    assert more.seeds == 2
    more = sequential.needs_more(_table(10, 8), [goals.parse("ci(cost)<0.1%")], procedure)
    assert more.seeds == 0
    assert not more.is_met
    assert more.open == ("ci(cost)<0.1%: not at x=a; x=b",)


def test_settings_that_always_fail_are_reported_and_not_waited_for() -> None:
    def run(parameters: dict[str, Scalar], _: int) -> tables.Measures | str:
        return "no" if parameters["x"] == "b" else {"cost": 1.0}

    found = tables.table({"x": ["a", "b"]}, range(5), run)
    more = sequential.needs_more(found, [goals.parse("ci(cost)<1%"), goals.parse("decided(cost)")])
    assert more.is_met
    assert more.hopeless == ("x=b: no run has cost",)


def test_a_clear_difference_is_decided_at_the_first_look() -> None:
    more = sequential.needs_more(_table(5, 0.1, 10), [goals.parse("decided(cost)")])
    assert more.is_met


def _claims(rng: np.random.Generator, *, corrected: bool) -> bool:
    """Whether a search for a difference that is not there ends with one, within 62 seeds."""
    draws = rng.normal(0, 1, 62)
    for look, seeds in enumerate((5, 8, 12, 18, 27, 41, 62), 1):
        zero = Sample(dict.fromkeys(range(seeds), 0.0))
        other = Sample(dict(enumerate(map(float, draws[:seeds]))))
        level = sequential.level_of_look(0.95, look if corrected else 0)
        found = differences.difference(zero, other, EXACT)
        if found.p_differs is not None and found.p_differs <= 1 - level:
            return True
    return False


def test_looking_often_does_not_find_what_is_not_there() -> None:
    wrong = sum(_claims(np.random.default_rng(at), corrected=True) for at in range(1000)) / 1000
    naive = sum(_claims(np.random.default_rng(at), corrected=False) for at in range(1000)) / 1000
    assert wrong <= 0.05
    assert naive > 0.12, "without spending the level, looks find differences that are not there"
