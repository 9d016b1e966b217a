"""Fields of the downward API: what a container can read about its own pod."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store


_KEYED: Final = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]")
_SPEC: Final = {"spec.nodeName": "nodeName", "spec.serviceAccountName": "serviceAccountName"}
_LISTS: Final = ("initContainers", "containers", "ephemeralContainers")


def field(pod: Json, path: str) -> str:
    """The value of a fieldRef; empty where the pod has none."""
    metadata, status = pod["metadata"], pod.get("status") or {}
    keyed = _KEYED.fullmatch(path)
    if keyed is not None:
        return str((metadata.get(keyed[1]) or {}).get(keyed[2], ""))
    if path in ("metadata.labels", "metadata.annotations"):
        return _lines(metadata.get(path.removeprefix("metadata.")) or {})
    if path in _SPEC:
        return str(pod["spec"].get(_SPEC[path]) or "")
    if path in ("status.hostIPs", "status.podIPs"):
        return ",".join(each["ip"] for each in status.get(path.removeprefix("status.")) or ())
    room, _, name = path.partition(".")
    found = (status if room == "status" else metadata).get(name)
    return found if isinstance(found, str) else ""


def resource(store: Store, pod: Json, container: Json, reference: Json) -> str:
    """The value of a resourceFieldRef; a limit that is not set is all that the node has."""
    named = reference.get("containerName")
    container = _container(pod, named) or container
    part, _, name = reference["resource"].partition(".")
    resources = container.get("resources") or {}
    amount_text = (resources.get(part) or {}).get(name)
    if amount_text is None and part == "limits":
        node = store.read(("v1", "Node")).get(pod["spec"].get("nodeName") or "") or {}
        amount_text = ((node.get("status") or {}).get("allocatable") or {}).get(name)
    divisor = quantity.of(reference.get("divisor") or "1")
    if name == "cpu":
        each = divisor.milli_value or 1000
        amount = quantity.milli_value_of(amount_text or "0")
    else:
        each, amount = divisor.value or 1, quantity.value_of(amount_text or "0")
    return str(-(-amount // each))


def _container(pod: Json, name: str | None) -> Json | None:
    listed = (each for part in _LISTS for each in pod["spec"].get(part) or ())
    return next((each for each in listed if each["name"] == name), None)


def _lines(values: dict[str, str]) -> str:
    """Labels or annotations as a file shows them, one a line."""
    lines = (f"{key}={json.dumps(values[key], ensure_ascii=False)}" for key in sorted(values))
    return "\n".join(lines)
