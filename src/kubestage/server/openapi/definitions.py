"""The published definitions of Kubernetes' types, as `kubernetes_validate` carries them.

That package keeps the OpenAPI definitions as JSON schemas: null is allowed everywhere, and
apiVersion and kind are enumerations. Both changes are undone here. The file is read for each
document and forgotten: reading takes milliseconds, keeping it would take megabytes.
"""

from __future__ import annotations

import functools
import importlib.util
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from kubestage.aliases import Json

VERSION: Final = "1.36"
_FOLDER: Final = f"kubernetes-json-schema/v{VERSION}.0-local"
_GROUP_VERSION_KIND: Final = "x-kubernetes-group-version-kind"
_OLD_REF: Final = "#/$defs/"
REF: Final = "#/components/schemas/"

# JSON schema has no word for these two.
_OWN_FORMS: Final[dict[str, Json]] = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "format": "int-or-string",
        "oneOf": [{"type": "integer"}, {"type": "string"}],
    },
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {
        "oneOf": [{"type": "string"}, {"type": "number"}],
    },
}


class Definitions:
    """Schemas by name, converted at their first use."""

    def __init__(self, definitions: dict[str, Json]) -> None:
        self._definitions = definitions
        self._names: dict[tuple[str, str, str], str] = {}
        for name, definition in definitions.items():
            kinds: list[dict[str, str]] = definition.get(_GROUP_VERSION_KIND) or []
            # DeleteOptions and WatchEvent belong to every group: they are not found by kind.
            if len(kinds) == 1:
                key = kinds[0]
                self._names[key["group"], key["version"], key["kind"]] = name

    def name_of(self, group: str, version: str, kind: str) -> str | None:
        """The name of a kind's definition."""
        return self._names.get((group, version, kind))

    def schema(self, name: str) -> Json | None:
        """The schema of that name in OpenAPI v3."""
        if name in _OWN_FORMS:
            return _OWN_FORMS[name]
        found = self._definitions.get(name)
        return None if found is None else _convert(found)


def read() -> Definitions | None:
    """The definitions, or None where the package is not installed."""
    path = _path()
    if path is None:
        return None
    return Definitions(msgspec.json.decode(path.read_bytes())["$defs"])


def _path() -> pathlib.Path | None:
    # Found without importing the package, which would load a validator that is not needed.
    spec = importlib.util.find_spec("kubernetes_validate")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = pathlib.Path(folder) / _FOLDER / "_definitions.json"
        if path.is_file():
            return path
    return None


@functools.cache
def is_installed() -> bool:
    """Whether documents have descriptions."""
    return _path() is not None


def _convert(old: Json) -> Json:
    new: Json = {}
    for key, value in old.items():
        if key == "properties":
            new[key] = {name: _convert(each) for name, each in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            new[key] = _convert(value)
        elif key == "type":
            new[key] = value[0] if isinstance(value, list) else value
        elif key == "$ref":
            target = {"$ref": REF + value.removeprefix(_OLD_REF)}
            if len(old) == 1:
                return target
            # Beside a reference nothing else is read.
            new["allOf"] = [target]
        elif key != "enum":
            new[key] = value
    return new
