"""Defaults of containers of all sorts: probes, ports, environment, hooks, image pull policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.defaulting import image, resources

if TYPE_CHECKING:
    from kubestage.aliases import Json


def container(obj: Json) -> None:
    """Complete a (init, ephemeral) container in place."""
    if "imagePullPolicy" not in obj:
        obj["imagePullPolicy"] = image.pull_policy(obj.get("image", ""))
    obj.setdefault("terminationMessagePath", "/dev/termination-log")
    obj.setdefault("terminationMessagePolicy", "File")
    for port in obj.get("ports", ()):
        port.setdefault("protocol", "TCP")
    for variable in obj.get("env", ()):
        _variable(variable)
    resources.round_up_requirements(obj["resources"])
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if name in obj:
            _probe(obj[name])
    if "lifecycle" in obj:
        for hook in ("postStart", "preStop"):
            _http_get(obj["lifecycle"].get(hook))


def field_reference(obj: Json | None) -> None:
    """A field of the pod is named in the words of ``v1`` if no version is stated."""
    if obj is not None:
        obj.setdefault("apiVersion", "v1")


def _variable(obj: Json) -> None:
    source = obj.get("valueFrom")
    if source:
        field_reference(source.get("fieldRef"))
        if "fileKeyRef" in source:
            source["fileKeyRef"].setdefault("optional", False)


def _probe(obj: Json) -> None:
    obj.setdefault("timeoutSeconds", 1)
    obj.setdefault("periodSeconds", 10)
    obj.setdefault("successThreshold", 1)
    obj.setdefault("failureThreshold", 3)
    _http_get(obj)
    if "grpc" in obj and obj["grpc"]["service"] is None:
        obj["grpc"]["service"] = ""


def _http_get(handler: Json | None) -> None:
    if handler and "httpGet" in handler:
        action = handler["httpGet"]
        action.setdefault("path", "/")
        action.setdefault("scheme", "HTTP")
