"""Which fields nobody can own through a request."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("group", "kind", "subresource", "left"),
    [
        ("", "Pod", "", {"f:metadata", "f:spec"}),
        ("", "Pod", "status", {"f:metadata", "f:status"}),
        ("", "Pod", "resize", {"f:spec"}),
        ("", "Pod", "ephemeralcontainers", {"f:spec"}),
        ("", "Namespace", "finalize", {"f:metadata", "f:spec"}),
        ("resource.k8s.io", "ResourceClaim", "status", {"f:status"}),
        ("networking.k8s.io", "Ingress", "status", {"f:metadata", "f:status"}),
        ("networking.k8s.io", "ServiceCIDR", "status", {"f:status"}),
        ("certificates.k8s.io", "CertificateSigningRequest", "", {"f:metadata"}),
    ],
)
def test_a_request_owns_no_part_that_its_strategy_resets(
    group: str, kind: str, subresource: str, left: set[str]
) -> None:
    found = filters.of_request(group, kind, subresource, has_status=True, is_custom=False)
    assert set(found.of(FIELDS)) == left


def test_parts_of_parts_are_reset_where_the_strategy_says_so() -> None:
    status = filters.of_request("", "Pod", "status", has_status=True, is_custom=False)
    assert status.of(FIELDS)["f:metadata"] == {"f:labels": {"f:a": {}}}
    resize = filters.of_request("", "Pod", "resize", has_status=True, is_custom=False)
    assert resize.of(FIELDS) == field_set.of_paths((*CONTAINER, "f:resources", "f:limits"))


def test_custom_resources_reset_the_status_only_if_it_is_apart() -> None:
    apart = filters.of_request("x.io", "X", "", has_status=True, is_custom=True)
    one = filters.of_request("x.io", "X", "", has_status=False, is_custom=True)
    status = filters.of_request("x.io", "X", "status", has_status=True, is_custom=True)
    assert "f:status" not in apart.of(FIELDS)
    assert one.of(FIELDS) == FIELDS
    assert set(status.of(FIELDS)) == {"f:status"}
