"""``kubestage config view``: the scheduler's effective configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kubestage.cli import option_objects, screen
from kubestage.runs import shared_flags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.scheduler.config import Completed

EPILOG: Final = """
[bold]Examples[/bold]

kubestage config view                           [dim]# the defaults of kube-scheduler[/dim]

kubestage config view --config scheduler.yaml   [dim]# any version, converted to v1[/dim]

kubestage config view --config scheduler.yaml -o table   [dim]# which plugin runs when[/dim]

kubestage config view --config old.yaml > new.yaml       [dim]# for kube-scheduler v1.36[/dim]

The YAML is what kube-scheduler writes with --write-config-to; the order of plugins follows it as
comments. In JSON there are both: configuration, and profiles with their plugins in order.
"""
_TURNS: Final = (
    "queueSort", "preEnqueue", "preFilter", "filter", "postFilter", "preScore", "score", "reserve",
    "permit", "preBind", "bind", "postBind",
)  # fmt: skip
_WEIGHTED: Final = ("score", "placementScore")

application = typer.Typer(
    name="config",
    help="The scheduler's configuration.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@application.callback()
def _config() -> None:
    """The scheduler's configuration."""


@application.command("view", epilog=EPILOG)
@option_objects.command
def view(
    config: shared_flags.Config = None,
    plugin: shared_flags.Plugins = (),
    output: Annotated[str, option_objects.output_flag("yaml", "json", "table")] = "yaml",
    scheduler_name: shared_flags.SchedulerName = None,
    algorithm_provider: shared_flags.AlgorithmProvider = None,
    hard_pod_affinity_symmetric_weight: shared_flags.HardPodAffinityWeight = None,
) -> None:
    """Print the effective configuration: all defaults, and each profile's plugins in order."""
    from kubestage.runs.inputs import config_file, plugin_files

    flags = config_file.Flags(
        scheduler_name, algorithm_provider, hard_pod_affinity_symmetric_weight
    )
    configuration = config_file.load(config, flags)
    plugins = plugin_files.load(plugin, configuration)
    screen.write(_text(config_file.check(configuration, plugins, config), output))


def _text(completed: Completed, output: str) -> str:
    from kubestage.cli import printing

    data = completed.to_dict()
    if output == "json":
        return printing.as_json(data)
    if output == "table":
        return _joined(_table(data["profiles"]))
    order = _joined(f"# {line}".rstrip() for line in _table(data["profiles"]))
    return f"{printing.as_yaml(data['configuration'])}{order}"


def _table(profiles: list[dict[str, Any]]) -> Iterator[str]:
    """Every extension point of every profile: plugins in the order in which they run."""
    from kubestage.objects.tables import text

    rows = [("PROFILE", "EXTENSION-POINT", "ORDER", "PLUGIN", "WEIGHT")]
    for profile in profiles:
        for point, plugins in sorted(profile["plugins"].items(), key=_turn):
            for number, plugin in enumerate(plugins, 1):
                weight = str(plugin["weight"]) if point in _WEIGHTED else "-"
                rows.append((profile["schedulerName"], point, str(number), plugin["name"], weight))
    yield from text.align(rows)


def _turn(point: tuple[str, Any]) -> int:
    return _TURNS.index(point[0]) if point[0] in _TURNS else len(_TURNS)


def _joined(lines: Any) -> str:
    return "".join(f"{line.rstrip()}\n" for line in lines)
