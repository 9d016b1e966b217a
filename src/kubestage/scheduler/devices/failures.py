"""What can go wrong while devices are looked for, other than that there are none."""

from __future__ import annotations

from kubestage.errors import KubestageError


class AllocationError(KubestageError):
    """A claim, class, slice or selector cannot be used, so that no node needs to be tried."""


class NodeAllocationError(AllocationError):
    """The claims cannot be met on one node; others may do."""


class SearchTimeout(KubestageError):
    """The search took more steps than it may."""


class CelError(KubestageError):
    """A selector that does not compile, or fails on a device; `stage` is which of the two."""

    def __init__(self, stage: str, problem: str) -> None:
        super().__init__(problem)
        self.stage = stage
