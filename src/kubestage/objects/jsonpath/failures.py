"""What can be wrong with a template, or with the values that it is asked of."""

from __future__ import annotations


class JSONPathError(ValueError):
    """A path that cannot be read, or that does not fit the value it is asked of."""
