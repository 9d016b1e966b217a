"""A whole configuration, from plain values to a `Config`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.clusterloader.config import (
    ChaosMonkey,
    Config,
    Dependency,
    Namespaces,
    NodeFailure,
    TuningSet,
)
from kubestage.clusterloader.reading import loads, sizes
from kubestage.clusterloader.reading.fields import Fields, folded

if TYPE_CHECKING:
    from kubestage.clusterloader.reading.modules import Flattening
    from kubestage.clusterloader.reading.problems import Place, Problems
    from kubestage.clusterloader.reading.steps import PlacedStep

_CONFIG: Final = (
    "name",
    "dependencies",
    "automanagedNamespaces",
    "namespace",
    "steps",
    "tuningSets",
    "chaosMonkey",
)
_NAMESPACE: Final = (
    "number",
    "prefix",
    "deleteStaleNamespaces",
    "deleteAutomanagedNamespaces",
    "enableExistingNamespaces",
    "deleteNamespaceTimeout",
)
_DOCUMENT_PREFIX: Final = "namespace"


class Read(msgspec.Struct, frozen=True):
    """A configuration, and where its parts are written."""

    config: Config
    place: Place
    steps: list[PlacedStep]
    tuning_sets: list[tuple[TuningSet, Place]]
    dependencies: list[tuple[Dependency, Place]]


def is_document(value: Any) -> bool:
    """Whether it is spelled as the vision spells it: ``namespaces`` is a number."""
    if not isinstance(value, dict):
        return False
    found = [value[key] for key in value if folded(key) == "namespaces"]
    return any(isinstance(each, int) and not isinstance(each, bool) for each in found)


def read(value: Any, place: Place, problems: Problems, flattening: Flattening) -> Read:
    """The configuration that plain values describe; what is wrong is added to `problems`."""
    known = (*_CONFIG, "namespaces") if is_document(value) else _CONFIG
    fields = Fields({} if value is None else value, place, problems, known)
    steps = flattening.steps(fields)
    if not steps and not problems.has_errors:
        problems.error(place.child("steps"), "cannot be empty")
    tuning_sets = []
    for each, at in fields.items("tuningSets"):
        found = loads.tuning_set(each, at, problems)
        if found is not None:
            tuning_sets.append((found, at))
    dependencies = [
        (_dependency(each, at, problems), at) for each, at in fields.items("dependencies")
    ]
    config = Config(
        steps=tuple(each.step for each in steps),
        name=fields.text("name"),
        tuning_sets=tuple(each for each, _ in tuning_sets),
        namespaces=_namespaces(fields, problems),
        chaos_monkey=_chaos_monkey(fields, problems),
        dependencies=tuple(each for each, _ in dependencies),
    )
    return Read(config, place, steps, tuning_sets, dependencies)


def _namespaces(outer: Fields, problems: Problems) -> Namespaces:
    place = outer.place.child("namespace")
    fields = Fields(outer.value("namespace") or {}, place, problems, _NAMESPACE)
    number = fields.integer("number") or 1
    if number < 0:
        problems.error(place.child("number"), f"{number}: must be positive")
    if number > sizes.MOST_NAMESPACES:
        problem = sizes.too_many("namespaces", number, sizes.MOST_NAMESPACES)
        problems.error(place.child("number"), problem)
    key = "namespaces" if "namespaces" in outer else "automanagedNamespaces"
    automanaged = outer.integer(key)
    if automanaged < 0:
        problems.error(outer.place.child(key), f"{automanaged}: must be non-negative")
    if automanaged > sizes.MOST_NAMESPACES:
        problem = sizes.too_many("namespaces", automanaged, sizes.MOST_NAMESPACES)
        problems.error(outer.place.child(key), problem)
    if number == 1 and automanaged > 1:
        number = automanaged
    prefix = fields.text("prefix")
    if not prefix and key == "namespaces":
        prefix = _DOCUMENT_PREFIX
    default = Namespaces()
    timeout_ns = fields.duration_ns("deleteNamespaceTimeout")
    if timeout_ns is not None and timeout_ns < 0:
        problems.failing(place.child("deleteNamespaceTimeout"), "must be non-negative")
    return Namespaces(
        number=number,
        prefix=prefix,
        delete_stale=_or(fields.flag("deleteStaleNamespaces"), default.delete_stale),
        delete_automanaged=_or(
            fields.flag("deleteAutomanagedNamespaces"), default.delete_automanaged
        ),
        enable_existing=_or(fields.flag("enableExistingNamespaces"), default.enable_existing),
        delete_timeout_ns=default.delete_timeout_ns if timeout_ns is None else timeout_ns,
    )


def _or(value: bool | None, default: bool) -> bool:
    return default if value is None else value


def _chaos_monkey(outer: Fields, problems: Problems) -> ChaosMonkey:
    if "chaosMonkey" not in outer:
        return ChaosMonkey()
    place = outer.place.child("chaosMonkey")
    fields = Fields(outer.value("chaosMonkey"), place, problems, ("nodeFailure", "excludedNodes"))
    excluded = fields.value("excludedNodes")
    if isinstance(excluded, dict):
        nodes = frozenset(excluded)
    else:
        nodes = frozenset(fields.texts("excludedNodes") or ())
    if "nodeFailure" not in fields:
        return ChaosMonkey(None, nodes)
    known = ("failureRate", "interval", "jitterFactor", "simulatedDowntime")
    inner = Fields(fields.value("nodeFailure"), place.child("nodeFailure"), problems, known)
    rate, jitter = inner.number("failureRate"), inner.number("jitterFactor")
    if rate < 0 or rate > 1:
        fix = "use a number from 0 to 1"
        problems.odd(inner.place.child("failureRate"), f"{rate:g} is not a share of the nodes", fix)
    if jitter < 0:
        problems.odd(inner.place.child("jitterFactor"), f"{jitter:g}: must be non-negative")
    failure = NodeFailure(
        failure_rate=rate,
        interval_ns=inner.duration_ns("interval") or 0,
        jitter_factor=jitter,
        simulated_downtime_ns=inner.duration_ns("simulatedDowntime") or 0,
    )
    return ChaosMonkey(failure, nodes)


def _dependency(value: Any, place: Place, problems: Problems) -> Dependency:
    fields = Fields(value, place, problems, ("name", "method", "timeout", "params"))
    timeout_ns = fields.duration_ns("timeout") or 0
    if timeout_ns < 0:
        problems.error(place.child("timeout"), "timeout cannot be negative")
    if not fields.text("name"):
        problems.error(place.child("name"), "name is required")
    return Dependency(
        fields.text("name"), fields.text("method"), timeout_ns, fields.mapping("params")
    )
