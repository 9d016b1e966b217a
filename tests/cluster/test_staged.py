"""A stage as a cluster: calls take their time, and what they come to is what the API answers."""

from __future__ import annotations

import pickle

import pytest

from kubestage.cluster import profiles
from kubestage.cluster.access import Call, Resource, Selection
from kubestage.cluster.profile import ApiSection, EtcdSection, NetworkSection, Profile, WatchSection
from kubestage.errors import BadRequest, NotFound
from tests.cluster import stages
from tests.cluster.stages import MS, POD, Every, Heard

SLOW = Profile(
    api=ApiSection(create="10ms", get="5ms", list="20ms", list_per_object="1ms", delete="7ms"),
    etcd=EtcdSection(write="3ms", read="1ms"),
    watch=WatchSection(delay="15ms"),
    network=NetworkSection(round_trip="2ms"),
)


def test_a_call_is_carried_out_when_it_is_done_and_its_answer_is_there_half_a_trip_later() -> None:
    stage, cluster = stages.empty(SLOW)
    heard = Heard()
    cluster.call(stages.create(stages.pod("a")), heard.answer)
    stage.run(13 * MS)
    assert not stage.store.read(("v1", "Pod"))
    stage.run(1 * MS)
    assert list(stage.store.read(("v1", "Pod"))) == ["default/a"]
    assert heard.answers == []
    stage.run(1 * MS)
    (answer,) = heard.answers
    assert (answer.sent_ns, answer.ended_ns) == (0, 15 * MS)
    assert answer.object == stage.store.get(("v1", "Pod"), "a")


def test_the_answer_never_comes_from_within_the_call() -> None:
    stage, cluster = stages.empty()
    heard = Heard()
    cluster.call(stages.create(stages.pod("a")), heard.answer)
    cluster.raw("/readyz", heard.page)
    cluster.watch(Selection(POD), heard.see)
    assert (heard.answers, heard.pages, heard.seen) == ([], [], [])
    stage.run(1)
    assert len(heard.answers) == len(heard.pages) == len(heard.seen) == 1


def test_a_list_shows_what_was_there_when_it_arrived_and_takes_longer_the_more_there_is() -> None:
    stage, cluster = stages.empty(SLOW)
    heard = Heard()
    for index in range(30):
        stage.store.create(stages.pod(f"pod-{index:02}"))
    stage.run("1s")
    asked_ns = stage.clock.now_ns
    cluster.call(Call(verb="list", resource=POD, namespace="default"), heard.answer)
    stage.run(5 * MS)
    stage.store.create(stages.pod("too-late"))
    stage.run("1s")
    (answer,) = heard.answers
    assert answer.object is not None
    assert len(answer.object["items"]) == 30
    assert answer.ended_ns - asked_ns == (2 + 20 + 30 + 1) * MS


def test_a_kind_that_nobody_serves_is_not_found() -> None:
    stage, cluster = stages.empty()
    heard = Heard()
    for verb in ("create", "list", "get"):
        strange = Call(verb=verb, resource=Resource("shop.example/v1", "Cart"), name="x", body={})
        cluster.call(strange, heard.answer)
    stage.run("1s")
    assert [type(answer.error) for answer in heard.answers] == [NotFound] * 3
    with pytest.raises(NotFound):
        cluster.watch(Selection(Resource("shop.example/v1", "Cart")), heard.see)


def test_a_selector_that_cannot_be_read_is_refused() -> None:
    stage, cluster = stages.empty()
    heard = Heard()
    cluster.call(Call(verb="list", resource=POD, label_selector="a in"), heard.answer)
    stage.run("1s")
    assert isinstance(heard.answers[0].error, BadRequest)
    with pytest.raises(BadRequest):
        cluster.watch(Selection(POD, label_selector="a in"), heard.see)


def test_a_call_that_finds_the_line_full_is_told_to_come_back() -> None:
    tight = Profile(
        api=ApiSection(
            max_requests_inflight=1, max_mutating_requests_inflight=0, max_queued=1, create="1s"
        )
    )
    stage, cluster = stages.empty(tight)
    heard = Heard()
    for name in ("a", "b", "c"):
        cluster.call(stages.create(stages.pod(name)), heard.answer)
    stage.run("10s")
    refused, *served = heard.answers
    assert refused.error is not None
    assert (refused.error.code, refused.error.details) == (429, {"retryAfterSeconds": 1})
    assert [answer.error for answer in served] == [None, None]
    assert list(stage.store.read(("v1", "Pod"))) == ["default/a", "default/b"]
    endpoint = cluster.api.endpoints.find("POST", stage.store.kind(("v1", "Pod")))
    assert endpoint.codes == {201: 2, 429: 1}


def test_calls_are_counted_by_verb_scope_and_code() -> None:
    stage, cluster = stages.empty(SLOW)
    heard = Heard()
    for call in (
        stages.create(stages.pod("a")),
        stages.create(stages.pod("a")),
        Call(verb="list", resource=POD),
        Call(verb="list", resource=POD, namespace="default"),
        Call(verb="get", resource=POD, namespace="default", name="b"),
        Call(verb="patch", resource=POD, namespace="default", name="a", body={}),
        Call(verb="deletecollection", resource=POD, namespace="default"),
    ):
        cluster.call(call, heard.answer)
        stage.run("1s")
    names = {
        (each.name.verb, each.name.scope, code): count
        for each in cluster.api.endpoints
        for code, count in each.codes.items()
        if each.name.resource == "pods"
    }
    assert names == {
        ("POST", "resource", 201): 1,
        ("POST", "resource", 409): 1,
        ("LIST", "cluster", 200): 1,
        ("LIST", "namespace", 200): 1,
        ("GET", "resource", 404): 1,
        ("PATCH", "resource", 200): 1,
        ("DELETECOLLECTION", "namespace", 200): 1,
    }


def test_the_time_in_the_histogram_is_the_servers_without_the_way_there_and_back() -> None:
    stage, cluster = stages.empty(SLOW)
    cluster.call(stages.create(stages.pod("a")), Heard().answer)
    stage.run("1s")
    endpoint = cluster.api.endpoints.find("POST", stage.store.kind(("v1", "Pod")))
    assert endpoint.duration.total == pytest.approx(0.013)
    assert endpoint.etcd_duration.total == pytest.approx(0.003)


def test_what_vanishes_all_at_once_takes_a_write_for_each() -> None:
    stage, cluster = stages.empty(SLOW)
    for index in range(10):
        stage.store.create(stages.pod(f"pod-{index}"))
    stage.run("1s")
    heard, asked_ns = Heard(), stage.clock.now_ns
    call = Call(verb="deletecollection", resource=POD, namespace="default")
    cluster.call(call, heard.answer)
    stage.run("1s")
    assert heard.answers[0].ended_ns - asked_ns == (1 + 7 + 3 + 10 * 3 + 1) * MS


def _life(seed: int) -> list[object]:
    stage, cluster = stages.alive(profiles.DEFAULT, seed=seed)
    heard = Heard()
    cluster.watch(Selection(POD), heard.see)

    def act(index: int) -> None:
        cluster.call(stages.create(stages.deployment(f"web-{index}", 3)), heard.answer)

    Every(cluster, 50 * MS, 10, act)
    stage.run("30s")
    cluster.raw("/metrics", heard.page)
    stage.run("1s")
    return [heard.answers, heard.seen, heard.pages]


def test_the_same_seed_gives_the_same_answers_events_and_pages_and_another_does_not() -> None:
    assert repr(_life(3)) == repr(_life(3))
    assert repr(_life(3)) != repr(_life(4))


def test_a_cluster_pickles_with_its_stage_and_goes_on_as_it_would_have() -> None:
    stage, cluster = stages.alive(SLOW)
    heard = Heard()
    cluster.watch(Selection(POD), heard.see)
    cluster.call(stages.create(stages.deployment("web", 2)), heard.answer)
    stage.run(5 * MS)
    other, copy = pickle.loads(pickle.dumps((stage, heard)))
    stage.run("10s")
    other.run("10s")
    assert heard.seen
    assert repr((copy.answers, copy.seen)) == repr((heard.answers, heard.seen))


def test_a_list_that_is_refused_shows_nothing() -> None:
    tight = Profile(
        api=ApiSection(
            max_requests_inflight=1, max_mutating_requests_inflight=0, max_queued=1, list="1s"
        )
    )
    stage, cluster = stages.empty(tight)
    heard = Heard()
    for _ in range(3):
        cluster.call(Call(verb="list", resource=POD), heard.answer)
    stage.run("10s")
    told = [(answer.object is None, answer.error is None) for answer in heard.answers]
    assert told == [(True, False), (False, True), (False, True)]
