"""Namespaces: the four that are always there, who may be created in one, and how one ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import timestamps
from kubestage.objects.validation import status
from kubestage.store import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.collection import Collection
    from kubestage.store.core import Core
    from kubestage.store.deletion import DeleteOptions

NAMESPACE: Final = ("v1", "Namespace")
SEEDED: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
PROTECTED: Final = frozenset({"default", "kube-public", "kube-system"})


def manifest(name: str) -> Json:
    """A namespace as a person would write it."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def terminate(core: Core, kind: Kind, existing: Json, request: DeleteOptions) -> Json | None:
    """The first step of a namespace's end; None when nothing holds the object any more."""
    metadata = existing["metadata"]
    _check_preconditions(kind, metadata, request)
    if "deletionTimestamp" in metadata:
        return existing if existing["spec"].get("finalizers") else None
    marked = {**metadata, "deletionTimestamp": timestamps.format_time(core.clock.unix_ns)}
    _set_finalizers(marked, request)
    ending = {
        **existing,
        "metadata": marked,
        "status": {**existing.get("status", {}), "phase": "Terminating"},
    }
    return replacing.write(core, kind, metadata["name"], ending, dry_run=request.dry_run)


def _set_finalizers(metadata: Json, request: DeleteOptions) -> None:
    """Store the policy in metadata that the caller owns; two policies may be set at once.

    Unlike with other kinds, not to orphan dependents means to wait for them.
    """
    orphans, policy = request.orphan_dependents, request.propagation_policy
    if orphans is None and policy is None:
        return
    expected = {
        "orphan": policy == "Orphan" if orphans is None else orphans,
        "foregroundDeletion": policy == "Foreground" if orphans is None else not orphans,
    }
    before = metadata.pop("finalizers", [])
    after = [each for each in before if expected.get(each, True)]
    after += [each for each, is_expected in expected.items() if is_expected and each not in before]
    if after:
        metadata["finalizers"] = after


def _check_preconditions(kind: Kind, metadata: Json, request: DeleteOptions) -> None:
    for what, expected, actual in (
        ("UID", request.uid, metadata["uid"]),
        ("ResourceVersion", request.resource_version, metadata["resourceVersion"]),
    ):
        if expected is not None and expected != actual:
            why = (
                f"Precondition failed: {what} in precondition: {expected}, "
                f"{what} in object meta: {actual}"
            )
            raise status.conflict(kind, metadata["name"], why)


def is_empty(core: Core, namespace: str) -> bool:
    """Whether a namespace holds nothing."""
    return not any(each.count(namespace) for each in collections(core))


def collections(core: Core) -> list[Collection]:
    """The collections of kinds with namespaces, by group and plural."""
    return [each for each in core.ledger.by_name() if each.kind.namespaced]


def contents(core: Core, namespace: str) -> Iterator[tuple[Collection, str]]:
    """Everything in a namespace: pods first, as their end takes longest."""
    found = collections(core)
    found.sort(key=lambda each: each.kind.plural != "pods")
    for collection in found:
        for key in collection.keys(namespace):
            yield collection, key


def finish(core: Core, name: str) -> None:
    """Let an empty namespace go."""
    row = core.kind(NAMESPACE)
    existing = core.read(NAMESPACE)[name]
    spec = {**existing["spec"]}
    remaining = [each for each in spec.pop("finalizers", []) if each != "kubernetes"]
    if remaining:
        spec["finalizers"] = remaining
    replacing.replace(core, row, name, {**existing, "spec": spec})
