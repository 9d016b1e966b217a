"""ServiceAccount: every pod runs as an account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.store.admission import admission_request

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


def admit(_core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """Pods that name no service account run as ``default``."""
    if (
        not admission_request.is_pod(kind)
        or old is not None
        or obj["spec"].get("serviceAccountName")
    ):
        return obj
    if "kubernetes.io/config.mirror" in (obj["metadata"].get("annotations") or ()):
        return obj
    return admission_request.with_spec(obj, serviceAccountName="default", serviceAccount="default")
