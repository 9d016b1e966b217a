"""Fills in what a decoded configuration leaves open, and types it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.config import plugin_args
from kubestage.scheduler.config.model import (
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


def configuration(given: Mapping[str, Any], defaults: Defaults) -> SchedulerConfiguration:
    """The configuration of a decoded object whose plugin arguments are decoded, too."""
    profiling = _or(given.get("enableProfiling"), True)
    return SchedulerConfiguration(
        parallelism=_or(given.get("parallelism"), 16),
        leader_election=_leader_election(given.get("leaderElection", {})),
        client_connection=_client_connection(given.get("clientConnection", {})),
        enable_profiling=profiling,
        enable_contention_profiling=_or(given.get("enableContentionProfiling"), profiling),
        percentage_of_nodes_to_score=_or(given.get("percentageOfNodesToScore"), 0),
        pod_initial_backoff_seconds=_or(given.get("podInitialBackoffSeconds"), 1),
        pod_max_backoff_seconds=_or(given.get("podMaxBackoffSeconds"), 10),
        profiles=tuple(_profile(profile, defaults) for profile in named_profiles(given)),
        extenders=tuple(extender(each or {}) for each in given.get("extenders") or ()),
        delay_cache_until_active=given.get("delayCacheUntilActive", False),
    )


def named_profiles(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The profiles as decoded, one at least; a single one needs no name of its own."""
    listed: list[dict[str, Any] | None] = given.get("profiles") or [None]
    profiles = [each or {} for each in listed]
    if len(profiles) == 1 and profiles[0].get("schedulerName") is None:
        return [{**profiles[0], "schedulerName": DEFAULT_SCHEDULER}]
    return profiles


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


def _profile(given: Mapping[str, Any], defaults: Defaults) -> SchedulerProfile:
    plugins = defaults.merge(given.get("plugins"))
    items = [(each or {}) for each in given.get("pluginConfig") or ()]
    return SchedulerProfile(
        scheduler_name=_or(given.get("schedulerName"), ""),
        percentage_of_nodes_to_score=given.get("percentageOfNodesToScore"),
        plugins=plugins,
        plugin_config=plugin_config(
            [(item.get("name", ""), item.get("args")) for item in items], plugins
        ),
    )


def plugin_config(
    given: Sequence[tuple[str, Any]], plugins: Mapping[str, PluginSet]
) -> tuple[PluginConfig, ...]:
    """The arguments given, defaulted, then those of the enabled plugins that were given none."""
    config = [
        PluginConfig(
            name=name, args=plugin_args.default(name, args) if plugin_args.is_known(name) else args
        )
        for name, args in given
    ]
    named = {name for name, _ in given}
    enabled = {plugin.name for each in plugins.values() for plugin in each.enabled}
    config += [
        PluginConfig(name=name, args=plugin_args.default(name))
        for name in sorted(enabled - named)
        if plugin_args.is_known(name)
    ]
    return tuple(config)


def _leader_election(given: Mapping[str, Any]) -> LeaderElection:
    return LeaderElection(
        leader_elect=_or(given.get("leaderElect"), True),
        lease_duration=_duration(given, "leaseDuration", "15s"),
        renew_deadline=_duration(given, "renewDeadline", "10s"),
        retry_period=_duration(given, "retryPeriod", "2s"),
        resource_lock=given.get("resourceLock") or "leases",
        resource_name=given.get("resourceName") or "kube-scheduler",
        resource_namespace=given.get("resourceNamespace") or "kube-system",
    )


def _duration(given: Mapping[str, Any], key: str, default: str) -> str:
    value: str | None = given.get(key)
    return value if value and value != "0s" else default


def _client_connection(given: Mapping[str, Any]) -> ClientConnection:
    return ClientConnection(
        kubeconfig=given.get("kubeconfig", ""),
        accept_content_types=given.get("acceptContentTypes", ""),
        content_type=given.get("contentType") or "application/vnd.kubernetes.protobuf",
        qps=_whole(given.get("qps") or 50),
        burst=given.get("burst") or 100,
    )


def _whole(number: float) -> int | float:
    return int(number) if number == int(number) else number


def extender(given: Mapping[str, Any]) -> Extender:
    """An extender as decoded; its timeout is defaulted only when it is put to work."""
    tls = given.get("tlsConfig")
    return Extender(
        url_prefix=given.get("urlPrefix", ""),
        filter_verb=given.get("filterVerb", ""),
        preempt_verb=given.get("preemptVerb", ""),
        prioritize_verb=given.get("prioritizeVerb", ""),
        weight=given.get("weight", 0),
        bind_verb=given.get("bindVerb", ""),
        enable_https=given.get("enableHTTPS", False),
        tls_config=None if tls is None else _tls(tls),
        http_timeout=given.get("httpTimeout", "0s"),
        node_cache_capable=given.get("nodeCacheCapable", False),
        managed_resources=tuple(
            _managed(each or {}) for each in given.get("managedResources") or ()
        ),
        ignorable=given.get("ignorable", False),
    )


def _managed(given: Mapping[str, Any]) -> ExtenderManagedResource:
    return ExtenderManagedResource(
        name=given.get("name", ""), ignored_by_scheduler=given.get("ignoredByScheduler", False)
    )


def _tls(given: Mapping[str, Any]) -> ExtenderTLSConfig:
    return ExtenderTLSConfig(
        insecure=given.get("insecure", False),
        server_name=given.get("serverName", ""),
        cert_file=given.get("certFile", ""),
        key_file=given.get("keyFile", ""),
        ca_file=given.get("caFile", ""),
        cert_data=given.get("certData") or "",
        key_data=given.get("keyData") or "",
        ca_data=given.get("caData") or "",
    )
