"""How tests read objects: the rules of the API in as few words as can be, none from the loops."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.store.store import Store


def controller(obj: Json) -> Json | None:
    """The reference to who controls an object."""
    references = obj["metadata"].get("ownerReferences") or ()
    return next((each for each in references if each.get("controller")), None)


def owned(store: Store, kind: tuple[str, str], owner: Json) -> list[Json]:
    """What an object controls."""
    uid = owner["metadata"]["uid"]
    return [each for each in store.list(kind).items if (controller(each) or {}).get("uid") == uid]


def is_going(obj: Json) -> bool:
    return "deletionTimestamp" in obj["metadata"]


def phase(pod: Json) -> str:
    found: str = pod.get("status", {}).get("phase", "")
    return found


def is_over(pod: Json) -> bool:
    return phase(pod) in ("Succeeded", "Failed")


def is_active(pod: Json) -> bool:
    return not is_over(pod) and not is_going(pod)


def status_of(obj: Json, condition: str) -> str | None:
    """What a condition of an object says."""
    conditions = obj.get("status", {}).get("conditions", ())
    return next((each["status"] for each in conditions if each["type"] == condition), None)


def is_ready(pod: Json) -> bool:
    return status_of(pod, "Ready") == "True"


def is_available(pod: Json, min_ready_seconds: int, now: str) -> bool:
    """Whether a pod has been ready for so long."""
    if not is_ready(pod):
        return False
    since = next(each for each in pod["status"]["conditions"] if each["type"] == "Ready")
    passed = _moment(now) - _moment(since["lastTransitionTime"])
    return passed.total_seconds() >= min_ready_seconds


def labels(obj: Json) -> dict[str, str]:
    found: dict[str, str] = obj["metadata"].get("labels") or {}
    return found


def has_labels(obj: Json, wanted: dict[str, str]) -> bool:
    return wanted.items() <= labels(obj).items()


def share(amount: int | str, whole: int, *, up: bool) -> int:
    """So many, or so many percent of a whole."""
    if isinstance(amount, int):
        return amount
    hundredths = int(amount.removesuffix("%")) * whole
    return -(-hundredths // 100) if up else hundredths // 100


def rolling_bounds(deployment: Json) -> tuple[int, int]:
    """How many pods a Deployment may have beyond its replicas, and how many may be missing."""
    spec = deployment["spec"]
    rolling = spec["strategy"].get("rollingUpdate")
    if rolling is None:
        return 0, spec["replicas"]
    surge = share(rolling["maxSurge"], spec["replicas"], up=True)
    missing = share(rolling["maxUnavailable"], spec["replicas"], up=False)
    return (surge, missing) if surge or missing else (0, 1)


def target_node(pod: Json) -> str | None:
    """The node that a pod is on, or that it alone can go to."""
    if pod["spec"].get("nodeName"):
        return str(pod["spec"]["nodeName"])
    affinity = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return None
    return str(required["nodeSelectorTerms"][0]["matchFields"][0]["values"][0])


def ordinal(pod: Json) -> int:
    return int(pod["metadata"]["name"].rpartition("-")[2])


def count(items: Iterable[object]) -> int:
    return sum(1 for each in items if each)


def differences(obj: Json, expected: dict[str, Any]) -> Iterator[str]:
    """What the status of an object that stays says otherwise."""
    if is_going(obj):
        return
    status = obj.get("status") or {}
    wrong = {
        name: (status.get(name), value)
        for name, value in expected.items()
        if (status.get(name) or 0) != value
    }
    if wrong:
        yield f"{obj['kind']} {obj['metadata']['name']} says, and it is: {wrong}"


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
