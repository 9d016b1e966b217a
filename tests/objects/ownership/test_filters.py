"""Which fields nobody can own through a request."""

from __future__ import annotations

import pytest

from kubestage.objects.kinds import loader
from kubestage.objects.kinds.behavior import CUSTOM_RESOURCE
from kubestage.objects.ownership import field_set, filters

CONTAINER = ("f:spec", "f:containers", 'k:{"name":"c"}')
FIELDS = field_set.of_paths(
    ("f:metadata", "f:labels", "f:a"),
    ("f:metadata", "f:ownerReferences"),
    (*CONTAINER, "f:image"),
    (*CONTAINER, "f:resources", "f:limits"),
    ("f:spec", "f:ephemeralContainers"),
    ("f:status", "f:phase"),
    ("f:status", "f:conditions", 'k:{"type":"Ready"}'),
)


def of_request(api_version: str, kind: str, subresource: str) -> filters.Filter:
    behavior = loader.behavior(api_version, kind)
    return filters.of_request(behavior, subresource, has_status=True, is_custom=False)


@pytest.mark.parametrize(
    ("api_version", "kind", "subresource", "left"),
    [
        ("v1", "Pod", "", {"f:metadata", "f:spec"}),
        ("v1", "Pod", "status", {"f:metadata", "f:status"}),
        ("v1", "Pod", "resize", {"f:spec"}),
        ("v1", "Pod", "ephemeralcontainers", {"f:spec"}),
        ("v1", "Namespace", "finalize", {"f:metadata", "f:spec"}),
        ("resource.k8s.io/v1", "ResourceClaim", "status", {"f:status"}),
        ("networking.k8s.io/v1", "Ingress", "status", {"f:metadata", "f:status"}),
        ("networking.k8s.io/v1", "ServiceCIDR", "status", {"f:status"}),
        ("certificates.k8s.io/v1", "CertificateSigningRequest", "", {"f:metadata"}),
    ],
)
def test_a_request_owns_no_part_that_its_strategy_resets(
    api_version: str, kind: str, subresource: str, left: set[str]
) -> None:
    found = of_request(api_version, kind, subresource)
    assert set(found.of(FIELDS)) == left


def test_parts_of_parts_are_reset_where_the_strategy_says_so() -> None:
    status = of_request("v1", "Pod", "status")
    assert status.of(FIELDS)["f:metadata"] == {"f:labels": {"f:a": {}}}
    resize = of_request("v1", "Pod", "resize")
    assert resize.of(FIELDS) == field_set.of_paths((*CONTAINER, "f:resources", "f:limits"))


def test_custom_resources_reset_the_status_only_if_it_is_apart() -> None:
    apart = filters.of_request(CUSTOM_RESOURCE, "", has_status=True, is_custom=True)
    one = filters.of_request(CUSTOM_RESOURCE, "", has_status=False, is_custom=True)
    status = filters.of_request(CUSTOM_RESOURCE, "status", has_status=True, is_custom=True)
    assert "f:status" not in apart.of(FIELDS)
    assert one.of(FIELDS) == FIELDS
    assert set(status.of(FIELDS)) == {"f:status"}
