"""A call of a webhook without an answer.

NOTE: in a module of its own, since a server starts without the code that evaluates expressions.
"""

from __future__ import annotations

from kubestage.errors import KubestageError


class CallFailed(KubestageError):
    """A webhook could not be called, for this reason."""
