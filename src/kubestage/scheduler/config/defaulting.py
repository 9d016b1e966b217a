"""Fills in what a decoded configuration leaves open, and types it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler import registry
from kubestage.scheduler.config.model import (
    API_VERSION,
    DEFAULT_SCHEDULER,
    ClientConnection,
    Extender,
    ExtenderManagedResource,
    ExtenderTLSConfig,
    LeaderElection,
    PluginConfig,
    SchedulerConfiguration,
    SchedulerProfile,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.scheduler.config.default_plugins import Defaults
    from kubestage.scheduler.config.model import PluginSet


def configuration(obj: Mapping[str, Any], defaults: Defaults) -> SchedulerConfiguration:
    """The configuration of a decoded object whose plugin arguments are decoded, too."""
    profiling = _or(obj.get("enableProfiling"), True)
    return SchedulerConfiguration(
        parallelism=_or(obj.get("parallelism"), 16),
        leader_election=_leader_election(obj.get("leaderElection", {})),
        client_connection=_client_connection(obj.get("clientConnection", {})),
        enable_profiling=profiling,
        enable_contention_profiling=_or(obj.get("enableContentionProfiling"), profiling),
        percentage_of_nodes_to_score=_or(obj.get("percentageOfNodesToScore"), 0),
        pod_initial_backoff_seconds=_or(obj.get("podInitialBackoffSeconds"), 1),
        pod_max_backoff_seconds=_or(obj.get("podMaxBackoffSeconds"), 10),
        profiles=tuple(_profile(profile, defaults) for profile in named_profiles(obj)),
        extenders=tuple(extender(each or {}) for each in obj.get("extenders") or ()),
        delay_cache_until_active=obj.get("delayCacheUntilActive", False),
    )


def named_profiles(obj: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The profiles as decoded, one at least; a single one needs no name of its own."""
    listed: list[dict[str, Any] | None] = obj.get("profiles") or [None]
    profiles = [each or {} for each in listed]
    if len(profiles) == 1 and profiles[0].get("schedulerName") is None:
        return [{**profiles[0], "schedulerName": DEFAULT_SCHEDULER}]
    return profiles


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


def _profile(obj: Mapping[str, Any], defaults: Defaults) -> SchedulerProfile:
    plugins = defaults.merge(obj.get("plugins"))
    items = [(each or {}) for each in obj.get("pluginConfig") or ()]
    return SchedulerProfile(
        scheduler_name=_or(obj.get("schedulerName"), ""),
        percentage_of_nodes_to_score=obj.get("percentageOfNodesToScore"),
        plugins=plugins,
        plugin_config=plugin_config(
            [(item.get("name", ""), item.get("args")) for item in items], plugins
        ),
    )


def plugin_config(
    stated: Sequence[tuple[str, Any]], plugins: Mapping[str, PluginSet]
) -> tuple[PluginConfig, ...]:
    """The stated arguments, defaulted, then those of enabled plugins for which none are stated."""
    config = [PluginConfig(name=name, args=_defaulted(name, args)) for name, args in stated]
    named = {name for name, _ in stated}
    enabled = {plugin.name for each in plugins.values() for plugin in each.enabled}
    config += [
        PluginConfig(name=name, args=_defaulted(name, None))
        for name in sorted(enabled - named)
        if registry.arguments_of(name) is not None
    ]
    return tuple(config)


def _defaulted(plugin: str, args: Any) -> Any:
    """Arguments with their defaults; those without a type of their own stay as they are."""
    arguments = registry.arguments_of(plugin)
    if arguments is None:
        return args
    stated = {key: value for key, value in (args or {}).items() if value is not None}
    return {"apiVersion": API_VERSION, "kind": f"{plugin}Args", **arguments.default(stated)}


def _leader_election(obj: Mapping[str, Any]) -> LeaderElection:
    return LeaderElection(
        leader_elect=_or(obj.get("leaderElect"), True),
        lease_duration=_duration(obj, "leaseDuration", "15s"),
        renew_deadline=_duration(obj, "renewDeadline", "10s"),
        retry_period=_duration(obj, "retryPeriod", "2s"),
        resource_lock=obj.get("resourceLock") or "leases",
        resource_name=obj.get("resourceName") or "kube-scheduler",
        resource_namespace=obj.get("resourceNamespace") or "kube-system",
    )


def _duration(obj: Mapping[str, Any], key: str, default: str) -> str:
    value: str | None = obj.get(key)
    return value if value and value != "0s" else default


def _client_connection(obj: Mapping[str, Any]) -> ClientConnection:
    return ClientConnection(
        kubeconfig=obj.get("kubeconfig", ""),
        accept_content_types=obj.get("acceptContentTypes", ""),
        content_type=obj.get("contentType") or "application/vnd.kubernetes.protobuf",
        qps=_whole(obj.get("qps") or 50),
        burst=obj.get("burst") or 100,
    )


def _whole(number: float) -> int | float:
    return int(number) if number == int(number) else number


def extender(obj: Mapping[str, Any]) -> Extender:
    """An extender as decoded; its timeout is defaulted only when it is put to work."""
    tls = obj.get("tlsConfig")
    return Extender(
        url_prefix=obj.get("urlPrefix", ""),
        filter_verb=obj.get("filterVerb", ""),
        preempt_verb=obj.get("preemptVerb", ""),
        prioritize_verb=obj.get("prioritizeVerb", ""),
        weight=obj.get("weight", 0),
        bind_verb=obj.get("bindVerb", ""),
        enable_https=obj.get("enableHTTPS", False),
        tls_config=None if tls is None else _tls(tls),
        http_timeout=obj.get("httpTimeout", "0s"),
        node_cache_capable=obj.get("nodeCacheCapable", False),
        managed_resources=tuple(_managed(each or {}) for each in obj.get("managedResources") or ()),
        ignorable=obj.get("ignorable", False),
    )


def _managed(obj: Mapping[str, Any]) -> ExtenderManagedResource:
    return ExtenderManagedResource(
        name=obj.get("name", ""), ignored_by_scheduler=obj.get("ignoredByScheduler", False)
    )


def _tls(obj: Mapping[str, Any]) -> ExtenderTLSConfig:
    return ExtenderTLSConfig(
        insecure=obj.get("insecure", False),
        server_name=obj.get("serverName", ""),
        cert_file=obj.get("certFile", ""),
        key_file=obj.get("keyFile", ""),
        ca_file=obj.get("caFile", ""),
        cert_data=obj.get("certData") or "",
        key_data=obj.get("keyData") or "",
        ca_data=obj.get("caData") or "",
    )
