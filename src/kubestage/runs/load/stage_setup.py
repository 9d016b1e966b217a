"""The stage for a load: a control plane of some profile, nodes, and the objects of manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import stage as stages
from kubestage.cluster import node_readiness
from kubestage.cluster import staging as profile_staging
from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.runs.inputs import (
    config_file,
    control_plane,
    edits,
    measure_files,
    plain_nodes,
    price_files,
    stage_inputs,
)
from kubestage.runs.load.options import NODES, PROVIDERS
from kubestage.runs.observer import SILENT
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.profile import Profile
    from kubestage.runs.load.options import LoadOptions
    from kubestage.runs.observer import Observer
    from kubestage.stage import Stage


_IS_DEFAULT: Final = "storageclass.kubernetes.io/is-default-class"
# Infrastructure is ready before the first pod is requested.
_SETTLING_NS: Final = MILLISECOND_NS
_AUTO: Final = "auto"
_LARGE: Final = 500
# What runs in the cluster already has so long to come up before the load starts.
_WARMING_NS: Final = 300 * SECOND_NS
# NOTE: no watch or list of a load resumes at an older version, and what is kept for that was most
# of the memory of a large load.
_HISTORY: Final = 100


def profile(options: LoadOptions, observer: Observer = SILENT) -> Profile:
    """The profile of a name or of a file, or the one that fits the number of nodes."""
    text = options.profile
    if text == _AUTO and options.provider is not None:
        text = PROVIDERS[options.provider]
    if text == _AUTO:
        nodes = options.nodes or _nodes_in_files(options, observer)
        text = "gce-5000" if nodes > _LARGE else "gce-100"
    return control_plane.named(text)


def _nodes_in_files(options: LoadOptions, observer: Observer) -> int:
    if not options.stage:
        return 0
    loaded = stage_inputs.load_cluster(options.stage, options.scheduler_config, observer)
    return sum(document.object.get("kind") == "Node" for document in loaded.documents)


def populate(options: LoadOptions, profile: Profile, observer: Observer = SILENT) -> Stage:
    """A stage that is ready for a load."""
    scheduling = None
    if options.scheduler_config is not None or edits.config_edits():
        scheduling = config_file.load(options.scheduler_config, config_file.Flags())
    settings, pacing = profile_staging.stage_settings(profile)
    loaded = None
    if options.stage:
        loaded = stage_inputs.load_cluster(options.stage, options.scheduler_config, observer)
        for note in loaded.notes:
            observer.note(note)
    stage = (
        stages.Stage(options.seed, history=_HISTORY)
        if loaded is None
        else stage_inputs.empty(loaded, options.seed, history=_HISTORY)
    )
    measures = tuple(measure_files.load(options.measures).values())
    stage.add_scheduler(scheduling, measures=measures, **pacing)
    present, requested = ([], []) if loaded is None else stage_inputs.split(loaded)
    if loaded is not None:
        stage_inputs.put(stage, loaded, present, is_new=stage_inputs.is_new)
    if not stage.store.read(gvk.NODE):
        shape = options.shape
        for index in range(options.nodes or NODES):
            stage.load(plain_nodes.node(index, shape, options.image_registry))
    for note in price_files.apply(stage, options.prices):
        observer.note(note)
    if not any(map(_is_default, stage.store.read(gvk.STORAGE_CLASS).values())):
        stage.load(_storage_class())
    stage.add_controllers(settings)
    if loaded is not None:
        stage.run(_SETTLING_NS)
        stage_inputs.put(stage, loaded, requested, is_new=stage_inputs.is_new)
        if requested:
            stage.run(_WARMING_NS)
    stage.store.implicit_namespaces = False
    return stage


def node_count(stage: Stage, options: LoadOptions) -> int:
    """For how many nodes the load is made: as the options say, or as many as take pods."""
    if options.nodes is not None:
        return options.nodes
    found = stage.store.read(gvk.NODE).values()
    number = sum(map(node_readiness.is_schedulable_and_untainted, found))
    if not number:
        raise InputError(
            f"none of {len(found)} nodes takes pods",
            path="--stage",
            fix="mend a node, or say with --nodes for how many the load is made",
        )
    return number


def _storage_class() -> Json:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "standard", "annotations": {_IS_DEFAULT: "true"}},
        "provisioner": "kubestage.io/disk",
    }


def _is_default(storage_class: Json) -> bool:
    annotations = storage_class["metadata"].get("annotations") or {}
    return annotations.get(_IS_DEFAULT) == "true"
