"""The limit that a search finds holds for seeds that it has not used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.runs.load import limit
from kubestage.runs.load.limit_options import LimitOptions
from kubestage.runs.load.observer import SILENT
from kubestage.runs.load.options import LoadOptions
from kubestage.runs.load.slos import read
from kubestage.runs.load.vary import Vary
from tests.cli import loads

if TYPE_CHECKING:
    import pathlib

    import pytest

SLO = "pod-startup-p99<=2.5s"
VARY = "params.CL2_PODS"
FRESH = range(1000, 1025)


def _met(value: float) -> int:
    """How many of 25 other seeds meet the goal."""
    vary = Vary(VARY)
    found = 0
    for seed in FRESH:
        options = vary.chosen(LoadOptions(nodes=1, profile="gce-100", seed=seed), value)
        task = limit.Task(options, "load.yaml", vary, value, (read(SLO),))
        found += limit.run_one(SILENT, task).is_met
    return found


def test_25_fresh_seeds_agree_with_the_limit_and_with_the_first_miss(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = loads.write()
    search = LimitOptions(slos=(SLO,), vary=VARY, start=1, highest=32, precision=0.5, jobs=1)
    result = limit.find_limit(config, search, LoadOptions(nodes=1, profile="gce-100"))
    assert result.found.limit is not None
    assert result.found.above is not None
    assert _met(result.found.limit) > len(FRESH) / 2
    assert _met(result.found.above) < len(FRESH) / 2
