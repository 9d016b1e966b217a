"""A session with kubectl as it might be: writes of all forms, some of which are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.testing import make_deployment, make_node, make_pod
from tests.server import calling
from tests.server.live_stage import NODES, PODS

if TYPE_CHECKING:
    import random

    from kubestage.aliases import Json
    from tests.server.live_stage import Served


DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
MAPS = "/api/v1/namespaces/default/configmaps"
NAMESPACES = "/api/v1/namespaces"
MERGE = {"content-type": "application/merge-patch+json"}
STRATEGIC = {"content-type": "application/strategic-merge-patch+json"}
JSON_PATCH = {"content-type": "application/json-patch+json"}
APPLY = {"content-type": "application/apply-patch+yaml"}


async def play(stage: Served, chance: random.Random, writes: int = 60) -> None:
    """Ask for this and that; time passes in between, or does not."""
    for number in range(writes):
        method, path, body, more = _write(chance, number)
        if method == "PUT":
            found = await calling.call(stage.app, "GET", path)
            if found.status != 200:
                continue
            body = found.json
            body["spec"]["template"]["spec"]["containers"][0]["image"] = f"image:{number}"
        await calling.call(stage.app, method, path, body, **more)
        if chance.random() < 0.5:
            await stage.quiet()
    await stage.call("POST", "/kubestage/v1/clock/advance", {"duration": "60s"})
    await stage.quiet()


def _write(chance: random.Random, number: int) -> tuple[str, str, Any, Json]:
    pod, web = f"p{chance.randrange(6)}", f"d{chance.randrange(4)}"
    name, count = f"c{chance.randrange(3)}", chance.randrange(5)
    labels = {"metadata": {"labels": {"a": str(number)}}}
    note = [{"op": "add", "path": "/metadata/annotations", "value": {"x": str(number)}}]
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "data": {f"k{count}": str(number)}}
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "extra"}}
    scale = {"spec": {"replicas": count}}
    applied = {"headers": APPLY, "fieldManager": "me"}
    choices: list[tuple[str, str, Any, Json]] = [
        ("POST", PODS, make_pod(pod, cpu="100m"), {}),
        ("POST", DEPLOYMENTS, make_deployment(web, replicas=count), {}),
        ("POST", NODES, make_node(f"n{count}"), {}),
        ("PATCH", f"{DEPLOYMENTS}/{web}/scale", scale, {"headers": MERGE}),
        ("PATCH", f"{PODS}/{pod}", labels, {"headers": STRATEGIC}),
        ("PATCH", f"{DEPLOYMENTS}/{web}", note, {"headers": JSON_PATCH}),
        ("PATCH", f"{MAPS}/{name}", {**settings, "metadata": {"name": name}}, applied),
        ("PUT", f"{DEPLOYMENTS}/{web}", None, {}),
        ("DELETE", f"{PODS}/{pod}", None, {}),
        ("DELETE", f"{DEPLOYMENTS}/{web}", None, {}),
        ("DELETE", f"{MAPS}/{name}", None, {}),
        ("DELETE", PODS, None, {"labelSelector": "a"}),
        ("POST", f"{PODS}/{pod}/eviction", eviction, {}),
        ("POST", NAMESPACES, space, {}),
        ("DELETE", f"{NAMESPACES}/extra", None, {}),
        ("POST", "/kubestage/v1/clock/advance", {"duration": f"{count * 700 + 1}ms"}, {}),
    ]
    return chance.choice(choices)
