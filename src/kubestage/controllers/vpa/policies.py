"""The policies of a VerticalPodAutoscaler: how pods are updated, and the rules of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

VPA: Final = ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler")
CHECKPOINT: Final = ("autoscaling.k8s.io/v1", "VerticalPodAutoscalerCheckpoint")

OFF: Final = "Off"
INITIAL: Final = "Initial"
RECREATE: Final = "Recreate"
AUTO: Final = "Auto"
IN_PLACE_OR_RECREATE: Final = "InPlaceOrRecreate"

UPDATING: Final = frozenset({RECREATE, AUTO, IN_PLACE_OR_RECREATE})
"""The modes in which pods that run are touched."""

REQUESTS_ONLY: Final = "RequestsOnly"
_ALL_CONTAINERS: Final = "*"


def update_mode(vpa: Json) -> str:
    """How recommendations reach pods; Recreate by default."""
    mode: str = update_policy(vpa).get("updateMode") or RECREATE
    return mode


def update_policy(vpa: Json) -> Json:
    """The rules for updates of pods."""
    policy: Json = vpa["spec"].get("updatePolicy") or {}
    return policy


def resource_policy(vpa: Json) -> Json | None:
    """The rules for containers, if any are given."""
    policy: Json | None = vpa["spec"].get("resourcePolicy")
    return policy


def container_policy(policy: Json | None, container: str) -> Json | None:
    """The rules for a container: its own, else those for all."""
    for_all: Json | None = None
    for each in (policy or {}).get("containerPolicies") or ():
        if each.get("containerName") == container:
            container_rules: Json = each
            return container_rules
        if each.get("containerName") == _ALL_CONTAINERS:
            for_all = each
    return for_all


def is_off(policy: Json | None) -> bool:
    """Whether the rules of a container say that it is left alone."""
    return policy is not None and policy.get("mode") == OFF


def controls_limits(policy: Json | None, container: str) -> bool:
    """Whether the limits of a container follow its requests."""
    container_rules = container_policy(policy, container)
    return container_rules is None or container_rules.get("controlledValues") != REQUESTS_ONLY


def recommendation(vpa: Json) -> Json | None:
    """What is recommended to the pods of a VerticalPodAutoscaler now."""
    found: Json | None = (vpa.get("status") or {}).get("recommendation")
    return found


def container_recommendations(recommended: Json | None) -> list[Json]:
    """What is recommended to each container."""
    found: list[Json] = (recommended or {}).get("containerRecommendations") or []
    return found
