"""How long control loops take, for stages on which their pace is to mean something."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import distributions
from kubestage.sim import rate

_LAWS: Final = ("informer_delay", "sync")
_NONE: Final = "0s"
_OUTSIDE: Final = frozenset(
    {
        "cluster-autoscaler",
        "event-ttl",
        "external-provisioner",
        "kubelet",
        "kwok_controller",
        "vpa-updater",
    }
)
"""Loops that no part of kube-controller-manager does."""

_FACTORS: Final = {
    "garbage-collector-controller": (2.0, 1.0, 2),
    "namespace-controller": (20.0, 100.0, 1),
}
"""Loops whose clients are given more: times the rate, times the burst, and calls for a write.

The garbage collector reads each object again before it deletes it.
"""


class Client(msgspec.Struct, frozen=True):
    """The limits of one loop's client, and how many calls it makes for a write."""

    qps: float
    burst: int
    calls_per_write: int


class ControllerPacing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What takes time in kube-controller-manager; by default nothing does.

    Durations are values or distributions (``5ms``, ``lognormal(5ms,2ms)``, ...). A loop looks at a
    key `informer_delay` after it came up; `workers` of each loop look at keys side by side, and
    each look takes `sync`. Every loop has a client of its own that writes at `client_qps` a second
    after `client_burst` at once (kube-controller-manager's own are 20 and 30), and zero is no
    limit.
    """

    informer_delay: str = _NONE
    sync: str = _NONE
    workers: int = 5
    client_qps: float = 0.0
    client_burst: int = 0

    def __post_init__(self) -> None:
        for name in _LAWS:
            try:
                distributions.parse(getattr(self, name))
            except InputError as error:
                path = f"controllers.{name}"
                raise InputError(error.problem, path=path, fix=error.fix) from error
        if self.workers < 1:
            raise InputError(
                f"{self.workers} workers look at nothing",
                path="controllers.workers",
                fix="write 1 or more",
            )
        rate.check_client("controllers", self.client_qps, self.client_burst)

    def applies_to(self, loop: str) -> bool:
        """Whether a loop, by its name, is one of kube-controller-manager's."""
        return loop not in _OUTSIDE

    def client_of(self, loop: str) -> Client | None:
        """The client of a loop; None if nothing limits it."""
        if not self.client_qps:
            return None
        faster, burst, calls = _FACTORS.get(loop, (1.0, 1.0, 1))
        return Client(self.client_qps * faster, round(self.client_burst * burst), calls)

    @property
    def is_instant(self) -> bool:
        """Whether nothing takes time."""
        laws = (distributions.parse(getattr(self, name)) for name in _LAWS)
        return not self.client_qps and all(not (law.first or law.second) for law in laws)
