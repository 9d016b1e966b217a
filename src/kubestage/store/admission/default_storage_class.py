"""DefaultStorageClass: a claim that names no class gets the cluster's default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store.admission import admission_request

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

STORAGE_CLASS: Final = ("storage.k8s.io/v1", "StorageClass")
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_IS_DEFAULT: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def admit(core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """Name the default class in a new claim, if there is one and the claim leaves it open."""
    if not admission_request.is_claim(kind) or old is not None:
        return obj
    if _CLASS_ANNOTATION in (obj["metadata"].get("annotations") or ()):
        return obj
    if (obj.get("spec") or {}).get("storageClassName") is not None:
        return obj
    name = default_of(core.read(STORAGE_CLASS), _IS_DEFAULT)
    return obj if name is None else admission_request.with_spec(obj, storageClassName=name)


def default_of(classes: Mapping[str, Json], marks: Iterable[str]) -> str | None:
    """The newest of the classes that bear a mark; of equally old ones, the first by name."""
    newest, chosen = "", None
    for name, each in sorted(classes.items()):
        metadata = each["metadata"]
        annotations = metadata.get("annotations") or {}
        if any(annotations.get(key) == "true" for key in marks):
            created = metadata.get("creationTimestamp") or ""
            if chosen is None or created > newest:
                newest, chosen = created, name
    return chosen
