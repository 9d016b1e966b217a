"""The commands and how they hang together.

A command is loaded when it is called: the others cost nothing.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from kubestage import lazy
from kubestage.cli import help_page, interruption, version

with lazy.imports():
    from kubestage.cli import (
        analyze,
        api_resources,
        backtest,
        check,
        clock,
        compare,
        completion,
        config_view,
        cost,
        examples,
        explain,
        export,
        get,
        import_cluster,
        load,
        opening,
        optimise,
        record,
        rehearse,
        replay,
        serve,
        settings,
        shadow,
        simulate,
        sweep,
        trace,
        validate,
        verify,
        worst,
    )
    from kubestage.cli import run as run_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_EPILOG = """
[bold]Start here[/bold]

kubestage get all -A -f examples/01-first-cluster

kubestage run examples/07-preemption    [dim]# manifests: who goes where[/dim]

kubestage run examples/14-scenario --config examples/14-scenario/scheduler.yaml --out runs/1

kubestage explain runs/1 checkout-0     [dim]# why is it there?[/dim]

kubestage open runs/1                   [dim]# see it, go back in time, ask why[/dim]

kubestage validate my-manifests/

kubestage load examples/25-load/load.yaml --nodes 3    [dim]# how fast do pods start?[/dim]

kubestage rehearse outage zone/b -f my-manifests/      [dim]# and if a zone fails?[/dim]

kubestage check --base origin/main      [dim]# does this branch make it worse?[/dim]

kubestage sweep run my-manifests/ --vary nodes=5,10,20 --seeds 10

kubestage serve --nodes 5               [dim]# a cluster for kubectl[/dim]

kubestage examples                      [dim]# what to begin with[/dim]
"""


_command = help_page.command

_COMMANDS: dict[str, Callable[[], Any]] = {
    "get": lambda: _command("get", get.get, get.EPILOG),
    "validate": lambda: _command("validate", validate.validate, validate.EPILOG),
    "check": lambda: _command("check", check.check, check.EPILOG),
    "run": lambda: _command("run", run_command.run, run_command.EPILOG),
    "explain": lambda: _command("explain", explain.explain, explain.EPILOG),
    "compare": lambda: _command("compare", compare.compare, compare.EPILOG),
    "open": lambda: _command("open", opening.open_runs, opening.EPILOG),
    "analyze": lambda: _command("analyze", analyze.analyze, analyze.epilog),
    "import": lambda: _command("import", import_cluster.import_cluster, import_cluster.EPILOG),
    "record": lambda: _command("record", record.record, record.EPILOG),
    "replay": lambda: _command("replay", replay.replay, replay.EPILOG),
    "shadow": lambda: _command("shadow", shadow.shadow, shadow.EPILOG),
    "export": lambda: _command("export", export.export, export.EPILOG),
    "cost": lambda: _command("cost", cost.cost, cost.EPILOG),
    "backtest": lambda: _command("backtest", backtest.backtest, backtest.EPILOG),
    "verify": lambda: _command("verify", verify.verify, verify.EPILOG),
    "worst": lambda: _command("worst", worst.worst, worst.EPILOG),
    "simulate": lambda: _command("simulate", simulate.simulate, simulate.EPILOG),
    "serve": lambda: _command("serve", serve.serve, serve.EPILOG),
    "api-resources": lambda: _command(
        "api-resources", api_resources.api_resources, api_resources.EPILOG
    ),
    "settings": lambda: _command("settings", settings.settings, settings.EPILOG),
    "completion": lambda: _command("completion", completion.completion, completion.EPILOG),
    "version": lambda: _command("version", version.version),
    "optimise": lambda: _command("optimise", optimise.optimise, optimise.EPILOG, optimise.CONTEXT),
    "load": lambda: help_page.group(load.application),
    "rehearse": lambda: help_page.group(rehearse.application),
    "sweep": lambda: help_page.group(sweep.application),
    "config": lambda: help_page.group(config_view.application),
    "trace": lambda: help_page.group(trace.application),
    "clock": lambda: help_page.group(clock.application),
    "examples": lambda: help_page.group(examples.application),
}


class _Loaded(MutableMapping[str, Any]):
    """Commands by name, each built when it is first needed."""

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            self._built[name] = _COMMANDS[name]()
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class _Commands(help_page.Group):
    """All commands; an interrupt of any of them is passed on to the caller."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = _Loaded()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names of all commands, in order."""
        return list(_COMMANDS)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the words name."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise interruption.Interrupted from error


application = help_page.Application(
    name="kubestage",
    cls=_Commands,
    help="A stand-in for a Kubernetes cluster: rehearse a change before you make the real one.",
    epilog=_EPILOG,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
application.callback(cls=_Commands, epilog=_EPILOG)(version.options)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; errors are raised."""
    words = arguments or ["--help"]
    code = application(args=words, prog_name="kubestage", standalone_mode=False)
    return code if isinstance(code, int) else 0
