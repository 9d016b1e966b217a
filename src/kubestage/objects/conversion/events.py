"""Events of ``events.k8s.io`` and of the core group: the same things under other names."""

from __future__ import annotations

from typing import Any, Final

_NAMES: Final = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_SERVED: Final = {stored: served for served, stored in _NAMES.items()}


def to_core(event: dict[str, Any]) -> dict[str, Any]:
    """As the core group has it."""
    return {_NAMES.get(key, key): value for key, value in event.items()}


def from_core(event: dict[str, Any]) -> dict[str, Any]:
    """As ``events.k8s.io`` has it."""
    return {_SERVED.get(key, key): value for key, value in event.items()}
