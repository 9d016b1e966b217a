"""The shapes of built-in kinds against the published definitions of the API."""

from __future__ import annotations

import functools
import importlib.resources
from typing import TYPE_CHECKING

import msgspec
import pytest

from kubestage.objects import schema
from kubestage.objects.ownership import api_types

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.ownership.topology import List

SCHEMAS = "kubernetes-json-schema/v1.36.0-local/_definitions.json"


@functools.cache
def definitions() -> dict[str, Json]:
    """Definitions by our name of the type (``core/v1.Pod``), of types that the table has."""
    pytest.importorskip("kubernetes_validate")
    path = importlib.resources.files("kubernetes_validate").joinpath(SCHEMAS)
    known = set(schema.names())
    found = {}
    for name, definition in msgspec.json.decode(path.read_bytes())["$defs"].items():
        *_, group, version, kind = name.split(".")
        ours = f"{group}/{version}.{kind}"
        if ours in known and schema.type_of(ours).form is schema.Form.STRUCT:
            found[ours] = definition
    assert len(found) > 200
    return found


def _published(field: Json) -> tuple[str, tuple[str, ...]]:
    kind = field.get("x-kubernetes-list-type")
    if kind is not None:
        return kind, tuple(field.get("x-kubernetes-list-map-keys") or ())
    if "merge" in (field.get("x-kubernetes-patch-strategy") or "").split(","):
        key = field.get("x-kubernetes-patch-merge-key")
        return ("map", (key,)) if key else ("set", ())
    return "atomic", ()


def _ours(list_: List) -> tuple[str, tuple[str, ...]]:
    if list_.atomic:
        return "atomic", ()
    return "map" if list_.keys else "set", list_.keys


def test_lists_are_what_the_api_publishes() -> None:
    for name, definition in definitions().items():
        map_ = api_types.of_struct(name).map
        assert map_ is not None
        for key, field in (definition.get("properties") or {}).items():
            list_ = map_.fields[key].list
            if "array" in (field.get("type") or ()):
                assert list_ is not None
                assert _ours(list_) == _published(field), (name, key)


def test_structs_are_one_piece_where_the_api_says_so() -> None:
    for name, definition in definitions().items():
        map_ = api_types.of_struct(name).map
        assert map_ is not None
        assert map_.atomic == (definition.get("x-kubernetes-map-type") == "atomic"), name


def test_a_field_may_overrule_its_type() -> None:
    volume = api_types.of_struct("core/v1.PersistentVolumeSpec").map
    claim = api_types.of_struct("core/v1.ObjectReference").map
    assert volume is not None
    assert claim is not None
    granular = volume.fields["claimRef"].map
    assert granular is not None
    assert claim.atomic
    assert not granular.atomic


def test_keys_have_defaults_where_the_api_has_them_and_where_they_are_mandatory() -> None:
    container = api_types.of_struct("core/v1.Container").map
    claim = api_types.of_struct("resource/v1.ResourceClaimStatus").map
    assert container is not None
    assert claim is not None
    ports, devices = container.fields["ports"].list, claim.fields["devices"].list
    assert ports is not None
    assert devices is not None
    assert ports.defaults == {"containerPort": 0, "protocol": "TCP"}
    assert devices.defaults == {"driver": "", "pool": "", "device": ""}
