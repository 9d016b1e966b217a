from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Invalid
from tests.store.samples import make_store

if TYPE_CHECKING:
    from kubestage.store.store import Store

CLAIM = ("resource.k8s.io/v1", "ResourceClaim")
LABEL = "resource.kubernetes.io/admin-access"
WHY = f"admin access to devices requires the `{LABEL}: true` label on the containing namespace"
RESULT = {"request": "r", "driver": "d.x", "pool": "p", "device": "d0", "adminAccess": True}
REPORT = {"status": {"allocation": {"devices": {"results": [RESULT]}}}}


def claim(name: str, **exactly: Any) -> dict[str, Any]:
    request = {"name": "r", "exactly": {"deviceClassName": "gpu.x", **exactly}}
    return {
        "apiVersion": CLAIM[0],
        "kind": CLAIM[1],
        "metadata": {"name": name},
        "spec": {"devices": {"requests": [request]}},
    }


def mark(store: Store) -> None:
    store.patch(("v1", "Namespace"), "default", {"metadata": {"labels": {LABEL: "true"}}})


def test_only_marked_namespaces_may_ask_for_it() -> None:
    store = make_store()
    with pytest.raises(Invalid) as refusal:
        store.create(claim("a", adminAccess=True))
    assert refusal.value.message.endswith(
        f"is invalid: spec.devices.requests[0].adminAccess: Forbidden: {WHY}"
    )
    mark(store)
    assert store.create(claim("a", adminAccess=True))["metadata"]["name"] == "a"


def test_nor_is_it_granted_elsewhere() -> None:
    store = make_store()
    store.create(claim("a"))
    with pytest.raises(Invalid, match=r"status.allocation.devices.results\[0\].adminAccess: Forb"):
        store.patch(CLAIM, "a", REPORT, subresource="status")
    mark(store)
    granted = store.patch(CLAIM, "a", REPORT, subresource="status")
    assert granted["status"]["allocation"]["devices"]["results"][0]["adminAccess"] is True
