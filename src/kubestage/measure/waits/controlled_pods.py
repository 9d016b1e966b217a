"""WaitForControlledPodsRunning: until all controllers of a selection have all their pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cluster.access import Resource, Selection
from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure import informer
from kubestage.measure.informer import Informer, key_of
from kubestage.measure.measurement import Measurement, unknown_action
from kubestage.measure.params import Duration, Selecting
from kubestage.measure.results import NOTHING, MeasurementResult
from kubestage.measure.waits.controlled_gathering import Gathering
from kubestage.measure.waits.controlled_object import ControlledObject, DesiredPods
from kubestage.measure.waits.eligible_nodes import EligibleNodes
from kubestage.measure.waits.owned_pods import ControlledPods

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result


class ControlledPodsParams(Selecting, frozen=True, kw_only=True):
    """The parameters of WaitForControlledPodsRunning; `sync_timeout` is for ``gather``."""

    api_version: str = ""
    kind: str = ""
    operation_timeout: Duration = Duration(10 * durations.MINUTE)
    check_if_pods_are_updated: bool = True
    count_error_margin: int = 0
    sync_timeout: Duration = Duration(60 * durations.SECOND)

    def problems(self) -> Iterator[InputError]:
        """``start`` has to know the type."""
        if self.action != "start":
            return
        for name, value in (("apiVersion", self.api_version), ("kind", self.kind)):
            if not value:
                yield InputError(f"{name} is missing", path=f"params.{name}")


class WaitForControlledPodsRunning(Measurement[ControlledPodsParams]):
    """Waits for every controller from when its spec last changed, each with its own time limit.

    When it gathers it waits until the wait for each has ended, and fails if one did not succeed or
    if their number is not that of the existing controllers.
    """

    params_type = ControlledPodsParams
    actions = ("start", "gather", "stop")
    needs_start = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.params = ControlledPodsParams()
        self.objects: dict[str, ControlledObject] = {}
        self.problems: dict[str, str] = {}
        self.newest = 0
        self.informer: Informer | None = None
        self.reported_ns = -1
        self._pending = 0
        self._pods: ControlledPods | None = None
        self._nodes: EligibleNodes | None = None
        self._gatherings: list[Gathering] = []

    def perform(self, params: ControlledPodsParams) -> Result:
        """Start, gather or stop."""
        if params.action == "stop":
            self.dispose()
            return NOTHING
        if params.action not in ("start", "gather"):
            raise unknown_action(params.action, "start", "gather", "stop")
        return super().perform(params)

    def start(self, params: ControlledPodsParams) -> Result:
        """Start to watch; if it watches already, only the limits are updated."""
        params.check()
        if self.informer is not None:
            self.params = params
            return NOTHING
        self.params = params
        self._pods = self.context.share(ControlledPods)
        if params.kind == "DaemonSet":
            self._nodes = self.context.share(EligibleNodes)
        resource = Resource(params.api_version, params.kind)
        selection = Selection(
            resource, params.namespace, params.label_selector, params.field_selector
        )
        self.informer = Informer(self.cluster, selection, self._change)
        return self.wait(
            self._is_synced,
            informer.synced,
            every_ns=informer.SYNC_POLL_NS,
            timeout_ns=informer.SYNC_TIMEOUT_NS,
        )

    def gather(self, params: ControlledPodsParams) -> Result:
        """Wait for all existing controllers."""
        if self.informer is None:
            return MeasurementResult(errors=(f"metric {self.context.method} has not been started",))
        gathering = Gathering(self, params.sync_timeout)
        self._gatherings = [each for each in self._gatherings if not each.pending.is_resolved]
        self._gatherings.append(gathering)
        gathering.begin()
        return gathering.pending

    def dispose(self) -> None:
        """Stop all waits."""
        if self.informer is not None:
            self.informer.stop()
            self.informer = None
        for each in self.objects.values():
            if not each.status:
                each.stop()
        self.objects.clear()
        self.problems.clear()
        self._pending = 0

    @property
    def is_idle(self) -> bool:
        """Whether no controller is waited for any longer."""
        return self._pending == 0

    def _is_synced(self) -> bool:
        watched = (self.informer, self._pods, self._nodes)
        return all(each is None or each.is_synced for each in watched)

    def _change(self, old: Json | None, new: Json | None, at_ns: int) -> None:
        del at_ns
        obj = new if new is not None else old
        assert obj is not None
        version = str((obj.get("metadata") or {}).get("resourceVersion") or "")
        if version.isdecimal():
            self.newest = max(self.newest, int(version))
        if old is not None and new is not None and old.get("spec") == new.get("spec"):
            return
        key = key_of(obj)
        before = self.objects.pop(key, None)
        if before is not None and not before.status:
            before.stop()
            self._pending -= 1
        self.problems.pop(key, None)
        problem = _unfit(obj, check_template=self.params.check_if_pods_are_updated)
        if problem:
            self.problems[key] = problem
        else:
            self._begin(key, obj, is_deleted=new is None)
        self._settle()

    def _begin(self, key: str, obj: Json, *, is_deleted: bool) -> None:
        assert self._pods is not None
        params, kind = self.params, self.params.kind
        spec = (obj["spec"].get("template") or {}).get("spec") or {}
        count: int | None = 0
        if not is_deleted:
            field = "parallelism" if kind == "Job" else "replicas"
            count = None if kind == "DaemonSet" else obj["spec"].get(field) or 0
        desired = DesiredPods(
            count,
            is_deleted,
            spec if params.check_if_pods_are_updated else None,
            params.count_error_margin,
            params.operation_timeout,
        )
        uid = str(obj["metadata"].get("uid", ""))
        pods = self._pods.of(uid, via_replica_sets=kind == "Deployment")
        waited = ControlledObject(key, desired, pods, self.cluster.moments, self._ended)
        self.objects[key] = waited
        self._pending += 1
        waited.begin(self._nodes, spec)

    def _ended(self, waited: ControlledObject) -> None:
        del waited
        self._pending -= 1
        self._settle()

    def _settle(self) -> None:
        if self.is_idle:
            for gathering in list(self._gatherings):
                gathering.check()


def _unfit(obj: Json, *, check_template: bool) -> str:
    """Why an object is not a controller that can be waited for; empty if it is one."""
    spec = obj.get("spec")
    if not isinstance(spec, dict):
        return "it has no spec"
    if check_template and not isinstance(spec.get("template"), dict):
        return "its spec has no template of pods"
    for name in ("replicas", "parallelism"):
        if not isinstance(spec.get(name, 0), int | None):
            return f"its spec.{name} is not a number"
    return ""
