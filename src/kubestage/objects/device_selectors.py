"""Whether an expression can select devices, where that can be told."""

from __future__ import annotations

from kubestage.errors import InputError


def problem(expression: str) -> str | None:
    """What is wrong with a device selector, in the API server's words; None if nothing is.

    Without the optional library for CEL nobody can tell, and nothing is.
    """
    from kubestage.objects.cel import device_check  # noqa: PLC0415 - few people use devices

    try:
        return device_check.problem(expression)
    except InputError:
        return None
