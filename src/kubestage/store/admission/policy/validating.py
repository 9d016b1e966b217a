"""ValidatingAdmissionPolicy: expressions that must hold, or the request is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.errors import AdmissionDenied
from kubestage.objects.admission import programs
from kubestage.objects.admission.evaluation import NO_BUDGET, Evaluation, match
from kubestage.objects.admission.programs import ExpressionError
from kubestage.objects.cel import authorizer_functions, budget
from kubestage.objects.cel.budget import BudgetExceeded
from kubestage.store.admission import caller as callers
from kubestage.store.admission.policy import configuration

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.cel.budget import Budget
    from kubestage.store.admission.attributes import Attributes
    from kubestage.store.admission.policy.configuration import Invocation
    from kubestage.store.core import Core

KIND: Final = "ValidatingAdmissionPolicy"
_INVALID: Final = "Invalid"
_CODES: Final = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}
_LONGEST_MESSAGE: Final = 5 * 1024
_LONGEST_ANNOTATION: Final = 10 * 1024
_FAILURE: Final = "validation.policy.admission.k8s.io/validation_failure"


class _Decision(NamedTuple):
    """Why a policy is against a request; `position` is that of the validation."""

    invocation: Invocation
    message: str
    reason: str = _INVALID
    position: int = 0


def check(core: Core, attributes: Attributes) -> None:
    """Refuse a request that a policy is against; warn and annotate as its bindings say."""
    denied: list[_Decision] = []
    annotations: dict[str, list[str]] = {}
    with authorizer_functions.answering(configuration.authorize):
        for invocation in configuration.invocations(core, KIND, attributes):
            if invocation.error:
                if invocation.fails:
                    denied.append(_Decision(invocation, invocation.error))
                continue
            for decision in _decisions(core, attributes, invocation, annotations):
                _act(attributes, decision, denied)
    _publish(annotations)
    if denied:
        raise _refusal(attributes, denied[0])


def _act(attributes: Attributes, decision: _Decision, denied: list[_Decision]) -> None:
    policy, binding = decision.invocation.policy, decision.invocation.binding
    assert binding is not None
    actions = binding["spec"].get("validationActions") or ()
    names = policy["metadata"]["name"], binding["metadata"]["name"]
    if decision.position < 0 or "Deny" in actions:
        # An annotation that fails refuses the request, whatever the binding says.
        denied.append(decision)
    if decision.position < 0:
        return
    if "Audit" in actions:
        value = {
            "message": decision.message,
            "policy": names[0],
            "binding": names[1],
            "expressionIndex": decision.position,
            "validationActions": list(actions),
        }
        _annotate(_FAILURE, msgspec.json.encode([value]).decode())
    if "Warn" in actions:
        attributes.warn(
            f"Validation failed for {KIND} '{names[0]}' with binding '{names[1]}': "
            f"{decision.message}"
        )


def _decisions(
    core: Core, attributes: Attributes, invocation: Invocation, annotations: dict[str, list[str]]
) -> list[_Decision]:
    spec = invocation.policy["spec"]
    obj = attributes.versioned(invocation.row, attributes.obj)
    data = configuration.data(core, attributes, invocation, obj)

    def make(left: Budget) -> Evaluation:
        has_params = spec.get("paramKind") is not None
        listed = spec.get("variables") or ()
        return Evaluation(data, left, has_params=has_params, variables=listed)

    found = match(make, spec.get("matchConditions") or (), fails=invocation.fails)
    if found.error:
        return [_Decision(invocation, found.error)]
    if not found.matches:
        return []
    try:
        decisions = budget.within(
            budget.LIMIT, lambda left: _validated(make(left), invocation, left)
        )
        noted = _Noted([], [])
        if spec.get("auditAnnotations"):
            noted = budget.within(budget.LIMIT, lambda left: _annotated(make(left), invocation))
    except BudgetExceeded:
        return [_Decision(invocation, NO_BUDGET)] if invocation.fails else []
    for key, text in noted.texts:
        values = annotations.setdefault(key, [])
        if text and text not in values:
            values.append(text)
    return decisions + noted.failed


def _validated(evaluation: Evaluation, invocation: Invocation, left: Budget) -> list[_Decision]:
    """What the validations of a policy decide: first all of them, then their messages."""
    validations = invocation.policy["spec"].get("validations") or ()
    results: list[bool | str] = []
    for each in validations:
        try:
            results.append(evaluation.value(each["expression"], programs.BOOL) is True)
        except ExpressionError as error:
            results.append(str(error))
    evaluation.begin(left)
    try:
        messages = [
            _message(evaluation, each, is_needed=result is False)
            for each, result in zip(validations, results, strict=True)
        ]
    except BudgetExceeded:
        text = f"failed messageExpression: {NO_BUDGET}"
        results = [each if isinstance(each, str) else text for each in results]
        messages = []
    decisions = []
    for index, result in enumerate(results):
        if isinstance(result, str):
            if invocation.fails:
                decisions.append(_Decision(invocation, result, position=index))
        elif not result:
            reason = validations[index].get("reason") or _INVALID
            decisions.append(_Decision(invocation, messages[index], reason, index))
    return decisions


def _message(evaluation: Evaluation, validation: Json, *, is_needed: bool) -> str:
    """What to say of a request that a validation is against; it is paid for in any case."""
    expression = validation.get("messageExpression")
    if expression:
        try:
            text = evaluation.text(expression, is_needed=is_needed)
        except ExpressionError:
            text = ""
        if text and "\n" not in text and len(text.encode()) <= _LONGEST_MESSAGE:
            return str(text)
    message = (validation.get("message") or "").strip()
    return message or f"failed expression: {validation['expression'].strip()}"


class _Noted(NamedTuple):
    """The annotations of a policy for the audit log, by key; those that fail are refusals."""

    texts: list[tuple[str, str]]
    failed: list[_Decision]


def _annotated(evaluation: Evaluation, invocation: Invocation) -> _Noted:
    noted = _Noted([], [])
    name = invocation.policy["metadata"]["name"]
    for each in invocation.policy["spec"].get("auditAnnotations") or ():
        try:
            value: Any = evaluation.value(each["valueExpression"].strip(), programs.TEXT_OR_NULL)
        except ExpressionError as error:
            if invocation.fails:
                noted.failed.append(_Decision(invocation, str(error), position=-1))
            continue
        text = (value or "").strip()[:_LONGEST_ANNOTATION]
        noted.texts.append((f"{name}/{each['key']}", text))
    return noted


def _publish(annotations: dict[str, list[str]]) -> None:
    for key, values in annotations.items():
        if values:
            _annotate(key, ", ".join(values))


def _annotate(key: str, value: str) -> None:
    caller = callers.current()
    if caller is not None:
        caller.audit.setdefault(key, value)


def _refusal(attributes: Attributes, decision: _Decision) -> AdmissionDenied:
    policy, binding = decision.invocation.policy, decision.invocation.binding
    by = f" with binding '{binding['metadata']['name']}'" if binding is not None else ""
    message = f"{KIND} '{policy['metadata']['name']}'{by} denied request: {decision.message}"
    error = attributes.forbidden(message)
    details = {**error.details, "causes": [{"message": message}]}
    code = _CODES.get(decision.reason, 422)
    return AdmissionDenied(error.message, code, decision.reason, details)
