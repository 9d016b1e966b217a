"""From loaded manifests to a stage, with every refusal told at its line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import stage as stages
from kubestage.cli import loading, newest
from kubestage.errors import ApiError, InputError
from kubestage.objects import field_check, timestamps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects import manifest

_CONFIGURATION: Final = "KubeSchedulerConfiguration"
_POD: Final = ("v1", "Pod")
_WORKLOADS: Final = {
    "CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController",
    "StatefulSet",
}  # fmt: skip


def load(names: Sequence[str], config_file: str | None) -> loading.Loaded:
    """Read manifests; a scheduler configuration among them is none, and is passed over if one
    was named."""
    loaded = loading.load_sound(names)
    kept = []
    for document in loaded.documents:
        if document.object.get("kind") != _CONFIGURATION:
            kept.append(document)
        elif config_file is None:
            error = InputError(
                "a scheduler configuration is not an object of a cluster",
                path="kind",
                fix=f"name it with --config {document.source}",
            )
            raise loaded.place(document, error)
    loaded.documents = kept
    for document in kept:
        loading.kind_of(loaded, document)
        _check_fields(loaded, document)
    return loaded


def _check_fields(loaded: loading.Loaded, document: manifest.Document) -> None:
    """Refuse what does not fit; a misspelt field would be without effect, and go unnoticed.

    What a cluster recorded may have fields that this version does not know.
    """
    metadata = document.object.get("metadata")
    is_recorded = isinstance(metadata, dict) and "uid" in metadata
    for misfit in field_check.misfits(document.object):
        if not (is_recorded and misfit.problem.startswith("unknown")):
            error = InputError(misfit.problem, path=misfit.path, fix=misfit.fix)
            raise loaded.place(document, error)


def stage_of(loaded: loading.Loaded, seed: int) -> stages.Stage:
    """A stage with all objects on it.

    A pod that was never in a cluster (it has neither a uid nor a priority) is admitted as a new
    one would be; everything else is put there as it was recorded. Time begins with the newest
    moment that the objects mention.
    """
    recorded_ns = newest.time_ns(document.object for document in loaded.documents)
    start = timestamps.format_time(recorded_ns) if recorded_ns else None
    stage = stages.Stage(seed, start=start)
    for document in sorted(loaded.documents, key=_rank):
        try:
            _put(stage, document.object)
        except ApiError as error:
            raise loaded.place(document, _refusal(error)) from error
        except InputError as error:
            raise loaded.place(document, error) from None
    return stage


def childless(stage: stages.Stage, loaded: loading.Loaded) -> list[str]:
    """Workloads of which there is no pod, as ``deployment/web``."""
    pods = [
        (pod["metadata"]["namespace"], set((pod["metadata"].get("labels") or {}).items()))
        for pod in stage.store.read(_POD).values()
    ]
    found = []
    for document in loaded.documents:
        obj = document.object
        if obj["kind"] not in _WORKLOADS or _replicas(obj) == 0:
            continue
        namespace, name = loading.named(obj)
        labels = set(_template_labels(obj).items())
        if not any(where == (namespace or "default") and labels <= own for where, own in pods):
            found.append(f"{obj['kind'].lower()}/{name}")
    return found


def _put(stage: stages.Stage, obj: dict[str, Any]) -> None:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    is_new = "uid" not in metadata and "priority" not in spec
    if obj["kind"] != "Pod" or not is_new:
        stage.load([obj])
        return
    (created,) = stage.apply([obj])
    if obj.get("status"):
        status = {**created["status"], **obj["status"]}
        stage.store.update({**created, "status": status}, subresource="status")


def _rank(document: manifest.Document) -> int:
    return stages.rank(document.object)


def _refusal(error: ApiError) -> InputError:
    causes = error.details.get("causes") or []
    if not causes:
        return InputError(error.message)
    first, *others = causes
    fix = f"{len(others)} more: `kubestage validate` lists all" if others else None
    return InputError(first["message"], path=first["field"], fix=fix)


def _replicas(workload: dict[str, Any]) -> int:
    spec = workload.get("spec") or {}
    replicas = spec.get("replicas", spec.get("parallelism", 1))
    return replicas if isinstance(replicas, int) else 1


def _template_labels(workload: dict[str, Any]) -> dict[str, str]:
    spec = workload.get("spec") or {}
    if workload["kind"] == "CronJob":
        spec = (spec.get("jobTemplate") or {}).get("spec") or {}
    template = spec.get("template") or {}
    labels: dict[str, str] = (template.get("metadata") or {}).get("labels") or {}
    return labels
