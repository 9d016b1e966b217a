"""From a version before ``v1`` to the configuration that it means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.config.extension_points import MULTI_POINT
from kubestage.scheduler.config.model import Plugin, replace
from kubestage.scheduler.config.older import alpha, beta

if TYPE_CHECKING:
    from kubestage.scheduler.config.model import SchedulerConfiguration, SchedulerProfile
    from kubestage.scheduler.config.policy_source import PolicyReader


def convert(
    version: str, decoded: dict[str, Any], read_policy: PolicyReader | None
) -> SchedulerConfiguration:
    """The configuration that a decoded object of an older version means.

    Written out as ``v1`` it means the same.
    """
    if version in beta.DEFAULTS:
        configuration = beta.convert(version, decoded)
    elif version == "v1alpha2":
        configuration = alpha.from_v1alpha2(decoded)
    else:
        configuration = alpha.from_v1alpha1(decoded, read_policy)
    profiles = tuple(_without_defaults(profile) for profile in configuration.profiles)
    return replace(configuration, profiles=profiles)


def _without_defaults(profile: SchedulerProfile) -> SchedulerProfile:
    """The profile as one that takes no default of ``v1`` beside the plugins that it names."""
    plugins = profile.plugins[MULTI_POINT]
    alone = replace(plugins, disabled=(Plugin(name="*", weight=0),))
    return replace(profile, plugins={**profile.plugins, MULTI_POINT: alone})
