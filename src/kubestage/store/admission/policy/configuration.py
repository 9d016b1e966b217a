"""Policies with their bindings, and the parameters that a binding names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import KubestageError
from kubestage.objects import labels
from kubestage.objects.admission import variables
from kubestage.objects.cel import authorizer_functions
from kubestage.store.admission import attributes as admission_attributes
from kubestage.store.admission import caller as callers
from kubestage.store.admission import matching
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.admission.attributes import Attributes
    from kubestage.store.core import Core

_CLUSTER_SCOPED: Final = (
    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
)
_NO_NAMESPACE: Final = "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
_NOT_FOUND: Final = "no params found for policy binding with `Deny` parameterNotFoundAction"


class ConfigurationError(KubestageError):
    """A policy or binding that cannot be used."""


class Invocation(NamedTuple):
    """A policy that is evaluated: for a binding, with one set of parameters if it has any.

    `error` says why it cannot be; `row` is the resource by which it matches.
    """

    policy: Json
    row: Kind
    binding: Json | None = None
    params: Json | None = None
    error: str = ""

    @property
    def fails(self) -> bool:
        """Whether a policy that cannot be evaluated refuses the request."""
        return bool(self.policy["spec"].get("failurePolicy") != "Ignore")


def invocations(core: Core, kind: str, attributes: Attributes) -> Iterator[Invocation]:
    """The policies of a kind that are for a request, by name, each with its bindings."""
    group = f"{admission_attributes.EXEMPT_GROUP}/v1"
    policies = core.read((group, kind))
    bindings: dict[str, list[Json]] = {}
    for _, binding in sorted(core.read((group, f"{kind}Binding")).items()):
        bindings.setdefault(binding["spec"].get("policyName") or "", []).append(binding)
    for name in sorted(policies):
        if name in bindings:
            yield from _of_policy(core, policies[name], bindings[name], attributes)


def _of_policy(
    core: Core, policy: Json, bindings: list[Json], attributes: Attributes
) -> Iterator[Invocation]:
    spec = policy["spec"]
    row = matching.matched(core, attributes, spec.get("matchConstraints") or {})
    if row is None:
        return
    params = spec.get("paramKind")
    param_row = None
    if params is not None:
        param_row = core.kinds.get(params.get("apiVersion") or "", params.get("kind") or "")
        if param_row is None:
            group, _, version = (params.get("apiVersion") or "").rpartition("/")
            shown = f"{group}/{version}, Kind={params.get('kind') or ''}"
            why = f"failed to find resource referenced by paramKind: '{shown}'"
            yield Invocation(policy, row, error=f"failed to configure policy: {why}")
            return
    for binding in bindings:
        match = binding["spec"].get("matchResources")
        if match is not None and matching.matched(core, attributes, match) is None:
            continue
        try:
            found = _params(core, param_row, binding["spec"].get("paramRef"), attributes.namespace)
        except ConfigurationError as error:
            yield Invocation(policy, row, binding, error=f"failed to configure binding: {error}")
            continue
        for each in found:
            yield Invocation(policy, row, binding, each)


def _params(
    core: Core, kind: Kind | None, reference: Json | None, namespace: str
) -> list[Json | None]:
    """What a binding has its policy evaluated with; nothing if that is to be passed over."""
    if kind is None or reference is None:
        return [None]
    where = reference.get("namespace") or ""
    if kind.namespaced:
        where = where or namespace
        if not where:
            raise ConfigurationError(_CLUSTER_SCOPED)
    elif where:
        raise ConfigurationError(_NO_NAMESPACE)
    objects = core.read(kind)
    found: list[Json | None] = []
    if reference.get("name"):
        one = objects.get(key_of(where if kind.namespaced else None, reference["name"]))
        found = [] if one is None else [one]
    else:
        selector = labels.from_label_selector(reference.get("selector") or {})
        found = [
            each
            for _, each in sorted(objects.items())
            if (not kind.namespaced or each["metadata"].get("namespace") == where)
            and selector.matches(each["metadata"].get("labels") or {})
        ]
    if not found and reference.get("parameterNotFoundAction") == "Deny":
        raise ConfigurationError(_NOT_FOUND)
    return found


def data(core: Core, attributes: Attributes, invocation: Invocation, obj: Json | None) -> Json:
    """The variables of a policy's expressions; `obj` is the object as it is by now."""
    request = attributes.request(invocation.row)
    found: Json = {
        "object": obj,
        "oldObject": attributes.versioned(invocation.row, attributes.old),
        "namespaceObject": admission_attributes.namespace_object(core, attributes),
        "params": invocation.params,
        **variables.bound(request),
        **authorizer(attributes, request),
    }
    return found


def authorizer(attributes: Attributes, request: Json) -> Json:
    """What expressions ask about the rights of the user."""
    user = request["userInfo"]
    resource = {
        "group": attributes.kind.group,
        "resource": attributes.kind.plural,
        "subresource": attributes.subresource,
        "namespace": attributes.namespace,
        "name": attributes.name,
    }
    return {
        "authorizer": authorizer_functions.authorizer(user),
        "authorizer.requestResource": authorizer_functions.resource_check(user, resource),
    }


def authorize(attributes: Json) -> tuple[bool, str]:
    """Whether a user may do something, by the rules of the server that asks."""
    caller = callers.current()
    return (True, "") if caller is None else caller.authorize(attributes)
