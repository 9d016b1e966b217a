"""Watches: what is there, every change, and nothing lost when connections are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kubestage.remote import kubeconfig, wire
from kubestage.remote.cluster import RemoteCluster
from tests.remote.asking import CONFIG_MAP, POD, Watching, ask, config_map, done, pause, wait
from tests.remote.scripted_api import answer, bookmark, event, items, pod, refusal, scripted, stream
from tests.server.served import Served

if TYPE_CHECKING:
    import pathlib

PODS = "/api/v1/pods"
WATCH = "/api/v1/pods?watch"
GONE = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired"}}


def test_what_is_there_and_every_change_are_told_in_order(
    cluster: RemoteCluster, namespace: str
) -> None:
    where = {"namespace": namespace, "name": "one"}
    body = config_map("one")
    body["metadata"]["labels"] = {"mine": "yes"}
    done(ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=body))

    watching = Watching(cluster, CONFIG_MAP, namespace=namespace, label_selector="mine")
    assert not watching.subscription.is_synced
    watching.synced()
    assert watching.names() == [("ADDED", "one")]

    before_ns = cluster.moments.now_ns
    done(ask(cluster, "patch", CONFIG_MAP, **where, body={"data": {"a": "1"}}))
    done(ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=config_map("other")))
    done(ask(cluster, "delete", CONFIG_MAP, **where))

    assert watching.wait_for(3) == [("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "one")]
    assert watching.told[1].object["data"] == {"a": "1"}
    assert {(each.object["apiVersion"], each.object["kind"]) for each in watching.told} == {
        ("v1", "ConfigMap")
    }
    assert before_ns < watching.told[1].at_ns <= watching.told[2].at_ns <= cluster.moments.now_ns


def test_who_stops_is_told_no_more(cluster: RemoteCluster, namespace: str) -> None:
    first, second = (Watching(cluster, CONFIG_MAP, namespace=namespace) for _ in range(2))
    first.synced(), second.synced()
    seen = len(first.told)
    first.subscription.stop()
    first.subscription.stop()
    done(ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=config_map("one")))
    wait(cluster, lambda: ("ADDED", "one") in second.names())
    assert len(first.told) == seen


def test_watchers_of_one_selection_share_a_connection_and_are_told_the_same() -> None:
    many = [pod(f"pod-{number}") for number in range(1200)]
    with scripted() as (api, cluster):
        api.on(PODS, items("5", *many))
        api.on(WATCH, stream(event("MODIFIED", pod("pod-3", "6"))))
        first = Watching(cluster, POD).synced()
        wait(cluster, lambda: len(first.told) == 1201)

        late = Watching(cluster, POD)
        assert not late.subscription.is_synced
        late.synced()

        assert len(late.told) == 1200
        assert {each.type for each in late.told} == {"ADDED"}
        assert late.told[3].object["metadata"]["resourceVersion"] == "6"
        assert len(api.asked(WATCH)) == 1


def test_a_latecomer_hears_of_a_change_once_and_never_of_what_is_gone() -> None:
    many = [pod(f"pod-{number}") for number in range(2000)]
    with scripted() as (api, cluster):
        api.on(PODS, items("5", *many))
        api.on(WATCH, stream())
        watch = Watching(cluster, POD).synced().subscription._watch
        late = Watching(cluster, POD)
        # Before it has heard of anything, two of the last ones change.
        watch._on_line(_line(event("MODIFIED", pod("pod-1900", "7"))), 1)
        watch._on_line(_line(event("DELETED", pod("pod-1901", "8"))), 1)
        late.synced()
        assert len(late.told) == 1999
        assert late.names()[0] == ("ADDED", "pod-1900")
        assert late.told[0].object["metadata"]["resourceVersion"] == "7"
        assert {kind for kind, _ in late.names()} == {"ADDED"}
        assert len(set(late.names())) == 1999
        assert ("ADDED", "pod-1901") not in late.names()


def test_what_was_about_to_be_told_is_not_told_to_who_has_stopped() -> None:
    with scripted() as (api, cluster):
        api.on(PODS, items("5"))
        api.on(WATCH, stream())
        watching = Watching(cluster, POD).synced()
        watching.subscription._watch._on_line(_line(event("ADDED", pod("one", "6"))), 1)
        watching.subscription.stop()
        pause(cluster, 50_000_000)
        assert watching.told == []


def test_a_watch_ends_with_its_last_watcher() -> None:
    with scripted() as (api, cluster):
        api.on(PODS, items("5"))
        api.on(WATCH, stream(bookmark("6"), stay=False))
        watching = Watching(cluster, POD).synced()
        wait(cluster, lambda: bool(api.asked(WATCH)))
        watching.subscription.stop()
        pause(cluster, 50_000_000)
        asked = len(api.requests)
        pause(cluster, 300_000_000)
        assert len(api.requests) == asked
        assert Watching(cluster, POD).synced().names() == []


def test_a_watch_that_makes_headway_is_taken_up_again_at_once() -> None:
    times = 12
    cut = [stream(event("ADDED", pod(f"pod-{each}", "6")), stay=False) for each in range(times)]
    with scripted() as (api, cluster):
        api.on(PODS, items("5"))
        api.on(WATCH, *cut, stream())
        # With a pause that doubles each time, this would take minutes.
        assert len(Watching(cluster, POD).wait_for(times)) == times


def test_many_pages_are_one_list() -> None:
    with scripted() as (api, cluster):
        api.on(
            PODS,
            items("5", pod("one"), following="token"),
            items("5", pod("two"), following=""),
        )
        api.on(WATCH, stream())
        assert Watching(cluster, POD).synced().names() == [("ADDED", "one"), ("ADDED", "two")]
        first, second = api.asked(PODS)
        assert first.query == {"limit": str(wire.PAGE)}
        assert second.query == {"limit": str(wire.PAGE), "continue": "token"}
        wait(cluster, lambda: bool(api.asked(WATCH)))
        assert api.asked(WATCH)[0].query["resourceVersion"] == "5"


def test_a_page_that_comes_too_late_begins_the_list_anew_in_one_piece() -> None:
    with scripted() as (api, cluster):
        api.on(
            PODS,
            items("5", pod("one"), pod("gone"), following="token"),
            refusal(410, "Expired"),
            items("9", pod("one"), pod("two")),
        )
        api.on(WATCH, stream())
        watching = Watching(cluster, POD).synced()
        assert {name: kind for kind, name in watching.names()} == {
            "one": "ADDED",
            "gone": "DELETED",
            "two": "ADDED",
        }
        assert "limit" not in api.asked(PODS)[2].query


def test_a_version_that_is_too_old_is_a_new_list_of_which_the_differences_are_told() -> None:
    before = [pod("same"), pod("changed"), pod("gone"), pod("replaced", uid="first")]
    after = [pod("same"), pod("changed", "7"), pod("replaced", "8", uid="second"), pod("new", "9")]
    for lost in (stream(GONE), refusal(410, "Gone")):
        with scripted() as (api, cluster):
            api.on(PODS, items("5", *before), items("9", *after))
            api.on(WATCH, lost, stream())
            watching = Watching(cluster, POD).synced()
            wait(cluster, lambda api=api: len(api.asked(WATCH)) == 2)  # type: ignore[misc]
            assert watching.names()[4:] == [
                ("MODIFIED", "changed"),
                ("DELETED", "replaced"),
                ("ADDED", "replaced"),
                ("ADDED", "new"),
                ("DELETED", "gone"),
            ]
            assert watching.told[-1].object["kind"] == "Pod"
            assert api.asked(WATCH)[1].query["resourceVersion"] == "9"


def test_a_watch_goes_on_from_the_last_version_that_it_heard_of() -> None:
    with scripted() as (api, cluster):
        api.on(PODS, items("5", pod("one")))
        api.on(
            WATCH,
            stream(event("MODIFIED", pod("one", "6")), bookmark("20"), stay=False),
            stream(event("DELETED", pod("one", "21"))),
        )
        watching = Watching(cluster, POD).synced()
        assert watching.wait_for(3) == [("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "one")]
        assert [each.query["resourceVersion"] for each in api.asked(WATCH)] == ["5", "20"]
        assert len(api.asked(PODS)) == 1


def test_events_are_read_however_they_are_cut_into_pieces() -> None:
    long = pod("long")
    long["data"] = "x" * 300_000
    whole = _line(event("ADDED", pod("one", "6"))).decode() + "\n"
    rest = _line(event("ADDED", long)).decode() + "\n" + whole.replace("one", "two")
    with scripted() as (api, cluster):
        api.on(PODS, items("5"))
        api.on(WATCH, stream(whole[:10], whole[10:] + rest[:99], rest[99:]))
        assert Watching(cluster, POD).wait_for(3) == [
            ("ADDED", "one"),
            ("ADDED", "long"),
            ("ADDED", "two"),
        ]


def test_trouble_is_told_while_it_lasts_and_tried_again_less_and_less_often() -> None:
    with scripted() as (api, cluster):
        api.on(PODS, *[refusal(403, "Forbidden")] * 3, items("5", pod("one")))
        api.on(WATCH, stream(bookmark("6")))
        watching = Watching(cluster, POD)
        wait(cluster, lambda: watching.subscription.problem != "" or bool(watching.told))
        wait(cluster, lambda: len(api.asked(PODS)) == 3)
        assert cluster.problems() == ["watching Pod: Forbidden it is"]
        assert cluster.problems(lasting_ns=60_000_000_000) == []
        watching.synced()
        wait(cluster, lambda: bool(api.asked(WATCH)) and not cluster.problems())
        assert watching.names() == [("ADDED", "one")]


def test_one_trouble_of_two_watches_of_a_kind_is_told_once() -> None:
    with scripted() as (api, cluster):
        api.on(PODS, refusal(403, "Forbidden"))
        api.on(WATCH, stream())
        for selector in ("", "a=b"):
            Watching(cluster, POD, label_selector=selector)
        wait(cluster, lambda: len(api.asked(PODS)) >= 4)
        assert cluster.problems() == ["watching Pod: Forbidden it is"]


def test_a_watch_that_is_refused_after_its_list_is_trouble() -> None:
    with scripted() as (api, cluster):
        api.on(PODS, items("5"))
        api.on(WATCH, refusal(400, "BadRequest"))
        Watching(cluster, POD).synced()
        wait(cluster, lambda: cluster.problems() == ["watching Pod: BadRequest it is"])


def test_who_is_asked_to_wait_waits() -> None:
    with scripted() as (api, cluster):
        api.on(PODS, refusal(429, "TooManyRequests", Retry_After="1"), items("5"))
        api.on(WATCH, stream())
        watching = Watching(cluster, POD)
        wait(cluster, lambda: len(api.asked(PODS)) == 1)
        asked_ns = cluster.moments.now_ns
        watching.synced()
        assert cluster.moments.now_ns - asked_ns >= 900_000_000


@pytest.mark.parametrize("line", ["no json", "[]", '{"type": "ADDED", "object": null}'])
def test_what_is_no_event_is_trouble_and_not_the_end(line: str) -> None:
    with scripted() as (api, cluster):
        api.on(PODS, items("5"))
        api.on(WATCH, stream(line + "\n"), stream(event("ADDED", pod("one", "6"))))
        assert Watching(cluster, POD).wait_for(1) == [("ADDED", "one")]


def test_a_list_of_what_is_no_object_is_trouble_and_not_the_end() -> None:
    with scripted() as (api, cluster):
        api.on(PODS, answer({"items": [5]}), items("5", pod("one")))
        api.on(WATCH, stream())
        assert Watching(cluster, POD).synced().names() == [("ADDED", "one")]


def test_a_server_that_always_forgets_is_not_asked_in_a_frenzy() -> None:
    with scripted() as (api, cluster):
        api.on(PODS, items("5"))
        api.on(WATCH, stream(GONE))
        Watching(cluster, POD).synced()
        pause(cluster, 600_000_000)
        assert 2 <= len(api.asked(PODS)) <= 5


def test_a_watch_outlives_the_server(tmp_path: pathlib.Path) -> None:
    kept = ("--data-dir", str(tmp_path / "data"), "--api-only")
    with Served(*kept) as server:
        access = kubeconfig.load(str(server.kubeconfig))
        port = server.address.rpartition(":")[2]
        with RemoteCluster(access) as cluster:
            watching = Watching(cluster, CONFIG_MAP, namespace="default").synced()
            done(ask(cluster, "create", CONFIG_MAP, body=config_map("before")))
            wait(cluster, lambda: ("ADDED", "before") in watching.names())
            server.process.terminate()
            server.process.wait(30)
            assert ask(cluster, "get", CONFIG_MAP, name="before").error is not None
            with Served(*kept, "--port", port):
                done(ask(cluster, "create", CONFIG_MAP, body=config_map("after")))
                wait(cluster, lambda: ("ADDED", "after") in watching.names())
            assert watching.names().count(("ADDED", "before")) == 1


def _line(told: dict[str, object]) -> bytes:
    return json.dumps(told).encode()
