"""The flags of the program, as settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.errors import InputError
from kubestage.golang import durations

if TYPE_CHECKING:
    from collections.abc import Mapping

# No decision depends on them: nodes are always tried in order, a scan takes no time, the provider
# makes no groups, logs and metrics are not compared, and 1.36 does not read the candidate pools.
_WITHOUT_EFFECT: Final = frozenset(
    (
        "cluster-snapshot-parallelism",
        "debugging-snapshot-enabled",
        "emit-per-nodegroup-metrics",
        "max-binpacking-time",
        "max-bulk-soft-taint-time",
        "max-node-skip-eval-time-tracker-enabled",
        "max-nodegroup-binpacking-duration",
        "node-removal-latency-tracking-enabled",
        "predicate-parallelism",
        "record-duplicated-events",
        "scale-down-candidates-pool-min-count",
        "scale-down-candidates-pool-ratio",
        "scale-down-simulation-timeout",
    )
)
_MISSPELT: Final = {
    "blocking-system-pod-distruption-timeout": "blocking-system-pod-disruption-timeout"
}
_FIELDS: Final = {
    field.name: field.type for field in msgspec.structs.fields(NodeAutoscalerSettings)
}


def settings_of(flags: Mapping[str, str | list[str]]) -> NodeAutoscalerSettings:
    """The settings that flags stand for."""
    values: dict[str, Any] = {}
    for flag, stated in flags.items():
        if flag in _WITHOUT_EFFECT:
            continue
        name = _MISSPELT.get(flag, flag).replace("-", "_")
        if f"{name}_ns" in _FIELDS:
            values[f"{name}_ns"] = durations.parse_duration(str(stated))
        elif name in _FIELDS:
            values[name] = _value(stated, _FIELDS[name])
        else:
            raise InputError(f"{flag!r} is not a flag that is modelled", path=f"flags.{flag}")
    return NodeAutoscalerSettings(**values)


def _value(stated: str | list[str], kind: Any) -> Any:
    if kind in (bool, int, float):
        return msgspec.convert(stated, kind, strict=False)
    if kind is str:
        return stated
    return tuple(stated) if isinstance(stated, list) else (stated,)
