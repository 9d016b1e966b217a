"""A view of a living cluster while it runs: how far it is, its traffic, its pods and nodes."""

from __future__ import annotations

import collections
import contextlib
import time
from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import life_report, screen
from kubestage.results.life import wording
from kubestage.runs import traffic_rates
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from kubestage.runs.observer import StageRunner
    from kubestage.stage import Stage

_STEPS: Final = 200
_REFRESHES: Final = 10
_NODES: Final = 8
_WIDTH: Final = 30
_PHASES: Final = {
    "Running": "green",
    "Pending": "yellow",
    "Succeeded": "cyan",
    "Failed": "red",
    "Terminating": "magenta",
}


class _Seen:
    """Lets time pass in slices, and draws the view after those that took long enough."""

    def __init__(self, stage: Stage, end_ns: int, live: Any) -> None:
        self._stage = stage
        self._end_ns = end_ns
        self._live = live
        self._load = traffic_rates.TrafficRates()
        self._shown_at = time.monotonic()

    def run_until(self, at_ns: int) -> None:
        """Let virtual time pass up to a moment since the beginning."""
        slice_ns = max(self._end_ns // _STEPS, 1)
        while self._stage.clock.now_ns < at_ns:
            self._stage.run(min(slice_ns, at_ns - self._stage.clock.now_ns))
            if time.monotonic() - self._shown_at > 1 / _REFRESHES:
                self._live.update(picture(self._stage, self._end_ns, self._load))
                self._shown_at = time.monotonic()


@contextlib.contextmanager
def shown(stage: Stage, end_ns: int) -> Iterator[StageRunner]:
    """A view on stderr."""
    from rich import live as lives

    drawing = screen.console()
    with lives.Live(console=drawing, transient=True, auto_refresh=False) as live:
        yield _Seen(stage, end_ns, _Refreshing(live))


class _Refreshing:
    def __init__(self, live: Any) -> None:
        self._live = live

    def update(self, renderable: RenderableType) -> None:
        self._live.update(renderable, refresh=True)


def picture(stage: Stage, end_ns: int, load: traffic_rates.TrafficRates) -> RenderableType:
    """The stage at a glance; `load` knows what was there at the last one."""
    from rich import console, markup, panel, table

    grid = table.Table.grid(padding=(0, 2))
    grid.add_row("time", *_bar(stage.clock.now_ns, end_ns, "blue"), _clock(stage, end_ns))
    phases = _phases(stage)
    total = sum(phases.values())
    for phase, color in _PHASES.items():
        if phases[phase]:
            grid.add_row(phase.lower(), *_bar(phases[phase], total, color), f"{phases[phase]:,}")
    nodes = table.Table.grid(padding=(0, 2))
    count = len(stage.store.read(("v1", "Node")))
    nodes.add_row(f"[bold]nodes[/] ({count})", "[dim]the fullest first[/]")
    for name, pods, share in _fullest(stage):
        nodes.add_row(
            markup.escape(name),
            *_bar(round(share * 100), 100, "blue"),
            f"{pods} pods, cpu {share:.0%}",
        )
    parts = [grid, "", *_traffic(stage, load), nodes]
    return panel.Panel(console.Group(*parts), title="kubestage", title_align="left", expand=False)


def _traffic(stage: Stage, load: traffic_rates.TrafficRates) -> list[RenderableType]:
    from rich import markup, table

    seen = load.observe(stage)
    if not seen:
        return []
    grid = table.Table.grid(padding=(0, 2))
    grid.add_row(
        "[bold]traffic[/]", "[dim]rps[/]", "[dim]p95[/]", "[dim]replicas[/]", "[dim]failed[/]"
    )
    for each in seen:
        desired = "" if each.desired is None else f" of {each.desired}"
        grid.add_row(
            markup.escape(each.name),
            f"{each.rps:,.1f}",
            wording.milliseconds(each.p95_ms),
            f"{each.active}{desired}",
            f"{each.failed:,}",
        )
    return [grid, ""]


def _bar(part: int, whole: int, color: str) -> tuple[Any]:
    from rich import progress_bar

    return (
        progress_bar.ProgressBar(
            max(whole, 1), part, _WIDTH, complete_style=color, finished_style=color
        ),
    )


def _clock(stage: Stage, end_ns: int) -> str:
    now = life_report.in_days(stage.clock.now_ns // SECOND_NS * SECOND_NS)
    return f"{now} of {life_report.in_days(end_ns)}"


def _phases(stage: Stage) -> collections.Counter[str]:
    found: collections.Counter[str] = collections.Counter()
    for pod in stage.store.read(("v1", "Pod")).values():
        if "deletionTimestamp" in pod["metadata"]:
            found["Terminating"] += 1
        else:
            found[(pod.get("status") or {}).get("phase") or "Pending"] += 1
    return found


def _fullest(stage: Stage) -> list[tuple[str, int, float]]:
    """The nodes with the least CPU left: name, pods, requested share."""
    scheduler = stage.scheduler
    assert scheduler is not None, "a living stage has a scheduler"
    columns = scheduler.cache.columns
    if not len(columns):
        return []
    offered = columns.allocatable_of("cpu")
    shares = columns.requested_of("cpu") / offered.clip(min=1)
    order = sorted(range(len(columns)), key=lambda row: (-shares[row], columns.names[row]))
    return [
        (columns.names[row], int(columns.pod_count[row]), float(shares[row]))
        for row in order[:_NODES]
    ]
