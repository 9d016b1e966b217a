"""A Scenario that was kept, read without the verdicts of every plugin for every node.

At detail ``full`` that is a hundred times the rest, and it is in the record as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.aliases import Json
from kubestage.files import reading

if TYPE_CHECKING:
    import pathlib


class _Attempt(msgspec.Struct, omit_defaults=True, rename="camel"):
    step: Any = None
    attempt: Any = None
    result: Any = None
    profile: Any = None
    evaluated_nodes: Any = None
    feasible_nodes: Any = None
    node: Any = None
    message: Any = None
    preemption: Any = None


class _PodResult(msgspec.Struct, omit_defaults=True, rename="camel"):
    pod: Any = msgspec.UNSET
    bound_to: Any = msgspec.UNSET
    preempted_by: Any = msgspec.UNSET
    created_at: Any = msgspec.UNSET
    bound_at: Any = msgspec.UNSET
    preempted_at: Any = msgspec.UNSET
    schedule_result: list[_Attempt] | None = None


class _Event(msgspec.Struct, omit_defaults=True, rename="camel"):
    id: Any = msgspec.UNSET
    step: Any = msgspec.UNSET
    operation: Any = msgspec.UNSET
    create: Any = msgspec.UNSET
    patch: Any = msgspec.UNSET
    delete: Any = msgspec.UNSET
    done: Any = msgspec.UNSET
    pod_scheduled: _PodResult | None = None
    pod_unscheduled: _PodResult | None = None
    pod_preempted: _PodResult | None = None


class _Result(msgspec.Struct, rename="camel"):
    simulator_version: Any = None
    timeline: dict[str, list[_Event]] = {}
    measures: Any = msgspec.UNSET


class _Status(msgspec.Struct, omit_defaults=True, rename="camel"):
    phase: Any = msgspec.UNSET
    message: Any = msgspec.UNSET
    scheduler_status: Any = msgspec.UNSET
    step_status: Any = msgspec.UNSET
    step: Any = msgspec.UNSET
    scenario_result: _Result | msgspec.UnsetType = msgspec.UNSET


class _Scenario(msgspec.Struct, omit_defaults=True, rename="camel"):
    api_version: str
    kind: str
    metadata: Any
    status: _Status
    spec: Any = None


def read(path: str | pathlib.Path) -> Json:
    """The Scenario with its status; msgspec.DecodeError if it is not as runs keep it."""
    scenario: Json = msgspec.to_builtins(msgspec.json.decode(reading.read(path), type=_Scenario))
    return scenario
