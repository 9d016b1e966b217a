"""Differences by pairs of seeds, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kubestage.results.statistics import differences, verdicts
from kubestage.results.statistics.differences import Margin
from kubestage.results.statistics.samples import Sample
from kubestage.sweep.statistics import comparisons
from kubestage.sweep.statistics.comparisons import Cell, ComparisonOptions
from tests.sweep import tables

if TYPE_CHECKING:
    from kubestage.sweep.rows import Scalar, Table

EXACT = Margin(0.0, is_share=False)


def _noisy(effects: list[float], seeds: int, noise: float = 1.0) -> Table:
    """Costs that seeds change a lot, in all settings alike, and settings a little."""
    common = np.random.default_rng(1).normal(0, 20, seeds)
    own = np.random.default_rng(2).normal(0, noise, (len(effects), seeds))

    def run(parameters: dict[str, Scalar], seed: int) -> tables.Measures:
        at = parameters["at"]
        assert isinstance(at, int)
        return {"cost": 100 + effects[at] + float(common[seed] + own[at, seed])}

    return tables.table({"at": list(range(len(effects)))}, range(seeds), run)


def _cells(table: Table, **options: object) -> list[Cell]:
    return comparisons.compare(table, ["cost"], ComparisonOptions(**options))["cost"]  # type: ignore[arg-type]


def _words(cells: list[Cell]) -> list[str]:
    return [cell.verdict.word for cell in cells if cell.verdict is not None]


def test_pairs_see_what_intervals_of_means_do_not() -> None:
    first, second = _cells(_noisy([0, -3], seeds=20))
    assert first.estimate.low is not None
    assert second.estimate.high is not None
    assert first.estimate.low < second.estimate.high, "the means' own intervals overlap"
    assert second.difference is not None
    assert second.difference.estimate.high is not None
    assert second.difference.estimate.high < 0
    assert _words([second]) == ["better"]


def test_the_words_for_both_directions() -> None:
    cells = _cells(_noisy([0, -5, 5, 0.01], seeds=40))
    assert _words(cells) == ["better", "worse", "same"]
    assert cells[0].difference is None


def test_a_measure_without_a_good_side_is_higher_or_lower() -> None:
    def run(parameters: dict[str, Scalar], seed: int) -> tables.Measures:
        return {"nodesUsed": int(str(parameters["nodes"])) + seed % 2}

    found = tables.table({"nodes": [10, 20, 5]}, range(9), run, [tables.NODES_USED])
    assert _words(comparisons.compare(found, ["nodesUsed"])["nodesUsed"]) == ["higher", "lower"]


def test_too_few_seeds_are_undecided_and_say_how_many_more() -> None:
    (cell,) = _cells(_noisy([0, 0.5], seeds=8), margin=EXACT)[1:]
    assert cell.verdict is not None
    assert cell.verdict.word == "undecided"
    assert cell.verdict.more_seeds is not None
    assert 5 < cell.verdict.more_seeds < 500


def test_so_many_seeds_do_decide_in_four_of_five_cases() -> None:
    needed = verdicts.seeds_for(1.0, 2.0, 0.05, power=0.8)
    # Published tables of sample sizes have 34 for an effect of half a deviation.
    assert needed is not None
    assert needed == pytest.approx(34, abs=1)
    draws = np.random.default_rng(3).normal(1.0, 2.0, (2000, needed))
    zero = Sample(dict.fromkeys(range(needed), 0.0))
    decided = 0
    for row in draws:
        other = Sample({seed: float(value) for seed, value in enumerate(row)})
        found = differences.difference(zero, other, EXACT)
        decided += verdicts.verdicts([found], ["less"], 0.95)[0].is_decided
    assert decided / len(draws) == pytest.approx(0.8, abs=0.03)


def test_an_endless_search_is_not_promised() -> None:
    assert verdicts.seeds_for(1e-9, 1.0, 0.05) is None
    balanced = differences.difference(Sample({1: 1.0, 2: 2.0}), Sample({1: 2.0, 2: 1.0}), EXACT)
    assert verdicts.more_seeds(balanced, 0.05) is None


def test_only_seeds_that_both_have_are_compared() -> None:
    found = differences.difference(
        Sample({1: 1.0, 2: 2.0, 3: 3.0}), Sample({2: 4.0, 3: 6.0, 4: 99.0}), Margin()
    )
    assert found.estimate.mean == 2.5
    assert found.estimate.count == 2
    assert found.unpaired == 2
    assert found.share == 1.0


def test_one_seed_and_no_common_seed_decide_nothing() -> None:
    one = differences.difference(Sample({1: 1.0}), Sample({1: 9.0}), Margin())
    none = differences.difference(Sample({1: 1.0}), Sample({2: 9.0}), Margin())
    first, second = verdicts.verdicts([one, none], ["less", "less"], 0.95)
    assert (first.word, first.reason) == ("undecided", "one seed")
    assert (second.word, second.reason) == ("undecided", "no seed that both have")


def test_a_measure_that_no_seed_changes_is_decided_by_two() -> None:
    def run(parameters: dict[str, Scalar], _: int) -> tables.Measures:
        return {"cost": {"a": 3.0, "b": 4.0, "c": 3.0}[str(parameters["x"])]}

    found = tables.table({"x": ["a", "b", "c"]}, range(2), run)
    assert _words(_cells(found)) == ["worse", "same"]


def test_a_constant_difference_of_a_measure_that_varies_goes_by_its_sign() -> None:
    def found(seeds: int) -> Table:
        def run(parameters: dict[str, Scalar], seed: int) -> tables.Measures:
            return {"cost": seed + (1.0 if parameters["x"] == "b" else 0.0)}

        return tables.table({"x": ["a", "b"]}, range(seeds), run)

    (few,) = [cell.verdict for cell in _cells(found(4)) if cell.verdict is not None]
    assert (few.word, few.p_value, few.more_seeds) == ("undecided", 0.125, 2)
    assert _words(_cells(found(6))) == ["worse"]


def test_two_settings_that_never_vary_need_fewer_seeds() -> None:
    def found(seeds: int) -> Table:
        def run(parameters: dict[str, Scalar], seed: int) -> tables.Measures:
            return {"cost": {"a": 3, "b": 4, "c": seed}[str(parameters["x"])]}

        return tables.table({"x": ["a", "b", "c"]}, range(seeds), run)

    few = _cells(found(3), correction="none")[1].verdict
    assert few is not None
    # 3 of 6 values can be chosen in 20 ways, and two of them part the settings like this.
    assert (few.word, few.p_value, few.more_seeds) == ("undecided", 0.1, 1)
    assert _words(_cells(found(4), correction="none"))[0] == "worse"


def test_holms_correction_of_a_published_example() -> None:
    # Holm (1979), as in most textbooks: 0.01, 0.04, 0.03, 0.005.
    corrected = verdicts.holm([0.01, 0.04, None, 0.03, 0.005])
    assert corrected == pytest.approx([0.03, 0.06, None, 0.06, 0.02])


def test_many_comparisons_claim_no_difference_where_there_is_none() -> None:
    rng = np.random.default_rng(7)
    corrected = uncorrected = 0
    for _ in range(1000):
        taken = [Sample(dict(enumerate(map(float, row)))) for row in rng.normal(0, 1, (12, 6))]
        found = [differences.difference(taken[0], each, EXACT).p_differs for each in taken[1:]]
        corrected += any(each is not None and each <= 0.05 for each in verdicts.holm(found))
        uncorrected += any(each is not None and each <= 0.05 for each in found)
    assert corrected / 1000 <= 0.06
    assert uncorrected / 1000 > 0.2, "without a correction, one of five such sweeps is wrong"


def test_the_families_of_a_correction() -> None:
    def run(parameters: dict[str, Scalar], seed: int) -> tables.Measures:
        at = "abc".index(str(parameters["x"]))
        cost, pending = np.random.default_rng((seed, at)).normal(0, 1, 2)
        return {"cost": float(cost + at), "pending": float(pending + at)}

    found = tables.table({"x": ["a", "b", "c"]}, range(10), run)

    def p_values(correction: comparisons.Correction) -> list[float]:
        options = ComparisonOptions(margin=EXACT, correction=correction)
        cells = comparisons.compare(found, ["cost", "pending"], options)
        judged = [cell.verdict for each in cells.values() for cell in each if cell.verdict]
        return [verdict.p_value for verdict in judged if verdict.p_value is not None]

    plain = p_values("none")
    assert len(plain) == 4
    assert p_values("measure") == [*verdicts.holm(plain[:2]), *verdicts.holm(plain[2:])]
    assert p_values("all") == pytest.approx(verdicts.holm(plain))
