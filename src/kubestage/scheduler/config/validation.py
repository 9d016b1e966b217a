"""What makes a configuration unusable before any plugin exists; all errors, not the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.golang import durations
from kubestage.objects.validation import field, names, resource_names
from kubestage.objects.validation.field import Rendered
from kubestage.scheduler import registry
from kubestage.scheduler.config.extension_points import EXTENSION_POINTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.objects.validation.field import FieldError
    from kubestage.scheduler.config.model import (
        ClientConnection,
        Extender,
        LeaderElection,
        PluginSet,
        SchedulerConfiguration,
        SchedulerProfile,
    )

_REMOVED: Final = frozenset({"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"})
_CHECKED_POINTS: Final = tuple(p for p in EXTENSION_POINTS if not p.startswith("placement"))

# How Go shows the arguments of a plugin whose type it does not know.
_UNKNOWN: Final = Rendered('{"ContentEncoding":"","ContentType":"application/json"}')


def validate(configuration: SchedulerConfiguration, api_version: str) -> list[str]:
    """Every broken rule, in kube-scheduler's order."""
    return [str(error) for error in _rules(configuration, api_version)]


def _rules(configuration: SchedulerConfiguration, api_version: str) -> Iterator[FieldError | str]:
    yield from _client_connection(configuration.client_connection)
    yield from _leader_election(configuration.leader_election)
    if configuration.parallelism <= 0:
        detail = "should be an integer value greater than zero"
        yield field.invalid("parallelism", configuration.parallelism, detail)
    seen: set[str] = set()
    for index, profile in enumerate(configuration.profiles):
        path = f"profiles[{index}]"
        yield from _profile(profile, path, api_version)
        if profile.scheduler_name in seen:
            # kube-scheduler shows the path of the other profile, whose JSON is empty.
            yield field.duplicate(f"{path}.schedulerName", Rendered("{}"))
        seen.add(profile.scheduler_name)
    yield from _queue_sort(configuration.profiles)
    yield from _percentage("percentageOfNodesToScore", configuration.percentage_of_nodes_to_score)
    yield from _backoff(configuration)
    yield from _extenders(configuration.extenders)


def _client_connection(connection: ClientConnection) -> Iterator[FieldError]:
    if connection.burst < 0:
        yield field.invalid("clientConnection.burst", connection.burst, "must be non-negative")


def _leader_election(election: LeaderElection) -> Iterator[FieldError]:
    if not election.leader_elect:
        return
    lease, renew, retry = (
        durations.parse_duration(each)
        for each in (election.lease_duration, election.renew_deadline, election.retry_period)
    )
    positive = "must be greater than zero"
    if lease <= 0:
        yield field.invalid("leaderElection.leaseDuration", election.lease_duration, positive)
    if renew <= 0:
        yield field.invalid("leaderElection.renewDeadline", election.renew_deadline, positive)
    if retry <= 0:
        yield field.invalid("leaderElection.retryPeriod", election.retry_period, positive)
    if lease <= renew:
        detail = "must be greater than `RenewDeadline`"
        yield field.invalid("leaderElection.leaseDuration", election.renew_deadline, detail)
    if election.resource_lock != "leases":
        detail = 'resourceLock value must be "leases"'
        yield field.invalid("leaderElection.resourceLock", election.resource_lock, detail)


def _percentage(path: str, percentage: int | None) -> Iterator[FieldError]:
    if percentage is not None and not 0 <= percentage <= 100:
        yield field.invalid(path, percentage, "not in valid range [0-100]")


def _backoff(configuration: SchedulerConfiguration) -> Iterator[FieldError]:
    first, longest = (
        configuration.pod_initial_backoff_seconds,
        configuration.pod_max_backoff_seconds,
    )
    if first <= 0:
        yield field.invalid("podInitialBackoffSeconds", first, "must be greater than 0")
    if longest < first:
        detail = "must be greater than or equal to PodInitialBackoffSeconds"
        yield field.invalid("podMaxBackoffSeconds", longest, detail)


def _profile(profile: SchedulerProfile, path: str, api_version: str) -> Iterator[FieldError | str]:
    if not profile.scheduler_name:
        yield field.required(f"{path}.schedulerName")
    yield from _percentage(f"{path}.percentageOfNodesToScore", profile.percentage_of_nodes_to_score)
    for point in _CHECKED_POINTS:
        for index, plugin in enumerate(profile.plugins[point].enabled):
            if plugin.name in _REMOVED:
                where = f"{path}.plugins.{point}.enabled[{index}]"
                yield _removed(where, plugin.name, api_version)
    seen: set[str] = set()
    for index, config in enumerate(profile.plugin_config):
        where = f"{path}.pluginConfig[{index}]"
        if config.name in seen:
            yield field.duplicate(where, config.name)
        seen.add(config.name)
        if config.name in _REMOVED:
            yield _removed(where, config.name, api_version)
        elif config.name == "NodeResourcesFitArgs":
            # kube-scheduler looks for this name where it means NodeResourcesFit.
            yield field.invalid(f"{where}.args", _shown(config.args), "has to match plugin args")
        elif config.name != "NodeResourcesFit":
            yield from argument_problems(config.name, config.args, f"{where}.args")


def argument_problems(plugin: str, args: Any, path: str) -> list[str]:
    """The rules that a plugin's arguments break; an empty path is left out."""
    arguments = registry.arguments_of(plugin)
    if arguments is None:
        return []
    broken = arguments.problems(args, f"{path}." if path else "")
    return list(dict.fromkeys(str(problem) for problem in broken))


def _removed(path: str, name: str, api_version: str) -> FieldError:
    detail = f'was invalid in version "v1" (KubeSchedulerConfiguration is version "{api_version}")'
    return field.invalid(path, name, detail)


def _shown(args: Any) -> Any:
    return None if args is None else _UNKNOWN


def _queue_sort(profiles: Sequence[SchedulerProfile]) -> Iterator[FieldError]:
    first = profiles[0]
    canon = first.plugins["queueSort"]
    name = canon.enabled[0].name if canon.enabled else ""
    if len(canon.enabled) > 1:
        detail = "only one queue sort plugin can be enabled"
        yield field.invalid("profiles[0].plugins.queueSort.Enabled", len(canon.enabled), detail)
    args = next((each.args for each in reversed(first.plugin_config) if each.name == name), None)
    args = args if name else None
    for index, profile in enumerate(profiles[1:], 1):
        if profile.plugins["queueSort"] != canon:
            shown = _go_plugin_set(profile.plugins["queueSort"])
            where = f"profiles[{index}].plugins.queueSort"
            yield field.invalid(where, shown, "must be the same for all profiles")
        for config in profile.plugin_config:
            if config.name == name and config.args != args:
                where = f"profiles[{index}].pluginConfig.args"
                detail = "queueSort must be the same for all profiles"
                yield field.invalid(where, _shown(config.args), detail)


def _go_plugin_set(plugins: PluginSet) -> Rendered:
    """A plugin set as Go prints its internal type, which has no JSON names."""
    sides = {
        key: [{"Name": each.name, "Weight": each.weight} for each in side] or None
        for key, side in (("Enabled", plugins.enabled), ("Disabled", plugins.disabled))
    }
    return Rendered(msgspec.json.encode(sides).decode())


def _extenders(extenders: Sequence[Extender]) -> Iterator[FieldError]:
    managed: set[str] = set()
    for index, extender in enumerate(extenders):
        path = f"extenders[{index}]"
        if extender.prioritize_verb and extender.weight <= 0:
            detail = "must have a positive weight applied to it"
            yield field.invalid(f"{path}.weight", extender.weight, detail)
        for place, resource in enumerate(extender.managed_resources):
            where = f"{path}.managedResources[{place}].name"
            yield from _extended_resource(where, resource.name)
            if resource.name in managed:
                detail = "duplicate extender managed resource name"
                yield field.invalid(where, resource.name, detail)
            managed.add(resource.name)
    binders = sum(1 for extender in extenders if extender.bind_verb)
    if binders > 1:
        found = f"found {binders} extenders implementing bind"
        yield field.invalid("extenders", found, "only one extender can implement bind")


def _extended_resource(path: str, name: str) -> Iterator[FieldError]:
    problems = names.is_qualified_name(name)
    yield from field.invalids(path, name, problems)
    if not problems and not resource_names.is_extended(name):
        yield field.invalid(path, name, "is an invalid extended resource name")
