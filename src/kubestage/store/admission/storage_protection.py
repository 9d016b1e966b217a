"""StorageObjectInUseProtection: storage in use outlasts its deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

_FINALIZERS: Final = {
    ("", "PersistentVolume"): "kubernetes.io/pv-protection",
    ("", "PersistentVolumeClaim"): "kubernetes.io/pvc-protection",
    ("storage.k8s.io", "VolumeAttributesClass"): "kubernetes.io/vac-protection",
}


def admit(_core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """Give new volumes and claims the finalizer that a controller takes off when they are free."""
    finalizer = _FINALIZERS.get((kind.group, kind.kind)) if old is None else None
    if finalizer is None:
        return obj
    metadata = obj["metadata"]
    finalizers = metadata.get("finalizers") or []
    if finalizer in finalizers:
        return obj
    return {**obj, "metadata": {**metadata, "finalizers": [*finalizers, finalizer]}}
