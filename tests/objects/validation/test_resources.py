from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects.validation import resource_names, resources
from tests.objects.validation.pod_specs import container, problems, spec, texts, with_container

AT = "spec.containers[0].resources"
PAGES = "hugepages-2Mi"


def _problems(**requirements: Any) -> list[str]:
    return problems(with_container(resources=requirements))


@pytest.mark.parametrize(
    ("requirements", "expected"),
    [
        ({"limits": {"cpu": 1, "memory": "1Gi"}, "requests": {"cpu": "500m"}}, []),
        (
            {"limits": {"cpu": "-1"}},
            [f'{AT}.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
        ),
        (
            {"limits": {"cpu": "1"}, "requests": {"cpu": "1500m"}},
            [
                (
                    f'{AT}.requests: Invalid value: "1500m": must be less than or equal to cpu '
                    "limit of 1"
                )
            ],
        ),
        (
            {"limits": {"pods": "1"}},
            [
                (
                    f'{AT}.limits[pods]: Invalid value: "pods": must be a standard resource for '
                    "containers"
                )
            ],
        ),
        (
            {"limits": {"gpu": "1"}},
            [
                (
                    f'{AT}.limits[gpu]: Invalid value: "gpu": must be a standard resource type or '
                    "fully qualified"
                ),
                (
                    f'{AT}.limits[gpu]: Invalid value: "gpu": must be a standard resource for '
                    "containers"
                ),
            ],
        ),
        (
            {"limits": {"requests.a.b/c": "1"}},
            [
                (
                    f'{AT}.limits[requests.a.b/c]: Invalid value: "requests.a.b/c": doesn\'t '
                    "follow extended resource name standard"
                )
            ],
        ),
        (
            {"limits": {"a.b/c": "1500m"}},
            [f'{AT}.limits[a.b/c]: Invalid value: "1500m": must be an integer'],
        ),
        (
            {"requests": {"a.b/c": "1"}},
            [f"{AT}.limits: Required value: Limit must be set for non overcommitable resources"],
        ),
        (
            {"limits": {"a.b/c": "2"}, "requests": {"a.b/c": "1"}},
            [f'{AT}.requests: Invalid value: "1": must be equal to a.b/c limit of 2'],
        ),
        ({"limits": {PAGES: "4Mi", "cpu": "1"}, "requests": {PAGES: "4Mi"}}, []),
        ({"limits": {PAGES: "4Mi"}}, [f"{AT}: Forbidden: HugePages require cpu or memory"]),
        (
            {"limits": {PAGES: "3Mi", "cpu": "1"}, "requests": {PAGES: "3Mi"}},
            [
                (
                    f'{AT}.limits[{PAGES}]: Invalid value: "3Mi": 3Mi is not positive integer '
                    f"multiple of {PAGES}"
                ),
                (
                    f'{AT}.requests[{PAGES}]: Invalid value: "3Mi": 3Mi is not positive integer '
                    f"multiple of {PAGES}"
                ),
            ],
        ),
    ],
)
def test_requests_and_limits(requirements: dict[str, Any], expected: list[str]) -> None:
    assert _problems(**requirements) == expected


@pytest.mark.parametrize("size", ["x", "0", "-2Mi", "500m"])
def test_nothing_is_a_multiple_of_a_page_without_a_size(size: str) -> None:
    assert resources.has_indivisible_huge_pages({f"hugepages-{size}": "4Mi", "cpu": "1"})


def test_claims_refer_to_the_pods_claims_whole_or_by_request_but_once() -> None:
    claims = [
        {"name": "a", "request": "r"},
        {"name": "a", "request": "s"},
        {"name": "a", "request": "r"},
        {"name": "a"},
        {"name": "b", "request": "r.s"},
        {},
        {"name": "a"},
    ]
    given = spec(
        resourceClaims=[{"name": name, "resourceClaimName": "x"} for name in ("c", "a")],
        containers=[container(resources={"claims": claims})],
    )
    at = f"{AT}.claims"
    assert problems(given) == [
        f'{at}[2]: Duplicate value: "a/r"',
        f'{at}[3]: Duplicate value: "a"',
        f'{at}[3]: Duplicate value: "a"',
        f'{at}[4].request: Invalid value: "r.s": must not contain dots',
        f'{at}[4]: Not found: "b": must be one of the names in pod.spec.resourceClaims: a, c',
        f"{at}[5]: Required value",
        f'{at}[6]: Duplicate value: "a"',
    ]
    assert _problems(claims=[{"name": "a"}]) == [
        (
            f'{at}[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which '
            "is empty"
        )
    ]


def test_quantities_above_zero() -> None:
    assert resources.validate_positive_quantity("1n", "p") == []
    assert texts(resources.validate_positive_quantity("0Gi", "p")) == [
        'p: Invalid value: "0": must be greater than zero'
    ]


def test_what_kind_of_thing_a_resource_is() -> None:
    assert resource_names.is_native("cpu")
    assert resource_names.is_native("kubernetes.io/batteries")
    assert not resource_names.is_extended("kubernetes.io/batteries")
    assert resource_names.is_extended("example.com/gpu")
    assert not resource_names.is_extended("requests.example.com/gpu")
    assert resource_names.is_overcommit_allowed("cpu")
    assert not resource_names.is_overcommit_allowed(PAGES)
    assert resource_names.is_integer("pods")
    assert not resource_names.is_integer("cpu")
    assert resource_names.resource_problems("requests.hugepages-2Mi") == ()


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_request_is_valid_exactly_when_it_is_at_most_the_limit(request: int, limit: int) -> None:
    requirements = {"requests": {"cpu": f"{request}m"}, "limits": {"cpu": f"{limit}m"}}
    errors = resources.validate_requirements(requirements, (), "r")
    assert (not errors) == (request <= limit)


@given(st.integers(-100, 100), st.integers(1, 8))
def test_huge_pages_come_in_whole_pages(amount: int, size: int) -> None:
    indivisible = resources.has_indivisible_huge_pages({f"hugepages-{size}Mi": f"{amount}Mi"})
    assert indivisible == (amount % size != 0)
