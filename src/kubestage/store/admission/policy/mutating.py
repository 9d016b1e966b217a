"""MutatingAdmissionPolicy: expressions that say how objects are to be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import AdmissionDenied, ApiError, InputError, KubestageError
from kubestage.objects import conversion, patches, timestamps
from kubestage.objects.admission import object_literals, programs
from kubestage.objects.admission.evaluation import NO_BUDGET, Evaluation, match
from kubestage.objects.admission.programs import ExpressionError
from kubestage.objects.cel import authorizer_functions, budget
from kubestage.objects.cel.budget import BudgetExceeded
from kubestage.objects.ownership import checking, merging, path_element, values
from kubestage.objects.patches import PatchType
from kubestage.store import custom_resources, field_managers
from kubestage.store.admission import attributes as admission_attributes
from kubestage.store.admission.policy import configuration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.cel.budget import Budget
    from kubestage.objects.kinds import Kind
    from kubestage.objects.ownership.topology import Atom
    from kubestage.store.admission.attributes import Attributes
    from kubestage.store.admission.policy.configuration import Invocation
    from kubestage.store.admission.reinvocation import Reinvocation
    from kubestage.store.core import Core

KIND: Final = "MutatingAdmissionPolicy"
_IF_NEEDED: Final = "IfNeeded"
_TEST_FAILED: Final = "test failed"


class MutationError(KubestageError):
    """A mutation that cannot be made."""


def admit(core: Core, attributes: Attributes, rounds: Reinvocation) -> Attributes:
    """The request with its object as the policies that match would have it."""
    rounds.begin(attributes.obj)
    problems: list[tuple[Invocation, str]] = []
    with authorizer_functions.answering(configuration.authorize):
        for invocation in list(configuration.invocations(core, KIND, attributes)):
            if invocation.error:
                problems.append((invocation, invocation.error))
            else:
                attributes = _invoked(core, attributes, invocation, rounds, problems)
    rounds.end(attributes.obj)
    failures = [each for each in problems if each[0].fails]
    if failures:
        raise _refusal(attributes, failures)
    return attributes


def _invoked(
    core: Core,
    attributes: Attributes,
    invocation: Invocation,
    rounds: Reinvocation,
    problems: list[tuple[Invocation, str]],
) -> Attributes:
    spec = invocation.policy["spec"]
    obj = attributes.versioned(invocation.row, attributes.obj)
    found = match(
        lambda left: _evaluation(core, attributes, invocation, obj, left),
        spec.get("matchConditions") or (),
        fails=invocation.fails,
    )
    if found.error:
        problems.append((invocation, found.error))
    if not found.matches or not rounds.is_due(_key(invocation)):
        return attributes
    changed = obj
    for mutation in spec.get("mutations") or () if obj is not None else ():
        assert changed is not None
        try:
            changed = _mutated(core, attributes, invocation, mutation, changed)
        except (ExpressionError, MutationError) as error:
            problems.append((invocation, str(error)))
    is_changed = changed != obj
    again = spec.get("reinvocationPolicy") == _IF_NEEDED
    rounds.called(_key(invocation), changed=is_changed, again=again)
    if not is_changed or changed is None:
        return attributes
    written = conversion.back(invocation.row, attributes.kind, changed)
    return attributes._replace(obj=written)


def _key(invocation: Invocation) -> tuple[str, ...]:
    assert invocation.binding is not None
    params = (invocation.params or {}).get("metadata") or {}
    names = [each["metadata"]["name"] for each in (invocation.policy, invocation.binding)]
    return (*names, params.get("namespace") or "", params.get("name") or "")


def _evaluation(
    core: Core, attributes: Attributes, invocation: Invocation, obj: Json | None, left: Budget
) -> Evaluation:
    spec = invocation.policy["spec"]
    return Evaluation(
        configuration.data(core, attributes, invocation, obj),
        left,
        has_params=spec.get("paramKind") is not None,
        variables=spec.get("variables") or (),
    )


def _mutated(
    core: Core, attributes: Attributes, invocation: Invocation, mutation: Json, obj: Json
) -> Json:
    """An object after one mutation, with the defaults of what that added."""
    is_patch = mutation["patchType"] == "JSONPatch"
    expression = mutation["jsonPatch" if is_patch else "applyConfiguration"]["expression"]
    returns = programs.PATCHES if is_patch else programs.OBJECT

    def evaluate(left: Budget) -> Any:
        evaluation = _evaluation(core, attributes, invocation, obj, left)
        return evaluation.value(expression, returns)

    try:
        value = budget.within(budget.LIMIT, evaluate)
    except BudgetExceeded:
        raise MutationError(NO_BUDGET) from None
    changed = _patched(obj, value) if is_patch else _applied(invocation.row, obj, value)
    now = timestamps.format_time(core.clock.unix_ns)
    try:
        complete = custom_resources.defaulted(invocation.row, changed, now)
    except InputError as error:
        raise ApiError(f"Internal error occurred: {error}") from None
    return admission_attributes.with_identity(complete, obj)


def _patched(obj: Json, operations: list[Any]) -> Json:
    plain = [object_literals.plain(each) for each in operations]
    for each in operations:
        literal = each.get("value")
        if isinstance(literal, dict) and object_literals.TYPE_KEY in literal:
            _check_types(literal, literal[object_literals.TYPE_KEY])
    try:
        patched = patches.apply(PatchType.JSON, obj, plain)
    except patches.PatchError as error:
        if str(error).endswith(_TEST_FAILED):
            return obj
        raise MutationError(f"JSON Patch: {error}") from None
    if not isinstance(patched, dict):
        raise MutationError("JSON Patch: the patch leaves no object")
    return patched


def _check_types(value: Any, root: str) -> None:
    try:
        object_literals.check_types(value, root)
    except object_literals.LiteralError as error:
        raise MutationError(f"type mismatch: {error}") from None


def _applied(kind: Kind, obj: Json, value: Any) -> Json:
    if not isinstance(value, dict) or value.get(object_literals.TYPE_KEY) != "Object":
        raise MutationError("unsupported return type from ApplyConfiguration expression: map")
    _check_types(value, "Object")
    own = {"apiVersion": kind.api_version, "kind": kind.kind}
    config = {**object_literals.plain(value), **own}
    shape = field_managers.shape_of(kind)
    misfits = checking.check(shape, config)
    if misfits:
        why = f"failed to convert patch object to typed object: {checking.text(misfits)}"
        raise MutationError(f"error applying patch: {why}")
    atomic = list(_atomic(shape, config, ""))
    if atomic:
        why = f"may not mutate atomic arrays, maps or structs: {', '.join(atomic)}"
        raise MutationError(f"error applying patch: invalid ApplyConfiguration: {why}")
    return merging.merge(shape, obj, config)


def _atomic(atom: Atom, value: Any, path: str) -> Iterator[str]:
    """The places of values that can only be replaced as a whole."""
    how = values.form(atom, value)
    if how == "map" and isinstance(value, dict):
        assert atom.map is not None
        if atom.map.atomic:
            yield path
        for key, item in value.items():
            below = atom.map.fields.get(key)
            if below is not None:
                yield from _atomic(below, item, f"{path}{path_element.text(f'f:{key}')}")
    elif how == "list" and isinstance(value, list):
        assert atom.list is not None
        if atom.list.atomic:
            yield path
        for index, item in enumerate(value):
            yield from _atomic(atom.list.element, item, f"{path}[{index}]")


def _refusal(attributes: Attributes, problems: list[tuple[Invocation, str]]) -> AdmissionDenied:
    texts = []
    for invocation, why in problems:
        name = invocation.policy["metadata"]["name"]
        if invocation.binding is None:
            texts.append(f'policy "{name}" denied request: {why}')
        else:
            binding = invocation.binding["metadata"]["name"]
            texts.append(f"policy '{name}' with binding '{binding}' denied request: {why}")
    details = attributes.forbidden("").details
    causes = [{"message": each} for each in texts]
    is_configured = not problems[0][0].error
    reason = "Invalid" if is_configured else "Forbidden"
    return AdmissionDenied(texts[0], 403, reason, {**details, "causes": causes})
