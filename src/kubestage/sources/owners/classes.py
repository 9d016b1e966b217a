"""PriorityClasses and RuntimeClasses that pods name: without them no new pod is admitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.owners.known import Known
    from kubestage.sources.owners.rebuilding import Rebuilt

_SYSTEM: Final = ("system-node-critical", "system-cluster-critical")


def complete(known: Known, rebuilt: Rebuilt) -> None:
    """Rebuild classes from what they have put in pods: all of it, so there is no note."""
    found: dict[str, Json] = {}
    for pod in known.pods:
        spec = pod["spec"]
        name = spec.get("priorityClassName")
        if name and name not in _SYSTEM and isinstance(spec.get("priority"), int):
            found.setdefault(f"PriorityClass/{name}", _priority_class(name, spec))
        name = spec.get("runtimeClassName")
        if name:
            found.setdefault(f"RuntimeClass/{name}", _runtime_class(name, spec))
    for each in found.values():
        if known.find(each["kind"], "", each["metadata"]["name"]) is None:
            rebuilt.add(known, each)


def _priority_class(name: str, spec: Json) -> Json:
    found = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name, "uid": f"priorityclass-{name}"},
        "value": spec["priority"],
    }
    if spec.get("preemptionPolicy"):
        found["preemptionPolicy"] = spec["preemptionPolicy"]
    return found


def _runtime_class(name: str, spec: Json) -> Json:
    found: Json = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": name, "uid": f"runtimeclass-{name}"},
        "handler": name,
    }
    if spec.get("overhead"):
        found["overhead"] = {"podFixed": spec["overhead"]}
    return found
