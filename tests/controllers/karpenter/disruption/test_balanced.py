from __future__ import annotations

import math

import pytest

from kubestage.controllers.karpenter.disruption import balanced
from kubestage.controllers.karpenter.disruption.balanced import Totals

# The prices per hour, in ten thousandths of a dollar, of three families of five sizes: the
# proposal of the policy counts the pairs of which one would be replaced by the other.
PRICES = (
    *(446, 892, 1785, 3570, 7140),
    *(504, 1008, 2016, 4032, 8064),
    *(661, 1323, 2646, 5292, 10584),
)
PODS = 80


@pytest.mark.parametrize(("k", "pairs"), [(1, 0), (2, 78), (3, 86), (4, 95), (5, 100)])
def test_as_many_replacements_are_approved_as_in_the_proposal(k: int, pairs: int) -> None:
    approved = [
        (price, cheaper)
        for price in PRICES
        for cheaper in PRICES
        if cheaper < price
        and balanced.score(price - cheaper, 9.0, Totals(price, 9.0), k).is_approved
    ]
    assert len(approved) == pairs


@pytest.mark.parametrize(
    ("savings", "disruption", "totals", "expected", "is_approved"),
    [
        (7.26, 3, Totals(58.08, PODS), 3.33, True),
        (4.84, 4, Totals(58.08, PODS), 1.67, True),
        (2.42, 8, Totals(58.08, PODS), 0.42, False),
        (0.0, 10, Totals(58.08, PODS), 0.0, False),
        (4.84, 4, Totals(58.08, 107), 2.23, True),
        (4.84, 31, Totals(58.08, 107), 0.29, False),
        (4.84, 3, Totals(48.40, PODS), 2.67, True),
        (1.45, 3, Totals(14.50, PODS), 2.67, True),
        (1.45, 8, Totals(14.50, PODS), 1.0, True),
        (7.26, 3, Totals(580.80, 800), 3.33, True),
        (-1.0, 3, Totals(48.40, PODS), 0.0, False),
        (1.0, 3, Totals(0.0, PODS), 0.0, False),
        (1.0, 3, Totals(48.40, 0.0), 0.0, False),
    ],
)
def test_scores_are_those_of_the_worked_examples(
    savings: float, disruption: float, totals: Totals, expected: float, is_approved: bool
) -> None:
    score = balanced.score(savings, disruption, totals)
    assert score.value == pytest.approx(expected, abs=0.005)
    assert score.is_approved is is_approved


def test_the_words_show_the_score_and_its_parts() -> None:
    score = balanced.score(4.84, 3, Totals(48.40, PODS))
    assert str(score) == ("score 2.67 >= threshold 0.50 (k: 2, savings 10.0%, disruption 3.8%)")
    free = balanced.score(4.84, 0, Totals(48.40, PODS))
    assert math.isinf(free.value)
    assert str(free).startswith("score +Inf >= threshold 0.50")
