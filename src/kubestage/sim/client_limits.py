"""What the settings of a client's rate limit may be."""

from __future__ import annotations

import math

from kubestage.errors import InputError


def check_client(section: str, qps: float, burst: int) -> None:
    """Refuse a rate limit that is not a number, or that lets no call through.

    `section` is the part of the settings that it is written in. A rate of zero is no limit, and
    needs no burst.
    """
    if not 0 <= qps < math.inf:
        raise InputError(
            f"{qps:g} is not a valid rate",
            path=f"{section}.client_qps",
            fix="write how many calls a second, or 0 for no limit",
        )
    if burst < (1 if qps else 0):
        raise InputError(
            f"{burst} calls at once allow none at all",
            path=f"{section}.client_burst",
            fix="write 1 or more with a client_qps",
        )
