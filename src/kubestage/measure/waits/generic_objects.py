"""WaitForGenericK8sObjects: until objects of any kind have the conditions that are wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.cluster.access import Call, Resource, Selection
from kubestage.errors import InputError
from kubestage.measure.outcome import Later, Outcome
from kubestage.measure.params import Duration, Params
from kubestage.measure.waits.counted import CountedWait
from kubestage.objects import durations
from kubestage.objects.kinds import KindTable

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kubestage.cluster.access import Answer
    from kubestage.measure.informer import Tally
    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Result


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
    """What WaitForGenericK8sObjects is told; without a range it means cluster-scoped objects."""

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


class WaitForGenericK8sObjects(CountedWait[GenericObjectsParams]):
    """Waits until enough objects have succeeded or failed, and not too many have failed.

    Conditions are written ``Ready=True``. Without any, being there is enough.
    """

    params_type = GenericObjectsParams
    looks_at_once = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._kinds: dict[tuple[str, str, str], Resource] = {}
        self._scopes: dict[NamespaceRange | None, frozenset[str] | None] = {}

    def perform(self, params: GenericObjectsParams) -> Result:
        """Wait; for a kind that is not among Kubernetes' own, its definition is asked first."""
        self._scopes[params.namespace_range] = self._scope(params.namespace_range)
        group, version, plural = names = _names(params)
        row = KindTable().by_plural(group, version, plural)
        if row is not None:
            self._kinds[names] = Resource(row.api_version, row.kind)
        if names in self._kinds:
            return self.count(params)
        return _Lookup(self, params).later

    def known_as(self, params: GenericObjectsParams, kind: str) -> None:
        """The kind of the objects that are waited for."""
        group, version, _ = names = _names(params)
        self._kinds[names] = Resource(f"{group}/{version}" if group else version, kind)

    def selection(self, params: GenericObjectsParams) -> Selection:
        """All objects of the kind; namespaces are told apart when they are counted."""
        resource = self._kinds[_names(params)]
        return Selection(resource, "", params.label_selector)

    def sort(self, params: GenericObjectsParams, obj: Json) -> Hashable | None:
        """Whether an object has succeeded or failed: its first condition that says so counts."""
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

    def is_reached(self, params: GenericObjectsParams, tally: Tally) -> bool:
        """Whether there are enough."""
        if not params.successful_conditions and not params.failed_conditions:
            return tally.total >= params.min_desired_object_count
        return tally.of(_GOOD, _BAD) >= params.min_desired_object_count

    def reached(self, params: GenericObjectsParams, tally: Tally) -> Outcome:
        """Whether too many of them failed."""
        most = params.max_failed_object_count
        if tally.of(_BAD) <= most:
            return Outcome()
        names = ",".join(tally.keys(_BAD))
        text = (
            f"{self._about(params)}: too many failed objects, expected at most {most} - "
            f"currently there are: {_counts(tally)} failed-objects=[{names}]"
        )
        return Outcome(errors=(text,))

    def missed(self, params: GenericObjectsParams, tally: Tally) -> Outcome:
        """How many there are."""
        wanted = params.min_desired_object_count
        text = (
            f"{self._about(params)}: timeout while waiting for {wanted} objects to be "
            f"successful or failed - currently there are: {_counts(tally)}"
        )
        return Outcome(errors=(text,))

    def _scope(self, given: NamespaceRange | None) -> frozenset[str] | None:
        """The namespaces that count, None for all; objects without one have the empty one."""
        if given is None:
            return frozenset({""})
        if given.all_namespaces:
            return None
        if given.min is None or given.max is None:
            raise InputError(
                "min and max are missing",
                path="params.namespaceRange",
                fix="give both, or allNamespaces: true",
            )
        prefix = self._prefix(given)
        if not prefix:
            return frozenset({""})
        return frozenset(f"{prefix}-{number}" for number in range(given.min, given.max + 1))

    def _prefix(self, given: NamespaceRange) -> str:
        own = self.context.facilities.namespace_prefix
        return own if given.prefix is None else given.prefix

    def _about(self, params: GenericObjectsParams) -> str:
        group, version, plural = _names(params)
        given = params.namespace_range
        where = ""
        if given is not None and given.all_namespaces:
            where = "*"
        elif given is not None and self._prefix(given):
            where = f"{self._prefix(given)}-({given.min}-{given.max})"
        what = f'objects: "{group}/{version}, Resource={plural}"'
        return f'{self.context.method}: {what}, namespaces: "{where}"'


class _Lookup:
    """Asks by what name a resource's kind goes, and then waits."""

    def __init__(self, wait: WaitForGenericK8sObjects, params: GenericObjectsParams) -> None:
        self.later = Later()
        self._wait = wait
        self._params = params
        name = f"{params.object_resource}.{params.object_group}"
        wait.cluster.call(Call(verb="get", resource=_DEFINITION, name=name), self._found)

    def _found(self, answer: Answer) -> None:
        if answer.object is None:
            name = f"{self._params.object_group}/{self._params.object_version}"
            text = f"no resource {self._params.object_resource!r} of {name}: {answer.error}"
            self.later.resolve(Outcome(errors=(text,)))
            return
        self._wait.known_as(self._params, answer.object["spec"]["names"]["kind"])
        self._wait.count(self._params).then(self.later.resolve)


def _names(params: GenericObjectsParams) -> tuple[str, str, str]:
    return params.object_group, params.object_version, params.object_resource


def _counts(tally: Tally) -> str:
    return f"successful={tally.of(_GOOD)} failed={tally.of(_BAD)} count={tally.total}"
