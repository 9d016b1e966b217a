"""``kubestage load find-limit``: the highest load that still meets its goals."""

from __future__ import annotations

import math
import os
import sys
from typing import TYPE_CHECKING, Final

from kubestage.cli import completion, failures
from kubestage.cli import load_limit_options as searching
from kubestage.cli import load_options as options
from kubestage.errors import InputError
from kubestage.runs.inputs import node_shape

if TYPE_CHECKING:
    from kubestage.cli.load_choices import Choices
    from kubestage.cli.load_limit import Search

EPILOG: Final = """
[bold]Examples[/bold]

kubestage load find-limit config.yaml --slo 'pod-startup-p99<=5s' --vary tuningSets.Uniform.qps

kubestage load find-limit config.yaml --slo 'api-call-p99<=1s' --slo 'scheduling-throughput>=50'
    --vary params.CL2_PODS_PER_NODE --from 10 --to 110 --report-dir limit

[bold]Goals[/bold] are pod-startup-p50, -p90 and -p99; api-call-p50, -p90 and -p99 (also with
-mutating, -read or -list at the end); scheduling-throughput; and METHOD.VERDICT for any row of the
table that `kubestage load` prints.

Loads are doubled until one misses, then the limit is closed in on. Each load is run with several
seeds; it counts as met if chance alone would hardly make so many of them pass. docs/find-limit.md
tells more.

Exit code: 0 if a limit was found, 1 if even the lowest load misses the goals, 2 if something is
wrong with the input.
"""


def find_limit(
    config: searching.Config,
    slo: searching.Slos,
    vary: searching.Vary,
    from_: searching.From = None,
    to: searching.To = None,
    seeds: searching.Seeds = 5,
    confidence: searching.Confidence = 0.95,
    precision: searching.Precision = 0.05,
    jobs: searching.Jobs = None,
    report_dir: options.ReportDir = None,
    output: options.Output = "table",
    stage: options.Stage = None,
    nodes: options.Nodes = None,
    node: options.Node = node_shape.DEFAULT,
    profile: options.Profile = options.PROFILE,
    seed: options.Seed = 0,
    scheduler_config: options.SchedulerConfig = None,
    kubeconfig: options.Kubeconfig = None,
    context: options.Context = None,
    run_from_cluster: options.RunFromCluster = False,
    prometheus_url: options.PrometheusUrl = None,
    testoverrides: options.Overrides = None,
    overwrite_test_config: options.Overwrite = None,
    skip_steps: options.SkipSteps = None,
    measurement: options.Measurements = None,
    image_registry: options.ImageRegistry = options.IMAGE_REGISTRY,
    root: options.Root = None,
    clients: options.Clients = None,
    qps: options.Qps = None,
    burst: options.Burst = None,
) -> int:
    """Search for the highest load that still meets its goals."""
    given = locals()
    from kubestage.cli import load_choices, load_limit
    from kubestage.load.reading.problems import InvalidConfig

    completion.check_choice(output, options.FORMATS)
    choices = load_choices.made(given)
    wanted = load_limit.Wanted(
        config=config,
        slos=tuple(slo),
        vary=vary,
        start=from_,
        highest=to,
        seeds=seeds,
        confidence=confidence,
        precision=precision,
        jobs=jobs or _cores(),
    )
    _check(wanted.start, wanted.highest, confidence, precision)
    try:
        return _searched(load_limit.Search(wanted, choices), choices, output, report_dir)
    except InvalidConfig as error:
        for problem in error.problems:
            failures.tell(*failures.explain(problem))
        return failures.BAD_INPUT


def _searched(search: Search, choices: Choices, output: str, report_dir: str | None) -> int:
    from kubestage.cli import interruption, load_keeping, load_limit_report

    with (
        load_limit_report.claimed(report_dir) as directory,
        interruption.telling(lambda: load_keeping.missing(report_dir)),
    ):
        outcome = search.run()
        if directory is not None:
            with interruption.deferred():
                load_limit_report.write(directory, outcome, choices, sys.argv[1:])
    sys.stdout.write(load_limit_report.written(outcome, output, report_dir))
    return failures.NOT_AS_WANTED if outcome.found.limit is None else 0


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check(start: float | None, to: float | None, confidence: float, precision: float) -> None:
    for name, value in (("--from", start), ("--to", to)):
        if value is not None and not 0 < value < math.inf:
            raise InputError(f"{value:g} is no load", path=name, fix="write a number above 0")
    if start is not None and to is not None and to < start:
        raise InputError(f"{to:g} is below {start:g}", path="--to", fix="exchange --from and --to")
    if not 0.5 <= confidence < 1:
        fix = "write a share such as 0.95"
        raise InputError(f"{confidence:g} is no confidence", path="--confidence", fix=fix)
    if not 0.0001 <= precision <= 0.5:
        fix = "write a share such as 0.05"
        raise InputError(f"{precision:g} is no precision", path="--precision", fix=fix)
