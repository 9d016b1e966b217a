"""What a container requests and is limited to now, which its status knows best."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.aliases import Json


def resources_of(pod: Json, name: str) -> tuple[Json, Json]:
    """Requests and limits of a container: as they are in force, else as its spec states them."""
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        if status["name"] == name and status.get("resources") is not None:
            return _parts(status["resources"])
    for container in pod["spec"]["containers"]:
        if container["name"] == name:
            return _parts(container.get("resources") or {})
    return {}, {}


def _parts(resources: Json) -> tuple[Json, Json]:
    return resources.get("requests") or {}, resources.get("limits") or {}
