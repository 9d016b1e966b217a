"""DefaultTolerationSeconds: pods outlast a short failure of their node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store.admission import admission_request

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

_TOLERATED: Final = {
    key: {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
}


def admit(_core: Core, kind: Kind, obj: Json, _old: Json | None) -> Json:
    """Let pods stay five minutes on a node that is not ready or unreachable."""
    if not admission_request.is_pod(kind):
        return obj
    tolerations = obj["spec"].get("tolerations") or []
    missing = [
        toleration
        for key, toleration in _TOLERATED.items()
        if not any(_covers(each, key) for each in tolerations)
    ]
    return (
        admission_request.with_spec(obj, tolerations=[*tolerations, *missing]) if missing else obj
    )


def _covers(toleration: Json, key: str) -> bool:
    return (toleration.get("key") or key) == key and (
        toleration.get("effect") or "NoExecute"
    ) == "NoExecute"
