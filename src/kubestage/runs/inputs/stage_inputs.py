"""Puts manifests on a stage, and reports every refusal at its line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import stage as stages
from kubestage.controllers.kwok import stage_types
from kubestage.errors import ApiError, InputError
from kubestage.files import pinned
from kubestage.objects import field_check, gvk, locator, manifest, timestamps
from kubestage.runs.inputs import actions, annotation_check, edits, manifests
from kubestage.runs.observer import SILENT
from kubestage.scenario import node_order, recorded_times, resource
from kubestage.sources import owners

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.runs.inputs import sources
    from kubestage.runs.observer import Observer

_REBUILT: Final = "objects that were rebuilt"
_CONFIGURATION: Final = "KubeSchedulerConfiguration"
_WORKLOADS: Final = {
    "CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController",
    "StatefulSet",
}  # fmt: skip
_REQUESTED: Final = {*_WORKLOADS, "Pod", "PersistentVolumeClaim", "Service"}


def load_cluster(
    names: Sequence[str], config_file: str | None, observer: Observer = SILENT
) -> manifests.LoadedManifests:
    """Read a whole cluster: like `load`, and what its pods refer to is rebuilt where it is missing.

    A dump seldom has everything: without its ReplicaSet every pod would be created once more.
    """
    loaded = load(names, config_file, observer)
    complete(loaded)
    return loaded


def complete(loaded: manifests.LoadedManifests) -> None:
    """Rebuild what recorded pods refer to and what is missing."""
    completed = owners.complete(document.object for document in loaded.documents)
    for index, obj in enumerate(completed.added):
        loaded.documents.append(manifest.Document(obj, 1, _REBUILT, index))
    if completed.added:
        loaded.locators[_REBUILT] = locator.Locator(b"")
    loaded.notes += completed.notes


def keep_known_kinds(loaded: manifests.LoadedManifests) -> None:
    """Leave out objects of kinds that nothing defines, with a note; definitions come first."""
    for document in loaded.documents:
        if document.object.get("kind") == gvk.CUSTOM_RESOURCE_DEFINITION[1]:
            loaded.table.register(document.object)
    kept, unknown = [], set()
    for document in loaded.documents:
        try:
            loaded.table.of(document.object)
        except InputError:
            unknown.add(str(document.object.get("kind")))
        else:
            kept.append(document)
    loaded.documents = kept
    if unknown:
        loaded.notes.append(f"left out, as no definition is known: {', '.join(sorted(unknown))}")


def load(
    names: Sequence[str],
    config_file: str | None,
    observer: Observer = SILENT,
    *,
    takes_actions: bool = False,
) -> manifests.LoadedManifests:
    """Read manifests; a scheduler configuration among them is skipped if there is a `config_file`,
    and an error if not. Scenarios are checked where they are run. Actions need a time.
    """
    key = ("manifests", tuple(names), config_file is None)
    loaded = pinned.once(key, lambda: _load(names, config_file, observer), ships=True)
    if not takes_actions:
        refuse_actions(loaded)
    return edits.manifests(loaded, key)


def refuse_actions(loaded: manifests.LoadedManifests) -> None:
    """Refuse Actions: they happen at a time, and none is given."""
    for document in loaded.documents:
        if actions.is_one(document.object):
            fix = f"name it with a time: --at 5m={document.source}"
            raise loaded.place(document, InputError("an Action happens at a time", fix=fix))


def _load(
    names: Sequence[str], config_file: str | None, observer: Observer
) -> manifests.LoadedManifests:
    loaded = manifests.load_sound(names, imports=True, observer=observer)
    check(loaded, config_file)
    return loaded


def load_texts(
    texts: Iterable[sources.Source], config_file: str | None = None
) -> manifests.LoadedManifests:
    """Like `load`, of texts that are read already."""
    loaded = manifests.load_sound_sources(texts)
    refuse_actions(loaded)
    check(loaded, config_file)
    return loaded


def check(loaded: manifests.LoadedManifests, config_file: str | None) -> None:
    """Check what was read, as `load` does; a scheduler configuration is left out of it."""
    documents = []
    for document in loaded.documents:
        if document.object.get("kind") != _CONFIGURATION:
            documents.append(document)
        elif config_file is None:
            error = InputError(
                "a scheduler configuration is not an object of a cluster",
                path="kind",
                fix=f"name it with --config {document.source}",
            )
            raise loaded.place(document, error)
    loaded.documents = documents
    for document in documents:
        if actions.is_one(document.object):
            _check_action(loaded, document)
            continue
        manifests.kind_of(loaded, document)
        if not resource.is_scenario(document.object):
            check_fields(loaded, document)
        _check_stage(loaded, document)
        for problem in annotation_check.misfits(document.object):
            raise loaded.place(document, problem)


def _check_action(loaded: manifests.LoadedManifests, document: manifest.Document) -> None:
    try:
        actions.load(document.object)
    except InputError as error:
        raise loaded.place(document, error) from None


def _check_stage(loaded: manifests.LoadedManifests, document: manifest.Document) -> None:
    """Refuse a KWOK Stage that could not be played."""
    if stage_types.is_stage(document.object):
        from kubestage.controllers.kwok import stage_check

        try:
            stage_check.load(document.object)
        except InputError as error:
            raise loaded.place(document, error) from None


def check_fields(loaded: manifests.LoadedManifests, document: manifest.Document) -> None:
    """Refuse what does not fit; a misspelt field would be without effect, and go unnoticed.

    What a cluster recorded may have fields that this version does not know.
    """
    metadata = document.object.get("metadata")
    is_recorded = isinstance(metadata, dict) and "uid" in metadata
    for misfit in field_check.misfits(document.object):
        if not (is_recorded and misfit.problem.startswith("unknown")):
            error = InputError(misfit.problem, path=misfit.path, fix=misfit.fix)
            raise loaded.place(document, error)


def empty(loaded: manifests.LoadedManifests, seed: int, *, history: int = 100_000) -> stages.Stage:
    """A stage without objects; time begins with the newest moment that they mention."""
    return stages.Stage(seed, start=loaded.start or newest(loaded), history=history)


def newest(loaded: manifests.LoadedManifests) -> str | None:
    """The newest moment that objects mention."""
    recorded_ns = recorded_times.newest_ns(
        document.object for document in (*loaded.documents, *loaded.sequence)
    )
    return timestamps.format_time(recorded_ns) if recorded_ns else None


def put(
    stage: stages.Stage,
    loaded: manifests.LoadedManifests,
    documents: Iterable[manifest.Document],
    *,
    is_new: Callable[[dict[str, Any]], bool],
) -> None:
    """Put objects on a stage: new ones as a client would, all others as recorded."""
    for document in sorted(documents, key=_rank):
        try:
            if is_new(document.object):
                _create(stage, document.object)
            else:
                stage.load([document.object])
        except ApiError as error:
            raise loaded.place(document, refusal(error)) from error
        except InputError as error:
            raise loaded.place(document, error) from None


def split(
    loaded: manifests.LoadedManifests,
) -> tuple[list[manifest.Document], list[manifest.Document]]:
    """What a cluster consists of, and what is requested of it."""
    requested = [each for each in loaded.documents if is_requested(each.object)]
    return [each for each in loaded.documents if each not in requested], requested


def in_order(
    documents: Sequence[manifest.Document], *, as_written: bool
) -> Sequence[manifest.Document]:
    """Documents that come at the same time: nodes by their names, unless it is to be as written."""
    return documents if as_written else node_order.reordered(documents, _node_of)


def is_new(obj: dict[str, Any]) -> bool:
    """Whether an object was never in a cluster; what has a status of its own counts as if."""
    if "uid" in (obj.get("metadata") or {}):
        return False
    return obj["kind"] == "Pod" or not obj.get("status")


def is_workload(obj: dict[str, Any]) -> bool:
    """Whether an object makes pods."""
    return obj.get("kind") in _WORKLOADS


def is_requested(obj: dict[str, Any]) -> bool:
    """Whether an object is something that is requested of a cluster, not part of it."""
    return obj["kind"] in _REQUESTED and is_new(obj)


def childless(stage: stages.Stage, documents: Iterable[manifest.Document]) -> list[str]:
    """Workloads of which there is no pod, as ``deployment/web``."""
    pods = [
        (pod["metadata"]["namespace"], set((pod["metadata"].get("labels") or {}).items()))
        for pod in stage.store.read(gvk.POD).values()
    ]
    found = []
    for document in documents:
        obj = document.object
        if obj["kind"] not in _WORKLOADS or _replicas(obj) == 0:
            continue
        namespace, name = manifests.named(obj)
        labels = set(_template_labels(obj).items())
        if not any(where == (namespace or "default") and labels <= own for where, own in pods):
            found.append(f"{obj['kind'].lower()}/{name}")
    return found


def _create(stage: stages.Stage, obj: dict[str, Any]) -> None:
    namespace, name = manifests.named(obj)
    row = stage.store.kinds.of(obj)
    key = f"{namespace or 'default'}/{name}" if row.namespaced else name
    if key in stage.store.read(row):
        # Twice in the files: the store refuses it.
        stage.store.create(obj)
    (created,) = stage.apply([obj])
    if obj.get("status"):
        status = {**created["status"], **obj["status"]}
        stage.store.update({**created, "status": status}, subresource="status")


def _node_of(document: manifest.Document) -> str | None:
    return node_order.name_of(document.object)


def _rank(document: manifest.Document) -> int:
    return stages.rank(document.object)


def refusal(error: ApiError) -> InputError:
    """A refused request as an error of the input."""
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
