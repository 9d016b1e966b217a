"""Holding pods back: those that refer to objects that are missing wait until they are there.

A real kubelet tries again at certain times. Here the change of an object wakes the pods that lack
it, and they are tried at the first such time after it; nothing is done in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet import sub_paths
from kubestage.controllers.kubelet.events import WARNING
from kubestage.controllers.kubelet.references import CLAIM, Missing, References
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.references import Target
    from kubestage.controllers.kubelet.reports import Reports
    from kubestage.sim.clock import Clock
    from kubestage.store.store import Store

CONFIG_ERROR: Final = "CreateContainerConfigError"
FAILED_MOUNT: Final = "FailedMount"
_RESYNC_NS: Final = 10 * SECOND_NS
_FIRST_MOUNT_NS: Final = 500 * MILLISECOND_NS
_LAST_MOUNT_NS: Final = 122 * SECOND_NS


class Hold:
    """Why a pod waits, and when it would be tried again; `container` is None for its volumes."""

    __slots__ = ("container", "delay_ns", "is_due", "last_ns", "most_ns", "targets")

    def __init__(self, container: Container | None, first_ns: int, most_ns: int) -> None:
        self.container = container
        self.targets: tuple[Target, ...] = ()
        self.delay_ns = first_ns
        self.most_ns = most_ns
        self.last_ns = 0
        self.is_due = False

    def next_ns(self, now_ns: int) -> int:
        """The first of the times of its attempts that is not before now."""
        while self.last_ns + self.delay_ns < now_ns:
            self._pass()
        self._pass()
        return self.last_ns

    def _pass(self) -> None:
        self.last_ns += self.delay_ns
        self.delay_ns = min(self.delay_ns * 2, self.most_ns)


class Holding:
    """Decides which pods wait, and wakes them."""

    def __init__(
        self,
        clock: Clock,
        store: Store,
        events: Events,
        reports: Reports,
        wake: Callable[[Pod], None],
    ) -> None:
        self._clock = clock
        self._store = store
        self._references = References(store)
        self._events = events
        self._reports = reports
        self._wake = wake
        self._waiting: dict[Target, dict[str, Pod]] = {}

    def is_free(self, pod: Pod) -> bool:
        """Whether nothing that a pod refers to is missing now."""
        obj = self._reports.stored(pod)
        if obj is None:
            return True
        lacks = self._references.missing_in_environment
        return next(self._references.missing_volumes(obj), None) is None and not any(
            each.plan.sub_paths
            or (each.plan.references and lacks(pod.namespace, each.plan.references))
            for each in pod.containers
        )

    def holds_volumes(self, pod: Pod) -> bool:
        """Whether a pod has to wait for its volumes; if so, it is reported."""
        obj = self._reports.stored(pod)
        missing = [] if obj is None else list(self._references.missing_volumes(obj))
        if not missing:
            self._drop(pod, None)
            return False
        unknown = []
        for name, (targets, message) in missing:
            if targets[0][0] == CLAIM:
                unknown.append((name, message))
                continue
            text = f'MountVolume.SetUp failed for volume "{name}" : {message}'
            self._events.pod(pod, WARNING, FAILED_MOUNT, text)
        if unknown:
            names = " ".join(sorted(name for name, _ in missing))
            failed = " ".join(sorted(name for name, _ in unknown))
            text = (
                f"Unable to attach or mount volumes: unmounted volumes=[{names}], "
                f"unattached volumes=[], failed to process volumes=[{failed}]: {unknown[0][1]}"
            )
            self._events.pod(pod, WARNING, FAILED_MOUNT, text)
        first_ns = _RESYNC_NS if unknown else _FIRST_MOUNT_NS
        hold = self._hold(pod, None, first_ns, _RESYNC_NS if unknown else _LAST_MOUNT_NS)
        self._await(pod, hold, tuple(each for _, one in missing for each in one.targets))
        return True

    def holds_container(self, pod: Pod, container: Container) -> bool:
        """Whether a container has to wait for what its configuration is made of."""
        plan = container.plan
        missing = self._references.missing_in_environment(pod.namespace, plan.references)
        if missing is None and plan.sub_paths:
            missing = self._bad_sub_path(pod, container)
        if missing is None:
            self._drop(pod, container)
            return False
        self._events.pod(pod, WARNING, "Failed", f"Error: {missing.message}", container)
        container.wait(CONFIG_ERROR, missing.message)
        container.is_busy = True
        self._await(pod, self._hold(pod, container, _RESYNC_NS, _RESYNC_NS), missing.targets)
        return True

    def _bad_sub_path(self, pod: Pod, container: Container) -> Missing | None:
        """What is wrong with a path that is given by an expression, if anything."""
        obj = self._reports.stored(pod)
        if obj is None:
            return None
        stated = sub_paths.stated(obj, container.plan.name)
        message = sub_paths.problem(self._store, obj, stated)
        if not message:
            return None
        targets = [
            (kind, f"{pod.namespace}/{name}") for kind, name, _, _ in container.plan.references
        ]
        return Missing(tuple(targets), message)

    def changed(self, target: Target) -> None:
        """An object has changed: those who wait for it are tried again."""
        for pod in list(self._waiting.get(target, {}).values()):
            for hold in pod.holds:
                if target in hold.targets and not hold.is_due:
                    hold.is_due = True
                    at_ns = hold.next_ns(self._clock.now_ns)
                    kind = steps.LAUNCHED if hold.container is None else steps.RETRY
                    pod.plan_step(at_ns, kind, hold.container)
            self._wake(pod)

    def retry(self, pod: Pod) -> None:
        """A pod itself has changed: its containers are tried again at once."""
        for hold in [each for each in pod.holds if each.container is not None]:
            container = hold.container
            assert container is not None
            pod.drop_steps(container)
            container.is_busy = False
            self._drop(pod, container)

    def forget(self, pod: Pod) -> None:
        """A pod waits for nothing any more."""
        for hold in pod.holds:
            self._leave(pod, hold)
        pod.holds = ()

    def _hold(self, pod: Pod, container: Container | None, first_ns: int, most_ns: int) -> Hold:
        for hold in pod.holds:
            if hold.container is container:
                return hold
        hold = Hold(container, first_ns, most_ns)
        hold.last_ns = self._clock.now_ns
        pod.holds = (*pod.holds, hold)
        return hold

    def _await(self, pod: Pod, hold: Hold, targets: tuple[Target, ...]) -> None:
        self._leave(pod, hold)
        hold.targets, hold.is_due = targets, False
        for target in targets:
            self._waiting.setdefault(target, {})[pod.uid] = pod

    def _drop(self, pod: Pod, container: Container | None) -> None:
        for hold in pod.holds:
            if hold.container is container:
                self._leave(pod, hold)
                pod.holds = tuple(each for each in pod.holds if each is not hold)

    def _leave(self, pod: Pod, hold: Hold) -> None:
        others = {target for each in pod.holds if each is not hold for target in each.targets}
        for target in hold.targets:
            waiting = self._waiting.get(target)
            if waiting is not None and target not in others:
                waiting.pop(pod.uid, None)
                if not waiting:
                    del self._waiting[target]
