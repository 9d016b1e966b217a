"""Money and shares in words, the same on a terminal and on a page."""

from __future__ import annotations

from typing import Final

SYMBOLS: Final = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
"""Signs of currencies; others are named by their codes."""
_CENTS_FROM: Final = 1
_SMALL_PLACES: Final = 4


def money(amount: float | None, currency: str) -> str:
    """``$12.34``, ``€0.0255``, ``12.34 CHF``; a dash if it is not known."""
    if amount is None:
        return "-"
    text = number(abs(amount))
    sign = "-" if amount < 0 and text != number(0) else ""
    less, text = ("< ", text[2:]) if text.startswith("< ") else ("", text)
    symbol = SYMBOLS.get(currency)
    if symbol is None:
        return f"{less}{sign}{text} {currency}"
    return f"{less}{sign}{symbol}{text}"


def number(amount: float) -> str:
    """``12.34``, ``0.0255``: two places, or four of what is less than one."""
    if abs(amount) >= _CENTS_FROM or not amount:
        return f"{amount:,.2f}"
    whole, _, fraction = f"{amount:.{_SMALL_PLACES}f}".partition(".")
    text = f"{whole}.{fraction.rstrip('0').ljust(2, '0')}"
    return text if float(text) else f"< {10**-_SMALL_PLACES}"


def share(part: float | None) -> str:
    """``38%``; a dash if there is nothing to have a share of."""
    if part is None:
        return "-"
    if 0 < part < 0.005:
        return "< 1%"
    return f"{100 * part:.0f}%"


def cores(milli_cpu: int) -> str:
    """``2.5 cores``, ``1 core``."""
    amount = f"{milli_cpu / 1000:,.1f}".removesuffix(".0")
    return f"{amount} {'core' if amount == '1' else 'cores'}"


def gibibytes(memory_bytes: int) -> str:
    """``12.3 GiB``."""
    amount = f"{memory_bytes / 2**30:,.1f}".removesuffix(".0")
    return f"{amount} GiB"
