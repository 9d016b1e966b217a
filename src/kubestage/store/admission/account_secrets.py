"""The Secrets that a pod refers to, and those that its service account allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import booleans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json

_ENFORCED: Final = "kubernetes.io/enforce-mountable-secrets"
_SHOWN: Final = {"initContainers": "init container", "containers": "container"}


def are_enforced(account: Json) -> bool:
    """Whether pods of an account may use only the Secrets that it lists."""
    annotations = account["metadata"].get("annotations")
    return bool(annotations) and annotations.get(_ENFORCED) in booleans.TRUE


def problem(account: Json, spec: Json) -> str:
    """The first Secret of a pod that its account does not list, as a sentence."""
    name, mountable = account["metadata"]["name"], _named(account, "secrets")
    because = f"is not allowed because service account {name} does not reference that"
    for volume in spec.get("volumes") or ():
        secret = (volume.get("secret") or {}).get("secretName")
        if volume.get("secret") is not None and secret not in mountable:
            return f'volume with secret.secretName="{secret}" {because} secret'
    for part, shown in _SHOWN.items():
        for text in _unlisted(spec.get(part) or (), shown, mountable):
            return f"{text} {because} secret"
    pulled = _named(account, "imagePullSecrets")
    for index, each in enumerate(spec.get("imagePullSecrets") or ()):
        secret = each.get("name") or ""
        if secret not in pulled:
            return f'imagePullSecrets[{index}].name="{secret}" {because} imagePullSecret'
    return ""


def ephemeral_problem(account: Json, spec: Json) -> str:
    """As `problem`, for the ephemeral containers of a pod."""
    containers = spec.get("ephemeralContainers") or ()
    name, mountable = account["metadata"]["name"], _named(account, "secrets")
    for text in _unlisted(containers, "ephemeral container", mountable):
        return (
            f"{text} is not allowed because service account {name} does not reference that secret"
        )
    return ""


def references_any(spec: Json) -> bool:
    """Whether a pod refers to any Secret at all."""
    if spec.get("imagePullSecrets"):
        return True
    for volume in spec.get("volumes") or ():
        if volume.get("secret") or any(
            each.get("secret") for each in (volume.get("projected") or {}).get("sources") or ()
        ):
            return True
        if any(_has_secret(source) for source in volume.values() if isinstance(source, dict)):
            return True
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return any(True for _ in _unlisted(containers, "", frozenset()))


def _has_secret(source: Json) -> bool:
    """Whether the driver of a volume is given a Secret."""
    return any(source.get(each) for each in ("secretRef", "secretName", "nodePublishSecretRef"))


def _named(account: Json, part: str) -> frozenset[str]:
    return frozenset(each.get("name") or "" for each in account.get(part) or ())


def _unlisted(containers: Iterable[Json], shown: str, listed: frozenset[str]) -> Iterator[str]:
    """References of containers to Secrets that are not listed."""
    for container in containers:
        for variable in container.get("env") or ():
            reference = (variable.get("valueFrom") or {}).get("secretKeyRef")
            secret = (reference or {}).get("name") or ""
            if reference is not None and secret not in listed:
                where = f"{shown} {container['name']} with envVar {variable['name']}"
                yield f'{where} referencing secret.secretName="{secret}"'
        for source in container.get("envFrom") or ():
            reference = source.get("secretRef")
            secret = (reference or {}).get("name") or ""
            if reference is not None and secret not in listed:
                where = f"{shown} {container['name']} with envFrom"
                yield f'{where} referencing secret.secretName="{secret}"'
