"""``kubestage explain``: why a pod of a run is where it is, and not elsewhere."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from kubestage.cli import failures, option_objects, progress, screen
from kubestage.errors import InputError
from kubestage.runs import recorded_files
from kubestage.runs.explain_options import ExplainOptions
from kubestage.runs.flags import Flag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.runs.explain import Explanation, PodAttempts
    from kubestage.runs.explain.node_explanation import NodeExplanation

_DEFAULT: Final = ExplainOptions()
FORMATS: Final = ("table", "json")
EPILOG: Final = """
[bold]Examples[/bold]

kubestage run scenario.yaml --out runs/first

kubestage explain runs/first shop/web-1               [dim]# every attempt at it[/dim]

kubestage explain runs/first web-1 --attempt 2        [dim]# one of them[/dim]

kubestage explain runs/first web-1 --node worker-3    [dim]# why not there?[/dim]

kubestage explain runs/first web-1 -o json            [dim]# all verdicts and scores[/dim]

kubestage explain cluster/ web-1                      [dim]# manifests, which are run for that[/dim]

kubestage explain runs/life node/general-6b8s9 --at 2h  [dim]# why bought, why kept[/dim]

kubestage explain --server http://127.0.0.1:18080 web-1

kubestage explain --server http://127.0.0.1:18080 node/general-6b8s9

For a pod that waits, there is what would make it fit: changes that were tried on a copy of the
cluster, those that touch the least first.

What was not recorded is computed anew: the run is repeated and compared with what is known of it.

Exit code: 0; 1 if the repetition is another run, as with a plugin that was changed since; 2 if
the run or the pod cannot be found.
"""


@option_objects.command
def explain(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="What `kubestage run --out` or `pytest --kubestage-keep` has written, a Scenario "
            "with its status in a file, or manifests; with --server there is none.",
            show_default=False,
        ),
    ],
    pod: Annotated[
        str | None,
        typer.Argument(
            metavar="POD",
            help="NAMESPACE/NAME, or the name if it is the only one; or node/NAME, nodeclaim/NAME.",
            show_default=False,
        ),
    ] = None,
    options: ExplainOptions = _DEFAULT,
    server: Annotated[
        str | None,
        Flag("Explain a pod or node of the cluster that is served at this address.", metavar="URL"),
    ] = None,
    kubeconfig: Annotated[
        str | None, Flag("The kubeconfig that leads to the server.", metavar="FILE")
    ] = None,
    output: Annotated[
        str,
        Flag("table or json.", "-o", metavar="FORMAT", choices=FORMATS, noun="output format"),
    ] = "table",
) -> int:
    """Explain why a pod went where it went, and what would make it fit; or why a node exists."""
    from kubestage.runs import explain as explaining

    options = msgspec.structs.replace(options, every_attempt=output == "json")
    explained: Explanation | PodAttempts | NodeExplanation
    if server is not None or kubeconfig is not None:
        if pod is not None:
            problem = "a served cluster has no runs to name"
            raise InputError(problem, path=run, fix=f"name the pod alone: {pod}")
        explained = explaining.explain_served(run, options, server=server, kubeconfig=kubeconfig)
    elif pod is None:
        raise typer.BadParameter("Missing argument 'POD'")
    else:
        with recorded_files.error_context(run):
            explained = explaining.explain(run, pod, options, progress.OBSERVER)
    with recorded_files.error_context(run):
        if output == "json":
            text = msgspec.json.format(msgspec.json.encode(explained.to_dict()), indent=2).decode()
            screen.write(f"{text}\n")
        else:
            for line in _lines(explained, options):
                screen.write(f"{line}\n")
    sys.stdout.flush()
    for note in explained.notes:
        screen.note(f"Note: {note}")
    if explained.differs is None:
        return 0
    failures.print_error(
        f"the run cannot be repeated as it was: {explained.differs}",
        "what is shown is what was recorded; run it again to explain the run as it is now",
    )
    return failures.NEGATIVE_RESULT


def _lines(
    explained: Explanation | PodAttempts | NodeExplanation, options: ExplainOptions
) -> Iterator[str]:
    from kubestage.cli import explain_attempts, explain_bought, explain_text
    from kubestage.runs.explain import PodAttempts
    from kubestage.runs.explain.node_explanation import NodeExplanation

    layout = explain_text.ExplainLayout(
        shutil.get_terminal_size().columns, options.top, options.node
    )
    if isinstance(explained, NodeExplanation):
        return explain_bought.lines(explained)
    if isinstance(explained, PodAttempts):
        return explain_attempts.lines(explained, layout, options.attempt)
    return explain_text.lines(explained, layout)
