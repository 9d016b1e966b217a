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
        name = f"{name}_ns" if f"{name}_ns" in _FIELDS else name
        if name not in _FIELDS:
            raise InputError(f"{flag!r} is not a flag that is modelled", path=f"flags.{flag}")
        try:
            values[name] = _value(name, stated)
        except (msgspec.ValidationError, ValueError) as error:
            problem = str(error).replace("`", "")
            raise InputError(f"{stated!r} does not do: {problem}", path=f"flags.{flag}") from None
    return NodeAutoscalerSettings(**values)


def _value(name: str, stated: str | list[str]) -> Any:
    kind = _FIELDS[name]
    if kind == tuple[str, ...]:
        return tuple(stated) if isinstance(stated, list) else (stated,)
    text = msgspec.convert(stated, str)
    if name.endswith("_ns"):
        return durations.parse_duration(text)
    return msgspec.convert(text, kind, strict=False)
