"""From a CSV and manifests to backtests, with every mistake reported at its line."""

from __future__ import annotations

import collections
import pathlib
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.backtesting import csv_reading
from kubestage.backtesting import target as targets
from kubestage.backtesting.outcome import HPA, VPA
from kubestage.backtesting.series import UNNAMED
from kubestage.errors import InputError
from kubestage.files import pinned, reading
from kubestage.golang import durations
from kubestage.objects import defaulting, object_check, quantity, quantity_advice
from kubestage.runs.inputs import edits, manifests, sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.backtesting.series import MetricSeries
    from kubestage.backtesting.target import BacktestTarget
    from kubestage.objects.manifest import Document
    from kubestage.runs.backtest import BacktestOptions
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Observer


_WORKLOADS: Final = frozenset({"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"})
_PARTS: Final = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}
_RESOURCES: Final = ("cpu", "memory")
_MANIFESTS: Final = (".yaml", ".yml", ".json")
_REQUESTS: Final = {"cpu": "500m", "memory": "256Mi"}


class BacktestInput(NamedTuple):
    """An autoscaler, and what it is backtested with."""

    title: str
    autoscaler: Json
    target: BacktestTarget


class BacktestInputs(NamedTuple):
    """Everything that was named, read and checked."""

    series: MetricSeries
    inputs: list[BacktestInput]
    startup_ns: int


class _MetricUse(NamedTuple):
    """A metric that an autoscaler uses, and its path in the manifest."""

    name: str
    path: str
    needs_requests: bool


def read(
    metrics: str, files: Sequence[str], options: BacktestOptions, observer: Observer
) -> BacktestInputs:
    """Read the CSV, and every autoscaler among the manifests with its workload."""
    if pathlib.Path(metrics).suffix in _MANIFESTS:
        fix = "name the CSV first, and then the manifests"
        raise InputError("is a manifest, and no CSV", file=metrics, fix=fix)
    startup_ns = _startup_ns(options.startup)
    requests = _requests(options.requests)
    key = ("autoscalers", tuple(files))
    loaded = pinned.once(key, lambda: manifests.load_sound(files, observer=observer), ships=True)
    loaded = edits.manifests(loaded, key)
    autoscalers, workloads = _split(loaded)
    _refuse_idle(loaded, autoscalers)
    uses = {id(each): list(_metrics(each.object)) for each in autoscalers}
    names = [each.name for found in uses.values() for each in found]
    series = _series(metrics, names, options.metric, observer)
    inputs = []
    for document, title in zip(autoscalers, _titles(autoscalers), strict=True):
        for each in uses[id(document)]:
            _check_measured(loaded, document, each, series, metrics)
        target = _target(document, workloads, requests, options, series)
        for each in uses[id(document)]:
            _check_requests(loaded, document, each, target)
        inputs.append(BacktestInput(title, document.object, target))
    return BacktestInputs(series, inputs, startup_ns)


def _split(loaded: LoadedManifests) -> tuple[list[Document], list[Json]]:
    """Autoscalers, and the workloads that they may scale."""
    autoscalers: list[Document] = []
    workloads: list[Json] = []
    for document in loaded.documents:
        kind = manifests.kind_of(loaded, document)
        for problem in object_check.problems(document.object, kind):
            raise loaded.place(document, problem)
        if kind.kind in (HPA, VPA):
            autoscalers.append(document)
        elif kind.kind in _WORKLOADS:
            workloads.append(document.object)
        else:
            error = InputError(
                f"a {kind.kind} cannot be backtested",
                path="kind",
                fix=f"name manifests of {HPA}s or {VPA}s, and of the workloads that they scale",
            )
            raise loaded.place(document, error)
    if not autoscalers:
        fix = f"name the manifest of a {HPA} or of a {VPA}"
        raise InputError("there is no autoscaler among the manifests", fix=fix)
    return autoscalers, workloads


def _metrics(obj: Json) -> Iterator[_MetricUse]:
    if obj["kind"] == VPA:
        # It uses whatever metrics there are.
        return
    stored = defaulting.stored(obj)
    for at, metric in enumerate(stored["spec"].get("metrics") or ()):
        field = _PARTS[metric["type"]]
        part = metric[field]
        name = part.get("name") or (part.get("metric") or {}).get("name")
        needs = (part.get("target") or {}).get("averageUtilization") is not None
        yield _MetricUse(str(name), f"spec.metrics[{at}].{field}", needs)


def _refuse_idle(loaded: LoadedManifests, autoscalers: Sequence[Document]) -> None:
    """Refuse a workload that no autoscaler scales: a name is misspelt."""
    scaled = {(manifests.named(each.object)[0] or "default", *_named(each)) for each in autoscalers}
    for document in loaded.documents:
        obj = document.object
        if obj["kind"] not in _WORKLOADS:
            continue
        if (manifests.named(obj)[0] or "default", *_identity(obj)) not in scaled:
            there = ", ".join(sorted(f"{kind.lower()}/{name}" for _, kind, name in scaled))
            fix = f"leave it out, or correct a name: autoscalers are about {there}"
            raise loaded.place(
                document, InputError("no autoscaler scales it", path="kind", fix=fix)
            )


def _series(
    file: str, names: Sequence[str], metric: str | None, observer: Observer
) -> MetricSeries:
    if reading.is_directory(file):
        raise InputError("is a directory", file=file, fix="name a CSV file")
    [source] = sources.read([file], observer)
    try:
        text = source.text.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is not text", file=source.name, fix="name a CSV file") from None
    known = frozenset((*names, *((metric,) if metric else ())))
    key = ("metrics", file, known)
    series = pinned.once(key, lambda: csv_reading.read(text, source.name, set(known)))
    if series.start_ns == series.end_ns:
        fix = "add rows: a value holds until the next"
        raise InputError("has a single moment", file=source.name, fix=fix)
    if UNNAMED not in series.metrics:
        if metric is not None:
            fix = "leave it out"
            raise InputError("the CSV names its metrics itself", path="--metric", fix=fix)
        return series
    used = list(dict.fromkeys(names)) or ["cpu"]
    if metric is None and len(used) > 1:
        fix = f"add --metric {used[0]}, or name columns {','.join(('time', *used))}"
        problem = f"autoscalers go by {', '.join(used)}, and the CSV does not say which it has"
        raise InputError(problem, file=source.name, line=1, fix=fix)
    return series.called(metric or used[0])


def _check_measured(
    loaded: LoadedManifests, document: Document, use: _MetricUse, series: MetricSeries, file: str
) -> None:
    if use.name not in series.metrics:
        there = ", ".join(series.metrics)
        fix = f"add a column {use.name} to {file}" + (f", which has {there}" if there else "")
        error = InputError(f"nothing was measured of {use.name}", path=use.path, fix=fix)
        raise loaded.place(document, error)


def _check_requests(
    loaded: LoadedManifests, document: Document, use: _MetricUse, target: BacktestTarget
) -> None:
    """Utilization is a share of what pods request."""
    if not use.needs_requests:
        return
    if any(use.name not in target.requests(each["name"]) for each in target.pod_spec["containers"]):
        error = InputError(
            f"utilization is a share of what pods request, and of {use.name} that is not known",
            path=f"{use.path}.target.averageUtilization",
            fix=_request_fix(document, target, use.name),
        )
        raise loaded.place(document, error)


def _request_fix(document: Document, target: BacktestTarget, resource: str) -> str:
    kind, name = _named(document)
    if target.is_known:
        return f"let the containers of {kind.lower()}/{name} request {resource}"
    example = f"{resource}={_REQUESTS.get(resource, 1)}"
    return f"name the manifest of {kind.lower()}/{name}, too, or write --request {example}"


def _named(document: Document) -> tuple[str, str]:
    """Kind and name of what an autoscaler scales."""
    spec = document.object["spec"]
    named = spec.get("scaleTargetRef") or spec.get("targetRef") or {}
    return str(named.get("kind") or ""), str(named.get("name") or "app")


def _target(
    document: Document,
    workloads: Sequence[Json],
    requests: dict[str, str],
    options: BacktestOptions,
    series: MetricSeries,
) -> BacktestTarget:
    spec = document.object["spec"]
    kind, name = _named(document)
    namespace = manifests.named(document.object)[0] or "default"
    for workload in workloads:
        place = (manifests.named(workload)[0] or "default", *_identity(workload))
        if place == (namespace, kind, name):
            if requests:
                fix = f"leave it out, or the manifest of {kind.lower()}/{name}"
                raise InputError("is stated by the workload itself", path="--request", fix=fix)
            return targets.of_workload(workload, options.replicas)
    count = options.replicas
    if count is None:
        pods = {each.pod for each in series.frames[0].samples}
        count = len(pods) or int(spec.get("minReplicas") or 1)
    return targets.unknown_workload(name, count, requests)


def _identity(workload: Json) -> tuple[str, str]:
    return workload["kind"], workload["metadata"]["name"]


def _titles(documents: Sequence[Document]) -> list[str]:
    """Names that distinguish autoscalers, as short as possible."""
    names = [document.object["metadata"]["name"] for document in documents]
    files = [pathlib.Path(document.source).stem for document in documents]
    both = [f"{file}/{name}" for file, name in zip(files, names, strict=True)]
    for titles in (names, files, both):
        if max(collections.Counter(titles).values()) == 1:
            return titles
    return [f"{title} ({number})" for number, title in enumerate(both, 1)]


def _startup_ns(text: str) -> int:
    try:
        parsed = durations.parse_duration(text)
    except ValueError as error:
        raise InputError(str(error), path="--startup", fix="write it as in 30s") from None
    if parsed < 0:
        raise InputError("is below zero", path="--startup", fix="write it as in 30s")
    return parsed


def _requests(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        resource, equals, amount = text.partition("=")
        try:
            parsed = quantity.parse(amount)
        except ValueError:
            parsed = None
        if not equals or resource not in _RESOURCES or parsed is None or parsed.sign <= 0:
            likely = quantity_advice.suggestion(amount) if resource in _RESOURCES else None
            fix = "write it as in --request cpu=500m"
            if likely is not None:
                fix = f"did you mean --request {resource}={likely}?"
            raise InputError(f'"{text}" is no request', path="--request", fix=fix)
        found[resource] = amount
    return found
