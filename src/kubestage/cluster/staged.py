"""A stage as a cluster: calls, watches and pages in virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster import endpoints, listed, verbs
from kubestage.cluster.api_server import ApiServer
from kubestage.cluster.callers import CLIENTS
from kubestage.cluster.component_calls import ComponentCalls
from kubestage.cluster.components import Components
from kubestage.cluster.draws import Draws
from kubestage.cluster.pages import Pages
from kubestage.cluster.pending_calls import PendingCall
from kubestage.cluster.profile import INSTANT
from kubestage.cluster.stage_moments import StageMoments
from kubestage.cluster.subscription import StageSubscription
from kubestage.cluster.watchers import Watchers
from kubestage.objects import distributions
from kubestage.store import selection as selections
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer, Call, Page, Selection, WatchEvent
    from kubestage.cluster.callers import Caller
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

_LIST: Final = "list"
_BY_NAME: Final = "metadata.name="


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
        self.delay = Draws(profile.watch.delay, streams, "cluster/watch")
        self._calls = ComponentCalls(store, self.moments, self.api)
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

    def call(self, call: Call, done: Callable[[Answer], None], caller: Caller = CLIENTS) -> None:
        """Carry out a call of someone; `done` receives the answer when it is back."""
        now_ns = self.moments.now_ns
        arrives_ns = now_ns + self.half_trip_ns
        pending = PendingCall(self, call, done, now_ns, caller)
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
        caller: Caller = CLIENTS,
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
        wire = _Wire(
            self, self._calls, caller, selection.field_selector, is_counted=not is_streamed
        )
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

    def stored(self, row: Kind, field_selector: str = "") -> int:
        """How many objects a list has to go through, for all that the server knows before."""
        return 1 if _BY_NAME in field_selector else self.store.collection(row).count(None)

    def carry_out(self, call: Call) -> tuple[Json | None, ApiError | None]:
        """Carry out a call now."""
        # Changes by the call are not counted as calls of components.
        self._calls.is_paused = True
        try:
            return verbs.carry_out(self.store, call)
        finally:
            self._calls.is_paused = False


class _Wire:
    """The way of a watch; `is_counted` is whether a LIST brings what exists."""

    def __init__(
        self,
        cluster: StagedCluster,
        calls: ComponentCalls,
        caller: Caller,
        field_selector: str,
        *,
        is_counted: bool,
    ) -> None:
        self._cluster = cluster
        self._caller = caller
        self._field_selector = field_selector
        self._is_counted = is_counted
        self._calls = calls
        self._next_ns = cluster.delay.next_ns

    def delay_ns(self) -> int:
        """How long the current change takes to arrive, after the call of a component has waited."""
        # NOTE: asked for each change and each watcher (benchmarks/load.py).
        return self._next_ns() + self._calls.waits_ns

    def list(self, row: Kind, namespace: str | None, objects: Sequence[Json]) -> tuple[int, bool]:
        """When the watcher has all that exists, or when it may ask again, and which of both."""
        cluster, api = self._cluster, self._cluster.api
        scope = endpoints.NAMESPACE if namespace else endpoints.CLUSTER
        endpoint = api.endpoints.find("LIST", row, scope=scope)
        now_ns = cluster.moments.now_ns
        lists = listed.of(objects, cluster.stored(row, self._field_selector))
        level, flow = self._caller
        turn = api.take(endpoint, now_ns, lists=lists, level=level, flow=flow)
        if not turn.is_served:
            api.count_refused(endpoint)
            again_ns = turn.ends_ns + turn.retry_after * SECOND_NS
            return again_ns + 2 * cluster.half_trip_ns, False
        if self._is_counted:
            endpoint.observe(turn.ends_ns - now_ns, turn.waited_ns, turn.etcd_ns, endpoint.success)
        return turn.ends_ns + cluster.half_trip_ns, True


class _PendingPage:
    """A request of a page that is not answered yet."""

    __slots__ = ("_done", "_pages", "_path")

    def __init__(self, pages: Pages, path: str, done: Callable[[Page], None]) -> None:
        self._pages, self._path, self._done = pages, path, done

    def answer(self) -> None:
        """Read the page now, and call back."""
        self._done(self._pages.read(self._path))
