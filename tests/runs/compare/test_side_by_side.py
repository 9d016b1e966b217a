"""Configurations are compared in one run each, and explained as a repetition would explain them."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.runs import scenario_run
from kubestage.runs.compare import ComparedRuns, CompareOptions, compare, side_by_side
from kubestage.runs.compare.attempt_log import AttemptLog
from kubestage.runs.explain import repetition
from kubestage.testing import make_node, make_pod
from tests.cli import clusters, scenarios

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

PACKING = """
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
  plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}]}}
"""
FAILING = """
    class Failing:
        name = "Failing"

        def __init__(self, args, handle):
            self.at = args["at"]
            self.made = 0

        def score_node(self, state, pod, node):
            self.made += node.name == "n00"
            if self.made == self.at:
                raise RuntimeError(f"attempt {self.at}")
            return 0
"""


@pytest.fixture(autouse=True)
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> list[object]:
    """Every run of a Scenario that is started, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    clusters.write_config(PACKING, "packing.yaml")
    found: list[object] = []
    start = scenario_run.start_scenario

    def counted(*args: object, **options: object) -> object:
        found.append(args)
        return start(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(scenario_run, "start_scenario", counted)
    return found


def _nodes(number: int) -> list[Json]:
    return [make_node(f"n{at:02d}", cpu="4", memory="8Gi") for at in range(number)]


def _early() -> Json:
    """The runs part with the second pod."""
    return scenarios.scenario([*_nodes(3), *(make_pod(f"p{at}", cpu="1") for at in range(6))])


def _late() -> Json:
    """There is one node for long enough that several turns pass before the runs part."""
    many = [[make_pod(f"p{step}-{at}", cpu="10m") for at in range(30)] for step in range(3)]
    last = [make_node("late", cpu="4"), *(make_pod(f"q{at}", cpu="10m") for at in range(3))]
    return scenarios.scenario(_nodes(1), *many, last)


def _ending() -> Json:
    """The large pod waits in one of the runs and is tried again there."""
    pods = [make_pod(f"p{at}", cpu="1") for at in range(2)]
    return scenarios.scenario([*_nodes(2), *pods], [make_pod("large", cpu="4")], [*_nodes(3)[2:]])


def _compared(scenario: Json, *configs: str, **options: object) -> ComparedRuns:
    pathlib.Path("scenario.json").write_text(json.dumps(scenario))
    chosen = CompareOptions(configs=configs or ("default", "packing.yaml"), **options)  # type: ignore[arg-type]
    compared = compare(["scenario.json"], chosen)
    assert isinstance(compared, ComparedRuns)
    return compared


@pytest.mark.parametrize("make", [_early, _late, _ending])
def test_each_scenario_runs_once_and_is_explained_as_a_repetition_explains_it(
    make: Callable[[], Json], runs: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    once = _compared(make()).to_dict()
    assert len(runs) == 2
    (pair,) = once["pairs"]
    assert any(pair["divergence"]["explanations"])
    monkeypatch.setattr(AttemptLog, "keep", lambda *_: None)
    assert _compared(make()).to_dict() == once
    assert len(runs) > 4


def test_runs_that_never_part_run_once(runs: list[object]) -> None:
    compared = _compared(_late(), "default", "default")
    assert compared.pairs[0].divergence.divergence is None
    assert len(runs) == 2


def test_of_several_each_is_explained_against_the_first(
    runs: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    configs = ("default", "packing.yaml", "default", "packing.yaml")
    once = _compared(_early(), *configs)
    assert len(runs) == 4
    parted = [pair.divergence.divergence is not None for pair in once.pairs]
    assert parted == [True, False, True]
    assert len(_compared(_early(), *configs, between=("3", "4")).pairs) == 1
    assert len(runs) == 8
    monkeypatch.setattr(side_by_side, "_TURN", 1)
    assert _compared(_early(), *configs).to_dict() == once.to_dict()


def test_explanations_are_dropped_while_decisions_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []
    forget = AttemptLog.forget

    def measured(self: AttemptLog, number: int) -> None:
        forget(self, number)
        sizes.append(len(self.rows))

    monkeypatch.setattr(AttemptLog, "forget", measured)
    _compared(_late())
    assert sizes
    assert max(sizes) <= side_by_side._TURN


def test_measured_runs_are_not_explained_while_they_are_measured(
    runs: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: list[object] = []
    monkeypatch.setattr(side_by_side.SteppedRun, "follow", followed.append)
    compared = _compared(_early(), timings=True)
    assert compared.durations is not None
    assert compared.pairs[0].divergence.divergence is not None
    # The two that are measured, and two that are repeated until the runs part.
    assert (len(runs), followed) == (4, [])


def test_figures_alone_need_no_explanation(
    runs: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repetition, "repeat", pytest.fail)
    assert _compared(_early(), explains=False).pairs == []
    assert len(runs) == 2


def test_the_first_run_that_fails_is_reported_even_if_another_fails_before() -> None:
    clusters.write_plugin(FAILING, "failing.py")
    for name, at in (("late", 4), ("early", 2)):
        clusters.write_config(clusters.enabling("Failing", f"{{at: {at}}}"), f"{name}.yaml")
    with pytest.raises(InputError, match="attempt 4"):
        _compared(_early(), "late.yaml", "early.yaml", plugins=("failing.py:Failing",))
    with pytest.raises(InputError, match="attempt 2"):
        _compared(_early(), "default", "early.yaml", plugins=("failing.py:Failing",))


def test_a_result_shows_itself_in_a_notebook() -> None:
    compared = _compared(_early())
    assert compared.headline().startswith("packing against default: ")
    assert "<table>" in compared._repr_html_()
    assert compared.chart().to_dict()["title"]["text"] == "2 runs side by side, at their ends"
    assert list(compared.charts()) == ["comparison"]
