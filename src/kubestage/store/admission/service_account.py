"""ServiceAccount: every pod runs as somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.store.admission import request

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


def admit(
    _core: Core, kind: Kind, obj: dict[str, Any], old: dict[str, Any] | None
) -> dict[str, Any]:
    """Pods that name no service account run as ``default``."""
    if not request.is_pod(kind) or old is not None or obj["spec"].get("serviceAccountName"):
        return obj
    if "kubernetes.io/config.mirror" in (obj["metadata"].get("annotations") or ()):
        return obj
    return request.with_spec(obj, serviceAccountName="default", serviceAccount="default")
