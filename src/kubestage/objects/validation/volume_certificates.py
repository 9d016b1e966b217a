"""Trust bundles and certificates that a projected volume puts into files.

The feature gates of both are off in v1.36, so a new pod loses them before it is validated; a pod
that has them already keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    local_paths,
    metadata,
    names,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_KEY_TYPES: Final = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_MIN_EXPIRATION_S: Final = 3600
_MAX_EXPIRATION_S: Final = 91 * 86400
_MAX_KUBERNETES_EXPIRATION_S: Final = 86400
_MAX_DOMAIN_BYTES: Final = 253
_MAX_SIGNER_BYTES: Final = 571


def validate_trust_bundle(bundle: Json, path: str) -> list[FieldError]:
    """Certificates of one bundle by name, or of a signer's bundles by label."""
    errors: list[FieldError] = []
    name, signer = bundle.get("name"), bundle.get("signerName")
    selector = bundle.get("labelSelector")
    if name is not None and signer is not None:
        shown = internal_json.render("core/v1.ClusterTrustBundleProjection", bundle)
        errors.append(field.invalid(path, shown, "only one of name and signerName may be used"))
    elif name is not None:
        if not name:
            errors.append(field.required(f"{path}.name", "must be a valid object name"))
        errors += field.invalids(f"{path}.name", name, _bundle_name_problems(name))
        if selector is not None:
            shown = internal_json.render("meta/v1.LabelSelector", selector)
            detail = "labelSelector must be unset if name is specified"
            errors.append(field.invalid(f"{path}.labelSelector", shown, detail))
    elif signer is not None:
        if not signer:
            errors.append(field.required(f"{path}.signerName", "must be a valid signer name"))
        errors += validate_signer_name(signer, f"{path}.signerName")
        errors += label_selectors.validate_label_selector(selector, f"{path}.labelSelector")
    else:
        errors.append(field.required(path, "either name or signerName must be specified"))
    target = bundle.get("path") or ""
    if not target:
        errors.append(field.required(f"{path}.path"))
    return errors + local_paths.validate_non_reserved(target, f"{path}.path")


def _bundle_name_problems(name: str) -> list[str]:
    """A bundle with a signer carries the signer in front of its name, set off by colons."""
    prefix, colon, own_name = name.rpartition(":")
    signer = prefix.replace(":", "/")
    problems = names.is_dns1123_subdomain(own_name)
    if colon and not signer:
        problems = ('ClusterTrustBundle without signer name must not have ":" in its name',)
    elif "/" in prefix:
        expected = signer.replace("/", ":") + ":"
        problems = (
            f"ClusterTrustBundle for signerName {signer} must be named with prefix {expected}",
        )
    return [f"not a valid clustertrustbundlename: {problem}" for problem in problems]


def validate_pod_certificate(certificate: Json, path: str) -> list[FieldError]:
    """A key and certificate made for the pod."""
    signer = certificate.get("signerName") or ""
    errors = validate_signer_name(signer, f"{path}.signerName")
    annotations = certificate.get("userAnnotations")
    if annotations is not None:
        errors += _validate_user_annotations(annotations, f"{path}.userAnnotations")
    key_type = certificate.get("keyType") or ""
    if key_type not in _KEY_TYPES:
        errors.append(field.not_supported(f"{path}.keyType", key_type, _KEY_TYPES))
    expiration = certificate.get("maxExpirationSeconds")
    if expiration is not None:
        at = f"{path}.maxExpirationSeconds"
        if expiration < _MIN_EXPIRATION_S:
            detail = f"if provided, maxExpirationSeconds must be >= {_MIN_EXPIRATION_S}"
            errors.append(field.invalid(at, expiration, detail))
        limit = _MAX_EXPIRATION_S
        if f".{signer.partition('/')[0]}".endswith(".kubernetes.io"):
            limit = _MAX_KUBERNETES_EXPIRATION_S
        if expiration > limit:
            detail = f"if provided, maxExpirationSeconds must be <= {limit}"
            errors.append(field.invalid(at, expiration, detail))
    return errors


def _validate_user_annotations(annotations: dict[str, str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in annotations:
        lowered = key.lower()
        problems = names.is_qualified_name(lowered)
        if not lowered:
            errors.append(field.required(path))
        elif problems:
            errors += field.invalids(path, lowered, problems)
        elif "/" not in lowered:
            detail = 'must be a domain-prefixed key (such as "acme.io/foo")'
            errors.append(field.invalid(path, lowered, detail))
    total = sum(names.size(key) + names.size(value) for key, value in annotations.items())
    if total > metadata.ANNOTATIONS_LIMIT:
        errors.append(field.too_long(path, metadata.ANNOTATIONS_LIMIT))
    return errors


def validate_signer_name(signer: str, path: str) -> list[FieldError]:
    """Who signs: ``example.com/signer-name``."""
    if not signer:
        return [field.required(path)]
    domain, slash, name = signer.partition("/")
    if not slash or "/" in name:
        detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        return [field.invalid(path, signer, detail)]
    errors = []
    if names.size(domain) > _MAX_DOMAIN_BYTES:
        errors.append(field.too_long(path, _MAX_DOMAIN_BYTES))
    errors += _first_bad_label(domain, names.is_dns1123_label, path)
    if "." not in domain:
        detail = "should be a domain with at least two segments separated by dots"
        errors.append(field.invalid(path, domain, detail))
    errors += _first_bad_label(name, names.is_dns1123_subdomain, path)
    if names.size(signer) > _MAX_SIGNER_BYTES:
        errors.append(field.too_long(path, _MAX_SIGNER_BYTES))
    return errors


def _first_bad_label(
    text: str, rule: Callable[[str], names.Problems], path: str
) -> list[FieldError]:
    for label in text.split("."):
        if problems := rule(label):
            shown = field.quote(label)
            details = [f"validating label {shown}: {problem}" for problem in problems]
            return field.invalids(path, text, details)
    return []
