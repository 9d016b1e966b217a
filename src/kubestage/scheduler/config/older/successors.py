"""Plugins that v1.36 no longer has, and what does their work today.

Volume limits of single clouds are counted by NodeVolumeLimits, since their volumes are seen as
CSI volumes. Spreading by selector became a default of PodTopologySpread, and ways to score a
node's resources became strategies of NodeResourcesFit. The annotation that NodePreferAvoidPods
read is gone. NodeLabel, ServiceAffinity and NodeResourceLimits have no successor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects.validation import field
from kubestage.scheduler.config import wire_types
from kubestage.scheduler.config.failure import ConfigError, aggregate
from kubestage.scheduler.config.model import Plugin, PluginSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SPREADING: Final = frozenset({"SelectorSpread", "DefaultPodTopologySpread"})
STRATEGIES: Final = {
    "NodeResourcesLeastAllocated": "LeastAllocated",
    "NodeResourcesMostAllocated": "MostAllocated",
    "RequestedToCapacityRatio": "RequestedToCapacityRatio",
}
_DROPPED: Final = "NodePreferAvoidPods"
_SUCCESSORS: Final = {
    **dict.fromkeys(
        ("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"), "NodeVolumeLimits"
    ),
    **dict.fromkeys(SPREADING, "PodTopologySpread"),
    **dict.fromkeys(STRATEGIES, "NodeResourcesFit"),
}
_WITHOUT: Final = ("NodeLabel", "NodeResourceLimits", "ServiceAffinity")


class Removed(msgspec.Struct, frozen=True):
    """The plugins that a version's configuration may not name, and the words for it."""

    version: str
    names: frozenset[str]

    def check(self, profiles: Iterable[tuple[Mapping[str, PluginSet], Iterable[str]]]) -> None:
        """Refuse profiles, each given as its plugin sets and the names of its plugin configs."""
        problems = [
            problem
            for index, (plugins, configs) in enumerate(profiles)
            for problem in self._problems(f"profiles[{index}]", plugins, configs)
        ]
        if problems:
            raise ConfigError("validate", aggregate(problems), errors=problems)

    def _problems(
        self, path: str, plugins: Mapping[str, PluginSet], configs: Iterable[str]
    ) -> Iterator[str]:
        for point, each in plugins.items():
            for index, plugin in enumerate(each.enabled):
                if plugin.name in self.names:
                    yield self._problem(f"{path}.plugins.{point}.enabled[{index}]", plugin.name)
        for index, name in enumerate(configs):
            if name in self.names:
                yield self._problem(f"{path}.pluginConfig[{index}]", name)

    def _problem(self, path: str, name: str) -> str:
        detail = (
            f'was invalid in version "{wire_types.GROUP}/v1beta2" '
            f'(KubeSchedulerConfiguration is version "{wire_types.GROUP}/{self.version}")'
        )
        return str(field.invalid(path, name, detail))


def removed_from_beta(version: str) -> Removed:
    """The beta versions never knew what their predecessor had deprecated."""
    return Removed(version, frozenset((*_WITHOUT, *STRATEGIES, _DROPPED)))


def removed_from_alpha(version: str) -> Removed:
    """Of the alpha versions only what has no successor is refused."""
    return Removed(version, frozenset(_WITHOUT))


def succeed(plugins: Mapping[str, PluginSet]) -> dict[str, PluginSet]:
    """The plugin sets with today's names.

    Where a plugin and the one that it became both score, their weights add up.
    """
    return {
        point: PluginSet(
            enabled=tuple(_renamed(each.enabled)),
            disabled=tuple(
                plugin
                for plugin in each.disabled
                if plugin.name not in _SUCCESSORS and plugin.name != _DROPPED
            ),
        )
        for point, each in plugins.items()
    }


def _renamed(plugins: Iterable[Plugin]) -> list[Plugin]:
    out: list[Plugin] = []
    originals: list[str] = []
    for plugin in plugins:
        if plugin.name == _DROPPED:
            continue
        name = _SUCCESSORS.get(plugin.name, plugin.name)
        place = next((at for at, each in enumerate(out) if each.name == name), None)
        # A plugin that was named twice stays so: that is a mistake, to be found later.
        if place is None or plugin.name == originals[place]:
            out.append(Plugin(name=name, weight=plugin.weight))
            originals.append(plugin.name)
        else:
            out[place] = Plugin(name=name, weight=out[place].weight + plugin.weight)
    return out
