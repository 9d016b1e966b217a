"""Scheduling policies: predicates and priorities, from before there were plugins.

Each name stands for plugins at some extension points, as release v1.22, the last to read
policies, mapped them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects.validation import field
from kubestage.scheduler.config import reading
from kubestage.scheduler.config.default_plugins import Defaults
from kubestage.scheduler.config.failure import ConfigError, aggregate
from kubestage.scheduler.config.model import Plugin, PluginSet
from kubestage.scheduler.config.older import extenders
from kubestage.scheduler.config.older.predicates import (
    DEFAULT_PREDICATES,
    DEFAULT_PRIORITIES,
    MANDATORY_PREDICATES,
    PREDICATES,
    PRIORITIES,
    RATIO,
)
from kubestage.scheduler.config.policy_source import PolicySource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.scheduler.config.policy_source import PolicyReader

_MAX_WEIGHT: Final = (2**63 - 1) // 10
_ALIASES: Final = {
    "PodFitsPorts": "PodFitsHostPorts",
    "ServiceSpreadingPriority": "SelectorSpreadPriority",
}


class Policy(msgspec.Struct, frozen=True):
    """The plugins that a policy means, under the names that they had then."""

    plugins: dict[str, PluginSet]
    plugin_config: list[tuple[str, Any]]
    extenders: list[dict[str, Any]]


def refused(problem: str) -> ConfigError:
    """A policy that no scheduler could be made from."""
    return ConfigError("instantiate", f"couldn't create scheduler from policy: {problem}")


def load(source: Mapping[str, Any], read_policy: PolicyReader | None) -> Policy:
    """The policy that an algorithm source names."""
    text = _text(source, read_policy)
    try:
        value, strict = reading.scan(text)
        _, kind = reading.head(value)
        decoded = reading.decode("policy/v1.Policy", value)
        reached = extenders.decoded(decoded.object.get("extenders"))
    except ConfigError as error:
        raise ConfigError("instantiate", f"invalid policy: {error.problem}") from None
    problems = [*strict, *decoded.strict]
    if kind not in ("", "Policy"):
        problems = [f"kind is {kind}, not Policy"]
    if problems:
        problem = reading.strict_problem(problems)
        raise ConfigError(
            "instantiate", f"invalid policy: {problem}", errors=problems, fix=decoded.fix
        )
    policy = {key: _without_nulls(value) for key, value in decoded.object.items()}
    return convert({**policy, "extenders": reached})


def _without_nulls(value: Any) -> Any:
    """A list whose nulls are what Go makes of them, empty objects."""
    return [{} if each is None else each for each in value] if type(value) is list else value


def _text(source: Mapping[str, Any], read_policy: PolicyReader | None) -> str:
    file, config_map = source.get("file"), source.get("configMap")
    if file is not None:
        policy_source = PolicySource(path=file.get("path", ""))
        missing = f"missing policy config file {policy_source.path}"
    elif config_map is not None:
        namespace = config_map.get("namespace") or "kube-system"
        policy_source = PolicySource(namespace=namespace, name=config_map.get("name", ""))
        missing = f"couldn't get policy config map {namespace}/{policy_source.name}"
    else:
        return "{}"
    text = read_policy(policy_source) if read_policy is not None else None
    if text is None:
        raise ConfigError("instantiate", missing)
    return text


def convert(policy: Mapping[str, Any]) -> Policy:
    """The plugins that a decoded policy means."""
    _validate(policy)
    points: dict[str, list[Plugin]] = {
        "queueSort": [Plugin(name="PrioritySort", weight=0)],
        "bind": [Plugin(name="DefaultBinder", weight=0)],
    }
    names = _predicates(policy.get("predicates"))
    for name, rows in PREDICATES.items():
        if name in names:
            _append(points, rows, 0)
    weights, ratio = _priorities(policy.get("priorities"))
    for name in sorted(weights):
        _append(points, PRIORITIES[name], weights[name])
    sets = Defaults({}, points=()).merge(None)
    sets |= {point: PluginSet(enabled=tuple(found)) for point, found in points.items()}
    return Policy(
        sets,
        _configs(policy, weights, ratio),
        policy.get("extenders") or [],
    )


def _append(
    points: dict[str, list[Plugin]], rows: Mapping[str, tuple[str, ...]], weight: int
) -> None:
    """Add plugins where they are not yet; a second weight has no effect."""
    for point, names in rows.items():
        there = points.setdefault(point, [])
        for name in names:
            if all(plugin.name != name for plugin in there):
                there.append(Plugin(name=name, weight=weight if point == "score" else 0))


def _configs(
    policy: Mapping[str, Any], weights: Mapping[str, int], ratio: dict[str, Any] | None
) -> list[tuple[str, Any]]:
    configs: list[tuple[str, Any]] = []
    hard = policy.get("hardPodAffinitySymmetricWeight")
    if hard and "InterPodAffinityPriority" in weights:
        configs.append(("InterPodAffinity", {"hardPodAffinityWeight": hard}))
    if "SelectorSpreadPriority" in weights:
        configs.append(("PodTopologySpread", {"defaultingType": "System"}))
    elif "EvenPodsSpreadPriority" in weights:
        configs.append(("PodTopologySpread", {"defaultingType": "List"}))
    if ratio is not None:
        configs.append((RATIO, ratio))
    return configs


def _predicates(stated: list[Any] | None) -> set[str]:
    if stated is None:
        return {*DEFAULT_PREDICATES, *MANDATORY_PREDICATES}
    names = set(MANDATORY_PREDICATES)
    for predicate in stated:
        name, argument = predicate.get("name", ""), predicate.get("argument")
        _one_argument("predicate", name, argument)
        name = _ALIASES.get(name, name)
        if name not in PREDICATES:
            if not argument:
                raise refused(f"predicate type not found for {field.quote(name)}")
            affinity = argument.get("serviceAffinity") is not None
            name = "CheckServiceAffinity" if affinity else "CheckNodeLabelPresence"
        names.add(name)
    return names


def _priorities(stated: list[Any] | None) -> tuple[dict[str, int], dict[str, Any] | None]:
    """Weights by priority, and the arguments of the ratio of requests to capacity."""
    if stated is None:
        return dict(DEFAULT_PRIORITIES), None
    weights: dict[str, int] = {}
    ratio = None
    for priority in stated:
        name, argument = priority.get("name", ""), priority.get("argument")
        if name == "EqualPriority":
            continue
        _one_argument("priority", name, argument)
        name = _ALIASES.get(name, name)
        if name not in PRIORITIES:
            if not argument:
                raise refused(f"priority type not found for {field.quote(name)}")
            name = "NodeLabel" if argument.get("labelPreference") is not None else "ServiceAffinity"
            if argument.get("requestedToCapacityRatioArguments") is not None:
                name, ratio = RATIO, argument["requestedToCapacityRatioArguments"]
        weights[name] = priority.get("weight", 0)
    return weights, ratio


def _one_argument(what: str, name: str, argument: Mapping[str, Any] | None) -> None:
    count = sum(1 for value in (argument or {}).values() if value is not None)
    if argument is not None and count != 1:
        detail = f"exactly 1 {what} argument is required, numArgs: {count}"
        raise refused(f"{detail}, {what} {name}")


def _validate(policy: Mapping[str, Any]) -> None:
    problems = []
    seen: dict[str, tuple[str, int]] = {}
    for priority in policy.get("priorities") or ():
        name, weight = priority.get("name", ""), priority.get("weight", 0)
        if not 0 < weight < _MAX_WEIGHT:
            problems.append(
                f"priority {name} should have a positive weight applied to it or it has overflown"
            )
        problems += _custom(name, weight, priority.get("argument") or {}, seen)
    hard = policy.get("hardPodAffinitySymmetricWeight", 0)
    if not 0 <= hard <= 100:
        where, detail = "hardPodAffinitySymmetricWeight", "not in valid range [0-100]"
        problems.append(str(field.invalid(where, hard, detail)))
    if problems:
        raise refused(aggregate(problems))


def _custom(
    name: str, weight: int, argument: Mapping[str, Any], seen: dict[str, tuple[str, int]]
) -> list[str]:
    """Custom priorities: of one kind all have one weight, and there is one ratio at most."""
    for key, kind in (
        ("labelPreference", "LabelPreference"),
        ("serviceAntiAffinity", "ServiceAntiAffinity"),
        ("requestedToCapacityRatioArguments", "RequestedToCapacityRatio"),
    ):
        if argument.get(key) is None:
            continue
        other, other_weight = seen.get(kind, ("", weight))
        declared = kind in seen
        if declared and kind == "RequestedToCapacityRatio":
            return [f'priority "{name}" redeclares custom priority "{kind}", from: "{other}"']
        seen[kind] = (name, weight)
        if other_weight != weight:
            return [f'{kind}  priority "{name}" has a different weight with "{other}"']
        return []
    return []
