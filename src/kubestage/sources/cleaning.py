"""What no import keeps: bookkeeping that holds copies of objects, secrets, tokens, certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from kubestage.aliases import Json

_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
# They hold a copy of the object, or what a token is made of.
_ANNOTATIONS: Final = frozenset({
    _LAST_APPLIED, "openshift.io/token-secret.value", "objectset.rio.cattle.io/applied",
    "kopf.zalando.org/last-handled-configuration",
})  # fmt: skip
_CONTENT: Final = ("data", "stringData", "binaryData")
_TOKEN_TYPES: Final = frozenset({
    "kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token",
})  # fmt: skip
TOKEN: Final = "holds a token"


class Kept(msgspec.Struct, frozen=True):
    """What a user has requested beyond names and shapes."""

    secrets: bool = False
    config_data: bool = False


def is_token(obj: Json) -> bool:
    """Whether an object is a credential of a cluster, which is never kept."""
    return obj.get("kind") == "Secret" and obj.get("type") in _TOKEN_TYPES


def clean(obj: Json, kept: Kept) -> bool:
    """Remove from an object what is not kept; returns whether its data was removed."""
    metadata = obj["metadata"]
    metadata.pop("managedFields", None)
    metadata.pop("selfLink", None)
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict):
        for name in _ANNOTATIONS & annotations.keys():
            del annotations[name]
        if not annotations:
            del metadata["annotations"]
    kind = obj["kind"]
    if kind == "CustomResourceDefinition":
        _clean_definition(obj)
    if (kind == "Secret" and not kept.secrets) or (kind == "ConfigMap" and not kept.config_data):
        removed = [obj.pop(field, None) for field in _CONTENT]
        return any(removed)
    return False


def _clean_definition(obj: Json) -> None:
    """A definition without its webhook, which nothing calls here, and its certificate."""
    spec = obj.get("spec")
    if isinstance(spec, dict) and "conversion" in spec:
        spec["conversion"] = {"strategy": "None"}
