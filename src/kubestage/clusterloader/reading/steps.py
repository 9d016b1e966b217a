"""Steps: phases or measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.clusterloader.config import (
    Instance,
    Mention,
    NamespaceRange,
    ObjectSpec,
    ObjectType,
    Phase,
    Step,
)
from kubestage.clusterloader.reading import sizes
from kubestage.clusterloader.reading.fields import Fields
from kubestage.errors import MalformedValue
from kubestage.objects import labels
from kubestage.objects.validation import names

if TYPE_CHECKING:
    from kubestage.clusterloader.reading.problems import Place, Problems

STEP: Final = ("phases", "measurements", "module", "name")
_PHASE: Final = (
    "namespaceRange",
    "namespaceList",
    "replicasPerNamespace",
    "tuningSet",
    "objectBundle",
)
_OBJECT: Final = (
    "basename",
    "objectTemplatePath",
    "templateFillMap",
    "listUnknownObjectOptions",
    "objectType",
)


class PlacedStep(msgspec.Struct, frozen=True):
    """A step, and where it is written."""

    step: Step
    place: Place


class StepReader:
    """Reads steps; the document's spelling lets a measurement be its method's name alone."""

    def __init__(self, problems: Problems, is_document: bool) -> None:
        self._problems = problems
        self._is_document = is_document
        self._named: set[str] = set()

    def step(self, fields: Fields) -> PlacedStep:
        """A step that is no module."""
        place, problems = fields.place, self._problems
        phases = [self._phase(value, at) for value, at in fields.items("phases")]
        mentions = [self._mention(value, at) for value, at in fields.items("measurements")]
        if not phases and not mentions:
            problems.error(
                place.child("measurements"),
                "can't be empty with empty phases",
                "a step has phases, measurements or a module",
            )
        if phases and mentions:
            problems.error(
                place.child("measurements"),
                "can't be non-empty with non-empty phases",
                "make two steps of it",
            )
        return PlacedStep(Step(fields.text("name"), tuple(phases), tuple(mentions)), place)

    def _phase(self, value: Any, place: Place) -> Phase:
        problems = self._problems
        fields = Fields(value, place, problems, _PHASE, {"objects": "objectBundle"})
        space, listed = self._namespace_range(fields), fields.texts("namespaceList")
        if space is not None and listed is not None:
            problems.error(place, "must specify at most 1 of namespaceList and namespaceRange")
        replicas = fields.integer("replicasPerNamespace")
        if replicas < 0:
            problems.error(place.child("replicasPerNamespace"), "must be non-negative")
        spaces = 1 if space is None else min(space.max - space.min + 1, sizes.MOST_NAMESPACES)
        objects = replicas * max(spaces, len(listed or ()))
        if objects > sizes.MOST_OBJECTS:
            problem = sizes.too_many("objects", objects, sizes.MOST_OBJECTS)
            problems.error(place.child("replicasPerNamespace"), problem)
        return Phase(
            objects=tuple(self._object(each, at) for each, at in fields.items("objectBundle")),
            replicas_per_namespace=replicas,
            tuning_set=fields.text("tuningSet"),
            namespace_range=space,
            namespace_list=listed,
        )

    def _namespace_range(self, outer: Fields) -> NamespaceRange | None:
        if "namespaceRange" not in outer:
            return None
        place = outer.place.child("namespaceRange")
        fields = Fields(
            outer.value("namespaceRange"), place, self._problems, ("min", "max", "basename")
        )
        low, high = fields.integer("min"), fields.integer("max")
        if low < 0:
            self._problems.error(place.child("min"), "must be non-negative")
        if high < low:
            self._problems.error(place.child("max"), "must be greater than min")
        if high - low >= sizes.MOST_NAMESPACES:
            problem = sizes.too_many("namespaces", high - low + 1, sizes.MOST_NAMESPACES)
            self._problems.error(place.child("max"), problem)
        basename = fields.text("basename") if "basename" in fields else None
        return NamespaceRange(low, high, basename)

    def _object(self, value: Any, place: Place) -> ObjectSpec:
        fields = Fields(value, place, self._problems, _OBJECT)
        basename = fields.text("basename")
        for problem in names.is_dns1123_subdomain(basename):
            self._problems.error(place.child("basename"), f"{basename!r}: {problem}")
        return ObjectSpec(
            basename=basename,
            template_path=fields.text("objectTemplatePath"),
            fill_map=fields.mapping("templateFillMap"),
            list_unknown=self._list_unknown(fields),
            object_type=self._object_type(fields),
        )

    def _list_unknown(self, outer: Fields) -> dict[str, Any] | None:
        name = "listUnknownObjectOptions"
        if name not in outer:
            return None
        fields = Fields(
            outer.value(name), outer.place.child(name), self._problems, ("labelSelector",)
        )
        inner = Fields(
            fields.value("labelSelector") or {},
            fields.place.child("labelSelector"),
            self._problems,
            ("matchLabels", "matchExpressions"),
        )
        found: dict[str, Any] = {}
        if "matchLabels" in inner:
            found["matchLabels"] = inner.labels("matchLabels")
            self._check_selector(found, inner.place.child("matchLabels"))
        if "matchExpressions" in inner:
            found["matchExpressions"] = [
                self._expression(each, at) for each, at in inner.items("matchExpressions")
            ]
        return found

    def _expression(self, value: Any, place: Place) -> dict[str, Any]:
        fields = Fields(value, place, self._problems, ("key", "operator", "values"))
        found: dict[str, Any] = {"key": fields.text("key"), "operator": fields.text("operator")}
        values = fields.texts("values")
        if values is not None:
            found["values"] = list(values)
        if fields.is_sound:
            self._check_selector({"matchExpressions": [found]}, place)
        return found

    def _check_selector(self, selector: dict[str, Any], place: Place) -> None:
        try:
            labels.from_label_selector(selector)
        except MalformedValue as error:
            self._problems.error(place, str(error))

    def _object_type(self, outer: Fields) -> ObjectType | None:
        if "objectType" not in outer:
            return None
        known = ("apiGroup", "apiVersion", "kind")
        place = outer.place.child("objectType")
        fields = Fields(outer.value("objectType"), place, self._problems, known)
        return ObjectType(*(fields.text(name) for name in known))

    def _mention(self, value: Any, place: Place) -> Mention:
        if self._is_document and isinstance(value, str):
            return self._by_name(value)
        known = ("method", "params", "identifier", "instances")
        fields = Fields(value, place, self._problems, known)
        method, identifier = fields.text("method"), fields.text("identifier")
        instances = tuple(self._instance(each, at) for each, at in fields.items("instances"))
        if instances and identifier:
            self._problems.error(
                place.child("identifier"), "cannot be non empty when instances are specified"
            )
        if not instances and not identifier:
            if self._is_document:
                identifier = method
            else:
                self._problems.error(
                    place.child("identifier"), "identifier and instances cannot be both empty"
                )
        return Mention(method, identifier, fields.written("params"), instances)

    def _by_name(self, method: str) -> Mention:
        """A method's name alone starts it; each later mention of it gathers."""
        word = "stop" if method in self._named else "start"
        self._named.add(method)
        return Mention(method, method, {word: True})

    def _instance(self, value: Any, place: Place) -> Instance:
        fields = Fields(value, place, self._problems, ("identifier", "params"))
        return Instance(fields.text("identifier"), fields.written("params"))
