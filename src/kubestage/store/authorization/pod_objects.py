"""The objects that a pod refers to, so that its node may read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

MIRROR: Final = "kubernetes.io/config.mirror"
"""The annotation of a pod that a node made itself."""
_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")
# How variables name them, and how volumes do: with the name itself, or with an object that has it.
_VARIABLES: Final = {
    "secrets": ("secretRef", "secretKeyRef"),
    "configmaps": ("configMapRef", "configMapKeyRef"),
}
_SECRET_REFERENCES: Final = ("secretRef", "nodePublishSecretRef")
_VOLUME_SECRETS: Final = ("nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef")


def of_pod(pod: Json) -> Iterator[tuple[str, str]]:
    """The resources and names of what a pod refers to, in its own namespace."""
    metadata, spec = pod["metadata"], pod["spec"]
    if MIRROR in (metadata.get("annotations") or {}):
        return
    if spec.get("serviceAccountName"):
        yield "serviceaccounts", spec["serviceAccountName"]
    for secret in spec.get("imagePullSecrets") or ():
        yield "secrets", secret.get("name") or ""
    for part in _CONTAINERS:
        for container in spec.get(part) or ():
            yield from _of_variables(container)
    for volume in spec.get("volumes") or ():
        yield from _of_volume(volume, metadata["name"])
    yield from _claims(pod)


def _of_variables(container: Json) -> Iterator[tuple[str, str]]:
    sources = [each.get("valueFrom") or {} for each in container.get("env") or ()]
    for source in (*sources, *(container.get("envFrom") or ())):
        for resource, keys in _VARIABLES.items():
            for key in keys:
                if source.get(key):
                    yield resource, source[key].get("name") or ""


def _of_volume(volume: Json, pod_name: str) -> Iterator[tuple[str, str]]:
    if volume.get("persistentVolumeClaim"):
        yield "persistentvolumeclaims", volume["persistentVolumeClaim"]["claimName"]
    if volume.get("ephemeral"):
        yield "persistentvolumeclaims", f"{pod_name}-{volume['name']}"
    for source in (volume.get("projected") or {}).get("sources") or ():
        for resource, key in (("secrets", "secret"), ("configmaps", "configMap")):
            if source.get(key):
                yield resource, source[key].get("name") or ""
    for kind, source in volume.items():
        if not isinstance(source, dict):
            continue
        if kind == "configMap":
            yield "configmaps", source.get("name") or ""
        if source.get("secretName"):
            yield "secrets", source["secretName"]
        for key in _SECRET_REFERENCES:
            if source.get(key):
                yield "secrets", source[key].get("name") or ""


def _claims(pod: Json) -> Iterator[tuple[str, str]]:
    status = pod.get("status") or {}
    made = {each["name"]: each for each in status.get("resourceClaimStatuses") or ()}
    for claim in pod["spec"].get("resourceClaims") or ():
        name = claim.get("resourceClaimName")
        name = name or (made.get(claim["name"]) or {}).get("resourceClaimName")
        if name:
            yield "resourceclaims", name
    extended = (status.get("extendedResourceClaimStatus") or {}).get("resourceClaimName")
    if extended:
        yield "resourceclaims", extended


def secrets_of_volume(volume: Json) -> Iterator[tuple[str, str]]:
    """Namespaces and names of the Secrets that a node needs for a PersistentVolume."""
    spec = volume["spec"]
    claimed = (spec.get("claimRef") or {}).get("namespace") or ""
    csi = spec.get("csi") or {}
    references = [
        csi.get(key)
        for key in ("nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef")
    ]
    references += [
        source.get("secretRef")
        for kind, source in spec.items()
        if isinstance(source, dict) and kind != "csi"
    ]
    for reference in references:
        if reference:
            yield reference.get("namespace") or claimed, reference.get("name") or ""
    azure = spec.get("azureFile") or {}
    if azure.get("secretName"):
        yield azure.get("secretNamespace") or claimed, azure["secretName"]
