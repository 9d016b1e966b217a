"""What the API does to a NetworkPolicy."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    addresses,
    field,
    internal_json,
    label_selectors,
    names,
)
from kubestage.objects.warnings import addresses as address_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_TYPES: Final = ("Ingress", "Egress")
_PEERS: Final = (("ingress", "from"), ("egress", "to"))


def _default(obj: Json) -> None:
    """The policy types follow from the rules."""
    spec = obj["spec"]
    if "policyTypes" not in spec:
        spec["policyTypes"] = ["Ingress", "Egress"] if "egress" in spec else ["Ingress"]
    for direction in ("ingress", "egress"):
        for rule in spec.get(direction, ()):
            for port in rule.get("ports", ()):
                port.setdefault("protocol", "TCP")


class _Leniency(NamedTuple):
    """What the stored policy has already, so that it is not validated again."""

    label_values: bool = False
    blocks: frozenset[str] = frozenset()


def _validate(obj: Json) -> list[FieldError]:
    return _validate_spec(obj.get("spec") or {}, _Leniency())


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    spec = old.get("spec") or {}
    was_invalid = bool(label_selectors.validate_label_selector(spec.get("podSelector"), ""))
    leniency = _Leniency(was_invalid, frozenset(value for _, value in _blocks(spec)))
    return _validate_spec(new.get("spec") or {}, leniency)


def _blocks(spec: Json) -> Iterator[tuple[str, str]]:
    """The paths and values of all blocks of addresses."""
    for rules, peers in _PEERS:
        for index, rule in enumerate(spec.get(rules) or ()):
            for at, peer in enumerate(rule.get(peers) or ()):
                path = f"spec.{rules}[{index}].{peers}[{at}].ipBlock"
                block = peer.get("ipBlock") or {}
                yield f"{path}.cidr", block.get("cidr") or ""
                for nth, value in enumerate(block.get("except") or ()):
                    yield f"{path}.except[{nth}]", value


def _validate_spec(spec: Json, leniency: _Leniency) -> list[FieldError]:
    errors = _validate_selector(spec.get("podSelector"), "spec.podSelector", leniency)
    for rules, peers in _PEERS:
        for index, rule in enumerate(spec.get(rules) or ()):
            path = f"spec.{rules}[{index}]"
            for at, port in enumerate(rule.get("ports") or ()):
                errors += _validate_port(port, f"{path}.ports[{at}]")
            for at, peer in enumerate(rule.get(peers) or ()):
                errors += _validate_peer(peer, f"{path}.{peers}[{at}]", leniency)
    types = spec.get("policyTypes") or []
    if len(types) > len(_TYPES):
        shown = internal_json.text(types)
        detail = "may not specify more than two policyTypes"
        return [*errors, field.invalid("spec.policyTypes", shown, detail)]
    return errors + [
        field.not_supported(f"spec.policyTypes[{index}]", kind, _TYPES)
        for index, kind in enumerate(types)
        if kind not in _TYPES
    ]


def _validate_selector(selector: Json | None, path: str, leniency: _Leniency) -> list[FieldError]:
    return label_selectors.validate_label_selector(
        selector, path, allow_invalid_values=leniency.label_values
    )


def _validate_port(port: Json, path: str) -> list[FieldError]:
    errors = markers.check("networking/v1.NetworkPolicyPort", port, path)
    number, end = port.get("port"), port.get("endPort")
    at = f"{path}.endPort"
    if isinstance(number, int):
        errors += field.invalids(f"{path}.port", number, names.is_valid_port_num(number))
        if end is not None:
            if end < number:
                detail = "must be greater than or equal to `port`"
                errors.append(field.invalid(at, number, detail))
            errors += field.invalids(at, end, names.is_valid_port_num(end))
        return errors
    if end is not None:
        why = "not specified" if number is None else "non-numeric"
        errors.append(field.invalid(at, end, f"may not be specified when `port` is {why}"))
    if number is not None:
        errors += field.invalids(f"{path}.port", number, names.is_valid_port_name(number))
    return errors


def _validate_peer(peer: Json, path: str, leniency: _Leniency) -> list[FieldError]:
    errors: list[FieldError] = []
    selectors = [key for key in ("podSelector", "namespaceSelector") if peer.get(key) is not None]
    for key in selectors:
        errors += _validate_selector(peer[key], f"{path}.{key}", leniency)
    block = peer.get("ipBlock")
    if block is None:
        return errors if selectors else [field.required(path, "must specify a peer")]
    errors += _validate_block(block, f"{path}.ipBlock", leniency)
    if selectors:
        errors.append(field.forbidden(path, "may not specify both ipBlock and another peer"))
    return errors


def _validate_block(block: Json, path: str, leniency: _Leniency) -> list[FieldError]:
    cidr = block.get("cidr") or ""
    if not cidr:
        return [field.required(f"{path}.cidr")]
    errors = _validate_cidr(cidr, f"{path}.cidr", leniency)
    outer = _network(cidr)
    if outer is None:
        return errors
    for index, text in enumerate(block.get("except") or ()):
        at = f"{path}.except[{index}]"
        errors += _validate_cidr(text, at, leniency)
        inner = _network(text)
        if inner is not None and not _is_strictly_within(inner, outer):
            errors.append(field.invalid(at, text, "must be a strict subset of `cidr`"))
    return errors


def _validate_cidr(text: str, path: str, leniency: _Leniency) -> list[FieldError]:
    if text in leniency.blocks:
        return []
    return field.invalids(path, text, addresses.is_cidr_for_legacy_field(text))


_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _network(text: str) -> _Network | None:
    parts = addresses.split_cidr(text)
    if parts is None:
        return None
    return ipaddress.ip_network(f"{parts[0]}/{parts[1]}", strict=False)


def _is_strictly_within(inner: _Network, outer: _Network) -> bool:
    if inner.version != outer.version:
        return False
    return inner.network_address in outer and outer.prefixlen < inner.prefixlen


def _warn(obj: Json) -> list[str]:
    """Odd blocks of addresses."""
    return [
        warning
        for path, value in _blocks(obj.get("spec") or {})
        for warning in address_warnings.block(value, path)
    ]


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    selector = cells.selector_text(cells.part(obj, "spec", "podSelector"))
    return [cells.name(obj), selector, cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="networking.k8s.io",
    version="v1",
    kind="NetworkPolicy",
    plural="networkpolicies",
    short_names=("netpol",),
    old_versions=("extensions/v1beta1",),
    declared=Behavior(
        default=_default,
        generation_fields=("spec",),
        validate=_validate,
        validate_update={"": _validate_update},
        warn=_warn,
        cells=_cells,
    ),
)
