"""Checks of a configuration as a whole: what it names is there."""

from __future__ import annotations

import difflib
from collections import Counter
from typing import TYPE_CHECKING, Final

from kubestage.clusterloader.dependencies import registry
from kubestage.clusterloader.reading import namespace_ranges
from kubestage.clusterloader.reading.mention_checks import MentionChecks
from kubestage.clusterloader.reading.phase_changes import PhaseChanges
from kubestage.clusterloader.reading.undefined import NO_VALUE
from kubestage.errors import InputError
from kubestage.measure import param_checks
from kubestage.objects.validation import names
from kubestage.wording import plural

if TYPE_CHECKING:
    from kubestage.clusterloader.config import Namespaces, ObjectSpec, Phase
    from kubestage.clusterloader.files import Files
    from kubestage.clusterloader.reading.configs import Read
    from kubestage.clusterloader.reading.mention_checks import Methods
    from kubestage.clusterloader.reading.problems import Place, Problems
    from kubestage.clusterloader.templating.templates import Templates


_NAMESPACE: Final = ("", "Namespace")
_UNFILLED: Final = (
    "write apiVersion and kind on lines without {{ }}: they are read before anything is filled in"
)


class Checking:
    """Checks a configuration that was read: names that refer to something, and files."""

    def __init__(
        self, files: Files, templates: Templates, methods: Methods, problems: Problems
    ) -> None:
        self._files = files
        self._templates = templates
        self._problems = problems
        self._methods = methods
        self._identities: dict[str, tuple[str, str] | InputError] = {}

    def check(self, read: Read) -> None:
        """Report the problems of all parts."""
        self._prefix(read)
        self._tuning_sets(read)
        for dependency, place in read.dependencies:
            self._dependency(dependency.method, place)
        changes = PhaseChanges(self._problems)
        namespaces = read.config.namespaces
        mentions = MentionChecks(self._methods, self._files, namespaces, self._problems)
        # By basename how many namespaces the load itself makes, up to here.
        made: dict[str, int] = {}
        declared = [tuning_set.name for tuning_set, _ in read.tuning_sets]
        for placed in read.steps:
            for index, mention in enumerate(placed.step.measurements):
                mentions.check(mention, placed.place.child("measurements").at(index))
            for index, phase in enumerate(placed.step.phases):
                place = placed.place.child("phases").at(index)
                self._tuning_set(phase.tuning_set, declared, place)
                self._range(phase, namespaces, made, place)
                kinds = [
                    self._object(spec, place.child("objectBundle").at(at))
                    for at, spec in enumerate(phase.objects)
                ]
                self._twins(phase, kinds, place)
                changes.phase(phase, kinds, place)
                for spec, kind in zip(phase.objects, kinds, strict=True):
                    if kind == _NAMESPACE:
                        most = max(made.get(spec.basename, 0), phase.replicas_per_namespace)
                        made[spec.basename] = most
        mentions.end()

    def _prefix(self, read: Read) -> None:
        """The last of the namespaces has the longest name."""
        namespaces = read.config.namespaces
        if namespaces.prefix:
            name = f"{namespaces.prefix}-{max(namespaces.number, 1)}"
            for problem in names.is_dns1123_label(name):
                place = read.place.child("namespace.prefix")
                self._problems.failing(place, f"{name!r} is no name of a namespace: {problem}")

    def _tuning_sets(self, read: Read) -> None:
        counts = Counter(tuning_set.name for tuning_set, _ in read.tuning_sets)
        for tuning_set, place in read.tuning_sets:
            if counts[tuning_set.name] > 1:
                self._problems.odd(
                    place.child("name"),
                    f"{tuning_set.name!r} is the name of {counts[tuning_set.name]} tuning sets",
                    "the last of them counts; give each its own name",
                )
                counts[tuning_set.name] = 1

    def _tuning_set(self, name: str, declared: list[str], place: Place) -> None:
        if name in declared:
            return
        place = place.child("tuningSet")
        if not name:
            fix = f"one of {', '.join(declared)}" if declared else "declare one in tuningSets"
            self._problems.error(place, "a tuning set is required", fix)
            return
        close = difflib.get_close_matches(name, declared, 1)
        self._problems.error(
            place,
            f"{name!r}: tuning set referenced has not been declared",
            f"did you mean {close[0]!r}?" if close else "declare it in tuningSets",
        )

    def _range(
        self, phase: Phase, namespaces: Namespaces, made: dict[str, int], place: Place
    ) -> None:
        """Objects cannot be created in namespaces that the load does not have."""
        reach = phase.namespace_range
        if reach is None:
            return
        for key, problem in namespace_ranges.beyond(
            reach.min, reach.max, reach.basename, namespaces
        ):
            where = place.child(f"namespaceRange.{key}")
            self._problems.failing(where, problem, namespace_ranges.FIX)
        own = made.get(reach.basename or "")
        if own is not None and reach.max >= own:
            self._problems.failing(
                place.child("namespaceRange.max"),
                f"{reach.max}: the load makes {plural(own, 'namespace')} of this basename, "
                "numbered from 0",
                "change it, or make more of them in an earlier step",
            )

    def _twins(self, phase: Phase, kinds: list[tuple[str, str] | None], place: Place) -> None:
        """Objects of one kind and name are one object."""
        known: set[tuple[str, tuple[str, str]]] = set()
        for index, (spec, kind) in enumerate(zip(phase.objects, kinds, strict=True)):
            if kind is not None and (spec.basename, kind) in known:
                self._problems.odd(
                    place.child("objectBundle").at(index).child("basename"),
                    f"{spec.basename!r}: another {kind[1]} of the bundle has this name",
                    "give each its own",
                )
            elif kind is not None:
                known.add((spec.basename, kind))

    def _dependency(self, method: str, place: Place) -> None:
        place = place.child("method")
        if not method:
            self._problems.error(place, "method is required")
        elif method not in registry.METHODS:
            self._problems.error(
                place,
                f"{method!r}: dependency method is not registered",
                f"known: {', '.join(registry.METHODS)}",
            )

    def _object(self, spec: ObjectSpec, place: Place) -> tuple[str, str] | None:
        """The group and kind of an object, as its file says; None if it does not."""
        place = place.child("objectTemplatePath")
        path = spec.template_path
        found = self._identities.get(path)
        if found is None:
            try:
                found = self._identity(path)
            except InputError as error:
                found = error
            self._identities[path] = found
            if not isinstance(found, InputError):
                self._kinds(path, place)
        if isinstance(found, InputError):
            self._problems.error(place, f"{path!r}: {found.problem}", found.fix)
            return None
        stated = spec.object_type
        if stated is not None and (stated.api_group, stated.kind) != found:
            self._problems.odd(
                place,
                f"{path!r} makes objects of kind {found[1]!r} and group {found[0]!r}",
                "the template's word stands; make objectType say the same",
            )
        return found

    def _identity(self, path: str) -> tuple[str, str]:
        if NO_VALUE in path:
            raise InputError(
                "file must exist", fix="a variable in the path has no value: set it by an override"
            )
        if not path or not self._files.is_file(path):
            raise InputError(
                "file must exist", fix="paths are relative to the folder of the top configuration"
            )
        try:
            found = self._templates.raw_objects(path)
        except InputError as error:
            error.fix = error.fix or _UNFILLED
            raise
        version = found[0].get("apiVersion") if found else None
        if not isinstance(version, str) or not version:
            raise InputError("apiVersion and kind cannot be read", fix=_UNFILLED)
        group, _, _ = version.rpartition("/")
        return group, str(found[0]["kind"])

    def _kinds(self, path: str, place: Place) -> None:
        """Report kinds that are not in their group; one that is misspelt fails a run."""
        for obj in self._templates.raw_objects(path):
            unknown = param_checks.unknown_kind(str(obj.get("apiVersion")), str(obj["kind"]))
            if unknown is not None:
                problem, fix, is_misspelt = unknown
                report = self._problems.failing if is_misspelt else self._problems.odd
                report(place, f"{path!r}: {problem}", fix)
