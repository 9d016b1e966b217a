"""``v1alpha2`` and ``v1alpha1``, as release v1.18 read them.

A ``v1alpha1`` object describes one scheduler and becomes one profile. Both start from the plugins
of an algorithm provider or a policy. What v1.18 did outside plugins is done by plugins today:
preempting, reserving and binding volumes, preparing a filter or a score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import go_decoder
from kubestage.scheduler.config import defaulting, reading
from kubestage.scheduler.config.default_plugins import Defaults, plugins
from kubestage.scheduler.config.extension_points import IN_TREE
from kubestage.scheduler.config.model import (
    DEFAULT_SCHEDULER,
    Plugin,
    PluginSet,
    SchedulerProfile,
    replace,
)
from kubestage.scheduler.config.older import extenders, policy, successors
from kubestage.scheduler.config.older.legacy_args import converted_args
from kubestage.scheduler.config.providers import PROVIDERS, unknown_provider

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.scheduler.config.model import SchedulerConfiguration
    from kubestage.scheduler.config.policy_source import PolicyReader

_MERGED: Final = (
    "queueSort", "preFilter", "filter", "preScore", "score", "reserve", "permit", "preBind",
    "bind", "postBind",
)  # fmt: skip
_COMPANIONS: Final = {"filter": ("preFilter", "reserve", "preBind"), "score": ("preScore",)}
_NO_DEFAULTS: Final = Defaults({}, points=())


def _provider(name: str) -> Defaults:
    scorer = f"NodeResources{PROVIDERS[name]}"
    return Defaults(
        {
            "queueSort": plugins("PrioritySort"),
            "preFilter": plugins(
                "NodeResourcesFit", "NodePorts", "InterPodAffinity", "PodTopologySpread"
            ),
            "filter": plugins(
                "NodeUnschedulable",
                "NodeResourcesFit",
                "NodeName",
                "NodePorts",
                "NodeAffinity",
                "VolumeRestrictions",
                "TaintToleration",
                "EBSLimits",
                "GCEPDLimits",
                "NodeVolumeLimits",
                "AzureDiskLimits",
                "VolumeBinding",
                "VolumeZone",
                "InterPodAffinity",
                "PodTopologySpread",
            ),
            "preScore": plugins(
                "InterPodAffinity",
                "DefaultPodTopologySpread",
                "TaintToleration",
                "PodTopologySpread",
            ),
            "score": plugins(
                ("NodeResourcesBalancedAllocation", 1),
                ("ImageLocality", 1),
                ("InterPodAffinity", 1),
                (scorer, 1),
                ("NodeAffinity", 1),
                ("NodePreferAvoidPods", 10000),
                ("DefaultPodTopologySpread", 1),
                ("TaintToleration", 1),
                ("PodTopologySpread", 1),
            ),
            "bind": plugins("DefaultBinder"),
        },
        points=_MERGED,
        in_place=False,
        keep_disabled=False,
    )


def from_v1alpha2(decoded: dict[str, Any]) -> SchedulerConfiguration:
    """Many profiles, all from the default provider."""
    provider = _provider("DefaultProvider")
    described = [
        (
            profile.get("schedulerName") or "",
            provider.merge(_with_unreserve(profile.get("plugins"))),
            _configs(profile.get("pluginConfig")),
        )
        for profile in defaulting.named_profiles(decoded)
    ]
    stated = {**decoded, "extenders": extenders.decoded(decoded.get("extenders"))}
    return _configuration("v1alpha2", stated, described)


def from_v1alpha1(
    decoded: dict[str, Any], read_policy: PolicyReader | None
) -> SchedulerConfiguration:
    """One scheduler, from a provider or a policy, as one profile."""
    source = decoded.get("algorithmSource", {})
    name = decoded.get("schedulerName")
    custom = decoded.get("plugins")
    configs = _configs(decoded.get("pluginConfig"))
    if decoded.get("hardPodAffinitySymmetricWeight") is not None:
        weight = decoded["hardPodAffinitySymmetricWeight"]
        configs.append(("InterPodAffinity", {"hardPodAffinityWeight": weight}))
    stated = {**decoded, "leaderElection": _leader_election(decoded.get("leaderElection", {}))}
    # A provider wins over a policy.
    if source.get("policy") is not None and source.get("provider") is None:
        for what, used in (("Plugins", custom is not None), ("PluginConfig", bool(configs))):
            if used:
                raise policy.refused(f"using {what} and Policy simultaneously is not supported")
        found = policy.load(source["policy"], read_policy)
        sets, configs = found.plugins, found.plugin_config
        stated["extenders"] = found.extenders
    else:
        provider = source.get("provider") or "DefaultProvider"
        if provider not in PROVIDERS:
            raise unknown_provider(provider)
        sets = _provider(provider).merge(_pre_score(_with_unreserve(custom)))
    described = [(DEFAULT_SCHEDULER if name is None else name, sets, configs)]
    return _configuration("v1alpha1", stated, described)


def _configs(stated: Sequence[Any] | None) -> list[tuple[str, Any]]:
    items = [each or {} for each in stated or ()]
    return [(each.get("name", ""), go_decoder.plain(each.get("args"))) for each in items]


def _with_unreserve(custom: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Giving back is part of reserving today."""
    if custom is None:
        return None
    reserve = custom.get("reserve") or {}
    unreserve = custom.get("unreserve") or {}
    enabled = [each or {} for each in reserve.get("enabled") or ()]
    names = {each.get("name") for each in enabled}
    added = [
        each for each in unreserve.get("enabled") or () if (each or {}).get("name") not in names
    ]
    return {**custom, "reserve": {**reserve, "enabled": [*enabled, *added]}}


def _pre_score(custom: dict[str, Any] | None) -> dict[str, Any] | None:
    """What ``v1alpha1`` called postFilter was called preScore soon after."""
    return None if custom is None else {**custom, "preScore": custom.get("postFilter")}


def _leader_election(stated: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(stated)
    for key, old in (
        ("resourceNamespace", "lockObjectNamespace"),
        ("resourceName", "lockObjectName"),
    ):
        new_value, old_value = stated.get(key) or "", stated.get(old) or ""
        if new_value and old_value and new_value != old_value:
            shown = {key: key[0].upper() + key[1:], old: old[0].upper() + old[1:]}
            raise reading.problem(
                f"{shown[key]} and {shown[old]} are both set and do not match, "
                f"{shown[key]}: {new_value}, {shown[old]}: {old_value}"
            )
        out[key] = new_value or old_value
    return out


Described = tuple[str, "dict[str, PluginSet]", list[tuple[str, Any]]]


def _configuration(
    version: str, decoded: dict[str, Any], described: Sequence[Described]
) -> SchedulerConfiguration:
    successors.removed_from_alpha(version).check(
        (sets, [name for name, _ in configs]) for _, sets, configs in described
    )
    # Leases took the place of every other lock.
    election = {**(decoded.get("leaderElection") or {}), "resourceLock": "leases"}
    options = {**decoded, "leaderElection": election, "profiles": None}
    configuration = defaulting.configuration(options, _NO_DEFAULTS)
    return replace(configuration, profiles=tuple(_profile(decoded, *each) for each in described))


def _profile(
    decoded: dict[str, Any],
    name: str,
    sets: dict[str, PluginSet],
    configs: list[tuple[str, Any]],
) -> SchedulerProfile:
    args = converted_args(sets, configs)
    timeout = decoded.get("bindTimeoutSeconds")
    if timeout is not None:
        args.append(("VolumeBinding", {"bindTimeoutSeconds": timeout}))
    today = successors.succeed(sets)
    if not decoded.get("disablePreemption"):
        today["postFilter"] = _added(today["postFilter"], "DefaultPreemption")
    today["preEnqueue"] = _added(today["preEnqueue"], "SchedulingGates")
    for point, companions in _COMPANIONS.items():
        for plugin in today[point].enabled:
            for companion in companions:
                if companion in IN_TREE.get(plugin.name, ()):
                    today[companion] = _added(today[companion], plugin.name)
    return SchedulerProfile(
        scheduler_name=name, plugins=today, plugin_config=defaulting.plugin_config(args, today)
    )


def _added(plugins: PluginSet, name: str) -> PluginSet:
    if any(plugin.name == name for plugin in plugins.enabled):
        return plugins
    return replace(plugins, enabled=(*plugins.enabled, Plugin(name=name, weight=0)))
