"""``agnhost webhook``: the admission webhook of Kubernetes' own tests, modelled.

It refuses and changes objects by marks in them. Paths that it does not know have no answer.
"""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kubestage.aliases import Json

    Admit = Callable[[Json], Awaitable[Json] | Json]

_MARK: Final = "webhook-e2e-test"
_DELAY_S: Final = 5
_LABEL: Final = "added-label"
_ALLOWED: Final[Json] = {"allowed": True}


async def answer(path: str, review: Json) -> Json | None:
    """The review that is answered with; None if nothing is served at the path."""
    admit = _PATHS.get(path)
    if admit is None:
        return None
    request = review["request"]
    found = admit(request)
    response = await found if asyncio.iscoroutine(found) else found
    own = {"kind": review["kind"], "apiVersion": review["apiVersion"]}
    return {**own, "response": {**response, "uid": request["uid"]}}  # type: ignore[dict-item]


def _refused(**status: Any) -> Json:
    return {"allowed": False, "status": status}


def _patched(*operations: Json) -> Json:
    patch = base64.b64encode(msgspec.json.encode(list(operations))).decode()
    return {"allowed": True, "patch": patch, "patchType": "JSONPatch"}


def _added(path: str, value: Any) -> Json:
    return {"op": "add", "path": path, "value": value}


def _object(request: Json) -> Json:
    found = request["oldObject"] if request["operation"] == "DELETE" else request["object"]
    return found or {}


def _labels(request: Json) -> Json:
    return (_object(request).get("metadata") or {}).get("labels") or {}


async def _allow_late(_: Json) -> Json:
    await asyncio.sleep(_DELAY_S)
    return _ALLOWED


def _deny(_: Json) -> Json:
    return _refused(message="this webhook denies all requests")


def _label(request: Json) -> Json:
    labels = _labels(request)
    if labels.get(_LABEL) == "yes":
        return _ALLOWED
    if not labels:
        return _patched(_added("/metadata/labels", {_LABEL: "yes"}))
    kind = "replace" if _LABEL in labels else "add"
    return _patched({"op": kind, "path": f"/metadata/labels/{_LABEL}", "value": "yes"})


async def _pods(request: Json) -> Json:
    reasons = []
    mark = _labels(request).get(_MARK)
    if mark == "webhook-disallow":
        reasons.append("the pod contains unwanted label;")
    if mark == "wait-forever":
        await asyncio.Event().wait()
    containers = (_object(request).get("spec") or {}).get("containers") or ()
    unwanted = [each for each in containers if "webhook-disallow" in each["name"]]
    reasons += ["the pod contains unwanted container name;"] * len(unwanted)
    return _refused(message=" ".join(reasons)) if reasons else _ALLOWED


def _attach(request: Json) -> Json:
    options = request["object"] or {}
    if (
        request["name"] == "to-be-attached-pod"
        and options.get("stdin")
        and options.get("container") == "container1"
    ):
        return _refused(message="attaching to pod 'to-be-attached-pod' is not allowed")
    return _ALLOWED


def _init_container(request: Json) -> Json:
    name = "webhook-added-init-container"
    pod = _object(request)
    present = (pod.get("spec") or {}).get("initContainers") or ()
    if pod["metadata"].get("name") != "webhook-to-be-mutated" or any(
        each["name"] == name for each in present
    ):
        return _ALLOWED
    added = {"image": "webhook-added-image", "name": name, "resources": {}}
    return _patched(_added("/spec/initContainers", [added]))


def _sidecar(_: Json) -> Json:
    text = "No image specified by the sidecar-image parameter"
    return _refused(status="Failure", message=text, code=500)


def _data(what: str, undeletable: str) -> Admit:
    def admit(request: Json) -> Json:
        mark = (_object(request).get("data") or {}).get(_MARK)
        if mark == "webhook-disallow" and request["operation"] in ("CREATE", "UPDATE"):
            return _refused(reason=what)
        if mark == "webhook-nondeletable" and request["operation"] == "DELETE":
            return _refused(reason=undeletable)
        return _ALLOWED

    return admit


def _stages(request: Json) -> Json:
    data = _object(request).get("data") or {}
    if data.get("mutation-stage-1") == "yes":
        return _patched(_added("/data/mutation-stage-2", "yes"))
    if data.get("mutation-start") == "yes":
        return _patched(_added("/data/mutation-stage-1", "yes"))
    return _ALLOWED


def _definition(request: Json) -> Json:
    if _labels(request).get(_MARK) == "webhook-disallow":
        return _refused(message="the crd contains unwanted label")
    return _ALLOWED


_UNDELETABLE: Final = "cannot be deleted because it contains unwanted key and value"
_PATHS: Final[dict[str, Admit]] = {
    "/always-allow-delay-5s": _allow_late,
    "/always-deny": _deny,
    "/add-label": _label,
    "/pods": _pods,
    "/pods/attach": _attach,
    "/mutating-pods": _init_container,
    "/mutating-pods-sidecar": _sidecar,
    "/configmaps": _data(
        "the configmap contains unwanted key and value", f"the configmap {_UNDELETABLE}"
    ),
    "/mutating-configmaps": _stages,
    "/custom-resource": _data(
        "the custom resource contains unwanted data", f"the custom resource {_UNDELETABLE}"
    ),
    "/mutating-custom-resource": _stages,
    "/crd": _definition,
}
