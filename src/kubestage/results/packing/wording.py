"""Money and shares in words, the same on a terminal and on a page."""

from __future__ import annotations

from typing import Final

_SYMBOLS: Final = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
_CENTS_FROM: Final = 1
_SMALL_PLACES: Final = 4


def money(amount: float | None, currency: str) -> str:
    """``$12.34``, ``€0.0255``, ``12.34 CHF``; a dash if it is not known."""
    if amount is None:
        return "-"
    size = abs(amount)
    text = f"{size:,.2f}"
    if 0 < size < _CENTS_FROM:
        whole, _, fraction = f"{size:.{_SMALL_PLACES}f}".partition(".")
        text = f"{whole}.{fraction.rstrip('0').ljust(2, '0')}"
        if float(text) == 0:
            text = f"< {10**-_SMALL_PLACES}"
    sign = "-" if amount < 0 and float(text.removeprefix("< ").replace(",", "")) else ""
    symbol = _SYMBOLS.get(currency)
    if symbol is None:
        return f"{sign}{text} {currency}"
    return f"< {sign}{symbol}{text[2:]}" if text.startswith("< ") else f"{sign}{symbol}{text}"


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
