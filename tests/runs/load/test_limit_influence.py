"""What a search states of the length of the load at its limit."""

from __future__ import annotations

from kubestage.clusterloader.limit_search import FoundLimit
from kubestage.runs.load.limit_options import LimitOptions
from kubestage.runs.load.limit_result import LimitPoint, LimitResult
from kubestage.runs.load.options import LoadOptions
from kubestage.runs.load.pace import Pace
from kubestage.runs.load.slos import SloResult
from kubestage.runs.load.targets import TargetInfo


def influence(limit: float | None, above: float | None, *, end: float) -> str:
    """What is stated if the backlog is 50 in the middle of the load and so much at its end."""
    paces = [Pace(10, 10, seconds, 50, end) for seconds in (8.0, 9.0)]
    runs = tuple(SloResult(values=(1.0,), is_met=True, problem="", pace=each) for each in paces)
    values = [value for value in (limit, above) if value is not None]
    tried = tuple((value, value == limit) for value in values)
    found = FoundLimit(limit=limit, above=above, tried=tried, is_monotonic=True)
    return LimitResult(
        config="load.yaml",
        search=LimitOptions(slos=("pod-startup-p99<=5s",), vary="params.N"),
        options=LoadOptions(),
        slos=(),
        points=tuple(LimitPoint(value, (0, 1), runs, value == limit) for value in values),
        found=found,
        target=TargetInfo(cluster="stage", nodes=1),
    ).influence()


def test_a_backlog_that_grows_is_a_warning() -> None:
    warning = "Warning: at 20 the load lasts 9s, and the backlog still grows at its end: "
    assert influence(20, 30, end=60) == f"{warning}a longer load would have a lower limit."
    assert influence(None, 20, end=60) == f"{warning}a longer load would miss it by more."


def test_a_backlog_that_stays_is_stated_too() -> None:
    stays = "At 20 the load lasts 9s, and the backlog does not grow at its end."
    assert influence(20, 30, end=52) == stays
    assert influence(None, None, end=52) == ""
