"""One phase under way: from the difference in replicas to actions, spread by a tuning set."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from kubestage.cluster.access import Answer, Call, Resource
from kubestage.clusterloader.bundles import CREATE, DELETE, PATCH, ActionContext, Bundle
from kubestage.clusterloader.replicas import Identity, ReplicaCounts
from kubestage.errors import InputError
from kubestage.objects import labels

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.clusterloader.config import ObjectSpec, Phase
    from kubestage.clusterloader.tuning.sets import TuningSets


class PhaseRun:
    """Brings the objects of a phase to the number that it states."""

    def __init__(
        self,
        phase: Phase,
        namespaces: list[str],
        context: ActionContext,
        replicas: ReplicaCounts,
        tuning: TuningSets,
    ) -> None:
        self.errors: list[str] = []
        self.actions = 0
        self.started = 0
        self.ended = 0
        self._phase = phase
        self._namespaces = namespaces
        self._context = context
        self._replicas = replicas
        self._tuning = tuning
        self._unknown: list[tuple[str, ObjectSpec, Resource]] = []
        self._reached: list[Identity] = []
        self._done: Callable[[], None] | None = None

    def start(self, done: Callable[[], None]) -> None:
        """Begin; `done` is called when all actions are over."""
        self._done = done
        try:
            resources = [self._resource(spec) for spec in self._phase.objects]
        except InputError as problem:
            self.errors.append(str(problem))
            self._finish()
            return
        for namespace in self._namespaces:
            for spec, resource in zip(self._phase.objects, resources, strict=True):
                identity = _identity(namespace, spec, resource)
                if self._replicas.get(identity) is None:
                    if spec.list_unknown is None:
                        self._replicas.set(identity, 0)
                    else:
                        self._unknown.append((namespace, spec, resource))
        self._unknown.reverse()
        self._count_next()

    def _resource(self, spec: ObjectSpec) -> Resource:
        """The kind of an object, as its template says without being filled."""
        found = self._context.templates.raw_objects(spec.template_path)
        if not found:
            raise InputError("the template is empty", file=spec.template_path)
        return Resource.of(found[0])

    def _count_next(self) -> None:
        if not self._unknown:
            self._begin()
            return
        namespace, spec, resource = self._unknown[-1]
        assert spec.list_unknown is not None
        selector = str(labels.from_label_selector(spec.list_unknown))
        call = Call(
            verb="list",
            resource=resource,
            namespace=namespace,
            label_selector=selector,
        )
        self._context.requests.make(call, self._counted)

    def _counted(self, answer: Answer) -> None:
        namespace, spec, resource = self._unknown.pop()
        items: list[Any] = [] if answer.object is None else answer.object.get("items") or []
        self._replicas.set(_identity(namespace, spec, resource), len(items))
        self._count_next()

    def _begin(self) -> None:
        specs, desired = self._phase.objects, self._phase.replicas_per_namespace
        resources = [self._resource(spec) for spec in specs]
        actions: list[Callable[[Callable[[], None]], None]] = []
        for namespace in self._namespaces:
            identities = [
                _identity(namespace, spec, each)
                for spec, each in zip(specs, resources, strict=True)
            ]
            counts = [self._replicas.get(identity) or 0 for identity in identities]
            problem = _uneven(specs, counts)
            if problem or not counts:
                self.errors.extend([problem] if problem else [])
                self._finish()
                return
            self._reached.extend(identities)
            verb, indices = _change(counts[0], desired)
            for index in indices:
                bundle = Bundle(self._context, verb, specs, namespace, index, self.errors)
                actions.append(functools.partial(self._start_action, bundle))
        self.actions = len(actions)
        try:
            self._tuning.execute(self._phase.tuning_set, actions, self._finish)
        except InputError as problem:
            self.errors.append(str(problem))
            self._finish()

    def _start_action(self, bundle: Bundle, done: Callable[[], None]) -> None:
        self.started += 1
        bundle(functools.partial(self._end_action, done))

    def _end_action(self, done: Callable[[], None]) -> None:
        self.ended += 1
        done()

    def _finish(self) -> None:
        for identity in self._reached:
            self._replicas.set(identity, self._phase.replicas_per_namespace)
        assert self._done is not None
        self._done()


def _identity(namespace: str, spec: ObjectSpec, resource: Resource) -> Identity:
    return Identity(namespace, spec.basename, resource.kind, resource.group)


def _change(count: int, desired: int) -> tuple[str, range]:
    """What is done, and to which replicas: fewer are deleted, as many patched, more created."""
    if desired < count:
        return DELETE, range(desired, count)
    if desired == count:
        return PATCH, range(desired)
    return CREATE, range(count, desired)


def _uneven(specs: tuple[ObjectSpec, ...], counts: list[int]) -> str:
    """What is wrong with a bundle whose objects are not as many; nothing if they are."""
    for at in range(1, len(counts)):
        if counts[at] != counts[at - 1]:
            return (
                f"bundle error: {specs[at].basename} has {counts[at]} replicas while "
                f"{specs[at - 1].basename} has {counts[at - 1]}"
            )
    return ""
