"""Pod Security over HTTP: refusals, warnings in headers, and counts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.server import calling

if TYPE_CHECKING:
    from kubestage.server.app import Application

PREFIX = "pod-security.kubernetes.io"
PODS = "/api/v1/namespaces/a/pods"
MERGE = {"content-type": "application/merge-patch+json"}


def pod(name: str, **spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "i", "env": [{"name": "A"}, {"name": "A"}]}]
    return {"metadata": {"name": name}, "spec": {"containers": containers, **spec}}


async def labelled(**labels: str) -> Application:
    app = calling.application()
    metadata = {"name": "a", "labels": {f"{PREFIX}/{key}": each for key, each in labels.items()}}
    assert (await calling.call(app, "POST", "/api/v1/namespaces", {"metadata": metadata})).status
    return app


def test_a_refusal_and_what_it_warns_of() -> None:
    async def story() -> None:
        app = await labelled(enforce="baseline")
        answer = await calling.call(app, "POST", PODS, pod("x", hostIPC=True))
        assert answer.status == 403
        assert answer.json["reason"] == "Forbidden"
        assert answer.json["message"] == (
            'pods "x" is forbidden: violates PodSecurity "baseline:latest": host namespaces '
            "(hostIPC=true)"
        )
        # What the pod itself is warned of is told before anybody looks at the policy.
        (warning,) = answer.header("warning")
        assert "hides previous definition" in warning
        assert (await calling.call(app, "GET", f"{PODS}/x")).status == 404

    asyncio.run(story())


def test_warnings_come_last_and_also_on_dry_runs() -> None:
    async def story() -> None:
        app = await labelled(warn="baseline")
        for query in ({"dryRun": "All"}, {}):
            body = pod("x", hostIPC=True)
            answer = await calling.call(app, "POST", PODS, body, None, **query)
            assert answer.status == 201
            first, second = answer.header("warning")
            assert "hides previous definition" in first
            assert second == (
                '299 - "would violate PodSecurity \\"baseline:latest\\": host namespaces '
                '(hostIPC=true)"'
            )

    asyncio.run(story())


def test_a_stricter_label_lists_pods_and_a_wrong_one_is_refused() -> None:
    async def story() -> None:
        app = await labelled()
        await calling.call(app, "POST", PODS, pod("x", hostIPC=True))
        label = {"metadata": {"labels": {f"{PREFIX}/enforce": "baseline"}}}
        answer = await calling.call(app, "PATCH", "/api/v1/namespaces/a", label, MERGE)
        assert answer.status == 200
        assert answer.header("warning")[-1] == '299 - "x: host namespaces"'
        label["metadata"]["labels"][f"{PREFIX}/enforce"] = "most"
        answer = await calling.call(app, "PATCH", "/api/v1/namespaces/a", label, MERGE)
        assert answer.status == 422
        assert answer.json["details"]["causes"][0]["field"] == f"metadata.labels[{PREFIX}/enforce]"

    asyncio.run(story())


def test_a_name_that_is_taken_is_warned_of_as_a_new_one() -> None:
    async def story() -> None:
        app = await labelled()
        await calling.call(app, "POST", PODS, pod("x"))
        answer = await calling.call(app, "POST", PODS, pod("x"))
        assert answer.status == 409
        assert len(answer.header("warning")) == 1

    asyncio.run(story())


def test_decisions_are_counted() -> None:
    async def story() -> None:
        app = await labelled(enforce="baseline", audit="restricted", warn="privileged")
        await calling.call(app, "POST", PODS, pod("x"))
        await calling.call(app, "POST", PODS, pod("y", hostIPC=True))
        lines = (await calling.call(app, "GET", "/metrics")).body.decode().splitlines()
        found = [line for line in lines if line.startswith("pod_security_evaluations_total{")]
        at = 'request_operation="create",resource="pod",subresource=""'
        base = 'policy_level="baseline",policy_version="latest"'
        rest = 'policy_level="restricted",policy_version="latest"'
        name = "pod_security_evaluations_total"
        assert sorted(found) == [
            f'{name}{{decision="allow",mode="enforce",{base},{at}}} 1',
            f'{name}{{decision="deny",mode="audit",{rest},{at}}} 2',
            f'{name}{{decision="deny",mode="enforce",{base},{at}}} 1',
        ]

    asyncio.run(story())
