"""Extenders as policies and ``v1alpha2`` wrote them.

Their keys are read whatever the case of their letters, unknown ones are passed over, and a
timeout is a number of nanoseconds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import durations
from kubestage.objects.go_scanner import Number, Pairs
from kubestage.scheduler.config import reading, wire_types
from kubestage.scheduler.config.failure import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

_integer: Final = re.compile("-?[0-9]{1,18}").fullmatch
_STRUCTS: Final = {
    "tlsConfig": "config/v1.ExtenderTLSConfig",
    "managedResources": "config/v1.ExtenderManagedResource",
}


def decoded(stated: Sequence[Any] | None) -> list[dict[str, Any]]:
    """The extenders in today's form."""
    return [_extender(index, each) for index, each in enumerate(stated or ())]


def _extender(index: int, stated: Any) -> dict[str, Any]:
    try:
        decoded = reading.decode("config/v1.Extender", _spelled("config/v1.Extender", stated))
    except ConfigError as error:
        raise reading.problem(f"decoding .extenders[{index}]: {error.problem}") from None
    return decoded.object


def _spelled(struct: str, stated: Any) -> Any:
    """The object with today's spelling of its keys; what is no object is left to the decoder."""
    if not isinstance(stated, Pairs):
        return [_spelled(struct, each) for each in stated] if isinstance(stated, list) else stated
    known = {key.lower(): key for key in wire_types.struct(struct)}
    spelled = Pairs()
    for key, value in stated:
        name = known.get(key.lower(), key)
        if name in _STRUCTS:
            spelled.append((name, _spelled(_STRUCTS[name], value)))
        elif name == "httpTimeout":
            spelled.append((name, _timeout(value)))
        else:
            spelled.append((name, value))
    return spelled


def _timeout(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, Number) or not _integer(value):
        where = "Go struct field Extender.httpTimeout of type time.Duration"
        called = f"number {value}" if isinstance(value, Number) else "value"
        raise reading.problem(f"json: cannot unmarshal {called} into {where}")
    return durations.go_string(int(value))
