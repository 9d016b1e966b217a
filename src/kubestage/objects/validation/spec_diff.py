"""The difference between two specs, as the API server appends it to a refusal."""

from __future__ import annotations

import difflib
from typing import Any

from kubestage.objects.validation import internal_json


def diff(expression: str, old: Any, new: Any) -> str:
    """A unified diff of the working types' JSON."""
    before = _lines(internal_json.indented(internal_json.tree(expression, old)))
    after = _lines(internal_json.indented(internal_json.tree(expression, new)))
    # The first two lines would name the files.
    return "".join(list(difflib.unified_diff(before, after))[2:])


def _lines(text: str) -> list[str]:
    return [f"{line}\n" for line in text.split("\n")]
