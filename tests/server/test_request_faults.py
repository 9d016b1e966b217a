"""Which requests meet a fault: by verb, kind, namespace and name, as often as it says."""

from __future__ import annotations

import pytest

from kubestage.objects.kinds import KindTable
from kubestage.server import request_faults
from kubestage.server.request_faults import FaultRule, RequestFaults, RequestSubject

PODS = KindTable().of({"apiVersion": "v1", "kind": "Pod"})
NODES = KindTable().of({"apiVersion": "v1", "kind": "Node"})
SUBJECT = RequestSubject("create", PODS, "shop", "web")


@pytest.mark.parametrize(
    ("rule", "is_met"),
    [
        (FaultRule(), True),
        (FaultRule(verbs=frozenset({"create", "get"})), True),
        (FaultRule(verbs=frozenset({"get"})), False),
        (FaultRule(kind=("", "pods")), True),
        (FaultRule(kind=("", "nodes")), False),
        (FaultRule(namespace="shop", name="web"), True),
        (FaultRule(namespace="other"), False),
        (FaultRule(name="other"), False),
        (FaultRule(left=0), False),
    ],
)
def test_a_rule_matches(rule: FaultRule, is_met: bool) -> None:
    assert rule.matches(SUBJECT) is is_met


def test_the_first_rule_is_met_as_often_as_it_says() -> None:
    faults = RequestFaults()
    first, second = FaultRule(left=2, code=429), FaultRule(code=500)
    faults.rules += [first, second]
    assert [faults.meet(SUBJECT) for _ in range(3)] == [first, first, second]
    assert (first.met, first.left, second.met, second.left) == (2, 0, 1, None)
    assert FaultRule(delay_s=1.0).error(SUBJECT) is None


@pytest.mark.parametrize("code", request_faults.CODES)
def test_every_code_is_a_status(code: int) -> None:
    for verb in ("create", "patch"):
        error = request_faults.error_of(code, RequestSubject(verb, NODES, None, "a"))
        assert error.status["code"] == code
        assert error.status["reason"]
        assert error.status["message"]
    reasons = {
        verb: request_faults.error_of(409, RequestSubject(verb, NODES, None, "a")).reason
        for verb in ("create", "update")
    }
    assert reasons == {"create": "AlreadyExists", "update": "Conflict"}
