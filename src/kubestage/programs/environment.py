"""The variables that a container has, as the kubelet makes them."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Final

from kubestage.programs import fields, hosts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.aliases import Json
    from kubestage.store.store import Store


_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_REFERENCE: Final = re.compile(r"\$(\$|\(([^()]*)\))")
_NAME: Final = re.compile(r"[ -<>-~]+")
_KINDS: Final = {"configMap": "ConfigMap", "secret": "Secret"}
_API: Final = ("default", "kubernetes")


def environment_variables(store: Store, pod: Json, container: Json) -> dict[str, str]:
    """All variables of a container, in the order in which they are set."""
    services = dict(_service_variables(store, pod))
    variables = dict(_from_sources(store, pod, container))
    for variable in container.get("env") or ():
        value = _value(store, pod, container, variable, {**services, **variables})
        if value is not None:
            variables[variable["name"]] = value
    runtime = {"PATH": _PATH, "HOSTNAME": hosts.name_of(pod)}
    return {**runtime, **services, **variables, "HOME": variables.get("HOME", "/root")}


def _from_sources(store: Store, pod: Json, container: Json) -> Iterator[tuple[str, str]]:
    for source in container.get("envFrom") or ():
        prefix = source.get("prefix") or ""
        for part, kind in _KINDS.items():
            reference = source.get(f"{part}Ref")
            if reference is None:
                continue
            for key, value in keyed(store, pod, kind, reference.get("name") or "").items():
                name = f"{prefix}{key}"
                if _NAME.fullmatch(name):
                    yield name, value.decode("utf-8", "replace")


def _value(
    store: Store, pod: Json, container: Json, variable: Json, known: Mapping[str, str]
) -> str | None:
    """The value of one variable; None if what it refers to is not there and need not be."""
    source = variable.get("valueFrom")
    if source is None:
        return expanded(variable.get("value") or "", known)
    if (reference := source.get("fieldRef")) is not None:
        return fields.field(pod, reference["fieldPath"])
    if (reference := source.get("resourceFieldRef")) is not None:
        return fields.resource(store, pod, container, reference)
    for part, kind in _KINDS.items():
        reference = source.get(f"{part}KeyRef")
        if reference is not None:
            found = keyed(store, pod, kind, reference.get("name") or "").get(reference["key"])
            return None if found is None else found.decode("utf-8", "replace")
    return None


def keyed(store: Store, pod: Json, kind: str, name: str) -> dict[str, bytes]:
    """What a ConfigMap or Secret of a pod's namespace holds, by key."""
    key = f"{pod['metadata']['namespace']}/{name}"
    obj = store.read(("v1", kind)).get(key)
    if obj is None:
        return {}
    if kind == "Secret":
        coded = obj.get("data") or {}
        return {key: base64.b64decode(coded[key]) for key in sorted(coded)}
    plain = {key: text.encode() for key, text in (obj.get("data") or {}).items()}
    binary = {key: base64.b64decode(text) for key, text in (obj.get("binaryData") or {}).items()}
    return dict(sorted({**plain, **binary}.items()))


def expanded(text: str, known: Mapping[str, str]) -> str:
    """A text with ``$(NAME)`` replaced where the name is known, and ``$$`` by one of them."""

    def one(found: re.Match[str]) -> str:
        return "$" if found[1] == "$" else known.get(found[2], found[0])

    return _REFERENCE.sub(one, text)


def _service_variables(store: Store, pod: Json) -> Iterator[tuple[str, str]]:
    """Variables that name the Services of the namespace, and always that of the API."""
    wants_links = pod["spec"].get("enableServiceLinks", True)
    namespace = pod["metadata"]["namespace"]
    for service in store.read(("v1", "Service")).values():
        metadata, spec = service["metadata"], service["spec"]
        is_api = (metadata["namespace"], metadata["name"]) == _API
        address = spec.get("clusterIP")
        if not address or address == "None" or not spec.get("ports"):
            continue
        if is_api or (wants_links and metadata["namespace"] == namespace):
            yield from _of_service(metadata["name"], address, spec["ports"])


def _of_service(service: str, address: str, ports: list[Json]) -> Iterator[tuple[str, str]]:
    name = service.upper().replace("-", "_")
    host = f"[{address}]" if ":" in address else address
    yield f"{name}_SERVICE_HOST", address
    yield f"{name}_SERVICE_PORT", str(ports[0]["port"])
    for each in ports:
        if each.get("name"):
            yield f"{name}_SERVICE_PORT_{each['name'].upper().replace('-', '_')}", str(each["port"])
    for index, each in enumerate(ports):
        protocol = (each.get("protocol") or "TCP").lower()
        link = f"{protocol}://{host}:{each['port']}"
        if index == 0:
            yield f"{name}_PORT", link
        prefix = f"{name}_PORT_{each['port']}_{protocol.upper()}"
        yield prefix, link
        yield f"{prefix}_PROTO", protocol
        yield f"{prefix}_PORT", str(each["port"])
        yield f"{prefix}_ADDR", address
