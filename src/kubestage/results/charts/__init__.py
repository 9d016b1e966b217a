"""Charts of a run, each defined once, for pictures, pages and the report alike.

``charts.all(status)`` draws them all, ``charts.draw(status, "balance")`` one of them,
``charts.of_life(life)`` those of a living run; ``charts.save`` writes PNG, SVG or a page that needs
no network. Belongs here: how the tables of ``results.analysis`` and ``results.life`` are drawn. Not
here: how they are computed.

The extra ``charts`` brings the libraries that draw. They are loaded with the first chart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.results import analysis
from kubestage.results.analysis import registry
from kubestage.results.charts import libraries

with lazy.imports():
    from kubestage.results.charts import comparison as comparison_charts
    from kubestage.results.charts import files, plugin_times
    from kubestage.results.charts import packing as packing_charts
    from kubestage.results.charts import scores as score_charts
    from kubestage.results.charts.life import drawing as life_drawing
    from kubestage.results.charts.life import side_by_side as life_side_by_side

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.analysis.digest import Run
    from kubestage.results.comparison import Comparison
    from kubestage.results.life.life import Life
    from kubestage.results.packing.node_shares import NodeShare
    from kubestage.results.packing.packing import Packing
    from kubestage.results.timings import RecordedTimings

__all__ = [
    "all",
    "compared_lives",
    "compared_runs",
    "compared_timings",
    "draw",
    "main_of_life",
    "of_life",
    "of_packing",
    "save",
    "scores",
    "timings",
]


def all(run: Run) -> dict[str, ChartType]:  # noqa: A001 - read as charts.all
    """Every chart that can be drawn of a run, by name."""
    libraries.require()
    digest = analysis.digest(run)
    return {each.name: each.draw(digest) for each in registry.charts(digest)}


def draw(run: Run, name: str) -> ChartType:
    """The chart of this name; InputError if there is none of this run."""
    libraries.require()
    digest = analysis.digest(run)
    known = {each.name: each for each in registry.charts(digest)}
    if name not in known:
        raise InputError(f'there is no chart "{name}"', fix=f"use one of {', '.join(known)}")
    return known[name].draw(digest)


def of_life(life: Life) -> dict[str, ChartType]:
    """Every chart of a living run that there is something to show in, by name."""
    libraries.require()
    return life_drawing.of_life(life)


def of_packing(packing: Packing, nodes: Sequence[NodeShare]) -> dict[str, ChartType]:
    """The charts of what a cluster costs and how full its nodes are, by name."""
    libraries.require()
    found = {
        "cost": packing_charts.workloads(packing),
        "packing": packing_charts.nodes(nodes),
    }
    return {name: chart for name, chart in found.items() if chart is not None}


def main_of_life(life: Life) -> dict[str, ChartType]:
    """The few charts of a living run that show what an action did, by name."""
    libraries.require()
    return life_drawing.main_charts(life)


def timings(recorded: RecordedTimings) -> ChartType:
    """The plugins that took the longest."""
    libraries.require()
    return plugin_times.timings(recorded)


def compared_timings(names: Sequence[str], runs: Sequence[RecordedTimings]) -> ChartType:
    """The time of extension points in several runs."""
    libraries.require()
    return plugin_times.compared_timings(names, runs)


def compared_lives(
    names: Sequence[str], lives: Sequence[Life], remark: str = ""
) -> dict[str, ChartType]:
    """Living runs side by side: nodes, money, pods that wait, evictions; by name."""
    libraries.require()
    return life_side_by_side.side_by_side(names, lives, remark)


def compared_runs(compared: Comparison) -> ChartType:
    """The figures of several runs side by side."""
    libraries.require()
    return comparison_charts.side_by_side(compared)


def scores(explanation: Json, pod: str, top: int = 10) -> ChartType:
    """The weighted scores of the best nodes in an attempt at a pod."""
    libraries.require()
    return score_charts.scores(explanation, pod, top)


def save(chart: ChartType, path: str | pathlib.Path) -> None:
    """Write a chart as PNG, SVG or HTML, by the end of the name; a page needs no network."""
    libraries.require()
    files.save(chart, path)
