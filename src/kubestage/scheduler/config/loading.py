"""Loading a configuration: decode, convert, default, validate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage import lazy
from kubestage.objects.validation import field
from kubestage.scheduler.config import (
    default_plugins,
    defaulting,
    nested,
    reading,
    validation,
    wire_types,
)
from kubestage.scheduler.config.failure import ConfigError, aggregate
from kubestage.scheduler.config.model import API_VERSION, KIND
from kubestage.scheduler.config.providers import PROVIDERS, unknown_provider

with lazy.imports():
    from kubestage.scheduler.config.older import conversion

if TYPE_CHECKING:
    from kubestage.scheduler.config.model import SchedulerConfiguration
    from kubestage.scheduler.config.policy_source import PolicyReader


_NAMELESS: Final = "<string>"


def load(
    text: str,
    source: str = _NAMELESS,
    *,
    older: bool = True,
    read_policy: PolicyReader | None = None,
) -> SchedulerConfiguration:
    """The configuration in a YAML or JSON text.

    Versions before ``v1`` are converted, or, without `older`, refused as kube-scheduler v1.36
    refuses them. A ``v1alpha1`` text may name a scheduling policy that lies elsewhere;
    `read_policy` fetches it.
    """
    try:
        value, strict = reading.scan(text)
        return _load(value, text, strict, older, read_policy)
    except ConfigError as error:
        raise error.in_file(None if source == _NAMELESS else source) from None


def from_dict(obj: dict[str, Any], source: str = _NAMELESS) -> SchedulerConfiguration:
    """The configuration that a JSON object is."""
    try:
        text = msgspec.json.encode(obj).decode()
        return _load(reading.ordered(obj), text, (), True, None)
    except ConfigError as error:
        raise error.in_file(None if source == _NAMELESS else source) from None


def default() -> SchedulerConfiguration:
    """The configuration of a scheduler that is started without one."""
    return defaulting.configuration({}, default_plugins.V1)


def from_flags(
    scheduler_name: str | None = None,
    algorithm_provider: str | None = None,
    hard_pod_affinity_symmetric_weight: int | None = None,
) -> SchedulerConfiguration:
    """The default configuration, its one profile shaped by the flags that are set."""
    weight = hard_pod_affinity_symmetric_weight
    if weight is not None and not 0 <= weight <= 100:
        where, detail = "hardPodAffinitySymmetricWeight", "not in valid range [0-100]"
        problem = str(field.invalid(where, weight, detail))
        raise ConfigError("validate", problem)
    provider = algorithm_provider or "DefaultProvider"
    if provider not in PROVIDERS:
        raise unknown_provider(provider)
    config: list[dict[str, Any]] = []
    if PROVIDERS[provider] != "LeastAllocated":
        args = {"scoringStrategy": {"type": PROVIDERS[provider]}}
        config.append({"name": "NodeResourcesFit", "args": args})
    if weight is not None:
        config.append({"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": weight}})
    profile = {"schedulerName": scheduler_name or None, "pluginConfig": config}
    return checked(defaulting.configuration({"profiles": [profile]}, default_plugins.V1))


def _load(
    value: Any,
    text: str,
    strict: tuple[str, ...],
    older: bool,
    read_policy: PolicyReader | None,
) -> SchedulerConfiguration:
    versions = ("v1", *wire_types.OLDER) if older else ("v1",)
    found = reading.read(value, text, versions)
    decoded = nested.decode(found, versions)
    refused = [*strict, *decoded.strict]
    # The release that read v1alpha1 let unknown fields pass with a warning.
    if refused and found.version != "v1alpha1":
        raise reading.problem(reading.strict_problem(refused), errors=refused, fix=decoded.fix)
    if found.kind != KIND:
        got = f"{wire_types.GROUP}/{found.version}, Kind={found.kind}"
        raise reading.problem(f"couldn't decode as {KIND}, got {got}: ")
    if found.version == "v1":
        configuration = defaulting.configuration(decoded.object, default_plugins.V1)
    else:
        configuration = conversion.convert(found.version, decoded.object, read_policy)
    return checked(configuration)


def checked(configuration: SchedulerConfiguration) -> SchedulerConfiguration:
    """The configuration, if no rule is broken."""
    problems = validation.validate(configuration, API_VERSION)
    if problems:
        names = [profile.scheduler_name for profile in configuration.profiles]
        raise ConfigError("validate", aggregate(problems), errors=problems, profiles=names)
    return configuration
