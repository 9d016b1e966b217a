"""``kubestage serve``: a Kubernetes API for kubectl and all other clients."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
import typer

from kubestage import lazy
from kubestage.cli import failures, option_objects
from kubestage.server.launch.options import ServeOptions

with lazy.imports():
    from kubestage.cli import serve_greeting
    from kubestage.server.launch import serving

EPILOG: Final = """
[bold]Examples[/bold]

kubestage serve --nodes 5                    [dim]# then, in another terminal:[/dim]

export KUBECONFIG=$PWD/.kubestage/kubeconfig; kubectl get nodes

kubestage clock advance 10m                  [dim]# let ten minutes pass[/dim]

kubestage serve cluster/ --in-memory         [dim]# objects of files, nothing kept[/dim]

kubestage serve cluster/ --speed 60          [dim]# an hour passes in a minute[/dim]

kubestage serve --in-memory --port 0 --ready-file ready.json --exit-with-parent
                                             [dim]# for tests in Go, Java or shell[/dim]

kubestage serve --record session.yaml        [dim]# requests, as a Scenario[/dim]

kubestage serve --scheduler outside          [dim]# a kube-scheduler of your own schedules[/dim]

kubestage serve --host 0.0.0.0               [dim]# with TLS and a token, created if needed[/dim]

Pods, nodes and requests are simulated; everything else is the Kubernetes API as kubectl, client
libraries and controllers know it. Time is virtual: by default it begins now, jumps from event to
event while there is work, passes as on the wall while a client watches, and else stands still.

On this machine alone no password is needed, and pages of other sites are kept out. A server that
other machines can reach (--host) has TLS and a token.

Ctrl-C ends it well: what was acknowledged is kept, and the next start goes on from there.
"""

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE|DIR|-]...",
        help="Objects that are there from the start: files, directories, or stdin.",
        show_default=False,
    ),
]


@option_objects.command
def serve(*, files: Files = None, options: ServeOptions) -> int:
    """Serve a cluster to kubectl, client libraries and schedulers of your own."""
    options = msgspec.structs.replace(options, files=tuple(files or ()))
    failure = serving.serve(options, observer=serve_greeting.GreetingObserver())
    if failure:
        failures.print_error(failure)
        return failures.NEGATIVE_RESULT
    return 0
