"""Measures that a person brings, from a file or module, and those that come with kubestage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.runs.inputs.named_module import ModuleOption
from kubestage.scheduler.contract import measure_check

with lazy.imports():
    from kubestage.scheduler import device_measures

if TYPE_CHECKING:
    import types
    from collections.abc import Mapping, Sequence

    Measures = Mapping[str, Any]
    """Functions and classes, by how they were named."""

_OPTION: Final = ModuleOption("--measure", "kubestage_measure", measure_check.EXPECTED, noun="NAME")
_refused: Final = _OPTION.refused
_FORM: Final = "write it as file.py:NAME or module:NAME"
# Measures that runs have anyway; docs/cli.md lists them.
_TAKEN: Final = frozenset({
    "scheduled", "pending", "gated", "preempted", "finished", "deleted", "attempts", "nodesUsed",
    "allocation", "min", "max", "stddev", "costPerHour", "idleShare", "strandedShare",
    "fragmentation", "requests", "failedPercent", "replicaHours", "nodeHours", "cost", "rescales",
    "rescalesUp", "rescalesDown", "evictions", "resizes", "restarts", "idleCostPercent",
    "daemonOnlyNodes", "removableNodes", "strandedCpu", "strandedMemory",
})  # fmt: skip


def load(specs: Sequence[str]) -> dict[str, Any]:
    """The functions and classes of ``--measure``, checked, by how they were named."""
    modules: dict[str, types.ModuleType] = {}
    found = {spec: _named(spec, modules) for spec in dict.fromkeys(specs)}
    for spec, definition in zip(found, measure_check.definitions_of(found.values()), strict=True):
        if definition.name in _TAKEN:
            problem = f'{spec}: every run has a measure "{definition.name}" already'
            raise InputError(problem, path=_OPTION.flag, fix="rename it")
    return found


def _named(spec: str, modules: dict[str, types.ModuleType]) -> Any:
    place, _, name = spec.rpartition(":")
    if not place:
        if spec in device_measures.SHIPPED:
            return device_measures.SHIPPED[spec]
        known = ", ".join(device_measures.SHIPPED)
        raise _refused(spec, "is no measure", f"use one of {known}, or {_FORM}")
    if not name.isidentifier():
        raise _refused(spec, "names no measure", _FORM)
    if place not in modules:
        modules[place] = _OPTION.module(place, spec)
    found = getattr(modules[place], name, None)
    if not callable(found):
        raise _refused(spec, f"has no function or class {name}", _near(modules[place]))
    return found


def _near(module: types.ModuleType) -> str:
    own = [
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__
    ]
    return f"it has {', '.join(own)}: {_FORM}" if own else measure_check.EXPECTED
