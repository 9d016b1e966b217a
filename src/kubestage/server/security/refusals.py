"""The errors of requests that are not admitted, as the API server words them."""

from __future__ import annotations

from kubestage.errors import (
    ApiError,
    Forbidden,
    RequestTooLarge,
    TooManyRequests,
    Unauthorized,
)


class RequestTimeout(ApiError):
    """The request took too long."""

    code = 504
    reason = "Timeout"


def unauthorized() -> Unauthorized:
    """No token, or another one."""
    return Unauthorized("Unauthorized")


def foreign_host(host: str) -> Forbidden:
    """The request is for another server, or comes from a web page by DNS rebinding."""
    return Forbidden(
        f"the host {host[:100]!r} is not one that this server goes by; to allow it, start "
        "kubestage serve with --allow-host"
    )


def foreign_origin(origin: str) -> Forbidden:
    """A web page of another origin sends the request."""
    return Forbidden(
        f"pages of {origin[:100]!r} may not use this server; to allow it, start kubestage serve "
        "with --allow-origin"
    )


def too_large(limit: int) -> RequestTooLarge:
    """The body is too long."""
    return RequestTooLarge(f"Request entity too large: limit is {limit}")


def too_late() -> RequestTimeout:
    """No answer was found in time."""
    return RequestTimeout("Timeout: request did not complete within the allotted timeout", {})


def too_many_watchers(limit: int) -> TooManyRequests:
    """As many watches are open as may be."""
    return TooManyRequests(
        f"{limit} watches are open, and no more are served; to allow more, start kubestage serve "
        "with --max-watchers",
        {"retryAfterSeconds": 5},
    )
