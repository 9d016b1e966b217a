"""A pod is changed while it runs: by its annotations, or where the API lets its spec change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kubelet import allocation, ephemeral
from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet.containers import RUNNING
from kubestage.controllers.kubelet.events import WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.exits import Exits
    from kubestage.controllers.kubelet.plan import ContainerPlan, Plans, PodPlan
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.resizing import Resizing
    from kubestage.controllers.kubelet.starting import Starting


class Replanning:
    """Has pods go on by another plan."""

    def __init__(
        self, plans: Plans, events: Events, starting: Starting, exits: Exits, resizing: Resizing
    ) -> None:
        self._plans = plans
        self._events = events
        self._starting = starting
        self._exits = exits
        self._resizing = resizing

    def apply(self, pod: Pod, obj: Json) -> None:
        """Apply the present spec of a pod; what is in progress and not concerned goes on."""
        if pod.holds:
            self._starting.retry_held(pod)
        desired = self._plans.plan_for(obj)
        if desired.allocation.amounts == pod.plan.allocation.amounts:
            self._follow(pod, desired)
            self._resizing.withdraw(pod)
        else:
            self._follow(pod, self._plans.plan_for(allocation.substituted(obj, pod.plan)))
            self._resizing.ask(pod, desired)
        self._resizing.resync(pod)
        if ephemeral.meet(pod, obj, self._plans):
            ephemeral.start(pod, self._starting)

    def _follow(self, pod: Pod, plan: PodPlan) -> None:
        """Go on by a plan that gives a pod the same resources as before."""
        before = pod.plan
        if plan is before:
            return
        pod.plan = plan
        for problem in plan.problems:
            if problem not in before.problems:
                self._events.pod(pod, WARNING, "InvalidAnnotation", problem)
        if plan.deadline_ns != before.deadline_ns:
            _move_deadline(pod, plan)
        fresh = {each.name: each for each in (*plan.inits, *plan.containers)}
        for container in list(pod.all_containers()):
            new = fresh.get(container.plan.name)
            if new is not None:
                self._change(pod, container, new)
        self._starting.advance(pod)

    def _change(self, pod: Pod, container: Container, new: ContainerPlan) -> None:
        old, container.plan = container.plan, new
        is_other = new.image != old.image
        if container.state != RUNNING:
            if container.is_busy and (is_other or new.pull_error != old.pull_error):
                pod.drop_steps(container)
                container.pull, container.is_busy = None, False
                container.pull_backoff_ns = 0
        elif is_other:
            self._exits.replace(pod, container)
        else:
            pod.drop_steps(container)
            self._starting.plan_run(pod, container)
            self._starting.watch(pod, container)


def _move_deadline(pod: Pod, plan: PodPlan) -> None:
    pod.drop_kind(steps.DEADLINE)
    if plan.deadline_ns is not None:
        pod.plan_step(pod.start_ns + plan.deadline_ns, steps.DEADLINE)
