"""How a pod resolves names, and which names it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import addresses, field, internal_json, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_MAX_NAMESERVERS: Final = 3
_MAX_SEARCHES: Final = 32
_MAX_SEARCH_BYTES: Final = 2048
_MAX_HOSTNAME_BYTES: Final = 64


def validate_dns_config(config: Json | None, policy: str, path: str) -> list[FieldError]:
    """Settings of the resolver, which policy None needs."""
    servers = (config or {}).get("nameservers") or ()
    if policy == "None":
        if config is None:
            detail = "must provide `dnsConfig` when `dnsPolicy` is None"
            return [field.required(path, detail)]
        if not servers:
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            return [field.required(f"{path}.nameservers", detail)]
    if config is None:
        return []
    errors: list[FieldError] = []
    if len(servers) > _MAX_NAMESERVERS:
        detail = f"must not have more than {_MAX_NAMESERVERS} nameservers"
        errors.append(field.invalid(f"{path}.nameservers", internal_json.text(servers), detail))
    for index, server in enumerate(servers):
        problems = addresses.is_valid_ip_for_legacy_field(server)
        errors += field.invalids(f"{path}.nameservers[{index}]", server, problems)
    errors += _validate_searches(config.get("searches") or (), f"{path}.searches")
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            errors.append(field.required(f"{path}.options[{index}]", "must not be empty"))
    return errors


def _validate_searches(searches: Sequence[str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if len(searches) > _MAX_SEARCHES:
        detail = f"must not have more than {_MAX_SEARCHES} search paths"
        errors.append(field.invalid(path, internal_json.text(searches), detail))
    if names.size(" ".join(searches)) > _MAX_SEARCH_BYTES:
        detail = (
            f"must not have more than {_MAX_SEARCH_BYTES} characters (including spaces) in the "
            "search list"
        )
        errors.append(field.invalid(path, internal_json.text(searches), detail))
    for index, search in enumerate(searches):
        if search != ".":
            domain = search.removesuffix(".")
            problems = names.is_dns1123_subdomain_with_underscore(domain)
            errors += field.invalids(f"{path}[{index}]", domain, problems)
    return errors


def validate_host_aliases(aliases: list[Json], path: str) -> list[FieldError]:
    """Lines of the hosts file."""
    errors: list[FieldError] = []
    for index, alias in enumerate(aliases):
        address = alias.get("ip") or ""
        problems = addresses.is_valid_ip_for_legacy_field(address)
        errors += field.invalids(f"{path}[{index}].ip", address, problems)
        for position, hostname in enumerate(alias.get("hostnames") or ()):
            at = f"{path}[{index}].hostnames[{position}]"
            errors += field.invalids(at, hostname, names.is_dns1123_subdomain(hostname))
    return errors


def validate_hostname_override(spec: Json, path: str) -> list[FieldError]:
    """``spec.hostnameOverride``, which must be there."""
    hostname = spec["hostnameOverride"]
    errors = [
        field.forbidden(path, f"may not be specified when {flag} is true")
        for flag in ("setHostnameAsFQDN", "hostNetwork")
        if spec.get(flag)
    ]
    if names.size(hostname) > _MAX_HOSTNAME_BYTES:
        errors.append(field.too_long(path, _MAX_HOSTNAME_BYTES))
    return errors + field.invalids(path, hostname, names.is_dns1123_subdomain(hostname))
