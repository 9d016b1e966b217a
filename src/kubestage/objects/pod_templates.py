"""What the API does to the pod template of a workload, wherever it stands in the object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects.defaulting import round_trip
from kubestage.objects.validation import (
    label_selectors,
    pod_options,
    pod_preparation,
    pod_update_options,
)
from kubestage.objects.warnings import pods

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.pod_options import PodValidationOptions

POD_EMPTY_LISTS: Final = (("spec", "volumes", "*", "projected", "sources"),)
"""The lists of a pod that are stored as null if they are empty."""


class PodTemplatePath:
    """Where a kind holds its pod template; its methods are parts of the behavior of the kind."""

    def __init__(self, *path: str) -> None:
        self.path = path
        self.empty_lists = tuple((*path, *rest) for rest in POD_EMPTY_LISTS)

    def find(self, obj: Json) -> Json | None:
        """The template, if there is one."""
        return find(obj, self.path)

    def prepare_create(self, obj: Json, _: str | None) -> None:
        """Fields of features that are off are dropped."""
        self._prepare(obj, None)

    def prepare_update(self, new: Json, old: Json, _: str | None) -> None:
        """As on creation, unless the fields were in use before."""
        self._prepare(new, old)

    def _prepare(self, obj: Json, old: Json | None) -> None:
        path = (*self.path, "spec")
        spec = find(obj, path)
        if spec is None:
            return
        old_spec = None if old is None else find(old, path)
        cleaned = pod_preparation.drop_disabled_fields(spec, old_spec)
        if cleaned is not spec:
            replace(obj, path, cleaned)

    def round_trip(self, obj: Json) -> None:
        """Both spellings of old fields."""
        template = self.find(obj)
        if template is not None:
            round_trip.template(template)

    def update_options(
        self, old: Json, *, old_selector: Json | None = None
    ) -> PodValidationOptions:
        """Options that let an update keep what the old template already broke.

        `old_selector` is the selector of the old object, where that may be broken as well.
        """
        template = self.find(old) or {}
        options = pod_update_options.for_update(
            template.get("spec") or {},
            (template.get("metadata") or {}).get("annotations"),
            pod_options.NEW_TEMPLATE,
        )
        if label_selectors.has_invalid_value(old_selector):
            options = msgspec.structs.replace(options, allow_invalid_label_value_in_selector=True)
        return options

    def warn(self, obj: Json) -> list[str]:
        """Warnings about the template."""
        template = self.find(obj)
        if template is None:
            return []
        spec, metadata = template.get("spec") or {}, template.get("metadata") or {}
        return pods.pod_spec(spec, metadata, ".".join(self.path))

    def warn_create(self, obj: Json) -> list[str]:
        """Warnings about the template and about the name, which is part of the pods' names."""
        return warn_name(obj) + self.warn(obj)

    def warn_update(self, new: Json, old: Json) -> list[str]:
        """Warnings about the template of a new generation."""
        return self.warn(new) if is_new_generation(new, old) else []


IN_SPEC: Final = PodTemplatePath("spec", "template")
"""Where most workloads have their template."""


def warn_name(obj: Json) -> list[str]:
    """A warning about a name that is no DNS label."""
    return pods.name(obj, "Pod names and hostnames")


def is_new_generation(new: Json, old: Json) -> bool:
    """Whether an update changed what counts."""
    return bool(new["metadata"].get("generation") != old["metadata"].get("generation"))


def find(obj: Json, path: tuple[str, ...]) -> Json | None:
    """The object at a path, if there is one."""
    at: Any = obj
    for key in path:
        at = (at or {}).get(key)
    found: Json | None = at
    return found


def replace(obj: Json, path: tuple[str, ...], value: Json) -> None:
    """Put a value at a path; the dicts on the way are replaced, not changed."""
    for key in path[:-1]:
        obj[key] = dict(obj[key])
        obj = obj[key]
    obj[path[-1]] = value
