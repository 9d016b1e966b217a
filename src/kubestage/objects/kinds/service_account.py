"""What the API does to a ServiceAccount."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from kubestage.aliases import Json


_MOUNTABLE: Final = "kubernetes.io/enforce-mountable-secrets"


def _prepare(account: Json, _: str | None) -> None:
    """References to secrets are names, nothing more."""
    if account.get("secrets"):
        account["secrets"] = [
            {"name": secret["name"]} if secret.get("name") else {} for secret in account["secrets"]
        ]


def _prepare_update(new: Json, _: Json, now: str | None) -> None:
    """As on creation."""
    _prepare(new, now)


def _warn(obj: Json) -> list[str]:
    """An annotation that is deprecated."""
    if _MOUNTABLE not in (obj["metadata"].get("annotations") or {}):
        return []
    warning = (
        f"metadata.annotations[{_MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to "
        "isolate access to mounted secrets"
    )
    return [warning]


def _warn_update(new: Json, old: Json) -> list[str]:
    """As for a new one, unless the annotation was there before."""
    return [] if _warn(old) else _warn(new)


KIND: Final = Kind(
    group="",
    version="v1",
    kind="ServiceAccount",
    plural="serviceaccounts",
    short_names=("sa",),
    subresources=frozenset({"token"}),
    declared=Behavior(
        prepare_create=_prepare,
        prepare_update={"": _prepare_update},
        warn_create=_warn,
        warn_update={"": _warn_update},
        cells=cells.name_and_age,
    ),
)
