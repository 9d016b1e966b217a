"""Sweeps that add seeds until goals are met."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kubestage.errors import InputError
from kubestage.sweep import results, store, sweep
from kubestage.sweep.report import documents
from kubestage.sweep.report.options import ReportOptions
from kubestage.sweep.report.sweep_report import report
from kubestage.sweep.statistics import goals, sequential
from kubestage.sweep.stopping import Stopping
from tests.sweep import inputs, tables

if TYPE_CHECKING:
    import pathlib

    from kubestage.sweep.rows import Scalar, Table


def _table(seeds: int) -> Table:
    def run(parameters: dict[str, Scalar], seed: int) -> tables.Measures | str:
        if parameters["x"] == "bad":
            return "it failed"
        return {"cost": 100 + float(np.random.default_rng((8, seed)).normal(0, 5))}

    return tables.table({"x": ["good", "bad"]}, range(seeds), run)


def test_looks_continue_until_the_goal_is_met() -> None:
    stopping = Stopping([goals.parse("ci(cost)<4%")], first=3, most=100)
    seeds, looks = 3, []
    while number := stopping(_table(seeds)):
        seeds += number
        looks.append(seeds)
    assert looks[:4] == [5, 8, 12, 18]
    assert stopping.looks == len(looks) + 1
    assert stopping.notes() == [
        f"ci(cost)<4%: met with {seeds} seeds, after {stopping.looks} looks",
        "x=bad: no run has cost: nothing to wait for",
    ]


def test_what_is_not_met_at_the_end_is_said() -> None:
    stopping = Stopping([goals.parse("ci(cost)<0.001%")], first=3, most=6)
    assert stopping(_table(3)) == 2
    assert stopping(_table(5)) == 1
    assert stopping(_table(6)) == 0
    assert stopping.notes()[0] == "ci(cost)<0.001%: not at x=good, with 6 seeds (--max-seeds)"


def test_one_seed_is_no_first_look() -> None:
    stopping = Stopping([goals.parse("ci(cost)<4%")], first=1, most=100)
    assert stopping(_table(1)) == sequential.FIRST - 1
    assert stopping.looks == 0


def test_the_level_of_a_report_is_that_of_the_last_look() -> None:
    plain = report(_table(10), ReportOptions(measures=("cost",)))
    looked = report(_table(10), ReportOptions(measures=("cost",)), looks=3)
    wide, wider = (each.cells["cost"][0].estimate.half_width for each in (plain, looked))
    assert wide is not None
    assert wider is not None
    assert wider > 1.4 * wide
    text = documents.plain(looked)
    assert "intervals of 95%" in text
    assert "For 3 looks at results, the last one is computed at 99.58%." in text


def test_a_sweep_adds_seeds_and_keeps_how_often_it_looked(tmp_path: pathlib.Path) -> None:
    base = inputs.cluster(tmp_path)
    out = tmp_path / "sweep"
    found = sweep(["run", base], {"nodes": [2, 3]}, until="decided(pending)", jobs=1, out=out)
    seeds = {row.seed for row in found.rows}
    assert len(seeds) == sequential.FIRST
    assert store.about(results.file_in(out))["looks"] == "1"
    with pytest.raises(InputError, match="there is no measure"):
        sweep(["run", base], {"nodes": [2, 3]}, until=["ci(nothing)<2%"], jobs=1)
    with pytest.raises(InputError, match="is no goal"):
        sweep(["run", base], {"nodes": [2, 3]}, until=["pending<2"], jobs=1)
