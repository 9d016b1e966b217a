"""The libraries that draw: an extra, which need not be installed."""

from __future__ import annotations

from typing import Final

from kubestage.errors import InputError

NAMES: Final = ("altair", "vl_convert")


def require_altair() -> None:
    """Load what defines charts; a browser draws them. InputError as below."""
    try:
        # Large, and part of an extra.
        import altair as alt  # noqa: F401, PLC0415
    except ModuleNotFoundError as error:
        raise InputError(
            f"charts need {error.name}, which is not installed",
            fix="pip install 'kubestage[server]'",
        ) from None


def require() -> None:
    """Load the libraries; InputError with how to install one that is missing."""
    try:
        # Large, and part of an extra.
        import altair as alt  # noqa: F401, PLC0415
        import vl_convert  # noqa: F401, PLC0415
    except ModuleNotFoundError as error:
        raise InputError(
            f"charts need {error.name}, which is not installed",
            fix="pip install 'kubestage[charts]'",
        ) from None
