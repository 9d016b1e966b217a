"""CustomResourceDefinitions made from the kind table and the type table.

For kinds that other projects define (VerticalPodAutoscaler, KWOK's Stage), and that kubestage
serves without their definitions being there.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects import own_definitions, schema
from kubestage.objects.kinds import BUILT_IN
from kubestage.objects.schema import Form

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind


# Kinds of ours whose definition is part of the package.
_WRITTEN: Final = frozenset({
    "ec2nodeclasses", "nodeclaims", "nodegroups", "nodeoverlays", "nodepools", "pricecatalogs",
    "scenarios", "stagenodeclasses", "traffics",
})  # fmt: skip
_GROUPS: Final = frozenset({
    "autoscaling.k8s.io", "karpenter.k8s.aws", "karpenter.sh", "kubestage.dev", "kwok.x-k8s.io",
    "simulation.kube-scheduler-simulator.x-k8s.io",
})  # fmt: skip
_AGE: Final[Json] = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
_TARGET: Final = ".status.recommendation.containerRecommendations[0].target"
_PROVIDED: Final = ".status.conditions[?(@.type=='RecommendationProvided')].status"
_COLUMNS: Final[dict[str, list[Json]]] = {
    "VerticalPodAutoscaler": [
        {"name": "Mode", "type": "string", "jsonPath": ".spec.updatePolicy.updateMode"},
        {"name": "CPU", "type": "string", "jsonPath": f"{_TARGET}.cpu"},
        {"name": "Mem", "type": "string", "jsonPath": f"{_TARGET}.memory"},
        {"name": "Provided", "type": "string", "jsonPath": _PROVIDED},
        _AGE,
    ],
}
# Without it a group of Kubernetes' own is not accepted.
_APPROVED: Final = {
    "autoscaling.k8s.io": {
        "api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/63797"
    }
}
_ANYTHING: Final[Json] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_SCALARS: Final = {
    Form.STRING: "string",
    Form.BOOL: "boolean",
    Form.INTEGER: "integer",
    Form.FLOAT: "number",
}
_FORMATS: Final = {"int32": "int32", "int64": "int64", "float64": "double"}
_OPAQUE: Final[dict[str, Json]] = {
    "intstr.IntOrString": {"x-kubernetes-int-or-string": True},
    "resource.Quantity": {"x-kubernetes-int-or-string": True},
    "meta/v1.Time": {"type": "string", "format": "date-time"},
    "meta/v1.MicroTime": {"type": "string", "format": "date-time"},
    "meta/v1.Duration": {"type": "string"},
}


@functools.cache
def all_of_ours() -> tuple[Json, ...]:
    """The definitions of all kinds of the table that are custom resources; for reading only."""
    return tuple(definition(row) for row in BUILT_IN if row.group in _GROUPS)


def definition(row: Kind) -> Json:
    """The definition of a kind of the table: as it was written, or made from the tables."""
    if row.plural in _WRITTEN:
        return own_definitions.definition(row.plural)
    metadata: Json = {"name": row.resource}
    if row.group in _APPROVED:
        metadata["annotations"] = _APPROVED[row.group]
    names: Json = {
        "kind": row.kind,
        "listKind": row.list_kind,
        "plural": row.plural,
        "singular": row.singular,
    }
    if row.short_names:
        names["shortNames"] = list(row.short_names)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": {
            "group": row.group,
            "names": names,
            "scope": "Namespaced" if row.namespaced else "Cluster",
            "versions": [_version(row)],
        },
    }


def _version(row: Kind) -> Json:
    version: Json = {
        "name": row.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": _schema(row)},
        "additionalPrinterColumns": _COLUMNS.get(row.kind, [_AGE]),
    }
    if "status" in row.subresources:
        version["subresources"] = {"status": {}}
    return version


def _schema(row: Kind) -> Json:
    struct = schema.kind_struct(row.api_version, row.kind)
    properties: Json = {"spec": _ANYTHING, "status": _ANYTHING}
    if struct is not None:
        properties = {
            name: _type(field.type)
            for name, field in struct.by_json.items()
            if name not in ("apiVersion", "kind", "metadata")
        }
    head = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
    return {"type": "object", "properties": {**head, "metadata": {"type": "object"}, **properties}}


def _type(type_: schema.Type) -> Json:
    """A type as a structural schema, with all that it refers to in its place."""
    bare = type_.bare
    if bare.form in _SCALARS:
        out: Json = {"type": _SCALARS[bare.form]}
        return {**out, "format": _FORMATS[bare.name]} if bare.name in _FORMATS else out
    if bare.form is Form.BYTES:
        return {"type": "string", "format": "byte"}
    if bare.form is Form.LIST:
        assert bare.element is not None
        return {"type": "array", "items": _type(bare.element)}
    if bare.form is Form.MAP:
        assert bare.element is not None
        return {"type": "object", "additionalProperties": _type(bare.element)}
    if bare.form is Form.OPAQUE:
        return _OPAQUE.get(bare.name, _ANYTHING)
    struct = schema.struct(bare.name)
    return {
        "type": "object",
        "properties": {name: _type(field.type) for name, field in struct.by_json.items()},
    }
