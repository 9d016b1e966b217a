"""A command that is to run in a container, and whether that is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import ApiError, BadRequest
from kubestage.objects import gvk
from kubestage.server import options, pod_logs
from kubestage.server.containers import channels, commands

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.containers.commands import CommandResult
    from kubestage.server.context import RequestContext


_LISTS: Final = ("initContainers", "containers", "ephemeralContainers")


def container_of(context: RequestContext) -> tuple[Json, Json]:
    """The pod and container of a request; refused, as upstream does, if it does not run."""
    target = context.target
    pod = context.live.store.get(gvk.POD, target.name, target.namespace)
    name = pod_logs.container_name(pod, context.request.parameter("container"))
    if not pod["spec"].get("nodeName"):
        raise BadRequest(f"pod {target.name} does not have a host assigned")
    state = (pod_logs.container_status(pod, name) or {}).get("state") or {}
    if "running" not in state:
        raise ApiError(f'unable to upgrade connection: container not found ("{name}")')
    listed = (each for part in _LISTS for each in pod["spec"].get(part) or ())
    return pod, next(each for each in listed if each["name"] == name)


def answer(context: RequestContext) -> tuple[CommandResult, frozenset[int]]:
    """What a command prints, and the streams that receive it."""
    words = context.request.query.get("command") or []
    if not any(words[:1]):
        raise BadRequest("you must specify at least one command for the container")
    pod, container = container_of(context)
    outcome = commands.run(context.live, pod, container, words)
    if not options.boolean(context.request, "tty"):
        return outcome, _streams(context)
    # A terminal is one stream, and goes back to the left only at a carriage return.
    shown = (outcome.out + outcome.err).replace(b"\n", b"\r\n")
    return commands.CommandResult(shown, b"", outcome.code), _streams(context) - {channels.STDERR}


def _streams(context: RequestContext) -> frozenset[int]:
    streams = {"stdout": channels.STDOUT, "stderr": channels.STDERR}
    found = (number for name, number in streams.items() if options.boolean(context.request, name))
    return frozenset(found)
