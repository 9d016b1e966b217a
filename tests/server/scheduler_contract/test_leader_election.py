"""Several candidates, one Lease, and who schedules."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from kubestage.objects import timestamps
from tests.server.scheduler_contract import scheduler_calls as calls
from tests.server.scheduler_contract.go_client import GoClient, Refused

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.server.served import Served


LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
DURATION_S = 15
# How long the client of the elector waits, which it tells the server.
TIMEOUT = "5s"


class Candidate:
    """client-go's leader elector with a lock that is a Lease."""

    def __init__(self, client: GoClient, identity: str, name: str) -> None:
        self.client = client
        self.identity = identity
        self.name = name
        self._seen: Json | None = None
        self._seen_s = 0.0

    def try_acquire_or_renew(self, *, is_impatient: bool = False) -> bool:
        """Whether it leads now; an impatient one takes the present holder for dead."""
        try:
            lease = self.client.get(f"{LEASES}/{self.name}", timeout=TIMEOUT)
        except Refused as refused:
            if (refused.code, refused.reason) != (404, "NotFound"):
                raise
            return self._write("POST", LEASES, self._lease({}, 0))
        spec = lease["spec"]
        if self._seen is None or self._seen["spec"] != spec:
            self._seen, self._seen_s = lease, time.monotonic()
        holder = spec.get("holderIdentity")
        is_valid = time.monotonic() - self._seen_s < DURATION_S and not is_impatient
        if holder and holder != self.identity and is_valid:
            return False
        transitions = spec["leaseTransitions"] + (holder != self.identity)
        renewed = self._lease(lease["metadata"], transitions)
        if holder == self.identity:
            renewed["spec"]["acquireTime"] = spec["acquireTime"]
        return self._write("PUT", f"{LEASES}/{self.name}", renewed)

    def _lease(self, metadata: Json, transitions: int) -> Json:
        spec = {
            "holderIdentity": self.identity,
            "leaseDurationSeconds": DURATION_S,
            "acquireTime": calls.now(),
            "renewTime": calls.now(),
            "leaseTransitions": transitions,
        }
        metadata = {**metadata, "name": self.name, "namespace": "kube-system"}
        typed = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
        return {**typed, "metadata": metadata, "spec": spec}

    def _write(self, verb: str, path: str, lease: Json) -> bool:
        try:
            written = getattr(self.client, verb.lower())(f"{path}?timeout={TIMEOUT}", lease)
        except Refused as refused:
            if refused.reason not in ("AlreadyExists", "Conflict"):
                raise
            return False
        self._seen, self._seen_s = written, time.monotonic()
        return True


@pytest.fixture
def name(namespace: str) -> str:
    """The name of a lock of the test's own."""
    return f"kube-scheduler-{namespace}"


def test_of_many_candidates_one_leads(served: Served, name: str) -> None:
    leaders: list[str] = []
    barrier = threading.Barrier(5)

    def run(identity: str) -> None:
        candidate = Candidate(GoClient(served.kubeconfig), identity, name)
        barrier.wait()
        leaders.extend(identity for _ in range(5) if candidate.try_acquire_or_renew())
        candidate.client.close()

    threads = [threading.Thread(target=run, args=(f"machine-{number}",)) for number in range(5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(leaders) == 5
    assert len(set(leaders)) == 1


def test_of_many_who_think_the_leader_dead_one_takes_over(served: Served, name: str) -> None:
    first = Candidate(GoClient(served.kubeconfig), "first", name)
    assert first.try_acquire_or_renew()
    others = [Candidate(GoClient(served.kubeconfig), f"other-{n}", name) for n in range(2)]
    # Both have read the same version; the slower one is told so.
    stale = others[1].client.get(f"{LEASES}/{name}")
    assert others[0].try_acquire_or_renew(is_impatient=True)
    renewed = {**stale, "spec": {**stale["spec"], "holderIdentity": "other-1"}}
    assert not others[1]._write("PUT", f"{LEASES}/{name}", renewed)
    assert not first.try_acquire_or_renew()
    lease = first.client.get(f"{LEASES}/{name}")
    assert lease["spec"]["holderIdentity"] == "other-0"
    assert lease["spec"]["leaseTransitions"] == 1
    for each in (first, *others):
        each.client.close()


def test_a_lease_keeps_its_microseconds(client: GoClient, name: str) -> None:
    candidate = Candidate(client, "me", name)
    assert candidate.try_acquire_or_renew()
    before = client.get(f"{LEASES}/{name}")["spec"]
    assert candidate.try_acquire_or_renew()
    after = client.get(f"{LEASES}/{name}")["spec"]
    assert before["acquireTime"] == after["acquireTime"]
    assert timestamps.parse_micro_time(before["renewTime"]) < timestamps.parse_micro_time(
        after["renewTime"]
    )


def test_who_became_leader_is_told_with_an_event_of_the_core_group(
    client: GoClient, name: str
) -> None:
    about = {"kind": "Lease", "namespace": "kube-system", "name": name,
             "apiVersion": "coordination.k8s.io/v1"}  # fmt: skip
    moment = calls.now()[:19] + "Z"
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.{time.time_ns():x}", "namespace": "kube-system"},
        "involvedObject": about,
        "reason": "LeaderElection",
        "message": "machine_1 became leader",
        "source": {"component": "default-scheduler"},
        "firstTimestamp": moment,
        "lastTimestamp": moment,
        "count": 1,
        "type": "Normal",
        "reportingComponent": "default-scheduler",
    }
    created = client.post("/api/v1/namespaces/kube-system/events", event)
    assert created["count"] == 1
    path = f"{calls.events_path('kube-system')}/{created['metadata']['name']}"
    assert client.get(path)["regarding"]["name"] == name
