"""The commands and how they hang together."""

from __future__ import annotations

from typing import Any

from kubestage.cli import (
    analyze,
    api_resources,
    backtest,
    clock,
    compare,
    completion,
    config_view,
    examples,
    explain,
    get,
    help_page,
    interruption,
    load,
    serve,
    simulate,
    trace,
    validate,
    verify,
    version,
)
from kubestage.cli import run as run_command

_EPILOG = """
[bold]Start here[/bold]

kubestage get all -A -f examples/01-first-cluster

kubestage run examples/07-preemption    [dim]# manifests: who goes where[/dim]

kubestage run examples/14-scenario --config examples/14-scenario/scheduler.yaml --out runs/1

kubestage explain runs/1 checkout-0     [dim]# why is it there?[/dim]

kubestage validate my-manifests/

kubestage load examples/25-load/load.yaml --nodes 3    [dim]# how fast do pods start?[/dim]

kubestage serve --nodes 5               [dim]# a cluster for kubectl[/dim]

kubestage examples                      [dim]# what to begin with[/dim]
"""


class _Commands(help_page.Group):
    """All commands; an interrupt of any of them is left to whoever has called."""

    def invoke(self, ctx: Any) -> Any:
        """Run what the words name."""
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
application.command(epilog=get.EPILOG)(get.get)
application.command(epilog=validate.EPILOG)(validate.validate)
application.command(epilog=run_command.EPILOG)(run_command.run)
application.command(epilog=explain.EPILOG)(explain.explain)
application.command(epilog=compare.EPILOG)(compare.compare)
application.command(epilog=analyze.EPILOG)(analyze.analyze)
application.command(epilog=backtest.EPILOG)(backtest.backtest)
application.add_typer(load.application)
application.add_typer(config_view.application)
application.command(epilog=verify.EPILOG)(verify.verify)
application.command(epilog=simulate.EPILOG)(simulate.simulate)
application.add_typer(trace.application)
application.command(epilog=serve.EPILOG)(serve.serve)
application.add_typer(clock.application)
application.add_typer(examples.application)
application.command("api-resources", epilog=api_resources.EPILOG)(api_resources.api_resources)
application.command(epilog=completion.EPILOG)(completion.completion)
application.command()(version.version)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; errors are raised."""
    words = arguments or ["--help"]
    code = application(args=words, prog_name="kubestage", standalone_mode=False)
    return code if isinstance(code, int) else 0
