"""Rules for the ports of a service."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import markers
from kubestage.objects.validation import field, internal_json, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


def validate_ports(spec: Json) -> list[FieldError]:
    """Each port; if there are several, every one has a name."""
    ports: list[Json] = spec.get("ports") or []
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, port in enumerate(ports):
        errors += _validate_port(port, f"spec.ports[{index}]", len(ports) > 1, seen)
    return errors


def _validate_port(port: Json, path: str, needs_name: bool, seen: set[str]) -> list[FieldError]:
    errors = validate_name(port.get("name") or "", f"{path}.name", needs_name)
    name = port.get("name") or ""
    if name and name in seen:
        errors.append(field.duplicate(f"{path}.name", name))
    seen.add(name)
    number = port.get("port") or 0
    errors += field.invalids(f"{path}.port", number, names.is_valid_port_num(number))
    errors += markers.check("core/v1.ServicePort", port, path, "protocol")
    target = port.get("targetPort") or 0
    rule = names.is_valid_port_name if isinstance(target, str) else names.is_valid_port_num
    errors += field.invalids(f"{path}.targetPort", target, rule(target))
    return errors + validate_app_protocol(port, path)


def validate_name(name: str, path: str, needs_name: bool) -> list[FieldError]:
    """The name of a port of a service or of endpoints."""
    if not name:
        return [field.required(path)] if needs_name else []
    return field.invalids(path, name, names.is_dns1123_label(name))


def validate_app_protocol(port: Json, path: str) -> list[FieldError]:
    """The application protocol of a port, if there is one."""
    protocol = port.get("appProtocol")
    if protocol is None:
        return []
    return field.invalids(f"{path}.appProtocol", protocol, names.is_qualified_name(protocol))


def validate_node_ports(spec: Json) -> list[FieldError]:
    """Ports on the nodes: not of every type, and none twice."""
    errors: list[FieldError] = []
    ports: list[Json] = spec.get("ports") or []
    if spec.get("type") == "ClusterIP":
        detail = "may not be used when `type` is 'ClusterIP'"
        errors += [
            field.forbidden(f"spec.ports[{index}].nodePort", detail)
            for index, port in enumerate(ports)
            if port.get("nodePort")
        ]
    taken: set[tuple[str, int]] = set()
    for index, port in enumerate(ports):
        number = port.get("nodePort") or 0
        key = (port.get("protocol") or "", number)
        if number and key in taken:
            errors.append(field.duplicate(f"spec.ports[{index}].nodePort", number))
        taken.add(key)
    return errors


def validate_distinct(spec: Json) -> list[FieldError]:
    """No port of a protocol twice."""
    errors: list[FieldError] = []
    seen: set[tuple[str, int]] = set()
    for index, port in enumerate(spec.get("ports") or ()):
        key = (port.get("protocol") or "", port.get("port") or 0)
        if key in seen:
            same = {"protocol": key[0], "port": key[1]}
            shown = internal_json.render("core/v1.ServicePort", same)
            errors.append(field.duplicate(f"spec.ports[{index}]", shown))
        seen.add(key)
    return errors
