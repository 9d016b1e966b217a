"""The parts of a load put together: the run, its clients, its measurements and their queries."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import msgspec

from kubestage.cluster import clients
from kubestage.cluster.clients import Clients
from kubestage.cluster.profile import ClientSection
from kubestage.clusterloader import plan as planning
from kubestage.clusterloader.run import LoadRun, Work, prefix_draws, random_prefix
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurements import Measurements

if TYPE_CHECKING:
    import random

    from kubestage.cluster.access import Cluster
    from kubestage.cluster.load_programs.running import LoadPrograms
    from kubestage.clusterloader.config_loading import LoadedConfig
    from kubestage.clusterloader.planned import LoadPlan
    from kubestage.measure.facilities import Queries, Shell
    from kubestage.measure.registry import Registry
    from kubestage.runs.load.load_test import LoadTest
    from kubestage.runs.load.options import LoadOptions
    from kubestage.sim.streams import Streams


class ClientLimits(msgspec.Struct, frozen=True):
    """How many clients make the calls of a load, and how fast each may be."""

    number: int
    qps: float
    burst: int


class LoadContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a load runs in: the cluster, its size, and what is offered to measurements."""

    cluster: Cluster
    streams: Streams
    nodes: int
    limits: ClientLimits
    registry: Registry
    queries: Queries | None = None
    shell: Shell | None = None
    programs: LoadPrograms | None = None
    """What runs the programs of pods; None on a real cluster, which does so itself."""
    is_strict: bool = False
    prefix_draws: random.Random | None = None
    """What prefixes of namespaces are drawn from; None for the seed."""


def client_limits(
    options: LoadOptions, nodes: int, client: ClientSection | None = None
) -> ClientLimits:
    """The limits that the options set, or else the profile, or else ClusterLoader2's defaults."""
    default = client or ClientSection(
        qps=clients.QPS, burst=clients.BURST, nodes_per_client=clients.NODES_PER_CLIENT
    )
    number = max(1, -(-nodes // max(default.nodes_per_client, 1)))
    return ClientLimits(
        options.clients or number,
        default.qps if options.qps is None else options.qps,
        default.burst if options.burst is None else options.burst,
    )


def compose(test: LoadTest, loaded: LoadedConfig, context: LoadContext) -> LoadRun:
    """The run of a load; measurements have clients of their own, as in ClusterLoader2."""
    limits, namespaces = context.limits, loaded.config.namespaces
    draws = context.prefix_draws or prefix_draws(context.streams)
    prefix = namespaces.prefix or random_prefix(draws)
    namespaces = msgspec.structs.replace(namespaces, prefix=prefix)
    facilities = Facilities(
        nodes=context.nodes,
        namespace_prefix=prefix,
        queries=context.queries,
        shell=context.shell,
        objects=loaded.templates.objects,
        are_params_checked=True,
    )
    measuring = Clients(context.cluster, limits.number, limits.qps, limits.burst)
    measurements = Measurements(context.registry, measuring, context.streams, facilities)
    work = Work(
        msgspec.structs.replace(loaded.config, namespaces=namespaces),
        loaded.templates,
        loaded.mapping,
        test.path,
        test.identifier,
        loaded.warnings,
    )
    cluster = Clients(context.cluster, limits.number, limits.qps, limits.burst)
    return LoadRun(work, cluster, measurements, context.streams, is_strict=context.is_strict)


def plan(loaded: LoadedConfig, nodes: int, limits: ClientLimits) -> LoadPlan:
    """What a load is going to do. What is random in templates is drawn from a copy: a run is the
    same whether it was planned before or not.
    """
    templates = pickle.loads(pickle.dumps(loaded.templates))
    return planning.plan(
        loaded.config, templates, loaded.mapping, nodes=nodes, client_number=limits.number
    )
