"""``kind: Action`` in a file of ``--at``: what is done to a cluster beside applying manifests.

::

    apiVersion: kubestage.dev/v1alpha1
    kind: Action
    verb: delete                   # create, patch, delete, evict, fail or recover
    target: {apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web}

`create` has an `object`, `patch` a JSON merge patch. A node that is to `fail` stops to report. An
action that the cluster refuses is reported, and the others go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from kubestage.controllers.kubelet.annotations import HEARTBEAT
from kubestage.controllers.kubelet.outages import STOPPED
from kubestage.controllers.ownership import controller_of
from kubestage.controllers.pods import is_active
from kubestage.errors import ApiError, InputError
from kubestage.objects import gvk

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.intent import Action
    from kubestage.stage import Stage

API_VERSION: Final = "kubestage.dev/v1alpha1"
KIND: Final = "Action"
_WHOLE: Final = ("create", "patch")


class Target(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel",
             forbid_unknown_fields=True):  # fmt: skip
    """The object that an action is about."""

    api_version: str
    kind: str
    name: str
    namespace: str = ""

    def __str__(self) -> str:
        inside = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind.lower()}/{inside}{self.name}"


class ActionDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel",
                     forbid_unknown_fields=True):  # fmt: skip
    """An action as it is written."""

    api_version: Literal["kubestage.dev/v1alpha1"] = "kubestage.dev/v1alpha1"
    kind: Literal["Action"] = "Action"
    verb: Literal["create", "patch", "delete", "evict", "fail", "recover"]
    target: Target
    object: dict[str, Any] | None = None


def is_one(obj: Json) -> bool:
    """Whether a document is an action."""
    return (obj.get("apiVersion"), obj.get("kind")) == (API_VERSION, KIND)


def document(action: Action) -> Json:
    """An action of a recording as a document."""
    reference = action.reference
    target = Target(
        api_version=reference.api_version,
        kind=reference.kind,
        name=reference.name,
        namespace=reference.namespace,
    )
    written = ActionDocument(verb=action.verb, target=target, object=action.object)
    found: Json = msgspec.to_builtins(written)
    return {"apiVersion": API_VERSION, "kind": KIND, **found}


def load(obj: Json) -> ActionDocument:
    """Read an action; InputError names the field."""
    try:
        action = msgspec.convert(obj, ActionDocument)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$.")
        raise InputError(problem, path=path.rstrip("`") or None) from None
    if action.verb in _WHOLE and action.object is None:
        fix = "add the object, or the fields that change"
        raise InputError(f"is missing, and {action.verb} needs it", path="object", fix=fix)
    return action


def described(obj: Json) -> str:
    """An action in a few words."""
    action = load(obj)
    return f"{action.verb} {action.target}"


def perform(stage: Stage, obj: Json) -> str | None:
    """Do it; the reason if the cluster refuses."""
    action = load(obj)
    try:
        _perform(stage, action)
    except ApiError as error:
        return f"{action.verb} {action.target}: {error.message}"
    return None


def _perform(stage: Stage, action: ActionDocument) -> None:
    store, target = stage.store, action.target
    kind = (target.api_version, target.kind)
    if action.verb == "create":
        assert action.object is not None
        _create(stage, action.object)
    elif action.verb == "patch":
        assert action.object is not None
        body = {key: value for key, value in action.object.items() if key != "status"}
        if body:
            store.patch(kind, target.name, body, target.namespace or None)
        if "status" in action.object:
            status = {"status": action.object["status"]}
            store.patch(kind, target.name, status, target.namespace or None, subresource="status")
    elif action.verb == "delete":
        store.delete(kind, target.name, target.namespace or None)
    elif action.verb == "evict":
        namespace, _, name = _evicted(stage, action).partition("/")
        store.evict(name, namespace)
    else:
        value = STOPPED if action.verb == "fail" else None
        patch = {"metadata": {"annotations": {HEARTBEAT: value}}}
        store.patch(gvk.NODE, target.name, patch)


def _create(stage: Stage, obj: Json) -> None:
    created = stage.store.create({key: value for key, value in obj.items() if key != "status"})
    if obj.get("status"):
        status = {**(created.get("status") or {}), **obj["status"]}
        stage.store.update({**created, "status": status}, subresource="status")


def _evicted(stage: Stage, action: ActionDocument) -> str:
    """The pod to evict: of this name, or else of the same owner, on the same node if it has one."""
    target = action.target
    key = f"{target.namespace}/{target.name}"
    pods = stage.store.read(gvk.POD)
    if key in pods or action.object is None:
        return key
    owner = controller_of(action.object) or {}
    node = (action.object.get("spec") or {}).get("nodeName")
    same = [
        (pod["spec"].get("nodeName") != node, other)
        for other, pod in pods.items()
        if other.startswith(f"{target.namespace}/")
        and is_active(pod)
        and _same_owner(controller_of(pod) or {}, owner)
    ]
    return min(same)[1] if same else key


def _same_owner(one: Json, other: Json) -> bool:
    """Names of ReplicaSets end in a hash, which is the same for the same template."""
    return bool(other) and (one.get("kind"), one.get("name")) == (
        other.get("kind"),
        other.get("name"),
    )
