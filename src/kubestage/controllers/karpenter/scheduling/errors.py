"""Why a pod does not go somewhere; the words are put together only when someone reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import amounts
from kubestage.golang import json_encoding
from kubestage.objects import pod_resources, quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.controllers.karpenter.requirements.requirement import Requirement
    from kubestage.controllers.karpenter.requirements.requirements import Requirements
    from kubestage.controllers.karpenter.scheduling.topology_groups import TopologyGroup
    from kubestage.objects.pod_resources import ResourceList

_MILLION: Final = quantity.parse("1M")
_SHOWN_DOMAINS: Final = 25


class SchedulingError:
    """A reason; `str` gives its words."""

    reserved = False
    """Whether a reservation was in the way: then the pod waits for the next pass as it is."""

    permanent = False
    """Whether relaxing the pod's preferences cannot help."""

    __slots__ = ()


class Plain(SchedulingError):
    """A reason that is known in words."""

    __slots__ = ("_text",)

    def __init__(self, text: str, **values: str) -> None:
        shown = ", ".join(f"{key}={values[key]}" for key in sorted(values))
        self._text = f"{text} ({shown})" if values else text

    def __str__(self) -> str:
        return self._text


class ReservedOffering(Plain):
    """There is a reservation, but others have it."""

    __slots__ = ()
    reserved = True


class DynamicResources(Plain):
    """The pod has ResourceClaims."""

    __slots__ = ()
    permanent = True


class Incompatible(SchedulingError):
    """Requirements that do not go together."""

    __slots__ = ("_allow_undefined", "_existing", "_incoming", "_prefix")

    def __init__(
        self,
        prefix: str,
        existing: Requirements,
        incoming: Requirements,
        allow_undefined: frozenset[str],
    ) -> None:
        self._prefix = prefix
        self._existing = existing
        self._incoming = incoming
        self._allow_undefined = allow_undefined

    def __str__(self) -> str:
        reason = self._existing.incompatibility(self._incoming, self._allow_undefined)
        return f"{self._prefix}{reason}"


class Several(SchedulingError):
    """The reasons of several NodePools."""

    __slots__ = ("_errors",)

    def __init__(self, errors: Iterable[SchedulingError]) -> None:
        self._errors = list(errors)

    @property
    def reserved(self) -> bool:  # type: ignore[override]
        """Whether a reservation was in the way in any of them."""
        return any(error.reserved for error in self._errors)

    def __str__(self) -> str:
        return "; ".join(map(str, self._errors))


class Topology(SchedulingError):
    """A spread or affinity that cannot be met; counts are shown as they are when it is read."""

    __slots__ = ("_group", "_node_domains", "_pod_domains")

    def __init__(
        self, group: TopologyGroup, pod_domains: Requirement, node_domains: Requirement
    ) -> None:
        self._group = group
        self._pod_domains = pod_domains
        self._node_domains = node_domains

    def __str__(self) -> str:
        # The real message lacks the closing parenthesis, too.
        domains = self._group.domains
        names = sorted(domains)
        counts = ", ".join(f"{name}: {domains[name]}" for name in names[:_SHOWN_DOMAINS])
        if len(names) > _SHOWN_DOMAINS:
            counts += f" and {len(names) - _SHOWN_DOMAINS} other(s)"
        return (
            f"unsatisfiable topology constraint for {self._group.kind}, key={self._group.key} "
            f"(counts = {counts}, podDomains = {self._pod_domains}, "
            f"nodeDomains = {self._node_domains}"
        )


class InstanceTypeFilter(SchedulingError):
    """No instance type is left; `met` says what any type met alone, `pairs` what any met of two."""

    __slots__ = ("_daemons", "_met", "_min_values", "_pairs", "_pod_requests", "_requirements")

    def __init__(
        self,
        requirements: Requirements,
        pod_requests: ResourceList,
        daemons: Sequence[ResourceList],
        met: tuple[bool, bool, bool],
        pairs: tuple[bool, bool, bool],
        min_values: str = "",
    ) -> None:
        self._requirements = requirements
        self._pod_requests = pod_requests
        self._daemons = daemons
        self._met = met
        self._pairs = pairs
        self._min_values = min_values

    @property
    def is_min_values(self) -> bool:
        """Whether too few values were left."""
        return bool(self._min_values)

    def __str__(self) -> str:
        reason = self._min_values or _reason(self._met, self._pairs)
        text = f"{reason}, requirements={self._requirements}, resources={self._resources()}"
        only_fits_lacks = not self._min_values and self._met == (True, False, True)
        cpu = self._pod_requests.get(pod_resources.CPU, quantity.ZERO)
        if only_fits_lacks and cpu >= _MILLION:
            text += " (CPU request >= 1 Million, m vs M typo?)"
        return text

    def _resources(self) -> str:
        least: ResourceList = {}
        most: ResourceList = {}
        for each in self._daemons:
            if not most:
                least = most = each
            else:
                least = {
                    name: min(amount, each[name]) for name, amount in least.items() if name in each
                }
                most = {
                    name: max(most.get(name, quantity.ZERO), each.get(name, quantity.ZERO))
                    for name in {**most, **each}
                }
        if not least:
            return _shown(self._pod_requests)
        low = _shown(amounts.merged_quantities(least, self._pod_requests))
        high = _shown(amounts.merged_quantities(most, self._pod_requests))
        return low if low == high else f"min={low}, max={high}"


def _shown(resources: ResourceList) -> str:
    if not resources:
        return "{}"
    return json_encoding.marshal({name: str(each) for name, each in resources.items()})


_SCHEDULING: Final = "met the scheduling requirements"
_ENOUGH: Final = "had enough resources"
_OFFERED: Final = "had a required offering"


def _reason(met: tuple[bool, bool, bool], pairs: tuple[bool, bool, bool]) -> str:
    conditions = zip((_SCHEDULING, _ENOUGH, _OFFERED), met, strict=True)
    lacking = [text for text, any_type in conditions if not any_type]
    if len(lacking) > 1:
        return f"no instance type {' or '.join(lacking)}"
    if lacking:
        return {
            _SCHEDULING: "no instance type met all requirements",
            _ENOUGH: "no instance type has enough resources",
            _OFFERED: "no instance type has the required offering",
        }[lacking[0]]
    requirements_and_fits, fits_and_offering, requirements_and_offering = pairs
    if requirements_and_fits:
        return f"no instance type which {_SCHEDULING} and {_ENOUGH}, had a required offering"
    if fits_and_offering:
        return f"no instance type which {_ENOUGH} and the required offering {_SCHEDULING}"
    if requirements_and_offering:
        return (
            f"no instance type which {_SCHEDULING} and the required offering had the required "
            "resources"
        )
    return "no instance type met the requirements/resources/offering tuple"
