"""Advice about containers: amounts, variables and ports that surprise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.validation import container_paths, field
from kubestage.objects.warnings import cluster

if TYPE_CHECKING:
    from kubestage.aliases import Json

    Entry = tuple[Json, str]


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
    return found + _ports(ports) + _port_names(ports) if ports else found


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


def _ports(ports: list[Entry]) -> list[str]:
    found: list[str] = []
    known: dict[tuple[int, str], list[Entry]] = {}
    for port, path in ports:
        host_ip, host_port = port.get("hostIP") or "", port.get("hostPort") or 0
        if host_ip and not host_port:
            found.append(f"{path}: hostIP set without hostPort: {_shown(port)}")
        key = (port.get("containerPort") or 0, port.get("protocol") or "")
        for other, where in known.get(key, ()):
            problem = _overlap(host_ip, host_port, other)
            if problem:
                found.append(f"{path}: {problem} port definition with {where}")
        known.setdefault(key, []).append((port, path))
    return found


def _overlap(host_ip: str, host_port: int, other: Json) -> str:
    other_ip, other_port = other.get("hostIP") or "", other.get("hostPort") or 0
    if (host_ip, host_port) == (other_ip, other_port):
        return "duplicate"
    if not host_port or not other_port:
        return "overlapping"
    if host_port == other_port and bool(host_ip) != bool(other_ip):
        return "dangerously ambiguous"
    return ""


def _shown(port: Json) -> str:
    return (
        f"{{Name:{port.get('name') or ''} HostPort:{port.get('hostPort') or 0} "
        f"ContainerPort:{port.get('containerPort') or 0} Protocol:{port.get('protocol') or ''} "
        f"HostIP:{port.get('hostIP') or ''}}}"
    )


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
