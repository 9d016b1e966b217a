"""The memo of what pods request gives what the plain computation gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import pod_resources
from kubestage.objects.spec_memo import SpecMemo

if TYPE_CHECKING:
    from kubestage.objects.pod_resources import ResourceList

Json = dict[str, Any]

_LISTS = [{"cpu": "1"}, {"cpu": "250m", "memory": "1Gi"}, {}]
_CONTAINERS = [[{"name": "app", "resources": {"requests": each}}] for each in _LISTS]
_SPECS = st.fixed_dictionaries(
    {"containers": st.sampled_from(_CONTAINERS)},
    optional={
        "initContainers": st.sampled_from(_CONTAINERS),
        "overhead": st.sampled_from(_LISTS),
        "resources": st.sampled_from([{"requests": each} for each in _LISTS]),
    },
)
_STATUSES = st.sampled_from(_LISTS).map(
    lambda held: {
        "containerStatuses": [
            {"name": "app", "resources": {"requests": held}, "allocatedResources": held}
        ]
    }
)
_PODS = st.fixed_dictionaries({"spec": _SPECS}, optional={"status": _STATUSES})


def _requests(pod: Json) -> ResourceList:
    return pod_resources.requests(pod, pod_resources.IN_PLACE)


@given(st.lists(_PODS, max_size=20))
def test_each_pod_has_what_it_would_have_without_a_memo(pods: list[Json]) -> None:
    memo = SpecMemo(_requests)
    for pod in pods:
        assert memo.of(pod) == _requests(pod)


def test_pods_of_one_template_are_read_once() -> None:
    read: list[Json] = []
    memo = SpecMemo(read.append)
    pods = [{"spec": {"containers": _CONTAINERS[0], "nodeName": f"n{each}"}} for each in range(3)]
    for pod in pods:
        memo.of(pod)
    assert read == pods[:1]
