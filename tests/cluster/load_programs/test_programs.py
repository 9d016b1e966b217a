"""The programs of ClusterLoader2's images: which calls they make, and how many."""

from __future__ import annotations

import msgspec
import pytest

from kubestage.cluster.profile import INSTANT, ApiSection, NetworkSection
from kubestage.objects import gvk
from tests.cluster.load_programs.pods import BENCHMARK, TARGETS, Staged

PATCH = ("patch", "--namespace=default", f"--pod-count={TARGETS}", "--pod-name-prefix=bench-")
SLOW = msgspec.structs.replace(INSTANT, network=NetworkSection(round_trip="100ms"))
# A bucket of tokens is full at the start.
BURST = 10


def test_a_writer_makes_as_many_calls_as_its_rate_and_time_allow() -> None:
    staged = Staged()
    staged.add(*PATCH, "--qps=20")
    staged.stage.run("30s")
    assert staged.calls("PATCH") == {200: BURST + 20 * 30}
    assert staged.programs.take_problems() == []


def test_patches_change_labels_of_all_pods_the_same_way_each_time() -> None:
    def labels() -> list[str]:
        staged = Staged()
        staged.add(*PATCH, "--qps", "10")
        staged.stage.run("10s")
        pods = staged.stage.store.read(gvk.POD)
        return [
            pods[f"default/bench-{each}"]["metadata"]["labels"]["bench-updated"]
            for each in range(TARGETS)
        ]

    assert labels() == labels()
    assert len(set(labels())) == TARGETS


def test_a_writer_stops_when_its_pod_is_deleted() -> None:
    staged = Staged()
    staged.add(*PATCH, "--qps=20")
    staged.stage.run("1s")
    staged.stage.store.delete(gvk.POD, "generator", "default")
    before = staged.calls("PATCH")
    staged.stage.run("30s")
    assert staged.calls("PATCH") == before == {200: BURST + 20}


def test_listers_send_the_next_request_when_they_have_an_answer() -> None:
    staged = Staged(SLOW)
    staged.add("--inflight=3", "--uri=/api/v1/pods?resourceVersion=0", "--content-type=proto")
    staged.stage.run("10s50ms")
    # One alone, and then three workers ten times a second.
    assert staged.calls("LIST") == {200: 1 + 3 * 99 + 3}


def test_the_requests_of_a_lister_can_be_limited_and_be_of_one_namespace() -> None:
    staged = Staged()
    staged.add("--namespace=default", "--uri=/api/v1/namespaces/%namespace%/pods", "--qps=5")
    staged.stage.run("10s")
    assert staged.calls("LIST") == {200: BURST + 5 * 10}
    scopes = {each.name.scope for each in staged.cluster.api.endpoints if each.name.verb == "LIST"}
    assert scopes == {"namespace"}


def test_without_a_limit_and_without_latency_time_passes_all_the_same() -> None:
    staged = Staged()
    staged.add("--uri=/api/v1/namespaces/default/pods/bench-0")
    staged.stage.run("1s")
    assert staged.calls("GET")[200] >= 1000


def test_a_request_that_never_succeeds_ends_the_program() -> None:
    staged = Staged()
    staged.add("--uri=/api/v1/namespaces/default/pods/absent")
    staged.stage.run("1s")
    assert staged.calls("GET")[404] == 10
    problem = "no request to /api/v1/namespaces/default/pods/absent was successful"
    assert staged.programs.take_problems() == [f"image {BENCHMARK}: {problem}"]


@pytest.mark.parametrize(("is_streamed", "lists"), [("false", {200: 2 * 6}), ("true", {})])
def test_informers_list_every_five_seconds_until_their_timeout(
    is_streamed: str, lists: dict[int, int]
) -> None:
    staged = Staged()
    feature = f"--enableWatchListFeature={is_streamed}"
    args = ("informer", "--v=4", "--timeout=30s", "--count=2", "--resource=pods", feature)
    staged.add(*args, command=["/benchmark"], restart="Never")
    staged.stage.run("2m")
    assert staged.phase == "Succeeded"
    assert staged.calls("LIST") == lists
    assert staged.programs.take_problems() == []


def test_a_container_that_is_restarted_starts_its_program_again() -> None:
    staged = Staged()
    staged.add("informer", "--timeout=8s", "--count=1", "--resource=pods")
    staged.stage.run("7s")
    assert staged.calls("LIST") == {200: 2}
    staged.stage.run("5s")
    assert staged.calls("LIST") == {200: 3}


def test_watch_list_is_the_same_program_as_informer() -> None:
    staged = Staged()
    image = "gcr.io/k8s-staging-perf-tests/watch-list:v0.0.4"
    staged.add("--timeout=10s", "-count", "3", "--namespace=default", image=image)
    staged.stage.run("9s")
    assert staged.calls("LIST", "secrets") == {200: 3 * 2}


def test_a_watch_is_open_while_its_pod_runs() -> None:
    def number(staged: Staged) -> int:
        families = {each.name: each for each in staged.cluster.families("apiserver")}
        return len(list(families["apiserver_longrunning_requests"].samples()))

    staged = Staged()
    words = ("--api-version=v1", "--resource=pods", "--content-type=proto")
    staged.add("watch", "--namespace=default", *words)
    staged.stage.run("1s")
    assert number(staged) == 1
    assert staged.calls("LIST") == {}
    staged.programs.stop()
    assert number(staged) == 0


def test_each_token_has_a_worker_with_its_own_rate() -> None:
    staged = Staged()
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    staged.stage.store.create(account, namespace="default")
    tokens = ("--access-token-dirs=/a,/b", "--access-token-dirs=/c", "--qps-per-worker=2")
    image = "gcr.io/k8s-testimages/perf-tests-util/access-tokens:v0.0.6"
    staged.add("--namespace=default", *tokens, image=image)
    staged.stage.run("9900ms")
    assert staged.calls("GET", "serviceaccounts") == {200: 3 * 20}


def small(**api: str) -> Staged:
    """A stage whose API server has one seat for service accounts."""
    section = ApiSection(
        max_requests_inflight=1,
        max_mutating_requests_inflight=0,
        priority_levels=True,
        **api,  # type: ignore[arg-type] # times
    )
    return Staged(msgspec.structs.replace(INSTANT, api=section))


def test_a_flood_is_refused_and_the_test_tells_of_it() -> None:
    staged = small(list="1s")
    staged.add("--inflight=400", "--uri=/api/v1/pods?resourceVersion=0")
    staged.stage.run("20s")
    assert set(staged.calls("LIST")) == {200}
    refused = sum(each.terminated for each in staged.cluster.api.endpoints)
    assert refused > 1_000
    [told] = staged.programs.take_refusals()
    assert told.endswith("calls (429), which no latency shows")
    assert told.startswith("priority level workload-low refused ")
    assert staged.programs.take_refusals() == []


def test_all_workers_of_a_program_start_no_more_than_ten_thousand_requests_a_second() -> None:
    staged = Staged()
    staged.add("--inflight=1000", "--uri=/api/v1/namespaces/default/pods/bench-0")
    before = staged.calls("GET").get(200, 0)
    staged.stage.run("1s")
    assert 9_000 <= staged.calls("GET")[200] - before <= 11_000


def test_patches_that_are_refused_are_repeated_as_the_library_does_it() -> None:
    staged = small(patch="10s")
    staged.add(*PATCH, "--qps=0.001")
    staged.stage.run("10m")
    endpoints = [
        each
        for each in staged.cluster.api.endpoints
        if (each.name.verb, each.name.resource) == ("PATCH", "pods")
    ]
    [served] = [each.codes[200] for each in endpoints if each.name.subresource == ""]
    assert served == BURST, "one at a time, each again after it was queued for 15 seconds"
    assert sum(each.terminated for each in endpoints) > BURST
