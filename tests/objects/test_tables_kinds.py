"""Kinds that no recording covers: cells worked out by hand from the rules."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import kinds, tables, timestamps
from kubestage.objects.tables import printers

NOW_NS = timestamps.parse_time("2026-01-01T00:05:00Z")
CREATED = "2026-01-01T00:00:00Z"
RBAC = "rbac.authorization.k8s.io/v1"


def _cells(api_version: str, kind: str, **fields: Any) -> list[Any]:
    metadata = {"name": "x", "creationTimestamp": CREATED, **fields.pop("metadata", {})}
    obj = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}
    return list(tables.row(obj, NOW_NS).cells)


def test_every_built_in_kind_has_as_many_cells_as_columns() -> None:
    for kind in kinds.BUILT_IN:
        columns = tables.columns(kind.api_version, kind.kind)
        # Upstream gives an IPAddress an age, and no column for it.
        extra = kind.kind == "IPAddress"
        assert len(_cells(kind.api_version, kind.kind)) == len(columns) + extra, kind.kind
        assert columns[0].name == "Name" or kind.kind == "Event"


def _endpoints(*addresses: str, ports: tuple[int, ...] = ()) -> dict[str, Any]:
    return {
        "addresses": [{"ip": address} for address in addresses],
        "ports": [{"port": port} for port in ports],
    }


@pytest.mark.parametrize(
    ("subsets", "expected"),
    [
        ([], "<none>"),
        ([_endpoints("1.1.1.1", "fd00::1", ports=(80,))], "1.1.1.1:80,[fd00::1]:80"),
        ([_endpoints("1.1.1.1", "1.1.1.2")], "1.1.1.1,1.1.1.2"),
        (
            [_endpoints("1.1.1.1", "1.1.1.2", ports=(80, 81))],
            "1.1.1.1:80,1.1.1.2:80,1.1.1.1:81 + 1 more...",
        ),
    ],
)
def test_endpoints_show_three_addresses_and_count_the_rest(
    subsets: list[Any], expected: str
) -> None:
    assert _cells("v1", "Endpoints", subsets=subsets) == ["x", expected, "5m"]


def test_endpoint_slices_name_ports_that_have_no_number() -> None:
    row = _cells(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        addressType="IPv4",
        ports=[{"port": 80}, {"name": "web"}, {}],
        endpoints=[{"addresses": ["10.0.0.1", "10.0.0.2"]}],
    )
    assert row == ["x", "IPv4", "80,web,*", "10.0.0.1,10.0.0.2", "5m"]
    empty = _cells("discovery.k8s.io/v1", "EndpointSlice", addressType="IPv6")
    assert empty == ["x", "IPv6", "<unset>", "<unset>", "5m"]


def test_ingresses_show_hosts_addresses_and_ports() -> None:
    hosts: list[Any] = [{"host": name} for name in "abcd"]
    row = _cells(
        "networking.k8s.io/v1",
        "Ingress",
        spec={"ingressClassName": "nginx", "rules": [{}, *hosts], "tls": [{}]},
        status={"loadBalancer": {"ingress": [{"hostname": "h"}, {"ip": "2.2.2.2"}]}},
    )
    assert row == ["x", "nginx", "a,b,c + 2 more...", "2.2.2.2,h", "80, 443", "5m"]
    assert _cells("networking.k8s.io/v1", "Ingress") == ["x", "<none>", "*", "", "80", "5m"]


def test_default_classes_are_marked() -> None:
    row = _cells(
        "networking.k8s.io/v1",
        "IngressClass",
        metadata={"annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
        spec={"controller": "c", "parameters": {"apiGroup": "g", "kind": "K", "name": "n"}},
    )
    assert row == ["x (default)", "c", "K.g/n", "5m"]


def test_bindings_sort_their_subjects_by_kind() -> None:
    subjects = [
        {"kind": "User", "name": "ann"},
        {"kind": "ServiceAccount", "namespace": "ns", "name": "sa"},
        {"kind": "Group", "name": "g1"},
        {"kind": "Group", "name": "g2"},
        {"kind": "Robot", "name": "r"},
    ]
    for kind in ("RoleBinding", "ClusterRoleBinding"):
        row = _cells(RBAC, kind, subjects=subjects, roleRef={"kind": "Role", "name": "r"})
        assert row == ["x", "Role/r", "5m", "ann", "g1, g2", "ns/sa"]


@pytest.mark.parametrize(
    ("metadata", "status", "state"),
    [
        ({}, {}, "pending"),
        ({}, {"allocation": {}}, "allocated"),
        ({}, {"allocation": {}, "reservedFor": [{}]}, "allocated,reserved"),
        ({"deletionTimestamp": CREATED}, {}, "deleted"),
        ({"deletionTimestamp": CREATED}, {"allocation": {}}, "deleted,allocated"),
    ],
)
def test_claims_tell_their_state(
    metadata: dict[str, Any], status: dict[str, Any], state: str
) -> None:
    row = _cells("resource.k8s.io/v1", "ResourceClaim", metadata=metadata, status=status)
    assert row == ["x", state, "5m"]


def test_drivers_show_what_they_need() -> None:
    spec = {
        "attachRequired": False,
        "tokenRequests": [{"audience": "a"}, {"audience": ""}],
        "volumeLifecycleModes": ["Persistent", "Ephemeral"],
    }
    row = _cells("storage.k8s.io/v1", "CSIDriver", spec=spec)
    assert row == ["x", False, False, False, "a,", False, "Persistent,Ephemeral", "5m"]
    bare = _cells("storage.k8s.io/v1", "CSIDriver")
    assert bare == ["x", True, False, False, "<unset>", False, "<none>", "5m"]


def test_quotas_keep_limits_apart_from_the_rest() -> None:
    status = {"hard": {"pods": "10", "limits.cpu": "4", "cpu": "2"}, "used": {"cpu": "500m"}}
    row = _cells("v1", "ResourceQuota", status=status)
    assert row == ["x", "cpu: 500m/2, pods: 0/10", "limits.cpu: 0/4", "5m"]


def test_revisions_name_their_controller() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "controller": True}
    row = _cells("apps/v1", "ControllerRevision", metadata={"ownerReferences": [owner]}, revision=3)
    assert row == ["x", "statefulset.apps/db", 3, "5m"]
    assert _cells("apps/v1", "ControllerRevision") == ["x", "<none>", 0, "5m"]


def test_events_of_both_groups_print_alike() -> None:
    seen = "2026-01-01T00:04:00Z"
    old = _cells(
        "v1",
        "Event",
        lastTimestamp=seen,
        count=2,
        involvedObject={"kind": "Pod", "name": "p"},
        source={"component": "c"},
        reportingInstance="i",
        message=" hi\n",
    )
    new = _cells(
        "events.k8s.io/v1",
        "Event",
        deprecatedLastTimestamp=seen,
        deprecatedCount=2,
        regarding={"kind": "Pod", "name": "p"},
        deprecatedSource={"component": "c"},
        reportingInstance="i",
        note=" hi\n",
    )
    assert old == new == ["60s", "", "", "pod/p", "", "c, i", "hi", "<unknown>", 2, "x"]


def test_a_span_of_more_than_three_centuries_is_shown_as_the_longest_there_is() -> None:
    row = _cells("v1", "Namespace", metadata={"creationTimestamp": "0002-01-01T00:00:00Z"})
    assert row[2] == "292y"
    never = _cells("v1", "Namespace", metadata={"creationTimestamp": None})
    assert never[2] == "<unknown>"


def test_plain_kinds_show_when_they_were_created() -> None:
    assert _cells("v1", "LimitRange") == ["x", CREATED]
    later = _cells(RBAC, "Role", metadata={"creationTimestamp": "2026-01-01T01:00:00+01:00"})
    assert later == ["x", CREATED]


def test_only_pods_that_are_done_carry_conditions() -> None:
    for phase, count in (("Running", 0), ("Succeeded", 1), ("Failed", 1)):
        obj = {"apiVersion": "v1", "kind": "Pod", "status": {"phase": phase}}
        row = tables.row(obj, NOW_NS)
        assert len(row.conditions) == count
        assert all(condition["reason"] == phase for condition in row.conditions)


def test_printers_are_found_once() -> None:
    assert printers.printer("v1", "Pod") is printers.printer("v1", "Pod")
