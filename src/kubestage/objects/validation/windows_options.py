"""Windows settings of a pod or container."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import capabilities, container_paths, field, internal_json, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_MAX_SPEC_KIB: Final = 64
_MAX_DOMAIN_BYTES: Final = 256
_MAX_USER_BYTES: Final = 104

_LABEL: Final = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_has_control: Final = re.compile(r"[\x00-\x1f\x7f]").search
_is_netbios: Final = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}').fullmatch
_is_dns_domain: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*").fullmatch
_has_bad_char: Final = re.compile(r'["/\\:;|=,+*?<>@\[\]]').search
_is_dots_or_spaces: Final = re.compile(r"[. ]+").fullmatch


def validate_windows_options(options: Json, path: str) -> list[FieldError]:
    """The credential and the user a Windows container runs with."""
    errors: list[FieldError] = []
    name = options.get("gmsaCredentialSpecName")
    if name is not None:
        at = f"{path}.gmsaCredentialSpecName"
        errors += field.invalids(at, internal_json.text(name), names.is_dns1123_subdomain(name))
    credential = options.get("gmsaCredentialSpec")
    if credential is not None:
        detail = ""
        if not credential:
            detail = "gmsaCredentialSpec cannot be an empty string"
        elif names.size(credential) > _MAX_SPEC_KIB * 1024:
            detail = f"gmsaCredentialSpec size must be under {_MAX_SPEC_KIB} KiB"
        if detail:
            at = f"{path}.gmsaCredentialSpec"
            errors.append(field.invalid(at, internal_json.text(credential), detail))
    user_name = options.get("runAsUserName")
    if user_name is not None:
        at = f"{path}.runAsUserName"
        errors += field.invalids(at, internal_json.text(user_name), _user_name_problems(user_name))
    return errors


def _user_name_problems(user_name: str) -> list[str]:
    """``DOMAIN\\USER``, where the domain may be left out."""
    if not user_name:
        return ["runAsUserName cannot be an empty string"]
    if _has_control(user_name):
        return ["runAsUserName cannot contain control characters"]
    if user_name.count("\\") > 1:
        return ["runAsUserName cannot contain more than one backslash"]
    domain, backslash, user = user_name.rpartition("\\")
    problems = []
    if names.size(domain) >= _MAX_DOMAIN_BYTES:
        limit = _MAX_DOMAIN_BYTES
        problems.append(f"runAsUserName's Domain length must be under {limit} characters")
    if backslash and not (_is_netbios(domain) or _is_dns_domain(domain)):
        problems.append("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
    if not user:
        problems.append("runAsUserName's User cannot be empty")
    elif names.size(user) > _MAX_USER_BYTES:
        limit = _MAX_USER_BYTES
        problems.append(f"runAsUserName's User length must not be longer than {limit} characters")
    if _is_dots_or_spaces(user):
        problems.append("runAsUserName's User cannot contain only periods or spaces")
    if _has_bad_char(user):
        problems.append(
            "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"
        )
    return problems


def validate_host_process(spec: Json, path: str) -> list[FieldError]:
    """Containers that are processes of the Windows host: all of a pod or none."""
    pod_wide = _host_process(spec)
    own = [_host_process(container) for container in container_paths.every(spec)]
    if not pod_wide and not any(own):
        return []
    errors = [
        field.invalid(
            f"{at}.securityContext.windowsOptions.hostProcess",
            flag,
            "pod hostProcess value must be identical if both are specified, was "
            + str(pod_wide).lower(),
        )
        for flag, (_, at) in zip(own, container_paths.with_paths(spec, path), strict=True)
        if flag is not None and pod_wide is not None and flag != pod_wide
    ]
    effective = [pod_wide if flag is None else flag for flag in own]
    if not any(effective):
        return errors
    if not all(effective):
        detail = (
            "If pod contains any hostProcess containers then all containers must be HostProcess "
            "containers"
        )
        errors.append(field.invalid(path, "", detail))
    if not spec.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        errors.append(field.invalid(f"{path}.hostNetwork", False, detail))
    if not capabilities.allow_privileged():
        detail = "hostProcess containers are disallowed by cluster policy"
        errors.append(field.forbidden(path, detail))
    return errors


def _host_process(holder: Json) -> bool | None:
    context = holder.get("securityContext") or {}
    flag: bool | None = (context.get("windowsOptions") or {}).get("hostProcess")
    return flag
