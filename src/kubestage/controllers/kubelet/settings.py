"""What a stage says of its nodes and containers where pods and nodes themselves say nothing."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import distributions, quantity
from kubestage.sim import rate

FOR_EVER: Final = "forever"
_LAWS: Final = (
    "launch_delay", "init_run_duration", "job_run_duration", "terminate_delay", "resize_delay",
    "watch_delay", "status_delay",
)  # fmt: skip
_QUANTITIES: Final = ("image_size", "image_bandwidth")


class KubeletSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Defaults of the kubelet.

    Durations are values or distributions (``5s``, ``normal(5s,1s)``, ...). A container runs for
    ever if its pod restarts whatever ends, and for `job_run_duration` otherwise, unless it is known
    how long its program runs; `run_duration` overrides all of that. `resize_delay` is from a node's
    word that a pod may have other resources until its containers have them. A node hears of its
    pods after `watch_delay`, launches as many as `starts_at_once` side by side, and notices what
    containers do after `status_delay`; it tells that with `client_qps` calls a second after
    `client_burst` at once. Zero is no limit. `image_bandwidth` is per node and second;
    `image_sizes` are by image name. `node_capacity` is for nodes that state none. A stage that has
    KWOK's `Stage` objects for pods or nodes leaves these to them.
    """

    launch_delay: str = "1s"
    run_duration: str = ""
    job_run_duration: str = "10s"
    init_run_duration: str = "1s"
    terminate_delay: str = "1s"
    resize_delay: str = "1s"
    watch_delay: str = "0s"
    status_delay: str = "0s"
    starts_at_once: int = 0
    client_qps: float = 0.0
    client_burst: int = 0
    cpu_usage: str = "0"
    memory_usage: str = "0"
    image_size: str = "100Mi"
    image_sizes: dict[str, str] = msgspec.field(default_factory=dict)
    image_bandwidth: str = "100Mi"
    node_capacity: dict[str, str] = msgspec.field(
        default_factory=lambda: {
            "cpu": "4",
            "ephemeral-storage": "100Gi",
            "memory": "16Gi",
            "pods": "110",
        }
    )
    kubelet_version: str = "v1.36.4"
    pods_by_kwok: bool = False
    nodes_by_kwok: bool = False

    def __post_init__(self) -> None:
        for name in _LAWS:
            _check(name, distributions.parse, getattr(self, name))
        if self.run_duration not in ("", FOR_EVER):
            _check("run_duration", distributions.parse, self.run_duration)
        for name in _QUANTITIES:
            _check(name, quantity.parse, getattr(self, name))
        self._check_limits()
        for table in (self.image_sizes, self.node_capacity):
            for name, text in table.items():
                _check(name, quantity.parse, text)

    def _check_limits(self) -> None:
        if self.starts_at_once < 0:
            raise InputError(
                f"{self.starts_at_once} pods cannot start at once",
                path="kubelet.starts_at_once",
                fix="write 1 or more, or 0 for no limit",
            )
        rate.check_client("kubelet", self.client_qps, self.client_burst)


def _check(name: str, read: Any, text: str) -> None:
    try:
        read(text)
    except InputError as error:
        raise InputError(error.problem, path=f"kubelet.{name}", fix=error.fix) from error
    except ValueError as error:
        raise InputError(f"{text!r}: {error}", path=f"kubelet.{name}") from error
