from __future__ import annotations

import base64
from typing import Any

import pytest

from kubestage.stage import Stage

REQUEST = ("certificates.k8s.io/v1", "CertificateSigningRequest")
PEM = base64.b64encode(b"-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n")
CERTIFICATE = base64.b64encode(b"-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n")


def stage_with(condition: str = "", *, issued: bool = False) -> Stage:
    stage = Stage()
    stage.add_controllers()
    spec = {"request": PEM.decode(), "signerName": "example.com/mine", "usages": ["client auth"]}
    body: dict[str, Any] = {"apiVersion": REQUEST[0], "kind": REQUEST[1], "spec": spec}
    made = stage.store.create({**body, "metadata": {"name": "r"}})
    if condition:
        decided = {"type": condition, "status": "True", "reason": "r", "message": "m"}
        through = "status" if condition == "Failed" else "approval"
        made = stage.store.update(
            {**made, "status": {"conditions": [decided]}}, subresource=through
        )
    if issued:
        status = {**made["status"], "certificate": CERTIFICATE.decode()}
        stage.store.update({**made, "status": status}, subresource="status")
    return stage


@pytest.mark.parametrize(
    ("condition", "issued", "hours"),
    [("", False, 24), ("Denied", False, 1), ("Failed", False, 1), ("Approved", False, 24),
     ("Approved", True, 1)],
)  # fmt: skip
def test_requests_are_removed_when_nobody_needs_them(
    condition: str, issued: bool, hours: int
) -> None:
    stage = stage_with(condition, issued=issued)
    stage.run(f"{hours * 60 - 1}m")
    assert stage.store.read(REQUEST)
    stage.run("2m")
    assert not stage.store.read(REQUEST)
