"""What is counted of each endpoint, and in which bucket."""

from __future__ import annotations

import random

from kubestage.cluster.endpoints import BOUNDS, SLI_BOUNDS, EndpointFamilies, Endpoints
from kubestage.cluster.profile import ApiSection, Profile
from kubestage.metrics.families import Distribution, exposition
from kubestage.objects.kinds import KindTable
from kubestage.sim.streams import Streams

POD = KindTable().of({"apiVersion": "v1", "kind": "Pod"})
EVENT = KindTable().of({"apiVersion": "v1", "kind": "Event"})


def endpoints(**api: str) -> Endpoints:
    section = ApiSection(resources={"events": 0.5}, **api)  # type: ignore[arg-type] # times only
    return Endpoints(Profile(api=section), Streams(0))


def test_what_is_observed_falls_into_the_buckets_that_a_search_would_find() -> None:
    endpoint = endpoints().find("POST", POD)
    duration, sli, etcd = Distribution(BOUNDS), Distribution(SLI_BOUNDS), Distribution(BOUNDS)
    chance = random.Random(1)
    spans = [round(chance.lognormvariate(17, 3)) for _ in range(2_000)]
    spans += [round(bound * 1e9) for bound in BOUNDS]
    for took_ns in spans:
        waited_ns = chance.choice((0, took_ns // 3))
        etcd_ns = took_ns // 2
        times = chance.randint(1, 3)
        endpoint.observe(took_ns, waited_ns, etcd_ns, 201, times)
        duration.observe(took_ns * 1e-9, times)
        sli.observe(took_ns * 1e-9 - waited_ns * 1e-9, times)
        etcd.observe(etcd_ns * 1e-9, times)
    for ours, expected in (
        (endpoint.duration, duration),
        (endpoint.sli, sli),
        (endpoint.etcd_duration, etcd),
    ):
        assert ours.counts == expected.counts
        assert ours.total == expected.total


def test_some_resources_take_less_than_others() -> None:
    all_of_them = endpoints(create="10ms")
    assert all_of_them.find("POST", POD).cpu_ns() == 10_000_000
    assert all_of_them.find("POST", EVENT).cpu_ns() == 5_000_000


def test_endpoints_that_nobody_called_are_not_told() -> None:
    all_of_them = endpoints()
    all_of_them.find("POST", POD)
    assert all(not list(family.samples()) for family in all_of_them.families())
    all_of_them.find("POST", POD).observe(1, 0, 0, 201)
    assert all(list(family.samples()) for family in all_of_them.families())


def test_what_is_kept_between_scrapes_is_what_would_be_put_together_anew() -> None:
    kept = endpoints()
    chance = random.Random(2)
    for _ in range(40):
        for verb, subresource in (("POST", ""), ("PUT", "status"), ("GET", ""), ("PATCH", "")):
            endpoint = kept.find(verb, chance.choice((POD, EVENT)), subresource)
            if chance.random() < 0.3:
                took_ns = chance.randint(1, 3_000_000_000)
                code = chance.choice((endpoint.success, 409))
                endpoint.observe(took_ns, 0, took_ns // 3, code, chance.randint(1, 2))
        if chance.random() < 0.2:
            kept.find("WATCH", POD).observe_watch(450_000_000_000, 1)
        called = [each for each in kept if each.codes]
        anew = EndpointFamilies(called).updated()
        assert exposition(kept.families()) == exposition(anew)
