"""Where pods would go in a changed cluster: the profiles' own filters, on a copy.

An autoscaler asks this for many pods of one kind, so they are tried together: what PreFilter
found out for the first of them holds for the others, but for those that were put somewhere since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kubestage.objects.views import node as node_views
from kubestage.scheduler import config, profiles
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.client import StoreClient
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.own_columns import OwnDefinitions
from kubestage.scheduler.what_if_snapshot import SearchPosition, WhatIfSnapshot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.sim.streams import Streams
    from kubestage.store.store import Store


class Scheduled(Protocol):
    """A cluster whose scheduler may come later, or be another one later."""

    store: Store
    streams: Streams
    scheduler: Scheduler | None


class WhatIf:
    """Makes copies of a cluster on which pods are tried as its scheduler would try them.

    The plugins are instances of their own, so that those at work notice nothing. Without a
    scheduler the defaults of kube-scheduler hold.
    """

    def __init__(self, cluster: Scheduled) -> None:
        self._cluster = cluster
        self._scheduler: Scheduler | None = None
        self._profiles: dict[str, Profile] = {}
        self._definitions = OwnDefinitions()
        self._nodes: dict[str, NodeView] = {}

    def search_position(self) -> SearchPosition:
        """Where searches are to go on from one snapshot to the next, in autoscalers."""
        # The first search begins with the second node.
        return SearchPosition(0, counts_all=True)

    def snapshot(
        self,
        nodes: Iterable[Json],
        pods: Iterable[PodView],
        position: SearchPosition | None = None,
    ) -> WhatIfSnapshot:
        """A copy with these nodes, and the pods that are on one of them."""
        if not self._profiles or self._scheduler is not self._cluster.scheduler:
            self._make_profiles()
        views = [self._view_of(node) for node in nodes]
        self._nodes = {view.name: view for view in views}
        if self._scheduler is not None:
            self._definitions.follow(self._scheduler.cache.own)
        return WhatIfSnapshot(self._profiles, views, pods, position)

    def _view_of(self, node: Json) -> NodeView:
        known = self._nodes.get(node["metadata"]["name"])
        return known if known is not None and known.raw is node else node_views.of(node)

    def _make_profiles(self) -> None:
        scheduler = self._scheduler = self._cluster.scheduler
        configuration = config.default() if scheduler is None else scheduler.configuration
        client = StoreClient(self._cluster.store, events=False)
        stream = self._cluster.streams.stream("scheduler/what-if")
        clock = self._cluster.store.clock
        cache = Cache()
        self._definitions = cache.own
        handle = Handle(client, client, Nominator(), stream, cache, clock=clock)
        user_plugins = {} if scheduler is None else scheduler.user_plugins
        self._profiles = profiles.build(configuration, handle, user_plugins)
