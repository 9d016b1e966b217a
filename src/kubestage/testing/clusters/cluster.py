"""A cluster in this process, as a test has it: objects, time, faults, expectations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from kubestage.errors import ExpectationFailed, InputError
from kubestage.objects import gvk
from kubestage.runs import living
from kubestage.server.pacing_work import WorkAhead
from kubestage.server.request_faults import RequestFaults, RequestSubject
from kubestage.stage import few_collections
from kubestage.store.deletion import DeleteOptions
from kubestage.testing.clusters import copies, messages, naming, reading
from kubestage.testing.clusters.expecting import Expect
from kubestage.testing.clusters.faults import Faults
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.server.fanout import CutMode
    from kubestage.stage import Stage
    from kubestage.store.store import Store
    from kubestage.testing.clusters.keeping import ClusterRecording
    from kubestage.testing.clusters.options import ClusterOptions

    # The class has a method of that name.
    Objects = list[Json]

T = TypeVar("T")

WITHIN: Final = "5m"
LONGEST: Final = "2h"


class Cluster:
    """A cluster in virtual time, with scheduler, controllers and kubelets at work.

    It is a value: nothing of it is outside this process, and `fork` makes another one of it. Time
    passes in `run`, `run_until` and `settle`, and nowhere else. Objects are plain dicts; what is
    returned is what the cluster holds, so change a copy.
    """

    def __init__(
        self, stage: Stage, options: ClusterOptions, recording: ClusterRecording | None = None
    ) -> None:
        self._stage = stage
        self.options = options
        self.request_faults = RequestFaults()
        self.faults = Faults(self)
        self.expect = Expect(self)
        self.recording = recording
        self._copies = copies.PackedStage()
        if recording is not None:
            recording.start(stage)

    @property
    def stage(self) -> Stage:
        """The stage underneath."""
        return self._stage

    @property
    def store(self) -> Store:
        """All objects of the cluster."""
        return self._stage.store

    @property
    def now(self) -> str:
        """The virtual time, as objects write it."""
        return self._stage.now

    @property
    def elapsed_s(self) -> float:
        """Virtual seconds since time zero."""
        return self._stage.clock.now_ns / SECOND_NS

    def do(self, work: Callable[[], T], *, writes: bool = False) -> T:
        """What some work on the stage returns; of a server, it is done where the stage is served.

        `writes` says that it may change objects, like a request of a client.
        """
        del writes
        return work()

    # Objects.

    def apply(self, *manifests: Any) -> Objects:
        """Create or change objects as ``kubectl apply`` does: paths, YAML texts, dicts, or lists.

        What the API refuses is an ApiError, a misspelt field an InputError. Returns them as stored.
        """
        found = reading.objects(manifests, self.options.folder, "apply")
        return self.do(lambda: self._applied(found), writes=True)

    def _applied(self, objects: Objects) -> Objects:
        store = self.store
        before, store.implicit_namespaces = store.implicit_namespaces, True
        try:
            return self._stage.apply(objects)
        finally:
            store.implicit_namespaces = before

    def create(self, obj: Json, namespace: str | None = None) -> Json:
        """Create an object, as a client would."""
        kind = self.do(lambda: self.store.kinds.of(obj))
        name = str((obj.get("metadata") or {}).get("name") or "")
        self._meet(RequestSubject("create", kind, namespace, name))
        return self.do(lambda: self.store.create(obj, namespace=namespace), writes=True)

    def get(self, name: str, namespace: str | None = None) -> Json:
        """An object, as in ``get("deploy/web")``; NotFound if it is not there."""
        named = self._named("get", name, namespace)
        return self.do(lambda: self.store.get(named.kind, named.name, named.namespace))

    def find(self, name: str, namespace: str | None = None) -> Json | None:
        """An object; None if it is not there."""
        named = self._named("get", name, namespace)
        return self.do(lambda: naming.find(self.store, named))

    def list(self, kind: str, selector: str = "", namespace: str | None = None) -> Objects:
        """All objects of a kind, as in ``list("pods", "app=web")``, of all namespaces or of one."""
        row = self.do(lambda: naming.kind_of(self.store, kind))
        self._meet(RequestSubject("list", row, namespace, ""))
        return self.do(lambda: self.store.list(row, namespace, label_selector=selector).items)

    def patch(
        self, name: str, patch: Json, namespace: str | None = None, *, subresource: str = ""
    ) -> Json:
        """Change part of an object by a merge patch."""
        named = self._named("patch", name, namespace)
        return self.do(
            lambda: self.store.patch(
                named.kind, named.name, patch, named.namespace, subresource=subresource
            ),
            writes=True,
        )

    def scale(self, name: str, replicas: int, namespace: str | None = None) -> Json:
        """Give a workload another number of replicas."""
        return self.patch(name, {"spec": {"replicas": replicas}}, namespace, subresource="scale")

    def delete(
        self, name: str, namespace: str | None = None, *, grace_seconds: int | None = None
    ) -> None:
        """Delete an object; what belongs to it follows as time passes."""
        named = self._named("delete", name, namespace)
        options = DeleteOptions(grace_period_seconds=grace_seconds)
        self.do(
            lambda: self.store.delete(named.kind, named.name, named.namespace, options),
            writes=True,
        )

    def events(self, about: str | None = None, *, reason: str = "") -> Objects:
        """Events, the oldest first: all, or those about an object, as in ``events("pod/web")``."""
        named = None if about is None else self.named(about)
        return self.do(lambda: messages.events_of(self.store, named, reason))

    def explain(self, pod: str, namespace: str | None = None) -> str:
        """Why a pod is where it is, or waits, and what would make it fit."""
        text = pod if "/" in pod else f"pod/{pod}"
        named = self.named(text, namespace)
        if named.kind.kind != gvk.POD[1]:
            raise InputError("only pods are scheduled", path=pod, fix="name a pod, as in pod/web-0")
        return self.do(lambda: messages.explanation(self._stage, named.key))

    def named(self, name: str, namespace: str | None = None) -> naming.ObjectName:
        """The object that a name means, whether it is there or not."""
        return self.do(lambda: naming.parse(self.store, name, namespace))

    def _named(self, verb: str, name: str, namespace: str | None) -> naming.ObjectName:
        named = self.named(name, namespace)
        self._meet(RequestSubject(verb, named.kind, named.namespace, named.name))
        return named

    def _meet(self, subject: RequestSubject) -> None:
        """Have a request of the test itself meet the faults, as one over HTTP does."""
        rule = self.request_faults.meet(subject)
        if rule is None:
            return
        if rule.delay_s:
            self.run(round(rule.delay_s * SECOND_NS))
        error = rule.error(subject)
        if error is not None:
            raise error

    # Time.

    def run(self, duration: str | int) -> None:
        """Let virtual time pass: ``"10m"``, or nanoseconds."""
        self._stage.run(parse_duration(duration))

    def run_until(self, condition: Callable[[], object], within: str | int = WITHIN) -> None:
        """Let virtual time pass until a condition holds, and not a moment longer.

        An ExpectationFailed, which shows what is under way, if it does not hold within that time.
        """
        __tracebackhide__ = True
        end_ns = self._stage.clock.now_ns + parse_duration(within)
        with few_collections():
            while not condition():
                if not self._step(end_ns):
                    if condition():
                        return
                    raise ExpectationFailed(messages.not_within(self._stage, within))

    def _step(self, end_ns: int) -> bool:
        """Let happen what is due next; False if the end is reached."""
        environment = self._stage.environment
        due_ns = environment.next_movement_time
        if due_ns is None or due_ns > end_ns:
            environment.run(until_ns=end_ns)
            return False
        environment.run(until_ns=max(due_ns, self._stage.clock.now_ns))
        return True

    def settle(self, within: str | int = LONGEST) -> None:
        """Let virtual time pass until nothing is under way: pods started, rollouts done.

        What repeats without end (autoscalers that look again, CronJobs, Traffic) is not waited for.
        """
        __tracebackhide__ = True
        end_ns = self._stage.clock.now_ns + parse_duration(within)
        work = WorkAhead(self._stage)
        try:
            with few_collections():
                while (goal_ns := work.goal_ns()) is not None:
                    if goal_ns > end_ns:
                        raise ExpectationFailed(messages.not_within(self._stage, within))
                    self._stage.environment.run(until_ns=max(goal_ns, self._stage.clock.now_ns))
        finally:
            work.close()

    def cut_watches(self, kind: str | None, how: CutMode) -> int:
        """End open watches: there are none in this process."""
        del kind, how
        raise InputError("watches are open over HTTP", fix="use the fixture cluster_server")

    # Copies.

    def fork(self) -> Cluster:
        """An independent copy in this process, which goes on as this one would.

        Many copies of a cluster that does not change meanwhile are made in a millisecond or two.
        Faults of nodes and webhooks are copied with it, those of requests are not.
        """
        return Cluster(self.do(lambda: self._copies.copy_of(self._stage)), self.options)


def parse_duration(duration: str | int) -> int:
    """Nanoseconds of a duration as people write it: ``90s``, ``10m``, ``7d``."""
    return living.parse_duration(duration, "duration") if isinstance(duration, str) else duration
