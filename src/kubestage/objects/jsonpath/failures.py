"""What can be wrong with a template, or with the values that it is evaluated on."""

from __future__ import annotations

from kubestage.errors import MalformedValue


class JSONPathError(MalformedValue):
    """A path that cannot be read, or that does not fit the value it is evaluated on."""
