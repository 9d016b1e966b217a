"""A load on its cluster: the run, its clients, its measurements and who answers their queries."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import msgspec

from kubestage.cluster import clients
from kubestage.cluster.clients import Clients
from kubestage.cluster.profile import ClientSection
from kubestage.load import plan as planning
from kubestage.load.run import LoadRun, Work, drawn_prefix
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurements import Measurements

if TYPE_CHECKING:
    from kubestage.cli.load_choices import Choices
    from kubestage.cli.load_tests import Test
    from kubestage.cluster.access import Cluster
    from kubestage.load.loading import Loaded
    from kubestage.load.planned import Plan
    from kubestage.measure.facilities import Queries, Shell
    from kubestage.measure.registry import Registry
    from kubestage.sim.streams import Streams


class Limits(msgspec.Struct, frozen=True):
    """How many clients make the calls of a load, and how fast each may be."""

    number: int
    qps: float
    burst: int


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What a load runs in: the cluster, its size, and what is offered to measurements."""

    cluster: Cluster
    streams: Streams
    nodes: int
    limits: Limits
    registry: Registry
    queries: Queries | None = None
    shell: Shell | None = None
    is_strict: bool = False


def limits_of(choices: Choices, nodes: int, client: ClientSection | None = None) -> Limits:
    """What a person said, or else the profile, or else ClusterLoader2's own limits."""
    usual = client or ClientSection(
        qps=clients.QPS, burst=clients.BURST, nodes_per_client=clients.NODES_PER_CLIENT
    )
    number = max(1, -(-nodes // max(usual.nodes_per_client, 1)))
    return Limits(
        choices.clients or number,
        usual.qps if choices.qps is None else choices.qps,
        usual.burst if choices.burst is None else choices.burst,
    )


def compose(test: Test, loaded: Loaded, around: Surroundings) -> LoadRun:
    """The run of a load; measurements have clients of their own, as in ClusterLoader2."""
    limits, own = around.limits, loaded.config.namespaces
    own = msgspec.structs.replace(own, prefix=own.prefix or drawn_prefix(around.streams))
    facilities = Facilities(
        nodes=around.nodes,
        namespace_prefix=own.prefix,
        queries=around.queries,
        shell=around.shell,
        objects=loaded.templates.objects,
        are_params_checked=True,
    )
    measuring = Clients(around.cluster, limits.number, limits.qps, limits.burst)
    measurements = Measurements(around.registry, measuring, around.streams, facilities)
    work = Work(
        msgspec.structs.replace(loaded.config, namespaces=own),
        loaded.templates,
        loaded.mapping,
        test.path,
        test.identifier,
        loaded.warnings,
    )
    cluster = Clients(around.cluster, limits.number, limits.qps, limits.burst)
    return LoadRun(work, cluster, measurements, around.streams, is_strict=around.is_strict)


def plan_of(loaded: Loaded, nodes: int, limits: Limits) -> Plan:
    """What a load is going to do. What chance decides in templates is drawn from a copy: a run
    is the same whether somebody looked at its plan or not.
    """
    templates = pickle.loads(pickle.dumps(loaded.templates))
    return planning.plan(
        loaded.config, templates, loaded.mapping, nodes=nodes, client_number=limits.number
    )
