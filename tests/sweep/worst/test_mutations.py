"""Mutants are valid, within limits, and the same for the same stream."""

from __future__ import annotations

import pathlib
import random
import tempfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage import Stage
from kubestage.objects import kinds
from kubestage.scenario import operations, resource
from kubestage.sweep.worst import amounts, pod_specs
from kubestage.sweep.worst.case import APPLY
from kubestage.sweep.worst.mutations import failures, registry, sizes
from kubestage.testing import make_deployment, make_node, make_pod
from tests.sweep.worst import inputs

if TYPE_CHECKING:
    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits
    from kubestage.sweep.worst.start import Start

_SIZES = ("sizes={cpu: {}, memory: {}, nvidia.com/gpu: {}}", "failures.most=2")


def _begin() -> tuple[Start, Limits]:
    with tempfile.TemporaryDirectory() as folder:
        return inputs.begin(pathlib.Path(folder), inputs.rich(), settings=_SIZES)


def _begin_living() -> tuple[Start, Limits]:
    objects = [
        *(make_node(f"node-{at}") for at in range(3)),
        make_deployment("web", replicas=3, cpu="500m"),
        inputs.traffic({"sinusoidal": {"amplitude": 5, "period": "4m"}}),
        make_pod("one", cpu="1"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        return inputs.begin(pathlib.Path(folder), *objects, run_for="10m")


START, LIMITS = _begin()
LIVING, LIVING_LIMITS = _begin_living()


def _check_limits(case: Case, limits: Limits) -> None:
    assert limits.pods.low <= len(case.arrivals) <= limits.pods.high
    assert len(failures.failing(case)) <= limits.failures
    for place in case.arrivals:
        event = case.events[place]
        assert limits.times.low <= event.at <= limits.times.high
        replicas = pod_specs.replicas_of(event.object or {})
        assert replicas is None or limits.replicas.low <= replicas <= limits.replicas.high
    for request in sizes.requests(case, limits):
        span = limits.sizes[request.resource]
        assert span.low <= sizes.amount_of(case, request) <= span.high
    assert all(event.at <= limits.end for event in case.events)


@settings(max_examples=150)
@given(seed=st.integers(0, 10_000), number=st.integers(1, 30))
def test_every_mutant_of_a_scenario_is_valid_and_within_limits(seed: int, number: int) -> None:
    case = registry.mutant(START.case, random.Random(seed), LIMITS, number)
    _check_limits(case, LIMITS)
    scenario = START.scenario(case)
    assert not list(resource.problems(scenario, kinds.KindTable(), at_admission=True))
    stage = Stage()
    for event in resource.read(resource.normalized(scenario)).events:
        operations.perform(stage.store, event)


@settings(max_examples=100)
@given(seed=st.integers(0, 10_000), number=st.integers(1, 30))
def test_every_mutant_of_a_living_run_can_be_applied(seed: int, number: int) -> None:
    case = registry.mutant(LIVING.case, random.Random(seed), LIVING_LIMITS, number)
    _check_limits(case, LIVING_LIMITS)
    stage = Stage()
    for _, objects in sorted(LIVING.manifests(case).items()):
        for obj in objects:
            stage.apply([obj])


def test_every_mutation_changes_something() -> None:
    for start, limits in ((START, LIMITS), (LIVING, LIVING_LIMITS)):
        for group, mutations in registry.GROUPS.items():
            if group == "priorities" and not limits.classes:
                continue
            seen = set()
            stream = random.Random(1)
            case = start.case
            for _ in range(300):
                for mutation in mutations:
                    changed = mutation(case, stream, limits)
                    if changed is not None and changed.key != case.key:
                        case = changed
                        seen.add(type(mutation).__name__)
            names = {type(each).__name__ for each in mutations}
            assert names - seen <= (set() if limits.patterns else {"Requests"}), group


def test_the_same_stream_gives_the_same_mutant() -> None:
    first, second, other = (
        registry.mutant(START.case, random.Random(seed), LIMITS, 10).key for seed in (7, 7, 8)
    )
    assert first == second != other


def test_limits_follow_requests() -> None:
    container = {"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1", "memory": "1Gi"}}}
    more = amounts.with_request(container, "cpu", 1500)
    assert more["resources"] == {
        "requests": {"cpu": "1500m"},
        "limits": {"cpu": "1500m", "memory": "1Gi"},
    }
    less = amounts.with_request(container, "cpu", 500)["resources"]
    assert less["limits"]["cpu"] == "500m", "a guaranteed pod stays one"
    burstable = {"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}}
    assert amounts.with_request(burstable, "cpu", 500)["resources"]["limits"]["cpu"] == "2"


def test_an_arrival_never_comes_before_its_namespace_nor_after_what_is_done_to_it() -> None:
    stream = random.Random(3)
    for _ in range(100):
        case = registry.mutant(START.case, stream, LIMITS, 8)
        places = {str(event.target): at for at, event in enumerate(case.events)}
        web = next(
            (
                at
                for at, each in enumerate(case.events)
                if str(each.target) == "deployment/shop/web"
            ),
            None,
        )
        if web is not None:
            assert places["namespace/shop"] < web
            assert case.events[web].at <= 4


def test_a_node_of_a_living_run_fails_by_annotations_and_is_cordoned_by_manifests() -> None:
    stream = random.Random(0)
    seen = set()
    for _ in range(50):
        case = failures.Fail()(LIVING.case, stream, LIVING_LIMITS)
        assert case is not None
        (name,) = failures.failing(case)
        node = next(node for _, node in case.nodes() if node["metadata"]["name"] == name)
        if failures.FAILS_AFTER in (node["metadata"].get("annotations") or {}):
            seen.add("lost")
        else:
            seen.add("cordoned")
            assert next(each.operation for each in case.events if each.tag) == APPLY
        well = failures.Recover()(case, stream, LIVING_LIMITS)
        assert well is not None
        assert not failures.failing(well)
    assert seen == {"lost", "cordoned"}


@pytest.mark.parametrize(
    ("resource_name", "amount", "text"),
    [
        ("cpu", 500, "500m"),
        ("cpu", 2000, "2"),
        ("memory", 1 << 30, "1Gi"),
        ("memory", 3 << 19, "1572864"),
    ],
)
def test_amounts_are_written_as_people_write_them(
    resource_name: str, amount: int, text: str
) -> None:
    assert amounts.text(resource_name, amount) == text
    assert amounts.parse(resource_name, text) == amount


def test_rounder_amounts_have_fewer_digits() -> None:
    assert list(amounts.rounder("cpu", 1850)) == [1000, 2000, 1500, 1750, 1800, 1900]
    assert list(amounts.rounder("cpu", 2000)) == []
    assert list(amounts.rounder("memory", 700 << 20))[:2] == [1 << 30, 512 << 20]
