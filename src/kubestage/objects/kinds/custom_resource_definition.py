"""What the API does to a CustomResourceDefinition."""

from __future__ import annotations

from typing import Final

from kubestage.aliases import Json
from kubestage.objects.custom import advice
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind


def _default(obj: Json) -> None:
    spec, status = obj["spec"], obj["status"]
    names = spec["names"]
    if names["kind"]:
        names.setdefault("singular", names["kind"].lower())
        names.setdefault("listKind", f"{names['kind']}List")
    conversion = spec.setdefault("conversion", {"strategy": "None"})
    if not status["storedVersions"]:
        stored = [version["name"] for version in spec["versions"] or () if version["storage"]]
        status["storedVersions"] = stored[:1] or status["storedVersions"]
    client = conversion.get("webhook", {}).get("clientConfig", {})
    if "service" in client:
        client["service"].setdefault("port", 443)


def _round_trip(obj: Json) -> None:
    """A webhook without any field is dropped."""
    conversion = obj["spec"]["conversion"]
    webhook = conversion.get("webhook")
    empty = webhook is not None and webhook["conversionReviewVersions"] is None
    if empty and "clientConfig" not in webhook:
        del conversion["webhook"]


KIND: Final = Kind(
    group="apiextensions.k8s.io",
    version="v1",
    kind="CustomResourceDefinition",
    plural="customresourcedefinitions",
    namespaced=False,
    short_names=("crd", "crds"),
    categories=("api-extensions",),
    subresources=frozenset({"status"}),
    declared=Behavior(
        default=_default,
        round_trip=_round_trip,
        generation_fields=("spec",),
        warn_create=advice.on_definition,
        warn_update={"": advice.on_definition},
        status_resets_metadata=True,
        unconditional_update=False,
        storage_prefix="apiextensions.k8s.io/customresourcedefinitions",
    ),
)
