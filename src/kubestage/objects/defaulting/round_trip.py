"""What the API server's internal version changes in a defaulted object.

The internal types have one spelling where v1 has two for old clients: one service account
field, a list of pod addresses and CIDRs, no template generation. Reading an object back shows
both spellings, filled from the one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.golang import integers

if TYPE_CHECKING:
    from kubestage.aliases import Json

_INIT_CONTAINERS: Final = (
    "pod.alpha.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-container-statuses",
    "pod.beta.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
)
_INT64: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)


def template(obj: Json) -> None:
    """A pod template."""
    drop_annotations(obj["metadata"], _INIT_CONTAINERS)
    _pod_spec(obj["spec"])


def _pod_spec(spec: Json) -> None:
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account


def drop_annotations(metadata: Json, names: tuple[str, ...]) -> None:
    """Take out annotations that stood for fields once."""
    annotations = metadata.get("annotations")
    if annotations:
        for name in names:
            annotations.pop(name, None)
        set_or_drop(metadata, "annotations", annotations)


def keep_number(metadata: Json, name: str, *, keep_empty: bool) -> None:
    """An annotation that stands for a number internally comes back in its plain spelling."""
    annotations = metadata.get("annotations", {})
    text = annotations.get(name)
    if text is None:
        return
    if text == "" and not keep_empty:
        del annotations[name]
        set_or_drop(metadata, "annotations", annotations)
    elif _INT64.fullmatch(text) and -(1 << 63) <= integers.parse(text) < 1 << 63:
        annotations[name] = str(integers.parse(text))
    else:
        raise InputError(f'"{text}" is no whole number', path=f"metadata.annotations[{name}]")


def complete_rolling(strategy: Json, **zeros: int) -> None:
    """Internally these are plain numbers, so what defaulting left open comes back as zero."""
    for name, zero in zeros.items():
        if "rollingUpdate" in strategy:
            strategy["rollingUpdate"].setdefault(name, zero)


def set_or_drop(holder: Json, name: str, value: Any) -> None:
    """Set a field, or drop it if the value is empty."""
    if value:
        holder[name] = value
    else:
        holder.pop(name, None)
