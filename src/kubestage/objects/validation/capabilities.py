"""What the cluster lets pods do beyond others, as the API server's ``--allow-privileged`` says."""

from __future__ import annotations

import contextlib
import contextvars
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_PRIVILEGED: Final = contextvars.ContextVar("allow_privileged", default=True)


def allow_privileged() -> bool:
    """Whether pods may be privileged where the caller validates."""
    return _PRIVILEGED.get()


@contextlib.contextmanager
def privileged_pods(*, allowed: bool) -> Iterator[None]:
    """Validate with privileged pods allowed or forbidden, until the end of the block."""
    before = _PRIVILEGED.set(allowed)
    try:
        yield
    finally:
        _PRIVILEGED.reset(before)
