"""What is kept about pods and volumes by others than their owners, counted again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.controllers.worlds import reading
from tests.controllers.worlds.operations import KINDS, POD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.store import Store


VOLUME: Final = ("v1", "PersistentVolume")


def problems(stage: Stage) -> list[str]:
    """All services, quotas, claims and volumes that are not as they say."""
    store = stage.store
    return [*_services(store), *_quotas(store, stage.now), *_claims(store), *_volumes(store)]


def budgets(store: Store) -> Iterator[str]:
    """What budgets say, once a pod made them count: that their owners are scaled does not."""
    for budget in store.list(KINDS["budget"]).items:
        namespace, spec = budget["metadata"]["namespace"], budget["spec"]
        found = store.list(POD, namespace).items
        chosen = [p for p in found if reading.has_labels(p, spec["selector"]["matchLabels"])]
        least, scaled = spec.get("minAvailable"), _scales(store, chosen)
        if isinstance(least, int):
            expected, desired = len(chosen), least
        elif scaled is None:
            if reading.status_of(budget, "DisruptionAllowed") != "False":
                yield f"the budget {budget['metadata']['name']} counts what cannot be scaled"
            continue
        elif least is not None:
            expected, desired = scaled, reading.share(least, scaled, up=True)
        else:
            lost = reading.share(spec["maxUnavailable"], scaled, up=True)
            expected, desired = scaled, max(0, scaled - lost)
        healthy = reading.count(reading.is_ready(p) and not reading.is_going(p) for p in chosen)
        allowed = max(0, healthy - desired) if expected else 0
        counts = {"currentHealthy": healthy, "desiredHealthy": desired, "expectedPods": expected}
        generation = budget["metadata"]["generation"]
        counts |= {"disruptionsAllowed": allowed, "observedGeneration": generation}
        yield from reading.differences(budget, counts)


def _scales(store: Store, pods: list[Json]) -> int | None:
    """How many pods their owners want, or the owners of these; None if one cannot be scaled."""
    found: dict[str, Any] = {}
    for pod in pods:
        owner = _resolve(store, pod)
        above = None if owner is None else _resolve(store, owner)
        top = owner if above is None else above
        if top is not None:
            found[top["metadata"]["uid"]] = top["spec"].get("replicas")
    return None if None in found.values() else sum(found.values())


def _resolve(store: Store, obj: Json) -> Json | None:
    reference = reading.controller(obj)
    if reference is None:
        return None
    kind = (reference["apiVersion"], reference["kind"])
    return store.get(kind, reference["name"], obj["metadata"]["namespace"])


def _services(store: Store) -> Iterator[str]:
    for service in store.list(KINDS["service"]).items:
        name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
        serving = {
            pod["status"]["podIP"]
            for pod in store.list(POD, namespace).items
            if reading.has_labels(pod, service["spec"]["selector"])
            and reading.is_ready(pod)
            and not reading.is_going(pod)
        }
        slices = store.list(
            ("discovery.k8s.io/v1", "EndpointSlice"),
            namespace,
            label_selector=f"kubernetes.io/service-name={name}",
        ).items
        entries = [each for one in slices for each in one.get("endpoints") or ()]
        ready = [each["addresses"][0] for each in entries if each["conditions"]["ready"]]
        if sorted(ready) != sorted(serving):
            yield f"the slices of {name} have {ready}: {serving} are ready"
        endpoints = store.get(("v1", "Endpoints"), name, namespace)
        subsets = endpoints.get("subsets") or ()
        listed = [each["ip"] for one in subsets for each in one.get("addresses") or ()]
        if sorted(listed) != sorted(serving):
            yield f"the endpoints of {name} have {listed}: {serving} are ready"


def _quotas(store: Store, now: str) -> Iterator[str]:
    for quota in store.list(KINDS["quota"]).items:
        namespace = quota["metadata"]["namespace"]
        pods = [pod for pod in store.list(POD, namespace).items if not reading.is_over(pod)]
        held = reading.count(pod["metadata"].get("deletionTimestamp", now) >= now for pod in pods)
        claims = store.list(KINDS["claim"], namespace).items
        deployments = store.list(KINDS["deployment"], namespace).items
        used = {
            "pods": str(held),
            "requests.storage": f"{len(claims)}Gi" if claims else "0",
            "count/deployments.apps": str(len(deployments)),
        }
        if quota["status"] != {"hard": quota["spec"]["hard"], "used": used}:
            yield f"the quota says {quota['status']}, and it is {used}"


def _claims(store: Store) -> Iterator[str]:
    for claim in store.list(KINDS["claim"]).items:
        name = claim["metadata"]["name"]
        if claim["status"]["phase"] != "Bound":
            if claim["spec"].get("storageClassName") == "fast" and not reading.is_going(claim):
                yield f"claim {name} is {claim['status']['phase']}"
            continue
        volume = store.read(VOLUME).get(claim["spec"]["volumeName"])
        if volume is None or volume["spec"]["claimRef"]["uid"] != claim["metadata"]["uid"]:
            yield f"claim {name} is bound to what is not its own: {volume}"


def _volumes(store: Store) -> Iterator[str]:
    claims = {each["metadata"]["uid"] for each in store.list(KINDS["claim"]).items}
    for volume in store.list(VOLUME).items:
        phase, holder = volume["status"]["phase"], volume["spec"]["claimRef"]["uid"]
        if phase != "Bound" or holder not in claims:
            yield f"volume {volume['metadata']['name']} is {phase} and nobody's"
