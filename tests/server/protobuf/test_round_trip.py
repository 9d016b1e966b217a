"""What the real clients write is read back whole."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.objects import kinds
from kubestage.server.protobuf import envelope as protobuf
from kubestage.server.protobuf import messages, table
from tests.golden import vectors
from tests.server.protobuf import encoding

if TYPE_CHECKING:
    from kubestage.aliases import Json

SENT = (
    ("v1", "Binding"),
    ("policy/v1", "Eviction"),
    ("v1", "DeleteOptions"),
    ("policy/v1", "DeleteOptions"),
    ("authentication.k8s.io/v1", "TokenRequest"),
    ("authentication.k8s.io/v1", "TokenReview"),
    ("authentication.k8s.io/v1", "SelfSubjectReview"),
    ("authorization.k8s.io/v1", "SelfSubjectAccessReview"),
    ("authorization.k8s.io/v1", "SelfSubjectRulesReview"),
    ("authorization.k8s.io/v1", "SubjectAccessReview"),
    ("authorization.k8s.io/v1", "LocalSubjectAccessReview"),
    ("autoscaling/v1", "Scale"),
    ("events.k8s.io/v1", "Event"),
)


def without_null(value: Any) -> Any:
    """JSON's null and an absent field mean the same in the API."""
    if isinstance(value, dict):
        return {key: without_null(item) for key, item in value.items() if item is not None}
    return [without_null(item) for item in value] if isinstance(value, list) else value


def test_every_recorded_object_survives() -> None:
    for entry in vectors.load("defaulting"):
        obj = entry["out"].get("defaulted")
        if obj:
            assert protobuf.decode(encoding.envelope(obj)) == without_null(obj), entry["id"]


@pytest.mark.parametrize(("api_version", "kind"), SENT)
def test_kinds_that_are_sent_and_not_stored_are_known(api_version: str, kind: str) -> None:
    assert protobuf.is_known(api_version, kind)


def test_every_built_in_kind_of_kubernetes_is_known() -> None:
    unknown = {
        row.group for row in kinds.BUILT_IN if not protobuf.is_known(row.api_version, row.kind)
    }
    assert unknown == {
        "autoscaling.k8s.io",
        "karpenter.k8s.aws",
        "karpenter.sh",
        "kubestage.dev",
        "kwok.x-k8s.io",
        "simulation.kube-scheduler-simulator.x-k8s.io",
    }


def test_the_table_names_no_type_that_it_lacks() -> None:
    scalars = {"string", "bytes", "bool", "int32", "int64", "double"}
    waiting = [table.message_of(*kind) or "" for kind in table.kinds()]
    seen: set[str] = set()
    while waiting:
        message = waiting.pop()
        if message not in seen:
            seen.add(message)
            # What is no message of the table has no fields there, and fails.
            waiting += {field.type for field in table.fields(message).values()} - scalars
    assert len(seen) > 400


def body(**parts: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, **parts}


@pytest.mark.parametrize(
    "obj",
    [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "a", "creationTimestamp": "2026-01-02T03:04:05Z"},
            "data": {"key": "AAH/", "none": ""},
        },
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "a"},
            "spec": {"renewTime": "2026-01-02T03:04:05.678901Z", "leaseTransitions": 0},
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "a"},
            "spec": {
                "ports": [
                    {"port": 80, "targetPort": "http"},
                    {"port": -81, "targetPort": 8080},
                    {"port": 82, "targetPort": 0},
                ]
            },
            "status": {"loadBalancer": {}},
        },
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "metadata": {},
            "spec": {"extra": {"scopes": ["a", "b"], "none": []}},
            "status": {"allowed": False},
        },
        {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "gracePeriodSeconds": 0,
            "preconditions": {"uid": ""},
            "dryRun": ["All"],
        },
        {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {
                "name": "a",
                "managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {".": {}}}}],
            },
            "data": {"spec": {"replicas": 3}},
            "revision": 0,
        },
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "a"},
            "spec": {
                "group": "g",
                "names": {"plural": "p", "kind": "K"},
                "scope": "Cluster",
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": False,
                        "schema": {
                            "openAPIV3Schema": {
                                "type": "object",
                                "properties": {
                                    "a": {"type": "number", "maximum": 1.5, "minimum": 0},
                                    "b": {"items": {"type": "string", "default": "x"}},
                                    "c": {"items": [{"type": "string"}]},
                                    "d": {"additionalProperties": True},
                                    "e": {"additionalProperties": False},
                                    "f": {"additionalProperties": {"type": "integer"}},
                                    "h": {"additionalProperties": {}},
                                    "g": {
                                        "enum": [None, 1, "x", {"a": []}],
                                        "x-kubernetes-validations": [{"rule": "true"}],
                                    },
                                },
                            }
                        },
                    }
                ],
            },
            "status": {"acceptedNames": {"plural": "", "kind": ""}},
        },
    ],
    ids=lambda obj: obj["kind"],
)
def test_values_with_a_form_of_their_own_survive(obj: Json) -> None:
    assert protobuf.decode(encoding.envelope(obj)) == obj


def test_no_time_at_all_is_absent() -> None:
    beginning_of_time = encoding.number_field(1, -62_135_596_800)
    for moment in (b"", beginning_of_time):
        metadata = encoding.piece(9, moment) + encoding.piece(1, b"a")
        message = encoding.piece(1, metadata)
        data = protobuf.MAGIC + encoding.piece(2, message)
        assert protobuf.decode(data, "v1", "Pod")["metadata"] == {"name": "a"}


def test_an_empty_quantity_is_zero() -> None:
    entry = encoding.piece(1, b"cpu") + encoding.piece(2, b"")
    data = protobuf.MAGIC + encoding.piece(2, encoding.piece(2, encoding.piece(32, entry)))
    assert protobuf.decode(data, "v1", "Pod")["spec"] == {"overhead": {"cpu": "0"}}


def test_a_whole_number_has_no_fraction() -> None:
    schema = encoding.encode("apiextensions.v1.JSONSchemaProps", {"maximum": 3.0, "minimum": 0.5})
    read = messages.decode("apiextensions.v1.JSONSchemaProps", schema)
    assert msgspec.json.encode(read) == b'{"maximum":3,"minimum":0.5}'


def test_empty_bytes_are_absent_though_they_are_a_pointer() -> None:
    client = encoding.encode("admissionregistration.v1.WebhookClientConfig", {"caBundle": ""})
    assert messages.decode("admissionregistration.v1.WebhookClientConfig", client) == {}


def test_a_zero_is_kept_where_it_says_something_and_dropped_where_it_does_not() -> None:
    spec = {"hostNetwork": False, "priority": 0, "hostname": "", "containers": [{"name": ""}]}
    read = protobuf.decode(encoding.envelope(body(spec=spec, status={})))
    assert read["spec"] == {"priority": 0, "containers": [{"name": ""}]}


def test_an_embedded_message_gives_its_fields_to_its_owner() -> None:
    volume = {"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}
    read = protobuf.decode(encoding.envelope(body(spec={"volumes": [volume]})))
    assert read["spec"]["volumes"] == [volume]


def test_bodies_of_kubectl_hold_what_kubectl_prints_of_them() -> None:
    for entry in vectors.load("protobuf", "kubectl"):
        assert protobuf.decode(base64.b64decode(entry["in"])) == entry["out"], entry["id"]
