"""What ``kubestage serve`` prints when it is ready: where it is, and what to type next."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import TYPE_CHECKING, Final

import typer

import kubestage
from kubestage.cli.version import KUBERNETES_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.cli.serve_door import Door
    from kubestage.stage import Stage

_PROVIDERS: Final = (("v1", "Node"), ("kubestage.dev/v1alpha1", "NodeGroup"))
_TYPED: Final = (
    ("kubectl get nodes", "what there is"),
    ("kubectl create deployment web --image=nginx --replicas=3", "something to run"),
    ("kubectl get pods -w", "watch it; Ctrl-C ends that"),
    ("kubestage clock", "the virtual time, and how it passes"),
)


def tell(stage: Stage, door: Door, data_dir: pathlib.Path | None, *, is_bare: bool) -> None:
    """Say where the server is and how to get there; the first lines are for programs, too.

    `is_bare` is a server that runs no pods, where nodes are not missed.
    """
    kept = "nothing is kept" if data_dir is None else f"kept in {data_dir}"
    kubeconfig = pathlib.Path(door.kubeconfig).absolute()
    lines = [
        f"kubestage {kubestage.__version__} serves Kubernetes {KUBERNETES_VERSION}; {kept}.",
        f"  {_styled(door.address, bold=True)}",
        f"  {_styled(f'export KUBECONFIG={kubeconfig}', fg='green')}",
    ]
    if door.new_token is not None:
        lines.append(f"  token, shown this once: {door.new_token}")
    if not is_bare and not _has_nodes(stage):
        lines += _nodeless()
    lines += ["Paste the export line into another terminal, and try:", *_next()]
    lines.append("Ctrl-C stops it.")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def _nodeless() -> Iterator[str]:
    yield _styled("There are no nodes yet, so pods stay pending. To get some:", fg="yellow")
    yield "  kubestage serve --nodes 5    or a file with nodes: kubestage examples has some"


def _next() -> Iterator[str]:
    width = max(len(command) for command, _ in _TYPED)
    for command, comment in _TYPED:
        yield f"  {command.ljust(width)}  {_styled(f'# {comment}', dim=True)}"


def _has_nodes(stage: Stage) -> bool:
    """Whether there are nodes, or something that makes them."""
    return any(stage.store.read(each) for each in _PROVIDERS)


def _styled(text: str, **style: object) -> str:
    """Text in colour where a person reads it."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return text
    return typer.style(text, **style)  # type: ignore[arg-type] # the words of click
