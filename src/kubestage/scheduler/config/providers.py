"""Algorithm providers: named sets of plugins, from before there were profiles."""

from __future__ import annotations

from typing import Final

from kubestage.objects.validation import field
from kubestage.scheduler.config.failure import ConfigError

PROVIDERS: Final = {
    "ClusterAutoscalerProvider": "MostAllocated",
    "DefaultProvider": "LeastAllocated",
}
"""The two that there were differ in how they score a node's resources."""


def unknown_provider(name: str) -> ConfigError:
    """kube-scheduler's error for a provider that it does not have."""
    quoted = field.quote(name)
    return ConfigError(
        "instantiate",
        f"couldn't create scheduler using provider {quoted}: "
        f"algorithm provider {quoted} is not registered",
        fix=f"use one of {', '.join(sorted(PROVIDERS))}",
    )
