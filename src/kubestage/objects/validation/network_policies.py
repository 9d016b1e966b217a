"""Rules for network policies."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.validation import (
    addresses,
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.objects.validation.field import FieldError

_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_TYPES: Final = ("Ingress", "Egress")
_PEERS: Final = (("ingress", "from"), ("egress", "to"))


class _Leniency(NamedTuple):
    """What an older policy already got wrong, and may go on to."""

    label_values: bool = False
    blocks: frozenset[str] = frozenset()


def validate_network_policy(obj: dict[str, Any]) -> list[FieldError]:
    """A new policy."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    return errors + _validate_spec(obj.get("spec") or {}, _Leniency())


def validate_network_policy_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed policy."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    spec = old.get("spec") or {}
    is_odd = bool(label_selectors.validate_label_selector(spec.get("podSelector"), ""))
    return errors + _validate_spec(
        new.get("spec") or {}, _Leniency(is_odd, frozenset(_blocks(spec)))
    )


def _blocks(spec: dict[str, Any]) -> Iterator[str]:
    for rules, peers in _PEERS:
        for rule in spec.get(rules) or ():
            for peer in rule.get(peers) or ():
                block = peer.get("ipBlock") or {}
                yield block.get("cidr") or ""
                yield from block.get("except") or ()


def _validate_spec(spec: dict[str, Any], leniency: _Leniency) -> list[FieldError]:
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


def _validate_selector(
    selector: dict[str, Any] | None, path: str, leniency: _Leniency
) -> list[FieldError]:
    return label_selectors.validate_label_selector(
        selector, path, allow_invalid_values=leniency.label_values
    )


def _validate_port(port: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    protocol, number, end = port.get("protocol"), port.get("port"), port.get("endPort")
    if protocol is not None and protocol not in _PROTOCOLS:
        errors.append(field.not_supported(f"{path}.protocol", protocol, _PROTOCOLS))
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


def _validate_peer(peer: dict[str, Any], path: str, leniency: _Leniency) -> list[FieldError]:
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


def _validate_block(block: dict[str, Any], path: str, leniency: _Leniency) -> list[FieldError]:
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
