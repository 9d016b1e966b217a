"""The objects that a load created and did not see deleted."""

from __future__ import annotations

from kubestage.cluster.access import Answer, Call, Resource
from kubestage.clusterloader.call_log import CallLog
from kubestage.errors import NotFound
from kubestage.runs.load.remaining import remaining_objects


def test_what_is_left_is_listed_without_what_goes_with_its_namespace() -> None:
    calls = CallLog()

    def note(
        verb: str, kind: str, name: str, namespace: str = "", is_deleted: bool = False
    ) -> None:
        call = Call(verb=verb, resource=Resource("v1", kind), namespace=namespace, name=name)
        calls.add(0, call, Answer({}, NotFound("x") if is_deleted else None, 0, 0))

    for number in (1, 2, 3):
        note("create", "Namespace", f"own-{number}")
        note("create", "Pod", "a", f"own-{number}")
    note("create", "Pod", "b", "default")
    note("create", "Pod", "c", "default")
    note("create", "PriorityClass", "high")
    note("delete", "Pod", "c", "default")
    note("delete", "Namespace", "own-2", is_deleted=True)
    note("delete", "Namespace", "own-3")
    found = remaining_objects(calls)
    assert found.left == ["namespace/own-1", "pod/b in default", "priorityclass/high"]
    assert found.terminating == ["namespace/own-3"]
