"""The unit of action: all objects of one replica in one namespace, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from kubestage.cluster.access import Answer, Call, Resource
from kubestage.clusterloader.reading import object_checks
from kubestage.errors import AlreadyExists, InputError, NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.clusterloader.config import ObjectSpec
    from kubestage.clusterloader.replicas import Leftovers
    from kubestage.clusterloader.requests import Requests


def merge_patch_for(current: Any, desired: dict[str, Any]) -> dict[str, Any]:
    """The JSON merge patch that brings an object to what its template says.

    Nothing is taken away: a field that only the object has stays.
    """
    patch: dict[str, Any] = {}
    for key, value in desired.items():
        if value is None:
            continue
        if not isinstance(current, dict) or key not in current:
            patch[key] = value
        elif isinstance(value, dict) and isinstance(current[key], dict):
            inner = merge_patch_for(current[key], value)
            if inner:
                patch[key] = inner
        elif value != current[key]:
            patch[key] = value
    return patch


CREATE, PATCH, DELETE = "create", "patch", "delete"
_WORDS = {CREATE: "creation", PATCH: "updating", DELETE: "deletion"}
_NO_PATH = "the server does not allow this method on the requested resource"


class Objects(Protocol):
    """Where objects come from: a template, filled or as it is."""

    def objects(self, path: str, mapping: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The objects that a filled template describes; none if it is empty."""

    def raw_objects(self, path: str) -> list[dict[str, Any]]:
        """The objects of a template that is not filled: their kind is known."""


class ActionContext(msgspec.Struct, frozen=True):
    """What all actions of a load use."""

    requests: Requests
    templates: Objects
    mapping: dict[str, Any]
    leftovers: Leftovers


class Bundle:
    """One action: it creates, patches or deletes the objects of one replica.

    An error ends a creation or an update at its object; a deletion goes on to the others. It is
    called with a function to call when it is over.
    """

    __slots__ = (
        "_context",
        "_done",
        "_errors",
        "_index",
        "_left",
        "_namespace",
        "_specs",
        "_verb",
    )

    def __init__(
        self,
        context: ActionContext,
        verb: str,
        specs: tuple[ObjectSpec, ...],
        namespace: str,
        index: int,
        errors: list[str],
    ) -> None:
        self._context = context
        self._verb = verb
        self._specs = list(specs if verb == DELETE else reversed(specs))
        self._namespace = namespace
        self._index = index
        self._errors = errors
        self._left: list[_Work] = []
        self._done: Callable[[], None] | None = None

    def __call__(self, done: Callable[[], None]) -> None:
        """Begin."""
        self._done = done
        self._go_on()

    def _go_on(self) -> None:
        while not self._left:
            if not self._specs:
                done, self._done = self._done, None
                assert done is not None
                done()
                return
            spec = self._specs.pop()
            try:
                self._left = self._work(spec)
            except InputError as problem:
                self._fail([str(problem)])
        self._left[0].begin()

    def _finished(self, work: _Work, error: str) -> None:
        self._left.remove(work)
        if error:
            self._errors.append(error)
            if self._verb != DELETE:
                # What is left of this very object is still done, and no other object after it.
                self._specs.clear()
        self._go_on()

    def _fail(self, errors: list[str]) -> None:
        self._errors.extend(errors)
        if self._verb != DELETE:
            self._specs.clear()

    def _work(self, spec: ObjectSpec) -> list[_Work]:
        name = f"{spec.basename}-{self._index}"
        context = self._context
        if self._verb == DELETE:
            found = context.templates.raw_objects(spec.template_path)
        else:
            mapping = {
                **context.mapping,
                **spec.fill_map,
                "BaseName": spec.basename,
                "Index": self._index,
                "Name": name,
                "Namespace": self._namespace,
            }
            found = context.templates.objects(spec.template_path, mapping)
        object_checks.check_twins(spec.template_path, found)
        return [
            _Work(context, self._verb, obj, self._namespace, name, self._finished) for obj in found
        ]


class _Work:
    """What is done to one object."""

    __slots__ = ("_context", "_done", "_name", "_namespace", "_object", "_resource", "_verb")

    def __init__(
        self,
        context: ActionContext,
        verb: str,
        obj: dict[str, Any],
        namespace: str,
        name: str,
        done: Callable[[_Work, str], None],
    ) -> None:
        self._context = context
        self._verb = verb
        self._object = obj
        self._resource = Resource.of(obj)
        self._namespace = namespace
        self._name = name
        self._done = done

    def begin(self) -> None:
        """Make the call that does it; an update has to see the object first."""
        verb, requests = self._verb, self._context.requests
        if verb == CREATE and object_checks.lacks_namespace(self._object, self._namespace):
            # ClusterLoader2 posts it to the path of all namespaces, which takes no object.
            self._done(self, self._failed(_NO_PATH))
        elif verb == CREATE:
            call = self._call(CREATE, body=self._named(), namespace=self._namespace)
            requests.make(call, self._finish, allowed=(AlreadyExists,))
        elif verb == PATCH:
            requests.make(self._call("get"), self._compare)
        else:
            call = self._call(DELETE, propagation="Background")
            requests.make(call, self._finish, allowed=(NotFound,))

    def _call(self, verb: str, **more: Any) -> Call:
        fields = {"namespace": self._namespace, "name": self._name, **more}
        return Call(verb=verb, resource=self._resource, **fields)

    def _named(self) -> dict[str, Any]:
        metadata = {
            key: value
            for key, value in (self._object.get("metadata") or {}).items()
            if key != "generateName"
        }
        return {**self._object, "metadata": {**metadata, "name": self._name}}

    def _compare(self, answer: Answer) -> None:
        if answer.error is not None:
            self._finish(answer)
            return
        patch = merge_patch_for(answer.object, self._named())
        self._context.requests.make(self._call(PATCH, body=patch), self._finish)

    def _finish(self, answer: Answer) -> None:
        leftovers = self._context.leftovers
        error = ""
        if answer.error is not None:
            error = self._failed(answer.error.message)
        elif self._verb == CREATE and answer.object is not None:
            leftovers.created(self._resource, self._namespace, self._name)
        elif self._verb == DELETE:
            leftovers.deleted(self._resource, self._namespace, self._name)
        self._done(self, error)

    def _failed(self, why: str) -> str:
        return f"namespace {self._namespace} object {self._name} {_WORDS[self._verb]} error: {why}"
