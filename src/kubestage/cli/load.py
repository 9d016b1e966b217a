"""``kubestage load``: run a load on a stage or on a real cluster, and judge it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from kubestage.cli import (
    completion,
    failures,
    help_page,
    interruption,
    load_find_limit,
    load_group,
)
from kubestage.cli import load_options as options
from kubestage.runs.inputs import node_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.cli.load_choices import Choices
    from kubestage.cli.load_running import Ran
    from kubestage.cli.load_tests import Test
    from kubestage.measure.registry import Registry

HELP: Final = "Run a load (ClusterLoader2) on a stage in virtual time, or on a real cluster."
EPILOG: Final = """
[bold]Examples[/bold]

kubestage load config.yaml --dry-run                     [dim]# what would it do?[/dim]

kubestage load config.yaml --nodes 100 --report-dir out  [dim]# in virtual time[/dim]

kubestage load config.yaml --stage cluster.yaml --profile gce-5000

kubestage load config.yaml --kubeconfig ~/.kube/config   [dim]# the real thing[/dim]

CL2_QPS=50 kubestage load config.yaml --testoverrides small.yaml

kubestage load suite.yaml                                [dim]# one test after the other[/dim]

[bold]How much can the cluster take?[/bold]

kubestage load find-limit config.yaml --slo 'pod-startup-p99<=5s' --vary tuningSets.Uniform.qps

Variables CL2_* are parameters of templates, as in ClusterLoader2. docs/load.md is the guide.

Exit code: 0 if all tests passed, 1 if one failed, 2 if something is wrong with the input, 130 if
it was interrupted: everything is cleaned up then, unless Ctrl-C is pressed a second time.
"""

application = help_page.Application(name="load", help=HELP, cls=load_group.LoadGroup)
application.command("find-limit", epilog=load_find_limit.EPILOG)(load_find_limit.find_limit)


@application.command(load_group.USUAL, cls=load_group.UsualCommand, epilog=EPILOG, hidden=True)
def load(
    configs: options.Configs = None,
    suite: options.Suites = None,
    report_dir: options.ReportDir = None,
    dry_run: options.DryRun = False,
    strict: options.Strict = False,
    output: options.Output = "table",
    list_methods: options.ListMethods = False,
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
    allow_exec: options.AllowExec = False,
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
    """Run a load on a stage in virtual time, or on a real cluster in real time."""
    given = locals()
    from kubestage.cli import load_choices, load_measurements, load_tests
    from kubestage.load.reading.problems import InvalidConfig

    completion.check_choice(output, options.FORMATS)
    choices = load_choices.made(given)
    registry = load_measurements.registry(choices.measurements)
    if list_methods:
        sys.stdout.write(load_measurements.listed(registry))
        return 0
    tests = load_tests.named(configs or (), suite or ())
    try:
        if dry_run:
            return _plan(tests, choices, registry, output)
        return _run(tests, choices, registry, output, report_dir)
    except InvalidConfig as error:
        for problem in error.problems:
            failures.tell(*failures.explain(problem))
        return failures.BAD_INPUT


def _plan(tests: Sequence[Test], choices: Choices, registry: Registry, output: str) -> int:
    from kubestage.cli import load_plan

    planned = load_plan.plans(tests, choices, registry)
    sys.stdout.write(load_plan.written(planned, output))
    return 0 if load_plan.is_sound(planned) else failures.BAD_INPUT


def _run(
    tests: Sequence[Test],
    choices: Choices,
    registry: Registry,
    output: str,
    report_dir: str | None,
) -> int:
    from kubestage.cli import load_grounds, load_keeping, load_report, load_running, load_view

    with (
        load_keeping.claimed(report_dir) as directory,
        interruption.telling(lambda: load_keeping.missing(report_dir)),
    ):
        ground = load_grounds.ground(choices, registry)
        try:
            loaded = load_running.loaded_for(tests, choices, ground)
            view = load_view.view(ground)
            ran = load_running.run(tests, loaded, choices, ground, view)
            results = [each.result for each in ran]
            # Told before it is kept: whatever goes wrong with a report, a long run is not lost.
            sys.stdout.write(load_report.written(results, output, report_dir))
            sys.stdout.flush()
            if directory is not None:
                about = load_keeping.about(choices, ground.where, sys.argv[1:])
                load_keeping.write(directory, ran, about)
        finally:
            ground.close()
    if any(each.result.is_interrupted for each in ran):
        load_keeping.tell_interrupted(report_dir, len(ran), len(tests))
    return _code(ran)


def _code(ran: Sequence[Ran]) -> int:
    if any(each.result.is_interrupted for each in ran):
        return failures.INTERRUPTED
    return 0 if all(each.result.passed for each in ran) else failures.NOT_AS_WANTED
