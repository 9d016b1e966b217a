"""Makes the plan of a load: follows the counts of replicas from step to step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.cluster import clients
from kubestage.cluster.access import Resource
from kubestage.clusterloader.bundles import CREATE, DELETE, PATCH
from kubestage.clusterloader.planned import (
    LoadPlan,
    PlannedMeasurement,
    PlannedObject,
    PlannedPhase,
    PlannedStep,
    ReplicaChange,
    images_of,
    pods_of,
    samples,
)
from kubestage.clusterloader.reading import object_checks, undefined
from kubestage.clusterloader.replicas import Identity, ReplicaCounts
from kubestage.clusterloader.tuning.expectations import Expectations
from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure import params as parameters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.clusterloader.bundles import Objects
    from kubestage.clusterloader.config import Config, Mention, ObjectSpec, Phase, Step

# What stands for a prefix that the run is going to draw.
_PREFIX: Final = "test"
# Templates may draw random sizes: so many replicas are rendered, and the mean is taken.
_SAMPLES: Final = 16
# A little above the limit is not worth a word.
_TOLERANCE: Final = 1.05


def plan(
    config: Config,
    templates: Objects,
    mapping: Mapping[str, Any],
    *,
    nodes: int = 1,
    client_number: int | None = None,
) -> LoadPlan:
    """The plan of a load for a cluster of so many nodes."""
    number = clients.number_for(nodes) if client_number is None else client_number
    return _Planner(config, templates, mapping, nodes, number).plan()


class _Planner:
    """Goes through the steps and counts the objects."""

    def __init__(
        self,
        config: Config,
        templates: Objects,
        mapping: Mapping[str, Any],
        nodes: int,
        client_number: int,
    ) -> None:
        self._config = config
        self._templates = templates
        self._mapping = mapping
        self._nodes = nodes
        self._client_number = client_number
        self._expectations = Expectations(config.tuning_sets)
        self._replicas = ReplicaCounts()
        self._kinds: dict[str, list[Resource]] = {}
        self._pods: dict[tuple[str, str], float] = {}
        self._standing: dict[tuple[str, str], int] = {}
        self._created: dict[str, int] = {}
        self._peak: dict[str, int] = {}
        self._peak_pods = 0
        self._now_ns = 0
        # Dicts, because one template may be wrong in eighty phases.
        self._problems: dict[str, None] = {}
        self._notes: dict[str, None] = {}
        self._images: dict[str, None] = {}

    def plan(self) -> LoadPlan:
        steps = tuple(self._step(at, step) for at, step in enumerate(self._config.steps, 1))
        return LoadPlan(
            name=self._config.name,
            namespaces=self._config.namespaces.number,
            steps=steps,
            created=dict(sorted(self._created.items())),
            peak=dict(sorted(self._peak.items())),
            peak_pods=self._peak_pods,
            problems=tuple(self._problems),
            notes=tuple(self._notes),
            images=tuple(self._images),
        )

    def _step(self, number: int, step: Step) -> PlannedStep:
        phases = tuple(self._phase(phase) for phase in step.phases)
        mentioned = [(mention, self._measurements(mention)) for mention in step.measurements]
        paced_ns = max((phase.expected_ns for phase in phases), default=0)
        calls = sum(phase.calls for phase in phases)
        held_ns = self._held_ns(calls)
        is_closed = any(phase.is_open_ended for phase in phases)
        if held_ns > paced_ns * _TOLERANCE and not is_closed:
            name = f"step {number} ({step.name})" if step.name else f"step {number}"
            self._notes[
                f"{name}: its pace asks for {durations.go_string(paced_ns)}, the limits of "
                f"{self._client_number} client(s) make {durations.go_string(held_ns)} of it"
            ] = None
        slept_ns = max((_slept_ns(mention) for mention, _ in mentioned), default=0)
        expected_ns = max(paced_ns, held_ns, slept_ns)
        self._now_ns += expected_ns
        self._estimate()
        return PlannedStep(
            name=step.name,
            phases=phases,
            measurements=tuple(each for _, planned in mentioned for each in planned),
            expected_ns=expected_ns,
            is_open_ended=is_closed or any(_is_waited_for(mention) for mention, _ in mentioned),
            pods=self._standing_pods(),
        )

    def _held_ns(self, calls: int) -> int:
        """How long the clients take for so many calls."""
        number = self._client_number
        above = max(calls - number * clients.BURST, 0)
        return int(above / (number * clients.QPS) * durations.SECOND)

    def _estimate(self) -> None:
        kinds: dict[str, int] = {}
        for (kind, _), count in self._standing.items():
            kinds[kind] = kinds.get(kind, 0) + count
        for kind, count in kinds.items():
            self._peak[kind] = max(self._peak.get(kind, 0), count)
        self._peak_pods = max(self._peak_pods, self._standing_pods())

    def _standing_pods(self) -> int:
        return round(sum(count * self._pods.get(key, 0) for key, count in self._standing.items()))

    def _phase(self, phase: Phase) -> PlannedPhase:
        namespaces = self._namespaces(phase)
        changes = [self._change(phase, namespace) for namespace in namespaces]
        totals = {
            verb: sum(change.count for change in changes if change.verb == verb)
            for verb in (CREATE, PATCH, DELETE)
        }
        filled = samples([change for change in changes if change.verb != DELETE], _SAMPLES)
        actions, name = sum(totals.values()), phase.tuning_set
        is_known = name in self._expectations
        if not is_known:
            self._problems[f"tuning set {name!r} is not declared"] = None
        return PlannedPhase(
            tuning_set=name,
            namespaces=len(namespaces),
            replicas_per_namespace=phase.replicas_per_namespace,
            actions=actions,
            objects=tuple(
                each for spec in phase.objects for each in self._objects(spec, totals, filled)
            ),
            expected_ns=self._expectations.expected_ns(name, actions, self._now_ns)
            if is_known
            else 0,
            is_open_ended=bool(actions) and is_known and self._expectations.is_closed(name),
        )

    def _namespaces(self, phase: Phase) -> list[str]:
        if phase.namespace_list is not None:
            return list(phase.namespace_list)
        reach = phase.namespace_range
        if reach is None:
            return [""]
        basename = self._config.namespaces.prefix or _PREFIX
        basename = basename if reach.basename is None else reach.basename
        return [f"{basename}-{each}" for each in range(reach.min, reach.max + 1)]

    def _change(self, phase: Phase, namespace: str) -> ReplicaChange:
        """What is done in a namespace."""
        identities = []
        for spec in phase.objects:
            if spec.list_unknown is not None:
                note = f"{spec.basename}: how many there are is counted when the step begins"
                self._notes[note] = None
            kinds = self._resources(spec)
            if kinds:
                kind = kinds[0]
                identities.append(Identity(namespace, spec.basename, kind.kind, kind.group))
        counts = [self._replicas.get(each) or 0 for each in identities]
        for each in identities:
            self._replicas.set(each, phase.replicas_per_namespace)
        if len(set(counts)) > 1:
            names = ", ".join(spec.basename for spec in phase.objects)
            self._problems[f"bundle of {names}: not the same number of replicas"] = None
        if len(set(counts)) != 1:
            return ReplicaChange(namespace, PATCH, 0, 0)
        count, desired = counts[0], phase.replicas_per_namespace
        if desired < count:
            return ReplicaChange(namespace, DELETE, desired, count - desired)
        if desired == count:
            return ReplicaChange(namespace, PATCH, 0, count)
        return ReplicaChange(namespace, CREATE, count, desired - count)

    def _resources(self, spec: ObjectSpec) -> list[Resource]:
        """The kinds that a template makes, as it says without being filled."""
        found = self._kinds.get(spec.template_path)
        if found is None:
            try:
                objects = self._templates.raw_objects(spec.template_path)
            except InputError as problem:
                self._problems[str(problem)] = None
                objects = []
            found = self._kinds[spec.template_path] = [Resource.of(obj) for obj in objects]
        return found

    def _objects(
        self, spec: ObjectSpec, totals: dict[str, int], filled: list[tuple[str, int]]
    ) -> list[PlannedObject]:
        self._render(spec, filled, is_new=not totals[PATCH])
        planned = []
        for resource in self._resources(spec):
            kind, key = resource.kind, (resource.kind, spec.basename)
            grown = totals[CREATE] - totals[DELETE]
            self._standing[key] = self._standing.get(key, 0) + grown
            self._created[kind] = self._created.get(kind, 0) + totals[CREATE]
            pods = self._pods.get(key, 0.0)
            planned.append(PlannedObject(kind=kind, basename=spec.basename, pods=pods, **totals))
        return planned

    def _render(self, spec: ObjectSpec, filled: list[tuple[str, int]], *, is_new: bool) -> None:
        """Fill the template for some replicas: whether that works, and how many pods they have."""
        pods: dict[str, int] = {each.kind: 0 for each in self._resources(spec)}
        for namespace, index in filled if pods else ():
            mapping = {
                **self._mapping,
                **spec.fill_map,
                "BaseName": spec.basename,
                "Index": index,
                "Name": f"{spec.basename}-{index}",
                "Namespace": namespace,
            }
            try:
                objects = self._templates.objects(spec.template_path, mapping)
                object_checks.check_twins(spec.template_path, objects)
            except InputError as problem:
                self._problems[f"{spec.basename}-{index}: {problem}"] = None
                return
            for obj in objects:
                if not self._undefined(spec, obj):
                    name = f"{spec.basename}-{index}"
                    found = object_checks.problems(obj, namespace, name, is_new=is_new)
                    lines = (f"{spec.template_path}: {each}" for each in found)
                    self._problems.update(dict.fromkeys(lines))
                self._images.update(dict.fromkeys(images_of(obj)))
                kind = Resource.of(obj).kind
                pods[kind] = pods.get(kind, 0) + pods_of(obj, self._nodes)
        for kind in pods if filled else ():
            self._pods[kind, spec.basename] = pods[kind] / len(filled)

    def _undefined(self, spec: ObjectSpec, obj: dict[str, Any]) -> bool:
        """Report where an object has no value for a variable."""
        found = list(undefined.paths(obj))
        for path in found:
            problem = f"{spec.template_path}: {path}: a variable in it has no value"
            self._problems[f"{problem} (add it to templateFillMap)"] = None
        return bool(found)

    def _measurements(self, mention: Mention) -> list[PlannedMeasurement]:
        if mention.identifier:
            instances = [(mention.identifier, mention.params)]
        else:
            instances = [
                (each.identifier, {**mention.params, **each.params}) for each in mention.instances
            ]
        return [
            PlannedMeasurement(
                mention.method, name, str(parameters.with_action(params).get("action", ""))
            )
            for name, params in instances
        ]


def _slept_ns(mention: Mention) -> int:
    """How long a Sleep sleeps; what is wrong with its parameters is for the run to say."""
    duration = mention.params.get("duration")
    if mention.method != "Sleep" or not isinstance(duration, str):
        return 0
    try:
        return max(durations.parse_duration(duration), 0)
    except ValueError:
        return 0


def _is_waited_for(mention: Mention) -> bool:
    """Whether it is unknown how long it takes: all waits, unless they only start."""
    action = parameters.with_action(mention.params).get("action", "")
    return mention.method.startswith("WaitFor") and action != "start"
