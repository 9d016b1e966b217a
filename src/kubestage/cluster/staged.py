"""A stage as a cluster: calls, watches and pages in virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster import endpoints, verbs
from kubestage.cluster.access import Answer, Page
from kubestage.cluster.api_server import ApiServer
from kubestage.cluster.component_calls import ComponentCalls
from kubestage.cluster.components import Components
from kubestage.cluster.draws import Draws
from kubestage.cluster.pages import Pages
from kubestage.cluster.profile import INSTANT
from kubestage.cluster.stage_moments import StageMoments
from kubestage.cluster.subscription import StageSubscription
from kubestage.cluster.watchers import Watchers
from kubestage.errors import TooManyRequests
from kubestage.objects import distributions
from kubestage.store import selection as selections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Call, Selection, WatchEvent
    from kubestage.cluster.api_server import Turn
    from kubestage.cluster.endpoints import Endpoint
    from kubestage.cluster.profile import Profile
    from kubestage.cluster.usage import ContainerUsage
    from kubestage.controllers.runner import Runner
    from kubestage.errors import ApiError
    from kubestage.metrics.families import Family
    from kubestage.metrics.scraper import Metrics
    from kubestage.objects.kinds import Kind
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.sim.environment import Environment
    from kubestage.sim.streams import Streams
    from kubestage.store.store import Store

_LIST, _DELETE_COLLECTION = "list", "deletecollection"
_APPLY: Final = "application/apply-patch+yaml"
_FULL: Final = "the server has received too many requests and has asked us to try again later"
_LONGEST_NS: Final = 60 * 1_000_000_000


class StagedCluster:
    """The port to a stage; a profile determines how long things take.

    A call travels for half a round trip, waits for its turn at the API server, is served, and
    changes the store when it is done; its answer travels for another half. Watchers receive
    changes after a delay. `scheduler`, `controllers` and `metrics` are those of the stage, if it
    has them: their metrics are on pages of the cluster.
    """

    is_stage = True

    def __init__(
        self,
        store: Store,
        environment: Environment,
        streams: Streams,
        profile: Profile = INSTANT,
        *,
        scheduler: Scheduler | None = None,
        controllers: Runner | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.moments = StageMoments(environment)
        self.profile = profile
        self.store = store
        self.api = ApiServer(profile, streams)
        self.half_trip_ns = int(distributions.parse(profile.network.round_trip).first) // 2
        self._delay = Draws(profile.watch.delay, streams, "cluster/watch")
        self._calls = ComponentCalls(store, self.api)
        self._watchers = Watchers()
        self.components = Components(
            store,
            self.api,
            self._calls,
            self._watchers,
            scheduler=scheduler,
            controllers=controllers,
            metrics=metrics,
        )
        self._pages = Pages(self.components)

    def call(self, call: Call, done: Callable[[Answer], None]) -> None:
        """Carry out a call; `done` receives the answer when it is back."""
        now_ns = self.moments.now_ns
        arrives_ns = now_ns + self.half_trip_ns
        pending = _PendingCall(self, call, done, now_ns)
        row = self.store.kinds.get(call.resource.api_version, call.resource.kind)
        if row is None or call.verb not in endpoints.VERBS:
            self.moments.at(arrives_ns, pending.carry_out)
        elif call.verb == _LIST:
            self.moments.at(arrives_ns, pending.read)
        else:
            pending.enter(row, arrives_ns)

    def watch(
        self,
        selection: Selection,
        on_event: Callable[[WatchEvent], None],
        *,
        is_streamed: bool = False,
    ) -> StageSubscription:
        """Watch the objects of a selection, and every change of them.

        What exists is received by a LIST; if `is_streamed` by the WATCH itself, which is as much
        work and counts as no LIST. NotFound if the kind is not served, and BadRequest if a selector
        cannot be read.
        """
        row = self.store.kind((selection.resource.api_version, selection.resource.kind))
        selected = selections.parse(
            row, selection.namespace or None, selection.label_selector, selection.field_selector
        )
        wire = _Stream(self) if is_streamed else self
        subscription = StageSubscription(self.store, self.moments, selected, on_event, wire)
        self._watchers.add(subscription)
        self.moments.at(self.moments.now_ns + self.half_trip_ns, subscription.begin)
        return subscription

    def raw(self, path: str, done: Callable[[Page], None]) -> None:
        """GET a path that is not a resource."""
        pending = _PendingPage(self._pages, path, done)
        self.moments.at(self.moments.now_ns + 2 * self.half_trip_ns, pending.answer)

    def families(self, component: str) -> Iterable[Family]:
        """The metrics of a component (see `components.COMPONENTS`), up to date."""
        return self.components.families(component)

    def usage(self) -> list[ContainerUsage]:
        """What the control plane and all pods use now."""
        return self.components.usage()

    def listed_ns(
        self, row: Kind, namespace: str | None, count: int, *, is_counted: bool = True
    ) -> int:
        """When the client has the answer to a list request of so many objects that arrives now.

        `is_counted` is whether it appears in the metrics.
        """
        scope = endpoints.NAMESPACE if namespace else endpoints.CLUSTER
        endpoint = self.api.endpoints.find("LIST", row, scope=scope)
        now_ns = self.moments.now_ns
        turn = self.api.take(endpoint, now_ns, objects=count)
        if turn is None:
            # Watchers retry until they are served.
            return now_ns + _LONGEST_NS // 60 + self.half_trip_ns
        if is_counted:
            endpoint.observe(turn.ends_ns - now_ns, turn.waited_ns, turn.etcd_ns, endpoint.success)
        return turn.ends_ns + self.half_trip_ns

    def delay_ns(self) -> int:
        """How long the next change takes to a watcher."""
        return self._delay.next_ns()

    def carry_out(self, call: Call) -> tuple[Json | None, ApiError | None]:
        """Carry out a call now."""
        # Changes by the call are not counted as calls of components.
        self._calls.is_paused = True
        try:
            return verbs.carry_out(self.store, call)
        finally:
            self._calls.is_paused = False


class _Stream:
    """The way of a watch that brings what exists: no LIST is counted."""

    def __init__(self, cluster: StagedCluster) -> None:
        self._cluster = cluster

    def listed_ns(self, row: Kind, namespace: str | None, count: int) -> int:
        """When the watcher has all that exists."""
        return self._cluster.listed_ns(row, namespace, count, is_counted=False)

    def delay_ns(self) -> int:
        """How long the next change takes to the watcher."""
        return self._cluster.delay_ns()


class _PendingCall:
    """A call between its start and its answer."""

    __slots__ = (
        "_call", "_cluster", "_done", "_endpoint", "_error", "_object", "_sent_ns", "_turn",
    )  # fmt: skip

    def __init__(
        self, cluster: StagedCluster, call: Call, done: Callable[[Answer], None], sent_ns: int
    ) -> None:
        self._cluster, self._call, self._done, self._sent_ns = cluster, call, done, sent_ns
        self._endpoint: Endpoint | None = None
        self._turn: Turn | None = None
        self._object: Json | None = None
        self._error: ApiError | None = None

    def enter(self, row: Kind, arrives_ns: int) -> None:
        """Enter the queue; the call is carried out when it has been served."""
        cluster, call = self._cluster, self._call
        more_ns = 0
        if call.verb == _DELETE_COLLECTION:
            # One deletion after another, each with its own write.
            count = cluster.store.collection(row).count(call.namespace or None)
            etcd_ns = cluster.api.endpoints.find("DELETE", row).etcd.mean_ns
            more_ns = min(round(count * etcd_ns), _LONGEST_NS)
        endpoint = self._endpoint = _endpoint(cluster, call, row)
        turn = self._turn = cluster.api.take(endpoint, arrives_ns, more_ns=more_ns)
        if turn is None:
            cluster.moments.at(arrives_ns, self.refuse)
        else:
            cluster.moments.at(turn.ends_ns, self.carry_out)

    def read(self) -> None:
        """A list: objects are read at once, and the time depends on their number."""
        cluster, call = self._cluster, self._call
        self._object, self._error = cluster.carry_out(call)
        row = cluster.store.kind((call.resource.api_version, call.resource.kind))
        count = len(self._object["items"]) if self._object is not None else 0
        endpoint = self._endpoint = _endpoint(cluster, call, row)
        now_ns = cluster.moments.now_ns
        turn = self._turn = cluster.api.take(endpoint, now_ns, objects=count)
        if turn is None:
            self._object = None
            self.refuse()
        else:
            cluster.moments.at(turn.ends_ns, self.send)

    def refuse(self) -> None:
        """Refuse the call: the queue is full."""
        self._error = TooManyRequests(_FULL, {"retryAfterSeconds": 1})
        self.send()

    def carry_out(self) -> None:
        """Carry out the call, and send the answer."""
        self._object, self._error = self._cluster.carry_out(self._call)
        self.send()

    def send(self) -> None:
        """Count the call; its answer arrives half a round trip later."""
        cluster, endpoint = self._cluster, self._endpoint
        now_ns = cluster.moments.now_ns
        if endpoint is not None:
            code = endpoint.success if self._error is None else self._error.code
            waited_ns, etcd_ns = (0, 0) if self._turn is None else self._turn[1:]
            took_ns = max(now_ns - self._sent_ns - cluster.half_trip_ns, 0)
            endpoint.observe(took_ns, waited_ns, etcd_ns, code)
        if cluster.half_trip_ns:
            cluster.moments.at(now_ns + cluster.half_trip_ns, self.answer)
        else:
            self.answer()

    def answer(self) -> None:
        """Call back the client."""
        now_ns = self._cluster.moments.now_ns
        self._done(Answer(self._object, self._error, self._sent_ns, now_ns))


def _endpoint(cluster: StagedCluster, call: Call, row: Kind) -> Endpoint:
    if call.name or call.verb == "create":
        scope = endpoints.RESOURCE
    else:
        scope = endpoints.NAMESPACE if call.namespace else endpoints.CLUSTER
    is_apply = call.verb == "patch" and call.patch_type == _APPLY
    verb = "APPLY" if is_apply else endpoints.VERBS[call.verb]
    return cluster.api.endpoints.find(verb, row, scope=scope)


class _PendingPage:
    """A request of a page that is not answered yet."""

    __slots__ = ("_done", "_pages", "_path")

    def __init__(self, pages: Pages, path: str, done: Callable[[Page], None]) -> None:
        self._pages, self._path, self._done = pages, path, done

    def answer(self) -> None:
        """Read the page now, and call back."""
        self._done(self._pages.read(self._path))
