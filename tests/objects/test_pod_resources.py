"""Requests and limits of whole pods: recorded cases, and what holds for every pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import pod_resources, qos, quantity, resource_totals
from kubestage.objects.pod_resources import Options, ResourceList
from tests.golden import vectors

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

AMOUNTS = st.dictionaries(
    st.sampled_from(("cpu", "memory", "example.com/gpu")),
    st.sampled_from(("0", "1", "2", "4", "1Gi", "100M", "1e3")),
    max_size=3,
)
CONTAINERS = st.lists(AMOUNTS, min_size=1, max_size=3)
INIT_CONTAINERS = st.lists(st.tuples(AMOUNTS, st.booleans()), max_size=3)


def make_pod(
    containers: list[dict[str, str]], init_containers: Sequence[tuple[dict[str, str], bool]] = ()
) -> dict[str, Any]:
    return {
        "spec": {
            "containers": [
                {"name": f"c{index}", "resources": {"requests": amounts}}
                for index, amounts in enumerate(containers)
            ],
            "initContainers": [
                {"name": f"i{index}", "resources": {"requests": amounts}}
                | ({"restartPolicy": "Always"} if sidecar else {})
                for index, (amounts, sidecar) in enumerate(init_containers)
            ],
        }
    }


def _show(amounts: ResourceList) -> dict[str, Any]:
    return {
        name: {"milliValue": item.milli_value, "string": str(item), "value": item.value}
        for name, item in amounts.items()
    }


def _show_totals(total: resource_totals.Resource) -> dict[str, Any]:
    return {
        "milliCPU": total.milli_cpu,
        "memory": total.memory,
        "ephemeralStorage": total.ephemeral_storage,
        "allowedPodNumber": total.allowed_pod_number,
        "scalarResources": total.scalars,
    }


def _describe(pod: dict[str, Any]) -> dict[str, Any]:
    usage = resource_totals.usage(pod)
    no_overhead = Options(exclude_overhead=True)
    return {
        "requests": _show(pod_resources.requests(pod)),
        "requestsExcludeOverhead": _show(pod_resources.requests(pod, no_overhead)),
        "requestsSkipPodLevel": _show(pod_resources.requests(pod, Options(skip_pod_level=True))),
        "requestsUseStatus": _show(pod_resources.requests(pod, pod_resources.IN_PLACE)),
        "limits": _show(pod_resources.limits(pod)),
        "limitsExcludeOverhead": _show(pod_resources.limits(pod, no_overhead)),
        "limitsUseStatus": _show(pod_resources.limits(pod, pod_resources.IN_PLACE)),
        "isPodLevelRequestsSet": pod_resources.is_pod_level_requests_set(pod),
        "isPodLevelResourcesSet": pod_resources.is_pod_level_resources_set(pod),
        "qosClass": qos.compute(pod),
        "fitPodResourceRequest": _show_totals(resource_totals.fit_request(pod)),
        "schedulerPodResource": _show_totals(usage.resource),
        "schedulerNon0CPU": usage.non_zero_milli_cpu,
        "schedulerNon0Mem": usage.non_zero_memory,
    }


def _is_changed_by_reading(pod: dict[str, Any]) -> bool:
    """Whether upstream's own sums alter the pod that they read.

    A pod-level amount that it holds as a big decimal (``0.5Gi``) is not copied before the
    overhead is added, so each call finds more than the one before. The recording made several
    calls on one pod; a pure function cannot, and should not, agree with the later ones.
    """
    spec = pod["spec"]
    stated, overhead = spec.get("resources") or {}, spec.get("overhead") or {}
    return any(
        quantity.of(amount).is_big and not quantity.of(overhead.get(name)).is_zero
        for which in ("requests", "limits")
        for name, amount in (stated.get(which) or {}).items()
        if pod_resources.is_supported_pod_level(name)
    )


def test_recorded_pods_agree_with_the_api_and_the_scheduler() -> None:
    entries = [
        entry
        for entry in vectors.load("podresources", "pod")
        if not _is_changed_by_reading(entry["in"])
    ]
    wrong = []
    for entry in entries:
        expected = {key: value for key, value in entry["out"].items() if key != "gates"}
        if _describe(entry["in"]) != expected:
            wrong.append(entry["id"])
    assert entries
    assert not wrong


def test_pods_changed_by_upstream_while_it_read_them_differ_by_whole_overheads() -> None:
    for entry in vectors.load("podresources", "pod"):
        pod = entry["in"]
        if _is_changed_by_reading(pod):
            ours = _describe(pod)
            assert ours["qosClass"] == entry["out"]["qosClass"]
            assert ours["requestsSkipPodLevel"] == entry["out"]["requestsSkipPodLevel"]
            for name, recorded in entry["out"]["requests"].items():
                difference = recorded["value"] - ours["requests"][name]["value"]
                overhead = quantity.value_of(pod["spec"]["overhead"].get(name))
                assert difference == 0 or difference % overhead == 0


@given(CONTAINERS, INIT_CONTAINERS, st.randoms(use_true_random=False))
def test_the_order_of_containers_does_not_matter(
    containers: list[dict[str, str]],
    init_containers: list[tuple[dict[str, str], bool]],
    shuffler: random.Random,
) -> None:
    shuffled = list(containers)
    shuffler.shuffle(shuffled)
    assert pod_resources.requests(make_pod(containers, init_containers)) == (
        pod_resources.requests(make_pod(shuffled, init_containers))
    )


@given(CONTAINERS, INIT_CONTAINERS)
def test_whole_numbers_agree_with_exact_quantities(
    containers: list[dict[str, str]], init_containers: list[tuple[dict[str, str], bool]]
) -> None:
    pod = make_pod(containers, init_containers)
    assert pod_resources.whole_requests(pod) == {
        name: amount.milli_value if name == "cpu" else amount.value
        for name, amount in pod_resources.requests(pod).items()
    }


@given(CONTAINERS, INIT_CONTAINERS, AMOUNTS)
def test_another_container_never_lowers_a_request(
    containers: list[dict[str, str]],
    init_containers: list[tuple[dict[str, str], bool]],
    extra: dict[str, str],
) -> None:
    before = pod_resources.requests(make_pod(containers, init_containers))
    after = pod_resources.requests(make_pod([*containers, extra], init_containers))
    assert all(after[name] >= amount for name, amount in before.items())


def test_fine_amounts_are_left_to_exact_quantities() -> None:
    pod = make_pod([{"cpu": "0.5m"}, {"cpu": "0.5m"}])
    assert pod_resources.whole_requests(pod) is None
    assert pod_resources.requests(pod)["cpu"].milli_value == 1
    assert resource_totals.fit_request(pod).milli_cpu == 1


def test_sums_beyond_int64_are_left_to_exact_quantities() -> None:
    pod = make_pod([{"memory": "9E"}, {"memory": "9E"}])
    assert pod_resources.whole_requests(pod) is None


def test_an_init_container_counts_only_above_the_sum() -> None:
    pod = make_pod([{"cpu": "1"}, {"cpu": "1"}], [({"cpu": "3", "memory": "1Gi"}, False)])
    assert {name: str(amount) for name, amount in pod_resources.requests(pod).items()} == {
        "cpu": "3",
        "memory": "1Gi",
    }


def test_a_sidecar_adds_to_what_follows_it() -> None:
    pod = make_pod([{"cpu": "1"}], [({"cpu": "1"}, True), ({"cpu": "5"}, False)])
    assert str(pod_resources.requests(pod)["cpu"]) == "6"


def test_a_resize_in_progress_counts_the_larger_side() -> None:
    pod = make_pod([{"cpu": "1"}])
    held = {"name": "c0", "resources": {"requests": {"cpu": "3"}}}
    pod["status"] = {"containerStatuses": [held]}
    assert pod_resources.has_status_resources(pod)
    assert str(pod_resources.requests(pod)["cpu"]) == "1"
    assert str(pod_resources.requests(pod, pod_resources.IN_PLACE)["cpu"]) == "3"


def test_an_infeasible_resize_does_not_count() -> None:
    pod = make_pod([{"cpu": "9"}])
    pod["status"] = {
        "conditions": [{"type": "PodResizePending", "reason": "Infeasible"}],
        "containerStatuses": [{"name": "c0", "resources": {"requests": {"cpu": "3"}}}],
    }
    assert pod_resources.is_resize_infeasible(pod)
    assert str(pod_resources.requests(pod, pod_resources.IN_PLACE)["cpu"]) == "3"


@given(CONTAINERS, INIT_CONTAINERS, st.lists(AMOUNTS, max_size=4), st.booleans())
def test_a_status_that_repeats_the_spec_bears_on_nothing(
    containers: list[dict[str, str]],
    init_containers: list[tuple[dict[str, str], bool]],
    held: list[dict[str, str]],
    infeasible: bool,
) -> None:
    pod = make_pod(containers, init_containers)
    shown = [
        {"name": each["name"], "resources": dict(each["resources"]), **allocated(each)}
        for each in pod["spec"]["containers"]
    ]
    for each, amounts in zip(shown, held, strict=False):
        each["allocatedResources"] = amounts
    pod["status"] = {"containerStatuses": shown, "resources": {"requests": {"cpu": "7"}}}
    if infeasible:
        pod["status"]["conditions"] = [{"type": "PodResizePending", "reason": "Infeasible"}]
    if not pod_resources.has_status_resources(pod):
        assert pod_resources.requests(pod, pod_resources.IN_PLACE) == pod_resources.requests(pod)
        assert pod_resources.limits(pod, pod_resources.IN_PLACE) == pod_resources.limits(pod)


def allocated(container: dict[str, Any]) -> dict[str, Any]:
    requests = container["resources"].get("requests")
    return {"allocatedResources": requests} if requests else {}


def test_what_was_granted_and_not_asked_for_any_more_bears_on_the_pod() -> None:
    pod = make_pod([{"cpu": "1"}])
    repeated = {"name": "c0", "resources": {"requests": {"cpu": "1"}}}
    pod["status"] = {"containerStatuses": [{**repeated, "allocatedResources": {"cpu": "1"}}]}
    assert not pod_resources.has_status_resources(pod)
    pod["status"] = {"containerStatuses": [{**repeated, "allocatedResources": {"cpu": "2"}}]}
    assert pod_resources.has_status_resources(pod)
    assert str(pod_resources.requests(pod, pod_resources.IN_PLACE)["cpu"]) == "2"
