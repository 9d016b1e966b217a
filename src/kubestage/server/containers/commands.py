"""Commands in simulated containers: modelled ones are run, others are refused by name."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.kubelet.dns import ClusterNames
from kubestage.errors import Unmodelled
from kubestage.objects import gvk
from kubestage.programs import environment, kernel, root, running
from kubestage.programs.calls import Buffer
from kubestage.programs.context import ContainerContext
from kubestage.programs.volumes import Disks, Volumes
from kubestage.server.containers import kubelets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.server.live import Live


NOT_FOUND: Final = 127
KNOWN: Final = tuple(sorted(running.COMMANDS))
"""What is answered."""


class CommandResult(NamedTuple):
    """What a command wrote, and its exit code."""

    out: bytes = b""
    err: bytes = b""
    code: int = 0


def run(live: Live, pod: Json, container: Json, words: Sequence[str]) -> CommandResult:
    """What a command prints in a container."""
    kubelet = kubelets.find(live)
    try:
        found = None
        if kubelet is not None:
            uid = pod["metadata"]["uid"]
            found = kubelet.inside.execute(uid, container["name"], list(words))
        if found is None:
            found = _run_apart(live, pod, container, list(words))
    except Unmodelled as error:
        return CommandResult(err=_refusal(error).encode(), code=NOT_FOUND)
    return CommandResult(*found)


def _run_apart(
    live: Live, pod: Json, container: Json, words: list[str]
) -> tuple[bytes, bytes, int]:
    """Run a command in a container that no kubelet here runs; what it writes is not kept."""
    clock = live.stage.clock
    variables = environment.environment_variables(live.store, pod, container)
    volumes = Volumes(live.store, Disks())
    cpus = kernel.cpus_of(live.store.read(gvk.NODE).get(pod["spec"].get("nodeName") or ""))
    files = root.files_of(pod, container, volumes, variables, clock.now_ns, cpus)
    stream = random.Random(pod["metadata"]["uid"])
    lookup = ClusterNames(live.store).lookup
    context = ContainerContext(pod, container, files, variables, stream, _no_answer, lookup)
    context.at(clock.now_ns, clock.epoch_ns)
    out, err = Buffer(), Buffer()
    code = running.finish(words, context, None, out, err)
    return out.data, err.data, code


def _no_answer(host: str, port: int, request: object) -> None:
    del host, port, request


def _refusal(error: Unmodelled) -> str:
    known = ", ".join(KNOWN)
    return f"simulated container: {error} is not modelled; known are {known}\n"
