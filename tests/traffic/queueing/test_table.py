"""Each queue that theory knows exactly behaves as theory says."""

from __future__ import annotations

import pytest

from tests.traffic.queueing import claims, table, theory

EXACT = {
    ("M/M/1 λ=.8", "L"): 4,
    ("M/M/1 λ=.8", "Lq"): 3.2,
    ("M/M/1 λ=.8", "W"): 5,
    ("M/M/1 λ=.8", "Wq"): 4,
    ("M/M/1 λ=.8", "sojourn p50"): 3.466,
    ("M/M/1 λ=.8", "sojourn p95"): 14.979,
    ("M/M/1 λ=.8", "sojourn p99"): 23.026,
    ("M/M/2 λ=1.5", "C"): 0.642857,
    ("M/M/2 λ=1.5", "Wq"): 1.285714,
    ("M/M/2 λ=1.5", "W"): 2.285714,
    ("M/M/3 λ=2.4", "C"): 0.647191,
    ("M/M/3 λ=2.4", "Wq"): 1.078652,
    ("M/M/5 λ=4", "C"): 0.554113,
    ("M/M/5 λ=4", "Wq"): 0.554113,
    ("M/M/10 λ=8", "C"): 0.409180,
    ("M/M/10 λ=8", "Wq"): 0.204590,
    ("M/M/10 λ=8", "W"): 1.204590,
    ("M/M/10 λ=8", "L"): 9.636721,
    ("M/M/10 λ=8", "wait p95"): 1.0511,
    ("M/M/10 λ=9", "C"): 0.668732,
    ("M/M/10 λ=9", "Wq"): 0.668732,
    ("Erlang B a=8 c=10", "blocking"): 0.121661,
    ("M/D/1 ρ=.5", "Wq"): 0.5,
    ("M/D/1 ρ=.8", "Wq"): 2,
    ("M/D/1 ρ=.9", "Wq"): 4.5,
    ("M/G/1 ρ=.8 hyperexponential, SCV 4", "Wq"): 10,
    ("M/G/1 ρ=.8 Erlang, SCV 0.25", "Wq"): 2.5,
    ("M/G/1-PS ρ=.8 fixed", "W"): 5,
    ("round robin to 2, ρ=.8", "Wq"): 2.843980,
    ("round robin to 4, ρ=.8", "Wq"): 2.267384,
    ("round robin to 10, ρ=.8", "Wq"): 1.922269,
    ("M/M/1/5 λ=.8", "blocking"): 0.088819,
}
"""Figures as textbooks have them, to the digits that they have."""


@pytest.mark.parametrize("name", table.ROWS)
def test_theory_lies_in_a_narrow_interval(name: str) -> None:
    verdicts = claims.judge(table.ROWS[name])
    assert [str(verdict) for verdict in verdicts if not verdict.holds] == []


def test_formulas_give_the_figures_of_textbooks() -> None:
    found = {
        (name, claim.name): claim.expected
        for name, row in table.ROWS.items()
        for claim in row.claims
    }
    assert {key: found[key] for key in EXACT} == pytest.approx(EXACT, rel=1e-4)


def test_formulas_agree_where_they_speak_of_the_same_queue() -> None:
    assert theory.wait(0.8) == pytest.approx(theory.wait_by_variation(0.8, 1))
    assert theory.wait(0.8) == pytest.approx(theory.wait_in_turn(0.8, 1))
    assert theory.blocked(0.8, 1) == pytest.approx(theory.erlang_b(0.8, 1))
    assert sum(theory.geometric(0.8, count) for count in range(200)) == pytest.approx(1)
    assert sum(theory.poisson(8, count) for count in range(60)) == pytest.approx(1)
