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
    from kubestage.cluster.access import Call, Seen, Selection
    from kubestage.cluster.api_server import Turn
    from kubestage.cluster.endpoints import Endpoint
    from kubestage.cluster.profile import Profile
    from kubestage.cluster.usage import ContainerUsage
    from kubestage.controllers.runner import Runner
    from kubestage.errors import ApiError
    from kubestage.metrics.scraper import Metrics
    from kubestage.objects.kinds import Kind
    from kubestage.scheduler.metric_families import Family
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.sim.environment import Environment
    from kubestage.sim.streams import Streams
    from kubestage.store.store import Store

_LIST, _DELETE_ALL = "list", "deletecollection"
_APPLY: Final = "application/apply-patch+yaml"
_FULL: Final = "the server has received too many requests and has asked us to try again later"
_LONGEST_NS: Final = 60 * 1_000_000_000


class StagedCluster:
    """The port to a stage; how long things take is said by a profile.

    A call is on its way for half a round trip, waits for its turn at the API server, is served,
    and changes the store when it is done; its answer is on its way for another half. Watchers hear
    of changes after a delay. `scheduler`, `controllers` and `metrics` are those of the stage, if it
    has them: their numbers are on pages of the cluster.
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
        """Have a call carried out; `done` is told the answer when it is back."""
        now_ns = self.moments.now_ns
        arrives_ns = now_ns + self.half_trip_ns
        under_way = _UnderWay(self, call, done, now_ns)
        row = self.store.kinds.get(call.resource.api_version, call.resource.kind)
        if row is None or call.verb not in endpoints.VERBS:
            self.moments.at(arrives_ns, under_way.carry_out)
        elif call.verb == _LIST:
            self.moments.at(arrives_ns, under_way.read)
        else:
            under_way.enter(row, arrives_ns)

    def watch(self, selection: Selection, seen: Callable[[Seen], None]) -> StageSubscription:
        """Be told of what a selection shows, and of every change of it.

        NotFound if nobody serves the kind, and BadRequest if a selector cannot be read.
        """
        row = self.store.kind((selection.resource.api_version, selection.resource.kind))
        wanted = selections.parse(
            row, selection.namespace or None, selection.label_selector, selection.field_selector
        )
        subscription = StageSubscription(self.store, self.moments, wanted, seen, self)
        self._watchers.add(subscription)
        self.moments.at(self.moments.now_ns + self.half_trip_ns, subscription.begin)
        return subscription

    def raw(self, path: str, done: Callable[[Page], None]) -> None:
        """GET a path outside of the resources."""
        asked = _Asked(self._pages, path, done)
        self.moments.at(self.moments.now_ns + 2 * self.half_trip_ns, asked.answer)

    def families(self, component: str) -> Iterable[Family]:
        """The metrics of a component (see `components.COMPONENTS`), up to date."""
        return self.components.families(component)

    def usage(self) -> list[ContainerUsage]:
        """What the control plane and all pods use now."""
        return self.components.usage()

    def listed_ns(self, row: Kind, namespace: str | None, count: int) -> int:
        """When a list of so many objects that arrives now is with its client."""
        scope = endpoints.NAMESPACE if namespace else endpoints.CLUSTER
        endpoint = self.api.endpoints.of("LIST", row, scope=scope)
        now_ns = self.moments.now_ns
        turn = self.api.take(endpoint, now_ns, objects=count)
        if turn is None:
            # Watchers try again until they are let in.
            return now_ns + _LONGEST_NS // 60 + self.half_trip_ns
        endpoint.observe(turn.ends_ns - now_ns, turn.waited_ns, turn.etcd_ns, endpoint.success)
        return turn.ends_ns + self.half_trip_ns

    def delay_ns(self) -> int:
        """How long the next change is on its way to a watcher."""
        return self._delay.next_ns()

    def carry_out(self, call: Call) -> tuple[Json | None, ApiError | None]:
        """Do what a call says, now."""
        # What the call changes is counted as the call.
        self._calls.is_paused = True
        try:
            return verbs.carry_out(self.store, call)
        finally:
            self._calls.is_paused = False


class _UnderWay:
    """A call between its beginning and its end."""

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
        """Get in line, and be carried out when the turn is over."""
        cluster, call = self._cluster, self._call
        more_ns = 0
        if call.verb == _DELETE_ALL:
            # One after another, each with a write of its own.
            count = cluster.store.ledger.collection(row).count(call.namespace or None)
            etcd_ns = cluster.api.endpoints.of("DELETE", row).etcd.mean_ns
            more_ns = min(round(count * etcd_ns), _LONGEST_NS)
        endpoint = self._endpoint = _endpoint(cluster, call, row)
        turn = self._turn = cluster.api.take(endpoint, arrives_ns, more_ns=more_ns)
        if turn is None:
            cluster.moments.at(arrives_ns, self.refuse)
        else:
            cluster.moments.at(turn.ends_ns, self.carry_out)

    def read(self) -> None:
        """A list: what is there is read at once, and takes as long as there is much of it."""
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
        """Too many are in line."""
        self._error = TooManyRequests(_FULL, {"retryAfterSeconds": 1})
        self.send()

    def carry_out(self) -> None:
        """Do what is asked for, and send the answer on its way."""
        self._object, self._error = self._cluster.carry_out(self._call)
        self.send()

    def send(self) -> None:
        """Count the call in; its answer is there half a round trip later."""
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
        """The client hears of it."""
        now_ns = self._cluster.moments.now_ns
        self._done(Answer(self._object, self._error, self._sent_ns, now_ns))


def _endpoint(cluster: StagedCluster, call: Call, row: Kind) -> Endpoint:
    if call.name or call.verb == "create":
        scope = endpoints.RESOURCE
    else:
        scope = endpoints.NAMESPACE if call.namespace else endpoints.CLUSTER
    is_apply = call.verb == "patch" and call.patch_type == _APPLY
    verb = "APPLY" if is_apply else endpoints.VERBS[call.verb]
    return cluster.api.endpoints.of(verb, row, scope=scope)


class _Asked:
    """A page that is on its way."""

    __slots__ = ("_done", "_pages", "_path")

    def __init__(self, pages: Pages, path: str, done: Callable[[Page], None]) -> None:
        self._pages, self._path, self._done = pages, path, done

    def answer(self) -> None:
        """Read it now, for now it is there."""
        self._done(self._pages.read(self._path))
