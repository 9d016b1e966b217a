"""What resource claims are charged for: devices by class, in the worst case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.quota import amounts
from kubestage.objects.quota.evaluator import Evaluator, whole_updates

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.pod_resources import ResourceList

_COUNT: Final = "count/resourceclaims.resource.k8s.io"
_BY_CLASS: Final = ".deviceclass.resource.k8s.io/devices"
# "All" devices of a node may be as many as one claim can be allocated.
_MOST: Final = 32


def tracks(name: str) -> bool:
    """Whether a quota for this resource is about resource claims."""
    return name == _COUNT or name.endswith(_BY_CLASS)


def usage(claim: Json, _now_ns: int) -> ResourceList:
    """What a claim may come to use, whichever of its alternatives is chosen."""
    used = {_COUNT: amounts.ONE}
    for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ():
        alternatives = request.get("firstAvailable") or ()
        if not alternatives and request.get("exactly") is not None:
            alternatives = (request["exactly"],)
        worst: dict[str, int] = {}
        for each in alternatives:
            name = (each.get("deviceClassName") or "") + _BY_CLASS
            worst[name] = max(worst.get(name, 0), _count(each))
        used = amounts.add(used, {key: quantity.from_int(count) for key, count in worst.items()})
    return used


def _count(request: Json) -> int:
    match request.get("allocationMode"):
        case "ExactCount":
            return request.get("count") or 0
        case "All":
            return _MOST
    return 0


EVALUATOR: Final = Evaluator(tracks, usage, is_charged_anew=whole_updates)
