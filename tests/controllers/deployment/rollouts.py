"""Deployments for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.patches import PatchType
from kubestage.testing import make_deployment, make_pod
from tests.controllers.fleet import DEPLOYMENT, Fleet

if TYPE_CHECKING:
    from kubestage.aliases import Json


def deployment(
    replicas: int = 3, surge: int | str = 1, unavailable: int | str = 0, **spec: Any
) -> Json:
    """A Deployment called web of version v1 that rolls."""
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    made = make_deployment("web", replicas=replicas, pod=make_pod(image="v1"), strategy=strategy)
    made["spec"] |= spec
    return made


def started(made: Json) -> Fleet:
    """A fleet on which a Deployment is complete."""
    fleet = Fleet(made)
    fleet.start_all()
    return fleet


def roll_to(fleet: Fleet, image: str) -> None:
    """Ask for another version."""
    change = {"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": image}
    fleet.patch(DEPLOYMENT, "web", [change], patch_type=PatchType.JSON)


def scale_to(fleet: Fleet, replicas: int) -> None:
    """Ask for another size."""
    fleet.patch(DEPLOYMENT, "web", {"spec": {"replicas": replicas}})


def condition(fleet: Fleet, kind: str) -> tuple[str, str, str] | None:
    """Status, reason and message of a condition of the Deployment."""
    status = fleet.get(DEPLOYMENT, "web").get("status") or {}
    for each in status.get("conditions") or ():
        if each["type"] == kind:
            return each["status"], each["reason"], each["message"]
    return None
