"""Services, endpoints, ingresses and network policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell, Object

_SHOWN: Final = 3
_DEFAULT_INGRESS_CLASS: Final = "ingressclass.kubernetes.io/is-default-class"


def service(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a Service."""
    spec = cells.part(obj, "spec")
    cluster_ips = cells.items(spec, "clusterIPs")
    return [
        cells.name(obj),
        cells.text(spec, "type"),
        cluster_ips[0] if cluster_ips else cells.NONE,
        _external_ip(spec, obj),
        ",".join(map(_port, cells.items(spec, "ports"))) or cells.NONE,
        cells.age(obj, now_ns),
        cells.label_text(spec.get("selector")),
    ]


def _port(port: Object) -> str:
    number, protocol = cells.number(port, "port"), cells.text(port, "protocol")
    node_port = cells.number(port, "nodePort")
    return f"{number}:{node_port}/{protocol}" if node_port > 0 else f"{number}/{protocol}"


def _external_ip(spec: Object, obj: Object) -> str:
    service_type = spec.get("type")
    external = ",".join(cells.items(spec, "externalIPs"))
    if service_type in ("ClusterIP", "NodePort"):
        return external or cells.NONE
    if service_type == "LoadBalancer":
        addresses = _load_balancer(obj)
        return ",".join(filter(None, (addresses, external))) or "<pending>"
    return cells.text(spec, "externalName") if service_type == "ExternalName" else cells.UNKNOWN


def _load_balancer(obj: Object) -> str:
    points = cells.items(obj, "status", "loadBalancer", "ingress")
    found = {cells.text(point, "ip") or cells.text(point, "hostname") for point in points}
    return ",".join(sorted(found - {""}))


def endpoints(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of Endpoints."""
    return [cells.name(obj), _endpoints(cells.items(obj, "subsets")), cells.age(obj, now_ns)]


def _endpoints(subsets: list[Any]) -> str:
    if not subsets:
        return cells.NONE
    listed: list[str] = []
    for subset in subsets:
        addresses = [cells.text(address, "ip") for address in cells.items(subset, "addresses")]
        ports = cells.items(subset, "ports")
        if ports:
            numbers = [cells.number(port, "port") for port in ports]
            listed += [_host_port(address, each) for each in numbers for address in addresses]
        else:
            listed += addresses
    return cells.first_few(listed, _SHOWN)


def _host_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def endpoint_slice(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of an EndpointSlice."""
    addresses = [
        address
        for endpoint in cells.items(obj, "endpoints")
        for address in cells.items(endpoint, "addresses")
    ]
    ports = [_slice_port(port) for port in cells.items(obj, "ports")]
    return [
        cells.name(obj),
        cells.text(obj, "addressType"),
        cells.first_few(ports, _SHOWN) or cells.UNSET,
        cells.first_few(addresses, _SHOWN) or cells.UNSET,
        cells.age(obj, now_ns),
    ]


def _slice_port(port: Object) -> str:
    if port.get("port") is not None:
        return str(port["port"])
    return "*" if port.get("name") is None else cells.text(port, "name")


def ingress(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of an Ingress."""
    spec = cells.part(obj, "spec")
    class_name = spec.get("ingressClassName")
    return [
        cells.name(obj),
        cells.NONE if class_name is None else class_name,
        _hosts(cells.items(spec, "rules")),
        _load_balancer(obj),
        "80, 443" if cells.items(spec, "tls") else "80",
        cells.age(obj, now_ns),
    ]


def _hosts(rules: list[Any]) -> str:
    """The first hosts; once these are found, every further rule counts as more."""
    shown: list[str] = []
    more = False
    for rule in rules:
        more = more or len(shown) == _SHOWN
        if not more and rule.get("host"):
            shown.append(rule["host"])
    if not shown:
        return "*"
    text = ",".join(shown)
    return f"{text} + {len(rules) - _SHOWN} more..." if more else text


def ingress_class(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of an IngressClass."""
    annotations = cells.part(obj, "metadata", "annotations")
    mark = " (default)" if annotations.get(_DEFAULT_INGRESS_CLASS) == "true" else ""
    return [
        cells.name(obj) + mark,
        cells.text(obj, "spec", "controller"),
        _parameters(cells.part(obj, "spec").get("parameters")),
        cells.age(obj, now_ns),
    ]


def _parameters(reference: Object | None) -> str:
    if reference is None:
        return cells.NONE
    group = reference.get("apiGroup")
    kind = cells.text(reference, "kind") + ("" if group is None else f".{group}")
    return f"{kind}/{cells.text(reference, 'name')}"


def network_policy(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a NetworkPolicy."""
    selector = cells.selector_text(cells.part(obj, "spec", "podSelector"))
    return [cells.name(obj), selector, cells.age(obj, now_ns)]
