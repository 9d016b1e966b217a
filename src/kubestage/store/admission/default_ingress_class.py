"""DefaultIngressClass: an ingress that names no class gets the cluster's default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.store.admission import admission_request, default_storage_class

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

_CLASS_ANNOTATION: Final = "kubernetes.io/ingress.class"
_IS_DEFAULT: Final = ("ingressclass.kubernetes.io/is-default-class",)


def admit(core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """Name the default class in a new ingress, if there is one and the ingress leaves it open."""
    if old is not None or (kind.group, kind.kind) != ("networking.k8s.io", "Ingress"):
        return obj
    if _CLASS_ANNOTATION in (obj["metadata"].get("annotations") or ()):
        return obj
    if obj["spec"].get("ingressClassName") is not None:
        return obj
    name = default_storage_class.default_of(core.read(gvk.INGRESS_CLASS), _IS_DEFAULT)
    return obj if name is None else admission_request.with_spec(obj, ingressClassName=name)
