"""Runs a template at once."""

from __future__ import annotations

from typing import Any

from kubestage.golang import template as gotemplate
from kubestage.golang.template import sprig


def render(text: str, data: Any = None) -> str:
    """The text that a template with all functions makes of a value."""
    return gotemplate.parse(text, "t", sprig.FUNCTIONS).execute(data)


def evaluate(expression: str, data: Any = None) -> str:
    """The text of one pipeline."""
    return render(f"{{{{{expression}}}}}", data)
