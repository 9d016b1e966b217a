"""How kube-scheduler begins: discovery of Events, then eighteen informers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.server.scheduler_contract.go_client import Refused
from tests.server.scheduler_contract.informers import INITIAL_END, PATHS, Informers, Reflector

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.server.scheduler_contract.go_client import GoClient


def pod(name: str, **spec: Any) -> Json:
    containers = [{"name": "c", "image": "busybox"}]
    metadata = {"name": name}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata,
            "spec": {"containers": containers, **spec}}  # fmt: skip


def config_map(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def test_the_events_group_is_discovered_alone(client: GoClient) -> None:
    found = client.get("/apis/events.k8s.io/v1")
    assert found["kind"] == "APIResourceList"
    assert found["groupVersion"] == "events.k8s.io/v1"
    (events,) = found["resources"]
    assert (events["name"], events["kind"], events["namespaced"]) == ("events", "Event", True)
    assert {"create", "patch", "update", "get"} <= set(events["verbs"])


@pytest.mark.parametrize("is_streaming", [True, False], ids=["watch-list", "list"])
def test_all_informers_sync(client: GoClient, *, is_streaming: bool) -> None:
    with Informers(client, is_streaming=is_streaming) as informers:
        assert len(informers["nodes"].objects) == 3
        assert "kube-system" in informers["namespaces"].objects
        begun = "watch-list" if is_streaming else "list"
        for name, each in informers.all.items():
            assert each.log[0] == begun, name
            assert int(each.version) > 0
            if is_streaming:
                assert all("kind" in obj for obj in each.objects.values())


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_a_watch_list_that_may_not_be_older_is_needed(client: GoClient, path: str) -> None:
    with (
        pytest.raises(Refused) as refused,
        client.stream(path, sendInitialEvents="true", allowWatchBookmarks="true"),
    ):
        pass
    assert refused.value.code == 422
    assert refused.value.reason == "Invalid"


def test_the_first_bookmark_tells_which_kind_it_is_of(client: GoClient) -> None:
    query = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
    path = PATHS["resourceclaims"]
    with client.stream(path, allowWatchBookmarks="true", timeoutSeconds=300, **query) as lines:
        events = (msgspec.json.decode(line) for line in lines)
        event = next(each for each in events if each["type"] != "ADDED")
    assert event["type"] == "BOOKMARK"
    bookmark = event["object"]
    assert (bookmark["apiVersion"], bookmark["kind"]) == ("resource.k8s.io/v1", "ResourceClaim")
    assert bookmark["metadata"]["annotations"] == {INITIAL_END: "true"}


def test_finished_pods_leave_the_selection(client: GoClient, namespace: str) -> None:
    with Informers(client) as informers:
        pods = informers["pods"]
        path = f"/api/v1/namespaces/{namespace}/pods"
        client.post(path, pod("p"))
        key = f"{namespace}/p"
        pods.wait(lambda found: key in found)
        client.patch(f"{path}/p/status", {"status": {"phase": "Succeeded"}})
        pods.wait(lambda found: key not in found)


def test_a_watch_goes_on_where_its_connection_broke(client: GoClient, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    follower = Reflector(client, path)
    follower.start()
    try:
        assert follower.synced.wait(20)
        for number in range(3):
            client.post(path, config_map(f"before-{number}"))
            follower.cut()
            client.post(path, config_map(f"after-{number}"))
        follower.wait(lambda found: sum(key.endswith("-2") for key in found) == 2)
        names = [key.partition("/")[2] for key in follower.objects if "kube-root" not in key]
        kinds = ("before", "after")
        assert names == [f"{kind}-{number}" for number in range(3) for kind in kinds]
        assert follower.log.count("watch-list") == 1
        assert "watch" in follower.log
    finally:
        follower.stop()


def test_a_watch_that_times_out_is_opened_again_without_a_loss(
    client: GoClient, namespace: str
) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    version = client.get(path)["metadata"]["resourceVersion"]
    with client.stream(path, resourceVersion=version, timeoutSeconds=1) as lines:
        client.post(path, config_map("a"))
        event = msgspec.json.decode(lines.readline())
        assert lines.readline() == b""
    client.post(path, config_map("b"))
    seen = event["object"]["metadata"]["resourceVersion"]
    with client.stream(path, resourceVersion=seen, timeoutSeconds=300) as lines:
        event = msgspec.json.decode(lines.readline())
    assert event["object"]["metadata"]["name"] == "b"


def test_a_version_that_never_was_is_recovered_from(client: GoClient, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(path, config_map("a"))
    follower = Reflector(client, path)
    follower.version = "9" * 18
    follower.start()
    try:
        assert follower.synced.wait(20)
        assert follower.log[:3] == ["watch", "gone", "watch-list"]
        assert f"{namespace}/a" in follower.objects
    finally:
        follower.stop()
