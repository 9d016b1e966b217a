"""Kinds and objects for the tests of this room."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from kubestage.objects.custom import definition_check, instances
from kubestage.objects.kinds import Kind

if TYPE_CHECKING:
    from kubestage.aliases import Json

FREE: Json = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
TEXT: Json = {"type": "string"}
COUNT: Json = {"type": "integer"}


def struct(required: list[str] | None = None, **properties: Any) -> Json:
    """The schema of an object with these fields."""
    made: Json = {"type": "object", "properties": properties}
    return {**made, "required": required} if required else made


def array(items: Json, **keywords: Any) -> Json:
    """The schema of a list."""
    return {"type": "array", "items": items, **keywords}


def mapping(values: Json) -> Json:
    """The schema of a map."""
    return {"type": "object", "additionalProperties": values}


def kind(spec: Json, **version: Any) -> Kind:
    """The kind that a definition with this schema of its spec adds."""
    schema = struct(spec=spec, status=FREE)
    entry = {"name": "v1", "served": True, "storage": True, **version}
    entry.setdefault("schema", {"openAPIV3Schema": schema})
    return Kind(
        "example.com", "v1", "Widget", "widgets", "widget", True,
        subresources=frozenset(version.get("subresources") or ()), definition=entry,
    )  # fmt: skip


def widget(spec: Any = None, name: str = "w", **parts: Any) -> Json:
    """An object of that kind."""
    obj: Json = {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": name, "namespace": "default", "resourceVersion": "1"},
        **parts,
    }
    return obj if spec is None else {**obj, "spec": spec}


def created(schema: Json, spec: Any, **parts: Any) -> list[str]:
    """What is wrong with a new object, as messages."""
    made = instances.instances_of(kind(schema))
    return [str(error) for error in made.validate_create(made.read(widget(spec, **parts))[0])]


def updated(schema: Json, new: Any, old: Any) -> list[str]:
    """What is wrong with an object that takes the place of another."""
    made = instances.instances_of(kind(schema))
    before, after = made.read(widget(old))[0], made.read(widget(new))[0]
    return [str(error) for error in made.validate_update(after, before)]


def version(name: str = "v1", **parts: Any) -> Json:
    """A version of a definition."""
    made: Json = {
        "name": name,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": FREE},
    }
    return {**made, **parts}


def definition(group: str = "example.com", **spec: Any) -> Json:
    """A definition that passes."""
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    return {
        "metadata": {"name": f"widgets.{group}", "resourceVersion": "1"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": names,
            "versions": [version()],
            "conversion": {"strategy": "None"},
            **spec,
        },
        "status": {"storedVersions": ["v1"], "acceptedNames": {}},
    }


def problems(made: Json) -> list[str]:
    """What is wrong with a new definition, as messages."""
    return [str(each) for each in definition_check.validate_create(made)]


def established(**spec: Any) -> Json:
    """A definition that is served."""
    made = definition(**spec)
    made["status"]["conditions"] = [{"type": "Established", "status": "True"}]
    return made


def changes(old: Json, **spec: Any) -> list[str]:
    """What is wrong with a change of a definition, as messages."""
    new = copy.deepcopy(old)
    new["spec"].update(spec)
    return [str(each) for each in definition_check.validate_update(new, old)]
