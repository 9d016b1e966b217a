"""Errors that a recorded file causes which was edited or damaged since: a kept run, a recording.

What reads it trusts in what has written it, far down in tables, charts and comparisons.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError, KubestageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_DAMAGE: Final = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip


@contextlib.contextmanager
def error_context(*paths: str, what: str = "run") -> Iterator[None]:
    """Report what cannot be made sense of as damage to the files that are read."""
    try:
        yield
    except KubestageError:
        raise
    except _DAMAGE as error:
        problem = f"is no {what} as it was written: {type(error).__name__}: {str(error)[:200]}"
        fix = "it was edited or damaged: record it again"
        raise InputError(problem, file=", ".join(paths), fix=fix) from error
