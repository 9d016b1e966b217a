"""The plugins that a profile has by default, and how those that it states are merged into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.scheduler.config.extension_points import EXTENSION_POINTS, MULTI_POINT
from kubestage.scheduler.config.model import Plugin, PluginSet

if TYPE_CHECKING:
    from collections.abc import Mapping

_EMPTY: Final = PluginSet()
_ALL: Final = "*"


class Defaults(msgspec.Struct, frozen=True):
    """A version's default plugins by point, and its way to merge a profile's into them.

    What a profile enables takes the place of the default of that name if `in_place`, and else comes
    after it. Points beyond `points` are not merged: what a profile states there is lost.
    """

    plugins: Mapping[str, tuple[Plugin, ...]]
    points: tuple[str, ...] = (*EXTENSION_POINTS, MULTI_POINT)
    in_place: bool = True
    keep_disabled: bool = True

    def merge(self, custom: Mapping[str, Any] | None) -> dict[str, PluginSet]:
        """The plugin sets of a profile that states `custom`."""
        merged = {}
        for point in (*EXTENSION_POINTS, MULTI_POINT):
            stated = (custom or {}).get(point) if point in self.points else None
            merged[point] = self._merge_set(self.plugins.get(point, ()), plugin_set(stated))
        return merged

    def _merge_set(self, defaults: tuple[Plugin, ...], custom: PluginSet) -> PluginSet:
        disabled = {plugin.name for plugin in custom.disabled}
        # Of a name that is stated twice the last one replaces the default.
        replacements = {plugin.name: place for place, plugin in enumerate(custom.enabled)}
        replaced: set[int] = set()
        enabled = []
        for plugin in () if _ALL in disabled else defaults:
            if plugin.name in disabled:
                continue
            place = replacements.get(plugin.name) if self.in_place else None
            if place is not None:
                replaced.add(place)
            enabled.append(plugin if place is None else custom.enabled[place])
        enabled += [each for place, each in enumerate(custom.enabled) if place not in replaced]
        names = [Plugin(name=plugin.name, weight=0) for plugin in custom.disabled]
        return PluginSet(
            enabled=tuple(enabled), disabled=tuple(names) if self.keep_disabled else ()
        )


def plugin_set(stated: Mapping[str, Any] | None) -> PluginSet:
    """A plugin set as decoded."""
    if not stated:
        return _EMPTY
    return PluginSet(enabled=_plugins(stated, "enabled"), disabled=_plugins(stated, "disabled"))


def _plugins(stated: Mapping[str, Any], key: str) -> tuple[Plugin, ...]:
    items = [item or {} for item in stated.get(key) or ()]
    return tuple(
        Plugin(name=item.get("name", ""), weight=item.get("weight") or 0) for item in items
    )


def plugins(*names: str | tuple[str, int]) -> tuple[Plugin, ...]:
    """Plugins by name, those that score with their weight."""
    pairs = [(name, 0) if isinstance(name, str) else name for name in names]
    return tuple(Plugin(name=name, weight=weight) for name, weight in pairs)


V1: Final = Defaults(
    {
        MULTI_POINT: plugins(
            "SchedulingGates",
            "PrioritySort",
            "NodeUnschedulable",
            "NodeName",
            ("TaintToleration", 3),
            ("NodeAffinity", 2),
            "NodePorts",
            ("NodeResourcesFit", 1),
            "VolumeRestrictions",
            "NodeVolumeLimits",
            "VolumeBinding",
            "VolumeZone",
            ("PodTopologySpread", 2),
            ("InterPodAffinity", 2),
            ("DynamicResources", 2),
            "DefaultPreemption",
            ("NodeResourcesBalancedAllocation", 1),
            ("ImageLocality", 1),
            "DefaultBinder",
            "NodeDeclaredFeatures",
        )
    }
)
"""Those of kube-scheduler v1.36 with its features at their defaults."""
