"""What is noted down when a command starts, before anything has come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.disruption.command import Command
    from kubestage.controllers.karpenter.disruption.context import Context

_LEAST_NOMINATION_NS: Final = 10 * SECOND_NS


def start(context: Context, command: Command) -> None:
    """Mark the nodes, so that no other command is about them, and nominate those that get pods."""
    going = [each.node.provider_id for each in command.candidates]
    context.disrupting.update(going)
    context.cluster.mark_for_deletion(going)
    if command.results is None:
        return
    command.results.record(context.publish)
    until_ns = context.now_ns + nomination_ns(context)
    for placed in command.results.existing_nodes:
        if placed.pods:
            context.cluster.nominate(placed.node.provider_id, until_ns)


def finish(context: Context, command: Command, *, succeeded: bool) -> None:
    """A command has been carried out; or it has failed, and its nodes stay."""
    going = [each.node.provider_id for each in command.candidates]
    context.disrupting.difference_update(going)
    if not succeeded:
        context.cluster.mark_for_deletion(going, marked=False)


def nomination_ns(context: Context) -> int:
    """How long a node that was promised to pods is left alone."""
    return max(2 * context.settings.batch_max_duration_ns, _LEAST_NOMINATION_NS)
