"""The conversion webhook of Kubernetes' own tests, and the memory of converted objects."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kubestage.server.outside import agnhost_conversion
from kubestage.server.outside.remembered import RememberedObjects

if TYPE_CHECKING:
    from kubestage.aliases import Json

ITSELF = "conversion from a version to itself should not call the webhook"


def agnhost(obj: Json, version: str, path: str = "/crdconvert") -> Json | None:
    request = {"uid": "u", "objects": [obj], "desiredAPIVersion": f"stable.example.com/{version}"}
    own = {"kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1"}
    return asyncio.run(agnhost_conversion.answer(path, {**own, "request": request}))


def test_the_conversion_webhook_of_agnhost() -> None:
    old = {"apiVersion": "stable.example.com/v1", "hostPort": "a:1"}
    new = {"apiVersion": "stable.example.com/v2", "host": "a", "port": "1"}
    for one, version, other in ((old, "v2", new), (new, "v1", old)):
        answer = agnhost(one, version)
        assert answer is not None
        assert answer["response"]["uid"] == "u"
        assert answer["response"]["convertedObjects"] == [other]
    for obj, version, message in (
        (old, "v1", f"{ITSELF}: stable.example.com/v1"),
        (old, "v3", 'unexpected conversion version "stable.example.com/v3"'),
        ({**old, "hostPort": "x"}, "v2", "invalid hostPort value `x`"),
    ):  # fmt: skip
        answer = agnhost(obj, version)
        assert answer is not None
        assert answer["response"]["result"]["message"] == message
    assert agnhost(old, "v2", "/other") is None


def test_what_is_remembered_is_bounded() -> None:
    memory = RememberedObjects(most_bytes=1000)
    for number in range(100):
        memory.put(f"{number:03}".encode(), {"data": "x" * 50})
        memory.put(b"same", {"number": number})
    assert memory.get(b"same") == {"number": 99}
    assert memory.get(b"000") is None
    assert memory.get(b"099") is not None
    assert 10 < len(memory) < 20
