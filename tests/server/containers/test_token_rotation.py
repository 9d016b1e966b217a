"""Tokens in volumes are renewed, and clients in containers follow."""

from __future__ import annotations

import asyncio
import re

from kubestage import Stage
from kubestage.testing import make_node, make_pod
from tests.server.clusters import Server, serving

LOG = "/api/v1/namespaces/default/pods/client/log"


def test_a_token_is_renewed_after_four_fifths_of_its_time() -> None:
    pod = make_pod("client")
    pod["spec"]["containers"][0] |= {
        "image": "registry.k8s.io/e2e-test-images/agnhost:2.63.0",
        "args": ["inclusterclient"],
        "volumeMounts": [
            {"name": "t", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
        ],
    }
    source = {"serviceAccountToken": {"path": "token", "expirationSeconds": 600}}
    pod["spec"]["volumes"] = [{"name": "t", "projected": {"sources": [source]}}]
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}

    async def shown(server: Server) -> list[str]:
        log = (await server.ask("GET", LOG)).body.decode()
        assert "calling /healthz" in log
        return list(dict.fromkeys(re.findall(r"authz_header=([\w-]+)", log)))

    async def story() -> list[int]:
        made = Stage()
        made.add_scheduler()
        made.add_controllers()
        counts = []
        async with serving(made) as server:
            made.apply([make_node("n1", cpu="4"), account, pod])
            for duration in ("7m", "3m", "8m"):
                await server.advance(duration)
                counts.append(len(await shown(server)))
        return counts

    assert asyncio.run(story()) == [1, 2, 3]
