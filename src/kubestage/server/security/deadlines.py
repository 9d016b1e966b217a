"""How long a client is ready to wait: the parameter ``timeout`` of a request."""

from __future__ import annotations

from urllib.parse import parse_qs

from kubestage.errors import BadRequest
from kubestage.golang import durations
from kubestage.units import SECOND_NS


def seconds(query: bytes, most_s: float) -> float:
    """How long a request may take: what the client says, up to what the server allows.

    None and zero mean as long as that; what is no duration is refused.
    """
    if b"timeout=" not in query:
        return most_s
    values = parse_qs(query.decode("latin-1")).get("timeout")
    if not values:
        return most_s
    try:
        requested_ns = durations.parse_duration(values[0])
    except ValueError as error:
        raise BadRequest(f"invalid timeout specified in the request URL - {error}") from None
    return requested_ns / SECOND_NS if 0 < requested_ns < most_s * SECOND_NS else most_s
