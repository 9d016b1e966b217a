"""What starting a scheduler makes of a configuration: its extenders and all its profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.scheduler.config import extension_points
from kubestage.scheduler.config.failure import ConfigError
from kubestage.scheduler.config.model import (
    Extender,
    PluginConfig,
    SchedulerConfiguration,
    SchedulerProfile,
    replace,
)
from kubestage.scheduler.config.resolution import ProfilePlugins, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_FIT: Final = "NodeResourcesFit"
_DEFAULT_TIMEOUT: Final = "5s"


class Completed(msgspec.Struct, frozen=True):
    """A configuration at work: its profiles' plugins, and the configuration as it is then.

    `configuration` is what ``--write-config-to`` writes: arguments of the plugins in use only, by
    name, and what the extenders changed.
    """

    configuration: SchedulerConfiguration
    profiles: tuple[ProfilePlugins, ...]

    def to_dict(self) -> dict[str, Any]:
        """The configuration with all defaults, and each profile's plugins in the order in which
        they run at each extension point, with their weights.
        """
        profiles = [each.to_dict() for each in self.profiles]
        return {"configuration": self.configuration.to_dict(), "profiles": profiles}


def complete(
    configuration: SchedulerConfiguration, plugins: Mapping[str, Iterable[str]] | None = None
) -> Completed:
    """Resolve every profile; `plugins` are those of a user, with the points each implements."""
    for name in plugins or ():
        if name in extension_points.IN_TREE:
            raise ConfigError("instantiate", f"a plugin named {name} already exists")
    rows = extension_points.rows(plugins or {})
    profiles = _with_extenders(configuration)
    resolved: list[ProfilePlugins] = []
    for profile in profiles:
        try:
            resolved.append(resolve(profile, rows))
        except ConfigError as error:
            about = f"creating profile for scheduler name {profile.scheduler_name}"
            problem = f"initializing profiles: {about}: {error.problem}"
            name = profile.scheduler_name
            raise ConfigError("instantiate", problem, fix=error.fix, profile=name) from None
        _check_alike(resolved)
    return Completed(
        replace(
            configuration,
            extenders=tuple(_at_work(each) for each in configuration.extenders),
            profiles=tuple(
                _in_use(profile, each) for profile, each in zip(profiles, resolved, strict=True)
            ),
        ),
        tuple(resolved),
    )


def _with_extenders(configuration: SchedulerConfiguration) -> Sequence[SchedulerProfile]:
    """The profiles, whose NodeResourcesFit leaves to extenders the resources that they manage."""
    ignored: list[str] = []
    for extender in configuration.extenders:
        tls = extender.tls_config
        if tls is not None and tls.insecure and (tls.ca_file or tls.ca_data):
            raise _no_extenders(
                "specifying a root certificates file with the insecure flag is not allowed"
            )
        ignored += [each.name for each in extender.managed_resources if each.ignored_by_scheduler]
    if not ignored:
        return configuration.profiles
    return [_ignoring(profile, ignored) for profile in configuration.profiles]


def _ignoring(profile: SchedulerProfile, resources: list[str]) -> SchedulerProfile:
    config = list(profile.plugin_config)
    for index, each in enumerate(config):
        if each.name == _FIT:
            args = {**each.args, "ignoredResources": resources}
            config[index] = PluginConfig(name=_FIT, args=args)
            return replace(profile, plugin_config=tuple(config))
    raise _no_extenders("can't find NodeResourcesFitArgs in plugin config")


def _no_extenders(problem: str) -> ConfigError:
    return ConfigError("instantiate", f"couldn't build extenders: {problem}")


def _at_work(extender: Extender) -> Extender:
    return (
        extender if extender.http_timeout_ns else replace(extender, http_timeout=_DEFAULT_TIMEOUT)
    )


def _check_alike(resolved: Sequence[ProfilePlugins]) -> None:
    """There is one queue, so that all profiles must sort it alike."""
    first, last = resolved[0], resolved[-1]
    name = last.scheduler_name
    sort, first_sort = last.points["queueSort"][0], first.points["queueSort"][0]
    problem = ""
    if any(each.scheduler_name == name for each in resolved[:-1]):
        problem = f'duplicate profile with scheduler name "{name}"'
    elif sort != first_sort:
        problem = (
            f'different queue sort plugins for profile "{name}": "{sort}", first: "{first_sort}"'
        )
    elif last.args[sort] != first.args[sort]:
        problem = f'different queue sort plugin args for profile "{name}"'
    if problem:
        raise ConfigError("instantiate", f"initializing profiles: {problem}", profile=name)


def _in_use(profile: SchedulerProfile, plugins: ProfilePlugins) -> SchedulerProfile:
    config = [
        PluginConfig(name=name, args=args)
        for name, args in plugins.args.items()
        if args is not None
    ]
    return replace(profile, plugin_config=tuple(config))
