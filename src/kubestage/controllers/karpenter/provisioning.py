"""One pass of the provisioner: the pods that wait, and what to do for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import events
from kubestage.controllers.karpenter.scheduling import results, solving, validation
from kubestage.controllers.karpenter.state import pod_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.scheduling.options import Options, Placeholders
    from kubestage.controllers.karpenter.scheduling.prepared_pools import PoolCache
    from kubestage.controllers.karpenter.scheduling.results import Results
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState


def pending_pods(
    cluster: ClusterState, options: Options, publish: Publish = events.ignore
) -> list[Json]:
    """The pods that wait for capacity and state nothing wrong; what is wrong is published."""
    found = []
    for pod in cluster.unbound_pods:
        if not pod_state.is_provisionable(pod):
            continue
        avoids = validation.avoids_karpenter(pod)
        problems = validation.problems_of(pod, cluster.objects, options.well_known)
        if not (avoids or problems):
            found.append(pod)
        elif not avoids:
            publish(results.failed_to_schedule(pod, problems))
    return found


def pods_of_deleting_nodes(cluster: ClusterState, publish: Publish = events.ignore) -> list[Json]:
    """The pods that will come again when the nodes that are on their way out are gone."""
    limits = cluster.limits
    return [
        pod
        for node in cluster.nodes()
        if node.marked_for_deletion and node.node is not None
        for pod in node.pods
        if limits.is_currently_reschedulable(pod, cluster.now_ns, publish)
    ]


def schedule(
    cluster: ClusterState,
    node_pools: Sequence[Json],
    types: Mapping[str, Sequence[InstanceType]],
    options: Options,
    *,
    placeholders: Placeholders | None = None,
    publish: Publish = events.ignore,
    cache: PoolCache | None = None,
) -> Results:
    """Where the pods that wait go; `node_pools` are those that are ready and not static."""
    pods: Iterable[Json] = [
        *pending_pods(cluster, options, publish),
        *pods_of_deleting_nodes(cluster, publish),
    ]
    listed = list(pods)
    if not listed or not node_pools:
        return results.Results()
    found = solving.solve(
        cluster,
        listed,
        node_pools,
        types,
        options,
        missing=[node for node in cluster.nodes() if node.marked_for_deletion],
        placeholders=placeholders,
        publish=publish,
        cache=cache,
    )
    found.truncate(options)
    found.record(publish)
    return found
