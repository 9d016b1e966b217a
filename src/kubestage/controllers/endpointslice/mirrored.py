"""The slices that Endpoints written by hand stand for."""

from __future__ import annotations

import ipaddress
import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.controllers import ownership, pod_control
from kubestage.controllers.endpointslice import slice_manifest

if TYPE_CHECKING:
    from kubestage.aliases import Json

MANAGER: Final = "endpointslicemirroring-controller.k8s.io"
MOST: Final = 1000
"""How many addresses of a subset are mirrored at most."""

_OWN_LABELS: Final = frozenset((slice_manifest.SERVICE_NAME, slice_manifest.MANAGED_BY))
_NOT_LENT: Final = frozenset(
    (
        "endpoints.kubernetes.io/last-change-trigger-time",
        "kubectl.kubernetes.io/last-applied-configuration",
    )
)

Group = tuple[str, str]
"""What the endpoints of a slice share: the kind of their addresses, and their ports as JSON."""


class Desired(NamedTuple):
    """Endpoints and ports by group, and how many addresses were left out for which reason."""

    endpoints: dict[Group, list[Json]]
    ports: dict[Group, list[Json]]
    invalid: int
    skipped: int


def desired(endpoints: Json) -> Desired:
    """What the slices of an Endpoints object are to have."""
    found = Desired({}, {}, 0, 0)
    invalid = skipped = 0
    for ports, addresses in _repacked(endpoints.get("subsets") or ()):
        written = [_port(each) for each in ports]
        added = 0
        for address, is_ready in addresses:
            if added >= MOST:
                break
            endpoint = _endpoint(address, is_ready)
            if endpoint is None:
                invalid += 1
                continue
            added += 1
            kind = "IPv6" if ":" in endpoint["addresses"][0] else "IPv4"
            group = kind, _key(written)
            found.ports[group] = written
            known = found.endpoints.setdefault(group, [])
            if endpoint not in known:
                known.append(endpoint)
        skipped += len(addresses) - added
    return found._replace(invalid=invalid, skipped=skipped)


def group_of(slice_: Json) -> Group:
    """The group that a slice belongs to."""
    return slice_["addressType"], _key(slice_.get("ports") or [])


def fresh(endpoints: Json, group: Group, found: Desired) -> Json:
    """A new slice of a group."""
    metadata = endpoints["metadata"]
    described: Json = {
        "generateName": pod_control.prefix(metadata["name"]),
        "namespace": metadata["namespace"],
        "labels": {
            **(metadata.get("labels") or {}),
            slice_manifest.SERVICE_NAME: metadata["name"],
            slice_manifest.MANAGED_BY: MANAGER,
        },
        "annotations": _lent(metadata),
        "ownerReferences": [ownership.controller_reference(endpoints)],
    }
    if not described["annotations"]:
        del described["annotations"]
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": described,
        "addressType": group[0],
        "endpoints": found.endpoints[group],
        "ports": found.ports[group] or None,
    }


def is_current(slice_: Json, endpoints: Json, due: list[Json]) -> bool:
    """Whether a slice has the endpoints, labels, annotations and owner that it is to have."""
    metadata, source = slice_["metadata"], endpoints["metadata"]
    labels = {
        key: value
        for key, value in (metadata.get("labels") or {}).items()
        if key not in _OWN_LABELS
    }
    return (
        _keys(slice_.get("endpoints") or ()) == _keys(due)
        and labels == (source.get("labels") or {})
        and (metadata.get("annotations") or {}) == _lent(source)
        and not any(
            owner.get("kind") == "Endpoints"
            and owner["name"] == source["name"]
            and owner["uid"] != source["uid"]
            for owner in metadata.get("ownerReferences") or ()
        )
    )


def _lent(metadata: Json) -> dict[str, str]:
    """The annotations that slices have of their Endpoints."""
    annotations: dict[str, str] = metadata.get("annotations") or {}
    return {key: value for key, value in annotations.items() if key not in _NOT_LENT}


def _repacked(subsets: Any) -> list[tuple[list[Json], list[tuple[Json, bool]]]]:
    """Ports with their addresses, each address once: ports of the same addresses go together."""
    ports: dict[str, Json | None] = {}
    addresses: dict[str, dict[str, tuple[Json, bool]]] = {}
    for subset in subsets:
        for port in subset.get("ports") or (None,):
            name = _key(port)
            ports[name] = port
            held = addresses.setdefault(name, {})
            for part, is_ready in (("addresses", True), ("notReadyAddresses", False)):
                for each in subset.get(part) or ():
                    key = _key([each["ip"], (each.get("targetRef") or {}).get("uid")])
                    if is_ready or key not in held:
                        held[key] = each, is_ready
    together: dict[frozenset[tuple[str, bool]], list[str]] = {}
    for name, held in addresses.items():
        same = frozenset((key, is_ready) for key, (_, is_ready) in held.items())
        together.setdefault(same, []).append(name)
    return [
        (
            [port for name in names if (port := ports[name]) is not None],
            sorted(addresses[names[0]].values(), key=_not_ready),
        )
        for names in together.values()
    ]


def _not_ready(address: tuple[Json, bool]) -> bool:
    return not address[1]


def _endpoint(address: Json, is_ready: bool) -> Json | None:
    try:
        ip = ipaddress.ip_address(address["ip"])
    except ValueError:
        return None
    endpoint: Json = {"addresses": [str(ip)], "conditions": {"ready": is_ready}}
    if address.get("hostname"):
        endpoint["hostname"] = address["hostname"]
    for name in ("targetRef", "nodeName"):
        if address.get(name) is not None:
            endpoint[name] = address[name]
    return endpoint


def _port(port: Json) -> Json:
    written = {
        "name": port.get("name") or "",
        "port": port["port"],
        "protocol": port.get("protocol") or "TCP",
    }
    if port.get("appProtocol"):
        written["appProtocol"] = port["appProtocol"]
    return written


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _keys(endpoints: Any) -> set[str]:
    return {_key(each) for each in endpoints}
