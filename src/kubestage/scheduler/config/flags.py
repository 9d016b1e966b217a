"""kube-scheduler's old flags: they shape the default profile, and only without a file.

With a configuration file these flags have no effect, as they never had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.validation import field
from kubestage.scheduler.config import default_plugins, defaulting, loading
from kubestage.scheduler.config.failure import ConfigError
from kubestage.scheduler.config.providers import PROVIDERS, unknown_provider

if TYPE_CHECKING:
    from kubestage.scheduler.config.model import SchedulerConfiguration


def from_flags(
    scheduler_name: str | None = None,
    algorithm_provider: str | None = None,
    hard_pod_affinity_symmetric_weight: int | None = None,
) -> SchedulerConfiguration:
    """The default configuration, its one profile shaped by the flags that are given."""
    weight = hard_pod_affinity_symmetric_weight
    if weight is not None and not 0 <= weight <= 100:
        where, detail = "hardPodAffinitySymmetricWeight", "not in valid range [0-100]"
        problem = str(field.invalid(where, weight, detail))
        raise ConfigError("validate", problem)
    provider = algorithm_provider or "DefaultProvider"
    if provider not in PROVIDERS:
        raise unknown_provider(provider)
    config: list[dict[str, Any]] = []
    if PROVIDERS[provider] != "LeastAllocated":
        args = {"scoringStrategy": {"type": PROVIDERS[provider]}}
        config.append({"name": "NodeResourcesFit", "args": args})
    if weight is not None:
        config.append({"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": weight}})
    profile = {"schedulerName": scheduler_name or None, "pluginConfig": config}
    return loading.checked(defaulting.configuration({"profiles": [profile]}, default_plugins.V1))
