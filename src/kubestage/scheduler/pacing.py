"""How long the scheduler takes, for stages on which its work takes virtual time."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import distributions
from kubestage.sim import client_limits

_DURATIONS: Final = ("informer_delay", "attempt", "attempt_per_node", "binding")
_NONE: Final = "0s"
SHARES: Final = {
    "InterPodAffinity": 4.0,
    "NodeResourcesFit": 2.0,
    "PodTopologySpread": 3.0,
    "VolumeBinding": 2.0,
}
"""The plugins that check more than one property of a node take longer than the others."""


class SchedulerPacing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What takes time in kube-scheduler; by default nothing does.

    Durations are values or distributions (``5ms``, ``lognormal(5ms,2ms)``, ...). Attempts go one
    after another.
    """

    informer_delay: str = _NONE
    """The time from a pod's creation until the scheduler knows of it."""

    attempt: str = _NONE
    """The duration of an attempt with the default plugins and their usual shares (`SHARES`).

    Other plugins, and other shares, make an attempt longer or shorter.
    """

    attempt_per_node: str = _NONE
    """What an attempt takes in addition for every node that it evaluates."""

    binding: str = _NONE
    """The duration of the call that binds a pod; the next pods are tried meanwhile."""

    client_qps: float = 0.0
    """How many calls a second the client may send; 0 is no limit, kube-scheduler has 50."""

    client_burst: int = 0
    """How many calls the client may send at once; kube-scheduler has 100."""

    plugins: dict[str, float] = msgspec.field(default_factory=SHARES.copy)
    """The shares of plugins in the time of their extension point; a plugin not named has one."""

    def __post_init__(self) -> None:
        for name in _DURATIONS:
            try:
                distributions.parse(getattr(self, name))
            except InputError as error:
                path = f"scheduler.{name}"
                raise InputError(error.problem, path=path, fix=error.fix) from error
        for name, shares in self.plugins.items():
            if not 0 <= shares < math.inf:
                path = f"scheduler.plugins.{name}"
                raise InputError(f"{shares} is no number of shares", path=path, fix="write 1")
        client_limits.check_client("scheduler", self.client_qps, self.client_burst)

    @property
    def is_instant(self) -> bool:
        """Whether nothing takes time."""
        durations = (distributions.parse(getattr(self, name)) for name in _DURATIONS)
        return not self.client_qps and all(not (each.first or each.second) for each in durations)
