"""What a person asks of ``kubestage load``, as one value that other processes can be sent."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.runs.inputs import node_shape
from kubestage.runs.inputs.node_shape import NodeShape

if TYPE_CHECKING:
    from collections.abc import Mapping

_AS_NAMED: Final = (
    "burst", "clients", "context", "image_registry", "kubeconfig", "nodes", "profile",
    "prometheus_url", "qps", "root", "scheduler_config", "seed",
)  # fmt: skip


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """All options; `environment` are the variables that count as parameters.

    `nodes` is None where nobody said how many. `varied` is a parameter that a search sets, and
    its value.
    """

    environment: dict[str, str] = {}
    overrides: tuple[str, ...] = ()
    varied: tuple[str, float] | None = None
    overwrite: tuple[str, ...] = ()
    skip_steps: tuple[str, ...] = ()
    measurements: tuple[str, ...] = ()
    image_registry: str = "registry.k8s.io"
    root: str | None = None
    is_strict: bool = False
    nodes: int | None = None
    stage: tuple[str, ...] = ()
    shape: NodeShape = NodeShape()
    profile: str = "auto"
    seed: int = 0
    scheduler_config: str | None = None
    kubeconfig: str | None = None
    context: str | None = None
    is_in_cluster: bool = False
    prometheus_url: str | None = None
    is_exec_allowed: bool = False
    clients: int | None = None
    qps: float | None = None
    burst: int | None = None

    @property
    def is_real(self) -> bool:
        """Whether a real cluster is meant."""
        return self.kubeconfig is not None or self.is_in_cluster or self.context is not None

    def check(self) -> None:
        """Refuse what contradicts itself, before anything is done."""
        if self.is_real and self.stage:
            raise InputError(
                "a load runs on a real cluster or on a stage",
                path="--stage",
                fix="leave out --stage, or --kubeconfig, --context and --run-from-cluster",
            )
        if self.is_in_cluster and (self.kubeconfig is not None or self.context is not None):
            raise InputError(
                "the cluster that this runs in is known without a kubeconfig",
                path="--run-from-cluster",
                fix="leave out --kubeconfig and --context, or --run-from-cluster",
            )
        if self.qps is not None and not (0 < self.qps < math.inf):
            raise InputError(f"{self.qps:g} is no rate", path="--qps", fix="write 1 or more")
        self._check_one_cluster()

    def _check_one_cluster(self) -> None:
        if self.scheduler_config is not None and self.is_real:
            raise InputError(
                "a real cluster has a scheduler of its own",
                path="--scheduler-config",
                fix="leave it out, or run the load on a stage",
            )
        if self.prometheus_url is not None and not self.is_real:
            fix = "leave it out, or name a real cluster with --kubeconfig"
            raise InputError("a stage answers PromQL itself", path="--prometheus-url", fix=fix)


def made(given: Mapping[str, Any]) -> Choices:
    """The choices that options of these names make; what is missing is as usual."""
    fields: dict[str, Any] = {
        "overrides": tuple(given["testoverrides"] or ()),
        "overwrite": tuple(given["overwrite_test_config"] or ()),
        "skip_steps": tuple(given["skip_steps"] or ()),
        "measurements": tuple(given["measurement"] or ()),
        "stage": tuple(given["stage"] or ()),
        "shape": node_shape.parse(given["node"]),
        "is_in_cluster": given["run_from_cluster"],
        "is_strict": given.get("strict", False),
        "is_exec_allowed": given.get("allow_exec", False),
    }
    fields |= {name: given[name] for name in _AS_NAMED}
    choices = Choices(environment=dict(os.environ), **fields)
    choices.check()
    return choices
