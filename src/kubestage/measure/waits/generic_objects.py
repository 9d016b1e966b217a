"""WaitForGenericK8sObjects: until objects of any kind have the desired conditions."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.cluster.access import Call, Resource, Selection
from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure.params import Duration, Params
from kubestage.measure.results import MeasurementResult, PendingResult
from kubestage.measure.waits.counted import CountedWait
from kubestage.objects.kinds import KindTable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from kubestage.cluster.access import Answer
    from kubestage.measure.informer import ObjectCounts
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result


_DEFINITION: Final = Resource("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_GOOD: Final = "successful"
_BAD: Final = "failed"
_OTHER: Final = "other"


class NamespaceRange(msgspec.Struct, frozen=True, rename="camel"):
    """Namespaces ``<prefix>-<min>`` to ``<prefix>-<max>``; without a prefix those of the test."""

    min: int | None = None
    max: int | None = None
    prefix: str | None = None
    all_namespaces: bool = False


class GenericObjectsParams(Params, frozen=True, kw_only=True):
    """The parameters of WaitForGenericK8sObjects; without a range for cluster-scoped objects."""

    object_group: str
    object_version: str
    object_resource: str
    namespace_range: NamespaceRange | None = None
    label_selector: str = ""
    successful_conditions: tuple[str, ...] = ()
    failed_conditions: tuple[str, ...] = ()
    min_desired_object_count: int
    max_failed_object_count: int = 0
    timeout: Duration = Duration(30 * durations.MINUTE)
    refresh_interval: Duration = Duration(30 * durations.SECOND)

    def problems(self) -> Iterator[InputError]:
        """A range has both ends, or is all namespaces."""
        namespaces = self.namespace_range
        if namespaces is None or namespaces.all_namespaces:
            return
        if namespaces.min is None or namespaces.max is None:
            yield InputError(
                "min and max are missing",
                path="params.namespaceRange",
                fix="give both, or allNamespaces: true",
            )

    def later_problems(self) -> Iterator[InputError]:
        """The resource is one of its group, if that is built in; conditions have a status."""
        group, version, plural = _names(self)
        rows = [row for row in KindTable() if (row.group, row.version) == (group, version)]
        known = sorted(row.plural for row in rows)
        if known and KindTable().by_plural(group, version, plural) is None:
            close = difflib.get_close_matches(plural, known, 1)
            api_version = f"{group}/{version}" if group else version
            yield InputError(
                f"{api_version} has no resource {plural!r}",
                path="params.objectResource",
                fix=f"did you mean {close[0]!r}?" if close else f"it has {', '.join(known)}",
            )
        named = (
            ("successfulConditions", self.successful_conditions),
            ("failedConditions", self.failed_conditions),
        )
        for name, conditions in named:
            for index, condition in enumerate(conditions):
                if "=" not in condition:
                    problem = f"{condition!r} has no status, and is never met"
                    fix = f"write {condition}=True"
                    yield InputError(problem, path=f"params.{name}[{index}]", fix=fix)


class WaitForGenericK8sObjects(CountedWait[GenericObjectsParams]):
    """Waits until enough objects have succeeded or failed, and not too many have failed.

    Conditions are written ``Ready=True``. Without any, existence is enough.
    """

    params_type = GenericObjectsParams
    checks_at_once = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._kinds: dict[tuple[str, str, str], Resource] = {}
        self._scopes: dict[NamespaceRange | None, frozenset[str] | None] = {}

    def perform(self, params: GenericObjectsParams) -> Result:
        """Wait; for a kind that is not built in, its definition is requested first."""
        params.check()
        self._scopes[params.namespace_range] = self._scope(params.namespace_range)
        group, version, plural = names = _names(params)
        row = KindTable().by_plural(group, version, plural)
        if row is not None:
            self._kinds[names] = Resource(row.api_version, row.kind)
        if names in self._kinds:
            return self.count(params)
        return _Lookup(self, params).pending

    def known_as(self, params: GenericObjectsParams, kind: str) -> None:
        """The kind of the objects that are waited for."""
        group, version, _ = names = _names(params)
        self._kinds[names] = Resource(f"{group}/{version}" if group else version, kind)

    def selection(self, params: GenericObjectsParams) -> Selection:
        """All objects of the kind; namespaces are selected when they are counted."""
        resource = self._kinds[_names(params)]
        return Selection(resource, "", params.label_selector)

    def sort(self, params: GenericObjectsParams, obj: Json) -> Hashable | None:
        """Whether an object has succeeded or failed: the first matching condition counts."""
        scope = self._scopes[params.namespace_range]
        if scope is not None and (obj["metadata"].get("namespace") or "") not in scope:
            return None
        for condition in (obj.get("status") or {}).get("conditions") or ():
            word = f"{condition.get('type', '')}={condition.get('status', '')}"
            if word in params.successful_conditions:
                return _GOOD
            if word in params.failed_conditions:
                return _BAD
        return _OTHER

    def pace_ns(self, params: GenericObjectsParams) -> tuple[int, int]:
        """As configured."""
        return params.refresh_interval, params.timeout

    def is_reached(self, params: GenericObjectsParams, counts: ObjectCounts) -> bool:
        """Whether there are enough."""
        if not params.successful_conditions and not params.failed_conditions:
            return counts.total >= params.min_desired_object_count
        return counts.number_of(_GOOD, _BAD) >= params.min_desired_object_count

    def reached(self, params: GenericObjectsParams, counts: ObjectCounts) -> MeasurementResult:
        """Whether too many of them failed."""
        most = params.max_failed_object_count
        if counts.number_of(_BAD) <= most:
            return MeasurementResult()
        names = ",".join(counts.keys(_BAD))
        text = (
            f"{self._about(params)}: too many failed objects, expected at most {most} - "
            f"currently there are: {_counts(counts)} failed-objects=[{names}]"
        )
        return MeasurementResult(errors=(text,))

    def missed(self, params: GenericObjectsParams, counts: ObjectCounts) -> MeasurementResult:
        """How many there are."""
        desired = params.min_desired_object_count
        text = (
            f"{self._about(params)}: timeout while waiting for {desired} objects to be "
            f"successful or failed - currently there are: {_counts(counts)}"
        )
        return MeasurementResult(errors=(text,))

    def _scope(self, namespaces: NamespaceRange | None) -> frozenset[str] | None:
        """The namespaces that count, None for all; objects without one have the empty one."""
        if namespaces is None:
            return frozenset({""})
        if namespaces.all_namespaces:
            return None
        assert namespaces.min is not None
        assert namespaces.max is not None
        prefix = self._prefix(namespaces)
        if not prefix:
            return frozenset({""})
        return frozenset(
            f"{prefix}-{number}" for number in range(namespaces.min, namespaces.max + 1)
        )

    def _prefix(self, namespaces: NamespaceRange) -> str:
        own = self.context.facilities.namespace_prefix
        return own if namespaces.prefix is None else namespaces.prefix

    def _about(self, params: GenericObjectsParams) -> str:
        group, version, plural = _names(params)
        namespaces = params.namespace_range
        where = ""
        if namespaces is not None and namespaces.all_namespaces:
            where = "*"
        elif namespaces is not None and self._prefix(namespaces):
            where = f"{self._prefix(namespaces)}-({namespaces.min}-{namespaces.max})"
        what = f'objects: "{group}/{version}, Resource={plural}"'
        return f'{self.context.method}: {what}, namespaces: "{where}"'


class _Lookup:
    """Requests the kind of a resource, and then waits."""

    def __init__(self, wait: WaitForGenericK8sObjects, params: GenericObjectsParams) -> None:
        self.pending = PendingResult()
        self._wait = wait
        self._params = params
        name = f"{params.object_resource}.{params.object_group}"
        wait.cluster.call(Call(verb="get", resource=_DEFINITION, name=name), self._found)

    def _found(self, answer: Answer) -> None:
        if answer.object is None:
            name = f"{self._params.object_group}/{self._params.object_version}"
            text = f"no resource {self._params.object_resource!r} of {name}: {answer.error}"
            self.pending.resolve(MeasurementResult(errors=(text,)))
            return
        self._wait.known_as(self._params, answer.object["spec"]["names"]["kind"])
        self._wait.count(self._params).then(self.pending.resolve)


def _names(params: GenericObjectsParams) -> tuple[str, str, str]:
    return params.object_group, params.object_version, params.object_resource


def _counts(counts: ObjectCounts) -> str:
    return (
        f"successful={counts.number_of(_GOOD)} failed={counts.number_of(_BAD)} count={counts.total}"
    )
