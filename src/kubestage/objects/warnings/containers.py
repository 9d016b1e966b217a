"""Advice about containers: amounts, variables and ports that surprise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.validation import container_paths, field
from kubestage.objects.warnings import cluster, port_overlaps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.warnings.port_overlaps import Entry


def containers(spec: Json, path: str) -> list[str]:
    """All containers of a pod."""
    found: list[str] = []
    entries = list(container_paths.with_paths(spec, path))
    for container, at in entries:
        if container.get("resources"):
            found += _amounts(container["resources"], f"{at}.resources")
        if len(container.get("env") or ()) > 1:
            found += _variables(container["env"], f"{at}.env")
    ports = [
        (port, f"{at}.ports[{index}]")
        for container, at in entries
        for index, port in enumerate(container.get("ports") or ())
    ]
    return found + port_overlaps.warnings(ports) + _port_names(ports) if ports else found


def _amounts(resources: Json, path: str) -> list[str]:
    return [
        warning
        for name in ("memory", "ephemeral-storage")
        for kind in ("limits", "requests")
        if name in (resources.get(kind) or {})
        for warning in cluster.fraction(resources[kind][name], f"{path}.{kind}[{name}]")
    ]


def _variables(variables: list[Json], path: str) -> list[str]:
    """A variable defined again hides its first value, unless it refers to it."""
    found: list[str] = []
    seen: set[str] = set()
    for index, variable in enumerate(variables):
        name, value = variable.get("name") or "", variable.get("value") or ""
        reference = f"$({name})"
        builds_on_it = reference in value and value != reference
        if name in seen and (variable.get("valueFrom") is not None or not builds_on_it):
            found.append(
                f"{path}[{index}]: hides previous definition of {field.quote(name)}, which may "
                "be dropped when using apply"
            )
        seen.add(name)
    return found


def _port_names(ports: list[Entry]) -> list[str]:
    found: list[str] = []
    known: dict[str, str] = {}
    for port, path in ports:
        name = port.get("name")
        if not name:
            continue
        if name in known:
            other = known[name]
            found.append(
                f"{path}: duplicate port name {field.quote(name)} with {other}, services and "
                f"probes that select ports by name will use {other}"
            )
        else:
            known[name] = path
    return found
