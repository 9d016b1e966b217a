"""Hooks of containers whose programs are modelled: after the start, and before the stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kubelet import handlers
from kubestage.controllers.kubelet.events import WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.network import Network
    from kubestage.controllers.kubelet.pod import Pod


class Hooks:
    """Carries out hooks; one that is not modelled takes no time and succeeds."""

    def __init__(self, events: Events, network: Network) -> None:
        self._events = events
        self._network = network

    def after_start(self, pod: Pod, container: Container) -> bool:
        """The postStart hook; whether the container may go on."""
        return self._carry_out(pod, container, "postStart", "FailedPostStartHook")

    def before_stop(self, pod: Pod, container: Container) -> None:
        """The preStop hook."""
        self._carry_out(pod, container, "preStop", "FailedPreStopHook")

    def _carry_out(self, pod: Pod, container: Container, name: str, reason: str) -> bool:
        hook: Json | None = (container.plan.stated.get("lifecycle") or {}).get(name)
        if not hook or "sleep" in hook or not handlers.is_known(container, hook):
            return True
        problem = handlers.problem(pod, container, hook, self._network)
        if problem is None:
            return True
        self._events.pod(pod, WARNING, reason, f"{name[0].upper()}{name[1:]}Hook failed", container)
        return False
