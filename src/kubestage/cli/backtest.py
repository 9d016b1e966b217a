"""``kubestage backtest``: what autoscalers would have decided, had they seen these metrics."""

from __future__ import annotations

import pathlib
import sys
from typing import Annotated, Final

import typer

from kubestage.cli import completion
from kubestage.errors import InputError

FORMATS: Final = ("table", "wide", "json", "yaml")
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
has at the time. docs/backtest.md tells more.

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
_Metric = Annotated[
    str | None,
    typer.Option("--metric", metavar="NAME", help="Which metric total, value or pods are about."),
]
_Replicas = Annotated[
    int | None,
    typer.Option(
        "--replicas",
        metavar="N",
        min=0,
        max=10_000,
        help="How many replicas there are at the beginning.",
    ),
]
_Requests = Annotated[
    list[str] | None,
    typer.Option(
        "--request",
        metavar="RESOURCE=AMOUNT",
        help="What a pod requests, as in cpu=500m, if its workload is not given. Repeatable.",
    ),
]
_Startup = Annotated[
    str,
    typer.Option("--startup", metavar="DURATION", help="How long a new replica takes to be ready."),
]
_Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        metavar="NAME=VALUE",
        autocompletion=completion.setting_words,
        help="A flag of an autoscaler, as in hpa.tolerance=0.05. Repeatable.",
    ),
]
_Chart = Annotated[
    str | None,
    typer.Option("--chart", metavar="FILE", help="Draw it: a file that ends in html, png or svg."),
]


def backtest(
    metrics: _Metrics,
    manifests: _Manifests,
    metric: _Metric = None,
    replicas: _Replicas = None,
    request: _Requests = None,
    startup: _Startup = "0s",
    setting: _Settings = None,
    chart: _Chart = None,
    output: Annotated[str, completion.output_option(*FORMATS)] = "table",
) -> None:
    """Tell what autoscalers would have decided, had they seen these metrics."""
    from kubestage.cli import backtest_inputs, backtest_report, interruption
    from kubestage.controllers.settings import Settings
    from kubestage.runs.inputs import setting_option

    completion.check_choice(output, FORMATS)
    if chart is not None and pathlib.Path(chart).suffix.lower() not in (".html", ".png", ".svg"):
        fix = "name a file that ends in .html, .png or .svg"
        raise InputError("charts are not written as this", path="--chart", file=chart, fix=fix)
    if chart is not None and not pathlib.Path(chart).parent.is_dir():
        fix = "make the directory first"
        raise InputError("no such directory", path="--chart", file=chart, fix=fix)
    flags = setting_option.apply(Settings(), setting_option.split(setting or ()))
    options = backtest_inputs.Options(metric, replicas, tuple(request or ()), startup, flags)
    left = "nothing was kept" if chart is None else f"not written: {chart}"
    with interruption.telling(lambda: left):
        outcomes = backtest_inputs.run(metrics, manifests, options)
    sys.stdout.write(backtest_report.written(outcomes, output))
    sys.stdout.flush()
    if chart is not None:
        with interruption.deferred():
            backtest_report.draw(outcomes, chart)
        typer.echo(f"Drew {chart}", err=True)
