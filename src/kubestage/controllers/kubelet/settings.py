"""Defaults of nodes and containers, where pods and nodes state nothing themselves."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import distributions, quantity
from kubestage.sim import client_limits

FOR_EVER: Final = "forever"
HOLD: Final = "hold"
ASSUME: Final = "assume"
_DISTRIBUTIONS: Final = (
    "launch_delay", "init_run_duration", "job_run_duration", "terminate_delay", "resize_delay",
    "watch_delay", "status_delay", "sandbox_work", "container_work",
)  # fmt: skip
_QUANTITIES: Final = ("image_size", "image_bandwidth")


class KubeletSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Defaults of the kubelet.

    Durations are values or distributions (``5s``, ``normal(5s,1s)``, ...). A container runs without
    end if its pod always restarts it, and for `job_run_duration` otherwise, unless it is known how
    long its program runs; `run_duration` overrides all of that.
    """

    launch_delay: str = "1s"
    """How long a container takes to start after its image is pulled."""

    run_duration: str = ""
    """How long every container runs, whatever its program; `forever` is without end."""

    job_run_duration: str = "10s"
    """How long a container runs whose pod is not always restarted."""

    init_run_duration: str = "1s"
    """How long an init container runs."""

    terminate_delay: str = "1s"
    """How long a container takes to stop after its stop signal."""

    resize_delay: str = "1s"
    """How long a granted resize takes until the containers have the resources."""

    watch_delay: str = "0s"
    """How long after the binding a node is notified of its pod."""

    status_delay: str = "0s"
    """How long a node takes to notice what containers do."""

    starts_at_once: int = 0
    """How many pods a node launches in parallel; 0 is no limit."""

    sandbox_work: str = "0s"
    """The CPU time that the sandbox of a pod takes; pods that start share the CPUs of a node."""

    container_work: str = "0s"
    """The CPU time that the creation of a container takes."""

    volume_work: dict[str, str] = msgspec.field(default_factory=dict)
    """The CPU time that a volume takes to be set up, by its kind; `*` is every other kind."""

    system_cpu: str = "0"
    """The CPU that other programs of a node use; a distribution is drawn for each node."""

    client_qps: float = 0.0
    """How many calls a second a node makes; 0 is no limit."""

    client_burst: int = 0
    """How many calls a node makes at once before that limit holds."""

    cpu_usage: str = "0"
    """The CPU that a container uses without an annotation."""

    memory_usage: str = "0"
    """The memory that a container uses without an annotation."""

    image_size: str = "100Mi"
    """The size of an image that is not known otherwise."""

    image_sizes: dict[str, str] = msgspec.field(default_factory=dict)
    """Sizes by name of the image."""

    image_bandwidth: str = "100Mi"
    """How much of an image a node pulls in a second."""

    max_parallel_image_pulls: int = 1
    """How many images a node pulls at once, each with that bandwidth."""

    unpullable_images: tuple[str, ...] = (
        "*:404", "*:non-existent", "*:nonexistent", "*.invalid/*", "invalid.*/*",
    )  # fmt: skip
    """Images that no node can pull, as patterns with `*`, separated by commas."""

    absent_references: str = ""
    """What missing ConfigMaps, Secrets and claims do: `hold` pods, or `assume` that they exist."""

    node_capacity: dict[str, str] = msgspec.field(
        default_factory=lambda: {
            "cpu": "4",
            "ephemeral-storage": "100Gi",
            "memory": "16Gi",
            "pods": "110",
        }
    )
    """The capacity of nodes that state none."""

    kubelet_version: str = "v1.36.4"
    """The version that nodes report."""

    pods_by_kwok: bool = False
    """Whether KWOK's `Stage` objects run the pods instead."""

    nodes_by_kwok: bool = False
    """Whether KWOK's `Stage` objects keep the nodes instead."""

    def __post_init__(self) -> None:
        for name in _DISTRIBUTIONS:
            _check(name, distributions.parse, getattr(self, name))
        if self.run_duration not in ("", FOR_EVER):
            _check("run_duration", distributions.parse, self.run_duration)
        for name in _QUANTITIES:
            _check(name, quantity.parse, getattr(self, name))
        _check("system_cpu", distributions.parse_quantity, self.system_cpu)
        for name, text in self.volume_work.items():
            _check(f"volume_work.{name}", distributions.parse, text)
        self._check_limits()
        if self.absent_references not in ("", HOLD, ASSUME):
            raise InputError(
                f'"{self.absent_references}" is neither {HOLD} nor {ASSUME}',
                path="kubelet.absent_references",
                fix=f"write {HOLD} or {ASSUME}",
            )
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
        if self.max_parallel_image_pulls < 1:
            raise InputError(
                f"{self.max_parallel_image_pulls} pulls at once pull nothing",
                path="kubelet.max_parallel_image_pulls",
                fix="write 1 or more",
            )
        client_limits.check_client("kubelet", self.client_qps, self.client_burst)


def _check(name: str, read: Any, text: str) -> None:
    try:
        read(text)
    except InputError as error:
        raise InputError(error.problem, path=f"kubelet.{name}", fix=error.fix) from error
    except ValueError as error:
        raise InputError(f"{text!r}: {error}", path=f"kubelet.{name}") from error
