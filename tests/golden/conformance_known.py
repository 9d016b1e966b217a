"""Where we answer otherwise than the recorded server, and why.

Every difference must have a reason here; `docs/conformance.md` tells them to users.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from tests.golden.conformance_replay import Result

_REVISIONS = tuple(f"controllerrevisions-{topic}" for topic in ("errors", "update", "watch"))
CLIENT_MISTAKE = "client-mistake"
FUTURE_VERSION = "future-version"
RAW_BYTES = "raw-bytes"
AT_ONCE = "at-once"
DRY_ADDRESS = "dry-address"
EXTERNAL_NAME = "external-name"
REASONS = {
    CLIENT_MISTAKE: "the real server answers 500 to a client's mistake; we answer 4xx",
    FUTURE_VERSION: "a watch from a version that never was is expired, so that clients list again",
    AT_ONCE: "a definition is established at once, so its next version is not a later one",
    DRY_ADDRESS: "a dry run of a Service shows an address that is free, not the first of the range",
    EXTERNAL_NAME: "fields that an ExternalName Service has no use for are not shown in its status",
    RAW_BYTES: "ControllerRevision data is compared by its meaning, not by the bytes it came in",
}

# Single steps: where they are, and what differs in them.
_ONE_BY_ONE = {
    ("crd-validation[4]", ".metadata.resourceVersion"): AT_ONCE,
    ("services-errors[15]", ".spec.clusterIP"): DRY_ADDRESS,
    ("service-ips[30]", ".spec.internalTrafficPolicy"): EXTERNAL_NAME,
}


def reason(result: Result) -> str:
    """Why a step differs: a key of `REASONS`, or nothing if it should not."""
    if result.recorded.get("status") == 500 and 400 <= result.status < 500:
        return CLIENT_MISTAKE if _message(result.body) == _recorded_message(result) else ""
    if result.where.startswith(_REVISIONS):
        return RAW_BYTES
    for (known, differs), why in _ONE_BY_ONE.items():
        if result.where.startswith(known) and differs in result.differences[0]:
            return why
    if "'watch': '1'" in result.where and b'"code":410' in result.body:
        return FUTURE_VERSION
    return ""


def _message(body: bytes) -> Any:
    return msgspec.json.decode(body).get("message")


def _recorded_message(result: Result) -> Any:
    return (result.recorded.get("body") or {}).get("message")
