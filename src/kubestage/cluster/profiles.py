"""The named profiles. The source of their figures: docs/control-plane-profiles.md."""

from __future__ import annotations

import difflib
from typing import Final

import msgspec

from kubestage.cluster.priority_levels import GLOBAL_DEFAULT
from kubestage.cluster.profile import (
    INSTANT,
    ApiSection,
    ClientSection,
    EtcdSection,
    NetworkSection,
    Profile,
    WatchSection,
)
from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.controllers.pacing import ControllerPacing
from kubestage.errors import InputError
from kubestage.scheduler.pacing import SchedulerPacing

# Events, Leases and EndpointSlices take less work than pods: hardly any admission.
_LIGHT: Final = {"events": 0.5, "leases": 0.5, "endpointslices": 0.8, "configmaps": 0.8}
# A kubelet lists the containers of its runtime once a second.
_RELIST: Final = "uniform(0s,1s)"
# What nodes do to start pods, whichever cluster they are in.
_NODE: Final = KubeletSettings(
    watch_delay="lognormal(5ms,5ms)",
    launch_delay="lognormal(100ms,100ms)",
    status_delay=_RELIST,
    sandbox_work="lognormal(650ms,250ms)",
    container_work="lognormal(350ms,150ms)",
    volume_work={"*": "5ms"},
    system_cpu="uniform(0,700m)",
    client_qps=50,
    client_burst=100,
    image_size="20Mi",
    image_bandwidth="100Mi",
)

DEFAULT: Final = Profile(
    name="default",
    description=(
        "A cluster of a few dozen nodes with an 8-core control plane, and the flags that every"
        " component has by default."
    ),
    api=ApiSection(
        priority_levels=True,
        max_queued=6_400,
        cores=8,
        get="lognormal(900us,800us)",
        list="lognormal(2ms,2ms)",
        list_per_object="25us",
        list_per_megabyte="5ms",
        create="lognormal(2500us,2800us)",
        update="lognormal(2200us,2400us)",
        patch="lognormal(2500us,2800us)",
        delete="lognormal(2200us,2400us)",
        resources=_LIGHT,
    ),
    etcd=EtcdSection(write="lognormal(2500us,2200us)", read="lognormal(800us,600us)"),
    watch=WatchSection(delay="lognormal(5ms,5ms)"),
    network=NetworkSection(round_trip="500us"),
    client=ClientSection(qps=100, burst=200, nodes_per_client=100, priority_level=GLOBAL_DEFAULT),
    scheduler=SchedulerPacing(
        informer_delay="lognormal(3ms,2ms)",
        attempt="lognormal(1ms,400us)",
        attempt_per_node="2us",
        binding="lognormal(5ms,4ms)",
        client_qps=50,
        client_burst=100,
    ),
    controllers=ControllerPacing(
        informer_delay="lognormal(3ms,2ms)",
        sync="lognormal(1ms,1ms)",
        client_qps=20,
        client_burst=30,
    ),
    kubelet=_NODE,
)
"""The default profile."""

KIND: Final = Profile(
    name="kind",
    description="A cluster in containers on one machine of 4 cores, which all nodes share.",
    api=ApiSection(
        priority_levels=True,
        max_queued=6_400,
        cores=2,
        get="lognormal(1ms,1ms)",
        list="lognormal(2500us,2500us)",
        list_per_object="30us",
        list_per_megabyte="6ms",
        create="lognormal(3ms,4ms)",
        update="lognormal(2700us,3500us)",
        patch="lognormal(3ms,4ms)",
        delete="lognormal(2700us,3500us)",
        resources=_LIGHT,
    ),
    etcd=EtcdSection(write="lognormal(5ms,6ms)", read="lognormal(1ms,1ms)"),
    watch=WatchSection(delay="lognormal(6ms,8ms)"),
    network=NetworkSection(round_trip="100us"),
    client=DEFAULT.client,
    scheduler=DEFAULT.scheduler,
    controllers=DEFAULT.controllers,
    kubelet=KubeletSettings(
        watch_delay="lognormal(6ms,8ms)",
        launch_delay="lognormal(1100ms,700ms)",
        status_delay=_RELIST,
        client_qps=50,
        client_burst=100,
        image_size="20Mi",
        image_bandwidth="25Mi",
    ),
)

GCE_100: Final = Profile(
    name="gce-100",
    description=(
        "The 100-node set-up of Kubernetes' scalability tests: an 8-core control plane whose"
        " components may make 100 calls a second."
    ),
    api=DEFAULT.api,
    etcd=DEFAULT.etcd,
    watch=DEFAULT.watch,
    network=DEFAULT.network,
    client=ClientSection(qps=100, burst=200, nodes_per_client=100),
    scheduler=SchedulerPacing(
        informer_delay="lognormal(3ms,2ms)",
        attempt="lognormal(1ms,400us)",
        attempt_per_node="2us",
        binding="lognormal(5ms,4ms)",
        client_qps=100,
        client_burst=100,
    ),
    controllers=ControllerPacing(
        informer_delay="lognormal(3ms,2ms)",
        sync="lognormal(1ms,1ms)",
        client_qps=100,
        client_burst=100,
    ),
    kubelet=DEFAULT.kubelet,
)

GCE_5000: Final = Profile(
    name="gce-5000",
    description=(
        "The 5,000-node set-up of Kubernetes' scalability tests: a 64-core control plane,"
        " 640 calls in flight, and longer tails than a small cluster has."
    ),
    api=ApiSection(
        max_requests_inflight=640,
        max_mutating_requests_inflight=0,
        priority_levels=True,
        max_queued=12_800,
        cores=64,
        get="lognormal(1200us,1500us)",
        list="lognormal(3ms,4ms)",
        list_per_object="25us",
        list_per_megabyte="5ms",
        create="lognormal(4ms,7ms)",
        update="lognormal(3500us,6ms)",
        patch="lognormal(4ms,7ms)",
        delete="lognormal(3500us,6ms)",
        resources=_LIGHT,
    ),
    etcd=EtcdSection(write="lognormal(5ms,6ms)", read="lognormal(1200us,1200us)"),
    watch=WatchSection(delay="lognormal(8ms,8ms)"),
    network=NetworkSection(round_trip="500us"),
    client=ClientSection(qps=100, burst=200, nodes_per_client=100),
    scheduler=SchedulerPacing(
        informer_delay="lognormal(5ms,5ms)",
        attempt="lognormal(1500us,700us)",
        attempt_per_node="2us",
        binding="lognormal(9ms,9ms)",
        client_qps=100,
        client_burst=100,
    ),
    controllers=ControllerPacing(
        informer_delay="lognormal(5ms,5ms)",
        sync="lognormal(1500us,1500us)",
        client_qps=100,
        client_burst=100,
    ),
    kubelet=msgspec.structs.replace(_NODE, watch_delay="lognormal(8ms,8ms)"),
)

KUBEMARK: Final = Profile(
    name="kubemark",
    description=(
        "Hollow nodes: kubelets that start nothing real, so pods run sooner, on the control plane"
        " of gce-5000."
    ),
    api=GCE_5000.api,
    etcd=GCE_5000.etcd,
    watch=GCE_5000.watch,
    network=GCE_5000.network,
    client=GCE_5000.client,
    scheduler=GCE_5000.scheduler,
    controllers=GCE_5000.controllers,
    kubelet=KubeletSettings(
        watch_delay="lognormal(8ms,8ms)",
        launch_delay="lognormal(650ms,250ms)",
        status_delay=_RELIST,
        client_qps=50,
        client_burst=100,
        image_size="0",
        image_bandwidth="100Mi",
    ),
)

NAMED: Final = {each.name: each for each in (INSTANT, DEFAULT, KIND, GCE_100, GCE_5000, KUBEMARK)}
"""All profiles, by name."""


def named(name: str) -> Profile:
    """The profile of a name; InputError lists the known names."""
    found = NAMED.get(name)
    if found is None:
        close = difflib.get_close_matches(name, NAMED, 1)
        suggestion = f"did you mean {close[0]}? " if close else ""
        fix = f"{suggestion}there are {', '.join(NAMED)}, or give a file"
        raise InputError(f"there is no profile {name!r}", fix=fix)
    return found
