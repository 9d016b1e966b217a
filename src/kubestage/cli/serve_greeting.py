"""What ``kubestage serve`` prints when it is ready: where it is, and what to type next."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import TYPE_CHECKING, Final

import typer

import kubestage
from kubestage.cli import screen
from kubestage.cli.progress import TerminalObserver
from kubestage.cli.version import KUBERNETES_VERSION
from kubestage.server.launch.serving import ServeObserver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.server.launch.serving import ReadyServer
    from kubestage.stage import Stage

_PROVIDERS: Final = (
    ("v1", "Node"),
    ("kubestage.dev/v1alpha1", "NodeGroup"),
    ("karpenter.sh/v1", "NodePool"),
)
_TYPED: Final = (
    ("kubectl get nodes", "what there is"),
    ("kubectl create deployment web --image=nginx --replicas=3", "something to run"),
    ("kubectl get pods -w", "watch it; Ctrl-C ends that"),
    ("kubestage clock", "the virtual time, and how it passes"),
)


class GreetingObserver(TerminalObserver, ServeObserver):
    """Prints where the server is when it is ready."""

    def ready(self, server: ReadyServer) -> None:
        """Print how to reach the server; programs read the first lines, too."""
        screen.write_styled("\n".join(_lines(server)) + "\n")
        sys.stdout.flush()


def _lines(server: ReadyServer) -> Iterator[str]:
    endpoint = server.endpoint
    kept = "nothing is kept" if server.data_dir is None else f"kept in {server.data_dir}"
    kubeconfig = screen.safe(str(pathlib.Path(endpoint.kubeconfig).absolute()))
    yield screen.safe(
        f"kubestage {kubestage.__version__} serves Kubernetes {KUBERNETES_VERSION}; {kept}."
    )
    yield f"  {_styled(endpoint.address, bold=True)}"
    yield f"  {_styled(f'export KUBECONFIG={kubeconfig}', fg='green')}"
    if endpoint.new_token is not None:
        yield f"  token, shown this once: {endpoint.new_token}"
    if server.runs_pods and not _has_nodes(server.stage):
        yield from _nodeless()
    yield "Paste the export line into another terminal, and try:"
    yield from _next()
    yield "Ctrl-C stops it."


def _nodeless() -> Iterator[str]:
    yield _styled("There are no nodes yet, so pods stay pending. To get some:", fg="yellow")
    yield "  kubestage serve --nodes 5    or a file with nodes: kubestage examples has some"


def _next() -> Iterator[str]:
    width = max(len(command) for command, _ in _TYPED)
    for command, comment in _TYPED:
        yield f"  {command.ljust(width)}  {_styled(f'# {comment}', dim=True)}"


def _has_nodes(stage: Stage) -> bool:
    """Whether there are nodes, or something that creates them."""
    return any(stage.store.read(each) for each in _PROVIDERS)


def _styled(text: str, **style: object) -> str:
    """Text in colour where a person reads it."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return text
    return typer.style(text, **style)  # type: ignore[arg-type] # the words of click
