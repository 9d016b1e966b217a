"""Charts of a run, each defined once, for pictures, pages and the report alike.

``charts.all(status)`` draws them all, ``charts.of_life(life)`` those of a living run;
``charts.save`` writes PNG, SVG or a page that needs no network. Belongs here: how the tables of
``results.analysis`` and ``results.life`` look. Not here: how they come about.

The extra ``charts`` brings what draws. It is loaded when a chart is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.results.charts.capacity import allocation, balance, fragmentation
    from kubestage.results.charts.drawing import all, save  # noqa: A004 - read as charts.all
    from kubestage.results.charts.life.drawing import of_life
    from kubestage.results.charts.nodes import node_utilization, placements
    from kubestage.results.charts.plugin_times import compared_timings, timings
    from kubestage.results.charts.pods import attempts, pending, preemptions

__all__ = [
    "all",
    "allocation",
    "attempts",
    "balance",
    "compared_timings",
    "fragmentation",
    "node_utilization",
    "of_life",
    "pending",
    "placements",
    "preemptions",
    "save",
    "timings",
]

_PLACES: Final = {
    "all": "drawing",
    "allocation": "capacity",
    "attempts": "pods",
    "balance": "capacity",
    "compared_timings": "plugin_times",
    "fragmentation": "capacity",
    "node_utilization": "nodes",
    "of_life": "life.drawing",
    "pending": "pods",
    "placements": "nodes",
    "preemptions": "pods",
    "save": "drawing",
    "timings": "plugin_times",
}
_LIBRARIES: Final = ("altair", "vl_convert")


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"{__name__}.{_PLACES[name]}")
    except ModuleNotFoundError as error:
        if error.name not in _LIBRARIES:
            raise
        raise InputError(
            f"charts need {error.name}, which is not installed",
            fix="pip install 'kubestage[charts]'",
        ) from None
    return getattr(module, name)
