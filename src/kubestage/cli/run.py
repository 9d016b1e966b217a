"""``kubestage run``: manifests in, placements out."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import completion, failures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.cli.config_file import Flags
    from kubestage.cli.running import Outcome
    from kubestage.scheduler.config import Completed

EPILOG: Final = """
[bold]Examples[/bold]

kubestage run cluster/                          [dim]# who goes where[/dim]

kubestage run cluster/ -o wide --require-all    [dim]# exit 1 if a pod stays pending[/dim]

kubestage run cluster/ --config scheduler.yaml --plugin my_plugin.py:MyPlugin

kubestage run cluster/ --explain shop/web-1     [dim]# why there and not elsewhere[/dim]

kubectl get nodes,pods,pv,pvc,sc,pdb -A -o json | kubestage run -

Pods without spec.nodeName are scheduled as kube-scheduler v1.36 would; all others are there.
"""
_FORMATS: Final = ("table", "wide", "json", "yaml")
_TIE_BREAKS: Final = ("heap", "first", "random")
_RECORDINGS: Final = ("none", "decisions", "full")
_NAMED: Final = 3
_OLD_FLAGS: Final = "kube-scheduler's old flags, without --config"

_Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|DIR|-",
        help="Nodes, pods and all that matters to them: files, directories, or stdin.",
        show_default=False,
    ),
]
_Config = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="A scheduler configuration (v1 or older)."),
]
_Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="MODULE:CLASS",
        help="A plugin of your own, or FILE.py:CLASS; a profile has to enable it. Repeatable.",
    ),
]
_Seed = Annotated[int, typer.Option("--seed", help="Another seed is another run.")]
_TieBreak = Annotated[
    str,
    typer.Option(
        "--tie-break",
        metavar="|".join(_TIE_BREAKS),
        help="Which of the best nodes is taken; heap is what kube-scheduler does.",
        autocompletion=completion.one_of(*_TIE_BREAKS),
    ),
]
_RequireAll = Annotated[
    bool, typer.Option("--require-all", help="Leave with 1 if a pod stays without a node.")
]
_Explain = Annotated[
    str | None,
    typer.Option("--explain", metavar="POD", help="Tell why a pod went where it went."),
]
_Output = Annotated[str, completion.output_option(*_FORMATS)]
_Recording = Annotated[
    str,
    typer.Option(
        "--recording",
        metavar="|".join(_RECORDINGS),
        help="What json and yaml tell of attempts: nothing, a row each, or every verdict.",
        autocompletion=completion.one_of(*_RECORDINGS),
    ),
]
_SchedulerName = Annotated[
    str | None,
    typer.Option(
        "--scheduler-name",
        metavar="NAME",
        help="Name of the one profile.",
        rich_help_panel=_OLD_FLAGS,
    ),
]
_AlgorithmProvider = Annotated[
    str | None,
    typer.Option(
        "--algorithm-provider",
        metavar="NAME",
        help="DefaultProvider or ClusterAutoscalerProvider.",
        rich_help_panel=_OLD_FLAGS,
    ),
]
_HardWeight = Annotated[
    int | None,
    typer.Option(
        "--hard-pod-affinity-symmetric-weight",
        metavar="0-100",
        help="How much required affinity of others draws a pod.",
        rich_help_panel=_OLD_FLAGS,
    ),
]


def run(
    files: _Files,
    config: _Config = None,
    plugin: _Plugins = None,
    seed: _Seed = 0,
    tie_break: _TieBreak = "heap",
    require_all: _RequireAll = False,
    explain: _Explain = None,
    output: _Output = "table",
    recording: _Recording = "decisions",
    scheduler_name: _SchedulerName = None,
    algorithm_provider: _AlgorithmProvider = None,
    hard_pod_affinity_symmetric_weight: _HardWeight = None,
) -> int:
    """Schedule the pending pods of manifests and print who goes where."""
    from kubestage.cli import config_file, plugin_files, running, staging
    from kubestage.scheduler.record import Recording
    from kubestage.scheduler.selection import TieBreak

    completion.check_choice(output, _FORMATS)
    completion.check_choice(tie_break, _TIE_BREAKS, "tie break")
    completion.check_choice(recording, _RECORDINGS, "recording")
    flags = config_file.Flags(
        scheduler_name, algorithm_provider, hard_pod_affinity_symmetric_weight
    )
    configuration = config_file.load(config, flags)
    plugins = plugin_files.load(plugin or (), configuration)
    completed = config_file.check(configuration, plugins, config)
    loaded = staging.load(files, config)
    settings = running.Settings(
        configuration, plugins, seed, TieBreak(tie_break), Recording(recording)
    )
    with plugin_files.blaming(plugins):
        outcome = running.run(loaded, settings, explain)
    sys.stdout.write(_told(outcome, output, completed))
    sys.stdout.flush()
    for note in _notes(outcome, config, flags, plugin_files.unused(plugins, configuration)):
        typer.echo(f"Note: {note}", err=True)
    return _code(outcome, require_all)


def _told(outcome: Outcome, output: str, completed: Completed) -> str:
    from kubestage.cli import explaining, printing, run_report

    if output in ("json", "yaml"):
        told = run_report.as_dict(outcome)
        return printing.as_json(told) if output == "json" else printing.as_yaml(told)
    if outcome.explained is None:
        return run_report.as_table(outcome, wide=output == "wide")
    placement = outcome.placement_of(outcome.explained)
    weights = {each.scheduler_name: each.weights["score"] for each in completed.profiles}
    lines = explaining.explain(
        placement,
        outcome.explanations or (),
        weights.get(placement.profile, {}),
        outcome.summary.nodes,
        shutil.get_terminal_size().columns,
    )
    return "".join(f"{line}\n" for line in lines)


def _notes(
    outcome: Outcome, config: str | None, flags: Flags, unused: Sequence[str]
) -> Iterator[str]:
    """What a person may not have meant."""
    if config is not None and flags.given:
        yield f"{', '.join(flags.given)} has no effect together with --config"
    if unused:
        yield f"no profile enables {', '.join(unused)}, so it takes no part"
    if outcome.childless:
        shown = ", ".join(outcome.childless[:_NAMED])
        more = len(outcome.childless) - _NAMED
        names = f"{shown} and {more} more" if more > 0 else shown
        yield f"no pods of {names} are given, and none are made: controllers do not run yet"


def _code(outcome: Outcome, require_all: bool) -> int:
    from kubestage.cli import placements

    counts = outcome.summary.counts
    left = counts[placements.PENDING] + counts[placements.GATED]
    if not require_all or not left:
        return 0
    failures.tell(f"{left} pod{'' if left == 1 else 's'} without a node")
    return failures.NOT_AS_WANTED
