"""Rules for what is reported about single containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import field, internal_json, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_KINDS: Final = {
    "containerStatuses": "containers",
    "initContainerStatuses": "initContainers",
    "ephemeralContainerStatuses": "ephemeralContainers",
}


def validate_transitions(status: Json, old: Json, spec: Json) -> list[FieldError]:
    """A container that has ended runs again only if the restart rules allow it."""
    errors: list[FieldError] = []
    all_may = _any_restarts_all(spec)
    for kind, containers in _KINDS.items():
        ephemeral = kind == "ephemeralContainerStatuses"
        if all_may and not ephemeral:
            continue
        by_name = {} if ephemeral else {c.get("name"): c for c in spec.get(containers) or ()}
        for index, before in enumerate(old.get(kind) or ()):
            ended = (before.get("state") or {}).get("terminated")
            if ended is None:
                continue
            exit_code = ended.get("exitCode") or 0
            container = by_name.get(before.get("name"))
            if container is not None and _restarts(container, spec, exit_code):
                continue
            runs = [
                entry
                for entry in status.get(kind) or ()
                if entry.get("name") == before.get("name")
                and (entry.get("state") or {}).get("terminated") is None
            ]
            path = f"status.{kind}[{index}].state"
            detail = "may not be transitioned to non-terminated state"
            errors += [field.forbidden(path, detail) for _ in (runs if ephemeral else runs[:1])]
    return errors


def _any_restarts_all(spec: Json) -> bool:
    return any(
        rule.get("action") == "RestartAllContainers"
        for kind in ("initContainers", "containers")
        for container in spec.get(kind) or ()
        for rule in container.get("restartPolicyRules") or ()
    )


def _restarts(container: Json, spec: Json, exit_code: int) -> bool:
    policy = container.get("restartPolicy")
    if policy is not None:
        for rule in container.get("restartPolicyRules") or ():
            codes = rule.get("exitCodes")
            if codes is not None and _matches(codes, exit_code):
                if rule.get("action") in ("Restart", "RestartAllContainers"):
                    return True
                break
    else:
        policy = spec.get("restartPolicy")
    if policy == "OnFailure":
        return exit_code != 0
    return bool(policy != "Never")


def _matches(codes: Json, exit_code: int) -> bool:
    listed = exit_code in (codes.get("values") or ())
    operator = codes.get("operator")
    return listed if operator == "In" else operator == "NotIn" and not listed


def validate_reports(status: Json, spec: Json) -> list[FieldError]:
    """Users and device health of containers."""
    errors: list[FieldError] = []
    os_name = (spec.get("os") or {}).get("name") or "linux"
    for kind in _KINDS:
        for index, entry in enumerate(status.get(kind) or ()):
            user = entry.get("user")
            if user is not None:
                errors += _validate_user(user, os_name, f"status.{kind}[{index}].user.linux")
    for kind, containers in _KINDS.items():
        for index, entry in enumerate(status.get(kind) or ()):
            allocated = entry.get("allocatedResourcesStatus")
            path = f"status.{kind}[{index}].allocatedResourcesStatus"
            if not allocated:
                continue
            if kind == "ephemeralContainerStatuses":
                errors.append(field.forbidden(path, "must not be specified in container status"))
                continue
            named = [c for c in spec.get(containers) or () if c.get("name") == entry.get("name")]
            for at, resource in enumerate(allocated):
                errors += _validate_allocated(resource, named[:1], f"{path}[{at}]")
    return errors


def _validate_user(user: Json, os_name: str, path: str) -> list[FieldError]:
    linux = user.get("linux")
    if linux is None:
        return []
    if os_name == "windows":
        return [field.forbidden(path, "cannot be set for a windows pod")]
    uid, gid = linux.get("uid") or 0, linux.get("gid") or 0
    errors = field.invalids(f"{path}.uid", uid, names.is_valid_user_id(uid))
    errors += field.invalids(f"{path}.gid", gid, names.is_valid_group_id(gid))
    for index, group in enumerate(linux.get("supplementalGroups") or ()):
        at = f"{path}.supplementalGroups[{index}]"
        errors += field.invalids(at, group, names.is_valid_group_id(group))
    return errors


def _validate_allocated(resource: Json, containers: list[Json], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    name = resource.get("name") or ""
    for container in containers:
        requirements = container.get("resources") or {}
        if name.startswith("claim:"):
            known = {_claim_name(claim) for claim in requirements.get("claims") or ()}
            detail = (
                "must match one of the container's resource claims in a format "
                "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
            )
        else:
            known = set(requirements.get("requests") or ())
            detail = "must match one of the container's resource requests"
        if name not in known:
            errors.append(field.invalid(f"{path}.name", internal_json.text(name), detail))
    seen: set[str] = set()
    for index, health in enumerate(resource.get("resources") or ()):
        errors += _validate_health(health, seen, f"{path}.resources[{index}]")
    return errors


def _claim_name(claim: Json) -> str:
    request = claim.get("request")
    name = f"claim:{claim.get('name') or ''}"
    return f"{name}/{request}" if request else name


def _validate_health(health: Json, seen: set[str], path: str) -> list[FieldError]:
    errors = markers.check("core/v1.ResourceHealth", health, path)
    device = health.get("resourceID") or ""
    if device in seen:
        errors.append(field.duplicate(f"{path}.resourceID", internal_json.text(device)))
    seen.add(device)
    return errors
