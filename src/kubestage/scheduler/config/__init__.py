"""KubeSchedulerConfiguration: from a file or flags to profiles and their plugins.

Here belong the API's versions (``v1`` as kube-scheduler v1.36 reads it, older ones converted as
the releases that served them did), strict decoding, defaults, validation, and the resolution of a
profile into the plugins of each extension point. Messages are kube-scheduler's own.

Here does not belong: making the plugins or running them (`scheduler.runtime`), or reading files.
"""

from __future__ import annotations

from kubestage.scheduler.config.completion import Completed, complete
from kubestage.scheduler.config.extension_points import (
    EXTENSION_POINTS,
    IN_TREE,
    points_of,
    rows,
)
from kubestage.scheduler.config.failure import ConfigError
from kubestage.scheduler.config.loading import default, from_dict, from_flags, load
from kubestage.scheduler.config.model import (
    DEFAULT_SCHEDULER,
    Extender,
    ExtenderManagedResource,
    ExtenderTLSConfig,
    Plugin,
    PluginConfig,
    PluginSet,
    SchedulerConfiguration,
    SchedulerProfile,
)
from kubestage.scheduler.config.policy_source import PolicySource
from kubestage.scheduler.config.resolution import ProfilePlugins, resolve

__all__ = [
    "DEFAULT_SCHEDULER", "EXTENSION_POINTS", "IN_TREE", "Completed", "ConfigError", "Extender",
    "ExtenderManagedResource", "ExtenderTLSConfig", "Plugin", "PluginConfig", "PluginSet",
    "PolicySource", "ProfilePlugins", "SchedulerConfiguration", "SchedulerProfile", "complete",
    "default", "from_dict", "from_flags", "load", "points_of", "resolve", "rows",
]  # fmt: skip
