"""How long control loops take, for stages where their speed matters."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import distributions
from kubestage.sim import client_limits

_DISTRIBUTIONS: Final = ("informer_delay", "sync")
_NONE: Final = "0s"
_OTHER_PROGRAMS: Final = frozenset(
    {
        "cluster-autoscaler",
        "event-ttl",
        "external-provisioner",
        "kubelet",
        "kwok_controller",
        "vpa-updater",
    }
)
"""Loops that are not part of kube-controller-manager."""

_FACTORS: Final = {
    "garbage-collector-controller": (2.0, 1.0, 2),
    "namespace-controller": (20.0, 100.0, 1),
}
"""Loops whose clients have higher limits: times the rate, times the burst, and calls per write.

The garbage collector reads each object again before it deletes it.
"""


class Client(msgspec.Struct, frozen=True):
    """The limits of one loop's client, and how many calls it makes for a write."""

    qps: float
    burst: int
    calls_per_write: int


class ControllerPacing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What takes time in kube-controller-manager; by default nothing does.

    Durations are values or distributions (``5ms``, ``lognormal(5ms,2ms)``, ...). Every loop has a
    client of its own; kube-controller-manager's default is 20 calls a second after 30 at once.
    """

    informer_delay: str = _NONE
    """How long after a change its key is queued."""

    sync: str = _NONE
    """How long a sync of a key takes."""

    workers: int = 5
    """How many keys each loop syncs in parallel."""

    client_qps: float = 0.0
    """How many writes a second the client of each loop makes; 0 is no limit."""

    client_burst: int = 0
    """How many writes it makes at once before that limit holds."""

    def __post_init__(self) -> None:
        for name in _DISTRIBUTIONS:
            try:
                distributions.parse(getattr(self, name))
            except InputError as error:
                path = f"controllers.{name}"
                raise InputError(error.problem, path=path, fix=error.fix) from error
        if self.workers < 1:
            raise InputError(
                f"{self.workers} workers cannot sync anything",
                path="controllers.workers",
                fix="write 1 or more",
            )
        client_limits.check_client("controllers", self.client_qps, self.client_burst)

    def applies_to(self, loop: str) -> bool:
        """Whether a loop, by its name, is one of kube-controller-manager's."""
        return loop not in _OTHER_PROGRAMS

    def client_of(self, loop: str) -> Client | None:
        """The client of a loop; None if nothing limits it."""
        if not self.client_qps:
            return None
        faster, burst, calls = _FACTORS.get(loop, (1.0, 1.0, 1))
        return Client(self.client_qps * faster, round(self.client_burst * burst), calls)

    @property
    def is_instant(self) -> bool:
        """Whether nothing takes time."""
        parsed = (distributions.parse(getattr(self, name)) for name in _DISTRIBUTIONS)
        return not self.client_qps and all(
            not (distribution.first or distribution.second) for distribution in parsed
        )
