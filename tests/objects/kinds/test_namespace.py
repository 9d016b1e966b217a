"""Namespaces: the rules that the recordings meet seldom or never."""

from __future__ import annotations

from kubestage.objects.validation import rules

TYPE = {"apiVersion": "v1", "kind": "Namespace"}


def test_a_namespace_is_active_until_it_is_deleted() -> None:
    meta = {"name": "n", "resourceVersion": "1", "uid": "u"}
    old = {**TYPE, "metadata": meta, "status": {"phase": "Active"}}
    new = {**TYPE, "metadata": meta, "status": {"phase": "Terminating"}}
    (error,) = rules.validate_update(new, old, "status")
    assert str(error) == (
        "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if "
        "`deletionTimestamp` is empty"
    )


def test_finalizers_of_a_namespace_are_known_ones() -> None:
    meta = {"name": "n", "resourceVersion": "1", "uid": "u"}
    old = {**TYPE, "metadata": meta, "spec": {"finalizers": ["kubernetes"]}}
    new = {**TYPE, "metadata": meta, "spec": {"finalizers": ["kubernetes", "mine"]}}
    (error,) = rules.validate_update(new, old, "finalize")
    assert error.field == "spec.finalizers[1]"
