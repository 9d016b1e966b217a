"""What admission decides about, and how it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kubestage.objects.validation import status

if TYPE_CHECKING:
    from collections.abc import Callable, MutableSequence

    from kubestage.errors import Forbidden
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

    Step = Callable[[Core, Kind, dict[str, Any], dict[str, Any] | None], dict[str, Any]]
    Check = Callable[[Core, "AdmissionRequest"], None]


class AdmissionRequest(NamedTuple):
    """An object that is valid and about to be stored; `old` is None on create.

    What is admitted with a warning is added to `warnings`, if there are any.
    """

    kind: Kind
    obj: dict[str, Any]
    old: dict[str, Any] | None = None
    subresource: str = ""
    dry_run: bool = False
    warnings: MutableSequence[str] | None = None


class Webhook(Protocol):
    """May change new objects, after all steps and before they are validated."""

    def mark(self, kind: Kind, obj: dict[str, Any], namespace: str) -> bytes:
        """What its answer depends on besides the object itself; nothing if it lets it pass."""
        ...

    def admit(self, kind: Kind, obj: dict[str, Any], namespace: str) -> dict[str, Any]:
        """The object as it should be."""
        ...


def is_pod(kind: Kind) -> bool:
    """Whether this is about a pod."""
    return kind.kind == "Pod" and not kind.group


def is_claim(kind: Kind) -> bool:
    """Whether this is about a persistent volume claim."""
    return kind.kind == "PersistentVolumeClaim" and not kind.group


def with_spec(obj: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The object with other fields in its spec."""
    return {**obj, "spec": {**obj["spec"], **fields}}


def refuse(kind: Kind, obj: dict[str, Any], why: str) -> Forbidden:
    """The refusal of an object, which may have no name of its own yet."""
    metadata = obj["metadata"]
    name = metadata.get("name") or metadata.get("generateName") or "Unknown!"
    return status.forbidden(kind, name, why)
