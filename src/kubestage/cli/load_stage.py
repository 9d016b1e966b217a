"""A stage for a load: a control plane of some profile, nodes, and what manifests say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import stage as stages
from kubestage.cli import load_options
from kubestage.cluster import node_readiness
from kubestage.cluster import staging as profile_staging
from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.runs.inputs import config_file, control_plane, plain_nodes, staging

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cli.load_choices import Choices
    from kubestage.cluster.profile import Profile
    from kubestage.stage import Stage


_IS_DEFAULT: Final = "storageclass.kubernetes.io/is-default-class"
# Infrastructure is there before the first pod is asked for.
_SETTLING_NS: Final = 1_000_000
_AUTO: Final = "auto"
_LARGE: Final = 500
# What runs in the cluster already has so long to come up before the load begins.
_WARMING_NS: Final = 300_000_000_000


def profile_of(choices: Choices) -> Profile:
    """The profile of a name or of a file, or the one that fits the number of nodes."""
    text = choices.profile
    if text == _AUTO:
        text = "gce-5000" if (choices.nodes or _nodes_in(choices)) > _LARGE else "gce-100"
    return control_plane.named(text)


def _nodes_in(choices: Choices) -> int:
    """How many nodes the manifests of a stage have."""
    if not choices.stage:
        return 0
    loaded = staging.load(choices.stage, choices.scheduler_config)
    return sum(document.object.get("kind") == "Node" for document in loaded.documents)


def furnish(choices: Choices, profile: Profile) -> Stage:
    """A stage that is ready for a load."""
    scheduling = None
    if choices.scheduler_config is not None:
        scheduling = config_file.load(choices.scheduler_config, config_file.Flags())
    settings, options = profile_staging.stage_settings(profile)
    loaded = staging.load(choices.stage, choices.scheduler_config) if choices.stage else None
    stage = stages.Stage(choices.seed) if loaded is None else staging.empty(loaded, choices.seed)
    stage.add_scheduler(scheduling, **options)
    there, asked = ([], []) if loaded is None else staging.split(loaded)
    if loaded is not None:
        staging.put(stage, loaded, there, is_new=staging.is_new)
    if not stage.store.read(gvk.NODE):
        number = choices.nodes or load_options.NODES
        for index in range(number):
            stage.load(plain_nodes.node(index, choices.shape, choices.image_registry))
    if not any(map(_is_default, stage.store.read(gvk.STORAGE_CLASS).values())):
        stage.load(_storage_class())
    stage.add_controllers(settings)
    if loaded is not None:
        stage.run(_SETTLING_NS)
        staging.put(stage, loaded, asked, is_new=staging.is_new)
        if asked:
            stage.run(_WARMING_NS)
    stage.store.implicit_namespaces = False
    return stage


def nodes_of(stage: Stage, choices: Choices) -> int:
    """For how many nodes the load is made: what was said, or as many as take pods."""
    if choices.nodes is not None:
        return choices.nodes
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
