"""Stages on which Karpenter is at work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.karpenter.settings import KarpenterSettings
from kubestage.controllers.settings import Settings
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_pod
from tests.objects.kinds.karpenter_samples import node_pool, stage_node_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json

POOL = ("karpenter.sh/v1", "NodePool")
CLAIM = ("karpenter.sh/v1", "NodeClaim")
NODE = ("v1", "Node")
POD = ("v1", "Pod")
DEPLOYMENT = ("apps/v1", "Deployment")
MINUTE = 60 * 10**9


def price(name: str, cpu: int, amount: float, **stated: Any) -> Json:
    resources = {"cpu": str(cpu), "memory": f"{4 * cpu}Gi", "pods": "50"}
    return {"instanceType": name, "price": amount, "resources": resources, **stated}


ON_DEMAND = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
SIZES = (price("small", 2, 0.1), price("medium", 4, 0.2), price("large", 8, 0.4))


def on_demand(**spec: Any) -> Json:
    """A NodePool of machines on demand: else Karpenter replaces these by spot machines only."""
    pool = node_pool(**spec)
    pool["spec"]["template"]["spec"]["requirements"] = [ON_DEMAND]
    return pool


def catalog(*prices: Json, **spec: Any) -> Json:
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "PriceCatalog",
        "metadata": {"name": "types"},
        "spec": {"zones": ["a", "b"], "prices": list(prices or SIZES), **spec},
    }


def make_web(replicas: int, cpu: str = "1", name: str = "web", **pod: Any) -> Json:
    wanted = make_pod(cpu=cpu, memory="1Gi", labels={"app": name}, **pod)
    return make_deployment(name, replicas=replicas, pod=wanted)


def staged(*objects: Json, seed: int = 0, stage_class: Json | None = None, **flags: Any) -> Stage:
    """A stage with types of three sizes, a NodePool if none is given, and all at work."""
    stage = Stage(seed)
    kinds = {each["kind"] for each in objects}
    given: list[Json] = [stage_class or stage_node_class()]
    if "PriceCatalog" not in kinds:
        given.append(catalog())
    if "NodePool" not in kinds:
        has_spot = any("spotPriceShare" in each["spec"] for each in objects if "spec" in each)
        given.append(node_pool() if has_spot else on_demand())
    stage.apply([*given, *objects])
    stage.add_scheduler()
    stage.add_controllers(Settings(karpenter=KarpenterSettings(**flags)))
    return stage


def run(stage: Stage, seconds: float) -> None:
    stage.run(round(seconds * 10**9))


def scale(stage: Stage, replicas: int, name: str = "web") -> None:
    stage.store.patch(DEPLOYMENT, name, {"spec": {"replicas": replicas}})


def claims(stage: Stage) -> list[Json]:
    found: list[Json] = stage.store.list(CLAIM).items
    return found


def nodes(stage: Stage) -> list[Json]:
    found: list[Json] = stage.store.list(NODE).items
    return found


def types(stage: Stage) -> list[str]:
    """The instance types of the nodes."""
    return sorted(label(each, "node.kubernetes.io/instance-type") for each in nodes(stage))


def label(obj: Json, key: str) -> str:
    found: str = obj["metadata"]["labels"].get(key, "")
    return found


def pending(stage: Stage) -> int:
    return sum(not pod["spec"].get("nodeName") for pod in stage.store.list(POD).items)


def condition(obj: Json, kind: str) -> Json:
    found = (obj.get("status") or {}).get("conditions") or ()
    return next((each for each in found if each["type"] == kind), {})


def told(stage: Stage, reason: str) -> list[str]:
    """What Karpenter has told for a reason, without repetitions."""
    found = {
        each["message"]
        for each in stage.store.list(("v1", "Event")).items
        if each["reason"] == reason and (each.get("source") or {}).get("component") == "karpenter"
    }
    return sorted(found)


def reasons(stage: Stage) -> list[str]:
    found: Sequence[Json] = stage.store.list(("v1", "Event")).items
    return sorted({
        each["reason"]
        for each in found
        if (each.get("source") or {}).get("component") == "karpenter"
    })  # fmt: skip
