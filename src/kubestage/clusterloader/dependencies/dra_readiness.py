"""Whether dra-example-driver is ready: its pods run, and the devices of their nodes are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Answer, Call, Resource
from kubestage.clusterloader.dependencies import dra_objects
from kubestage.clusterloader.dependencies.dra_driver import POD, SLICE
from kubestage.clusterloader.dependencies.polling import Polling
from kubestage.golang import durations

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Cluster
    from kubestage.clusterloader.dependencies.dra_params import DraParams


_DAEMON_SET: Final = Resource("apps/v1", "DaemonSet")
_EVERY_NS: Final = 30 * durations.SECOND


class Readiness:
    """Waits for the DaemonSet, then for ResourceSlices; `done` gets the problem, if any."""

    def __init__(self, cluster: Cluster, params: DraParams, done: Callable[[str], None]) -> None:
        self._cluster = cluster
        self._params = params
        self._done = done
        self._pods = 0
        self._polling: Polling | None = None

    def wait_for_pods(self) -> None:
        """Begin with the pods."""
        self._poll(self._check_daemon_set, self._pods_are_ready)

    def wait_for_slices(self) -> None:
        """Begin with the devices."""
        self._poll(self._check_pods, self._done)

    def abandon(self) -> None:
        """Wait no more, and call nothing."""
        if self._polling is not None:
            self._polling.abandon()

    def _poll(self, poll: Callable[[], None], done: Callable[[str], None]) -> None:
        moments, timeout_ns = self._cluster.moments, self._params.timeout
        self._polling = Polling(moments, poll, done, every_ns=_EVERY_NS, timeout_ns=timeout_ns)
        self._polling.start()

    def _report(self, missing: str, problem: str = "") -> None:
        assert self._polling is not None, "polling has started"
        self._polling.report(missing, problem)

    def _check_daemon_set(self) -> None:
        namespace, name = self._params.namespace, self._params.daemonset_name
        call = Call(verb="get", resource=_DAEMON_SET, namespace=namespace, name=name)
        self._cluster.call(call, self._daemon_set_seen)

    def _daemon_set_seen(self, answer: Answer) -> None:
        name = self._params.daemonset_name
        if answer.object is None:
            self._report("", f"failed to get {name}: {_reason(answer)}")
            return
        status = answer.object.get("status") or {}
        ready, desired = status.get("numberReady", 0), status.get("desiredNumberScheduled", 0)
        if not status.get("observedGeneration"):
            # Upstream takes a DaemonSet without a status for a ready one that needs no pods.
            self._report(f"DaemonSet {name} has not been seen by its controller")
        else:
            missing = f"{ready} of {desired} pods of DaemonSet {name} are ready"
            self._report("" if ready == desired else missing)

    def _pods_are_ready(self, problem: str) -> None:
        if problem:
            self._done(problem)
        else:
            self.wait_for_slices()

    def _check_pods(self) -> None:
        call = Call(verb="list", resource=POD, namespace=self._params.namespace)
        self._cluster.call(call, self._pods_seen)

    def _pods_seen(self, answer: Answer) -> None:
        if answer.object is None:
            where = f"namespace {self._params.namespace}"
            self._report("", f"failed to list pods in {where}: {_reason(answer)}")
            return
        self._pods = sum(_is_running_plugin(pod) for pod in answer.object.get("items") or ())
        self._cluster.call(Call(verb="list", resource=SLICE), self._slices_seen)

    def _slices_seen(self, answer: Answer) -> None:
        if answer.object is None:
            self._report("", f"failed to list resourceslices: {_reason(answer)}")
            return
        driver = dra_objects.DRIVER
        found = sum(
            (each.get("spec") or {}).get("driver") == driver
            for each in answer.object.get("items") or ()
        )
        # A driver that others installed may have its pods elsewhere, but it has devices.
        is_enough = found >= self._pods and (found > 0 or self._cluster.is_stage)
        missing = f"there are {found} ResourceSlices of {driver} for {self._pods} of its pods"
        self._report("" if is_enough else missing)


def _is_running_plugin(pod: Json) -> bool:
    phase = (pod.get("status") or {}).get("phase")
    return phase == "Running" and pod["metadata"]["name"].startswith(dra_objects.DAEMON_SET)


def _reason(answer: Answer) -> str:
    return "no answer" if answer.error is None else answer.error.message
