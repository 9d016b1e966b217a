"""Claims for devices that a pod's containers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.validation import field, internal_json, names, pod_annotations

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


def validate_resource_claims(claims: list[Json], meta: Json, path: str) -> list[FieldError]:
    """Claims the pod names for its containers; `meta` shows whether the pod is a static one."""
    if pod_annotations.MIRROR_POD in (meta.get("annotations") or ()):
        return [field.forbidden("[]", "static pods do not support resource claims") for _ in claims]
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        at = f"{path}[{index}]"
        name = claim.get("name") or ""
        if not name:
            errors.append(field.required(f"{at}.name"))
        elif name in seen:
            errors.append(field.duplicate(f"{at}.name", name))
        else:
            errors += field.invalids(f"{at}.name", name, names.is_dns1123_label(name))
            seen.add(name)
        errors += _validate_claim_source(claim, at)
    return errors


def _validate_claim_source(claim: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    keys = ("resourceClaimName", "resourceClaimTemplateName")
    sources = [key for key in keys if claim.get(key) is not None]
    if len(sources) != 1:
        detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        if sources:
            detail = (
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            )
        shown = internal_json.render("core/v1.PodResourceClaim", claim)
        errors.append(field.invalid(path, shown, detail))
    for key in sources:
        problems = names.is_dns1123_subdomain(claim[key])
        errors += field.invalids(f"{path}.{key}", claim[key], problems)
    return errors
