"""Pieces that the builders share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


Object = dict[str, Any]


def present(parts: Mapping[str, Any]) -> Object:
    """Without what was not requested: None, and empty lists and mappings."""
    return {
        key: value for key, value in parts.items() if value is not None and value not in ({}, [])
    }


def metadata_of(
    name: str,
    namespace: str | None,
    labels: Mapping[str, str] | None,
    annotations: Mapping[str, str] | None = None,
) -> Object:
    """The metadata of an object."""
    return present(
        {
            "name": name,
            "namespace": namespace,
            "labels": dict(labels or {}),
            "annotations": dict(annotations or {}),
        }
    )


def namespaced(
    api_version: str,
    kind: str,
    name: str,
    namespace: str,
    labels: Mapping[str, str] | None,
    spec: Object,
) -> Object:
    """An object that lives in a namespace."""
    metadata = metadata_of(name, namespace, labels)
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def taint_of(taint: str | Object) -> Object:
    """``key=value:Effect`` or ``key:Effect``, as kubectl taint takes it."""
    if not isinstance(taint, str):
        return dict(taint)
    key_and_value, _, effect = taint.rpartition(":")
    key, equals, value = key_and_value.partition("=")
    return {"key": key, **({"value": value} if equals else {}), "effect": effect}


def toleration_of(toleration: str | Object) -> Object:
    """The toleration of one taint; without a value it tolerates any."""
    if not isinstance(toleration, str):
        return dict(toleration)
    taint = taint_of(toleration)
    return {**taint, "operator": "Equal" if "value" in taint else "Exists"}
