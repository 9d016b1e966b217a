"""What a search states of the length of the load at its limit."""

from __future__ import annotations

from kubestage.clusterloader.limit_search import FoundLimit
from kubestage.runs.load import slos
from kubestage.runs.load.limit_options import LimitOptions
from kubestage.runs.load.limit_result import LimitPoint, LimitResult
from kubestage.runs.load.options import LoadOptions
from kubestage.runs.load.pace import Pace
from kubestage.runs.load.slos import SloResult
from kubestage.runs.load.targets import TargetInfo


def found(
    limit: float | None,
    above: float | None,
    *,
    end: float = 50,
    seconds: float = 9,
    problem: str = "",
) -> LimitResult:
    """A search in which the backlog is 50 in the middle of the load and so much at its end."""
    paces = [Pace(10, 10, each, 50, end) for each in (seconds - 1, seconds)]
    runs = tuple(
        SloResult((1.0,), is_met=not problem, problem=problem, pace=each) for each in paces
    )
    values = [value for value in (limit, above) if value is not None]
    tried = tuple((value, value == limit) for value in values)
    ends = FoundLimit(limit=limit, above=above, tried=tried, is_monotonic=True)
    return LimitResult(
        config="load.yaml",
        search=LimitOptions(slos=("pod-startup-p99<=5s",), vary="params.N"),
        options=LoadOptions(),
        slos=(slos.read("pod-startup-p99<=5s"),),
        points=tuple(LimitPoint(value, (0, 1), runs, value == limit) for value in values),
        found=ends,
        target=TargetInfo(cluster="stage", nodes=1),
    )


def test_a_backlog_that_grows_is_a_warning() -> None:
    warning = "Warning: at 20 the load lasts 9s, and the backlog still grows at its end: "
    assert found(20, 30, end=60).influence() == f"{warning}a longer load would have a lower limit."
    assert found(None, 20, end=60).influence() == f"{warning}a longer load would miss it by more."


def test_a_backlog_that_stays_is_stated_too() -> None:
    stays = "At 20 the load lasts 9s, and the backlog does not grow at its end."
    assert found(20, 30, end=52).influence() == stays
    assert found(None, None, end=52).influence() == ""


def test_a_long_load_is_stated_in_whole_seconds() -> None:
    assert "lasts 81,720s" in found(20, 30, seconds=81_719.6).influence()


def test_a_load_whose_runs_fail_does_not_count_as_one_that_misses_the_goal() -> None:
    goal = "pod-startup-p99<=5s"
    assert found(None, 2).headline() == f"Even params.N = 2 misses {goal}."
    failed = found(None, 2, problem="pods did not run").headline()
    assert failed == f"{goal}: met nowhere: even at params.N = 2 every run fails."
