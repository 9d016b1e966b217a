"""How long the scheduler takes, for stages on which its pace is to mean something."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import distributions
from kubestage.sim import rate

_LAWS: Final = ("informer_delay", "attempt", "attempt_per_node", "binding")
_NONE: Final = "0s"
SHARES: Final = {
    "InterPodAffinity": 4.0,
    "NodeResourcesFit": 2.0,
    "PodTopologySpread": 3.0,
    "VolumeBinding": 2.0,
}
"""The plugins that look at more than one fact of a node take longer than the others."""


class SchedulerPacing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What takes time in kube-scheduler; by default nothing does.

    Durations are values or distributions (``5ms``, ``lognormal(5ms,2ms)``, ...). A pod is heard of
    `informer_delay` after it came up. Attempts go one after another: each takes `attempt`, and
    `attempt_per_node` for every node that was looked at. A binding is on its way while the next
    pods are tried and takes `binding`; calls are made at `client_qps` a second after
    `client_burst` at once (kube-scheduler's own are 50 and 100), and zero is no limit.

    `plugins` say what plugins take, as shares of the time of their extension point; those that
    are not named have one. The times above are those of the default plugins with their usual
    shares (`SHARES`): other plugins, and other shares, make an attempt longer or shorter.
    """

    informer_delay: str = _NONE
    attempt: str = _NONE
    attempt_per_node: str = _NONE
    binding: str = _NONE
    client_qps: float = 0.0
    client_burst: int = 0
    plugins: dict[str, float] = msgspec.field(default_factory=SHARES.copy)

    def __post_init__(self) -> None:
        for name in _LAWS:
            try:
                distributions.parse(getattr(self, name))
            except InputError as error:
                path = f"scheduler.{name}"
                raise InputError(error.problem, path=path, fix=error.fix) from error
        for name, shares in self.plugins.items():
            if not 0 <= shares < math.inf:
                path = f"scheduler.plugins.{name}"
                raise InputError(f"{shares} is no number of shares", path=path, fix="write 1")
        rate.check_client("scheduler", self.client_qps, self.client_burst)

    @property
    def is_instant(self) -> bool:
        """Whether nothing takes time."""
        laws = (distributions.parse(getattr(self, name)) for name in _LAWS)
        return not self.client_qps and all(not (law.first or law.second) for law in laws)
