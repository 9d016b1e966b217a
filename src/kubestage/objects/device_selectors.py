"""Whether an expression can select devices, where that can be checked."""

from __future__ import annotations

from kubestage import lazy
from kubestage.errors import InputError

# NOTE: few clusters have devices.
with lazy.imports():
    from kubestage.objects.cel import device_check


def problem(expression: str) -> str | None:
    """What is wrong with a device selector, in the API server's words; None if nothing is.

    Without the optional library for CEL it is not checked.
    """
    try:
        return device_check.problem(expression)
    except InputError:
        return None
