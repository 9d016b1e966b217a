"""The parameters of DRATestDriver in a configuration."""

from __future__ import annotations

import msgspec

from kubestage.clusterloader.dependencies import dra_objects
from kubestage.golang import durations
from kubestage.measure.params import Duration, Params


class DraParams(Params, frozen=True, kw_only=True):
    """Names and numbers of ClusterLoader2; `timeout` is for each of the two waits."""

    namespace: str = msgspec.field(name="Namespace", default="dra-example-driver")
    manifests: str = msgspec.field(name="Manifests", default=dra_objects.MANIFESTS)
    daemonset_name: str = msgspec.field(name="DaemonsetName", default=dra_objects.DAEMON_SET)
    worker_node_count: int = msgspec.field(name="WorkerNodeCount", default=100)
    extended_resource_name: str = msgspec.field(name="ExtendedResourceName", default="")
    timeout: Duration = msgspec.field(name="timeout", default=Duration(10 * durations.MINUTE))
