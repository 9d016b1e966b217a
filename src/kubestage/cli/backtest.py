"""``kubestage backtest``: what autoscalers would have decided, had they seen these metrics."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import interruption, option_objects, progress, screen
from kubestage.runs import backtest as backtests
from kubestage.runs.backtest import BacktestOptions
from kubestage.runs.flags import Flag

with lazy.imports():
    from kubestage.cli import backtest_report

EPILOG: Final = """
[bold]Examples[/bold]

kubestage backtest cpu.csv hpa.yaml deployment.yaml

kubestage backtest cpu.csv hpa.yaml --request cpu=500m --replicas 4

kubestage backtest cpu.csv calm.yaml nervous.yaml --request cpu=500m    [dim]# side by side[/dim]

kubestage backtest usage.csv vpa.yaml --chart usage.html

[bold]The CSV[/bold] begins with a header: time,total or time,pod,value or time,web-1,web-2, or
time,cpu,memory for several metrics at once. Times are seconds or moments such as
2026-01-31T08:00:00Z, values are numbers or quantities.

The load is what the CSV says, whatever is decided: a total is shared by the replicas that an HPA
has at the time. See docs/backtest.md.

Exit code: 0, or 2 if something is wrong with the CSV, the manifests or the request.
"""

_Metrics = Annotated[
    str,
    typer.Argument(metavar="METRICS.csv", help="What was measured, or -.", show_default=False),
]
_Manifests = Annotated[
    list[str],
    typer.Argument(
        metavar="MANIFEST...",
        help="HorizontalPodAutoscalers or VerticalPodAutoscalers, and the workloads they scale.",
        show_default=False,
    ),
]


@option_objects.command
def backtest(
    *,
    metrics: _Metrics,
    manifests: _Manifests,
    options: BacktestOptions,
    chart: Annotated[
        str | None, Flag("Draw it: a file that ends in html, png or svg.", metavar="FILE")
    ] = None,
    output: Annotated[
        str,
        Flag(
            "table, wide, json or yaml.",
            "-o",
            metavar="FORMAT",
            choices=("table", "wide", "json", "yaml"),
            noun="output format",
        ),
    ] = "table",
) -> int:
    """Show what autoscalers would have decided, had they seen these metrics."""
    if chart is not None:
        backtests.check_chart(chart)
    left = "nothing was kept" if chart is None else f"not written: {chart}"
    with interruption.reporting(lambda: left):
        result = backtests.backtest(metrics, manifests, options, observer=progress.OBSERVER)
    screen.write(backtest_report.formatted(result, output))
    sys.stdout.flush()
    if chart is not None:
        with interruption.deferred():
            result.save_chart(chart)
        screen.note(f"Drew {chart}")
    return 0
