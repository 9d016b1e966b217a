"""A configuration as YAML that can be loaded again: what ``generatedConfig_*.yaml`` holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.reading import loads
from kubestage.golang import durations
from kubestage.objects import yaml_text

if TYPE_CHECKING:
    from kubestage.clusterloader.config import (
        ChaosMonkey,
        Config,
        Dependency,
        Mention,
        Namespaces,
        ObjectSpec,
        Phase,
        Step,
        TuningSet,
    )

# Above this a float is written with an exponent anyway.
_LARGEST_WHOLE: Final = 2**53


def dump(config: Config) -> str:
    """The configuration in ClusterLoader2's spelling, modules flattened, defaults filled in."""
    value = {
        "name": config.name,
        "namespace": _namespaces(config.namespaces),
        "steps": [_step(step) for step in config.steps],
        "tuningSets": [_tuning_set(each) for each in config.tuning_sets],
        "chaosMonkey": _chaos_monkey(config.chaos_monkey),
        "dependencies": [_dependency(each) for each in config.dependencies],
    }
    # It is a template when it is loaded again, and is to say the same then.
    return yaml_text.dump(_without_empty(value)).replace("{{", '{{"{{"}}')


def _without_empty(value: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in value.items() if each not in (None, "", [], {})}


def _namespaces(namespaces: Namespaces) -> dict[str, Any]:
    return {
        "number": namespaces.number,
        "prefix": namespaces.prefix,
        "deleteStaleNamespaces": namespaces.delete_stale,
        "deleteAutomanagedNamespaces": namespaces.delete_automanaged,
        "enableExistingNamespaces": namespaces.enable_existing,
        "deleteNamespaceTimeout": durations.go_string(namespaces.delete_timeout_ns),
    }


def _step(step: Step) -> dict[str, Any]:
    return _without_empty(
        {
            "name": step.name,
            "phases": [_phase(phase) for phase in step.phases],
            "measurements": [_mention(mention) for mention in step.measurements],
        }
    )


def _phase(phase: Phase) -> dict[str, Any]:
    space = phase.namespace_range
    value: dict[str, Any] = {
        "replicasPerNamespace": phase.replicas_per_namespace,
        "tuningSet": phase.tuning_set,
        "objectBundle": [_object(spec) for spec in phase.objects],
    }
    if space is not None:
        value["namespaceRange"] = {"min": space.min, "max": space.max}
        if space.basename is not None:
            value["namespaceRange"]["basename"] = space.basename
    if phase.namespace_list is not None:
        value["namespaceList"] = list(phase.namespace_list)
    return value


def _object(spec: ObjectSpec) -> dict[str, Any]:
    value: dict[str, Any] = {
        "basename": spec.basename,
        "objectTemplatePath": spec.template_path,
    }
    if spec.fill_map:
        value["templateFillMap"] = _plain(spec.fill_map)
    if spec.list_unknown is not None:
        value["listUnknownObjectOptions"] = {"labelSelector": spec.list_unknown}
    if spec.object_type is not None:
        value["objectType"] = {
            "apiGroup": spec.object_type.api_group,
            "apiVersion": spec.object_type.api_version,
            "kind": spec.object_type.kind,
        }
    return value


def _mention(mention: Mention) -> dict[str, Any]:
    return _without_empty(
        {
            "method": mention.method,
            "identifier": mention.identifier,
            "params": _plain(mention.params),
            "instances": [
                _without_empty({"identifier": each.identifier, "params": _plain(each.params)})
                for each in mention.instances
            ],
        }
    )


def _tuning_set(tuning_set: TuningSet) -> dict[str, Any]:
    load: Any = tuning_set.load
    key, fields = next(
        (key, fields) for key, (kind, fields) in loads.LOADS.items() if kind is type(load)
    )
    values = [getattr(load, name) for name in load.__struct_fields__]
    value: dict[str, Any] = {
        "name": tuning_set.name,
        key: {
            name: durations.go_string(each) if kind == loads.DURATION else _plain(each)
            for (name, kind), each in zip(fields, values, strict=True)
        },
    }
    if tuning_set.initial_delay_ns:
        value["initialDelay"] = durations.go_string(tuning_set.initial_delay_ns)
    return value


def _chaos_monkey(chaos_monkey: ChaosMonkey) -> dict[str, Any]:
    failure = chaos_monkey.node_failure
    value: dict[str, Any] = {}
    if failure is not None:
        value["nodeFailure"] = {
            "failureRate": _plain(failure.failure_rate),
            "interval": durations.go_string(failure.interval_ns),
            "jitterFactor": _plain(failure.jitter_factor),
            "simulatedDowntime": durations.go_string(failure.simulated_downtime_ns),
        }
    if chaos_monkey.excluded_nodes:
        value["excludedNodes"] = {node: {} for node in sorted(chaos_monkey.excluded_nodes)}
    return value


def _dependency(dependency: Dependency) -> dict[str, Any]:
    return _without_empty(
        {
            "name": dependency.name,
            "method": dependency.method,
            "timeout": durations.go_string(dependency.timeout_ns),
            "params": _plain(dependency.params),
        }
    )


def _plain(value: Any) -> Any:
    """Values with whole numbers written without a fraction."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return int(value)
    return value
