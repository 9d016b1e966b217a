"""Answers that are refusals: from a Status on the wire to an error of ours."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage import errors
from kubestage.errors import AdmissionDenied, ApiError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN: Final = 300
# All but the one that gets its code and its reason when it is raised.
_KNOWN: Final = {
    (each.code, each.reason): each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, ApiError) and each is not AdmissionDenied
}
# What a code means where there is no Status.
_REASONS: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    409: "Conflict",
    410: "Expired",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}
# Older servers say it the other way.
_OTHER_WORDS: Final = {"Gone": "Expired"}


class Unreachable(ApiError):
    """The server could not be reached, or the connection to it broke."""

    code = 503
    reason = "ServiceUnavailable"


class TimedOut(ApiError):
    """The server did not answer in time."""

    code = 504
    reason = "Timeout"


def from_answer(code: int, body: bytes, headers: Mapping[str, str]) -> ApiError:
    """The error that an answer of 400 and above stands for."""
    status = _status(body)
    error = from_status({"code": code, **status}) if status else _without_status(code, body)
    wait = headers.get("Retry-After", "")
    if wait.isdigit() and "retryAfterSeconds" not in error.details:
        error.details["retryAfterSeconds"] = int(wait)
    return error


def from_status(status: dict[str, Any]) -> ApiError:
    """The error that a Status stands for, with its message and details."""
    code = status.get("code")
    code = code if isinstance(code, int) else 500
    reason = str(status.get("reason") or "")
    reason = _OTHER_WORDS.get(reason, reason)
    details = status.get("details")
    message = str(status.get("message") or reason or f"the server answered {code}")
    return _class_of(code, reason)(message, dict(details) if isinstance(details, dict) else None)


def wait_s(error: ApiError) -> int:
    """How long the server asks a caller to wait, 0 if it does not."""
    seconds = error.details.get("retryAfterSeconds")
    return seconds if isinstance(seconds, int) else 0


@functools.cache
def _class_of(code: int, reason: str) -> type[ApiError]:
    """The class of an error; one is made for a reason of Kubernetes that we do not use."""
    known = _KNOWN.get((code, reason))
    if known is not None:
        return known
    return type(reason or f"Refused{code}", (ApiError,), {"code": code, "reason": reason})


def _status(body: bytes) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return None
    return value if isinstance(value, dict) and value.get("kind") == "Status" else None


def _without_status(code: int, body: bytes) -> ApiError:
    text = " ".join(body.decode(errors="replace").split())
    shown = f": {text[:_SHOWN]}" if text else ""
    return _class_of(code, _REASONS.get(code, ""))(f"the server answered {code}{shown}")
