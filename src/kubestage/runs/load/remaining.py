"""The objects that a load created and did not see deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from kubestage.clusterloader.call_log import CallLog


class RemainingObjects(msgspec.Struct, frozen=True):
    """Names of objects, as in ``pod/web in default``."""

    left: list[str]
    """What the user has to delete."""
    terminating: list[str]
    """Namespaces that the cluster is about to delete."""


def remaining_objects(calls: CallLog) -> RemainingObjects:
    """What a load created and did not see deleted, by the calls that were answered.

    Objects in namespaces that the load created are deleted with them, and are not listed.
    """
    created: dict[tuple[str, str, str], None] = {}
    terminating: dict[str, None] = {}
    namespaces: set[str] = set()
    rows = zip(calls.verbs, calls.kinds, calls.namespaces, calls.names, calls.codes, strict=True)
    for verb, kind, namespace, name, code in rows:
        if verb == "create" and code < 400:
            created[kind, namespace, name] = None
            if kind == "Namespace":
                namespaces.add(name)
        elif verb == "delete" and (code < 400 or code == 404):
            created.pop((kind, namespace, name), None)
            if kind == "Namespace" and code != 404:
                terminating[f"namespace/{name}"] = None
    left = [
        f"{kind.lower()}/{name}" + (f" in {namespace}" if namespace else "")
        for kind, namespace, name in created
        if namespace not in namespaces
    ]
    return RemainingObjects(left, list(terminating))
