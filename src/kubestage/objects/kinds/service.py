"""What the API does to a Service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers, service_reach
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.quota import services as services_quota
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    field,
    label_selectors,
    load_balancers,
    metadata,
    names,
    service_families,
    service_ports,
    service_traffic,
)
from kubestage.objects.warnings import addresses as address_warnings

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_STICKY_SECONDS: Final = 3 * 60 * 60
_INTERNAL: Final = ("ClusterIP", "NodePort", "LoadBalancer")
_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_MODE: Final = "service.kubernetes.io/topology-mode"


def _default(obj: Json) -> None:
    spec = obj["spec"]
    _default_affinity(spec)
    kind = spec.setdefault("type", "ClusterIP")
    for port in spec.get("ports", ()):
        port.setdefault("protocol", "TCP")
        if port["targetPort"] in (0, ""):
            port["targetPort"] = port["port"]
    if kind in ("NodePort", "LoadBalancer") or (kind == "ClusterIP" and "externalIPs" in spec):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if kind in _INTERNAL:
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if kind == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
        for ingress in obj["status"]["loadBalancer"].get("ingress", ()):
            if "ip" in ingress:
                ingress.setdefault("ipMode", "VIP")


def _default_affinity(spec: Json) -> None:
    affinity = spec.setdefault("sessionAffinity", "None")
    if affinity == "None":
        spec.pop("sessionAffinityConfig", None)
    elif affinity == "ClientIP":
        client = spec.get("sessionAffinityConfig", {}).get("clientIP", {})
        if "timeoutSeconds" not in client:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _STICKY_SECONDS}}


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """Fields that no longer apply vanish, unless the request changes them as well."""
    spec, before = dict(new.get("spec") or {}), old.get("spec") or {}
    kind, old_kind = spec.get("type") or "", before.get("type") or ""
    if old_kind != "ExternalName" and kind == "ExternalName":
        if _same(spec, before, "clusterIP") and _same(spec, before, "clusterIPs"):
            _drop(spec, "clusterIP", "clusterIPs")
        _drop_if_same(spec, before, "ipFamilies")
        _drop_if_same(spec, before, "ipFamilyPolicy")
    if old_kind in service_reach.ON_NODES and kind not in service_reach.ON_NODES:
        _drop_node_ports(spec, before)
    if service_reach.needs_health_check(before) and not service_reach.needs_health_check(spec):
        _drop_if_same(spec, before, "healthCheckNodePort")
    if old_kind == "LoadBalancer" and kind != "LoadBalancer":
        _drop_if_same(spec, before, "allocateLoadBalancerNodePorts")
        _drop_if_same(spec, before, "loadBalancerClass")
    if service_reach.is_externally_accessible(
        before
    ) and not service_reach.is_externally_accessible(spec):
        _drop_if_same(spec, before, "externalTrafficPolicy")
    new["spec"] = spec
    if kind != "LoadBalancer":
        new["status"] = {**(new.get("status") or {}), "loadBalancer": {}}


def _read_back(service: Json) -> Json:
    """An external name has no internal traffic policy."""
    spec = service.get("spec") or {}
    if spec.get("type") != "ExternalName" or "internalTrafficPolicy" not in spec:
        return service
    rest = {key: value for key, value in spec.items() if key != "internalTrafficPolicy"}
    return {**service, "spec": rest}


def _same(spec: Json, before: Json, key: str) -> bool:
    return bool(spec.get(key) == before.get(key))


def _drop(spec: Json, *keys: str) -> None:
    for key in keys:
        spec.pop(key, None)


def _drop_if_same(spec: Json, before: Json, key: str) -> None:
    if _same(spec, before, key):
        _drop(spec, key)


def _drop_node_ports(spec: Json, before: Json) -> None:
    requested = {port.get("nodePort") for port in spec.get("ports") or () if port.get("nodePort")}
    known = {port.get("nodePort") for port in before.get("ports") or () if port.get("nodePort")}
    if requested <= known and spec.get("ports"):
        spec["ports"] = [
            {key: value for key, value in port.items() if key != "nodePort"}
            for port in spec["ports"]
        ]


def _validate(obj: Json) -> list[FieldError]:
    return _validate_service(obj, None)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """A changed service: its first address stays."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    errors = service_families.validate_changed_addresses(spec, before)
    errors += service_families.validate_changed_families(spec, before)
    errors += service_traffic.validate_changed_class(spec, before)
    if service_reach.needs_health_check(spec) and service_reach.needs_health_check(before):
        path = "healthCheckNodePort"
        if (spec.get(path) or 0) != (before.get(path) or 0):
            errors.append(field.forbidden(f"spec.{path}", metadata.IMMUTABLE))
    return errors + _validate_service(new, old)


def _validate_status(new: Json, old: Json) -> list[FieldError]:
    is_balanced = (new.get("spec") or {}).get("type") == "LoadBalancer"
    return load_balancers.validate_service_status(new, old, is_balanced=is_balanced)


def _validate_service(obj: Json, old: Json | None) -> list[FieldError]:
    spec = obj.get("spec") or {}
    before = None if old is None else old.get("spec") or {}
    errors = _validate_topology(obj["metadata"].get("annotations") or {})
    errors += _validate_type_fields(spec)
    errors += service_ports.validate_ports(spec)
    errors += label_selectors.validate_labels(spec.get("selector"), "spec.selector")
    errors += service_traffic.validate_affinity(spec)
    errors += service_families.validate_addresses(spec, before)
    errors += service_traffic.validate_external_ips(spec, before or {})
    errors += markers.check("core/v1.ServiceSpec", spec, "spec", "type")
    errors += service_ports.validate_node_ports(spec)
    errors += service_ports.validate_distinct(spec)
    errors += service_traffic.validate_source_ranges(obj, old)
    errors += service_traffic.validate_balancer(spec)
    return errors + service_traffic.validate_traffic(spec)


def _validate_topology(annotations: dict[str, str]) -> list[FieldError]:
    if _HINTS not in annotations or _MODE not in annotations:
        return []
    mode = annotations[_MODE]
    if mode == annotations[_HINTS]:
        return []
    detail = f"must match annotations[{_HINTS}] when both are specified"
    return [field.invalid(f"metadata.annotations[{_MODE}]", mode, detail)]


def _validate_type_fields(spec: Json) -> list[FieldError]:
    """Fields that a type of service requires or excludes."""
    errors: list[FieldError] = []
    kind = spec.get("type") or ""
    headless = service_families.is_headless(spec)
    if not spec.get("ports") and not headless and kind != "ExternalName":
        errors.append(field.required("spec.ports"))
    if kind in ("LoadBalancer", "NodePort") and headless:
        detail = f"may not be set to 'None' for {kind} services"
        errors.append(field.invalid("spec.clusterIPs[0]", service_families.NONE, detail))
    if kind != "ExternalName":
        return errors
    errors += [
        field.forbidden(f"spec.{key}", "may not be set for ExternalName services")
        for key in ("clusterIPs", "ipFamilies", "ipFamilyPolicy")
        if spec.get(key) or (key == "ipFamilyPolicy" and spec.get(key) is not None)
    ]
    name = (spec.get("externalName") or "").removesuffix(".")
    if not name:
        return [*errors, field.required("spec.externalName")]
    return errors + field.invalids("spec.externalName", name, names.is_dns1123_subdomain(name))


def _warn(obj: Json) -> list[str]:
    """Fields that are ignored for the type of the service, or deprecated."""
    spec = obj.get("spec") or {}
    found: list[str] = []
    if _HINTS in (obj["metadata"].get("annotations") or {}):
        found.append(f"annotation {_HINTS} is deprecated, please use {_MODE} instead")
    if spec.get("clusterIP") not in (None, "", "None"):
        found += address_warnings.warn_each(spec.get("clusterIPs") or (), "spec.clusterIPs")
    is_headless = spec.get("type") == "ClusterIP" and spec.get("clusterIP") == "None"
    external: list[str] = spec.get("externalIPs") or []
    if is_headless:
        found += _ignored_when_headless(spec)
    found += address_warnings.warn_each(external, "spec.externalIPs")
    is_name = spec.get("type") == "ExternalName"
    if external and not is_headless and not is_name:
        found.append(
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
        )
    if spec.get("loadBalancerIP"):
        found += address_warnings.address(spec["loadBalancerIP"], "spec.loadBalancerIP")
    for index, value in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        found += address_warnings.block(value, f"spec.loadBalancerSourceRanges[{index}]")
    if is_name and external:
        found.append('spec.externalIPs is ignored when spec.type is "ExternalName"')
    if not is_name and spec.get("externalName"):
        found.append('spec.externalName is ignored when spec.type is not "ExternalName"')
    if spec.get("trafficDistribution") == "PreferClose":
        found.append('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
    return found


def _ignored_when_headless(spec: Json) -> list[str]:
    fields = {
        "loadBalancerIP": bool(spec.get("loadBalancerIP")),
        "externalIPs": bool(spec.get("externalIPs")),
        "SessionAffinity": spec.get("sessionAffinity") != "None",
    }
    return [
        f"spec.{name} is ignored for headless services" for name, is_set in fields.items() if is_set
    ]


def _cells(obj: Json, now_ns: int) -> list[Cell]:
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


def _port(port: Json) -> str:
    number, protocol = cells.number(port, "port"), cells.text(port, "protocol")
    node_port = cells.number(port, "nodePort")
    return f"{number}:{node_port}/{protocol}" if node_port > 0 else f"{number}/{protocol}"


def _external_ip(spec: Json, obj: Json) -> str:
    service_type = spec.get("type")
    external = ",".join(cells.items(spec, "externalIPs"))
    if service_type in ("ClusterIP", "NodePort"):
        return external or cells.NONE
    if service_type == "LoadBalancer":
        addresses = cells.load_balancer(obj)
        return ",".join(filter(None, (addresses, external))) or "<pending>"
    return cells.text(spec, "externalName") if service_type == "ExternalName" else cells.UNKNOWN


KIND: Final = Kind(
    group="",
    version="v1",
    kind="Service",
    plural="services",
    short_names=("svc",),
    categories=("all",),
    subresources=frozenset({"proxy", "status"}),
    declared=Behavior(
        default=_default,
        prepare_update={"": _prepare_update},
        read_back=_read_back,
        name_rule=names.name_is_dns_label,
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        warn=_warn,
        warn_update={"status": lambda new, _: address_warnings.load_balancer(new)},
        cells=_cells,
        quota=services_quota.EVALUATOR,
        create_on_update=True,
        storage_prefix="services/specs",
    ),
)
